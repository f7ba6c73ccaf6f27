"""The stand-in for pydantic while a process runs one command: it is right, or says that it cannot decide."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vaulttools import tools
from vaulttools.answers.request import parse, schema
from vaulttools.config import VaultConfig
from vaulttools.errors import BadArgument
from vaulttools.models import ValidationError

FIXTURES = Path(__file__).parent.parent / "fixtures"

BEGINNING = """
import contextlib, io, json, os, sys
from vaulttools import plain_models, tools
plain_models.use(are_wanted=True)
from vaulttools.answers.request import parse, schema
given = json.load(sys.stdin)
assert "pydantic" not in sys.modules
"""

SCHEMAS = "print(json.dumps({name: schema(tools.named(name).request) for name in tools.NAMES}))"

PARSED = """
def parsed(name, arguments):
    try:
        return repr(vars(parse(tools.named(name).request, arguments)))
    except plain_models.Unfit:
        return None

print(json.dumps([parsed(*each) for each in given]))
"""

CONFIGURED = """
from vaulttools.config import VaultConfig

def configured(table):
    try:
        return repr(vars(VaultConfig.model_validate(table)))
    except plain_models.Unfit:
        return None

print(json.dumps([*map(configured, given)]))
"""

PRINTED = """
from vaulttools.cli.main import main

def printed(folder, environ, words):
    os.chdir(folder)
    os.environ.update(environ)
    try:
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            status = main(words)
        return [status, out.getvalue(), err.getvalue()]
    except plain_models.Unfit:
        return None
    finally:
        for name in environ:
            del os.environ[name]

print(json.dumps([printed(*each) for each in given]))
"""


def _printed(program: str, given: object) -> Any:
    """What a process with plain models prints."""
    done = subprocess.run(
        [sys.executable, "-c", BEGINNING + program],
        input=json.dumps(given),
        stdout=subprocess.PIPE,
        check=True,
        encoding="utf-8",
    )
    return json.loads(done.stdout)


def test_the_command_line_gets_the_same_schema_of_every_argument() -> None:
    given = ("type", "enum", "minimum", "maximum", "default", "description")
    expected = {}
    for name in tools.NAMES:
        whole = schema(tools.named(name).request)
        properties = {
            field: {key: value for key, value in property_.items() if key in given}
            for field, property_ in whole["properties"].items()
        }
        expected[name] = {"properties": properties} | ({"required": whole["required"]} if "required" in whole else {})
    assert _printed(SCHEMAS, None) == expected


VALUES: list[Any] = [
    *("", "word", "7", "0", "-1", "007", "501", " 5", "1_0", "2.5", "1e3", "nan", "true", "ranked", "modified", "open"),
    *("2026-11-20", "last week", "#a b", '["a", "b"]', '{"a": "b"}', "#", "back", "\udcff", "é", "null", "work"),
    *(True, False, 3, 0, 2.5, [], ["a", "b"], ["a b"], ["\udcff"], [3], {}, {"a": "b"}, {"a": None}, {"a": True}),
]
"""Values that a command line gives, and more."""


def _asked() -> Iterator[tuple[str, dict[str, Any]]]:
    chance = random.Random(0)
    kinds = set()
    for name in tools.NAMES:
        fields = tools.named(name).request.model_fields
        for field, declared in fields.items():
            if (kind := repr((declared.annotation, declared.metadata))) not in kinds:
                yield from ((name, _with_required(name) | {field: value}) for value in VALUES)
            kinds.add(kind)
        for _ in range(30):
            yield name, {field: chance.choice(VALUES) for field in chance.sample([*fields], min(3, len(fields)))}
        yield name, _with_required(name) | {"unheard_of": "x"}


def _with_required(name: str) -> dict[str, Any]:
    fields = tools.named(name).request.model_fields
    return {field: "word" for field, declared in fields.items() if declared.is_required()}


def _parsed(name: str, arguments: dict[str, Any]) -> str | None:
    try:
        return repr(vars(parse(tools.named(name).request, arguments)))
    except BadArgument:
        return None


def test_arguments_are_read_as_pydantic_reads_them_or_left_to_it() -> None:
    asked = list(_asked())
    ours = _printed(PARSED, asked)
    expected = [_parsed(*each) for each in asked]
    wrong = [
        (each, said, held) for each, said, held in zip(asked, ours, expected, strict=True) if said not in (held, None)
    ]
    assert wrong == []
    assert sum(said is not None for said in ours) > 0.7 * sum(held is not None for held in expected)


NUMBERS: list[Any] = [-1.0, 0.0, 0.5, 600.0, 600.5, -1, 0, 1, 20, 21, 600, 601, "0", "5", True, None]


def test_a_configuration_is_read_as_pydantic_reads_it_or_left_to_it() -> None:
    tables = [{field: value} for field in VaultConfig.model_fields for value in [*NUMBERS, *VALUES]]
    ours = _printed(CONFIGURED, tables)
    for table, said in zip(tables, ours, strict=True):
        try:
            held = repr(vars(VaultConfig.model_validate(table)))
        except ValidationError:
            held = None
        assert said in (held, None), table
    assert any(ours)


def _commands() -> Iterator[tuple[str, dict[str, str], list[str]]]:
    """The commands of the transcripts that call a tool: folder, environment, words."""
    names = {name.replace("_", "-") for name in tools.NAMES}
    for path in sorted((FIXTURES / "transcripts").glob("*.txt")):
        folder = FIXTURES / "vault"
        for line in path.read_text(encoding="utf-8").split("\n"):
            if not line.startswith("$ "):
                continue
            words = shlex.split(line.removeprefix("$ "))
            if words[0] == "cd":
                folder = folder / words[1]
                continue
            environ = {}
            while re.match(r"\w+=", words[0]):
                name, _, environ[name] = words.pop(0).partition("=")
            command = next((word for word in words[1:] if not word.startswith("-")), "")
            if command in names and not {"--help", "-h"} & {*words}:
                yield str(folder), environ, words[1:]


def test_commands_print_what_they_print_with_pydantic(capsys: pytest.CaptureFixture[str]) -> None:
    from vaulttools.cli.main import main

    commands = [*_commands()]
    ours = _printed(PRINTED, commands)
    for (folder, environ, words), said in zip(commands, ours, strict=True):
        with pytest.MonkeyPatch.context() as here:
            here.chdir(folder)
            for name, value in environ.items():
                here.setenv(name, value)
            status = main(words)
        printed = capsys.readouterr()
        assert said is None or _without_progress(said) == _without_progress([status, printed.out, printed.err]), words
    assert sum(said is None for said in ours) < 0.1 * len(ours)


def _without_progress(said: list[Any]) -> list[Any]:
    """The output without the progress that a busy machine prints."""
    status, out, err = said
    return [status, out, re.sub(r"^Indexing: .*\n", "", err, flags=re.MULTILINE)]


def test_an_error_that_needs_pydantic_keeps_its_words(small_vault: Path) -> None:
    """This happens in the same process, which then has the classes of pydantic."""
    code = "from vaulttools.__main__ import run; run()"
    command = [sys.executable, "-c", code, "--vault", str(small_vault), "tags", "--limit", "0"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=os.environ, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'error: --limit must be a whole number from 1 to 10,000, got "0"\n'

"""Every call that an answer proposes works unchanged, and stays within the caller's filters."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.conftest import MakeVault
from tests.test_transcripts import TRANSCRIPTS
from tests.tools.test_definitions import CALLS
from vaulttools import BadArgument, Vault, tools
from vaulttools.answers.request import parse
from vaulttools.cli import options
from vaulttools.core.voice import Voice
from vaulttools.tools.definitions import definitions

PACKAGE = Path(tools.__file__).parent.parent
NAME = re.compile(rf"\b({'|'.join(tools.NAMES)}) (?={{)")
CONTINUED = re.compile(r"Continue with (.+?)(?: instead of [\w ]+)?\.\]")
PAGED = re.compile(r"Set page to (\d+)")

FOLDER = "Odd"
ODD = {
    'Odd/a "quoted" [x].md': "---\nstatus: active\ntags: [work, a/b]\n---\n# Head\n\nneedle one\n\n" + "more\n\n" * 400,
    "Odd/日本 & é.md": "---\nstatus: active\ntags: [work]\n---\nneedle two [[b]]\n\n" + "more\n\n" * 400,
    "Odd/b.md": "needle three #work\n- [ ] needle task\n" + "more needle\n\n" * 400,
    "Odd/word.canvas": '{"nodes": [{"id": "1", "type": "text", "text": "onlyhere"}]}',
    "Else/c.md": "---\nstatus: active\ntags: [work]\n---\nneedle, but elsewhere onlyhere\n",
    "Else/c#d.md": "needle\n",
    "Odd/rtl\u202e\u2028.md": "---\nstatus: active\n---\nneedle needle five #work\n\n" + "more\n\n" * 400,
} | ({} if sys.platform == "win32" else {"Odd/new\nline.md": "---\nstatus: active\n---\nneedle four #work\n"})

ASKED: list[tuple[str, dict[str, Any]]] = [
    ("query", {"query": "needle", "folder": FOLDER, "limit": 2}),
    ("query", {"query": "needle", "glob": "Odd/*", "tags": ["work"], "limit": 1}),
    ("query", {"query": "needle nlyher", "folder": FOLDER}),
    ("query", {"query": "needle", "mode": "obsidian", "folder": FOLDER, "properties": {"status": "active"}}),
    ("query", {"query": "active needle", "folder": FOLDER, "modified_after": "2001"}),
    ("context", {"question": "needle", "folder": FOLDER, "max_chars": 700}),
    ("context", {"question": "needle active", "tags": ["work"], "folder": FOLDER}),
    ("read", {"notes": [name for name in ODD if name.startswith("Odd/") and name.endswith(".md")], "max_chars": 900}),
    ("read", {"note": "Odd/b.md", "max_chars": 50}),
    ("read", {"note": "b#^none", "heading": "x"}),
    ("read", {"note": 'a "quoted" [x]#Head', "max_chars": 50}),
    ("tags", {"folder": FOLDER}),
    ("tags", {"name": "work", "glob": "Odd/*"}),
    ("properties", {"folder": FOLDER}),
    ("properties", {"name": "status", "glob": "Odd/*"}),
    ("links", {"note": "Odd/b.md", "direction": "back"}),
    ("search_files", {"pattern": "needle", "file_pattern": "Odd/**", "max_results": 1}),
    ("tasks", {"folder": FOLDER, "limit": 1}),
    ("base", {"where": 'status == "active"', "folder": FOLDER, "limit": 1}),
]


def proposed(asked: str, arguments: dict[str, Any], text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls that a text proposes, completed where they name only what changes."""
    for found in NAME.finditer(text):
        yield found[1], json.JSONDecoder().raw_decode(text, found.end())[0]
    for found in PAGED.finditer(text):
        yield asked, {**arguments, "page": int(found[1])}
    for found in CONTINUED.finditer(text):
        changed = {name: json.loads(value) for name, value in re.findall(r'(\w+)=(\d+|"(?:[^"\\]|\\.)*")', found[1])}
        yield asked, {**{name: arguments[name] for name in ("note",) if name in arguments}, **changed}


def paths_of(details: dict[str, Any]) -> list[str]:
    listed = [*details.get("notes", ()), *details.get("files", ()), *details.get("passages", ())]
    return [each["path"] for each in listed if isinstance(each, dict)]


def is_told(tool: str, arguments: dict[str, Any]) -> bool:
    """Whether a client that checks arguments by the tool's definition lets them pass."""
    (definition,) = definitions("mcp", [tool], answers=False)
    return bool(Draft202012Validator(definition["inputSchema"]).is_valid(arguments))


def check(vault: Vault, asked: str, arguments: dict[str, Any]) -> int:
    """Make the calls that an answer proposes, and count them."""
    calls = list(proposed(asked, arguments, vault.call(asked, arguments).text))
    for name, given in calls:
        assert is_told(name, given) or not is_told(asked, arguments), (asked, arguments, name, given)
        answer = vault.call(name, given)
        assert not answer.is_error, (asked, arguments, name, given, answer.text)
        is_filtered = arguments.get("folder") or arguments.get("glob") or arguments.get("file_pattern")
        if is_filtered and FOLDER in str(is_filtered):
            assert all(path.startswith(f"{FOLDER}/") for path in paths_of(answer.details)), (name, given)
            if name in ("query", "search_files"):
                assert paths_of(answer.details), (name, given)
    return len(calls)


def test_the_calls_that_answers_propose_over_odd_names_and_filters(make_vault: MakeVault) -> None:
    vault = make_vault(ODD)
    made = {(tool, json.dumps(arguments)): check(vault, tool, arguments) for tool, arguments in ASKED}
    assert sum(made.values()) >= 18
    assert all(made[tool, json.dumps(arguments)] for tool, arguments in ASKED[:2]), made  # others show notes whole


@pytest.mark.parametrize("tool", tools.NAMES)
def test_the_calls_that_answers_propose_over_the_shipped_vault(small_vault: Path, tool: str) -> None:
    with Vault.open(small_vault) as vault:
        for arguments in CALLS[tool]:
            check(vault, tool, arguments)


def transcribed() -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls of the transcripts, as a client would send them."""
    for path in TRANSCRIPTS:
        for line in path.read_text(encoding="utf-8").splitlines():
            command, *words = (
                shlex.split(line.removeprefix("$ vaulttools ")) if line.startswith("$ vaulttools ") else [""]
            )
            name = command.replace("-", "_")
            if name in tools.NAMES:
                tool = tools.named(name)
                with suppress(BadArgument):  # a mistake on purpose, or an option of the command alone
                    yield name, parse(tool.request, options.parse(tool, words)).model_dump(exclude_unset=True)


def test_the_calls_that_the_answers_of_the_transcripts_propose(small_vault: Path) -> None:
    with Vault.open(small_vault) as vault:
        made = [check(vault, tool, arguments) for tool, arguments in transcribed()]
    assert len(made) > 80
    assert sum(made) > 12


@pytest.mark.parametrize("tool", tools.NAMES)
def test_an_argument_that_an_answer_names_is_in_the_definition(
    make_vault: MakeVault, small_vault: Path, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[str] = []

    def noting(says: Callable[..., str]) -> Callable[..., str]:
        def noted(voice: Voice, argument: str, *rest: Any) -> str:
            named.append(argument)
            return says(voice, argument, *rest)

        return noted

    for way in ("name", "given", "set"):
        monkeypatch.setattr(Voice, way, noting(getattr(Voice, way)))
    with Vault.open(small_vault) as small:
        for vault, calls in ((make_vault(ODD), [each for name, each in ASKED if name == tool]), (small, CALLS[tool])):
            for arguments in calls:
                vault.call(tool, arguments)
    assert set(named).isdisjoint(tools.named(tool).request.untold)


NAMED = re.compile(r"voice\.(?:name|given|set)\(\s*['\"](\w+)")


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_an_argument_that_the_code_can_name_is_in_the_definitions(path: Path) -> None:
    words = set(NAMED.findall(path.read_text(encoding="utf-8")))
    package = path.relative_to(PACKAGE).parts
    of_tool = Path(package[1]).stem if package[0] == "tools" and len(package) > 1 else ""
    for name in [of_tool] if of_tool in tools.NAMES else tools.NAMES if words else ():
        assert words.isdisjoint(tools.named(name).request.untold), name

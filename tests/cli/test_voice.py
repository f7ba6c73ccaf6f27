"""Next steps at the command line: commands that can be pasted as they are printed."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES, MakeVault
from vaulttools import tools
from vaulttools.answers.request import parse
from vaulttools.cli import main as cli
from vaulttools.cli import options
from vaulttools.cli.command_line import for_posix, for_powershell
from vaulttools.cli.options import Commands

Printed = pytest.CaptureFixture[str]

CALLS: list[tuple[str, Mapping[str, Any]]] = [
    ("read", {"note": "Cigar.md", "start_line": 15}),
    ("read", {"note": "-odd.md", "start_line": 1, "end_line": 2}),
    ("read", {"note": "a b.md", "notes": ["c.md", "d e.md"]}),
    ("query", {"query": "tag:#work", "mode": "obsidian", "folder": "A b"}),
    ("query", {"query": "how long", "page": 2, "explain": True}),
    ("properties", {"name": "-x", "glob": "Daily/**"}),
    ("search_files", {"pattern": ".", "properties": {"a": "6", "b": None, "c": "x,y"}, "case_sensitive": False}),
    ("search", {"pattern": "a", "paths": ["b", "c"], "i": True, "gitignore": False}),
    ("base", {"where": "a == 1", "columns": ["x", "file.name"]}),
    ("links", {"direction": "unresolved", "limit": 5}),
    ("tasks", {"tags": ["work", "home/garden"], "status": "-"}),
]


_IN_POWERSHELL = re.compile(
    r"""(?P<word>[\w\-./:=+\\]+)|'(?P<literal>(?:[^'‘’‚‛]|['‘’‚‛]{2})*)'|"(?P<text>[^"“”„$`]*)\"""", re.DOTALL
)
"""A word of PowerShell, or one in quotes: it takes typographic quotes for plain ones, and `$` for a variable."""


def words_in_powershell(command: str) -> list[str]:
    """The words that PowerShell passes to a program; an assertion fails where it would read a sign of its own."""
    words, at = [], 0
    while found := _IN_POWERSHELL.match(command, at):
        word, literal, text = found.groups()
        words.append(word or text or re.sub("(['‘’‚‛]).", r"\1", literal or ""))
        at = found.end() + 1
        assert command[at - 1 : at] in ("", " ")
    assert at > len(command)
    return words


words_of = words_in_powershell if sys.platform == "win32" else shlex.split
"""Reads a command as the usual shell of this system does."""


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_a_command_means_the_call_that_it_is_printed_for(tool: str, arguments: Mapping[str, Any]) -> None:
    written = Commands(tools.named(tool).request, ["My vault"]).call(tool, arguments)
    program, vault, folder, name, *words = words_of(written)
    assert [program, vault, folder, name] == ["vaulttools", "--vault", "My vault", tool.replace("_", "-")]
    entry = tools.named(tool)
    assert parse(entry.request, options.parse(entry, words)) == parse(entry.request, arguments)


@pytest.mark.parametrize("tool", tools.NAMES)
def test_a_field_is_positional_in_every_tool_or_in_none(tool: str) -> None:
    request = tools.named(tool).request
    placed = {field for field in request.model_fields if not options.name(request, field).startswith("-")}
    assert placed | set(request.positional) == options.POSITIONAL & request.model_fields.keys()


_TEXTS = st.text(st.characters(exclude_characters="\0", codec="utf-8") | st.sampled_from("'\"$`‘’‚‛“”„ ,@-"))


@given(_TEXTS)
def test_a_shell_reads_a_quoted_word_as_it_was(word: str) -> None:
    assert shlex.split(for_posix(word)) == [word]


@given(_TEXTS)
def test_powershell_reads_a_quoted_word_as_it_was(word: str) -> None:
    assert words_in_powershell(for_powershell(word)) == [word]


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        (r"C:\Users\Jörg\Notes", r"C:\Users\Jörg\Notes"),
        (r"C:\My notes", r'"C:\My notes"'),
        ("**/*.md", '"**/*.md"'),
        ("a,b", '"a,b"'),
        ("it's", '"it\'s"'),
        ("it's $5", "'it''s $5'"),
        ('say "it’s"', "'say \"it’’s\"'"),
        ("", '""'),
    ],
)
def test_a_word_for_powershell_is_quoted_only_where_it_must_be(word: str, shown: str) -> None:
    assert for_powershell(word) == shown


@pytest.mark.skipif(sys.platform == "win32" or shutil.which("sh") is None, reason="needs a shell of POSIX")
def test_the_printed_command_reads_on_where_the_answer_ends(make_vault: MakeVault, capsys: Printed) -> None:
    vault = make_vault({'It\'s $HOME, a "note".md': "".join(f"line {number}\n" for number in range(200))}).path
    assert cli.main(["--vault", str(vault), "read", 'It\'s $HOME, a "note"', "--max-chars", "500"]) == 0
    shown, command = capsys.readouterr().out.rstrip("]\n").split("Continue with: vaulttools")
    last = int(shown.split("\n")[-3].split("|")[0]) if "|" in shown else 0
    run = f"{shlex.quote(sys.executable)} -m vaulttools{command}"
    further = subprocess.run(["sh", "-c", run], capture_output=True, text=True, check=True, encoding="utf-8").stdout
    assert f"line {last}\n" in further


def test_a_vault_that_was_not_named_is_not_named_in_the_next_step(
    small_vault: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULTTOOLS_VAULT", str(small_vault))
    assert cli.main(["tags", "--limit", "2"]) == 0
    out = capsys.readouterr().out
    assert "Raise --limit, or set --name to a tag" in out
    assert cli.main(["properties", "--limit", "1"]) == 0
    assert "[To see all values of one: vaulttools properties --name " in capsys.readouterr().out


@pytest.mark.parametrize("words", [["tags", "--json"], ["call", "tags"], ["call", "tags", "--json"]])
def test_json_and_call_keep_the_words_of_python(words: list[str], small_vault: Path, capsys: Printed) -> None:
    assert cli.main(["--vault", str(small_vault), *words]) == 0
    out = capsys.readouterr().out
    text = json.loads(out)["notices"][-1] if "--json" in words else out
    assert "To see the notes of a tag: query {" in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["search-files", "x", "--max-results", "0"], "--max-results must be a whole number from 1 to 10,000"),
        (["search-files"], "PATTERN is required: a text"),
        (["call", "search_files", '{"pattern": "x", "max_results": 0}'], "max_results must be a whole number"),
    ],
)
def test_a_refusal_names_what_the_caller_wrote(
    words: list[str], sentence: str, small_vault: Path, capsys: Printed
) -> None:
    assert cli.main(["--vault", str(small_vault), *words]) == 2
    assert capsys.readouterr().err.startswith(f"error: {sentence}")


ROWS = {f"Books/{number:02}.md": f"---\nlang: {'fr' if number % 3 else 'pt'}\n---\n#book\n" for number in range(25)}
BASE = """\
filters: file.hasTag("book")
views:
  - {type: table, name: "It's $5, \\"all\\"", limit: 10}
  - {type: table, name: In other languages, limit: 7, filters: 'lang == "fr"'}
"""
STEP = re.compile(r"(?:For more rows|To run one|; it embeds [^:]+): (vaulttools .*?)\]?$", re.MULTILINE)


@pytest.mark.parametrize(
    "words",
    [
        ["Reading/My books.base"],
        ["Reading/My books", "--list-views"],
        ["Reading/My books.base", "--view", "In other languages", "--limit", "3"],
        [
            "Reading/My books.base",
            "--where",
            'lang == "pt"',
            "--limit",
            "2",
            "--columns",
            'file.name,if(lang, "ja", "no")',
        ],
        ["--where", '{"and": ["file.hasTag(\'book\')", "lang != \'fr\'"]}', "--limit", "4", "--sort=-lang"],
        ["--where", 'lang && lang != "$5"', "--limit", "4"],
        ["--where", "true", "--limit", "20", "--summaries", "lang=Unique", "--group-by=-lang"],
        ["Notes/Embeds it"],
        [str(FIXTURES / "vault"), "Projects/Projects.base", "--list-views"],
        [str(FIXTURES / "vault"), "Projects/Projects.base", "--limit", "1"],
        [str(FIXTURES / "vault"), "--where", "true", "--limit", "5", "--columns", "file.path,tags"],
    ],
)
def test_each_step_that_base_proposes_gives_the_rows_that_it_promises(
    words: list[str], make_vault: MakeVault, capsys: Printed
) -> None:
    """Steps are followed to the last page; together they have each row once."""
    folder, *words = words if Path(words[0]).is_absolute() else [str(make_vault({**ROWS, **BASES}).path), *words]
    command: list[str] | None = ["--vault", folder, "base", *words]
    paths: list[str] = []
    total = 0
    while command is not None:
        status = cli.main(command)
        out, err = capsys.readouterr()
        assert cli.main([*command, "--json"]) == status
        details = json.loads(capsys.readouterr().out)
        paths += [row["path"] for row in details.get("rows", ())]
        total = details.get("total", 0)
        steps = STEP.findall(out + err)
        assert len(steps) == (details.get("next_page") is not None or not details.get("rows"))
        for step in steps:
            assert words_in_powershell(_for(for_powershell, step)) == shlex.split(_for(for_posix, step))
        command = words_of(steps[0])[1:] if steps else None
    assert total > 0
    assert len(paths) == len(set(paths)) == total


BASES = {
    "Reading/My books.base": BASE,
    "Notes/Embeds it.md": "![[My books.base]]\n",
}


def _for(quoting: Callable[[str], str], step: str) -> str:
    return " ".join(map(quoting, words_of(step)))

"""Bounded details: they hold the files and lines that the text shows, in the same form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import MakeVault, write_files
from vaulttools import Vault, VaultConfig
from vaulttools.core import limits

LONG = "needle [[gone]] " + "x" * 2_000 + "\x1b[31m\u202e"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """A vault that answers each question with more than a text may hold; no test here changes it."""
    files: dict[str, str | bytes] = {}
    for number in range(30):
        properties = "".join(f"{'k' * 40}{number}-{key}: {'v' * 3_000}\n" for key in range(40))
        tags = " ".join(f"#{'t' * 60}{number}/{tag}" for tag in range(40))
        folder = f"{'f' * 200}/{'g' * 200}{number}"
        files[f"{folder}/note.md"] = f"---\n{properties}---\n{tags}\n" + f"# Heading {'h' * 300}\n{LONG}\n" * 40
    vault = tmp_path_factory.mktemp("large")
    write_files(vault, files)
    settings = VaultConfig(meaning="off", index_folder=str(tmp_path_factory.mktemp("index")))
    with Vault.open(vault, config=settings) as opened:
        opened.tags()  # reads all notes for the first time, for all tests
        yield opened


PLACES = {
    "search_files": lambda details: [
        (file["path"], each["start_line"] + number)
        for file in details["files"]
        for each in file["excerpts"]
        for number in range(len(each["lines"]))
    ],
    "query": lambda details: [
        (note["path"], each["start_line"] + number)
        for note in details["notes"]
        for each in note["excerpts"]
        for number in range(len(each["lines"]))
    ],
    "links": lambda details: [(link["source"], link["line"]) for link in details["links"]],
    "grep": lambda details: [(match["path"], match["line"]) for match in details["matches"]],
}

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search_files", {"pattern": "needle", "max_results": 100}),
    ("query", {"query": "needle", "limit": 100, "mode": "obsidian"}),
    ("links", {"direction": "unresolved", "limit": 1_000}),
    ("grep", {"pattern": "needle", "max_results": 1_000}),
]


ADVICE = {
    "search_files": "Narrow the pattern or the paths.",
    "query": "Lower limit and use page, or narrow the query.",
    "links": "Narrow folder.",
    "grep": "Narrow the pattern or the paths.",
}


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_cut_text_says_how_its_tool_shows_more(large: Vault, name: str, arguments: dict[str, Any]) -> None:
    answer = large.call(name, arguments)
    cut = re.search(r"^\[(Cut at 50 KiB: .*)\]$", answer.text, re.MULTILINE)
    assert cut and cut[1].endswith(f". {ADVICE[name]}") and cut[1] in answer.details["notices"]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_details_hold_the_lines_of_the_cut_text(large: Vault, name: str, arguments: dict[str, Any]) -> None:
    result = large.call(name, arguments, bounded=True)
    assert "[Cut at 50 KiB: " in result.text
    shown, path = [], ""
    for line in result.text.split("\n"):
        if line.startswith("## "):
            path = line.removeprefix("## ")
        elif match := re.match(r"Line (\d+)", line):
            shown.append((path, int(match[1])))
        elif match := re.match(r"(f.*?\.md):(\d+): ", line):
            shown.append((match[1], int(match[2])))
    assert PLACES[name](result.details) == shown
    assert len(PLACES[name](large.call(name, arguments).details)) > len(shown)


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("tags", {"limit": 10_000}, "tags"),
        ("properties", {"limit": 10_000}, "properties"),
        ("find", {"paths": "**"}, "files"),
        ("links", {"direction": "orphans", "limit": 10_000}, "orphans"),
    ],
)
def test_details_hold_as_many_rows_as_the_cut_text(
    large: Vault, name: str, arguments: dict[str, Any], field: str
) -> None:
    whole, bounded = large.call(name, arguments), large.call(name, arguments, bounded=True)
    total, left = len(whole.details[field]), re.search(r"\[Cut at 50 KiB: ([\d,]+) more", whole.text)
    cut = 0 if left is None else int(left[1].replace(",", ""))
    assert len(bounded.details[field]) == total - cut


NOTE = f"[[{'f' * 200}/{'g' * 200}0/note]]"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *CALLS,
        ("query", {"query": "needle", "limit": 100, "mode": "ranked"}),
        ("tags", {"limit": 10_000}),
        ("properties", {"limit": 10_000}),
        ("find", {"paths": "**"}),
        ("search", {"pattern": "needle"}),
        ("read", {"note": NOTE, "max_chars": 50_000}),
        ("outline", {"note": NOTE}),
    ],
)
def test_bounded_details_are_at_most_four_times_the_limit_of_a_text(
    large: Vault, name: str, arguments: dict[str, Any]
) -> None:
    result = large.call(name, arguments, bounded=True)
    assert not result.is_error
    assert len(result.text.encode()) <= limits.TEXT_BYTES
    assert len(str(result.details)) <= 4 * limits.TEXT_BYTES


def test_details_cut_and_escape_lines_like_the_text(large: Vault) -> None:
    details = large.call("grep", {"pattern": "needle", "max_results": 1}, bounded=True).details
    (match,) = details["matches"]
    assert len(match["text"]) == limits.LINE_CHARACTERS + 1 and match["text"].endswith("x…")
    (whole,) = large.call("grep", {"pattern": "needle", "max_results": 1}).details["matches"]
    assert whole["text"] == LONG


def test_invisible_characters_are_escaped(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "# \u202eh\nneedle \x1b[31m \U000e0041\n"})
    bounded = vault.call("search_files", {"pattern": "needle"}, bounded=True).details
    (excerpt,) = bounded["files"][0]["excerpts"]
    assert excerpt["lines"] == ["# \\u{202e}h", "needle \\x1b[31m \\u{e0041}"]
    assert excerpt["heading"] == ["\\u{202e}h"]

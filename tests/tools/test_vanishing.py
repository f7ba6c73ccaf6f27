"""Files that vanish or stop matching between counting and showing: the numbers count what is left."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import HOUR, MakeVault, write_files
from vaulttools import Vault
from vaulttools.matching.matcher import Matcher

TAGGED = "---\ntags: [keep]\n---\nzebra\n"


class Vanishing:
    """Removes files, or takes the word out of them, right before lines are read for the nth time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.folder = folder
        self.left = 0
        self.gone: Sequence[str] = ()
        self.rewritten: Sequence[str] = ()
        hits = Matcher.hits

        def after_the_change(matcher: Matcher, files: Sequence[str], limit: int | None) -> Any:
            if self.left == 0:
                for path in self.gone:
                    (folder / path).unlink(missing_ok=True)
                write_files(folder, dict.fromkeys(self.rewritten, "nothing\n"))
            self.left -= 1
            return hits(matcher, files, limit)

        monkeypatch.setattr(Matcher, "hits", after_the_change)


def ask(vault: Vault, tool: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    result = vault.call(tool, arguments)
    assert not result.is_error
    return result.text, result.details


def test_files_that_a_filter_never_counted_are_not_taken_off(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [f"other {number:02}.md" for number in range(40)]
    vault = make_vault({"keep.md": TAGGED, **dict.fromkeys(others, "zebra\n")})
    Vanishing(monkeypatch, vault.path).gone = others
    text, details = ask(vault, "search_files", {"pattern": "zebra", "tags": ["keep"]})
    assert text.startswith("Found 1 matching file:\n\n## keep.md\n")
    assert (details["total_files"], details["total_is_exact"], details["complete"]) == (1, True, True)


@pytest.mark.usefixtures("later")
def test_when_all_that_would_pass_a_filter_vanish_nothing_is_found(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault({f"{number}.md": TAGGED for number in range(3)})
    Vanishing(monkeypatch, vault.path).gone = ["0.md", "1.md", "2.md"]
    text, details = ask(vault, "search_files", {"pattern": "zebra", "tags": ["keep"]})
    assert text == "No files found matching the pattern."
    assert (details["files"], details["total_files"], details["complete"]) == ([], 0, True)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("tool", ["search_files", "search", "grep"])
@pytest.mark.parametrize(
    ("small", "capital", "gone", "hint"),
    [
        (2, 8, 1, "9 files match when case is ignored."),
        (2, 8, 2, "8 files match when case is ignored."),
        (2, 150, 2, "100 or more files match when case is ignored."),
        (4, 0, 3, ""),
    ],
)
def test_hints_do_not_count_what_vanished(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, tool: str, small: int, capital: int, gone: int, hint: str
) -> None:
    found = [f"{number}.md" for number in range(small)]
    others = {f"x{number:03}.md": "Zebra\n" for number in range(capital)}
    vault = make_vault({**dict.fromkeys(found, "zebra\n"), **others})
    Vanishing(monkeypatch, vault.path).gone = found[:gone]
    text, _ = ask(vault, tool, {"pattern": "zebra"})
    assert (found[-1] in text) == (gone < small)
    assert hint in text if hint else "case is ignored" not in text


@pytest.mark.usefixtures("later")
def test_a_sample_of_a_file_that_vanishes_hints_at_nothing(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault({"a.md": "zebra\n"})
    asked = {"file": "a.md", "query": "zebra"}
    assert "matches: 1" in ask(vault, "sample", asked)[0]
    Vanishing(monkeypatch, vault.path).gone = ["a.md"]
    assert "case is ignored" not in ask(vault, "sample", asked)[0]


@pytest.mark.usefixtures("later")
def test_nothing_is_hinted_at_beside_a_range_where_all_vanished(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault({"a.md": "zebra\n", "b.md": "zebra\n", "c.md": "other\n"})
    Vanishing(monkeypatch, vault.path).gone = ["a.md", "b.md"]
    text, _ = ask(vault, "search", {"pattern": "zebra", "paths": ["a.md", "b.md", "c.md:1-3"]})
    assert text == "No matches found\n\nSkipped missing paths: a.md, b.md"


def test_a_range_of_a_file_that_vanishes_is_not_taken_off(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault({"a.md": "zebra\n", "b.md": "zebra\n"})
    Vanishing(monkeypatch, vault.path).gone = ["b.md"]
    text, details = ask(vault, "search", {"pattern": "zebra", "paths": ["a.md", "b.md:1-5"]})
    assert text == "# a.md\n*1|zebra\n\nThe search is incomplete: names changed meanwhile (b.md)."
    assert (details["total_files"], details["files"]) == (1, ["a.md"])


@pytest.mark.parametrize("change", ["gone", "rewritten"])
def test_the_next_files_replace_those_that_vanish(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    names = [f"{number:02}.md" for number in range(30)]
    asked: list[tuple[str, dict[str, Any]]] = [
        ("search_files", {"pattern": "zebra", "max_results": 5}),
        ("search", {"pattern": "zebra"}),
        ("grep", {"pattern": "zebra", "max_results": 5}),
    ]
    for tool, arguments in asked:
        vault = make_vault(dict.fromkeys(names, "zebra\n"))
        with monkeypatch.context() as patched:
            setattr(Vanishing(patched, vault.path), change, names[1:4])
            text, details = ask(vault, tool, arguments)
        shown = [names[0], *names[4:]][: 20 if tool == "search" else 5]
        if tool == "grep":
            assert [match["path"] for match in details["matches"]] == shown
            assert details["total_matches"] == 27
            assert "[Showing 5 of 27 matching lines." in text
        elif tool == "search":
            assert (details["files"], details["total_files"], details["next_skip"]) == (shown, 27, 20)
            assert "Showing files 1-20 of 27. Use skip=20 " in text
            following = ask(vault, tool, {**arguments, "skip": 20})[1]
            assert [*shown, *following["files"]] == [names[0], *names[4:]]
        else:
            assert [file["path"] for file in details["files"]] == shown
            assert text.startswith("Found 27 matching files:")
            assert "[Showing 5 of 27 matching files." in text


@pytest.mark.parametrize("tool", ["search_files", "search"])
def test_what_is_behind_files_that_vanished_is_found_though_counting_stopped_at_them(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    names = [f"{number:03}.md" for number in range(150)]
    vault = make_vault(dict.fromkeys(names, "zebra\n"))
    Vanishing(monkeypatch, vault.path).gone = names[:130]
    _, details = ask(vault, tool, {"pattern": "zebra"})
    assert (details["total_files"], details["complete"]) == (20, True)


@given(
    first=st.sets(st.integers(0, 39), max_size=40),
    second=st.sets(st.integers(0, 39), max_size=40),
    turn=st.integers(0, 4),
    most=st.integers(1, 40),
    filtered=st.booleans(),
    tool=st.sampled_from(["search_files", "search", "grep"]),
)
def test_the_numbers_lie_between_what_was_counted_and_what_is_left(
    tmp_path_factory: pytest.TempPathFactory,
    first: set[int],
    second: set[int],
    turn: int,
    most: int,
    filtered: bool,
    tool: str,
) -> None:
    folder, now = tmp_path_factory.mktemp("vanishing"), time.time_ns
    names = [f"{number:02}.md" for number in range(40)]
    write_files(folder, {name: TAGGED if number % 3 else "zebra\n" for number, name in enumerate(names)})
    arguments: dict[str, Any] = {"pattern": "zebra"}
    arguments |= {} if tool == "search" else {"max_results": most}
    filtered = filtered and tool == "search_files"
    arguments |= {"tags": ["keep"]} if filtered else {}
    with pytest.MonkeyPatch.context() as patched, Vault.open(folder) as vault:
        patched.setattr(time, "time_ns", lambda: now() + HOUR)  # else the vault was made while it is asked
        vanishing = Vanishing(patched, folder)
        vanishing.left, vanishing.gone = turn, [names[number] for number in first]
        vanishing.rewritten = [names[number] for number in second]
        _, details = ask(vault, tool, arguments)
        happened = vanishing.left < 0
    wanted = {number for number in range(40) if number % 3 or not filtered}
    left = wanted - (first | second if happened else set())
    total = details["total_matches" if tool == "grep" else "total_files"]
    shown = len(details["matches" if tool == "grep" else "files"])
    assert len(left) <= total <= len(wanted)
    assert shown == min(20 if tool == "search" else most, total)
    assert details["complete"]

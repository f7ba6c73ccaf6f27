"""`grep`: one line a match, counts, bounds, refusals."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.conftest import MakeVault
from tests.tools.conftest import posix_only
from vaulttools import Vault
from vaulttools.core import limits
from vaulttools.resources.urls import Virtual
from vaulttools.tools import grep
from vaulttools.tools.grep import GrepMatch

NOTHING = "No matches found"


def text_of(vault: Vault, pattern: str, **arguments: Any) -> str:
    """The text of an answer or a refusal."""
    return vault.call("grep", {"pattern": pattern, **arguments}).text


# Text, exactly


def test_a_matching_line_is_file_line_and_text(make_vault: MakeVault) -> None:
    vault = make_vault({"b/c d.md": "x\n  hit one  \nhit two", "a.md": "hit\n", "z.txt": "x hit\r\n"})
    assert text_of(vault, "hit") == "a.md:1: hit\nb/c d.md:2:   hit one\nb/c d.md:3: hit two\nz.txt:1: x hit"
    assert vault.grep("hit", "b").matches == [
        GrepMatch(path="b/c d.md", line=2, text="  hit one  "),
        GrepMatch(path="b/c d.md", line=3, text="hit two"),
    ]


def test_context_has_dashes_and_groups_are_separated(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "1\n2\nhit\n4\n5\n6\nhit\n\nhit\n10\n", "b.md": "hit\n"})
    assert text_of(vault, "hit", context_lines=1) == (
        "a.md-2- 2\na.md:3: hit\na.md-4- 4\n"
        "--\n"
        "a.md-6- 6\na.md:7: hit\na.md-8-\na.md:9: hit\na.md-10- 10\n"
        "--\n"
        "b.md:1: hit"
    )
    assert text_of(vault, "hit", context_lines=2, path="a.md").count("--\n") == 0
    assert text_of(vault, "hit") == "a.md:3: hit\na.md:7: hit\na.md:9: hit\nb.md:1: hit"


def test_several_hits_on_one_line_count_once_and_lines_across_count_each(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit hit\nfoo\r\nbar\n\n"})
    assert text_of(vault, "hit") == "a.md:1: hit hit"
    assert text_of(vault, "^$") == "a.md:4:"
    assert text_of(vault, r"foo\nbar") == "a.md:2: foo\na.md:3: bar"
    assert vault.grep("foo\nbar").total_matches == 2


def test_byte_order_marks_are_no_part_of_the_first_line(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            "8.md": b"\xef\xbb\xbfhit\n",
            "16.md": "hit\n".encode("utf-16"),
            "two.md": "\ufeffhit\n".encode("utf-16"),
            "be.md": b"\xfe\xff" + "\ufeffhit\n".encode("utf-16-be"),
        }
    )
    answer = vault.grep("^hit$")
    assert answer.text == "16.md:1: hit\n8.md:1: hit\nbe.md:1: hit\ntwo.md:1: hit"
    assert answer.complete


@posix_only
def test_a_line_is_one_line_whatever_the_file_or_the_text_is_called(make_vault: MakeVault) -> None:
    vault = make_vault({"a\nb.md": "hit\x1b[2K\u2028x\u202e\n"})
    assert text_of(vault, "hit") == "a\\nb.md:1: hit\\x1b[2K\\u{2028}x\\u{202e}"
    assert vault.grep("hit").matches == [GrepMatch(path="a\nb.md", line=1, text="hit\x1b[2K\u2028x\u202e")]


def test_a_long_line_is_cut_in_the_text_and_whole_in_the_details(make_vault: MakeVault) -> None:
    line = "x" * 600 + "hit" + "y" * 600
    answer = make_vault({"a.md": line}).grep("hit")
    assert answer.text == f"a.md:1: …{'x' * 80}hit{'y' * 429}…"
    assert answer.matches[0].text == line


# Where


FILES = {"a.md": "hit\n", "b/c.md": "hit\n", "b/c.txt": "hit\n", "b/d/e.md": "hit\n", ".h.md": "hit\n"}


@pytest.mark.parametrize(
    ("arguments", "files"),
    [
        ({}, [".h.md", "a.md", "b/c.md", "b/c.txt", "b/d/e.md"]),
        ({"path": None}, [".h.md", "a.md", "b/c.md", "b/c.txt", "b/d/e.md"]),
        ({"path": "."}, [".h.md", "a.md", "b/c.md", "b/c.txt", "b/d/e.md"]),
        ({"path": "/"}, [".h.md", "a.md", "b/c.md", "b/c.txt", "b/d/e.md"]),
        ({"path": "b"}, ["b/c.md", "b/c.txt", "b/d/e.md"]),
        ({"path": "b/c.txt"}, ["b/c.txt"]),
        ({"glob": "*.md"}, [".h.md", "a.md", "b/c.md", "b/d/e.md"]),
        ({"glob": "b/*.md"}, ["b/c.md"]),
        ({"glob": "c.{md,txt}"}, ["b/c.md", "b/c.txt"]),
        ({"path": "b", "glob": "*.md"}, ["b/c.md", "b/d/e.md"]),
        ({"path": "b/d", "glob": "b/*.md"}, []),
        ({"path": "b/c.md", "glob": "*.txt"}, []),
        ({"path": "b/c.md", "glob": "*.md"}, ["b/c.md"]),
        ({"glob": "*.MD"}, []),
        ({"path": "[[e]]"}, ["b/d/e.md"]),
        ({"path": "obsidian://open?vault=vault&file=b/c.md"}, ["b/c.md"]),
    ],
)
def test_path_and_glob_limit_the_files(make_vault: MakeVault, arguments: dict[str, Any], files: list[str]) -> None:
    assert [match.path for match in make_vault(FILES).grep("hit", **arguments).matches] == files


@posix_only
def test_a_literal_name_wins_over_its_reading_as_a_glob(make_vault: MakeVault) -> None:
    vault = make_vault({"[ab]/p.md": "hit\n", "a/p.md": "hit\n", "test:1-2": "hit\n", "test": "hit\n"})
    assert text_of(vault, "hit", path="[ab]/p.md") == text_of(vault, "hit", glob="[ab]/p.md") == "[ab]/p.md:1: hit"
    assert text_of(vault, "hit", path="[ab]") == "[ab]/p.md:1: hit"
    text = f"{NOTHING}\n\n[glob selected no file to search.]"
    assert text_of(vault, "hit", path="a", glob="[ab]/p.md") == text
    assert text_of(vault, "hit", path="test:1-2") == "test:1-2:1: hit"


@posix_only
def test_a_fifo_is_passed_over(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit\n"})
    os.mkfifo(vault.path / "p.fifo")
    assert text_of(vault, "hit", path="p.fifo") == f"{NOTHING}\n\n[Passed over: 1 that is not a regular file (p.fifo).]"
    assert text_of(vault, "hit") == "a.md:1: hit"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"pattern": " "}, "Pattern must not be empty"),
        ({"pattern": "[[x"}, r"Invalid regex: [[x: unclosed character class. To find it literally use \[\[x"),
        ({"path": "gone"}, "Path not found: gone"),
        ({"path": "*.md"}, "path must be a file or folder, got *.md; search takes globs and parts of files"),
        ({"path": "a.md:1-2"}, "path must be a file or folder, got a.md:1-2; search takes globs and parts of files"),
        ({"path": "[[a#Head]]"}, "path must be a file or folder, got [[a#Head]]; search takes globs and parts of f"),
        ({"path": "mail://x"}, "path must be a file or folder, got mail://x; search takes globs and parts of files"),
        ({"path": "../x"}, "Path is outside the vault: ../x"),
        ({"path": ".obsidian/app.json"}, "Access denied: '.obsidian/' is a protected folder"),
        ({"path": ["a.md", "b"]}, 'path must be a text, got ["a.md", "b"]'),
        ({"glob": "*.{md"}, "Invalid glob pattern: *.{md: unclosed brace, { without }; \\{ is the sign itself"),
        ({"glob": "../*"}, "Path is outside the vault: ../*"),
        ({"context_lines": 21}, "context_lines must be a whole number from 0 to 20, got 21"),
        ({"context_lines": -1}, "context_lines must be a whole number from 0 to 20, got -1"),
        ({"max_results": 0}, "max_results must be a whole number from 1 to 10,000, got 0"),
        ({"max_results": 10_001}, "max_results must be a whole number from 1 to 10,000, got 10001"),
        (
            {"paths": "a.md"},
            "unknown argument 'paths'; give path=\"a.md\" instead; accepted are: pattern, path, glob, context_lines",
        ),
    ],
)
def test_a_wrong_argument_is_refused_in_one_sentence(
    make_vault: MakeVault, arguments: dict[str, Any], sentence: str
) -> None:
    vault = make_vault({"a.md": "# Head\nhit\n", ".obsidian/app.json": "{}"})
    vault.register_resolver("mail", lambda url: [Virtual(url, "hit")])
    result = vault.call("grep", {"pattern": "hit", **arguments})
    assert result.is_error
    assert result.text.startswith(sentence)


# Counts and bounds


def test_fifty_matching_lines_are_shown_and_all_are_counted(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit\n" * 30, "b.md": "hit\n" * 40, "c.md": "hit\n"})
    answer = vault.grep("hit")
    assert [(match.path, match.line) for match in answer.matches][28:32] == [
        ("a.md", 29),
        ("a.md", 30),
        ("b.md", 1),
        ("b.md", 2),
    ]
    notice = "Showing 50 of 71 matching lines. Raise max_results or narrow pattern, path or glob."
    assert (len(answer.matches), answer.total_matches, answer.truncated) == (50, 71, True)
    assert answer.notices == [notice]
    assert answer.text.endswith(f"\nb.md:20: hit\n\n[{notice}]")
    whole = vault.grep("hit", max_results=71)
    assert (len(whole.matches), whole.total_matches, whole.truncated, whole.notices) == (71, 71, False, [])


def test_context_ends_before_a_match_that_is_not_shown(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit\n2\nhit\n4\n"})
    assert text_of(vault, "hit", context_lines=2, max_results=1).split("\n\n")[0] == "a.md:1: hit\na.md-2- 2"


@pytest.mark.parametrize(("lines", "exact"), [(10_000, True), (10_001, False), (25_000, False)])
def test_fault_C20_the_total_is_exact_up_to_ten_thousand_matching_lines(
    make_vault: MakeVault, lines: int, exact: bool
) -> None:
    vault = make_vault({"a.md": "hit\n" * (lines - 3_000), "b.md": "hit\n" * 3_000, "c.md": "x\n"})
    answer = vault.grep("hit", max_results=1)
    assert (answer.total_matches, answer.total_is_exact) == (10_000, exact)
    of = "10,000" if exact else "more than 10,000"
    assert answer.text == (
        f"a.md:1: hit\n\n[Showing 1 of {of} matching lines. Raise max_results or narrow pattern, path or glob.]"
    )


def test_ten_thousand_matches_may_be_asked_for_and_the_text_stays_within_fifty_kib(make_vault: MakeVault) -> None:
    answer = make_vault({"a.md": "hit ü\n" * 6_000, "b.md": "hit\n" * 5_000}).grep("hit", max_results=10_000)
    assert (len(answer.matches), answer.total_is_exact, answer.truncated) == (10_000, False, True)
    assert answer.matches[-1] == GrepMatch(path="b.md", line=4_000, text="hit")
    assert len(answer.text.encode()) <= limits.TEXT_BYTES
    *_, cut, showing = answer.text.split("\n")
    assert cut.startswith("[Cut at 50 KiB: ")
    assert showing.startswith("[Showing 10,000 of more than 10,000 matching lines. ")


def test_a_text_that_was_cut_is_reported_as_truncated(make_vault: MakeVault) -> None:
    answer = make_vault({"a.md": f"hit {'x' * 500}\n" * 150}).grep("hit", max_results=150)
    assert (len(answer.matches), answer.total_matches, answer.truncated) == (150, 150, True)
    assert answer.text.endswith(" more lines. Narrow the pattern or the paths.]")


def test_the_details_hold_every_field(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit {}\nhit\n", "b.md": b"hit\x00", "c.md": "x"})
    result = vault.call("grep", {"pattern": "hit {}|hit", "max_results": 1})
    notices = [
        "The braces in 'hit {}|hit' were taken literally.",
        "Passed over: 1 binary (b.md).",
        "Showing 1 of 2 matching lines. Raise max_results or narrow pattern, path or glob.",
    ]
    assert result.details == {
        "complete": True,
        "searched": 2,
        "passed_over": [{"kind": "binary", "count": 1, "examples": ["b.md"]}],
        "notices": notices,
        "matches": [{"path": "a.md", "line": 1, "text": "hit {}", "page": None}],
        "total_matches": 2,
        "total_is_exact": True,
        "truncated": True,
    }
    assert result.text == "a.md:1: hit {}\n\n" + "\n".join(f"[{notice}]" for notice in notices)


def test_no_other_reading_is_compared_with_counts_that_stopped(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files behind those counted match as they are written, too."""
    monkeypatch.setattr(grep, "COUNTED_LINES", 3)
    vault = make_vault({"a.md": "Apple\n" * 5} | {f"b{number}.md": "Apple\n" for number in range(6)})
    notices = ["Showing 1 of more than 3 matching lines. Raise max_results or narrow pattern, path or glob."]
    assert vault.grep("Apple", max_results=1).notices == notices

"""`outline`: headings with lines and sizes, what is no heading, bounds, refusals."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import MakeVault
from vaulttools import Vault
from vaulttools.cli import main as cli
from vaulttools.core import limits
from vaulttools.tools.outline import OutlineHeading

PLAN = """\
---
tags: [a]
---
# Plan

Intro.

## Tasks

- one

### Open

later

## Risks
Damp.
"""


def test_headings_come_after_their_lines_and_before_their_size(make_vault: MakeVault) -> None:
    answer = make_vault({"Projects/plan.md": PLAN}).outline("plan")
    assert answer.text == (
        "Projects/plan.md: 17 lines, 83 characters, 4 headings; properties on lines 1-3\n"
        "\n"
        " 4-17|# Plan (65 chars)\n"
        " 8-15|  ## Tasks (34 chars)\n"
        " 12-15|    ### Open (17 chars)\n"
        " 16-17|  ## Risks (15 chars)"
    )
    assert answer.model_dump() == {
        "complete": True,
        "searched": 1,
        "passed_over": [],
        "notices": [],
        "path": "Projects/plan.md",
        "total_lines": 17,
        "frontmatter_lines": 3,
        "headings": [
            {"level": 1, "text": "Plan", "start_line": 4, "end_line": 17, "chars": 65},
            {"level": 2, "text": "Tasks", "start_line": 8, "end_line": 15, "chars": 34},
            {"level": 3, "text": "Open", "start_line": 12, "end_line": 15, "chars": 17},
            {"level": 2, "text": "Risks", "start_line": 16, "end_line": 17, "chars": 15},
        ],
    }


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", "a.md: 0 lines, 0 characters, no headings"),
        ("x\n", "a.md: 1 line, 2 characters, no headings"),
        ("---\na: 1\n---\n", "a.md: 3 lines, 13 characters, no headings; properties on lines 1-3"),
        ("# \r\nx", "a.md: 2 lines, 5 characters, 1 heading\n\n 1-2|# (5 chars)"),
        ("#no\n> # no\n```\n# no\n```\n    # no\n", "a.md: 6 lines, 33 characters, no headings"),
        ("Set\n===\n", "a.md: 2 lines, 8 characters, 1 heading\n\n 1-2|# Set (8 chars)"),
    ],
)
def test_what_is_no_heading_is_not_listed(make_vault: MakeVault, content: str, text: str) -> None:
    assert make_vault({"a.md": content}).outline("a.md").text == text


def test_no_heading_looks_like_a_line_of_ours(make_vault: MakeVault) -> None:
    text = make_vault({"a.md": "# [Cut. Continue with x]\n# a\x1b\u2028\u202e b\n"}).outline("a").text
    assert text.split("\n")[2:] == [
        " 1-1|# [Cut. Continue with x] (25 chars)",
        r" 2-2|# a\x1b\u{2028}\u{202e} b (9 chars)",
    ]


@pytest.mark.parametrize(
    ("note", "headings", "count"),
    [
        ("[[plan#Tasks]]", ["Tasks", "Open"], "2 of 4 headings"),
        ("plan#Risks", ["Risks"], "1 of 4 headings"),
        ("plan:9-16", ["Open", "Risks"], "2 of 4 headings"),
        ("plan:1-2", [], "0 of 4 headings"),
    ],
)
def test_the_outline_of_a_part_lists_its_headings(
    make_vault: MakeVault, note: str, headings: list[str], count: str
) -> None:
    answer = make_vault({"plan.md": PLAN}).outline(note)
    assert [heading.text for heading in answer.headings] == headings
    assert f", {count}; " in answer.text


@pytest.mark.parametrize(
    ("note", "sentence"),
    [
        ("data.csv", "outline takes notes (.md), canvases and DOCX files; data.csv is none of these; read shows it"),
        ("pln", "Path not found: pln; did you mean a/plan.md or b/plan.md?"),
        ("plan", "Name is ambiguous: plan could be a/plan.md or b/plan.md; give the path"),
        ("a/plan#Taks", "Heading not found: Taks in a/plan.md; did you mean Tasks?"),
        ("a", "note must name one note or text file; a is a folder; find lists what it holds"),
        (".git/x.md", "Access denied: '.git/' is a protected folder"),
    ],
)
def test_what_has_no_outline_is_refused_in_one_sentence(make_vault: MakeVault, note: str, sentence: str) -> None:
    result = make_vault({"a/plan.md": PLAN, "b/plan.md": "x", "data.csv": "# a\n"}).call("outline", {"note": note})
    assert (result.is_error, result.text) == (True, sentence)


def test_pages_of_the_documentation_have_an_outline(make_vault: MakeVault) -> None:
    answer = make_vault({}).outline("vaulttools://docs/tools/outline")
    assert answer.headings[0].text == "`outline`"


def test_a_text_too_long_leaves_out_the_deepest_headings_and_says_so(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": ("# One\n" + "## Two\n### Three\n" * 10) * 150, "b.md": "# Only\n" * 4_000})
    answer = vault.outline("a")
    assert len(answer.headings) == 150 * 21
    assert answer.notices == [
        "1,500 headings are left out here. Name a section for those in it, as in [[Note#Heading]]."
    ]
    assert answer.text.count("|# One (") == 150 and answer.text.count("|  ## Two (") == 1500
    assert "### Three" not in answer.text
    assert answer.text.endswith(f"\n\n[{answer.notices[0]}]")
    only = vault.outline("b").text
    assert limits.TEXT_BYTES - 500 < len(only.encode()) <= limits.TEXT_BYTES


@given(st.lists(st.sampled_from(["# A", "## B", "#### D", "text", "", "- x"]), max_size=15))
def test_sections_hold_whole_lines_and_end_where_the_next_of_their_level_begins(lines: list[str]) -> None:
    with TemporaryDirectory() as folder:
        Path(folder, "a.md").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        with Vault.open(folder, index="off") as vault:
            found = vault.outline("a.md").headings
            expected = []
            for number, line in enumerate(lines, 1):
                level = len(line) - len(line.lstrip("#"))
                if not level:
                    continue
                above = (later for later in range(number + 1, len(lines) + 1) if _level(lines[later - 1]) <= level)
                end = next(above, len(lines) + 1) - 1
                chars = sum(len(each) + 1 for each in lines[number - 1 : end])
                expected.append(
                    OutlineHeading(level=level, text=line[level + 1 :], start_line=number, end_line=end, chars=chars)
                )
            assert found == expected
            for heading in found:
                read = vault.read("a.md", start_line=heading.start_line, end_line=heading.end_line)
                assert len(read.content) + 1 == heading.chars


def _level(line: str) -> int:
    return len(line) - len(line.lstrip("#")) or 7


def test_the_exit_status_is_0_or_2(small_vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--vault", str(small_vault), "outline", "inbox"]) == 0
    assert cli.main(["--vault", str(small_vault), "outline", "Attachments/prices.csv"]) == 2
    assert capsys.readouterr().err == (
        "error: outline takes notes (.md), canvases and DOCX files; "
        "Attachments/prices.csv is none of these; read shows it\n"
    )

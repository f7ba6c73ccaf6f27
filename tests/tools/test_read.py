"""`read`: what a name means, which part is read, what is shown of it, and how it goes on."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.conftest import MakeVault
from tests.tools.conftest import posix_only
from vaulttools import Cancelled, Vault, VaultConfig
from vaulttools.cli import main as cli
from vaulttools.core import limits
from vaulttools.errors import AmbiguousName, PathNotFound
from vaulttools.tools.read.several import shares

PLAN = """\
---
tags: [a]
---
# Plan

Intro.

## Tasks

- [ ] one
- [ ] two ^two

### Open: now?

later

## Risks

> Damp.

^damp

## Tasks

again
"""
FILES = {
    "Projects/plan.md": PLAN,
    "Projects/Amara Okafor.md": "",
    "Archive/report.md": "x\n",
    "Daily/report.md": "y\n",
    "C# notes.md": "sharp\n",
    "50% off.md": "percent\n",
    "data.csv": "a,b\n1,2\n",
    "folder.md": "the note\n",
    "folder/x.md": "in it\n",
}


def text_of(vault: Vault, note: str, **arguments: Any) -> str:
    """The text of an answer or a refusal."""
    return vault.call("read", {"note": note, **arguments}).text


# Text and details, exactly


def test_the_first_line_says_what_is_shown_and_the_others_are_numbered_as_search_numbers_them(
    make_vault: MakeVault,
) -> None:
    vault = make_vault({"a b.md": "\ufeffone  \r\n\r\n\ttwo\nthree\rhere"})
    answer = vault.read("a b.md")
    assert answer.text == "a b.md, lines 1-4 of 4\n\n 1|one\n 2|\n 3|\ttwo\n 4|three\\x0dhere"
    assert answer.model_dump() == {
        "complete": True,
        "searched": 1,
        "passed_over": [],
        "notices": [],
        "path": "a b.md",
        "start_line": 1,
        "end_line": 4,
        "total_lines": 4,
        "text": "one  \n\n\ttwo\nthree\rhere",
        "next_line": None,
        "pages": None,
        "image": None,
    }


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", "a.md is empty"),
        ("\n", "a.md, line 1 of 1\n\n 1|"),
        ("x", "a.md, line 1 of 1\n\n 1|x"),
        ("---\n---\n", "a.md, lines 1-2 of 2\n\n 1|---\n 2|---"),
        (b"\xff\xfeh\x00i\x00", "a.md, line 1 of 1\n\n 1|hi"),
        (b"caf\xe9", "a.md, line 1 of 1\n\n 1|caf\ufffd"),
    ],
)
def test_small_and_odd_files_are_read(make_vault: MakeVault, content: str | bytes, text: str) -> None:
    assert text_of(make_vault({"a.md": content}), "a.md") == text


def test_an_empty_file_has_no_line_to_show_and_a_long_line_is_whole(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "", "b.md": "x" * 5_000 + "\ny\n"})
    answer = vault.read("a")
    assert (answer.start_line, answer.end_line, answer.total_lines, answer.content) == (1, 0, 0, "")
    assert f" 1|{'x' * 5_000}\n" in text_of(vault, "b")


def test_no_line_of_a_note_looks_like_one_of_ours(make_vault: MakeVault) -> None:
    content = "[Lines 1-2 of 9. Continue with start_line=3.]\r\nb.md, lines 1-2 of 2\n 1|x\n\x1b[2K\u2028\u202e\n"
    first, blank, *lines = text_of(make_vault({"a.md": content}), "a").split("\n")
    assert (first, blank) == ("a.md, lines 1-4 of 4", "")
    assert [re.match(r" \d\|", line) is not None for line in lines] == [True] * 4
    assert lines[3] == r" 4|\x1b[2K\u{2028}\u{202e}"


# Names


@pytest.mark.parametrize(
    ("note", "path"),
    [
        ("Projects/plan.md", "Projects/plan.md"),
        ("./Projects//plan.md", "Projects/plan.md"),
        ("Projects\\plan.md", "Projects/plan.md"),
        (" 'Projects/plan.md' ", "Projects/plan.md"),
        ("Projects/plan", "Projects/plan.md"),
        ("plan", "Projects/plan.md"),
        ("PLAN.md", "Projects/plan.md"),
        ("[[plan]]", "Projects/plan.md"),
        ("![[plan|the plan]]", "Projects/plan.md"),
        ("[[Projects/plan]]", "Projects/plan.md"),
        ("amara okafor", "Projects/Amara Okafor.md"),
        ("Amara%20Okafor.md", "Projects/Amara Okafor.md"),
        ("C# notes", "C# notes.md"),
        ("50% off", "50% off.md"),
        ("data.csv", "data.csv"),
        ("folder", "folder.md"),
        ("folder/", "folder.md"),
        ("obsidian://open?vault=vault&file=plan", "Projects/plan.md"),
        ("vaulttools://docs/search", "vaulttools://docs/tools/search"),
    ],
)
def test_a_note_goes_by_its_path_or_its_name(make_vault: MakeVault, note: str, path: str) -> None:
    assert make_vault(FILES).read(note).path == path


def test_an_absolute_path_and_a_name_at_the_root_are_taken(make_vault: MakeVault) -> None:
    vault = make_vault({**FILES, "plan.md": "root"})
    assert vault.read(f"{vault.path}/data.csv").content == "a,b\n1,2"
    assert vault.read("plan").content == "root"


def test_a_member_of_an_archive_is_read(make_vault: MakeVault) -> None:
    vault = make_vault({})
    with zipfile.ZipFile(vault.path / "n.zip", "w") as archive:
        archive.writestr("a/b.md", "# B\ntext\n")
    assert text_of(vault, "n.zip:a/b.md:2-") == "n.zip:a/b.md, line 2 of 2\n\n 2|text"
    assert text_of(vault, "n.zip:c.md") == "Cannot read n.zip:c.md: Archive file 'c.md' not found"
    assert text_of(vault, "n.zip") == "Cannot read n.zip: binary"


def test_a_name_that_several_notes_have_is_refused_with_their_paths(make_vault: MakeVault) -> None:
    vault = make_vault(FILES)
    for note in ("report", "[[report]]", "REPORT.md", "[[report#H]]"):
        with pytest.raises(AmbiguousName) as refusal:
            vault.read(note)
        assert refusal.value.candidates == ("Daily/report.md", "Archive/report.md")
        assert str(refusal.value) == (
            f"Name is ambiguous: {note} could be Daily/report.md or Archive/report.md; give the path"
        )
    assert vault.read("Daily/report").path == "Daily/report.md"
    assert text_of(make_vault({f"{number}/a.md": "" for number in range(8)}), "a") == (
        "Name is ambiguous: a could be 0/a.md, 1/a.md, 2/a.md, 3/a.md, 4/a.md or 3 others; give the path"
    )
    assert text_of(vault, "vaulttools://docs").startswith(
        "Name is ambiguous: vaulttools://docs could be vaulttools://docs/README, "
    )


@pytest.mark.parametrize(
    ("note", "close"),
    [
        ("plann", ["Projects/plan.md"]),
        ("Projcts/plan.md", ["Projects/plan.md"]),
        ("[[Amara Okafr#Tasks]]", ["Projects/Amara Okafor.md"]),
        ("okafr", ["Projects/Amara Okafor.md"]),
        ("Âmära", ["Projects/Amara Okafor.md"]),
        ("plan2:10-20", ["Projects/plan.md"]),
        ("data.cvs", ["data.csv"]),
        ("reprt", ["Archive/report.md", "Daily/report.md"]),
        ("something else altogether", []),
        ("[[broken", []),
        ("obsidian://open?file=nowhere", []),
    ],
)
def test_a_misspelt_name_is_refused_with_names_that_are_close(
    make_vault: MakeVault, note: str, close: list[str]
) -> None:
    with pytest.raises(PathNotFound) as refusal:
        make_vault(FILES).read(note)
    assert list(refusal.value.close) == close
    meant = f"; did you mean {' or '.join(close)}?" if close else ""
    assert str(refusal.value) == f"Path not found: {note}{meant}"


def test_protected_hidden_and_excluded_notes_are_never_suggested(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            ".obsidian/app.json": '{"userIgnoreFilters": ["Old/"]}',
            ".obsidian/garden.md": "x",
            ".trash/garden.md": "x",
            ".garden.md": "x",
            "Old/garden.md": "x",
            "New/gardens.md": "x",
        }
    )
    assert text_of(vault, "gardn") == "Path not found: gardn; did you mean New/gardens.md?"
    assert vault.read("[[garden]]").path == "Old/garden.md"
    assert vault.read(".garden.md").path == ".garden.md"


@pytest.mark.parametrize(
    ("note", "sentence"),
    [
        ("", "note is empty: give a path or a name, as in Projects/plan.md or [[plan]]"),
        (" '' ", "note is empty: give a path or a name, as in Projects/plan.md or [[plan]]"),
        ("Daily", "note must name one note or text file; Daily is a folder; find lists what it holds"),
        ("/", "note must name one note or text file; . is a folder; find lists what it holds"),
        ("[[#Tasks]]", "[[#Tasks]] names a part of its own note; name the note too: [[Note#…]]"),
        ("[[plan#Tasks]]:1-2", "[[plan#Tasks]]:1-2 names its lines twice; give the part of the note or :N-M, not both"),
        ("plan:1-2,4-5", "read takes one range of lines, got plan:1-2,4-5; search takes several"),
        ("plan:5-2", "Invalid range 5-2: end must be >= start."),
        ("binary.md", "Cannot read binary.md: binary"),
        ("large.md", "Cannot read large.md: too large"),
        ("../x.md", "Path is outside the vault: ../x.md"),
        (".obsidian/app.json", "Access denied: '.obsidian/' is a protected folder"),
        ("mail://x", "Unknown URL scheme: mail://x; known are obsidian://, vaulttools://"),
    ],
)
def test_what_is_no_readable_text_is_refused_in_one_sentence(make_vault: MakeVault, note: str, sentence: str) -> None:
    vault = make_vault({**FILES, "binary.md": b"a\0b", "large.md": "x" * 101})
    with Vault.open(vault.path, config=VaultConfig(max_file_size=100 if note == "large.md" else 10_000)) as opened:
        result = opened.call("read", {"note": note})
    assert (result.is_error, result.text) == (True, sentence)


@posix_only
def test_an_unreadable_file_is_refused(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "x"})
    (vault.path / "link.md").symlink_to("a.md")
    assert vault.read("link.md").content == "x"
    (vault.path / "a.md").unlink()
    assert text_of(vault, "link.md") == "note must name one note or text file; link.md is not a regular file"


@posix_only
def test_odd_names_are_shown_escaped_and_accepted_back(make_vault: MakeVault) -> None:
    vault = make_vault({"a\nb\u202e.md": "x\n", "d/n\nm.md": "1", "e/n\nm.md": "2"})
    shown = "a\\nb\\u{202e}.md"
    assert text_of(vault, "a\nb\u202e.md") == text_of(vault, shown) == f"{shown}, line 1 of 1\n\n 1|x"
    assert text_of(vault, "n\nm") == "Name is ambiguous: n\\nm could be d/n\\nm.md or e/n\\nm.md; give the path"


# Parts


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({}, (1, 25)),
        ({"start_line": 24}, (24, 25)),
        ({"end_line": 2}, (1, 2)),
        ({"start_line": 4, "end_line": 4}, (4, 4)),
        ({"start_line": "4", "end_line": 99}, (4, 25)),
        ({"frontmatter": True}, (1, 3)),
        ({"frontmatter": "true", "heading": "", "block": " ", "start_line": None}, (1, 3)),
        ({"heading": "Risks"}, (17, 22)),
        ({"heading": " risks "}, (17, 22)),
        ({"heading": "## Risks"}, (17, 22)),
        ({"heading": "Tasks#open: NOW?"}, (13, 16)),
        ({"heading": "Plan > Tasks > Open: now?"}, (13, 16)),
        ({"heading": ["Plan", "Tasks"]}, (8, 16)),
        ({"heading": '["Tasks", "Open now"]'}, (13, 16)),
        ({"block": "two"}, (11, 11)),
        ({"block": "^TWO"}, (11, 11)),
        ({"block": "#^damp"}, (19, 19)),
        ({"note": "[[plan#Risks]]"}, (17, 22)),
        ({"note": "plan#Risks"}, (17, 22)),
        ({"note": "Projects/plan.md#Tasks#Open: now?"}, (13, 16)),
        ({"note": "[[plan#^two]]"}, (11, 11)),
        ({"note": "[[plan^two]]"}, (11, 11)),
        ({"note": "plan^two"}, (11, 11)),
        ({"note": "[[plan]]:4-8"}, (4, 8)),
        ({"note": "plan:4-8"}, (4, 8)),
        ({"note": "Projects/plan.md:20-"}, (20, 25)),
        ({"note": "obsidian://open?file=plan%23Risks"}, (17, 22)),
        ({"note": "obsidian://open?file=plan%23%5Etwo"}, (11, 11)),
    ],
)
def test_a_part_is_named_by_lines_heading_block_or_frontmatter_or_in_the_name(
    make_vault: MakeVault, arguments: dict[str, Any], lines: tuple[int, int]
) -> None:
    answer = make_vault(FILES).call("read", {"note": "plan", **arguments}).details
    assert (answer["start_line"], answer["end_line"]) == lines
    assert answer["text"] == "\n".join(PLAN.split("\n")[lines[0] - 1 : lines[1]])
    assert (answer["total_lines"], answer["next_line"]) == (25, None)


@pytest.mark.parametrize(
    ("note", "arguments", "first"),
    [
        ("plan", {"heading": "Open: now?"}, "Projects/plan.md, section Plan > Tasks > Open: now?, lines 13-16 of 25"),
        ("plan", {"block": "TWO"}, "Projects/plan.md, block ^two, line 11 of 25"),
        ("plan", {"frontmatter": True}, "Projects/plan.md, properties, lines 1-3 of 25"),
        ("[[plan#Risks]]", {}, "Projects/plan.md, section Plan > Risks, lines 17-22 of 25"),
        ("plan", {"start_line": 9, "end_line": 10}, "Projects/plan.md, lines 9-10 of 25"),
    ],
)
def test_the_first_line_names_the_part(make_vault: MakeVault, note: str, arguments: dict[str, Any], first: str) -> None:
    assert text_of(make_vault(FILES), note, **arguments).split("\n")[0] == first


NAMED_PARTS = """\
# A
## Same
one
# B
## Same
two
# How large?
no
# How (very) large?
yes
# How very large
exact
# Blocks
A paragraph
of two lines. ^para

- item ^item
  - below
- last

^list

> quoted
> text

^quote

| a |
| - |
| b |

^table
"""


@pytest.mark.parametrize(
    ("note", "content"),
    [
        pytest.param("[[n#B#Same]]", "## Same\ntwo", id="rule-L05: through the heading above"),
        pytest.param("[[n#Same]]", "## Same\none", id="rule-L05: the first of a name"),
        pytest.param("[[n#How large]]", "# How large?\nno", id="rule-L05: without punctuation"),
        pytest.param("[[n#How (very) large]]", "# How (very) large?\nyes", id="rule-L05: with some of it"),
        pytest.param("[[n#How very large]]", "# How very large\nexact", id="rule-L05: exact before others"),
        pytest.param("[[n#^PARA]]", "A paragraph\nof two lines. ^para", id="rule-L06: in any case"),
        pytest.param("[[n#^item]]", "- item ^item\n  - below", id="rule-L07: an item"),
        pytest.param("[[n#^list]]", "- item ^item\n  - below\n- last", id="rule-L07: a list"),
        pytest.param("[[n#^quote]]", "> quoted\n> text", id="rule-L07: a quote"),
        pytest.param("[[n#^table]]", "| a |\n| - |\n| b |", id="rule-L07: a table"),
    ],
)
def test_rules_L05_to_L07_headings_and_blocks_are_found_as_obsidian_does(
    make_vault: MakeVault, note: str, content: str
) -> None:
    assert make_vault({"n.md": NAMED_PARTS}).read(note).content == content


def test_other_headings_of_the_same_name_are_reported(make_vault: MakeVault) -> None:
    first = make_vault({"n.md": NAMED_PARTS}).read("[[n#Same]]")
    assert first.notices == ["Another heading of this name is on line 5."]
    assert first.text.endswith("\n\n[Another heading of this name is on line 5.]")


@pytest.mark.parametrize(
    ("note", "arguments", "sentence"),
    [
        ("plan", {"heading": "Taks"}, "Heading not found: Taks in Projects/plan.md; did you mean Tasks?"),
        ("[[plan#Risk]]", {}, "Heading not found: Risk in Projects/plan.md; did you mean Risks?"),
        (
            "plan",
            {"heading": "Zzzz"},
            "Heading not found: Zzzz in Projects/plan.md; it has Plan, Tasks, Open: now?, Risks",
        ),
        ("data.csv", {"heading": "Zzzz"}, "Heading not found: Zzzz in data.csv; it has none"),
        ("plan", {"block": "twoo"}, "Block not found: ^twoo in Projects/plan.md; did you mean ^two?"),
        ("plan", {"block": "tw_o"}, "Block not found: ^tw_o in Projects/plan.md; did you mean ^two?"),
        ("plan", {"block": "zzz"}, "Block not found: ^zzz in Projects/plan.md; it has ^two, ^damp"),
        ("data.csv", {"frontmatter": True}, "data.csv has no properties at its top"),
        ("plan", {"start_line": 26}, "start_line 26 is past the end: Projects/plan.md has 25 lines"),
        ("amara okafor", {"start_line": 2}, "start_line 2 is past the end: Projects/Amara Okafor.md is empty"),
        ("plan", {"start_line": 5, "end_line": 4}, "end_line 4 is before start_line 5"),
        ("plan", {"start_line": 0}, "start_line must be a whole number, 1 or more, got 0"),
        ("plan", {"max_chars": 0}, "max_chars must be a whole number from 1 to 50,000, got 0"),
        ("plan", {"max_chars": 50_001}, "max_chars must be a whole number from 1 to 50,000, got 50001"),
        (
            "plan",
            {"end_line": 5, "block": "two", "heading": "Risks"},
            "start_line/end_line and heading and block cannot be used together; "
            "give one of start_line/end_line, start_page/end_page, heading, block, frontmatter",
        ),
        (
            "[[plan#Risks]]",
            {"start_line": 5},
            "[[plan#Risks]] names a part already; leave out start_line/end_line, or name the whole text",
        ),
        (
            "plan",
            {"lines": "1-2"},
            "unknown argument 'lines'; accepted are: note, notes, start_line, end_line, start_page, end_page, heading, "
            "block, frontmatter, max_chars",
        ),
    ],
)
def test_a_part_that_is_not_there_is_refused_in_one_sentence(
    make_vault: MakeVault, note: str, arguments: dict[str, Any], sentence: str
) -> None:
    result = make_vault(FILES).call("read", {"note": note, **arguments})
    assert (result.is_error, result.text) == (True, sentence)


def test_faulty_properties_are_reported_where_they_are_read(make_vault: MakeVault) -> None:
    vault = make_vault({"n.md": "---\na: 1\na: 2\n---\nbody\n"})
    assert vault.read("n").notices == []
    answer = vault.read("n", frontmatter=True)
    assert answer.notices == ["frontmatter line 3: a name appears twice; the last value counts"]
    assert answer.text.endswith(f"\n\n[{answer.notices[0]}]")


# Cuts


@pytest.mark.parametrize(
    ("note", "arguments", "last"),
    [
        ("plan", {"max_chars": 20}, "[Lines 1-3 of 25. Continue with start_line=4.]"),
        ("plan", {"max_chars": 20, "start_line": 8}, "[Lines 8-10 of 8-25. Continue with start_line=11.]"),
        (
            "plan",
            {"max_chars": 20, "start_line": 8, "end_line": 15},
            "[Lines 8-10 of 8-15. Continue with start_line=11, end_line=15.]",
        ),
        (
            "plan",
            {"max_chars": 20, "heading": "Tasks"},
            "[Lines 8-10 of 8-16. Continue with start_line=11, end_line=16 instead of heading.]",
        ),
        (
            "plan",
            {"max_chars": 5, "frontmatter": True},
            "[Line 1 of 1-3. Continue with start_line=2, end_line=3 instead of frontmatter.]",
        ),
        (
            "[[plan#Tasks]]",
            {"max_chars": 20},
            '[Lines 8-10 of 8-16. Continue with note="Projects/plan.md", start_line=11, end_line=16.]',
        ),
    ],
)
def test_a_cut_names_the_call_that_goes_on(
    make_vault: MakeVault, note: str, arguments: dict[str, Any], last: str
) -> None:
    answer = make_vault(FILES).read(note, **arguments)
    assert answer.text.split("\n")[-1] == last
    assert answer.notices[-1] == last[1:-1]
    assert answer.next_line == answer.end_line + 1


def test_a_line_that_alone_is_too_long_is_cut_visibly_and_whole_in_the_details(make_vault: MakeVault) -> None:
    answer = make_vault({"a.md": f"{'x' * 600}\nnext\n"}).read("a", max_chars=500)
    assert answer.text == (
        f"a.md, line 1 of 2\n\n 1|{'x' * 500}…\n\n"
        "[Line 1 is cut after 500 of 600 characters; raise max_chars (at most 50,000), or search for a text in it.]\n"
        "[Line 1 of 2. Continue with start_line=2.]"
    )
    assert (answer.content, answer.next_line) == ("x" * 600, 2)
    vault = make_vault({"b.md": "12345\n789\n"})
    assert [vault.read("b", max_chars=characters).next_line for characters in (9, 8)] == [None, 2]


@pytest.mark.parametrize("character", ["x", "é", "日", "😀", "\u202e", "\x1b", "\U000e0041"])
def test_the_text_is_at_most_50_kib_whatever_it_holds(make_vault: MakeVault, character: str) -> None:
    vault = make_vault({"line.md": character * 60_000, "lines.md": f"{character * 90}\n" * 900})
    for note in ("line", "lines"):
        answer = vault.read(note, max_chars=50_000)
        size = len(answer.text.encode())
        assert limits.TEXT_BYTES - 2_000 < size <= limits.TEXT_BYTES or (character == "x" and size > 49_000)
        assert answer.notices


contents = st.lists(st.sampled_from(["", "x", "two words  ", "é日😀", "y" * 40, "\u202e", "a\rb"]), max_size=12)


@given(lines=contents, end=st.sampled_from(["", "\n", "\r\n"]), characters=st.integers(1, 60))
@example(lines=["y" * 40, "", "y" * 40], end="\n", characters=1)
def test_the_pages_put_together_are_the_lines_of_the_file(lines: list[str], end: str, characters: int) -> None:
    with TemporaryDirectory() as folder:
        text = (end or "\n").join(lines) + end
        Path(folder, "a.md").write_bytes(text.encode())
        with Vault.open(folder, index="off") as vault:
            total = vault.read("a.md").total_lines
            read: list[str] = []
            numbers: list[int] = []
            following: int | None = 1
            while following is not None:
                page = vault.read("a.md", start_line=following, max_chars=characters)
                read += page.content.split("\n") if page.total_lines else []
                numbers += map(int, re.findall(r"^ (\d+)\|", page.text, re.MULTILINE))
                assert page.next_line is None or page.next_line > following
                following = page.next_line
            found = vault.search(".|^$", "a.md")
    expected = text.replace("\r\n", "\n").split("\n")
    assert read == (expected if expected[-1] else expected[:-1])
    assert numbers == list(range(1, total + 1))
    assert [int(number) for number in re.findall(r"^\*(\d+)\|", found.text, re.MULTILINE)] == numbers


# Faces


def test_the_exit_status_is_0_or_2(small_vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--vault", str(small_vault), "read", "inbox", "--end-line", "1"]) == 0
    assert capsys.readouterr() == ("inbox.md, line 1 of 8\n\n 1|# Inbox\n", "")
    assert cli.main(["--vault", str(small_vault), "read", "inbx"]) == 2
    assert capsys.readouterr() == ("", "error: Path not found: inbx; did you mean inbox.md?\n")


def test_a_cancelled_call_is_not_answered(make_vault: MakeVault) -> None:
    cancel = Event()
    cancel.set()
    with pytest.raises(Cancelled):
        make_vault(FILES).read("plan", cancel=cancel)


SEVERAL = {
    "a.md": "---\nstatus: active\ntags: [x, y|z]\n---\nshort\n",
    "b.md": "# B\n\n" + "\n".join(f"line {number} of b" for number in range(200)) + "\n\n## Part\n\nend ^end\n",
    "c.md": "---\nSTATUS: done\ndue: 2026-11-20\n---\n" + "\n".join(f"line {number} of c" for number in range(200)),
    ".obsidian/app.json": "{}",
}


def test_several_notes_share_the_characters_and_each_tells_how_to_read_on(make_vault: MakeVault) -> None:
    vault = make_vault(SEVERAL)
    answer = vault.read(notes=["a", "b", "c"], max_chars=400)
    shown = {note.path: note.content for note in answer.notes}
    assert shown["a.md"].endswith("short")
    assert 370 < sum(map(len, shown.values())) <= 400
    assert abs(len(shown["b.md"]) - len(shown["c.md"])) < 40
    assert answer.text.startswith("## a.md, lines 1-5 of 5\n\n 1|---\n 2|status: active\n")
    for note in answer.notes[1:]:
        assert f'[To read on: read {{"note": "{note.path}", "start_line": {note.next_line}}}]' in answer.text
        assert vault.read(note.path, start_line=note.next_line).start_line == note.end_line + 1
    assert answer.path is None and "path" not in answer.model_dump(mode="json")


def test_the_call_that_reads_on_ends_where_the_part_does(make_vault: MakeVault) -> None:
    answer = make_vault(SEVERAL).read(notes=["b.md:3-90", "c"], max_chars=600)
    first, second = answer.notes
    assert f'read {{"note": "b.md", "start_line": {first.next_line}, "end_line": 90}}]' in answer.text
    assert second.next_line is not None


def test_a_list_may_hold_what_a_note_may_be_called(make_vault: MakeVault) -> None:
    answer = make_vault(SEVERAL).read(notes=["b#Part", "[[b#^end]]", "b.md:3-4", "b.md:3-4", "a"])
    assert [(note.path, note.start_line, note.end_line) for note in answer.notes] == [
        ("b.md", 204, 206),
        ("b.md", 206, 206),
        ("b.md", 3, 4),
        ("a.md", 1, 5),
    ]


def test_the_properties_of_several_notes_are_a_table(make_vault: MakeVault) -> None:
    answer = make_vault(SEVERAL).read(notes=["a", "b", "c"], frontmatter=True)
    assert answer.text == (
        "| note | status | tags | due |\n"
        "| --- | --- | --- | --- |\n"
        "| a.md | active | x, y\\|z |  |\n"
        "| b.md |  |  |  |\n"
        "| c.md | done |  | 2026-11-20 |"
    )
    assert [note.properties for note in answer.notes] == [
        {"status": "active", "tags": ["x", "y|z"]},
        {},
        {"STATUS": "done", "due": "2026-11-20"},
    ]


def test_missing_notes_among_several_are_reported(make_vault: MakeVault, capsys: pytest.CaptureFixture[str]) -> None:
    vault = make_vault(SEVERAL)
    answer = vault.read(notes=["a", "nowhere", "b#Nothing"])
    assert not answer.complete and [note.path for note in answer.notes] == ["a.md"]
    missing = ["Path not found: nowhere", "Heading not found: Nothing in b.md; it has B, Part"]
    assert answer.notices == missing
    assert answer.text.endswith("\n\n" + "\n".join(f"[{sentence}]" for sentence in missing))
    vault_option = ["--vault", str(vault.path)]
    assert cli.main([*vault_option, "read", "a", "nowhere"]) == 0
    assert cli.main([*vault_option, "read", "neither", "nowhere"]) == 2
    assert capsys.readouterr().err == "error: Path not found: neither; Path not found: nowhere\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "note is required: a text; or notes, for several"),
        ({"notes": []}, "note is required: a text; or notes, for several"),
        ({"notes": [str(number) for number in range(21)]}, "notes takes at most 20 notes, got 21"),
        (
            {"notes": ["a", "b"], "heading": "Part"},
            "heading is for one note; with notes write plan#Heading, plan#^block or plan:3-9",
        ),
        ({"notes": ["a", ".obsidian/app.json"]}, "Access denied: '.obsidian/' is a protected folder"),
        ({"notes": ["a", "../out.md"]}, "Path is outside the vault: ../out.md"),
    ],
)
def test_bad_lists_of_notes_are_refused(make_vault: MakeVault, arguments: dict[str, Any], sentence: str) -> None:
    result = make_vault(SEVERAL).call("read", arguments)
    assert (result.is_error, result.text) == (True, sentence)


def test_several_notes_stay_within_the_bound(make_vault: MakeVault) -> None:
    files = {f"{'日' * 60}/{'é' * 60}/{number}.md": "日本語\x1b " * 3_000 + "\nx" for number in range(20)}
    files |= {f"long{number}.md": f"{'😀' * 9}\n" * 999 for number in range(3)}
    vault = make_vault(files)
    for notes in (list(files)[:20], [*list(files)[:17], "long0", "long1", "long2"]):
        answer = vault.read(notes=notes, max_chars=50_000)
        assert len(answer.notes) == 20
        assert 40_000 < len(answer.text.encode()) <= limits.TEXT_BYTES


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=20), st.integers(0, 50_000))
def test_what_one_does_not_need_goes_to_the_others(needs: list[int], room: int) -> None:
    found = shares(needs, room)
    assert all(share <= need for share, need in zip(found, needs, strict=True))
    assert sum(found) <= room
    short = [share for share, need in zip(found, needs, strict=True) if share < need]
    if short:
        assert room - sum(found) < len(needs)
        assert max(short) - min(short) <= 1
        assert all(share <= min(short) + 1 for share in found)
    else:
        assert found == needs


def test_details_say_when_a_note_was_written(make_vault: MakeVault) -> None:
    vault = make_vault({"2026-05-12.md": "a day", "log.md": "## 2026-06-01\nsun\n", "plan.md": "no date"})
    assert [vault.read(name).date for name in ("2026-05-12", "log", "plan")] == ["2026-05-12", "2026-06-01", None]
    assert [note.date for note in vault.read(notes=["log", "plan"]).notes] == ["2026-06-01", None]


def test_the_details_that_go_with_a_text_hold_the_lines_that_it_shows_whole(make_vault: MakeVault) -> None:
    paragraph = f"{'word ' * 400}end"
    vault = make_vault({"a.md": f"# A\n\n{paragraph}\n", "b.md": "x\n", "c.md": f"{'y' * 200_000}\n"})
    assert vault.call("read", {"note": "a"}, bounded=True).details["text"].split("\n")[2] == paragraph
    assert vault.call("read", {"notes": ["a", "b"]}, bounded=True).details["notes"][0]["text"].endswith(paragraph)
    assert len(vault.call("read", {"note": "c"}, bounded=True).details["text"]) < 51_000

"""A note: its breadcrumbs, parts, tags and properties, and the modules that reading them loads."""

from __future__ import annotations

import subprocess
import sys
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.notes.contents import Part
from vaulttools.notes.note import Note, breadcrumbs

TEXT = """\
---
title: A
---
before
# One
text
## Two
- [ ] task
  more
  - plain
  - [x] nested

```
# code
```
Three
===
%% comment
over lines %%
#### Deep
end
"""


def note(*property_lines: str) -> Note:
    return Note("n.md", "\n".join(["---", *property_lines, "---", "body", ""]))


@pytest.mark.parametrize(
    ("line", "trail"),
    [
        (1, ()),
        (2, ()),
        (4, ()),
        (5, ("One",)),
        (6, ("One",)),
        (7, ("One", "Two")),
        (14, ("One", "Two")),
        (16, ("Three",)),
        (17, ("Three",)),
        (20, ("Three", "Deep")),
        (21, ("Three", "Deep")),
    ],
)
def test_a_breadcrumb_names_the_headings_above_a_line_outermost_first(line: int, trail: tuple[str, ...]) -> None:
    assert Note("n.md", TEXT).breadcrumb(line) == trail


ODD_LINES = [
    "---", "----", " ---", "...", "===", "", " ", "foo", "# a", "## b", "date: [x, 1, null]", "- x", "  y",
    "    z",
    "```", "~~~", "> q", "> # c", "%%", "$$", "<div>", "<!--", "-->", "[a]: b", "| a |", "|---|", "- # d",
    "\t# e",
]  # fmt: skip


@given(lines=st.lists(st.sampled_from(ODD_LINES), min_size=1, max_size=9), data=st.data())
@settings(max_examples=500)
def test_breadcrumbs_of_some_lines_equal_those_of_the_whole_note(lines: list[str], data: st.DataObject) -> None:
    note = Note("n.md", "\n".join(lines))
    wanted = sorted(data.draw(st.sets(st.integers(1, len(lines)), min_size=1)))
    assert breadcrumbs(lines, wanted) == [note.breadcrumb(line) for line in wanted]


def test_properties_hold_no_headings_even_if_they_end_later() -> None:
    lines = ["---", "date: [x, 1, null]", " ---", "foo", "", "---"]
    assert breadcrumbs(lines, [4]) == [Note("n.md", "\n".join(lines)).breadcrumb(4)] == [()]


def test_a_breadcrumb_skips_missing_levels() -> None:
    climbing = Note("n.md", "### c\n# a\n### d\n## b\nx")
    assert [climbing.breadcrumb(line) for line in range(1, 6)] == [("c",), ("a",), ("a", "d"), ("a", "b"), ("a", "b")]


@pytest.mark.parametrize(
    ("part", "lines"),
    [
        ("anywhere", [*range(1, 22)]),
        ("frontmatter", [1, 2, 3]),
        ("body", [*range(4, 22)]),
        ("headings", [5, 7, 16, 17, 20]),
        ("code", [13, 14, 15]),
        ("tasks", [8, 9, 11]),
        ("comments", [18, 19]),
    ],
)
def test_each_part_of_a_note_has_its_lines(part: Part, lines: list[int]) -> None:
    found = Note("n.md", TEXT).lines_in(part)
    assert sorted(found) == lines
    assert [line for line in range(-1, 30) if line in found] == lines


@pytest.mark.parametrize("part", get_args(Part.__value__ if hasattr(Part, "__value__") else Part))
def test_an_empty_note_has_empty_parts(part: Part) -> None:
    assert not Note("n.md", "").lines_in(part)


def test_a_note_without_frontmatter_is_all_body() -> None:
    plain = Note("n.md", "a\nb")
    assert (list(plain.lines_in("body")), list(plain.lines_in("frontmatter"))) == ([1, 2], [])
    assert (plain.properties, plain.warnings, plain.tags, plain.body_line) == ({}, (), (), 1)


@pytest.mark.parametrize(
    ("lines", "name", "value", "answer"),
    [
        (["status: Draft"], "status", "draft", True),
        (["Status: draft"], "STATUS", "DRAFT", True),
        (["status: drafting"], "status", "draft", True),
        (["status: draft"], "status", "drafting", False),
        (["status: draft"], "state", "draft", False),
        (["people: [Ann Lee, Bob]"], "people", "lee", True),
        (["people: [Ann, Bob]"], "people", "ann, bob", False),
        (["n: 12"], "n", "12", True),
        (["n: 1.10"], "n", "1.10", True),
        (["n: 1.5"], "n", "1.5", True),
        (["done: true"], "done", "True", True),
        (["done: false"], "done", "false", True),
        (["d: 2024-01-05"], "d", "2024-01-05", True),
        (["d: 2024-01-05 10:30"], "d", "2024-01-05 10:30", True),
        (["m: {a: {b: deep}}"], "m", "deep", True),
        (["m: {a: {b: 1815}}"], "m", "1815", True),
        (["m: {a: {b: deep}}"], "m", "a", False),
        (["a: x", "A: y"], "a", "y", True),
        # null: the property exists and is empty
        (["a:"], "a", None, True),
        (["a: null"], "A", None, True),
        (["a: ''"], "a", None, False),
        (["a: []"], "a", None, False),
        (["a: [null]"], "a", None, False),
        (["b: 1"], "a", None, False),
        (["a:"], "a", "", False),
        (["a:"], "a", "null", False),
        (["a:"], "a", "false", False),
        (["a: ''"], "a", "", True),
    ],
)
def test_rule_S35_S36_S39_properties_are_matched(lines: list[str], name: str, value: str | None, answer: bool) -> None:
    assert note(*lines).has_property(name, value) is answer


@pytest.mark.parametrize(
    ("line", "aliases"),
    [
        ("aliases: [Doggo, Woofer]", ("Doggo", "Woofer")),
        ("aliases:\n  - Doggo\n  - Yapper, Woofer", ("Doggo", "Yapper, Woofer")),
        ("aliases: Doggo, Woofer", ("Doggo", "Woofer")),
        ("aliases: Doggo", ("Doggo",)),
        ("Aliases: [Doggo, Doggo]", ("Doggo",)),
        ("aliases: [2024, 1.10, true, null, '', ' a ']", ("2024", "1.10", "true", "a")),
        ("aliases: 2024", ("2024",)),
        ("aliases:", ()),
        ("aliases: []", ()),
        ("alias: Doggo", ()),
    ],
)
def test_rule_A01_a_note_has_its_aliases(line: str, aliases: tuple[str, ...]) -> None:
    assert Note("n.md", f"---\n{line}\n---\n").aliases == aliases


@pytest.mark.parametrize(
    ("path", "title"), [("a/b/Some note.md", "Some note"), ("v1.2 notes.md", "v1.2 notes"), (".hidden.md", ".hidden")]
)
def test_the_title_is_the_name_of_the_file(path: str, title: str) -> None:
    assert Note(path, "---\ntitle: no\n---\n# no\n").title == title


@pytest.mark.parametrize(
    ("chain", "line"),
    [
        (["A"], 1),
        (["a", "C"], 3),
        (["A", "d", "C"], 5),
        (["b", "c"], 3),
        (["C"], 3),
        (["  x   Y "], 6),
        (["B", "A"], None),
        (["B", "D"], None),
        (["A", "X y"], None),
        ([], None),
    ],
)
def test_rule_L05_a_chain_of_headings_leads_to_a_section(chain: list[str], line: int | None) -> None:
    found = Note("n.md", "# A\n## B\n### C\n## D\n### C\n# X y\n").section(chain)
    assert (found.line if found else None) == line


def test_rule_P10_a_broken_block_leaves_the_note_readable() -> None:
    broken = Note("n.md", "---\na: b: c\n---\n# H #t\n")
    assert broken.properties == {}
    assert broken.warnings == (
        "frontmatter line 2: not readable as properties: mapping values are not allowed in this context",
    )
    assert (broken.tags, broken.breadcrumb(4)) == (("t",), ("H #t",))


def test_properties_are_read_without_the_markdown_parser() -> None:
    program = (
        "import sys\n"
        "from vaulttools.notes.note import Note\n"
        "assert not {'yaml', 'frontmatter', 'markdown_it'} & set(sys.modules)\n"
        "note = Note('n.md', '---\\ntags: [a]\\n---\\n# b\\n')\n"
        "assert note.properties == {'tags': ['a']} and note.has_tag('a') and not note.has_property('b', None)\n"
        "assert list(note.lines_in('body')) == [4]\n"
        "assert 'markdown_it' not in sys.modules\n"
        "note.structure\n"
        "assert 'markdown_it' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@settings(max_examples=100)
@given(st.text(max_size=40), st.booleans())
def test_no_text_makes_a_note_raise(text: str, fenced: bool) -> None:
    made = Note("n.md", f"---\n{text}\n---\n{text}" if fenced else text)
    assert all(
        line <= made.line_count for part in ("headings", "code", "tasks", "comments") for line in made.lines_in(part)
    )
    assert isinstance(made.tags, tuple)
    assert isinstance(made.breadcrumb(1), tuple)
    assert not made.has_property("\0", None)

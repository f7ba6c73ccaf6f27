"""Blocks of math, `$$ … $$`: nothing in them is read, and all around them is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.notes.markdown.structure import parse
from vaulttools.notes.note import Note, breadcrumbs
from vaulttools.notes.parts import Structure


def kinds(found: Structure) -> list[tuple[str, int, int]]:
    return [(block.kind, block.start_line, block.end_line) for block in found.blocks]


def read(found: Structure) -> list[str]:
    """Headings, tags, links, tasks, ids and comments, in this order."""
    return [
        *(heading.text for heading in found.headings),
        *(tag.name for tag in found.tags),
        *(reference.target for reference in found.references),
        *(task.text for task in found.tasks),
        *(each.id for each in found.block_ids),
        *(f"%%{first}-{last}" for first, last in found.comments),
    ]


@pytest.mark.parametrize(
    ("body", "blocks"),
    [
        ("$$\nf(x)\n=\n1 + 2\n$$", [("math", 1, 5)]),
        ("$$\nx\n-\ny\n$$", [("math", 1, 5)]),
        ("$$\na\n# b\n$$", [("math", 1, 4)]),
        ("$$\na|b\n-|-\n$$", [("math", 1, 4)]),
        ("$$a|b\n-|-\n$$", [("math", 1, 3)]),
        ("$$\n[[1,2],[3,4]]\n\n[[5,6]] #t\n$$", [("math", 1, 5)]),
        ("$$\n- [ ] a [t](u)\n+ b\n> c\n<div>\n%% d\n[^1]: e\n```\n\n    f\n$$", [("math", 1, 11)]),
        ("text\n$$\n# a ^x\n$$\ntext", [("paragraph", 1, 1), ("math", 2, 4), ("paragraph", 5, 5)]),
        ("$$\\begin{a}\n\n# b\n\\end{a}$$", [("math", 1, 4)]),
        ("  $$\n  # a\n   $$  ", [("math", 1, 3)]),
        ("> [!note]\n> $$\n> a\n> =\n> # b #t\n>\n> - [ ] c\n> $$", [("quote", 1, 8)]),
        ("- a\n\n  $$\n  # b\n\n  - [ ] c #t\n  $$\n", [("list_item", 1, 7)]),
        ("- $$\n  # b\n  - [ ] c #t\n  $$", [("list_item", 1, 4)]),
        ("1. a\n\t$$\n\t[[b]]\n\n\t# c\n\t$$", [("list_item", 1, 6)]),
        ("- a\n$$\n- [ ] b\n\n# c\n$$", [("list_item", 1, 1), ("math", 2, 6)]),
        ("$$[[a]] #b$$", [("math", 1, 1)]),
        ("$$[[a]]$$\n---", [("math", 1, 1), ("thematic_break", 2, 2)]),
        ("$$$$", [("math", 1, 1)]),
        ("a $$ [[b]] $$ and $[[c]] #d$", [("paragraph", 1, 1)]),
    ],
)
def test_nothing_in_math_is_read(body: str, blocks: list[tuple[str, int, int]]) -> None:
    found = parse(body)
    assert (kinds(found), read(found)) == (blocks, [])


@pytest.mark.parametrize(
    ("body", "found"),
    [
        # no signs end it
        ("$$\na\n\n# b\n\n[[c]] #d", ["b", "d", "c"]),
        ("> $$\n> a\n\n# b\n\n> [[c]] $$", ["b", "c"]),
        ("- $$ a\n- [ ] [[c]] $$", ["c", "[[c]] $$"]),
        # the next signs cannot be its end
        ("$$\n\n# a\n\n$$x^2$$ [[b]]", ["a", "b"]),
        ("$$\n\n# a\n\nwrite `$$` here", ["a"]),
        # it begins no line, or lies in code
        ("a $$\n\n# b\n\n$$", ["b"]),
        ("\\$$\n# a\n\n$$", ["a"]),
        ("`$$`\n\n# a\n\n`$$`", ["a"]),
        ("```\n$$\n```\n# a\n```\n$$\n```", ["a"]),
        ("    $$\n\n# a\n\n    $$", ["a"]),
        # text after it
        ("$$\n[[a]]\n\n$$ where [[b]] #c", ["c", "b"]),
        ("$$\n#a\n[[b]] $$ [[c]]\n\n# d\n\n$$\n# e\n$$", ["d", "c"]),
        ("$$[[a]]$$ [[b]]", ["b"]),
        ("$$\n# a\n$$\n# b\n$$\n# c\n$$\n#d", ["b", "d"]),
    ],
)
def test_what_is_outside_math_is_read(body: str, found: list[str]) -> None:
    assert read(parse(body)) == found


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("$$\nb\n\nc ^no\n$$\n\n^x", (7, 1, 5)),
        ("$$\nb\n\n$$\n^x", (5, 1, 4)),
        ("$$b$$\n^x", (2, 1, 1)),
        ("a\n$$\nb\n$$\n\n^x", (6, 2, 4)),
        ("> $$\n> b\n> $$\n\n^x", (5, 1, 3)),
        ("- a\n  $$b$$\n  ^x", (3, 1, 3)),
        ("- a\n\n  $$\n  b\n\n  $$\n\n^x", (8, 1, 6)),
    ],
)
def test_an_id_after_math_names_all_of_it(body: str, named: tuple[int, int, int]) -> None:
    assert parse(body).block_ids == (("x", *named),)


def test_a_line_in_math_has_the_headings_above_the_math() -> None:
    lines = ["# A", "$$", "# b", "", "c", "", "$$", "d"]
    assert breadcrumbs(lines, [3, 5, 8]) == [("A",)] * 3
    assert [Note("", "\n".join(lines)).breadcrumb(line) for line in (3, 5, 8)] == [("A",)] * 3


READ = ["# h", "h\n===", "h\n---", "- [ ] task", "* item", "1. one", "> quote", "[[Link]]", "![[Embed]]", "[t](u.md)",
        "#tag", "a ^id", "^id", "|a|b|\n|-|-|\n|c|d|", "%% note %%", "text", "a [[b]] #d", "", "", "***"]  # fmt: skip
UNCLOSED = ["```", "~~~", "%%", "<div>", "<!-- x", "`", "    code", "$x", "x$", "a\\\\", "\\begin{a}", "-", "=", "[[a",
            "[^1]: n", "---", "- - [ ] b", ">> c", "[!note]"]  # fmt: skip
PREFIXES = {"": "", "> ": "> ", "- ": "  ", "> - ": ">   ", "1. a\n   ": "   ", "> [!note]\n> ": "> "}


def block(first: str, rest: str, lines: list[str], opening: str, closing: str) -> str:
    return "\n".join([first + opening, *(f"{rest}{line}".rstrip(" ") for line in lines), rest + closing])


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(READ), max_size=6),
    st.lists(st.sampled_from(READ + UNCLOSED), max_size=8),
    st.sampled_from([*PREFIXES]),
    st.lists(st.sampled_from(READ), max_size=6),
)
def test_math_hides_its_lines_and_nothing_else_as_a_code_block_does(
    before: list[str], held: list[str], first: str, after: list[str]
) -> None:
    rest = PREFIXES[first]
    lines = "\n".join(held).split("\n") if held else []
    math = block(first, rest, lines, "$$", "$$")
    code = block(first, rest, ["x"] * len(lines), "~~~~", "~~~~")
    found = parse("\n".join([*before, math, *after]))
    expected = parse("\n".join([*before, code, *after]))
    assert [each for each in kinds(found) if each[0] != "math"] == [e for e in kinds(expected) if e[0] != "code"]
    assert [each[1:] for each in kinds(found)] == [each[1:] for each in kinds(expected)]
    assert replace(found, blocks=(), code=()) == replace(expected, blocks=(), code=())

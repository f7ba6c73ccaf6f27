"""Structure of a body: headings, blocks, code, comments, tasks; depth (fault-C16), open fences (fault-C17), line ends
(fault-C07)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.notes.markdown.structure import parse
from vaulttools.notes.parts import Block, Heading, Structure, Task


def outline(body: str) -> list[tuple[int, str, int]]:
    return [(heading.level, heading.text, heading.line) for heading in parse(body).headings]


def kinds(body: str) -> list[tuple[str, int, int]]:
    return [(block.kind, block.start_line, block.end_line) for block in parse(body).blocks]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("# a\n## b\n###### c", [(1, "a", 1), (2, "b", 2), (6, "c", 3)]),
        ("   # a ##  ", [(1, "a", 1)]),
        ("a\n===\nb\n---", [(1, "a", 1), (2, "b", 3)]),
        ("a\nb\n===", [(1, "a b", 1)]),
        ("text\n# a", [(1, "a", 2)]),
        ("#", [(1, "", 1)]),
        ("#a", []),
        ("####### a", []),
        ("    # a", []),
        ("\\# a", []),
        ("```\n# a\n```", []),
        ("~~~~\n# a\n~~~\n# b\n", []),
        ("<h1>a</h1>", []),
        ("<div>\n# a\n</div>", []),
        ("> # a", []),
        ("> [!note] x\n> # a", []),
        ("- # a", []),
        ("- b\n  - c\n\n  # a", []),
        ("# *a* `b` [[c]]", [(1, "*a* `b` [[c]]", 1)]),
        ("# a\r\n\r\n## b\r\n", [(1, "a", 1), (2, "b", 3)]),
        ("\ufeff# a", [(1, "a", 1)]),
        ("\r# a\n\r\r\n# b", [(1, "b", 3)]),
    ],
)
def test_rule_F01_H01_headings_are_found(body: str, found: list[tuple[int, str, int]]) -> None:
    assert outline(body) == found


def test_a_section_ends_before_the_next_heading_of_its_level_or_above() -> None:
    body = "---\nx: 1\n---\n# a\ntext\n## b\n### c\n\n## d\ne\n=\nlast\n\n"
    assert parse(body, 4).headings == (
        Heading(1, "a", 4, 4, 9),
        Heading(2, "b", 6, 6, 8),
        Heading(3, "c", 7, 7, 8),
        Heading(2, "d", 9, 9, 9),
        Heading(1, "e", 10, 11, 13),
    )


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("a\nb\n\nc", [("paragraph", 1, 2), ("paragraph", 4, 4)]),
        ("- a\n  b\n- c\n", [("list_item", 1, 2), ("list_item", 3, 3)]),
        ("- a\n  - b\n    - c\n- d", [("list_item", n, n) for n in (1, 2, 3, 4)]),
        ("1. a\n\n   b\n\n2. c", [("list_item", 1, 3), ("list_item", 5, 5)]),
        ("- - a\n  - b", [("list_item", 1, 1), ("list_item", 2, 2)]),
        ("- a\n  - b\n\n  c", [("list_item", 1, 1), ("list_item", 2, 2), ("paragraph", 4, 4)]),
        ("- a\n  ```\n  b\n  ```\n  > c", [("list_item", 1, 5)]),
        ("> a\n> - b\nlazy\n\nc", [("quote", 1, 3), ("paragraph", 5, 5)]),
        ("> [!tip]- a\n> > [!note]\n> b", [("quote", 1, 3)]),
        ("> a [!tip]", [("quote", 1, 1)]),
        ("|a|b|\n|-|-|\n|c|d|\n\ne", [("table", 1, 3), ("paragraph", 5, 5)]),
        ("```\na\n\n```\nb", [("code", 1, 4), ("paragraph", 5, 5)]),
        ("a\n\n    b\n\n    c\n\nd", [("paragraph", 1, 1), ("code", 3, 5), ("paragraph", 7, 7)]),
        ("<div>\na\n</div>\n\nb", [("html", 1, 3), ("paragraph", 5, 5)]),
        ("a\n\n---\n***\n", [("paragraph", 1, 1), ("thematic_break", 3, 3), ("thematic_break", 4, 4)]),
        ("# a\nb\n===\n", [("heading", 1, 1), ("heading", 2, 3)]),
        ("[^1]: a\nb\n\n[c]: d", [("footnote", 1, 2), ("paragraph", 4, 4)]),
        ("[^1]: a\nb\n[^x]: c\n\nd [^1]: e", [("footnote", 1, 2), ("footnote", 3, 3), ("paragraph", 5, 5)]),
        ("", []),
        ("\n \n\t\n", []),
        # fault-C17: a rule at the top is no frontmatter
        ("---\n# a\n", [("thematic_break", 1, 1), ("heading", 2, 2)]),
    ],
)
def test_rule_X01_a_body_has_its_blocks(body: str, found: list[tuple[str, int, int]]) -> None:
    assert kinds(body) == found


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("a\n```py\nb\n```\nc", ((2, 4),)),
        ("````\n```\n````", ((1, 3),)),
        ("~~~\n```\n~~~", ((1, 3),)),
        ("```\na\n~~~\n", ((1, 3),)),
        ("> ```\n> a\n> ```\n\nb", ((1, 3),)),
        ("> ```\n> a\n\nb", ((1, 2),)),
        ("- a\n\n      b\n", ((3, 3),)),
        ("- a\n  ```\n  b\n  ```\n- c", ((2, 4),)),
        ("`a`", ()),
    ],
)
def test_rule_F01_lines_of_code_are_found(body: str, code: tuple[tuple[int, int], ...]) -> None:
    assert parse(body).code == code


def test_fault_C17_an_open_fence_runs_to_the_end() -> None:
    found = parse("# a\n```\n# b\n- [ ] c\n\n#d %%e%%\n")
    assert found == Structure(
        headings=(Heading(1, "a", 1, 1, 6),),
        blocks=(Block("heading", 1, 1), Block("code", 2, 6)),
        code=((2, 6),),
        comments=(),
        tasks=(),
        tags=(),
    )


@pytest.mark.parametrize(
    ("body", "comments"),
    [
        ("a %%b%% c", ((1, 1),)),
        ("%%a%% b %%c%%", ((1, 1), (1, 1))),
        ("%%\na\n\n# b\n%% c", ((1, 5),)),
        ("%% a\n%%", ((1, 2),)),
        ("> %% a\n> b %%", ((1, 2),)),
        ("a %% b\nc %% d", ((1, 2),)),
        ("a %% b\n\nc %% d", ()),
        ("a %% b", ()),
        ("a\n\n%% b\n\nc", ((3, 5),)),
        ("%%%%\na", ()),
        ("a %%% b %%% c", ()),
        ("`%%a%%`", ()),
        ("```\n%%a%%\n```", ()),
        ("%%\n```\n%%\n```\n%%", ((1, 5),)),
        ("%%\n<div>\n%%\n\na", ((1, 3),)),
        ("100\\%% a %%", ()),
        ("$$ %% $$ a", ()),
        ("|a %%b%%|c|\n|-|-|\n", ((1, 1),)),
    ],
)
def test_rule_M01_lines_of_comments_are_found(body: str, comments: tuple[tuple[int, int], ...]) -> None:
    assert parse(body).comments == comments


@pytest.mark.parametrize(
    ("body", "tasks"),
    [
        ("- [ ] a", [Task(" ", "a", 1, 1, 1)]),
        (
            "* [x] a\n+ [X] b\n1. [/] c\n2) [?] d",
            [Task("x", "a", 1, 1, 1), Task("X", "b", 2, 2, 2), Task("/", "c", 3, 3, 3), Task("?", "d", 4, 4, 4)],
        ),
        ("- [ ] a\n  b\n\n  c\n  - [x] d\n  - e\n", [Task(" ", "a", 1, 4, 6), Task("x", "d", 5, 5, 5)]),
        ("- a\n\t- [ ] b\n\t\t- [ ] c", [Task(" ", "b", 2, 2, 3), Task(" ", "c", 3, 3, 3)]),
        ("> - [ ] a\n>   b\n>\n> - [x] c", [Task(" ", "a", 1, 2, 2), Task("x", "c", 4, 4, 4)]),
        ("> [!todo]\n> - [ ] a", [Task(" ", "a", 2, 2, 2)]),
        (">- [ ] a", [Task(" ", "a", 1, 1, 1)]),
        ("- - [ ] a", [Task(" ", "a", 1, 1, 1)]),
        ("- [✓] a\n- [-]", [Task("✓", "a", 1, 1, 1), Task("-", "", 2, 2, 2)]),
        ("- [ ] a [x] b\r\n", [Task(" ", "a [x] b", 1, 1, 1)]),
        ("text\n- [ ] a", [Task(" ", "a", 2, 2, 2)]),
        ("- [ ]a", []),
        ("- [] a", []),
        ("- [xx] a", []),
        ("-[ ] a", []),
        ("[ ] a", []),
        ("- a [ ] b", []),
        ("- [x](y)", []),
        ("```\n- [ ] a\n```", []),
        ("- b\n  ```\n  - [ ] a\n  ```", []),
        ("b\n\n    - [ ] a", []),
    ],
)
def test_rule_D01_tasks_are_found(body: str, tasks: list[Task]) -> None:
    assert list(parse(body).tasks) == tasks


@pytest.mark.parametrize("depth", [1, 9, 10, 60, 64, 65, 200])
def test_fault_C16_deep_lists_lose_nothing(depth: int) -> None:
    items = [f"{'  ' * n}- [ ] t{n} #t{n}" for n in range(depth)]
    found = parse("\n".join([*items, "", "# End", "```", "- [ ] x", ""]))
    assert [task.line for task in found.tasks] == list(range(1, depth + 1))
    assert [tag.name for tag in found.tags] == [f"t{n}" for n in range(depth)]
    assert found.headings == (Heading(1, "End", depth + 2, depth + 2, depth + 4),)
    assert found.code == ((depth + 3, depth + 4),)
    assert len([block for block in found.blocks if block.kind == "list_item"]) == min(depth, 64)


@pytest.mark.parametrize("depth", [1, 8, 9, 60, 400])
def test_fault_C16_deep_quotes_lose_nothing(depth: int) -> None:
    found = parse("> " * depth + "- [ ] a #b\n" + "> " * depth + "%%c%%\n\n# End\n")
    assert [(task.text, task.line) for task in found.tasks] == [("a #b", 1)]
    assert [(tag.name, tag.line) for tag in found.tags] == [("b", 1)]
    assert found.comments == ((2, 2),)
    assert outline("> " * depth + "a\n\n# End\n") == [(1, "End", 3)]
    assert found.blocks == (Block("quote", 1, 2), Block("heading", 4, 4))


@pytest.mark.parametrize("character", ["\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\x00"])
def test_fault_C07_only_line_feeds_end_lines(character: str) -> None:
    found = parse(f"a{character}# b\n# c{character}d\n- [ ] e{character}- [ ] f\n")
    assert [(heading.line, heading.text) for heading in found.headings] == [(2, f"c{character}d")]
    assert [task.line for task in found.tasks] == [3]
    assert [tuple(block) for block in found.blocks] == [("paragraph", 1, 1), ("heading", 2, 2), ("list_item", 3, 3)]


LINES = st.lists(
    st.sampled_from(
        ["", "text", "# h", "## h #t", "- a", "  - b", "    - [ ] c", "1. [x] d", "> q", "> - [ ] e", ">> # f",
         "> [!n]", "```", "~~~~", "    code", "|a|b|", "|-|-|", "---", "===", "<div>", "<!-- x", "-->", "%%",
         "a %%b%% `c", "`", "[^1]: n", "[a]: b", "\t- [?] g", "\u2028", "\r.", "  ", "$$", "* * *", "- - - x", "#t/u"]
    ),
    max_size=25,
)  # fmt: skip


def check_invariants(body: str) -> None:
    found = parse(body)
    lines = body.replace("\r\n", "\n").split("\n")
    count = len(lines) - (not lines[-1])
    for start, end in [*found.code, *found.comments, *((block.start_line, block.end_line) for block in found.blocks)]:
        assert 1 <= start <= end <= max(count, 1)
    covered = [line for block in found.blocks for line in range(block.start_line, block.end_line + 1)]
    assert covered == sorted(set(covered))
    with_text = [number for number, line in enumerate(lines, 1) if line.strip(" \t>\ufeff")]
    assert set(with_text) <= set(covered)
    assert [heading.line for heading in found.headings] == sorted({heading.line for heading in found.headings})
    assert all(heading.line <= heading.last_line <= heading.end_line <= count for heading in found.headings)
    assert [task.line for task in found.tasks] == sorted({task.line for task in found.tasks})
    assert all(1 <= task.line <= task.end_line <= count for task in found.tasks)
    assert [tag.line for tag in found.tags] == sorted(tag.line for tag in found.tags)


@settings(max_examples=200)
@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_lines_are_ordered_and_in_the_file_and_each_text_is_in_one_block(
    lines: list[str], end: str, final: bool
) -> None:
    check_invariants(end.join(lines) + end * final)


@settings(max_examples=200)
@given(st.text(max_size=60) | st.text("#-*+>[] \t\n`~|%$<!1.)x\r", max_size=80))
def test_no_text_makes_the_parser_raise(body: str) -> None:
    check_invariants(body)


@settings(max_examples=100)
@given(LINES)
def test_windows_line_ends_change_nothing(lines: list[str]) -> None:
    assert parse("\n".join(lines)) == parse("\r\n".join(lines))


SIMPLE_TASK = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[.\](?:[ \t]|$)")
ALIKE = ["- [ ] a", "* [x] b", "  + [/] c", "1. [ ] d", "> 2) [x] e", "- f", "g [ ] h", "", "- [] i", "# j", "- [x]"]


@settings(max_examples=150)
@given(st.lists(st.sampled_from(ALIKE), max_size=15))
def test_outside_code_every_line_that_looks_like_a_task_is_one(lines: list[str]) -> None:
    found = [task.line for task in parse("\n".join(lines)).tasks]
    assert found == [number for number, line in enumerate(lines, 1) if SIMPLE_TASK.match(line)]


@pytest.mark.parametrize("levels", [1, 20, 21, 2_000])
def test_images_in_the_texts_of_images_are_links_to_twenty_levels(levels: int) -> None:
    found = parse("![" * levels + "](b.png)" * levels).references
    assert len(found) == min(levels, 20)
    assert sum(len(each.written) for each in found) <= 20 * 20 * 10

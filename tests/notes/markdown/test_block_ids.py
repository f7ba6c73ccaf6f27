"""The lines that an id names: rule-L06, rule-L07, rule-L08."""

from __future__ import annotations

import pytest

from vaulttools.notes.markdown.structure import parse
from vaulttools.notes.note import Note
from vaulttools.notes.parts import BlockId


def named(body: str) -> list[tuple[str, int, int, int]]:
    return [(found.id, *found[1:]) for found in parse(body).block_ids]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        # rule-L06: the form of an id
        ("a ^b-1", [("b-1", 1, 1, 1)]),
        ("a ^B2  ", [("B2", 1, 1, 1)]),
        ("a ^b\r\n", [("b", 1, 1, 1)]),
        ("a ^b_c", []),
        ("a ^é", []),
        ("a ^b.", []),
        ("a ^ b", []),
        ("a^b", []),
        ("a ^", []),
        # rule-L07: the block that an id names
        # at the end of a text
        ("a\nb ^x\n\nc", [("x", 2, 1, 2)]),
        ("a ^x\nb", []),
        ("a\n^x", [("x", 2, 1, 2)]),
        ("# H ^x\ntext", [("x", 1, 1, 1)]),
        ("- a ^x\n- b ^y", [("x", 1, 1, 1), ("y", 2, 2, 2)]),
        ("- a ^x\n  - b ^y\n- c", [("x", 1, 1, 2), ("y", 2, 2, 2)]),
        ("- a\n  b ^x\n\n  c", [("x", 2, 1, 4)]),
        ("- a\n\n  ^x\n- b", [("x", 3, 1, 3)]),
        ("- [ ] a ^x", [("x", 1, 1, 1)]),
        ("[^1]: a ^x", [("x", 1, 1, 1)]),
        # on its own
        ("- a\n- b\n\n^x\n\nc", [("x", 4, 1, 2)]),
        ("- a\n  - b\n\n^x", [("x", 4, 1, 2)]),
        ("1. a\n\n- b\n- c\n\n^x", [("x", 6, 3, 4)]),
        ("> a\n> b\n\n^x", [("x", 4, 1, 2)]),
        ("> [!tip]\n> b\n\n^x\n", [("x", 4, 1, 2)]),
        ("|a|\n|-|\n|b|\n\n^x", [("x", 5, 1, 3)]),
        ("|a|\n|-|\n|b|\n^x", [("x", 4, 1, 3)]),
        ("```\na\n```\n^x", [("x", 4, 1, 3)]),
        ("a\nb\n\n^x", [("x", 4, 1, 2)]),
        ("^x\n\na", []),
        # rule-L08: parts of quotes and tables have no names
        ("> a ^x\n>\n> b", [("x", 1, 1, 3)]),
        ("> a\n> ^x", [("x", 2, 1, 2)]),
        ("> a\n>\n> ^x", [("x", 3, 1, 3)]),
        ("> a\n^x", [("x", 2, 1, 2)]),
        ("> [!tip]\n> - a ^x\n> - b", [("x", 2, 1, 3)]),
        ("|a|b|\n|-|-|\n|c|d ^x", []),
    ],
)
def test_rules_L06_L07_L08_each_id_names_its_block(body: str, found: list[tuple[str, int, int, int]]) -> None:
    assert named(body) == found


@pytest.mark.parametrize(
    "body", ["`a ^x`", "```\na ^x\n```", "    a ^x", "<div>\na ^x\n</div>", "$$\na ^x\n$$", "%% a ^x %%"]
)
def test_there_is_no_id_in_code_math_html_and_comments(body: str) -> None:
    assert named(body) == []


def test_the_first_of_equal_ids_is_found_in_any_casing() -> None:
    note = Note("n.md", "---\nx: 1\n---\na ^Ab\n\nb ^aB\n")
    assert note.block("AB") == BlockId("Ab", 4, 4, 4)
    assert note.block("none") is None

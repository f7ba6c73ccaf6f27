"""A note's passages: where each begins and ends, and what is never torn apart."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.notes.note import Note
from vaulttools.notes.passages import LONGEST, cut, digest, split

FILLER = "Words of no interest stand here so that the section is a long one. " * 7

CASES = {
    "a short section is one passage": (
        "# Plans\n\nThere are two:\n\n- Standard\n- Plus\n\n## Prices\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        ["# Plans\n\nThere are two:\n\n- Standard\n- Plus", "## Prices\n\n| a | b |\n|---|---|\n| 1 | 2 |"],
    ),
    "without a heading each block is one": (
        "One paragraph\nof two lines.\n\nAnother.\n\n---\n\n> A quote.\n\n```sh\nls\n\nls\n```\n",
        ["One paragraph\nof two lines.", "Another.", "> A quote.", "```sh\nls\n\nls\n```"],
    ),
    "a list item has its children": (
        "- One\n  - child\n\n    more of it\n- Two\n  goes on\n\n1. Three\n   ```\n   code\n   ```\n   end\n",
        ["- One\n  - child\n\n    more of it", "- Two\n  goes on", "1. Three\n   ```\n   code\n   ```\n   end"],
    ),
    "a heading belongs to what follows it": (
        f"## Long\n\nFirst.\n\n{FILLER}\n",
        ["## Long\n\nFirst.", FILLER.strip()],
    ),
    "rows of a table": (
        f"## Long\n\n| Plan | Price |\n|---|---|\n| A | 1 |\n| B | 2 |\n\n{FILLER}\n",
        ["## Long", "| Plan | Price |\n|---|---|", "| A | 1 |", "| B | 2 |", FILLER.strip()],
    ),
    "a callout": ("> [!tip] Hint\n> Text.\n>\n> - item\n", ["> [!tip] Hint\n> Text.\n>\n> - item"]),
    "properties are none": ("---\ntags: [a]\n---\nText.\n", ["Text."]),
    "nothing": ("", []),
    "headings alone": ("# A\n## B\n", ["# A", "## B"]),
}


@pytest.mark.parametrize(("text", "passages"), CASES.values(), ids=CASES.keys())
def test_the_passages_of_a_note(text: str, passages: list[str]) -> None:
    assert [text[each.start : each.end] for each in split(Note("a.md", text))] == passages


def test_a_long_paragraph_is_split_at_the_ends_of_sentences() -> None:
    sentences = [f"Sentence {number} costs 1.5 of it, says Mr. Smith of the U.S. Army." for number in range(40)]
    text = "\n".join(sentences)
    passages = [text[each.start : each.end] for each in split(Note("a.md", text))]
    assert len(passages) > 3
    assert "\n".join(passages) == text
    assert all(len(each) <= LONGEST and each.endswith("Army.") for each in passages)


def test_a_row_names_its_header_and_a_passage_its_heading() -> None:
    text = f"Intro.\n\n# A\n\n{FILLER}\n\n## B\n\n{FILLER}\n\n| x |\n|---|\n| 1 |\n| 2 |\n"
    found = split(Note("a.md", text))
    assert [(each.heading, each.parent) for each in found] == [(-1, -1), (0, -1), (1, -1), (1, -1), (1, 3), (1, 3)]
    assert [(each.start_line, each.end_line) for each in found[-3:]] == [(11, 12), (13, 13), (14, 14)]


_LINES = """
|# Head|## Sub|- item|  - child|1. one|> quote|```|text of a paragraph. And more|---|%%|\t
"""
LINES = st.lists(
    st.sampled_from(
        [*_LINES.strip("\n").split("|"), "| a | b |", "|---|---|", "| 1 | 2 |", "word " * 200, "語。" * 400, "x" * 1500]
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(lines=LINES)
def test_passages_lie_in_order_and_hold_every_word_of_the_body(lines: list[str]) -> None:
    text = "\n".join(lines)
    note = Note("a.md", text)
    found = split(note)
    done = 0
    for number, each in enumerate(found):
        between = text[done : each.start]
        assert not any(sign.isalnum() for sign in between) or note.body_line > 1
        assert done <= each.start < each.end
        assert text[each.start : each.end].strip()
        assert each.start_line == text.count("\n", 0, each.start) + 1
        assert each.end_line == text.count("\n", 0, each.end) + 1
        assert -1 <= each.heading < len(note.headings)
        assert each.parent < number
        done = each.end
    if note.body_line == 1:
        assert not any(sign.isalnum() for sign in text[done:])


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        ("One sentence. And another one.", 20, "One sentence."),
        ("A line of words\nand another of them", 20, "A line of words"),
        ("only words without any sign", 17, "only words"),
        ("the number 1234567890", 15, "the number"),
        ("語" * 30, 10, "語" * 10),
        ("x1234567890", 6, "x12345"),
        ("(costs)=1234567890", 12, "(costs)="),
        ("It was Mr. A who came", 18, "It was Mr. A who"),
        ("short", 10, "short"),
    ],
)
def test_a_text_is_cut_where_it_is_least_missed(text: str, most: int, kept: str) -> None:
    assert text[: cut(text, most)].rstrip() == kept


def test_copies_have_the_same_digest_however_they_are_wrapped() -> None:
    assert digest("One  Text\nof two lines") == digest("one text of two\nlines")
    assert digest("one text") != digest("one other text")
    assert -(1 << 63) <= digest("one text") < 1 << 63

"""A note's passages: where each begins and ends, and what is never split."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.notes.note import Note
from vaulttools.notes.passages import (
    LONGEST,
    SHORT_NOTE,
    USUAL,
    cut,
    digest,
    folded,
    in_context,
    sentence_starts,
    split,
)
from vaulttools.notes.tasks import tasks


def said(subject: str, times: int) -> str:
    """A paragraph of sentences of about 40 characters, all about the same subject."""
    return " ".join([f"{subject} is what this sentence is about."] * times)


def rows(count: int) -> str:
    return "\n".join(f"| Plan {number} | {number} a month, with all that belongs to it |" for number in range(count))


LONG = said("Oak", 14)
"""A block that is long enough for a passage with a short block beside it."""

CASES = {
    "a short note is one passage, whatever it holds": (
        "# Plans\n\nThere are two:\n\n- Standard\n\n---\n\n## Prices\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> Quote.\n",
        ["# Plans\n\nThere are two:\n\n- Standard\n\n---\n\n## Prices\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> Quote."],
    ),
    "blocks under one heading go together up to the usual size": (
        f"# A\n\n{said('Ash', 5)}\n\n{said('Elm', 12)}\n\n{said('Yew', 9)}\n\n{said('Fir', 4)}\n",
        [f"# A\n\n{said('Ash', 5)}\n\n{said('Elm', 12)}", f"{said('Yew', 9)}\n\n{said('Fir', 4)}"],
    ),
    "a block that would be too much begins another passage": (
        f"# A\n\n{said('Ash', 9)}\n\n{said('Elm', 14)}\n\n{said('Yew', 9)}\n",
        [f"# A\n\n{said('Ash', 9)}", said("Elm", 14), said("Yew", 9)],
    ),
    "text under another heading begins another passage, however short": (
        f"# A\n\nOne.\n\n## B\n\nTwo.\n\n# C\n\n{LONG}\n\n{LONG}\n",
        ["# A\n\nOne.", "## B\n\nTwo.", f"# C\n\n{LONG}", LONG],
    ),
    "a heading without text goes with the one below it": (
        f"# A\n## B\n\n{LONG}\n\n{LONG}\n\n# C\n# D\n",
        [f"# A\n## B\n\n{LONG}", LONG, "# C\n# D"],
    ),
    "a colon goes with what it introduces": (
        f"{LONG}\n\nThere are two:\n\n- {said('Ash', 4)}\n- {said('Elm', 4)}\n\n{LONG}\n",
        [LONG, f"There are two:\n\n- {said('Ash', 4)}\n- {said('Elm', 4)}", LONG],
    ),
    "words that introduce go with what they introduce": (
        f"{LONG}\n\nAn order is written as follows\n\n```\norder 1\n```\n\n{LONG}\n",
        [LONG, "An order is written as follows\n\n```\norder 1\n```\n\n" + LONG],
    ),
    "a list item goes with its children": (
        f"- {LONG}\n  - child\n\n    more of it\n- Two\n  goes on\n\n  {LONG}\n\n1. {LONG}\n   ```\n   code\n   ```\n",
        [
            f"- {LONG}\n  - child\n\n    more of it",
            f"- Two\n  goes on\n\n  {LONG}",
            f"1. {LONG}\n   ```\n   code\n   ```",
        ],
    ),
    "a callout": (f"{LONG}\n\n> [!tip] Hint\n> {LONG}\n>\n> - item\n", [LONG, f"> [!tip] Hint\n> {LONG}\n>\n> - item"]),
    "a short table goes with the text above it": (
        f"{LONG}\n\n{LONG}\n\n# A\n\nText.\n\n| a |\n|---|\n| 1 |\n",
        [LONG, LONG, "# A\n\nText.\n\n| a |\n|---|\n| 1 |"],
    ),
    "the rows of a long table go together, apart from its header": (
        f"# Prices\n\nThey are:\n\n| Plan | Price |\n|---|---|\n{rows(25)}\n\nAll without tax.\n",
        [
            "# Prices\n\nThey are:\n\n| Plan | Price |\n|---|---|",
            "\n".join(rows(25).split("\n")[:9]),
            "\n".join(rows(25).split("\n")[9:18]),
            "\n".join(rows(25).split("\n")[18:]),
            "All without tax.",
        ],
    ),
    "link definitions are no passage": (f"{LONG}\n\n{LONG}\n\n[a]: http://e.org\n[b]: <x> 'Title'\n", [LONG, LONG]),
    "a footnote is a passage": (f"{LONG}\n\n{LONG}\n\n[^a]: A footnote.\n", [LONG, LONG, "[^a]: A footnote."]),
    "a table of contents is no passage": (
        f"- [One](#one)\n  - [Two](#two)\n- [[#Three]]\n\n# One\n\n{LONG}\n\n{LONG}\n",
        [f"# One\n\n{LONG}", LONG],
    ),
    "a numbered table of contents is no passage": (
        f"1. [One](#one)\n2. [Two](#two)\n\n# One\n\n{LONG}\n\n{LONG}\n",
        [f"# One\n\n{LONG}", LONG],
    ),
    "a row of links is no passage, a link or two are": (
        f"[[a]] | [b](b.md) | <http://c.org>\n\n# A\n\n{LONG}\n\n{LONG}\n\n"
        "# B\n\n[[a]] and\n[[b]], [[c]]\n\n# D\n\n[[a]] [[b]]\n",
        [f"# A\n\n{LONG}", LONG, "# B\n\n[[a]] and\n[[b]], [[c]]", "# D\n\n[[a]] [[b]]"],
    ),
    "a licence at the end is no passage": (
        f"{LONG}\n\n{LONG}\n\n---\n\n© 2020 Ada. Licensed under CC BY 4.0.\n",
        [LONG, LONG],
    ),
    "a licence elsewhere is a passage": (
        f"{LONG}\n\nLicensed under the MIT licence.\n\n{LONG}\n",
        [LONG, f"Licensed under the MIT licence.\n\n{LONG}"],
    ),
    "a licence alone is a passage": ("Licensed under the MIT licence.\n", ["Licensed under the MIT licence."]),
    "properties are no passage": ("---\ntags: [a]\n---\nText.\n", ["Text."]),
    "nothing": ("", []),
    "headings alone": ("# A\n## B\n", ["# A\n## B"]),
}


@pytest.mark.parametrize(("text", "passages"), CASES.values(), ids=CASES.keys())
def test_a_note_has_its_passages(text: str, passages: list[str]) -> None:
    assert [text[each.start : each.end] for each in split(Note("a.md", text))] == passages


@pytest.mark.parametrize("size", [SHORT_NOTE, SHORT_NOTE + 1])
def test_a_note_is_one_passage_up_to_a_maximum_of_characters(size: int) -> None:
    text = f"# A\n\n{'x' * 500}\n\n# B\n\n"
    text += "y" * (size - len(text) - 1) + "\n"
    assert len(text) == size
    assert len(split(Note("a.md", text))) == (1 if size == SHORT_NOTE else 2)


def test_a_long_paragraph_is_split_at_the_ends_of_sentences() -> None:
    sentences = [f"Sentence {number} costs 1.5 of it, says Mr. Smith of the U.S. Army." for number in range(40)]
    text = "\n".join(sentences)
    passages = [text[each.start : each.end] for each in split(Note("a.md", text))]
    assert len(passages) > 3
    assert "\n".join(passages) == text
    assert all(len(each) <= LONGEST and each.endswith("Army.") for each in passages)


def test_code_is_split_between_lines() -> None:
    lines = [f"call_{number}(). Then(x)" for number in range(90)]
    text = "\n".join(["```", *lines, "```"])
    passages = [text[each.start : each.end] for each in split(Note("a.md", text))]
    assert len(passages) > 2
    assert "\n".join(passages) == text


def test_a_row_names_its_header_and_a_passage_its_heading() -> None:
    text = f"Intro.\n\n# A\n\n{LONG}\n\n## B\n\n{LONG}\n\n| x | y |\n|---|---|\n{rows(20)}\n"
    found = split(Note("a.md", text))
    assert [(each.heading, each.parent) for each in found] == [
        *[(-1, -1), (0, -1), (1, -1)],
        *[(1, -1), (1, 3), (1, 3), (1, 3)],
    ]
    assert [(each.start_line, each.end_line) for each in found[-4:]] == [(11, 12), (13, 21), (22, 30), (31, 32)]


@pytest.mark.parametrize(
    "between",
    [
        "\n".join(f"- [Part {number}](#part-{number})" for number in range(60)),
        "\n" * 200,
        f"[a]: http://{'x' * 900}.org",
    ],
    ids=["contents", "blank lines", "link definition"],
)
def test_blocks_without_content_make_no_passage(between: str) -> None:
    text = f"# A\n\nFirst.\n\n{between}\n\nSecond.\n\n# B\n\n{LONG}\n\n{LONG}\n"
    found = [text[each.start : each.end] for each in split(Note("a.md", text))]
    assert not any("Part 30" in each or "http" in each for each in found)
    assert " ".join(" ".join(found).split()).startswith("# A First. Second. # B")


@pytest.mark.parametrize("apart", [1, 2, 3])
def test_a_passage_begins_and_ends_between_blocks(apart: int) -> None:
    blocks = [f"{said('Ash', 9)} {'a' * 57}", f"{said('Elm', 10)} {'e' * 57}", said("Yew", 19)]
    text = ("\n" + "\n" * apart).join(blocks)
    for each in split(Note("a.md", text)):
        assert text[each.start : each.end].split("\n" + "\n" * apart)[0] in blocks
        assert text[each.start : each.end].split("\n" + "\n" * apart)[-1] in blocks


OUTLINE = "---\nstatus: active\ntags: [a, b]\n---\n# Top\n\nFirst.\n\n## Sub\n\n### Deep\n\n## Other\n"


@pytest.mark.parametrize(
    ("under", "is_first", "expected"),
    [
        (-1, False, "Name\nText."),
        (-1, True, "Name\nstatus: active; tags: a, b\nText."),
        (0, False, "Name > Top\nText."),
        (2, False, "Name > Top > Sub > Deep\nText."),
        (3, True, "Name > Top > Other\nstatus: active; tags: a, b\nText."),
    ],
)
def test_a_passage_in_context_has_name_and_headings_and_the_first_also_properties(
    under: int, is_first: bool, expected: str
) -> None:
    assert in_context(Note("Folder/Name.md", OUTLINE), "Text.", under, is_first=is_first) == expected


_LINES = """
|# Head|## Sub|- item|  - child|1. one|> quote|```|text of a paragraph. And more|These are:|---|%%|\t
"""
SAYING = [*_LINES.strip("\n").split("|"), "| a | b |", "|---|---|", "| 1 | 2 |", "word " * 99, "語。" * 400, "x" * 1500]
LEFT_OUT = ["[x]: http://e.org", "- [One](#one)", "[[a]] [[b]] [[c]]"]
LINES = st.lists(
    st.one_of(
        st.sampled_from(SAYING),
        st.sampled_from(LEFT_OUT),
        st.builds(lambda count: "| cell of a row | and another one |\n" * count, st.integers(1, 20)),
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(lines=LINES)
def test_passages_are_in_order_and_hold_every_line_with_content(lines: list[str]) -> None:
    text = "\n".join(lines)
    note = Note("a.md", text)
    found = split(note)
    done = 0
    for number, each in enumerate(found):
        assert done <= each.start < each.end
        assert note.said.text[each.start : each.end].strip()
        assert each.start_line == text.count("\n", 0, each.start) + 1
        assert each.end_line == text.count("\n", 0, each.end) + 1
        assert -1 <= each.heading < len(note.headings)
        assert each.parent < number
        done = each.end
    ends = [0, *(each.end for each in found)]
    starts = [*(each.start for each in found), len(text)]
    between = "\n".join(note.said.text[end:start] for end, start in zip(ends, starts, strict=True))
    if note.body_line == 1:
        assert not any(sign.isalnum() for line in between.split("\n") if line not in LEFT_OUT for sign in line)


@settings(max_examples=150, deadline=None)
@given(lines=LINES)
def test_no_passage_exceeds_its_limit(lines: list[str]) -> None:
    text = "\n".join(lines)
    note = Note("a.md", text)
    tables = {
        line
        for each in note.structure.blocks
        if each.kind == "table"
        for line in range(each.start_line, each.end_line + 1)
    }
    found = split(note)
    for each in found:
        size = each.end - each.start
        own = set(range(each.start_line, each.end_line + 1))
        if len(found) == 1:
            assert size <= SHORT_NOTE or own & tables
        elif each.parent >= 0:
            assert size <= USUAL or each.start_line == each.end_line
        elif not own & tables:
            assert size <= LONGEST


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
def test_a_text_is_cut_at_the_best_place(text: str, most: int, kept: str) -> None:
    assert text[: cut(text, most)].rstrip() == kept


def test_copies_have_the_same_digest_however_they_are_wrapped() -> None:
    assert digest("One  Text\nof two lines") == digest("one text of two\nlines")
    assert digest("one text") != digest("one other text")
    assert -(1 << 63) <= digest("one text") < 1 << 63


@given(st.text() | st.text(st.characters(max_codepoint=127)) | st.text(" \n\x1cAb"))
def test_folding_a_text_joins_its_folded_words(text: str) -> None:
    assert folded(text) == " ".join(text.split()).casefold()


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("One. Two! Three", ["One. ", "Two! ", "Three"]),
        ("It costs 1.5, says Mr. Smith. Then\nmore", ["It costs 1.5, says Mr. Smith. ", "Then\n", "more"]),
        ("語語語。語語語。", ["語語語。", "語語語。"]),
        ("語。はい。", ["語。", "はい。"]),
        ("", [""]),
    ],
)
def test_each_sentence_or_line_begins_where_the_previous_one_ends(text: str, starts: list[str]) -> None:
    found = sentence_starts(text)
    assert [text[start:end] for start, end in zip(found, [*found[1:], len(text)], strict=True)] == starts


@pytest.mark.parametrize(
    "text",
    [
        "[" * 40_000,
        "![[" * 12_000,
        "[a](" * 12_000,
        "[[a|" * 10_000,
        "<http://" * 8_000,
        "Find me. " * 60_000,
        "# a\n" * 30_000,
    ],
    ids=lambda text: text[:8],
)
def test_a_note_is_split_in_time_that_grows_with_its_length(text: str) -> None:
    note = Note("a.md", text)
    start = time.process_time()
    split(note)
    assert time.process_time() - start < 3


def test_each_passage_knows_its_headings_in_time_that_does_not_grow_with_their_number() -> None:
    note = Note("a.md", "# Top\n" + "".join(f"## H{each}\n\ntext {each}\n\n" for each in range(20_000)))
    last = len(note.headings) - 1
    start = time.process_time()
    found = {in_context(note, "text", under, is_first=False) for under in range(last + 1)}
    assert time.process_time() - start < 3
    assert "a > Top > H19999\ntext" in found


def test_a_long_heading_is_repeated_in_part_by_what_is_below_it() -> None:
    note = Note("a.md", "# " + "long " * 20_000 + "\n\n" + "## b\n\ntext\n\n- [ ] task\n\n" * 200)
    assert len(in_context(note, "text", 200, is_first=False)) < 600
    assert max(len(part) for each in tasks(note) for part in each.heading) == 513

"""Where the terms of a question stand in a text, and which passage answers best."""

from __future__ import annotations

import pytest

from vaulttools.notes.note import Note
from vaulttools.ranked import question
from vaulttools.ranked.finder import LINES, Finder, Passage

TEXT = """\
---
tags: [boat]
---
# Boat

The pump is new.

## Repairs

- In May the float switch was jammed.
- In June the pump of the boat stopped, because a piece of rope
  had come into it.

| part | price |
|---|---|
| impeller | 12 |

A paragraph of many lines
which goes on
and on
until it comes
to the anchor
and the chain.
"""


def passage(asked: str, text: str = TEXT) -> Passage:
    terms = question.read(asked).terms
    return Finder(terms).passage(Note("a.md", text), [1.0] * len(terms))


@pytest.mark.parametrize(
    ("asked", "start", "end", "column"),
    [
        ("new pump", 6, 6, 4),
        ("why did the pump of the boat stop", 11, 12, 14),
        ("float switch", 10, 10, 13),
        ("impeller", 16, 16, 2),
        ("anchor chain", 22, 23, 7),
        ("repairs", 8, 8, 3),
        ("nothing of this", 6, 6, 0),
    ],
)
def test_the_passage_that_answers(asked: str, start: int, end: int, column: int) -> None:
    assert passage(asked) == Passage(start, end, column)


@pytest.mark.parametrize("text", ["", "\n", "---\na: b\n---", "---\na: b\n---\n\n\n", "one line", "| a |\n|---|\n"])
def test_a_passage_lies_in_the_note_whatever_it_holds(text: str) -> None:
    found = passage("word", text)
    assert 1 <= found.start_line <= found.end_line < found.start_line + LINES
    assert found.end_line <= text.count("\n") + 1


def test_the_column_counts_characters() -> None:
    assert passage("pump", "Überfällige Öl-pump").column == 15


def test_words_are_found_in_any_inflection_case_and_accents() -> None:
    terms = question.read("résumés RUNNING").terms
    places = Finder(terms).places(Note("a.md", "His resume: he runs."))
    assert [columns[0] for columns in places.found] == [[1], [3]]


def test_words_in_a_row_are_found_as_one_name() -> None:
    [term] = question.read("end-to-end").terms
    places = Finder([term]).places(Note("a.md", "end to start, end to end, EndToEnd"))
    assert places.found[0][0] == [3, 6]

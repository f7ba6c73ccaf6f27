"""Which passages of a note answer best."""

from __future__ import annotations

import pytest

from vaulttools.notes.note import Note
from vaulttools.ranked import question
from vaulttools.ranked.evidence import best, combined
from vaulttools.ranked.finder import Finder

FILLER = "Words of no interest stand here so that the section is a long one. " * 7
TEXT = f"""\
# Plans

Storage, and what else a plan is about.

{FILLER}

- Standard costs 5 a month.
- Plus costs 10 a month.

## Limits

{FILLER}

| Plan | Sites | Storage |
|---|---|---|
| Standard | 1 | 1 GB |
| Plus | 5 | 10 GB |

The limit of the Standard plan is raised
on request.
"""


def found(asked: str, text: str = TEXT, path: str = "Sync.md") -> list[str]:
    note, terms = Note(path, text), question.read(asked).terms
    finder = Finder(terms)
    passages = finder.passages(note)
    evidence = best(finder.places(note), passages, [1.0] * len(terms))
    return [text[passages.starts[e.number] :][: passages.lengths[e.number]] for e in evidence]


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("what does Plus cost a month", "- Plus costs 10 a month."),
        ("storage of the Standard plan", "| Standard | 1 | 1 GB |"),
        ("is the limit of Standard raised on request", "The limit of the Standard plan is raised\non request."),
        ("limits no interest", f"## Limits\n\n{FILLER.strip()}"),
    ],
)
def test_the_passage_that_answers_comes_first(asked: str, first: str) -> None:
    assert found(asked)[0] == first


def test_a_passage_that_holds_no_word_is_none() -> None:
    assert found("sync") == []


def test_of_equal_passages_the_first_comes_first() -> None:
    assert found("anchor", "The anchor.\n\nThe anchor.\n\nAn anchor.\n") == ["The anchor.", "The anchor.", "An anchor."]


def test_the_score_of_a_note_lies_between_nothing_and_one() -> None:
    assert combined(0.0, 0.0) == 0.001
    note, terms = (
        Note("a.md", "# Anchor chain\n\nThe anchor chain. The anchor chain.\n"),
        question.read("anchor chain").terms,
    )
    finder = Finder(terms)
    evidence = best(finder.places(note), finder.passages(note), [1.0, 1.0])
    assert 0.95 < combined(1.0, evidence[0].score) <= 1.0

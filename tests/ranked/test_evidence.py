"""The passages of a note that answer best."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.index.passages import Passages
from vaulttools.index.words import Places
from vaulttools.notes.note import Note
from vaulttools.ranked import evidence, question
from vaulttools.ranked.evidence import best, combined
from vaulttools.ranked.finder import Finder
from vaulttools.ranked.scoring import ALIASES, BODY, HEADINGS, PROPERTIES, TITLE
from vaulttools.ranked.weights import PASSAGE as WEIGHTS

FILLER = "Words of no interest stand here so that the section is a long one. " * 7
ROWS = "\n".join(f"| {'Nothing ' * 60}| {number} | none |" for number in range(2))
TEXT = f"""\
# Plans

Storage, and what else a plan is about.

{FILLER}

- Standard costs 5 a month. {FILLER}
- Plus costs 10 a month. {FILLER}

## Limits

{FILLER}

| Plan | Sites | Storage |
|---|---|---|
{ROWS}
| Standard | 1 | 1 GB |

{FILLER}

The limit of the Standard plan is raised
on request. {FILLER}

The limit of Plus is raised whenever you ask. {FILLER}

The limit of Plus is raised in May 2027. {FILLER}
"""


def path_of(levels: Sequence[int], heading: int) -> list[int]:
    """A heading and the headings above it, innermost first; empty for -1."""
    found: list[int] = []
    level = 7
    for each in range(heading, -1, -1):
        if levels[each] < level:
            level = levels[each]
            found.append(each)
    return found


@given(st.lists(st.integers(1, 9), max_size=12), st.dictionaries(st.integers(0, 11), st.integers(1, 15), max_size=6))
def test_the_terms_above_a_heading_are_those_of_its_path(levels: list[int], in_headings: dict[int, int]) -> None:
    above = [0] * len(levels)
    for heading in range(len(levels)):
        for each in path_of(levels, heading):
            above[heading] |= in_headings.get(each, 0)
    assert evidence.terms_above(in_headings, levels) == above


def found(asked: str, text: str = TEXT, path: str = "Sync.md") -> list[str]:
    note, terms = Note(path, text), question.read(asked).terms
    finder = Finder(terms)
    passages = finder.passages(note)
    asks_for_number = question.read(asked).asks_for_number
    evidence = best(finder.places(note), passages, [1.0] * len(terms), asks_for_number=asks_for_number)
    return [text[passages.starts[e.number] :][: passages.lengths[e.number]] for e in evidence]


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("what does Plus cost a month", f"- Plus costs 10 a month. {FILLER.strip()}"),
        ("storage and sites of the Standard plan", "| Standard | 1 | 1 GB |"),
        (
            "is the limit of Standard raised on request",
            f"The limit of the Standard plan is raised\non request. {FILLER.strip()}",
        ),
        ("on which date is the Plus limit raised", f"The limit of Plus is raised in May 2027. {FILLER.strip()}"),
        ("how many sites has the Standard limit", "| Standard | 1 | 1 GB |"),
        ("limits no interest", f"## Limits\n\n{FILLER.strip()}"),
    ],
)
def test_the_passage_that_answers_comes_first(asked: str, first: str) -> None:
    assert found(asked)[0] == first


def test_a_passage_without_a_word_of_the_question_is_no_evidence() -> None:
    assert found("sync") == []


def test_the_first_of_equal_passages_comes_first() -> None:
    same = [f"{each} anchor. {FILLER}".strip() for each in ("The", "The", "An")]
    assert found("anchor", "\n\n".join(same)) == same


def test_the_score_of_a_note_lies_between_zero_and_one() -> None:
    assert combined(0.0, 0.0) == 0.001
    note, terms = (
        Note("a.md", "# Anchor chain\n\nThe anchor chain. The anchor chain.\n"),
        question.read("anchor chain").terms,
    )
    finder = Finder(terms)
    evidence = best(finder.places(note), finder.passages(note), [1.0, 1.0])
    assert 0.95 < combined(1.0, evidence[0].score) <= 1.0


WORDS = 12
"""Words of the body, or of the headings, of a random note."""


@st.composite
def notes(draw: st.DrawFn) -> tuple[Places, Passages, list[float]]:
    """The places of words in a note of a few passages, some of them apart, and the weight of each word."""
    terms = draw(st.integers(1, 4))
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    gaps = [draw(st.integers(0, 1)) for _ in lengths]
    first_words = [sum(gaps[: number + 1]) + sum(lengths[:number]) for number in range(len(lengths))]
    levels = draw(st.lists(st.integers(1, 3), max_size=3))
    headings = sorted(draw(st.integers(-1, len(levels) - 1)) for _ in lengths)
    parents = [draw(st.integers(-1, number - 1)) for number in range(len(lengths))]
    places = st.lists(st.integers(0, WORDS), unique=True, max_size=5).map(sorted)
    of_headings = places if levels else st.just([])
    found = [[draw(places), draw(places), draw(places), draw(of_headings), draw(places)] for _ in range(terms)]
    rarities = [draw(st.sampled_from((0.5, 1.0, 2.25))) for _ in range(terms)]
    sizes = [length * 50 for length in lengths]
    starts = [0] * len(lengths)
    heading_words = [number * 3 for number in range(len(levels))]
    digits = draw(st.lists(st.integers(0, 1), min_size=len(lengths), max_size=len(lengths)))
    passages = Passages(
        first_words, lengths, starts, sizes, headings, parents, digits, starts, starts, levels, heading_words
    )
    return Places([WORDS] * 5, found), passages, rarities


def slowly(
    places: Places, passages: Passages, rarities: list[float], *, asks_for_number: bool
) -> list[tuple[int, float, frozenset[int]]]:
    """The same as `best`, computed passage by passage and term by term."""

    def holds(term: int, number: int) -> list[int]:
        return [place for place in places.found[term][BODY] if passages.at(place) == number]

    def counts(term: int, number: int) -> tuple[float, bool]:
        """The weight of a term in a passage, and whether the shown part of it holds the term."""
        columns, header = places.found[term], passages.parents[number]
        in_passage = holds(term, number)
        if in_passage:
            return 1 + WEIGHTS.again * (len(in_passage) > 1), True
        if header >= 0 and holds(term, header):
            return WEIGHTS.header, True
        above = path_of(passages.levels, passages.headings[number])
        if any(
            max(h for h, first in enumerate(passages.heading_words) if first <= p) in above for p in columns[HEADINGS]
        ):
            return WEIGHTS.heading, True
        if columns[TITLE] or columns[ALIASES] or columns[PROPERTIES]:
            return WEIGHTS.name, True
        same = [n for n in (number - 1, number + 1) if 0 <= n < len(passages.words)]
        same = [n for n in same if passages.headings[n] == passages.headings[number]]
        return WEIGHTS.beside * any(holds(term, other) for other in same), False

    found = []
    terms = range(len(rarities))
    for number, (first, size) in enumerate(zip(passages.first_words, passages.lengths, strict=True)):
        if not any(holds(term, number) for term in terms):
            continue
        score = sum(rarities[term] * counts(term, number)[0] for term in terms)
        for term in terms[:-1]:
            behind = places.found[term + 1][BODY]
            if any(place + 1 in behind or place + 2 in behind for place in holds(term, number)):
                score += WEIGHTS.row * min(rarities[term], rarities[term + 1])
        score *= 1 + WEIGHTS.early * WEIGHTS.early_words / (WEIGHTS.early_words + first)
        score *= 1 - WEIGHTS.length * size / (WEIGHTS.usual + size)
        score *= 1 + WEIGHTS.digit * (asks_for_number and passages.digits[number])
        score *= WEIGHTS.is_header if number in passages.parents else 1
        found.append((number, score / sum(rarities), frozenset(term for term in terms if counts(term, number)[1])))
    return sorted(found, key=lambda each: (-round(each[1], 9), each[0]))


@settings(max_examples=200)
@given(notes(), st.booleans())
def test_each_term_counts_by_the_best_place_where_a_reader_sees_it(
    note: tuple[Places, Passages, list[float]], asks_for_number: bool
) -> None:
    best_ones = best(*note, asks_for_number=asks_for_number)
    found = [(each.number, each.terms) for each in best_ones]
    wanted = slowly(*note, asks_for_number=asks_for_number)
    assert found == [(number, held) for number, _, held in wanted]
    assert [each.score for each in best_ones] == pytest.approx([score for _, score, _ in wanted])

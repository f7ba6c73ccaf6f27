"""Two lists of notes as one: words keep what they are sure of, meaning adds what they miss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.index import passages
from vaulttools.notes.note import Note
from vaulttools.ranked.evidence import Evidence
from vaulttools.ranked.finder import Finder
from vaulttools.ranked.meaning import fusion as module
from vaulttools.ranked.meaning.fusion import MOST, joined, nearest_notes, passages_of
from vaulttools.ranked.meaning.neighbours import Neighbour
from vaulttools.ranked.meaning.trust import OF_ANY_MODEL, Trust
from vaulttools.ranked.order import RankedNote
from vaulttools.ranked.ranking import Ranking


def near(**notes: float) -> list[Neighbour]:
    return [Neighbour(path, 0, similarity) for path, similarity in notes.items()]


def fused(
    by_words: Mapping[str, float], sure: int, found: Sequence[Neighbour], meaning: float = OF_ANY_MODEL.share
) -> list[str]:
    return module.fused(by_words, sure, nearest_notes(found), meaning)


def test_without_neighbours_the_order_is_that_of_words() -> None:
    assert fused({"b": 0.9, "a": 0.9, "c": 0.2}, 1, []) == ["b", "a", "c"]


def test_what_words_are_sure_of_keeps_its_place() -> None:
    assert fused({"b": 0.9, "a": 0.2, "c": 0.2}, 2, near(d=0.9, c=0.8, a=0.1)) == ["b", "a", "d", "c"]


def test_a_note_in_both_lists_goes_before_those_in_one() -> None:
    assert fused({"a": 0.9, "b": 0.8}, 0, near(c=0.9, b=0.8)) == ["b", "a", "c"]


def test_what_only_meaning_finds_follows() -> None:
    assert fused({}, 0, near(c=0.5, b=0.9, a=0.5)) == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("meaning", "expected"), [(0.2, ["a", "b", "c"]), (0.5, ["b", "a", "c"]), (0.9, ["c", "b", "a"])]
)
def test_how_much_better_a_note_is_counts_not_its_place_alone(meaning: float, expected: list[str]) -> None:
    # Of the best by words `b` is worth 9 tenths and `c` a tenth; by meaning `b` is worth 8 of 10, and `a` half.
    assert fused({"a": 1.0, "b": 0.9, "c": 0.1}, 0, near(c=0.8, b=0.64, a=0.4), meaning) == expected


def test_several_near_passages_count_more_than_one() -> None:
    found = nearest_notes([Neighbour("a", 0, 0.5), Neighbour("b", 0, 0.45), Neighbour("b", 3, 0.4)])
    assert list(found.items()) == [("b", 0.57), ("a", 0.5)]


def test_the_best_passages_of_both_lists_come_first_and_are_worth_the_same() -> None:
    by_words = [Evidence(4, 0.6, frozenset({0})), Evidence(2, 0.5, frozenset({1})), Evidence(7, 0.4, frozenset({1}))]
    found = passages_of(by_words, [Neighbour("n", 9, 0.7), Neighbour("n", 2, 0.6)], 3)
    assert [(each.number, each.found_by) for each in found] == [
        (2, ("words", "meaning")),
        (9, ("meaning",)),
        (4, ("words",)),
        (7, ("words",)),
    ]
    assert [each.score for each in found[:2]] == [0.6, 0.6]
    assert 0.6 > found[2].score > found[3].score


def test_a_passage_that_holds_all_that_was_asked_stays_first() -> None:
    whole, part = Evidence(4, 0.9, frozenset({0, 1})), Evidence(2, 0.5, frozenset({1}))
    assert [each.number for each in passages_of([whole, part], [Neighbour("n", 2, 0.7)], 2)] == [4, 2]
    assert passages_of([whole, part], [], 2) == [whole, part]


PATHS = st.lists(st.sampled_from("abcdefgh"), unique=True)


@given(by_words=PATHS, by_meaning=PATHS, sure=st.integers(0, 8), meaning=st.floats(0, 1), step=st.floats(0, 0.1))
def test_nothing_is_lost_or_doubled_and_the_head_stays(
    by_words: list[str], by_meaning: list[str], sure: int, meaning: float, step: float
) -> None:
    scores = {path: 0.9 - place * step for place, path in enumerate(by_words)}
    found = fused(
        scores, sure, [Neighbour(path, 0, 0.9 - place / 100) for place, path in enumerate(by_meaning)], meaning
    )
    assert found[:sure][: len(by_words)] == by_words[:sure]
    assert sorted(found) == sorted({*by_words, *by_meaning})
    rest = [path for path in found[sure:] if path not in by_meaning]
    assert rest == [path for path in by_words[sure:] if path not in by_meaning]


def test_meaning_adds_no_more_than_so_many() -> None:
    assert len(fused({}, 0, [Neighbour(f"{number}", 0, 0.5) for number in range(200)])) == MOST


class Stored:
    """An index that holds a passage of each note, and remembers which it was asked for."""

    asked: tuple[str, ...] = ()

    def loaded_passages(self, notes: Sequence[str]) -> dict[str, passages.Passages]:
        self.asked += tuple(notes)
        return {path: passages.of(Note(path, "text\n")) for path in notes}


@given(by_words=PATHS, by_meaning=PATHS, most=st.integers(1, 9), is_few=st.booleans(), few=st.integers(1, 3))
def test_notes_are_joined_as_they_are_asked_for(
    by_words: list[str], by_meaning: list[str], most: int, is_few: bool, few: int
) -> None:
    empty = passages.of(Note("n", "text\n"))
    notes = [RankedNote(path, 0.5, empty, [Evidence(0, 1.0, frozenset({0}))]) for path in by_words]
    ranking = Ranking(notes, "", [], [], [], [], [], Finder([]), [1.0] * (2 if is_few else 3))
    found = [Neighbour(path, 0, 0.9 - place / 100) for place, path in enumerate(by_meaning)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BY_WORDS", few)
        made = joined(ranking, found, Stored(), most).notes
        sure = min(most, len(by_words)) if is_few else 1
        first = by_words[: max(sure, few)]
        order = fused(dict.fromkeys(first, 0.5), sure, found)
    head = [path for place, path in enumerate(order) if path in first or place < most]
    expected = [*head, *(path for path in by_words if path not in head)]
    assert bool(made) == bool(expected)
    assert [note.path for note, _ in zip(made, range(2), strict=False)] == expected[:2]
    assert ([note.path for note in made], len(made)) == (expected, len(expected))
    assert [note.path for note in made[1:]] == expected[1:]
    assert all(before.score >= after.score for before, after in pairwise(made))


def ranked(unfound: Sequence[str], most: int, index: Stored) -> list[str]:
    """The notes for a question of three words that the note `w` holds, and meaning finds others."""
    held = [Evidence(0, 1.0, frozenset({0, 1, 2}))]
    notes = [
        RankedNote("v", 0.9, passages.of(Note("v", "text\n")), []),
        RankedNote("w", 0.8, passages.of(Note("w", "text\n")), held),
    ]
    ranking = Ranking(notes[::-1], "", [], [], ["x"], unfound, [], Finder([]), [1.0, 1.0, 1.0])
    return [note.path for note in joined(ranking, near(a=0.9, v=0.8, c=0.7, d=0.6), index, most).notes]


def test_notes_behind_those_asked_for_are_not_loaded() -> None:
    index = Stored()
    assert ranked(["x"], 3, index) == ["v", "a", "c", "w"]
    assert index.asked == ("a", "c")


def test_the_first_note_of_evidence_that_is_not_weak_stays_first() -> None:
    empty = passages.of(Note("n", "text\n"))
    notes = [RankedNote(path, 0.5, empty, [Evidence(0, 0.5, frozenset({0}))]) for path in "vw"]
    for weakness, expected in (("", ["v", "w"]), ("No passage holds both.", ["w", "v"])):
        ranking = Ranking(notes, weakness, [], [], [], [], [], Finder([]), [1.0, 1.0, 1.0])
        assert [note.path for note in joined(ranking, near(w=0.5), Stored(), 2).notes] == expected


@pytest.mark.parametrize(
    ("languages", "expected"),
    [
        ({"de"}, ["a", "b", "v", "w"]),
        ({"en"}, ["v", "w", "a", "b"]),
        (set(), ["v", "w", "a", "b"]),  # nothing tells the question's language
    ],
)
def test_meaning_decides_where_words_find_notes_in_other_languages_alone(
    languages: set[str], expected: list[str]
) -> None:
    english = passages.of(Note("n", "This is the boat and it will be at home when it is in the rain.\n"))
    notes = [RankedNote(path, 0.5, english, [Evidence(0, 0.5, frozenset({0}))]) for path in "vw"]
    ranking = Ranking(notes, "No passage holds both.", [], [], [], [], [], Finder([]), [1.0, 1.0, 1.0])
    found = joined(ranking, near(a=0.6, b=0.6), Stored(), 4, languages=languages)
    assert [note.path for note in found.notes] == expected


@pytest.mark.parametrize(
    ("about_it", "weakness", "notices"),
    [
        (0.7, "No passage holds both, and none is near in meaning.", []),
        (0.6, "", ["No passage holds both; others are near in meaning."]),
        # Of a model that was not measured a similarity says nothing.
        (None, "No passage holds both.", []),
    ],
)
def test_evidence_is_weak_where_words_are_and_no_passage_is_near(
    about_it: float | None, weakness: str, notices: list[str]
) -> None:
    notes = [RankedNote("v", 0.5, passages.of(Note("v", "text\n")), [Evidence(0, 0.5, frozenset({0}))])]
    ranking = Ranking(notes, "No passage holds both.", [], [], [], [], [], Finder([]), [1.0, 1.0, 1.0])
    found = joined(ranking, near(w=0.6, v=0.5), Stored(), 2, OF_ANY_MODEL._replace(about_it=about_it))
    assert (found.weakness, found.notices) == (weakness, notices)


@pytest.mark.parametrize(
    ("similarity", "tells_absence", "held", "words", "unfound", "is_weak"),
    [
        (0.2, True, {0, 1}, 3, [], True),
        (0.3, True, {0, 1}, 3, [], False),
        (0.2, False, {0, 1}, 3, [], False),
        # A passage holds all that was asked, or the question is a name.
        (0.2, True, {0, 1, 2}, 3, [], False),
        (0.2, True, {0}, 2, [], False),
        # A word stands nowhere.
        (0.2, True, {0}, 1, ["Mongolia"], True),
        (0.3, True, {0}, 1, ["Mongolia"], False),
    ],
)
def test_words_that_meet_by_chance_are_weak_evidence_where_a_model_tells_absence(
    similarity: float, tells_absence: bool, held: set[int], words: int, unfound: list[str], is_weak: bool
) -> None:
    notes = [RankedNote("v", 0.5, passages.of(Note("v", "text\n")), [Evidence(0, 0.5, frozenset(held))])]
    ranking = Ranking(notes, "", [], [], [], unfound, [], Finder([]), [1.0] * words)
    found = joined(ranking, near(v=similarity), Stored(), 2, Trust(0.7, 0.27, tells_absence))
    told = "No passage is near in meaning to the question; its words may meet by chance."
    assert found.weakness == (told if is_weak else "")


def test_where_words_find_nothing_and_no_passage_is_near_the_evidence_is_weak() -> None:
    ranking = Ranking([], "", [], [], ["x"], ["x"], [], Finder([]), [1.0])
    found = joined(ranking, near(w=0.2), Stored(), 2, OF_ANY_MODEL._replace(about_it=0.33))
    assert found.weakness == "No passage holds a word of the question, and none is near in meaning."


def test_words_that_were_corrected_keep_what_they_are_sure_of() -> None:
    assert ranked([], 3, Stored()) == ["w", "v", "a"]

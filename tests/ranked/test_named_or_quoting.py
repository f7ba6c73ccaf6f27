"""The notes in which a question is written come first; the others keep their order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.index import passages
from vaulttools.index.words import Places
from vaulttools.notes.note import Note
from vaulttools.ranked.evidence import Evidence, RankedNote
from vaulttools.ranked.named_or_quoting import NamedOrQuoting, holding_all, may_be_name, named, plain, quotes

NOTHING = passages.of(Note("nothing.md", ""))


def note(path: str, score: float = 0.5, *held: Collection[int]) -> RankedNote:
    """A note with some passages, each with the terms that it holds."""
    return RankedNote(path, score, NOTHING, [Evidence(n, 1.0, frozenset(each)) for n, each in enumerate(held)])


def places(*body: Sequence[int], title: Sequence[Sequence[int]] = (), aliases: Sequence[Sequence[int]] = ()) -> Places:
    """Where terms are: for each the places in the body, and those in the title and in the aliases if they are given."""
    columns = zip(body, title or [()] * len(body), aliases or [()] * len(body), strict=True)
    return Places([0] * 5, [[own, of_title, of_alias, (), ()] for own, of_title, of_alias in columns])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dal", "dal"),
        ("  Ann-Brown_2 ", "ann brown 2"),
        ("Café Übung", "cafe ubung"),
        ("Cafe\u0301", "cafe"),
        ("STRASSE Straße", "strasse strasse"),
        ("東京 ガ", "东京 ガ"),
        ("C++ (C#), F#!", "c++ c# f#"),
        ("Music#Intro +1 ++", "music intro 1"),
        ("دَان दिन", "دان दिन"),
        ("?!", ""),
    ],
)
def test_names_are_compared_without_case_accents_and_marks(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("priya", {"a.md"}),
        ("Dal", {"b.md", "c/Dal.md"}),
        ("dal recipes", set()),
        ("pri", set()),
        ("?", set()),
        ("", set()),
    ],
)
def test_notes_are_named_like_a_question_by_title_or_alias(question: str, expected: set[str]) -> None:
    names = {"a.md": ["a", "Priya"], "b.md": ["b", "DAL"], "c/Dal.md": ["Dal"], "?.md": ["?"]}
    assert named(question, names) == expected


@pytest.mark.parametrize(
    ("found", "own", "expected"),
    [
        (places((), (), title=[(0,), (1,)]), 2, True),
        (places((), (), aliases=[(0,), (1,)]), 2, True),
        (places((), (), title=[(0,), ()], aliases=[(), (0,)]), 2, False),  # half in each is no name
        (places((), (), title=[(0,), ()]), 1, True),  # the second term is another wording's
        (places((4,)), 1, False),
        (places(), 0, False),
    ],
)
def test_a_note_may_have_a_question_as_its_name_if_one_name_holds_all_terms(
    found: Places, own: int, expected: bool
) -> None:
    assert may_be_name(found, own) == expected


NOTES = [note("one.md", 0.9, {0}, {0, 2}), note("two.md", 0.8, {1}), note("both.md", 0.4, {0}, {0, 1})]
BARE = note("bare.md", 0.2)


@pytest.mark.parametrize(
    ("notes", "own", "held", "expected"),
    [
        (NOTES, 2, {}, {"both.md"}),
        (NOTES[:2], 2, {}, {"one.md", "two.md"}),  # the best note of each
        (NOTES[:1], 2, {}, {"one.md"}),
        ([*NOTES[:1], BARE], 2, {"bare.md": places((), (), title=[(), (0,)])}, {"one.md", "bare.md"}),
        ([*NOTES[:2], BARE], 2, {"bare.md": places((), (), title=[(), (0,)])}, {"one.md", "two.md"}),
        ([*NOTES[:2], BARE], 2, {"bare.md": places((), (), title=[(0,), (1,)])}, {"bare.md"}),  # both are in its title
        ([*NOTES, BARE], 2, {"bare.md": places((), (), title=[(0,), (1,)])}, {"bare.md", "both.md"}),
        (NOTES, 1, {}, {"one.md", "both.md"}),
        (NOTES, 3, {}, set()),  # three words are no name
        (NOTES, 0, {}, set()),
        ([], 2, {}, set()),
    ],
)
def test_notes_that_hold_all_of_one_or_two_words_are_first_or_else_the_best_of_each(
    notes: Sequence[RankedNote], own: int, held: Mapping[str, Places], expected: set[str]
) -> None:
    nowhere = {each.path: places((), (), ()) for each in notes}
    assert holding_all(notes, own, {**nowhere, **held}) == expected


@pytest.mark.parametrize(
    ("body", "own", "rare", "expected"),
    [
        ([(3,), (4,), (5,)], 3, [], True),
        ([(3, 9), (4,), (5,)], 3, [], True),
        ([(3,), (4,), (6,)], 3, [], False),
        ([(5,), (4,), (3,)], 3, [], False),  # in another order
        ([(3,), (4,)], 2, [0, 1], True),
        ([(3,), (4,)], 2, [0], False),  # one of them is common
        ([(1,), (3,), (4,)], 3, [1, 2], True),
        ([(3,), (4,), (5,)], 2, [], False),  # the third is another wording's
        ([(3,)], 1, [0], False),
        ([], 0, [], False),
    ],
)
def test_three_words_in_a_row_or_two_rare_ones_are_a_quotation(
    body: Sequence[Sequence[int]], own: int, rare: Sequence[int], expected: bool
) -> None:
    assert quotes(places(*body), own, rare) == expected


def scores(notes: Sequence[RankedNote]) -> Mapping[str, float]:
    return {each.path: each.score for each in notes}


def test_first_notes_score_alike_and_a_quoting_one_comes_after_them() -> None:
    notes = [note("a.md", 0.9), note("b.md", 0.8), note("c.md", 0.5), note("d.md", 0.2)]
    found = NamedOrQuoting(frozenset({"c.md"}), "d.md").put_first(notes)
    assert [each.path for each in found] == ["c.md", "d.md", "a.md", "b.md"]
    assert scores(found) == {"c.md": 0.9, "d.md": 0.9, "a.md": 0.9, "b.md": 0.8}


@pytest.mark.parametrize(
    ("quoting", "order"), [("d", "adbc"), ("c", "acbd"), ("b", "abcd"), ("a", "abcd"), ("", "abcd")]
)
def test_a_quoting_note_is_among_the_first_two(quoting: str, order: str) -> None:
    found = NamedOrQuoting(quoting=quoting).put_first([note(path, 0.9 - n / 10) for n, path in enumerate("abcd")])
    assert "".join(each.path for each in found) == order


PATHS = "abcdefg"


@given(
    st.lists(st.floats(0.001, 1.0), max_size=7),
    st.frozensets(st.sampled_from([*PATHS, "gone"])),
    st.sampled_from([*PATHS, "gone", ""]),
)
def test_the_order_is_kept_otherwise_and_no_note_scores_below_a_later_one(
    worth: list[float], first: frozenset[str], quoting: str
) -> None:
    notes = [note(path, score) for path, score in zip(PATHS, sorted(worth, reverse=True), strict=False)]
    found = NamedOrQuoting(first, quoting).put_first(notes)
    order, was = [each.path for each in found], [each.path for each in notes]
    assert sorted(order) == was
    own = [path for path in order if path in first and path != quoting]
    assert own == [path for path in was if path in first and path != quoting]
    rest = [path for path in order if path not in first and path != quoting]
    assert rest == [path for path in was if path not in first and path != quoting]
    held = first & {*was}
    assert {*order[: len(held)]} == held
    if quoting in was:
        assert order.index(quoting) <= (1 if quoting in first else max(1, len(held)))
    assert all(one.score >= other.score for one, other in pairwise(found))
    assert all(each.score >= scores(notes)[each.path] for each in found)
    assert len({each.score for each in found[: len(held)]}) <= 1
    assert NamedOrQuoting().put_first(notes) == notes

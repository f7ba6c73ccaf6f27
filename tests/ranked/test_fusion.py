"""Words and meaning give one order: sure hits of words keep their place, and meaning adds what words miss."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vaulttools.index import passages
from vaulttools.index.passages import Passages
from vaulttools.meaning.embedders import Choice
from vaulttools.meaning.vectors import Near, Vectors
from vaulttools.notes.note import Note
from vaulttools.notes.periods import Period, period
from vaulttools.ranked.evidence import Evidence, RankedNote, nearness
from vaulttools.ranked.finder import Finder
from vaulttools.ranked.fusion import Model, fused
from vaulttools.ranked.named_or_quoting import NamedOrQuoting
from vaulttools.ranked.preference import of_period_first
from vaulttools.ranked.ranking import Ranking
from vaulttools.ranked.weights import FUSION, FUSION_OF_OWN, NEARNESS, Fusion

Floats = NDArray[np.float32]

ASKED: Floats = np.array([1, 0], np.float32)
"""The question's vector."""
LONG = "It is what it is. " * 35


def direction(similarity: float) -> Floats:
    """A vector with the given cosine to the question's vector."""
    vector: Floats = np.array([similarity, (1 - similarity**2) ** 0.5], np.float32)
    return vector


@dataclass
class Vault:
    """Notes whose sections are one passage each, and a store of these passages."""

    sections: Mapping[str, Sequence[str]]
    asked: list[str] = field(default_factory=list)
    """The notes whose passages were loaded."""

    def __post_init__(self) -> None:
        self.notes = {
            path: Note(path, "".join(f"# {number}\n\n{text} {LONG}\n\n" for number, text in enumerate(texts)))
            for path, texts in self.sections.items()
        }
        self.held = {path: passages.of(note) for path, note in self.notes.items()}

    def key(self, path: str, number: int) -> int:
        return self.held[path].keys[number]

    def loaded_passages(self, notes: Sequence[str]) -> dict[str, Passages]:
        self.asked += notes
        return {path: self.held[path] for path in notes}

    def copies(self, digests: Collection[int]) -> dict[int, set[str]]:
        return {digest: {path for path, held in self.held.items() if digest in held.keys} for digest in digests}


@dataclass
class Meaning:
    """A stand-in for a model: the vectors that it would give passages itself."""

    own: Mapping[int, float] = field(default_factory=dict)
    compared: list[int] = field(default_factory=list)

    def asked(self, *wordings: str) -> Floats:
        return ASKED

    sample: Mapping[int, float] = field(default_factory=dict)
    """The passages of a small vault's sample."""

    def sampled(self) -> Vectors:
        rows = np.array([direction(each) * 127 for each in self.sample.values()]).reshape(len(self.sample), 2)
        return Vectors(np.array(list(self.sample), np.int64), np.rint(rows).astype(np.int8))

    def exact(self, texts: Mapping[int, str], stop: Any) -> dict[int, Floats]:
        self.compared += texts
        return {key: direction(self.own[key]) for key in texts if key in self.own}


def model(
    vault: Vault,
    near: Mapping[tuple[str, int], float | None],
    own: Mapping[tuple[str, int], float] | None = None,
    nearness: float | None = None,
    order: Sequence[int] | None = None,
) -> Model:
    """A model with a given nearness for each passage; None: it cannot read the passage."""
    known = {place: each for place, each in near.items() if each is not None}
    keys = np.array([vault.key(*place) for place in known], np.int64)
    rows = [direction(each) * 127 for each in known.values()]
    numbers = np.rint(np.array(rows).reshape(len(rows), 2)).astype(np.int8)
    turned = [each for each in order or range(len(keys)) if each < len(keys)]
    meaning = Meaning({vault.key(*place): similarity for place, similarity in (own or {}).items()})
    return Model(
        cast("Any", meaning), Near(Vectors(keys[turned], numbers[turned]), ASKED), False, ("the question",), nearness
    )


def by_words(
    vault: Vault,
    found: Mapping[str, tuple[float, Mapping[int, float]]],
    terms: int = 3,
    held: Collection[int] = (0,),
    **fields: Any,
) -> Ranking:
    """A ranking of notes, each with its score and those of its passages."""
    notes = [
        RankedNote(
            path,
            score,
            vault.held[path],
            [Evidence(number, worth, frozenset(held)) for number, worth in sorted(own.items(), key=lambda e: -e[1])],
        )
        for path, (score, own) in found.items()
    ]
    made = Ranking(
        notes=notes,
        is_weak=not notes,
        explanation=[],
        part="",
        unfound=[],
        waiting=[],
        finder=Finder([]),
        rarities=[1.0] * terms,
    )
    return replace(made, **fields)


def asked(
    vault: Vault,
    ranking: Ranking,
    *models: Model,
    wanted: Collection[str] | None = None,
    languages: Collection[str] = (),
    **named: Any,
) -> Ranking:
    scope = frozenset(vault.notes if wanted is None else wanted)
    asked_in = replace(ranking, languages=frozenset(languages))
    return fused(
        asked_in, models, cast("Any", vault), scope, vault.notes.get, lambda: False, **{"fusion": FUSION, **named}
    )


def paths(ranking: Ranking) -> list[str]:
    return [note.path for note in ranking.notes]


FOUR = Vault({"cats.md": ["cat"], "dogs.md": ["dog"], "tea.md": ["tea"], "rain.md": ["rain"]})
NEAR: dict[tuple[str, int], float | None] = {
    ("cats.md", 0): 0.8,
    ("dogs.md", 0): 0.5,
    ("tea.md", 0): 0.3,
    ("rain.md", 0): 0.1,
}


def test_meaning_finds_a_note_without_a_word_of_the_question() -> None:
    ranking = by_words(FOUR, {"tea.md": (0.3, {0: 0.2})})
    found = asked(FOUR, ranking, model(FOUR, NEAR, {("cats.md", 0): 0.8}))
    assert paths(found)[0] == "cats.md"
    assert found.notes[0].evidence[0].found_by == ("meaning",)
    assert sorted(paths(found)) == sorted(FOUR.notes)


def test_a_note_that_both_find_comes_before_notes_that_one_finds() -> None:
    ranking = by_words(FOUR, {"tea.md": (0.9, {0: 0.9}), "dogs.md": (0.85, {0: 0.8})})
    assert paths(asked(FOUR, ranking, model(FOUR, {**NEAR, ("dogs.md", 0): 0.75})))[0] == "dogs.md"


def test_a_number_weighs_words_against_meaning() -> None:
    ranking = by_words(FOUR, {"rain.md": (0.9, {0: 0.9})})
    firsts = [
        paths(asked(FOUR, ranking, model(FOUR, NEAR), fusion=Fusion(words=words)))[0] for words in (0.0, 0.1, 5.0)
    ]
    assert firsts == ["cats.md", "cats.md", "rain.md"]


SECTIONS = Vault({"a.md": ["one", "two", "three", "four"], "b.md": ["five"], "c.md": ["six"]})


def test_passages_are_ordered_by_words_and_meaning_and_say_what_found_them() -> None:
    ranking = by_words(SECTIONS, {"a.md": (0.9, {1: 1.0, 2: 0.9, 3: 0.4})})
    near = {("a.md", 0): 0.9, ("a.md", 1): 0.1, ("a.md", 2): 0.8, ("a.md", 3): 0.2, ("b.md", 0): 0.0}
    found = asked(SECTIONS, ranking, model(SECTIONS, near)).notes[0].evidence
    assert [(each.number, each.found_by) for each in found] == [
        (2, ("words", "meaning")),
        *((number, by) for number, by in ((0, ("meaning",)), (1, ("words",)))),
        (3, ("words",)),
    ]
    assert [each.terms for each in found] == [{0}, set(), {0}, {0}]
    assert all(one.score >= other.score for one, other in pairwise(found))


def test_passages_that_no_model_can_read_are_ordered_by_words() -> None:
    ranking = by_words(SECTIONS, {"a.md": (0.9, {1: 0.5, 3: 1.0})})
    near = dict.fromkeys([("a.md", number) for number in range(4)]) | {("b.md", 0): 0.5, ("c.md", 0): 0.4}
    [first] = [note for note in asked(SECTIONS, ranking, model(SECTIONS, near)).notes if note.path == "a.md"]
    assert [each.number for each in first.evidence[:2]] == [3, 1]
    assert [each.found_by for each in first.evidence[:2]] == [("words",), ("words",)]


@pytest.mark.parametrize(
    ("written", "first"),
    [
        (NamedOrQuoting(frozenset({"rain.md"})), ["rain.md", "cats.md"]),
        (NamedOrQuoting(frozenset({"rain.md", "tea.md"})), ["rain.md", "tea.md"]),
        (NamedOrQuoting(frozenset(), "rain.md"), ["cats.md", "rain.md"]),
        (NamedOrQuoting(), ["cats.md", "dogs.md"]),
    ],
)
def test_notes_in_which_the_question_is_written_come_first_however_near_others_are(
    written: NamedOrQuoting, first: list[str]
) -> None:
    ranking = by_words(FOUR, {"rain.md": (0.2, {0: 0.2})}, written=written)
    assert paths(asked(FOUR, ranking, model(FOUR, NEAR), fusion=Fusion(words=0.1)))[:2] == first


GERMAN = "Das ist der Hund und er ist nicht mit der Katze in dem Haus, weil er auf die Frau wartet."
ENGLISH = "This is the dog and it is not with the cat in the house, because it will wait for her."


@pytest.mark.parametrize(
    ("languages", "first"), [({"de"}, "de.md"), ({"en"}, "en.md"), ({"en", "de"}, "de.md"), ((), "de.md")]
)
def test_a_note_in_another_language_than_the_question_is_worth_less(languages: Collection[str], first: str) -> None:
    vault = Vault({"de.md": [GERMAN], "en.md": [ENGLISH], "far.md": [ENGLISH], "farther.md": [ENGLISH]})
    vault.held = {path: replace(held, language="de" if path == "de.md" else "en") for path, held in vault.held.items()}
    near = {("de.md", 0): 0.8, ("en.md", 0): 0.795, ("far.md", 0): 0.1, ("farther.md", 0): 0.1}
    found = asked(vault, by_words(vault, {}), model(vault, near), languages=languages)
    assert paths(found)[0] == first


def test_a_note_of_unknown_language_keeps_its_worth() -> None:
    vault = Vault({"a.md": ["1"], "far.md": ["2"]})
    vault.held = {path: replace(held, language="") for path, held in vault.held.items()}
    near = {("a.md", 0): 0.8, ("far.md", 0): 0.1}
    scores = [
        [note.score for note in asked(vault, by_words(vault, {}), model(vault, near), languages=languages).notes]
        for languages in ({"de"}, ())
    ]
    assert scores[0] == scores[1]


def test_the_second_model_compares_what_the_first_one_cannot_read() -> None:
    english = {**NEAR, ("cats.md", 0): None}
    other: dict[tuple[str, int], float | None] = {("cats.md", 0): 0.9, ("dogs.md", 0): 0.1, ("tea.md", 0): 0.0}
    found = asked(FOUR, by_words(FOUR, {}), model(FOUR, english), model(FOUR, other))
    assert "cats.md" in paths(found)[:2]
    alone = asked(FOUR, by_words(FOUR, {}), model(FOUR, english))
    assert "cats.md" not in paths(alone)


def test_the_model_itself_compares_only_the_most_promising_passages() -> None:
    vault = Vault({f"{number:02}.md": [f"{number}", "b", "c", "d", "e"] for number in range(12)})
    near: dict[tuple[str, int], float | None] = {
        (path, number): 0.9 - int(path[:2]) / 20 - number / 100 for path in vault.notes for number in range(5)
    }
    made = model(vault, near)
    asked(vault, by_words(vault, {}), made, fusion=Fusion(looked_at=7, looked_at_of_note=3))
    expected = [vault.key("00.md", n) for n in range(3)] + [vault.key("01.md", n) for n in range(3)]
    meaning = cast("Any", made.meaning)
    assert sorted(meaning.compared) == sorted([*expected, vault.key("02.md", 0)])


def test_the_note_that_the_model_itself_finds_nearest_comes_first() -> None:
    own = {("cats.md", 0): 0.3, ("dogs.md", 0): 0.9, ("tea.md", 0): 0.2, ("rain.md", 0): 0.1}
    near = {**NEAR, ("dogs.md", 0): 0.75}
    made = asked(FOUR, by_words(FOUR, {}), model(FOUR, near, own))
    assert paths(made)[0] == "dogs.md"


def test_notes_outside_the_scope_are_not_found() -> None:
    found = asked(FOUR, by_words(FOUR, {}), model(FOUR, NEAR), wanted=["tea.md", "dogs.md"])
    assert paths(found) == ["dogs.md", "tea.md"]


def test_all_passages_of_a_small_scope_count() -> None:
    fusion = Fusion(near_passages=1)
    found = asked(FOUR, by_words(FOUR, {}), model(FOUR, NEAR), wanted=["tea.md", "dogs.md"], fusion=fusion)
    assert paths(found) == ["dogs.md", "tea.md"]


def test_the_nearer_note_comes_first_in_a_scope_about_something_else() -> None:
    found = asked(FOUR, by_words(FOUR, {}), model(FOUR, NEAR), wanted=["tea.md", "rain.md"])
    assert paths(found) == ["tea.md", "rain.md"]


def test_notes_that_words_rank_lower_follow_at_the_end() -> None:
    fusion = Fusion(by_words=1, near_notes=2, enough=0)
    ranking = by_words(FOUR, {"tea.md": (0.9, {0: 0.9}), "rain.md": (0.8, {0: 0.8}), "dogs.md": (0.7, {0: 0.7})})
    found = asked(FOUR, ranking, model(FOUR, NEAR), fusion=fusion)
    assert sorted(paths(found)[:3]) == ["cats.md", "dogs.md", "tea.md"]
    assert paths(found)[3:] == ["rain.md"]


def test_passages_of_the_sample_are_compared_without_reading_them() -> None:
    made = model(FOUR, NEAR)
    sample = {FOUR.key("rain.md", 0): 0.9, FOUR.key("cats.md", 0): 0.2, 7: 0.99}
    meaning = Meaning(own={FOUR.key(*place): 0.3 for place in PLACES}, sample=sample)
    found = asked(FOUR, by_words(FOUR, {}), replace(made, meaning=cast("Any", meaning)))
    assert paths(found)[0] == "rain.md"
    assert sorted(meaning.compared) == sorted(FOUR.key(path, 0) for path in ("dogs.md", "tea.md"))


def test_vectors_of_the_model_itself_are_compared_without_reading_passages() -> None:
    made = model(FOUR, NEAR, {("rain.md", 0): 1.0})
    found = asked(FOUR, by_words(FOUR, {}), made, fusion=FUSION_OF_OWN)
    assert cast("Any", made.meaning).compared == []
    assert paths(found) == ["cats.md", "dogs.md", "tea.md", "rain.md"]
    assert found.sharing is FUSION_OF_OWN.sharing


def test_the_first_model_that_knows_a_passage_says_whether_any_is_near() -> None:
    far = model(FOUR, {("cats.md", 0): 0.2, ("dogs.md", 0): None}, nearness=0.3)
    near = model(FOUR, {("dogs.md", 0): 0.9, ("tea.md", 0): 0.8})
    unknown = model(FOUR, {("dogs.md", 0): None}, nearness=0.3)
    for models, is_weak in (((far, near), True), ((unknown, near), False)):
        assert asked(FOUR, by_words(FOUR, {}), *models, fusion=FUSION_OF_OWN).is_weak == is_weak


STRENGTHS = st.floats(0.0, 1.0).map(lambda value: round(value, 2))
PLACES = [(path, 0) for path in FOUR.notes]


@given(
    similar=st.lists(STRENGTHS | st.none(), min_size=4, max_size=4),
    own=st.lists(STRENGTHS, min_size=4, max_size=4),
    words=st.dictionaries(st.sampled_from(sorted(FOUR.notes)), STRENGTHS.filter(bool), max_size=4),
    order=st.permutations(range(4)),
    weight=STRENGTHS,
)
@settings(max_examples=150)
def test_nothing_is_lost_or_doubled_and_the_order_of_the_vectors_changes_nothing(
    similar: list[float | None],
    own: list[float],
    words: dict[str, float],
    order: list[int],
    weight: float,
) -> None:
    near = dict(zip(PLACES, similar, strict=True))
    ranking = by_words(
        FOUR, {path: (score, {0: score}) for path, score in sorted(words.items(), key=lambda each: -each[1])}
    )
    fusion = Fusion(words=weight)
    exactly = dict(zip(PLACES, own, strict=True))
    found = asked(FOUR, ranking, model(FOUR, near, exactly), fusion=fusion)
    turned = asked(FOUR, ranking, model(FOUR, near, exactly, order=order), fusion=fusion)
    assert list(found.notes) == list(turned.notes)
    assert len(set(paths(found))) == len(paths(found))
    assert set(paths(found)) == {*words, *(path for (path, _), each in near.items() if each is not None)}
    assert all(one.score >= other.score for one, other in pairwise(found.notes))
    assert all(0 < note.score <= 1 for note in found.notes)
    for note in found.notes:
        assert ("words" in note.evidence[0].found_by) == (note.path in words)


@pytest.mark.parametrize(
    ("own", "found", "nearness", "is_weak"),
    [
        (0.41, {}, NEARNESS, True),
        (0.42, {}, NEARNESS, False),
        (0.2, {"tea.md": (0.9, {0: 0.9})}, NEARNESS, False),  # a note holds a word of the question
        (0.2, {}, None, False),  # the model was not measured
    ],
)
def test_evidence_is_weak_where_no_note_holds_a_word_and_no_passage_is_near(
    own: float, found: Mapping[str, tuple[float, Mapping[int, float]]], nearness: float | None, is_weak: bool
) -> None:
    exactly = dict.fromkeys(PLACES, own)
    assert asked(FOUR, by_words(FOUR, found), model(FOUR, NEAR, exactly, nearness)).is_weak == is_weak


@pytest.mark.parametrize(
    ("unfound", "languages", "own", "count"),
    [
        (["zebra"], (), 0.2, 0),
        (["zebra", "xylophone"], (), 0.2, 0),
        (["zebra", "xylophone"], (), 0.5, 4),  # a passage is near
        (["zebra", "xylophone", "koala"], (), 0.2, 4),  # a sentence may say it in other words
        (["zebra", "xylophone"], ("de",), 0.2, 4),  # the notes may be in another language
    ],
)
def test_nothing_is_found_for_a_word_or_two_that_no_note_holds_unless_a_passage_is_near(
    unfound: Sequence[str], languages: Collection[str], own: float, count: int
) -> None:
    ranking = by_words(FOUR, {}, 0, unfound=unfound)
    found = asked(FOUR, ranking, model(FOUR, NEAR, dict.fromkeys(PLACES, own), NEARNESS), languages=languages)
    assert (len(found.notes), found.is_weak) == (count, own < NEARNESS)


def test_the_explanation_says_how_many_each_found() -> None:
    ranking = by_words(FOUR, {"tea.md": (0.9, {0: 0.9})}, explanation=["Looked for: tea."])
    assert asked(FOUR, ranking, model(FOUR, NEAR)).explanation == [
        "Looked for: tea.",
        "Joined: the first 1 notes found by words, and 3 by meaning.",
    ]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (Choice(), NEARNESS),
        (Choice(packaged="multilingual"), NEARNESS),
        (Choice("http://127.0.0.1:1/v1", model="m"), None),
    ],
)
def test_nearness_is_known_for_the_models_of_the_extra_alone(choice: Choice, expected: object) -> None:
    assert nearness(choice) == expected


@dataclass
class Days:
    """Notes of a period."""

    days: Mapping[str, str]

    def notes_in(self, period: Period, notes: Collection[str]) -> Mapping[str, str]:
        return self.days

    def of_passages(self, ranked: RankedNote) -> Sequence[frozenset[str]]:
        return [frozenset()] * len(ranked.passages.starts)


def test_evidence_is_not_weak_where_notes_of_the_period_answer() -> None:
    strong = by_words(FOUR, {"tea.md": (0.5, {0: 0.5})})
    may = period("What tea did we drink in May 2026?", date(2026, 11, 1))
    assert may is not None
    days = cast("Any", Days({"tea.md": "2026-05-02"}))
    weak = replace(strong, is_weak=True)
    for every, own in ((weak, weak), (weak, strong), (strong, weak)):
        ranking = of_period_first(every, may, lambda notes, own=own: own, frozenset(FOUR.notes), days)  # type: ignore[misc]
        assert ranking.is_weak == (every.is_weak and own.is_weak)

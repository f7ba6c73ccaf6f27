"""Neighbours of a question among the passages of some notes: the same whatever else was ever embedded."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.ranked.meaning.endpoints import counted
from vaulttools.index import passages
from vaulttools.notes.note import Note
from vaulttools.ranked.meaning import neighbours as module
from vaulttools.ranked.meaning import parts
from vaulttools.ranked.meaning import store as stores
from vaulttools.ranked.meaning.embedder import Key
from vaulttools.ranked.meaning.neighbours import Neighbour, neighbours
from vaulttools.ranked.meaning.parts import Part
from vaulttools.ranked.meaning.store import VectorStore

LAYOUT = parts.one(6)


def embedded(texts: Sequence[str]) -> NDArray[np.float32]:
    """What the tests' server would answer."""
    found = np.array([counted(text) for text in texts], np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)  # type: ignore[no-any-return]


class Notes:
    """What an index would tell of some notes."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._kept = {path: passages.dump(Note(path, text)) for path, text in texts.items()}
        self.texts = texts

    def passages(self, notes: Sequence[str]) -> dict[str, bytes]:
        return {path: self._kept[path] for path in notes if path in self._kept}

    def copies(self, digests: Collection[int]) -> dict[int, set[str]]:
        held = {path: set(passages.digests(data)) for path, data in self._kept.items()}
        return {digest: {path for path, some in held.items() if digest in some} for digest in digests}

    def unheld(self, digests: Collection[int], notes: frozenset[str]) -> set[int]:
        return {digest for digest, paths in self.copies(digests).items() if not paths & notes}

    def keep(self, store: VectorStore) -> None:
        """Embed what the store lacks."""
        for path, data in self._kept.items():
            columns = passages.load(data)
            pieces = zip(columns.starts, columns.lengths, columns.digests, strict=True)
            texts = {digest: self.texts[path][start : start + length] for start, length, digest in pieces}
            wanted = store.missing(texts)
            if wanted:
                kept = parts.packed(embedded([texts[digest] for digest in wanted]), LAYOUT)
                store.put(list(zip(wanted, kept, strict=True)), 6)


def found(store: VectorStore, notes: Notes, question: str, among: Collection[str] | None = None) -> list[Neighbour]:
    wanted = frozenset(notes.texts if among is None else among)
    return neighbours(embedded([question])[0], store, notes, wanted, len(notes.texts))


def test_the_nearest_passage_comes_first_with_its_place(tmp_path: Path) -> None:
    notes = Notes({"a.md": "Rain.\n\nA boat in the rain, and another boat in more rain.", "b.md": "Cat. Dog. Tea."})
    store = VectorStore(tmp_path, Key("m", "", ""))
    notes.keep(store)
    near = found(store, notes, "boat rain")
    assert [(each.path, each.number) for each in near] == [("a.md", 1), ("a.md", 0), ("b.md", 0)]
    assert 1 > near[0].similarity > near[1].similarity > near[2].similarity
    assert [each.path for each in found(store, notes, "boat", ["b.md"])] == ["b.md"]


def test_a_copy_is_found_in_each_note(tmp_path: Path) -> None:
    notes = Notes({"b.md": "A boat.", "a.md": "a   BOAT."})
    store = VectorStore(tmp_path, Key("m", "", ""))
    notes.keep(store)
    first, second = found(store, notes, "boat")
    assert [first.path, second.path] == ["a.md", "b.md"]  # the longer one, by a few blanks


BOATS = {
    "de/Boot.md": "Das ist das Boot, und wenn es im Regen nicht fährt, ist es zu Hause. Boat, rain, rain.",
    "en/Boat.md": "This is the boat and it will be at home when it is in the rain. Boat, rain.",
    "fr/Navire.md": "Le navire est dans la pluie, et il ne va pas sur la mer avec nous. Boat, rain.",
    "en/Lead.md": "This is the lead and it will be in the rain when it is cold. Lead, rain.",
}


@pytest.mark.parametrize(
    ("languages", "among", "expected"),
    [
        ({"en"}, BOATS, ["en/Boat.md", "en/Lead.md", "de/Boot.md", "fr/Navire.md"]),
        ({"fr"}, BOATS, ["fr/Navire.md", "en/Lead.md", "de/Boot.md", "en/Boat.md"]),
        # Where the question's language has none, the nearest stands for the page.
        ({"it"}, BOATS, ["de/Boot.md", "en/Lead.md", "fr/Navire.md", "en/Boat.md"]),
        # What a scope leaves out stands for nothing.
        ({"en"}, ["de/Boot.md", "en/Lead.md"], ["de/Boot.md", "en/Lead.md"]),
    ],
)
def test_of_a_page_in_several_languages_one_note_comes_first(
    languages: set[str], among: Collection[str], expected: list[str], tmp_path: Path
) -> None:
    notes = Notes(BOATS)
    store = VectorStore(tmp_path, Key("m", "", ""))
    notes.keep(store)
    near = neighbours(embedded(["boat rain rain"])[0], store, notes, frozenset(among), 4, languages)
    assert [each.path for each in near] == expected
    # A note that stands for a nearer translation is as near, but for its length.
    plain = found(store, notes, "boat rain rain", ["de/Boot.md"])
    assert near[0].similarity == pytest.approx(plain[0].similarity, abs=0.03)


def test_the_nearest_are_those_of_all_passages_compared(tmp_path: Path) -> None:
    draw = random.Random(1)
    words = ["cat", "dog", "lead", "tea", "boat", "rain"]
    texts = [" ".join(draw.choices(words, k=draw.randint(1, 9))) for _ in range(40)]
    # Some texts are copies of others, and some passages too short to count for much.
    notes = Notes({f"{number}.md": "\n\n".join(draw.choices(texts, k=3)) for number in range(60)})
    store = VectorStore(tmp_path, Key("m", "", ""))
    notes.keep(store)
    question = embedded(["boat rain boat tea"])[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "NEIGHBOURS", 25)
        near = neighbours(question, store, notes, frozenset(notes.texts), len(notes.texts))
    kept = store.nearest()
    digests, rows = store.vectors(kept.ids)
    similar = dict(
        zip(digests.tolist(), LAYOUT[0].similarities(LAYOUT[0].of(question[None])[0], rows).tolist(), strict=True)
    )
    compared = {
        (-round(similar[digest], 3), path, digest): Neighbour(
            path, columns.digests.index(digest), round(round(similar[digest], 3) * (1 - 36 / (60 + length)), 3)
        )
        for path, data in notes.passages(list(notes.texts)).items()
        for columns in [passages.load(data)]
        for digest, length in zip(columns.digests, columns.lengths, strict=True)
    }
    expected = [compared[each] for each in sorted(compared)[:25]]
    assert near == sorted(expected, key=lambda each: (-each.similarity, each.path, each.number))


JOINED = (Part(0, 64, 64, 2, 0.9, 64, 3, 0.92), Part(64, 64, 64, 3, 0.586, 64, 3, 1.0))
"""Two models that embed together."""


def joined_vector(first: int, second: int | None) -> NDArray[np.float32]:
    """A direction of each model, drawn by a number; None: the second model gives nothing."""
    halves = [np.zeros(64) if each is None else np.random.default_rng(each).normal(size=64) for each in (first, second)]
    return np.concatenate([half / max(1.0, float(np.linalg.norm(half))) for half in halves]).astype(np.float32)


@pytest.mark.parametrize(
    ("languages", "expected"),
    [
        ({"en"}, ["a.md", "c.md", "b.md"]),
        ({"en", "nl"}, ["a.md", "c.md", "b.md"]),
        ({"de"}, ["b.md", "c.md", "a.md"]),
        (set(), ["b.md", "c.md", "a.md"]),
    ],
)
@pytest.mark.parametrize("of", [3, 100])
def test_a_question_in_english_is_compared_by_the_english_model_too(
    languages: set[str], expected: list[str], of: int, tmp_path: Path
) -> None:
    notes = Notes({"a.md": "one in english", "b.md": "two in english", "c.md": "drei auf deutsch"})
    store = VectorStore(tmp_path, Key("m", "", "", JOINED))
    near = joined_vector(1, 2)
    # The first model finds `b` near and `a` not, the second one `a` and not `b`; it gives nothing for `c`.
    given = {
        "a.md": joined_vector(3, 2),
        "b.md": joined_vector(1, 4),
        "c.md": joined_vector(1, None) + 2 * joined_vector(5, None),
    }
    for path, data in notes.passages(list(notes.texts)).items():
        [digest], [kept] = passages.load(data).digests, parts.packed(given[path][None], JOINED)
        store.put([(digest, kept)], 128)
    found = neighbours(near, store, notes, frozenset(notes.texts), of, languages)
    assert [each.path for each in found] == expected
    english = {"a.md", "b.md"} if "en" in languages else set()
    assert {each.path for each in found if each.part == 1} == english
    # Where no passage has a part of the English model the first one decides alone.
    only = neighbours(near, store, notes, frozenset({"c.md"}), of, languages)
    assert [(each.path, each.part) for each in only] == [("c.md", 0)]
    empty = VectorStore(tmp_path / "none", Key("m", "", "", JOINED))
    assert neighbours(near, empty, notes, frozenset(notes.texts), of, languages) == []


TEXTS = st.lists(st.sampled_from(["cat", "dog", "lead", "tea", "boat", "rain", "cat dog"]), min_size=1, max_size=4)
VAULTS = st.dictionaries(
    st.sampled_from([f"{letter}.md" for letter in "abcdefghij"]), TEXTS.map(" ".join), min_size=1, max_size=10
)


@settings(max_examples=60, deadline=None)
@given(history=st.lists(VAULTS, max_size=4), now=VAULTS, question=TEXTS.map(" ".join), data=st.data())
def test_neighbours_are_the_same_after_any_history_and_a_rebuild(
    history: list[dict[str, str]], now: dict[str, str], question: str, data: st.DataObject
) -> None:
    among = data.draw(st.sets(st.sampled_from(sorted(now)), min_size=1))
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            stores, "layout", lambda known, dimensions: (LAYOUT[0]._replace(candidates=3),)
        )  # so that the choice by signs leaves something out
        patch.setattr(module, "_NARROW", data.draw(st.sampled_from([1, 8])))
        old, new = (VectorStore(Path(folder, name), Key("m", "", "")) for name in ("old", "new"))
        for store in (old, new):
            store.path.parent.mkdir()
        for texts in (*history, now):
            Notes(texts).keep(old)
        notes = Notes(now)
        notes.keep(new)
        assert found(old, notes, question, among) == found(new, notes, question, among)
        assert {each.path for each in found(new, notes, question, among)} <= among

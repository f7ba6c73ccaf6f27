"""Find the passages of some notes that are nearest in meaning to a question.

First the signs in memory choose candidates, then the kept vectors are compared. What is not in the notes asked for, or
in no note any more, decides nothing, so that the answer is the same after any sequence of edits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import numpy as np

from vaulttools.index.passages import Sizes, sizes
from vaulttools.notes.language import ENGLISH
from vaulttools.ranked.meaning.nearest import Nearest
from vaulttools.ranked.meaning.parts import Part
from vaulttools.ranked.meaning.store import VectorStore
from vaulttools.ranked.meaning.translations import ALIKE, translations

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.ranked.meaning.embedder import Floats
    from vaulttools.ranked.meaning.nearest import Digests, Numbers
    from vaulttools.ranked.meaning.parts import Bytes

NEIGHBOURS: Final = 100
"""Passages that are returned, the nearest first."""

_WEIGHTS: Final = (1.0, 2.0)
"""What the multilingual model's similarity counts, and the English model's beside it: of 26 and 18 tuning questions in
English they find 24 and 18 notes and answer 13 and 14 (the English one alone 22, 18, 11 and 12; in equal parts 24, 18,
12 and 14)."""

_OTHERS: Final = 3
"""So many times fewer passages in other languages than English are looked at for a question in English."""

_COPIES: Final = 30
"""Notes that are returned for one passage that many hold."""

_TRANSLATED: Final = 0.5
"""What the similarity of a passage is multiplied by when another note that is found says the same in another language:
so much less that it follows behind all other notes."""

_NARROW: Final = 8
"""A scope of less than one in so many notes is searched by its own passages."""

_MORE: Final = 4
"""How many times as many are looked at, once, where too few of them are in the scope; where that is not enough its own
passages are."""

_ROUNDED: Final = 0.002
"""Similarities that differ by so much are not equal with three decimals."""

_USUAL: Final = 60
_SHORTNESS: Final = 0.6
"""How much of its similarity an empty passage loses, and one of `_USUAL` characters half as much: lines of a few words
are near to many questions and answer none (chosen on the tuning halves of `make ranking`)."""


class Neighbour(NamedTuple):
    """A passage near to a question."""

    path: str
    number: int
    """Which of the note's passages, from 0."""
    similarity: float
    """Less what it loses by being short; at most 1. Three decimals."""
    part: int = 0
    """The number of the last part of its vector that was compared."""


class PassagesOfNotes(Protocol):
    """What the index tells of passages."""

    def passages(self, notes: Sequence[str]) -> Mapping[str, bytes]:
        """What `index.passages` made of notes, of those whose text is known."""

    def copies(self, digests: Collection[int]) -> Mapping[int, AbstractSet[str]]:
        """By digest the notes that hold a passage with it, of those whose text is known."""

    def unheld(self, digests: Collection[int], notes: frozenset[str]) -> AbstractSet[int]:
        """The digests with which none of some notes holds a passage, of those whose text is known."""


def neighbours(
    question: Floats,
    store: VectorStore,
    known: PassagesOfNotes,
    notes: frozenset[str],
    of: int,
    languages: AbstractSet[str] = frozenset(),
) -> list[Neighbour]:
    """The passages of some notes nearest to a question's vector, nearest first, ties by path.

    `of` is how many notes the vault has, `languages` are those that the question may be in: of a note in several
    languages the one in the question's, or else the nearest one, comes first, and the others behind all that is found.

    Raises:
        NoMeaning: the vectors cannot be read.
    """
    nearest, parts = store.nearest(), store.parts()
    if not len(nearest) or not parts[0].kept:  # the file was removed a moment ago
        return []
    scope = _Scope(nearest, known, notes)
    is_narrow = len(notes) * _NARROW < of
    compared: list[tuple[Digests, Floats, Bytes, int]] = []
    asked = [part.of(question[None])[0] for part in parts]
    for part, count, among in _compared(nearest, parts, scope.numbers() if is_narrow else None, languages):
        chosen = scope.candidates(asked[part], part, count, among)
        digests, rows = store.vectors(np.sort(nearest.ids[chosen]))
        if len(digests):
            similarities = _similarities(asked[: part + 1], rows, parts)
            compared.append((digests, similarities, rows[:, : parts[0].size], part))
    vector: dict[int, Bytes] = {}
    by_part: dict[int, int] = {}
    similar: dict[int, float] = {}
    for (digests, similarities, rows, part), first in zip(
        compared, _first([each[1] for each in compared]), strict=True
    ):
        some = digests[first].tolist()
        similar |= zip(some, similarities[first].tolist(), strict=True)
        vector |= zip(some, rows[first], strict=True)
        by_part |= dict.fromkeys(some, part)
    found = _nearest_of(similar, scope.holding(list(similar)))
    held = scope.sizes({path for _, path, _ in found})
    found = [each for each in found if each[1] in held]  # what was edited a moment ago is in no note
    if len({held[path].language for _, path, _ in found}) > 1:
        found = _one_language_first(found, held, languages, vector, parts[0])
    near = []
    for negative, path, digest in found:
        own = held[path]
        if digest in own.digests:
            number = own.digests.index(digest)
            worth = 1 - _SHORTNESS * _USUAL / (_USUAL + own.lengths[number])
            near.append(Neighbour(path, number, round(-negative * worth, 3), by_part[digest]))
    return sorted(near, key=lambda each: (-each.similarity, each.path, each.number))


class _Scope:
    """The notes asked for, among all whose passages have vectors."""

    def __init__(self, nearest: Nearest, known: PassagesOfNotes, notes: frozenset[str]) -> None:
        self._nearest = nearest
        self._known = known
        self._notes = notes
        self._sizes: dict[str, Sizes] = {}
        self._numbers: Numbers | None = None

    def sizes(self, paths: AbstractSet[str]) -> dict[str, Sizes]:
        """The passages of some of its notes, of those whose text is known."""
        missing = sorted(paths - self._sizes.keys())
        self._sizes |= {path: sizes(data) for path, data in self._known.passages(missing).items()}
        return self._sizes

    def numbers(self) -> Numbers:
        """The numbers of the vectors of its passages, ascending; all its notes are looked at."""
        if self._numbers is None:
            own = self.sizes(self._notes)
            held = [np.asarray(own[path].digests, np.int64) for path in self._notes & own.keys()]
            self._numbers = self._nearest.numbers(np.concatenate([np.zeros(0, np.int64), *held]))
        return self._numbers

    def candidates(self, asked: Floats, part: int, count: int, among: slice) -> Numbers:
        """The numbers of the vectors of its passages, of those `among`, whose signs agree best with the question's:
        `count` of them and all that agree as well as the last."""
        wanted = count
        while self._numbers is None:
            numbers, distances = self._nearest.around(asked, wanted, part, among)
            digests = self._nearest.digests[numbers]
            unheld = self._known.unheld(digests.tolist(), self._notes)
            held = len(numbers) - len(unheld)
            if held >= count or len(numbers) >= among.stop - among.start:
                if unheld:
                    is_held = ~np.isin(digests, np.fromiter(unheld, np.int64))
                    numbers, distances = numbers[is_held], distances[is_held]
                if len(numbers) > count:
                    numbers = numbers[distances <= np.partition(distances, count - 1)[count - 1]]
                return numbers
            if wanted > count or held * _MORE < count:
                break
            wanted = max(wanted * _MORE, len(numbers) + 1)
        own = self.numbers()
        return self._nearest.around(asked, count, part, own[(own >= among.start) & (own < among.stop)])[0]

    def holding(self, digests: Sequence[int]) -> Mapping[int, AbstractSet[str]]:
        """By digest its notes that hold a passage with it."""
        if self._numbers is None:
            return {digest: self._notes & paths for digest, paths in self._known.copies(digests).items()}
        holding: dict[int, set[str]] = {digest: set() for digest in digests}
        for path in self._notes & self._sizes.keys():
            for digest in holding.keys() & self._sizes[path].digests:
                holding[digest].add(path)
        return holding


def _one_language_first(
    found: Sequence[tuple[float, str, int]],
    held: Mapping[str, Sizes],
    languages: AbstractSet[str],
    vector: Mapping[int, Bytes],
    part: Part,
) -> list[tuple[float, str, int]]:
    """What was found, with the similarities of translations lowered; a passage of the note that stands for them is as
    near as the nearest translation of it."""
    rows = np.stack([vector[digest] for _, _, digest in found])
    are_alike = part.are_alike(rows, ALIKE)
    notes = [path for _, path, _ in found]
    behind = translations(notes, {path: held[path].language for path in notes}, languages, are_alike)
    changed = [max(negative, negative * _TRANSLATED) if path in behind else negative for negative, path, _ in found]
    for number, (negative, path, _) in enumerate(found):
        for other in np.flatnonzero(are_alike[number]) if path in behind else ():
            if notes[other] == behind[path]:
                changed[other] = min(changed[other], negative)
    return [(negative, path, digest) for negative, (_, path, digest) in zip(changed, found, strict=True)]


def _compared(
    nearest: Nearest, parts: Sequence[Part], numbers: Numbers | None, languages: AbstractSet[str]
) -> list[tuple[int, int, slice]]:
    """Which vectors are compared by which last part, and how many of them: those that have the English model's when the
    question may be English by both, all others by the first. `numbers`: where only these come into question.

    Similarities of both models have one scale: over the RFCs the nearest passage has 0.46 and 0.45 on average, the
    tenth 0.39 and 0.38.
    """
    english, count = nearest.whole, parts[0].candidates
    has_english = english if numbers is None else (numbers < english).any()
    if len(parts) == 1 or ENGLISH not in languages or not has_english:
        return [(0, count, slice(0, len(nearest)))]
    return [(1, parts[1].candidates, slice(0, english)), (0, count // _OTHERS, slice(english, len(nearest)))]


def _similarities(asked: Sequence[Floats], rows: Bytes, parts: Sequence[Part]) -> Floats:
    """The cosines of the angles between a question's vector and kept ones, by the parts that are `asked`: of several
    the weighted mean."""
    total, weights, start = np.zeros(len(rows), np.float32), 0.0, 0
    for own, part, weight in zip(asked, parts, _WEIGHTS, strict=False):
        total += np.float32(weight) * part.similarities(own, rows[:, start : start + part.size])
        weights, start = weights + weight, start + part.size
    return total / np.float32(weights)


def _first(similarities: Sequence[Floats]) -> list[NDArray[np.bool_]]:
    """In each of some groups of similarities those that may be among the greatest of all once they are rounded."""
    together = np.concatenate([np.zeros(0, np.float32), *similarities])
    at = len(together) - NEIGHBOURS
    least = np.partition(together, at)[at] - np.float32(_ROUNDED) if at > 0 else np.float32(-np.inf)
    return [each >= least for each in similarities]


def _nearest_of(similar: Mapping[int, float], holding: Mapping[int, AbstractSet[str]]) -> list[tuple[float, str, int]]:
    """The nearest of some passages, each in all of its notes: the similarity, negative, the note and the digest."""
    rounded = {digest: -round(similarity, 3) for digest, similarity in similar.items()}
    least = sorted(rounded.values())[min(NEIGHBOURS, len(rounded)) - 1] if rounded else 0.0
    ordered = [
        (negative, path, digest)
        for digest, negative in rounded.items()
        if negative <= least
        for path in sorted(holding[digest])[:_COPIES]
    ]
    return sorted(ordered)[:NEIGHBOURS]

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
    from vaulttools.ranked.meaning.embedder import Floats
    from vaulttools.ranked.meaning.nearest import Numbers
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


def neighbours(
    question: Floats,
    store: VectorStore,
    known: PassagesOfNotes,
    notes: AbstractSet[str],
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
    vector: dict[int, Bytes] = {}
    by_part: dict[int, int] = {}
    ordered: list[tuple[float, str, int]] = []
    asked = [part.of(question[None])[0] for part in parts]
    for part, count, some in _compared(nearest, parts, scope.numbers() if is_narrow else None, languages):
        chosen, holding = scope.candidates(asked[part], part, count, some)
        digests, rows = store.vectors(np.sort(nearest.ids[chosen]))
        if not len(digests):
            continue
        similarities = _similarities(asked[: part + 1], rows, parts)
        by_part |= dict.fromkeys(digests.tolist(), part)
        vector |= dict(zip(digests.tolist(), rows[:, : parts[0].size], strict=True))
        ordered += _nearest_of(digests.tolist(), similarities.tolist(), holding)
    found = sorted(ordered)[:NEIGHBOURS]
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

    def __init__(self, nearest: Nearest, known: PassagesOfNotes, notes: AbstractSet[str]) -> None:
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
            digests = np.fromiter((each for path in self._notes & own.keys() for each in own[path].digests), np.int64)
            self._numbers = np.flatnonzero(np.isin(self._nearest.digests, digests))
        return self._numbers

    def candidates(
        self, asked: Floats, part: int, count: int, among: Numbers | None
    ) -> tuple[Numbers, dict[int, AbstractSet[str]]]:
        """The numbers of the vectors of its passages, of those `among`, whose signs agree best with the question's:
        `count` of them and all that agree as well as the last; and by digest its notes that hold each."""
        wanted = count
        if self._numbers is not None:
            among = self._own(among)
        while True:
            numbers, distances = self._nearest.around(asked, wanted, part, among)
            digests = self._nearest.digests[numbers].tolist()
            copies = self._known.copies(digests)
            holding = {digest: found for digest, paths in copies.items() if (found := self._notes & paths)}
            if len(holding) >= count or len(digests) >= (len(self._nearest) if among is None else len(among)):
                break
            if self._numbers is None and (wanted > count or len(holding) * _MORE < count):
                among = self._own(among)
            else:
                wanted = max(wanted * _MORE, len(digests) + 1)
        is_held = np.fromiter((digest in holding for digest in digests), bool, len(digests))
        numbers, distances = numbers[is_held], distances[is_held]
        if len(numbers) > count:
            numbers = numbers[distances <= np.sort(distances)[count - 1]]
        return numbers, holding

    def _own(self, among: Numbers | None) -> Numbers:
        own = self.numbers()
        return own if among is None else np.intersect1d(among, own, assume_unique=True)


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
) -> list[tuple[int, int, Numbers | None]]:
    """Which vectors are compared by which last part, and how many of them: those that have the English model's when the
    question may be English by both, all others by the first.

    Similarities of both models have one scale: over the RFCs the nearest passage has 0.46 and 0.45 on average, the
    tenth 0.39 and 0.38.
    """
    if len(parts) == 1 or ENGLISH not in languages:
        return [(0, parts[0].candidates, numbers)]
    has = nearest.has(1)
    if numbers is None:
        english, others = np.flatnonzero(has), np.flatnonzero(~has)
    else:
        english, others = numbers[has[numbers]], numbers[~has[numbers]]
    if not len(english):
        return [(0, parts[0].candidates, numbers)]
    return [(1, parts[1].candidates, english), (0, parts[0].candidates // _OTHERS, others)]


def _similarities(asked: Sequence[Floats], rows: Bytes, parts: Sequence[Part]) -> Floats:
    """The cosines of the angles between a question's vector and kept ones, by the parts that are `asked`: of several
    the weighted mean."""
    total, weights, start = np.zeros(len(rows), np.float32), 0.0, 0
    for own, part, weight in zip(asked, parts, _WEIGHTS, strict=False):
        total += np.float32(weight) * part.similarities(own, rows[:, start : start + part.size])
        weights, start = weights + weight, start + part.size
    return total / np.float32(weights)


def _nearest_of(
    digests: Sequence[int], similarities: Sequence[float], holding: Mapping[int, AbstractSet[str]]
) -> list[tuple[float, str, int]]:
    """The nearest of some passages, each in all of its notes: the similarity, negative, the note and the digest."""
    rounded = sorted(-round(each, 3) for each in similarities)
    least = rounded[min(NEIGHBOURS, len(rounded)) - 1] if rounded else 0.0
    return [
        (negative, path, digest)
        for digest, similarity in zip(digests, similarities, strict=True)
        if (negative := -round(similarity, 3)) <= least
        for path in sorted(holding.get(digest, ()))[:_COPIES]
    ]

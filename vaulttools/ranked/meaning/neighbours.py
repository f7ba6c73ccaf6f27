"""Find the passages of some notes that are nearest in meaning to a question.

First the signs in memory choose candidates, then the kept vectors are compared. What is not in the notes asked for, or
in no note any more, decides nothing, so that the answer is the same after any sequence of edits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import numpy as np

from vaulttools.index.passages import sizes
from vaulttools.ranked.meaning import vectors
from vaulttools.ranked.meaning.store import VectorStore

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.ranked.meaning.embedder import Floats
    from vaulttools.ranked.meaning.vectors import Digests

CANDIDATES: Final = 400
"""Passages whose vectors are compared: 99.6 % of the 10 nearest are among them, 97.8 % of the 30 (79,060 passages,
measured; 800: 99.7 and 99.1)."""

NEIGHBOURS: Final = 100
"""Passages that are returned, the nearest first."""

_COPIES: Final = 30
"""Notes that are returned for one passage that many hold."""

_NARROW: Final = 8
"""A scope of less than one in so many notes is searched by its own passages."""

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


class PassagesOfNotes(Protocol):
    """What the index tells of passages."""

    def passages(self, notes: Sequence[str]) -> Mapping[str, bytes]:
        """What `index.passages` made of notes, of those whose text is known."""

    def copies(self, digests: Collection[int]) -> Mapping[int, AbstractSet[str]]:
        """By digest the notes that hold a passage with it, of those whose text is known."""


def neighbours(
    question: Floats, store: VectorStore, known: PassagesOfNotes, notes: AbstractSet[str], of: int
) -> list[Neighbour]:
    """The passages of some notes nearest to a question's vector, nearest first, ties by path.

    `of` is how many notes the vault has.

    Raises:
        NoMeaning: the vectors cannot be read.
    """
    nearest = store.nearest()
    held: dict[str, tuple[Sequence[int], Sequence[int]]] = {}
    """By note: the digests and the lengths of its passages."""
    among: Digests | None = None
    if len(notes) * _NARROW < of:
        held = {path: sizes(data) for path, data in known.passages(sorted(notes)).items()}
        among = np.fromiter((each for own, _ in held.values() for each in own), np.int64)
    numbers, holding = _candidates(question, nearest, known, notes, among)
    digests, rows = store.vectors(np.sort(nearest.ids[numbers]))
    similarities = vectors.similarities(question, rows) if len(digests) else np.zeros(0, np.float32)
    rounded = sorted(-round(each, 3) for each in similarities.tolist())
    least = rounded[min(NEIGHBOURS, len(rounded)) - 1] if rounded else 0.0
    found = sorted(
        (negative, path, digest)
        for digest, similarity in zip(digests.tolist(), similarities.tolist(), strict=True)
        if (negative := -round(similarity, 3)) <= least
        for path in sorted(holding.get(digest, ()))[:_COPIES]
    )[:NEIGHBOURS]
    missing = sorted({path for _, path, _ in found} - held.keys())
    held |= {path: sizes(data) for path, data in known.passages(missing).items()}
    near = []
    for negative, path, digest in found:
        own, lengths = held.get(path, ((), ()))
        if digest in own:
            number = own.index(digest)
            worth = 1 - _SHORTNESS * _USUAL / (_USUAL + lengths[number])
            near.append(Neighbour(path, number, round(-negative * worth, 3)))
    return sorted(near, key=lambda each: (-each.similarity, each.path, each.number))


def _candidates(
    question: Floats,
    nearest: vectors.Nearest,
    known: PassagesOfNotes,
    notes: AbstractSet[str],
    among: Digests | None,
) -> tuple[NDArray[np.intp], dict[int, AbstractSet[str]]]:
    """The numbers of the vectors of the notes' passages whose signs agree best with the question's, `CANDIDATES` of
    them and all that agree as well as the last; and by digest the notes that hold each."""
    wanted = CANDIDATES
    while True:
        numbers, distances = nearest.around(question, wanted, among)
        digests = nearest.digests[numbers].tolist()
        holding = {digest: found for digest, paths in known.copies(digests).items() if (found := notes & paths)}
        is_all = (
            len(digests) >= (len(nearest) if among is None else min(len(among), len(nearest))) or len(digests) < wanted
        )
        if len(holding) >= CANDIDATES or is_all:
            break
        wanted = max(wanted * 4, len(digests) + 1)
    is_held = np.fromiter((digest in holding for digest in digests), bool, len(digests))
    numbers, distances = numbers[is_held], distances[is_held]
    if len(numbers) > CANDIDATES:
        numbers = numbers[distances <= np.sort(distances)[CANDIDATES - 1]]
    return numbers, holding

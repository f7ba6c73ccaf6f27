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
from vaulttools.ranked.meaning import vectors
from vaulttools.ranked.meaning.store import VectorStore
from vaulttools.ranked.meaning.translations import ALIKE, translations

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.ranked.meaning.embedder import Floats
    from vaulttools.ranked.meaning.vectors import Bytes, Digests

CANDIDATES: Final = 400
"""Passages whose vectors are compared: 99.6 % of the 10 nearest are among them, 97.8 % of the 30 (79,060 passages,
measured; 800: 99.7 and 99.1)."""

NEIGHBOURS: Final = 100
"""Passages that are returned, the nearest first."""

_COPIES: Final = 30
"""Notes that are returned for one passage that many hold."""

_TRANSLATED: Final = 0.5
"""What the similarity of a passage is multiplied by when another note that is found says the same in another language:
so much less that it follows behind all other notes."""

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
    nearest = store.nearest()
    held: dict[str, Sizes] = {}
    among: Digests | None = None
    if len(notes) * _NARROW < of:
        held = {path: sizes(data) for path, data in known.passages(sorted(notes)).items()}
        among = np.fromiter((each for own in held.values() for each in own.digests), np.int64)
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
    found = [each for each in found if each[1] in held]  # what was edited a moment ago is in no note
    if len({held[path].language for _, path, _ in found}) > 1:
        found = _one_language_first(found, held, languages, dict(zip(digests.tolist(), rows, strict=True)), question)
    near = []
    for negative, path, digest in found:
        own = held[path]
        if digest in own.digests:
            number = own.digests.index(digest)
            worth = 1 - _SHORTNESS * _USUAL / (_USUAL + own.lengths[number])
            near.append(Neighbour(path, number, round(-negative * worth, 3)))
    return sorted(near, key=lambda each: (-each.similarity, each.path, each.number))


def _one_language_first(
    found: Sequence[tuple[float, str, int]],
    held: Mapping[str, Sizes],
    languages: AbstractSet[str],
    vector: Mapping[int, Bytes],
    question: Floats,
) -> list[tuple[float, str, int]]:
    """What was found, with the similarities of translations lowered; a passage of the note that stands for them is as
    near as the nearest translation of it."""
    rows = np.stack([vector[digest] for _, _, digest in found])
    are_alike = vectors.are_alike(rows, vectors.dimensions_kept(len(question)), ALIKE)
    notes = [path for _, path, _ in found]
    behind = translations(notes, {path: held[path].language for path in notes}, languages, are_alike)
    changed = [max(negative, negative * _TRANSLATED) if path in behind else negative for negative, path, _ in found]
    for number, (negative, path, _) in enumerate(found):
        for other in np.flatnonzero(are_alike[number]) if path in behind else ():
            if notes[other] == behind[path]:
                changed[other] = min(changed[other], negative)
    return [(negative, path, digest) for negative, (_, path, digest) in zip(changed, found, strict=True)]


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

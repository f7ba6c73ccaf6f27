"""Join the notes that words find and the notes that meaning finds into one order.

Words keep what they are sure of: notes that hold all that was asked stay at the head of the list, and so do all notes
for a question of one or two words, which is a name, a title or a rare word. Behind them each list gives a note a share
by its place (reciprocal rank fusion, Cormack et al. 2009). The numbers below were chosen, coarsely, on the tuning
halves of `make ranking`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from vaulttools.index.passages import load
from vaulttools.ranked.evidence import Evidence
from vaulttools.ranked.meaning.neighbours import Neighbour, PassagesOfNotes
from vaulttools.ranked.order import RankedNote
from vaulttools.ranked.ranking import Ranking

_SOFTNESS: Final = 7
"""How slowly a share falls with the place: the first of a list has 1/8, the fifth 1/12."""

_MEANING: Final = 0.7
"""A share by meaning, in shares by words."""

_FURTHER: Final = (1.0, 0.3, 0.15)
"""What the nearest passages of one note count."""

MOST: Final = 60
"""Notes that meaning adds at most."""

FEW_WORDS: Final = 2
"""Words of a question that is answered by words first."""

NEAR: Final = 0.6
"""A similarity that makes up for missing words. Only the nearest right notes have it, and few wrong ones (measured)."""


def nearest_notes(near: Sequence[Neighbour]) -> list[str]:
    """The notes of passages by how near their nearest ones are, ties by path."""
    by_note: dict[str, list[float]] = defaultdict(list)
    for each in near:
        by_note[each.path].append(each.similarity)
    worth = {
        path: round(sum(share * each for share, each in zip(_FURTHER, found, strict=False)), 3)
        for path, found in by_note.items()
    }
    return sorted(worth, key=lambda path: (-worth[path], path))[:MOST]


def fused(by_words: Sequence[str], sure: int, near: Sequence[Neighbour]) -> list[str]:
    """The notes of both lists, best first; the first `sure` of those found by words keep their places."""
    shares: dict[str, float] = defaultdict(float)
    for place, path in enumerate(by_words, 1):
        shares[path] += 1 / (_SOFTNESS + place)
    for place, path in enumerate(nearest_notes(near), 1):
        shares[path] += _MEANING / (_SOFTNESS + place)
    first = list(by_words[:sure])
    rest = sorted(shares.keys() - set(first), key=lambda path: (-round(shares[path], 9), path))
    return [*first, *rest]


def joined(ranking: Ranking, near: Sequence[Neighbour], known: PassagesOfNotes, most: int) -> Ranking:
    """What words found, with the notes and passages that are near in meaning; of the notes behind the first `most` only
    those that words found."""
    by_note: dict[str, list[Neighbour]] = defaultdict(list)
    for each in near:
        by_note[each.path].append(each)
    by_words = {note.path: note for note in ranking.notes}
    order = fused(list(by_words), _sure(ranking), near)
    added = known.passages([path for path in order[:most] if path not in by_words])
    notes: list[RankedNote] = []
    last = 1.0
    for path in order:
        note = by_words.get(path)
        if note is not None:
            note = replace(note, evidence=_with_meaning(note.evidence, by_note.get(path, ())))
        elif path in added:
            evidence = [Evidence(each.number, each.similarity, frozenset(), ("meaning",)) for each in by_note[path]]
            note = RankedNote(path, evidence[0].score, load(added[path]), evidence)
        else:
            continue
        last = min(last, max(note.score, 0.001))
        notes.append(replace(note, score=last))
    weakness = ranking.weakness
    if weakness and near:
        weakness = "" if near[0].similarity >= NEAR else f"{weakness[:-1]}, and none is near enough in meaning."
    return replace(
        ranking,
        notes=notes,
        weakness=weakness,
        explanation=[*ranking.explanation, _explained(list(by_words), nearest_notes(near))],
    )


def _sure(ranking: Ranking) -> int:
    """How many of the first notes words are sure of: of none when a word of the question stands nowhere,
    and no word is spelled nearly so."""
    if ranking.unfound:
        return 0
    asked = len(ranking.rarities)
    if asked <= FEW_WORDS:
        return len(ranking.notes)
    for place, note in enumerate(ranking.notes):
        if not any(len(each.held) >= asked for each in note.evidence):
            return place
    return len(ranking.notes)


def _with_meaning(evidence: Sequence[Evidence], near: Sequence[Neighbour]) -> list[Evidence]:
    """The passages of a note that words found, those near in meaning marked; the latter where words found none."""
    numbers = {each.number for each in near}
    if not evidence:
        return [Evidence(each.number, each.similarity, frozenset(), ("meaning",)) for each in near]
    return [each._replace(found_by=("words", "meaning")) if each.number in numbers else each for each in evidence]


def _explained(by_words: Sequence[str], by_meaning: Sequence[str]) -> str:
    first = f", nearest first: {', '.join(by_meaning[:3])}" if by_meaning else ""
    return f"Notes found by words: {len(by_words):,}. By meaning: {len(by_meaning):,}{first}."

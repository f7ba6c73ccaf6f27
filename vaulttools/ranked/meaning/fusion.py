"""Join the notes that words find and the notes that meaning finds into one order.

Words keep what they are sure of: notes that hold all that was asked stay at the head of the list, and so do all notes
for a question of one or two words, which is a name, a title or a rare word. Behind them a note is worth the mean of
what both lists say of it, in shares of their best one (a convex combination; Bruch et al. 2023 found it better than
places in the lists, and so did we). The numbers below were chosen, coarsely, on the tuning halves of `make ranking`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice, takewhile
from typing import Final, Protocol

from vaulttools.index.passages import Passages
from vaulttools.notes.language import is_other
from vaulttools.ranked.as_asked import AsAsked
from vaulttools.ranked.evidence import Evidence
from vaulttools.ranked.meaning.neighbours import Neighbour
from vaulttools.ranked.meaning.trust import OF_ANY_MODEL, Trust
from vaulttools.ranked.order import RankedNote
from vaulttools.ranked.ranking import Ranking

_MEANING_OF_FOREIGN: Final = 0.7
"""What nearness counts of a note where the question is in another language than the first notes by words, which names
alone have found: of 24 tuning questions 10 have a right note first (0.5: 8)."""

_OF_LAST: Final = 0.8
"""What a note that a list lacks is worth there, in shares of the last one in it: 0 loses 3 of 61 tuning questions."""

_LOOKED_AT: Final = 5
"""So many of these."""

_SOFTNESS_IN_NOTE: Final = 2
"""How slowly the share of a passage falls with its place in a list (reciprocal rank fusion, Cormack et al. 2009): the
first of a note's has 1/3, the second 1/4."""

_MEANING_IN_NOTE: Final = 1.5
"""What a place among the passages of one note by meaning counts, in places by words: of 26 tuning questions it answers
15 (1: 14; 2.5: 15, and two less of 24 in other languages)."""

_SHOWN: Final = 2
"""Passages of a note that are worth as much as its best."""

_FURTHER: Final = (1.0, 0.3, 0.15)
"""What the nearest passages of one note count."""

BY_WORDS: Final = 30
"""Notes found by words that are joined with those near in meaning: as many as 60 find, and 20 lose two of 68 (measured
on the tuning halves). Further ones follow."""

MOST: Final = 30
"""Notes that meaning adds at most."""

FEW_WORDS: Final = 2
"""Words of a question that is answered by words first."""


class LoadedPassages(Protocol):
    """What the index tells of passages."""

    def loaded_passages(self, notes: Sequence[str]) -> Mapping[str, Passages]:
        """The passages of the notes whose text is known."""


def nearest_notes(near: Sequence[Neighbour]) -> dict[str, float]:
    """The notes of passages, nearest first, ties by path, with how near their nearest ones are together."""
    by_note: dict[str, list[float]] = defaultdict(list)
    for each in near:
        by_note[each.path].append(each.similarity)
    worth = {
        path: round(sum(share * each for share, each in zip(_FURTHER, found, strict=False)), 3)
        for path, found in by_note.items()
    }
    return {path: worth[path] for path in sorted(worth, key=lambda path: (-worth[path], path))[:MOST]}


def fused(
    by_words: Mapping[str, float], sure: int, by_meaning: Mapping[str, float], meaning: float = OF_ANY_MODEL.share
) -> list[str]:
    """The notes of both lists, best first, ties as words have them, then by path; the first `sure` of those found by
    words keep their places.

    `by_words` has the notes in order, with their scores; `by_meaning` is what `nearest_notes` gives, and `meaning` what
    nearness counts, 0 to 1. A note that one list lacks is worth less there than the last one in it.
    """
    words, nearness = _of_best(by_words), _of_best(by_meaning)
    absent, far = (_OF_LAST * min(shares.values(), default=0.0) for shares in (words, nearness))
    worth = {
        path: round((1 - meaning) * words.get(path, absent) + meaning * nearness.get(path, far), 9)
        for path in {**words, **nearness}
    }
    first = list(by_words)[:sure]
    place = {path: number for number, path in enumerate(by_words)}
    rest = worth.keys() - set(first)
    return [*first, *sorted(rest, key=lambda path: (-worth[path], place.get(path, len(place)), path))]


def _of_best(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores in shares of the largest, which is more than 0 if any is."""
    best = max(scores.values(), default=0.0)
    return {path: score / best if best else 0.0 for path, score in scores.items()}


def joined(
    ranking: Ranking,
    near: Sequence[Neighbour],
    known: LoadedPassages,
    most: int,
    trust: Trust = OF_ANY_MODEL,
    languages: AbstractSet[str] = frozenset(),
) -> Ranking:
    """What words found, with the notes and passages that are near in meaning; of the notes behind the first `most` only
    those that words found. `languages` are those that the question may be in.

    Evidence of words that is weak is a notice alone where a passage is near enough to be about what was asked. Where
    none is, and the model tells absence, evidence is weak when the words that were found may meet by chance.
    """
    by_note: dict[str, list[Neighbour]] = defaultdict(list)
    for each in near:
        by_note[each.path].append(each)
    sure = _sure(ranking, most)
    by_words = {note.path: note for note in islice(ranking.notes, max(sure, BY_WORDS))}
    spoken = {note.passages.language for note in islice(by_words.values(), _LOOKED_AT)}
    share = _MEANING_OF_FOREIGN if is_other(spoken, languages) else trust.share
    by_meaning = nearest_notes(near)
    order = fused({path: note.score for path, note in by_words.items()}, sure, by_meaning, share)
    added = known.loaded_passages([path for path in order[:most] if path not in by_words])
    asked = len(ranking.rarities)

    def with_meaning(note: RankedNote) -> RankedNote:
        return replace(note, evidence=passages_of(note.evidence, by_note.get(note.path, ()), asked))

    def notes() -> Iterator[RankedNote]:
        last = 1.0
        for path in order:
            note = by_words.get(path)
            if note is not None:
                note = with_meaning(note)
            elif path in added:
                evidence = passages_of([], by_note[path], asked)
                note = RankedNote(path, evidence[0].score, added[path], evidence)
            else:
                continue
            last = min(last, max(note.score, 0.001))
            yield replace(note, score=last)
        for note in islice(ranking.notes, len(by_words), None):
            if note.path not in added:
                last = min(last, note.score)
                yield replace(with_meaning(note), score=last)

    weakness, notices = ranking.weakness, ranking.notices
    is_about_it = trust.about_it is None or not near or near[0].similarity >= trust.about_it
    if near and trust.about_it is not None and (weakness or not ranking.notes):
        lacking = weakness[:-1] or "No passage holds a word of the question"
        if is_about_it:
            weakness, notices = "", [*notices, f"{lacking}; others are near in meaning."]
        else:
            weakness = f"{lacking}, and none is near in meaning."
    elif trust.tells_absence and not is_about_it and _may_meet_by_chance(ranking):
        weakness = "No passage is near in meaning to the question; its words may meet by chance."
    explanation = [*ranking.explanation, _explained(len(by_words), list(by_meaning))]
    return replace(ranking, notes=AsAsked(notes()), weakness=weakness, notices=notices, explanation=explanation)


def _sure(ranking: Ranking, most: int) -> int:
    """How many of the first notes words are sure of: of none when a word of the question stands nowhere,
    and no word is spelled nearly so. Of a question of few words these are all notes, or `most`; else those that hold
    all that was asked, or the first one where the evidence is not weak: of 33 questions in the notes' own words meaning
    moved four from the first place."""
    if ranking.unfound:
        return 0
    asked = len(ranking.rarities)
    if asked <= FEW_WORDS:
        return sum(1 for _ in islice(ranking.notes, most))
    return max(_whole(ranking), 0 if ranking.weakness else 1)


def _may_meet_by_chance(ranking: Ranking) -> bool:
    """Whether a word of the question stands nowhere, or no passage holds all of its words, more than a name has."""
    return bool(ranking.unfound) or (len(ranking.rarities) > FEW_WORDS and not _whole(ranking))


def _whole(ranking: Ranking) -> int:
    """How many of the first notes have a passage that holds all that was asked."""
    asked = len(ranking.rarities)
    return sum(1 for _ in takewhile(lambda note: any(len(each.held) >= asked for each in note.evidence), ranking.notes))


def passages_of(evidence: Sequence[Evidence], near: Sequence[Neighbour], asked: int) -> list[Evidence]:
    """The passages of one note in both lists, best first, each list giving shares by place; those that hold all that
    was `asked` stay first. The first two are worth the same, so that what each list found is shown."""
    if not near:
        return list(evidence)
    both: dict[int, Evidence] = {
        each.number: Evidence(each.number, each.similarity, frozenset(), ("meaning",)) for each in near
    }
    shares: dict[int, float] = defaultdict(float)
    for place, number in enumerate(both, 1):
        shares[number] += _MEANING_IN_NOTE / (_SOFTNESS_IN_NOTE + place)
    if not evidence:
        return list(both.values())
    for place, each in enumerate(evidence, 1):
        shares[each.number] += 1 / (_SOFTNESS_IN_NOTE + place)
        both[each.number] = each._replace(found_by=("words", "meaning")) if each.number in both else each
    first = [each.number for each in evidence if len(each.held) >= asked]
    order = [*first, *sorted(shares.keys() - set(first), key=lambda number: (-round(shares[number], 9), number))]
    most, best = max(shares.values()), evidence[0].score
    worth = (best * (1.0 if place < _SHOWN else shares[number] / most) for place, number in enumerate(order))
    return [both[number]._replace(score=score) for number, score in zip(order, worth, strict=True)]


def _explained(by_words: int, by_meaning: Sequence[str]) -> str:
    first = f", nearest first: {', '.join(by_meaning[:3])}" if by_meaning else ""
    return f"Joined: the first {by_words:,} notes found by words, and {len(by_meaning):,} found by meaning{first}."

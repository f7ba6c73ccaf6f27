"""Joins what words find and what meaning finds into one order of notes and of their passages.

Each signal counts in shares, from the middle of all passages to the best one: how well the note's words fit, how near
its passages are on average, how near the nearest is by the static encoder, and by the model itself, which looks at the
most promising passages alone. `weights.FUSION` holds what each counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Protocol

from vaulttools.index.passages import Passages
from vaulttools.notes.language import UNKNOWN
from vaulttools.notes.note import Note
from vaulttools.ranked.as_asked import AsAsked
from vaulttools.ranked.evidence import Evidence
from vaulttools.ranked.meaning.background import BackgroundMeaning, texts_of
from vaulttools.ranked.meaning.near import Near
from vaulttools.ranked.order import RankedNote
from vaulttools.ranked.ranking import Ranking
from vaulttools.ranked.weights import FUSION, WEAK, Fusion, Nearness

BY_WORDS: Final = 60
"""Notes found by words that are joined with those near in meaning; further ones follow."""
_NEAR_PASSAGES: Final = 150
"""Nearest passages whose notes are looked at."""
_NEAR_NOTES: Final = 40
"""Notes that meaning adds at most."""
_ENOUGH: Final = 15
"""Notes of the scope among those of the nearest passages that are enough; else all passages of the scope count."""
FEW_WORDS: Final = 2
"""Words of a question that is a name, a title or a rare word: notes that hold all of them come first."""


class Known(Protocol):
    """What the index tells of passages."""

    def loaded_passages(self, notes: Sequence[str]) -> Mapping[str, Passages]:
        """The passages of the notes whose text is known."""

    def copies(self, digests: Collection[int]) -> Mapping[int, AbstractSet[str]]:
        """By key, the notes whose text is known and that hold a passage with it."""


@dataclass(frozen=True, slots=True)
class Model:
    """One model, and how near it finds the passages."""

    meaning: BackgroundMeaning
    near: Near
    question: str
    nearness: Nearness | None = None
    """What the model's similarities say of whether a passage is about what was asked; None: that was not measured."""


@dataclass(slots=True)
class _Passage:
    """One passage of a note that may answer."""

    path: str
    number: int
    key: int
    model: int
    similarity: float
    words: float = 0.0
    near: float = 0.0
    """In shares, by the static encoder."""
    exact: float = 0.0
    """In shares, by the model itself."""


def joined(
    ranking: Ranking,
    models: Sequence[Model],
    known: Known,
    wanted: frozenset[str],
    languages: AbstractSet[str],
    read: Callable[[str], Note | None],
    stop: Callable[[], bool],
    fusion: Fusion = FUSION,
) -> Ranking:
    """What words found of some notes, with what is near in meaning by the first model that knows a passage."""
    joining = _Joining(ranking, models, known, wanted, languages, fusion)
    joining.compare_exactly(read, stop)
    return replace(
        ranking,
        notes=AsAsked(joining.notes()),
        weakness=_weakness(ranking, joining.nearest, models[0].nearness),
        nearest=joining.nearest,
        explanation=[*ranking.explanation, joining.explained()],
    )


class _Joining:
    """One question's candidates."""

    def __init__(
        self,
        ranking: Ranking,
        models: Sequence[Model],
        known: Known,
        wanted: frozenset[str],
        languages: AbstractSet[str],
        fusion: Fusion,
    ) -> None:
        self._ranking = ranking
        self._models = models
        self._languages = languages
        self._fusion = fusion
        self._by_words = {note.path: note for note in islice(ranking.notes, BY_WORDS)}
        found = _near_notes(models, known, wanted)
        self._added = [path for path in found if path not in self._by_words]
        passages = {path: note.passages for path, note in self._by_words.items()}
        self._passages = {**passages, **known.loaded_passages(self._added)}
        self._of_note: dict[str, list[_Passage]] = {path: self._compared(path) for path in self._passages}
        self.nearest = 0.0
        """The similarity of the nearest passage, by the model itself where it looked at it."""
        self._share()

    def _compared(self, path: str) -> list[_Passage]:
        keys = self._passages[path].keys
        by_model = [model.near.similarities(keys) for model in self._models]
        found = []
        for number, key in enumerate(keys):
            number_of_model = next((place for place, some in enumerate(by_model) if some[number] is not None), 0)
            similarity = by_model[number_of_model][number] if by_model else None
            middle = self._models[number_of_model].near.middle
            found.append(_Passage(path, number, key, number_of_model, middle if similarity is None else similarity))
        note = self._by_words.get(path)
        for each in note.evidence if note is not None else ():
            found[each.number].words = each.score
        return found

    def _share(self) -> None:
        """Give words and nearness in shares of the best."""
        every = [each for some in self._of_note.values() for each in some]
        most = max((each.words for each in every), default=0.0) or 1.0
        for each in every:
            each.words /= most
        for place, model in enumerate(self._models):
            own = [each for each in every if each.model == place]
            best = max((each.similarity for each in own), default=0.0)
            self.nearest = max(self.nearest, best)
            for each in own:
                each.near = _shared(each.similarity, model.near.middle, best)
                each.exact = each.near * self._fusion.unread

    def compare_exactly(self, read: Callable[[str], Note | None], stop: Callable[[], bool]) -> None:
        """Compare the most promising passages by the models themselves."""
        of_note: Counter[str] = Counter()
        chosen: dict[int, dict[str, list[_Passage]]] = defaultdict(lambda: defaultdict(list))
        every = (each for some in self._of_note.values() for each in some)
        words, near = self._fusion.words, self._fusion.near + self._fusion.exact
        count = 0
        for each in sorted(every, key=lambda each: (-(words * each.words + near * each.near), each.path, each.number)):
            if of_note[each.path] >= self._fusion.looked_at_of_note:
                continue
            of_note[each.path] += 1
            chosen[each.model][each.path].append(each)
            count += 1
            if count >= self._fusion.looked_at:
                break
        for place, notes in chosen.items():
            texts: dict[int, str] = {}
            for path, some in notes.items():
                note = read(path)
                if note is not None:
                    texts |= texts_of(note, self._passages[path], {each.key for each in some})
            model = self._models[place]
            vectors = model.meaning.exact(texts, stop)
            if not vectors:
                continue
            asked = model.meaning.asked(model.question)
            similar = {key: round(float(vector @ asked), 3) for key, vector in vectors.items()}
            best = max(similar.values())
            self.nearest = best if place == 0 else max(self.nearest, best)
            for each in (each for some in notes.values() for each in some if each.key in similar):
                each.exact = _shared(similar[each.key], model.near.middle, best)

    def notes(self) -> Iterator[RankedNote]:
        """All notes, best first; those that words found beyond the first ones follow."""
        most = max((note.score for note in self._by_words.values()), default=0.0) or 1.0
        scored = {path: self._score(path, most) for path in self._passages}
        sure = self._sure()
        last = 1.0
        order = sorted(scored, key=lambda path: (path not in sure, -scored[path], path))
        for path in order:
            last = min(last, scored[path]) if path not in sure else last
            yield self._ranked(path, max(scored[path], 0.001))
        for note in islice(self._ranking.notes, len(self._by_words), None):
            if note.path not in scored:
                last = min(last, note.score)
                yield replace(note, score=max(round(last, 3), 0.001))

    def _sure(self) -> AbstractSet[str]:
        """The notes that hold all words of a question of one or two."""
        asked = len(self._ranking.rarities)
        if asked > FEW_WORDS or self._ranking.unfound:
            return frozenset()
        return {path for path, note in self._by_words.items() if any(len(each.held) >= asked for each in note.evidence)}

    def _score(self, path: str, most: float) -> float:
        """What a note is worth, 0 to 1."""
        fusion = self._fusion
        passages = self._of_note[path]
        note = self._by_words.get(path)
        words = note.score / most if note is not None else 0.0
        near = [each.near for each in passages] or [0.0]
        worth = (
            fusion.words * words
            + fusion.note * sum(near) / len(near)
            + fusion.near * max(near)
            + fusion.exact * max((each.exact for each in passages), default=0.0)
        ) / (fusion.words + fusion.note + fusion.near + fusion.exact)
        language = self._passages[path].language
        if self._languages and language not in self._languages and language != UNKNOWN:
            worth *= fusion.other_language
        return round(worth, 3)

    def _ranked(self, path: str, score: float) -> RankedNote:
        """A note with its passages in the order of what words and meaning say of each in equal parts."""
        passages = self._of_note[path]
        note = self._by_words.get(path)
        held = {each.number: each for each in note.evidence} if note is not None else {}
        words = _within([each.words for each in passages])
        near = _within([each.near for each in passages])
        evidence = []
        for place, each in enumerate(passages):
            worth = (words[place] + near[place]) / 2
            found_by = (*(("words",) if each.number in held else ()), *(("meaning",) if near[place] >= _NEAR else ()))
            of_words = held.get(each.number)
            evidence.append(
                Evidence(
                    each.number,
                    round(worth, 6),
                    of_words.held if of_words is not None else frozenset(),
                    found_by or ("meaning",),
                )
            )
        evidence.sort(key=lambda each: (-each.score, each.number))
        return RankedNote(path, score, self._passages[path], evidence)

    def explained(self) -> str:
        """How many notes each list found."""
        return f"Joined: the first {len(self._by_words):,} notes found by words, and {len(self._added):,} by meaning."


_NEAR: Final = 0.5
"""The share of nearness in its note from which on a passage was found by meaning."""


def _near_notes(models: Sequence[Model], known: Known, wanted: frozenset[str]) -> list[str]:
    """The notes of the nearest passages, of those that are wanted."""
    found: dict[str, None] = {}
    for model in models:
        own: dict[str, None] = {}
        keys = model.near.nearest(_NEAR_PASSAGES)
        holding = known.copies(keys)
        for key in keys:
            for path in sorted(holding[key] & wanted)[:1] if len(own) < _NEAR_NOTES else ():
                own[path] = None
        if len(own) < min(_ENOUGH, len(wanted)):  # the scope is a small part of the vault
            own |= dict.fromkeys(_nearest_of(model, known.loaded_passages(sorted(wanted))))
        found |= own
    return list(found)


def _nearest_of(model: Model, passages: Mapping[str, Passages]) -> list[str]:
    """The nearest of some notes."""
    similar = {
        path: max((each for each in model.near.similarities(own.keys) if each is not None), default=None)
        for path, own in passages.items()
    }
    known = {path: each for path, each in similar.items() if each is not None}
    return sorted(known, key=lambda path: (-known[path], path))[:_NEAR_NOTES]


def _shared(similarity: float, middle: float, best: float) -> float:
    return min(1.0, max(0.0, (similarity - middle) / max(best - middle, 1e-6)))


def _within(values: Sequence[float]) -> list[float]:
    """Values of one note's passages, from the least, 0, to the most, 1; all 0 where they are the same."""
    least, most = min(values, default=0.0), max(values, default=0.0)
    return [(value - least) / (most - least) if most > least else float(most > 0) for value in values]


def _weakness(ranking: Ranking, nearest: float, nearness: Nearness | None) -> str:
    """What the evidence lacks, with what meaning knows of it."""
    if nearness is None or len(ranking.rarities) + len(ranking.unfound) <= FEW_WORDS:
        return ranking.weakness
    if nearest < nearness.near:
        return "No passage is near in meaning to the question."
    if nearest < nearness.about_it and ranking.coverage < WEAK.with_meaning:
        return "The nearest passages hold few words of the question and may be about something else."
    return ""

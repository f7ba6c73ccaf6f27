"""Joins what words and meaning find into one order of notes and passages.

Three signals count, each as a share of the best: how well the note's words fit; how near its passages are on average;
how near its nearest passage is, by the model itself. If a static encoder made the vectors, the model itself compares
the most promising passages. `weights.FUSION` and `FUSION_OF_OWN` hold the weights.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice, pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vaulttools.core.work import Work
from vaulttools.errors import VaultToolsError
from vaulttools.index.passages import Passages
from vaulttools.meaning.background import BackgroundMeaning, texts_of
from vaulttools.meaning.vectors import Near
from vaulttools.notes import language
from vaulttools.ranked.candidates import Reader
from vaulttools.ranked.evidence import FEW_WORDS, Evidence, RankedNote, nearness
from vaulttools.ranked.ranking import AsAsked, Ranking
from vaulttools.ranked.weights import FUSION, FUSION_OF_OWN, NAMED_OF_WORDINGS, WORDS_OF_WORDINGS, Fusion

if TYPE_CHECKING:
    from vaulttools.index.snapshot import Snapshot
    from vaulttools.meaning.embedders import Floats
    from vaulttools.meaning.languages import Meaning


@dataclass(frozen=True, slots=True)
class Model:
    """One model with its similarities of passages and question."""

    meaning: BackgroundMeaning
    near: Near
    is_own: bool
    """Whether it made the vectors itself, not an encoder."""
    wordings: tuple[str, ...]
    """The question, then other wordings of it."""
    nearness: float | None = None
    """Below this similarity the nearest passage is off topic; None if nobody measured it for the model."""

    @property
    def middle(self) -> float:
        """The similarity that counts as no nearness."""
        return 0.0 if self.is_own else self.near.middle


_OTHERS_WAIT: Final = (
    "Only words were searched for: meaning in languages other than English is being prepared; ask again."
)
_FOR_THE_REST: Final = 1.0
"""Seconds that the models leave for the rest of a call."""


def with_meaning(
    ranking: Ranking,
    meaning: Meaning,
    question: str,
    view: Snapshot,
    wanted: frozenset[str],
    read: Reader,
    work: Work,
    notices: list[str],
    *,
    translated: str = "",
    also: tuple[str, ...] = (),
) -> Ranking:
    """Add what is near in meaning; append to `notices` why not. Models get the vault's spelling of misspelt words.

    `also` are other wordings of the question. `translated` is the question in words of the notes, for the main model;
    `""` if it was not translated.
    """
    for asked_word, written in ranking.corrected.items():
        question = question.replace(asked_word, written)
        translated = translated.replace(asked_word, written)
    is_other = not translated and meaning.asked_in(ranking.languages)
    try:
        models = []
        for background in filter(None, [meaning.other] if is_other else [meaning.main, meaning.other]):
            if background.is_ready():
                wording = translated if translated and background is meaning.main else question
                if compared := background.compared(wording, *also):
                    models.append(Model(background, *compared, (wording, *also), nearness(background.choice)))
            elif is_other:
                notices.append(_OTHERS_WAIT)
        if not models:
            return ranking
        if len(models) == 2 and len(models[0].near) * 2 < len(models[1].near):
            models.reverse()  # the one that knows most of the vault looks first
        fusion = FUSION_OF_OWN if models[0].is_own else FUSION
        if also:
            sharing = replace(fusion.sharing, named=NAMED_OF_WORDINGS)
            fusion = replace(fusion, words=WORDS_OF_WORDINGS, sharing=sharing)
        return fused(ranking, models, view, wanted, read, lambda: work.remaining() <= _FOR_THE_REST, fusion)
    except VaultToolsError as error:
        notices.append(f"{error}. Only words were searched for.")
        return ranking


def fused(
    ranking: Ranking,
    models: Sequence[Model],
    known: Snapshot,
    wanted: frozenset[str],
    read: Reader,
    stop: Callable[[], bool],
    fusion: Fusion,
) -> Ranking:
    """Join a ranking by words with what is near in meaning, by the first model that knows a passage."""
    fusing = _Fusing(ranking, models, known, wanted, fusion)
    fusing.compare_exactly(read, stop)
    is_weak = ranking.is_weak and fusing.nearest < (models[0].nearness or 0.0)
    # A sentence in a language of no note is no proof that its few words are absent.
    is_absent = is_weak and len(ranking.unfound) <= FEW_WORDS and not ranking.languages
    return replace(
        ranking,
        notes=() if is_absent else AsAsked(iter(fusing.notes())),
        is_weak=is_weak,
        sharing=fusion.sharing,
        explanation=[*ranking.explanation, fusing.explained()],
    )


class _Fusing:
    """The candidates of one question; each signal is an array over all their passages."""

    def __init__(
        self, ranking: Ranking, models: Sequence[Model], known: Snapshot, wanted: frozenset[str], fusion: Fusion
    ) -> None:
        self._ranking = ranking
        self._models = models
        self._fusion = fusion
        self._by_words = {note.path: note for note in islice(ranking.notes, fusion.by_words)}
        found = _near_notes(models, known, wanted, fusion)
        self._added = [path for path in found if path not in self._by_words]
        passages = {path: note.passages for path, note in self._by_words.items()}
        self._passages = {**passages, **known.loaded_passages(self._added)}
        sizes = [len(each.keys) for each in self._passages.values()]
        starts = [0, *accumulate(sizes)]
        self._rows = {path: slice(*edges) for path, edges in zip(self._passages, pairwise(starts), strict=True)}
        """By note, the rows of its passages in the arrays."""
        self._keys = np.array([key for each in self._passages.values() for key in each.keys], np.int64)
        self._words = self._worded()
        self._model = np.zeros(len(self._keys), np.intp)
        """By passage, the number of the first model that knows it."""
        self.nearest = 0.0
        """The similarity of the nearest passage to the first model that knows any, by the model itself if it can."""
        self._similar = np.full(len(self._keys), -1.0, np.float32)
        """The similarity of each passage, by its vector."""
        self._near = self._compared()
        """The nearness of each passage as a share, by its vector."""
        self._exact = self._near * np.where(self._model == 0, np.float32(fusion.unread), np.float32(1))
        """The nearness of each passage as a share, by the model itself."""

    def _worded(self) -> Floats:
        """Returns the score of each passage by words, as a share of the best one."""
        words = np.zeros(len(self._keys), np.float32)
        for path, note in self._by_words.items():
            start = self._rows[path].start
            for each in note.evidence:
                words[start + each.number] = each.score
        most = words.max(initial=0.0)
        return words / most if most > 0 else words

    def _compared(self) -> Floats:
        """Returns how near each passage is: 1 for the nearest; 0 for a similarity of 0, or, if an encoder made the
        vectors, for the middle of all passages."""
        near = np.zeros(len(self._keys), np.float32)
        left = np.ones(len(self._keys), bool)
        for place, model in enumerate(self._models):
            similar = model.near.similarities(self._keys)  # type: ignore[arg-type]
            known = left & ~np.isnan(similar)
            left &= ~known
            self._model[known] = place
            self._similar[known] = similar[known]
            if known.any():
                best = float(np.nanmax(similar))  # of all that the model compared: it may be the first for few of them
                self.nearest = self.nearest or float(similar[known].max())
                near[known] = _shared(similar[known], model.middle, best)
        return near

    def compare_exactly(self, read: Reader, stop: Callable[[], bool]) -> None:
        """Compare passages by the first model itself: those of a small vault's sample, since their vectors are known,
        and the most promising of the others."""
        fusion = self._fusion
        similar = self._compared_in_sample()
        promise = fusion.words * self._words + fusion.exact * self._near
        promise[(self._model > 0) | ~np.isnan(similar)] = -1.0
        promising = np.lexsort((self._keys, -np.round(promise, 6)))[: fusion.promising * fusion.looked_at].tolist()
        note_of = np.repeat(np.arange(len(self._rows)), [rows.stop - rows.start for rows in self._rows.values()])
        paths = list(self._rows)
        of_note: Counter[int] = Counter()
        chosen: dict[str, list[int]] = defaultdict(list)
        count = 0
        for row in promising:
            note = int(note_of[row])
            if promise[row] < 0 or of_note[note] >= fusion.looked_at_of_note or count >= fusion.looked_at:
                continue
            of_note[note] += 1
            count += 1
            chosen[paths[note]].append(row)
        self._look(chosen, similar, read, stop)
        known = ~np.isnan(similar)
        if known.any():
            self.nearest = round(float(similar[known].max()), 3)
            self._exact[known] = _shared(similar[known], self._models[0].middle, self.nearest)

    def _compared_in_sample(self) -> Floats:
        """Returns the similarity of each passage of the sample to the question; NaN for any other."""
        model = self._models[0]
        similar = np.full(len(self._keys), np.nan, np.float32)
        sample = model.meaning.sampled()
        if len(sample):
            places = sample.places(self._keys)
            known = (places >= 0) & (self._model == 0)
            similar[known] = np.round(sample.similarities(model.meaning.asked(*model.wordings)), 3)[places[known]]
        return similar

    def _look(
        self,
        notes: Mapping[str, Sequence[int]],
        similar: Floats,
        read: Reader,
        stop: Callable[[], bool],
    ) -> None:
        """Compare rows of passages, by note, by the first model itself; write their similarities into `similar`."""
        model = self._models[0]
        texts: dict[int, str] = {}
        for path, rows in notes.items():
            note = read(path)
            if note is not None:
                texts |= texts_of(note, self._passages[path], {int(self._keys[row]) for row in rows})
        vectors = model.meaning.exact(texts, stop)
        if not vectors:
            return
        asked = model.meaning.asked(*model.wordings)
        for row in (row for rows in notes.values() for row in rows):
            key = int(self._keys[row])
            if key in vectors:
                similar[row] = round(float(vectors[key] @ asked), 3)

    def notes(self) -> Iterator[RankedNote]:
        """Yields all notes, best first, then the notes that words found after the first `by_words`."""
        most = max((note.score for note in self._by_words.values()), default=0.0) or 1.0
        scored = {path: self._score(path, most) for path in self._passages}
        nearest = {path: float(self._similar[rows].max(initial=-1.0)) for path, rows in self._rows.items()}
        order = sorted(scored, key=lambda path: (-scored[path], -nearest[path], path))
        last = 1.0
        for note in self._ranking.written.put_first([self._ranked(path, max(scored[path], 0.001)) for path in order]):
            last = note.score
            yield note
        for note in islice(self._ranking.notes, len(self._by_words), None):
            if note.path not in scored:
                last = min(last, note.score)
                yield replace(note, score=max(round(last, 3), 0.001))

    def _score(self, path: str, most: float) -> float:
        """Returns the score of a note, 0 to 1, three decimals."""
        fusion = self._fusion
        rows = self._rows[path]
        note = self._by_words.get(path)
        words = note.score / most if note is not None else 0.0
        near, exact = self._near[rows], self._exact[rows]
        worth = fusion.words * words
        if len(near):
            worth += fusion.note * float(near.mean()) + fusion.exact * float(exact.max())
        worth /= fusion.words + fusion.note + fusion.exact
        if language.is_other({self._passages[path].language}, self._ranking.languages):
            worth *= fusion.other_language
        return round(worth, 3)

    def _ranked(self, path: str, score: float) -> RankedNote:
        """Returns a note with its passages, best first; words and meaning count equally for each."""
        rows = self._rows[path]
        note = self._by_words.get(path)
        terms_of = {each.number: each.terms for each in note.evidence} if note is not None else {}
        near = _within(self._near[rows])
        worth = np.round((_within(self._words[rows]) + near) / 2, 6).tolist()
        evidence = [
            Evidence(number, value, terms_of.get(number, frozenset()), _found_by(number in terms_of, is_near))
            for number, (value, is_near) in enumerate(zip(worth, (near >= self._fusion.is_near).tolist(), strict=True))
        ]
        evidence.sort(key=lambda each: (-each.score, each.number))
        return RankedNote(path, score, self._passages[path], evidence)

    def explained(self) -> str:
        """Returns a sentence that says how many notes words found, and how many meaning."""
        return f"Joined: the first {len(self._by_words):,} notes found by words, and {len(self._added):,} by meaning."


def _found_by(by_words: bool, is_near: bool) -> tuple[str, ...]:
    return ("words", "meaning") if by_words and is_near else ("words",) if by_words else ("meaning",)


def _near_notes(models: Sequence[Model], known: Snapshot, wanted: frozenset[str], fusion: Fusion) -> list[str]:
    """Returns the wanted notes that hold the nearest passages."""
    found: dict[str, None] = {}
    for model in models:
        of_model: dict[str, None] = {}
        keys = model.near.nearest(fusion.near_passages)
        holding = known.copies(keys)
        for key in keys:
            for path in sorted(holding[key] & wanted)[:1] if len(of_model) < fusion.near_notes else ():
                of_model[path] = None
        if len(of_model) < min(fusion.enough, len(wanted)):  # the scope is a small part of the vault
            of_model |= dict.fromkeys(_nearest_of(model, known.loaded_passages(sorted(wanted)))[: fusion.near_notes])
        found |= of_model
    return list(found)


def _nearest_of(model: Model, passages: Mapping[str, Passages]) -> list[str]:
    """Returns the paths of notes, nearest first."""
    similar: dict[str, float] = {}
    for path, of_note in passages.items():
        found = model.near.similarities(of_note.keys)
        if not np.isnan(found).all():
            similar[path] = float(np.nanmax(found))
    return sorted(similar, key=lambda path: (-similar[path], path))


def _shared(similarity: Any, middle: float, best: float) -> Any:
    return np.clip((similarity - middle) / max(best - middle, 1e-6), 0.0, 1.0)


def _within(values: Floats) -> Floats:
    """Scale the values of one note's passages: the least to 0, the most to 1; equal values become 1, zeros 0."""
    least, most = values.min(initial=np.inf), values.max(initial=0.0)
    if most > least:
        within: Floats = (values - least) / (most - least)
        return within
    return np.full(len(values), float(most > 0), np.float32)

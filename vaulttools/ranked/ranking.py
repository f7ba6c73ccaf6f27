"""Ranks the notes that answer a question best, by its words (`mode="ranked"`).

The index nominates notes by BM25 and tells where the words stand in them; notes it does not know as they are are read.
One function scores both (`scoring`), so that a note that was changed a moment ago ranks as any other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from vaulttools.core import paths
from vaulttools.index.kept_facts import value_of
from vaulttools.index.passages import Passages
from vaulttools.index.word_hits import Places, WordHits
from vaulttools.notes import language
from vaulttools.notes.stored import Stored
from vaulttools.patterns.literals import fold
from vaulttools.ranked import asked_language, light_words
from vaulttools.ranked.counted import MANY, Counter, TermCounts
from vaulttools.ranked.finder import Finder
from vaulttools.ranked.order import BestFirst, Candidate, RankedNote
from vaulttools.ranked.question import QuestionTerm
from vaulttools.ranked.question import read as read_question
from vaulttools.ranked.scoring import BODY, rarity, score
from vaulttools.ranked.substitutes import Substitutes
from vaulttools.ranked.term_matches import Reader, TermMatches
from vaulttools.ranked.weakness import covered
from vaulttools.ranked.weights import WEAK
from vaulttools.ranked.word_index import WordIndex

CANDIDATES: Final = 60
"""Notes that are scored: of those that BM25 puts further down hardly one comes among the first five (measured). Whoever
turns so many pages gets the next ones behind them, four times as many at a time, so that no page changes another."""

_READ_CANDIDATES: Final = 30
"""Likewise where each must be read, which takes a third of a millisecond."""

_ROUNDS: Final = 6

_IN_NAME: Final = 3.0
"""What a piece of text counts in a name while notes are nominated, in texts that hold it."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to a question."""

    notes: Sequence[RankedNote]
    """The best first. Of equal ones those tagged with a word of the question, then the newest, then the first by path.
    """
    weakness: str
    """One sentence when the evidence is weak; else `""`."""
    explanation: Sequence[str]
    """In plain words: what was looked for, and what was not."""
    notices: Sequence[str]
    """What a reader of the hits must know."""
    unfound: Sequence[str]
    """Words that no text or title holds, and for which nothing else was looked for."""
    waiting: Sequence[str]
    """Notes that there was no time to read."""
    finder: Finder
    """Finds what was looked for in any text."""
    rarities: Sequence[float]
    """What each term of it weighs."""
    coverage: float = 1.0
    """The part of the question, by what its words weigh, that the best passage holds."""
    nearest: float | None = None
    """How near the nearest passage is in meaning, -1 to 1; None: nothing was compared."""
    languages: frozenset[str] = frozenset()
    """Those that the question may be in; none when nothing tells."""
    unread: Sequence[str] = ()
    """Notes that hold what was looked for, and that there was no time to take apart into passages: more of them while
    `notes` are asked for."""
    absences: Sequence[str] = ()
    """Sentences about the words that stand nowhere: which, and what was looked for instead."""


def rank(
    question: str,
    notes: frozenset[str],
    index: WordIndex | None,
    read: Reader,
    stop: Callable[[], bool],
    most: int,
    counter: Counter | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> Ranking:
    """The best of some notes for a question: `most` of them, when so many hold any of it, and perhaps some more.

    `read` is asked for the notes of which nothing is known, until `stop` says that there is no time left, and for the
    candidates of questions in Chinese and other scripts without blanks. With a `counter`, of many notes of which
    nothing is known only those are read that hold most of what is asked, and all attachments. When all `is_over`, no
    more passages are made.
    """
    return _Search(question, notes, index, read, stop, most, counter, is_over).ranking()


def _weight(term: QuestionTerm, rare: float) -> float:
    """What a term weighs that is so rare."""
    return min(rare, light_words.MOST) if term.text.lower() in light_words.LIGHT_WORDS else rare


class _Search:
    """One question being answered."""

    def __init__(
        self,
        question: str,
        notes: frozenset[str],
        index: WordIndex | None,
        read: Reader,
        stop: Callable[[], bool],
        most: int,
        counter: Counter | None,
        is_over: Callable[[], bool],
    ) -> None:
        self._asked = question
        self._question = read_question(question)
        self._notes = notes
        self._index = index
        self._read = read
        self._stop = stop
        self._is_over = is_over
        self._unread: list[str] = []
        needs_text = any(term.literal for term in self._question.terms)
        first = _READ_CANDIDATES if needs_text else CANDIDATES
        self._rounds = [first << 2 * number for number in range(_ROUNDS)]
        """How many notes are scored, at first and whenever that is not enough."""
        self._candidates_wanted = min((count for count in self._rounds if count >= most), default=self._rounds[-1])
        self._matches = TermMatches(notes, index, read, stop)
        unknown = self._matches.unknown()
        self._counted = TermCounts(counter, unknown, most) if counter is not None and len(unknown) > MANY else None
        self._matches.read_notes(unknown if self._counted is None else self._counted.best(self._question.terms))

    def ranking(self) -> Ranking:
        matches, substitutes = self._matches, Substitutes(self._matches)
        terms: Sequence[QuestionTerm] = self._question.terms
        hits = matches.hits(terms, 0)
        missing = {
            number
            for number, (term, count) in enumerate(zip(terms, hits.counts, strict=True))
            if not matches.stands(term, count)
        }
        if missing:
            absent = {number for number in missing if self._counted is None or self._counted.is_absent(terms[number])}
            terms = substitutes.of(terms, absent, missing - absent)
            if self._counted is not None:
                matches.read_notes(self._counted.best(terms))
        hits = matches.hits(terms, self._candidates_wanted)
        finder = Finder(terms)
        looked_at = {path: finder.places(note) for path, note in matches.looked_at.items() if note is not None}
        holding = list(map(matches.holding, terms))
        notes = max(hits.notes + len(looked_at), len(self._notes))
        rarities = [
            _weight(term, rarity(notes, self._count(term, number, count, some, looked_at)))
            for number, (term, count, some) in enumerate(zip(terms, hits.counts, holding, strict=True))
        ]
        candidates = self._candidates(finder, rarities, hits, holding)
        candidates |= {path: looked_at[path] for path in matches.fresh}
        ranked, languages = self._ordered(finder, rarities, candidates)
        uncounted, absences = self._uncounted(), substitutes.sentences
        coverage, lacking = covered(terms, rarities, substitutes.unfound, ranked, notes)
        return Ranking(
            notes=ranked,
            weakness=lacking if coverage < WEAK.by_words and not uncounted else "",
            coverage=coverage,
            explanation=self._explained(terms, absences),
            notices=uncounted,
            unfound=substitutes.unfound,
            waiting=matches.waiting,
            unread=self._unread,
            languages=languages,
            finder=finder,
            rarities=rarities,
            absences=absences,
        )

    def _uncounted(self) -> Sequence[str]:
        """What is said of words that ripgrep did not count in all notes."""
        if self._counted is None or not self._counted.uncounted:
            return ()
        words = ", ".join(f'"{text}"' for text in self._counted.uncounted)
        return (f"Not all notes were searched for {words}.",)

    def _ordered(
        self, finder: Finder, rarities: Sequence[float], candidates: Mapping[str, Places]
    ) -> tuple[BestFirst, frozenset[str]]:
        """The candidates that hold any of it; of equal ones those tagged with a word of the question, then the newest,
        then the first by path. And the languages that the question may be in."""
        fresh, index = self._matches.fresh, self._index

        def passages(notes: Sequence[str]) -> dict[str, Passages]:
            kept = {} if index is None else index.loaded_passages([path for path in notes if path not in fresh])
            made = ((path, self._passages(path, finder, kept.get(path))) for path in notes)
            return {path: each for path, each in made if each is not None}

        def tie(notes: Sequence[str]) -> Sequence[str]:
            tagged = self._tagged(notes)
            newest = {path: (index.modified(path) if index is not None else None) or 0 for path in notes}
            return sorted(notes, key=lambda path: (-tagged.get(path, 0), -newest[path], path))

        scored = [
            Candidate(path, of_note, places, 0 if path in fresh else bisect_right(self._rounds, place))
            for place, (path, places) in enumerate(candidates.items())
            if (of_note := score(places, rarities)) > 0
        ]
        languages = self._languages(candidates)
        return BestFirst(scored, rarities, passages, tie, languages, self._question.quantity), languages

    def _languages(self, candidates: Mapping[str, Places]) -> frozenset[str]:
        """The languages that the question may be in, by its words and by the notes that hold them."""

        def found() -> dict[str, str]:
            read = {path: self._matches.looked_at.get(path) for path in candidates}
            known = [path for path, words in read.items() if words is None]
            kept = {} if self._index is None else self._index.loaded_passages(known)
            told = {path: each.language for path, each in kept.items()}
            told |= {path: language.of(words.columns[BODY].text) for path, words in read.items() if words is not None}
            return {path: told[path] for path in candidates if path in told}

        def text(path: str) -> str:
            note = None if self._stop() else self._read(path)
            return "" if note is None else note.text

        return self._question.languages or asked_language.told(self._asked, found, text)

    def _passages(self, path: str, finder: Finder, kept: Passages | None) -> Passages | None:
        """The passages of a note, from what the index holds of them or from its text."""
        if kept is not None and not finder.needs_text:
            return kept
        if self._is_over():
            self._unread.append(path)
            return None
        note = self._matches.fresh.get(path) or self._read(path)
        return None if note is None else finder.passages(note, kept)

    def _count(
        self, term: QuestionTerm, number: int, count: int, some: AbstractSet[str], looked_at: Mapping[str, Places]
    ) -> int:
        """How many notes hold a term."""
        counted = None if self._counted is None else self._counted.holders(term)
        if counted is not None:
            return counted
        if term.literal:
            return len(some)
        return count + sum(any(places.found[number]) for places in looked_at.values())

    def _candidates(
        self,
        finder: Finder,
        rarities: Sequence[float],
        hits: WordHits,
        holding: Sequence[AbstractSet[str]],
    ) -> dict[str, Places]:
        """Where the terms stand in the notes of the index that come into question."""
        if not finder.needs_text:
            return dict(hits.places)
        places: dict[str, Places] = {}
        for path in self._nominated(finder, rarities, hits, holding):
            note = None if self._stop() else self._read(path)
            if note is not None:
                places[path] = finder.places(note)
        return places

    def _nominated(
        self,
        finder: Finder,
        rarities: Sequence[float],
        hits: WordHits,
        holding: Sequence[AbstractSet[str]],
    ) -> Sequence[str]:
        """The notes that hold most of what is asked, by pieces of text and by words."""
        weight: dict[str, float] = defaultdict(float)
        for term, rare, some in zip(finder.terms, rarities, holding, strict=True):
            literal = term.literal
            for path in some & self._notes - self._matches.fresh.keys():
                weight[path] += rare * (1 + _IN_NAME * (literal in fold(paths.stem(path))))
        for path, places in hits.places.items():
            for rare, columns in zip(rarities, places.found, strict=True):
                weight[path] += rare * any(columns)
        best = sorted(weight, key=lambda path: (-weight[path], path))
        return best[: self._candidates_wanted]

    def _tagged(self, notes: Sequence[str]) -> Mapping[str, int]:
        """How many words of the question are tags of notes."""
        words = {term.text.casefold() for term in self._question.terms}
        tags: dict[str, tuple[str, ...]] = {}
        if self._index is not None:
            known = self._index.facts("tags", notes, lambda data: Stored(data).written_tags, self._stop)
            tags |= {path: value_of(fact) for path, fact in known.items()}
        fresh = self._matches.fresh
        tags |= {path: fresh[path].written_tags for path in notes if path in fresh}
        return {path: len(words.intersection(map(str.casefold, written))) for path, written in tags.items()}

    def _explained(self, terms: Sequence[QuestionTerm], absences: Sequence[str]) -> list[str]:
        names = [f'"{term.text}"' if term.is_phrase else term.text for term in terms]
        sentences = [f"Any of these, in any inflection, case and accents: {', '.join(names)}." if names else ""]
        if self._question.stop_words:
            sentences.append(f"Not looked for, since they say little: {', '.join(self._question.stop_words)}.")
        if self._question.is_cut:
            sentences.append(f"Only the first {len(self._question.terms)} words of the question were looked for.")
        return [sentence for sentence in (*sentences, *absences) if sentence]

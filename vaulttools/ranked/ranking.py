"""Ranked search: the notes that answer a question best, from the words in it (`mode="ranked"`).

The index nominates notes by BM25 and tells where the words stand in them; notes it does not know as they are are read.
One function scores both (`scoring`), so that a note that was changed a moment ago ranks as any other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final

from vaulttools.core import paths
from vaulttools.files.known import Known, Places, Spelling, WordHits
from vaulttools.index.words import tokens
from vaulttools.notes.note import Note
from vaulttools.notes.stored import Stored
from vaulttools.patterns.literals import fold
from vaulttools.ranked import corrections
from vaulttools.ranked.finder import Finder, Passage
from vaulttools.ranked.question import Question, Term, word
from vaulttools.ranked.question import read as read_question
from vaulttools.ranked.scoring import rarity, score
from vaulttools.ranked.vocabulary import Vocabulary

CANDIDATES: Final = 60
"""Notes that are scored: of those that BM25 puts further down hardly one comes among the first five (measured). Whoever
turns so many pages gets the next ones behind them, four times as many at a time, so that no page changes another."""

_READ_CANDIDATES: Final = 30
"""Likewise where each must be read, which takes a third of a millisecond."""

_ROUNDS: Final = 6

_IN_NAME: Final = 3.0
"""What a piece of text counts in a name while notes are nominated, in texts that hold it."""

_FEW_ELSEWHERE: Final = 20
"""Notes outside the scope that are read because they changed a moment ago. Of more, as after a checkout, what the index
held before is counted: each takes a third of a millisecond, and they only say how frequent a word is."""

_WRITTEN_IN: Final = 3
"""Notes that are read to see how a word is written; one is enough unless it changes meanwhile."""

_SHORTEST_BEGINNING: Final = 3
"""Characters of what may be the beginning of a word."""

Reader = Callable[[str], Note | None]
"""The note at a path as it is now; None when it cannot be read, which the reader has taken note of."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One note."""

    path: str
    score: float
    """From 0, higher is better; 1 when the title is the question, and a passage too. Three decimals."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to a question."""

    hits: Sequence[Hit]
    """The best first. Of equal ones those tagged with a word of the question, then the newest, then the first by path.
    """
    total: int
    """Notes that hold any of the words."""
    explanation: Sequence[str]
    """In plain words: what was looked for, and what was not."""
    notices: Sequence[str]
    """What a reader of the hits must know: words that stand nowhere, and what was looked for instead."""
    nowhere: Sequence[str]
    """Words that no text or title holds, and that no word of one begins with."""
    waiting: Sequence[str]
    """Notes that there was no time to read."""
    finder: Finder
    """Finds the words that were looked for in any note."""
    rarities: Sequence[float]
    """What each of them weighs."""

    def passage(self, note: Note) -> Passage:
        """The lines of a note that answer best."""
        return self.finder.passage(note, self.rarities)


def rank(
    question: str,
    notes: frozenset[str],
    known: Known | None,
    read: Reader,
    stop: Callable[[], bool],
    most: int,
) -> Ranking:
    """The best of some notes for a question, `most` of them at most.

    `read` is asked for the notes of which nothing is known, until `stop` says that there is no time left, and for the
    candidates of questions in Chinese and other scripts without blanks.
    """
    return _Search(read_question(question), notes, known, read, stop, most).ranking()


class _Search:
    """One question being answered."""

    def __init__(
        self,
        question: Question,
        notes: frozenset[str],
        known: Known | None,
        read: Reader,
        stop: Callable[[], bool],
        most: int,
    ) -> None:
        self._question = question
        self._notes = notes
        self._known = known
        self._read = read
        self._stop = stop
        self._most = most
        needs_text = any(term.literal for term in question.terms)
        first = _READ_CANDIDATES if needs_text else CANDIDATES
        self._rounds = [first << 2 * number for number in range(_ROUNDS)]
        """How many notes are scored, at first and whenever that is not enough."""
        self._candidates_wanted = min((count for count in self._rounds if count >= most), default=self._rounds[-1])
        self._notices: list[str] = []
        self._nowhere: list[str] = []
        self._fresh: dict[str, Note] = {}
        """Notes of the scope that were read because nothing was known of them."""
        self._looked_at: dict[str, Note | None] = {}
        """These, and notes outside the scope that changed a moment ago; None: it could not be read."""
        self._vocabulary = Vocabulary(known, self._looked_at)
        self._held: dict[str, AbstractSet[str]] = {}
        """The notes that hold a piece of text."""
        self._waiting: Sequence[str] = ()
        """Notes that should have been."""

    def ranking(self) -> Ranking:
        self._read_unknown()
        terms: Sequence[Term] = self._question.terms
        hits = self._hits(terms, self._candidates_wanted)
        missing = {number for number, term in enumerate(terms) if not self._stands(term, hits, number)}
        if missing:
            terms = self._resolved(missing)
            hits = self._hits(terms, self._candidates_wanted)
        finder = Finder(terms)
        looked_at = {path: finder.places(note) for path, note in self._looked_at.items() if note is not None}
        fresh = {path: looked_at[path] for path in self._fresh}
        holding = [self._holding(term) for term in terms]
        notes = max(hits.notes + len(looked_at), len(self._notes))
        rarities = [
            rarity(
                notes,
                len(some) if term.literal else count + sum(any(places.found[number]) for places in looked_at.values()),
            )
            for number, (term, count, some) in enumerate(zip(terms, hits.counts, holding, strict=True))
        ]
        candidates = self._candidates(finder, rarities, hits, holding) | fresh
        scored = {
            path: value for path, places in candidates.items() if (value := round(score(places, rarities), 3)) > 0
        }
        held = self._notes.intersection(frozenset().union(*holding)).difference(self._waiting)
        return Ranking(
            hits=self._ordered(scored, list(candidates))[: self._most],
            total=max(len(held | scored.keys()), hits.total + len(fresh.keys() & scored.keys())),
            explanation=self._explained(terms),
            notices=self._notices,
            nowhere=self._nowhere,
            waiting=self._waiting,
            finder=finder,
            rarities=rarities,
        )

    def _read_unknown(self) -> None:
        """Read the notes of which nothing is known, while there is time; of notes outside the scope, which say how
        frequent a word is, those that changed a moment ago when they are few."""
        if self._known is not None and self._known.version() is not None:
            return
        unknown = sorted(self._notes) if self._known is None else self._known.unknown(sorted(self._notes))
        for number, path in enumerate(unknown):
            if self._stop():
                self._waiting = unknown[number:]
                return
            note = self._looked_at[path] = self._read(path)
            if note is not None:
                self._fresh[path] = note
        elsewhere = () if self._known is None else sorted(self._known.changed() - self._notes)
        if len(elsewhere) <= _FEW_ELSEWHERE:
            self._looked_at.update((path, self._read(path)) for path in elsewhere if not self._stop())

    def _hits(self, terms: Sequence[Term], most: int) -> WordHits:
        """What the index knows of the terms that are words."""
        nothing = WordHits([0] * len(terms), {})
        if self._known is None:
            return nothing
        spellings = [term.spellings for term in terms]
        return self._known.words(spellings, most, self._notes, self._looked_at.keys()) or nothing

    def _holding(self, term: Term) -> AbstractSet[str]:
        """The notes that hold a piece of text, or have it in their names; none for words."""
        literal = term.literal
        if not literal:
            return frozenset()
        if literal not in self._held:
            held = {path for path, name in self._names() if literal in name}
            held.update(path for path, text in self._texts.items() if literal in text)
            if self._known is not None:
                held |= self._known.holding_text(literal, self._looked_at.keys())
            self._held[literal] = held
        return self._held[literal]

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        """The texts of the notes that were read, as they are compared."""
        return {path: fold(note.text) for path, note in self._looked_at.items() if note is not None}

    def _names(self) -> Sequence[tuple[str, str]]:
        """The notes with their names as they are compared."""

        def made() -> Sequence[tuple[str, str]]:
            return [(path, fold(PurePosixPath(path).stem)) for path in self._notes]

        return made() if self._known is None else self._known.kept(("names", self._notes), made)

    def _stands(self, term: Term, hits: WordHits, number: int) -> bool:
        """Whether any note holds a term, in the scope or elsewhere."""
        if hits.counts[number] or self._holding(term):
            return True
        finder = Finder([term])
        read = (note for note in self._looked_at.values() if note is not None)
        return any(any(map(any, finder.places(note).found)) for note in read)

    def _resolved(self, missing: AbstractSet[int]) -> Sequence[Term]:
        """The terms that stand somewhere, and for the others what is looked for instead."""
        terms = self._question.terms
        resolved: dict[tuple[str, bool], Term] = {}
        for number, term in enumerate(terms):
            for each in self._instead_of(term) if number in missing else (term,):
                resolved[each.text, each.is_phrase] = each
        if not resolved and any(term.literal for term in terms):
            self._notices.append("No note holds any part of it.")
        return list(resolved.values())

    def _instead_of(self, term: Term) -> Sequence[Term]:
        """What is looked for instead of a term that stands nowhere: its parts, words that begin so, words spelled
        nearly so; nothing when there is nothing of that kind."""
        name = f'No text or title holds "{term.text}"'
        if term.is_phrase:
            self._notices.append(f"{name}; its words were searched for one by one.")
            return ()
        if term.literal:
            return tuple(map(Term, term.parts))
        if term.parts:
            self._notices.append(f"{name}; its parts were searched for: {', '.join(term.parts)}.")
            return tuple(map(word, term.parts))
        beginning = Term(term.text, (Spelling(term.text, is_beginning=True),))
        if len(term.text) >= _SHORTEST_BEGINNING and self._stands(beginning, self._hits([beginning], 0), 0):
            self._notices.append(f"{name}; words that begin so were searched for.")
            return (beginning,)
        self._nowhere.append(term.text)
        close = corrections.of(term.text, self._vocabulary)
        if not close:
            self._notices.append(f"{name}.")
            return ()
        written = [self._as_written(stem) for stem in close]
        spelled = " or ".join(f'"{each}"' for each in written)
        self._notices.append(f"{name}; {spelled} was searched for instead.")
        # What is a stem may have another one.
        spellings = tuple(Spelling(stem, is_beginning=tokens(stem)[0][2] != stem) for stem in close)
        return (Term(" or ".join(written), spellings),)

    def _as_written(self, stem: str) -> str:
        """A word of the vault that has a stem: the first one of the first note, of the scope if there is any."""
        notes = self._vocabulary.notes(stem)
        for path in sorted(notes & self._notes or notes, key=paths.order)[:_WRITTEN_IN]:
            note = self._read(path)
            for text in () if note is None else (note.title, note.text):
                for start, end, other in tokens(text):
                    if other == stem:
                        return text.encode("utf-8", "replace")[start:end].decode().lower()
        return stem

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
            for path in some & self._notes - self._fresh.keys():
                weight[path] += rare * (1 + _IN_NAME * (literal in fold(PurePosixPath(path).stem)))
        for path, places in hits.places.items():
            for rare, columns in zip(rarities, places.found, strict=True):
                weight[path] += rare * any(columns)
        best = sorted(weight, key=lambda path: (-weight[path], path))
        return best[: self._candidates_wanted]

    def _ordered(self, scored: Mapping[str, float], nominated: Sequence[str]) -> list[Hit]:
        frequent = Counter(scored.values())
        tagged = self._tagged([path for path, value in scored.items() if frequent[value] > 1])
        rounds = {path: bisect_right(self._rounds, place) for place, path in enumerate(nominated)}

        def key(hit: Hit) -> tuple[int, float, int, int, str]:
            newest = self._known.modified(hit.path) if self._known is not None else None
            turn = 0 if hit.path in self._fresh else rounds[hit.path]
            return turn, -hit.score, -tagged.get(hit.path, 0), -(newest or 0), hit.path

        return sorted((Hit(path, value) for path, value in scored.items()), key=key)

    def _tagged(self, notes: Sequence[str]) -> Mapping[str, int]:
        """How many words of the question are tags of notes."""
        words = {term.text.casefold() for term in self._question.terms}
        tags: dict[str, tuple[str, ...]] = {}
        if self._known is not None:
            tags |= self._known.facts("tags", notes, lambda data: Stored(data).written_tags, self._stop)
        tags |= {path: self._fresh[path].written_tags for path in notes if path in self._fresh}
        return {path: len(words.intersection(map(str.casefold, written))) for path, written in tags.items()}

    def _explained(self, terms: Sequence[Term]) -> list[str]:
        names = [f'"{term.text}"' if term.is_phrase else term.text for term in terms]
        sentences = [f"Any of these, in any inflection, case and accents: {', '.join(names)}." if names else ""]
        if self._question.stop_words:
            sentences.append(f"Not looked for, since they say little: {', '.join(self._question.stop_words)}.")
        if self._question.is_cut:
            sentences.append(f"Only the first {len(self._question.terms)} words of the question were looked for.")
        return [sentence for sentence in (*sentences, *self._notices) if sentence]

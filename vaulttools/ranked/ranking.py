"""Ranks the notes that answer a question best, by its words (`mode="ranked"`).

The index nominates notes by BM25 and tells where the words stand in them; notes it does not know as they are are read.
One function scores both (`scoring`), so that a note that was changed a moment ago ranks as any other.
"""

from __future__ import annotations

import collections
import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final, Protocol, TypeAlias

from vaulttools.core import paths
from vaulttools.files.known import Known, Places, Spelling, WordHits
from vaulttools.index.passages import Passages, load
from vaulttools.index.words import first_written, tokens
from vaulttools.notes.note import Note
from vaulttools.notes.stored import Stored
from vaulttools.patterns.literals import fold
from vaulttools.ranked import corrections
from vaulttools.ranked.evidence import Evidence, best, combined
from vaulttools.ranked.expressions import beginnings
from vaulttools.ranked.finder import Finder
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

_SHORTEST_PART: Final = 3
"""Characters of a word that a compound may be made of."""

_ENOUGH: Final = 0.5
"""The part of a question, by what its words weigh, that a passage must hold not to be weak evidence."""

MANY: Final = 200
"""Notes of which nothing is known from which on words are counted to choose those that are read: reading and parsing so
many takes as long as ripgrep takes to count a word in 10,000."""

_STATED: Final = 300
"""Notes whose size is asked for to choose those that are read."""
_LONG_BYTES: Final = 20_000
"""Bytes of a note that halve what its counts weigh."""

_SATURATION: Final = 1.5
"""Matching lines that give half of what any number gives, where notes are chosen by such counts."""

Frequencies: TypeAlias = Mapping[str, int]
"""How many lines of each note hold a term; or perhaps only begin like it."""


class Counter(Protocol):
    """Counts terms in all notes without an index."""

    def frequencies(self, terms: Sequence[Term]) -> Sequence[Frequencies]:
        """Of each term."""

    def size(self, path: str) -> int:
        """Bytes of a note."""


Reader = Callable[[str], Note | None]
"""The note at a path as it is now; None when it cannot be read, which the reader has taken note of."""


@dataclass(frozen=True, slots=True)
class RankedNote:
    """One note that answers, by its best passage."""

    path: str
    score: float
    """From 0 to 1, higher is better. Three decimals."""
    passages: Passages
    """All of them."""
    evidence: Sequence[Evidence]
    """Those that hold a word of the question, best first; empty when only the name or a property block does."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to a question."""

    notes: Sequence[RankedNote]
    """The best first. Of equal ones those tagged with a word of the question, then the newest, then the first by path.
    """
    weakness: str
    """One sentence when no passage holds the rarest words of the question together, and none most of it; else `""`."""
    explanation: Sequence[str]
    """In plain words: what was looked for, and what was not."""
    notices: Sequence[str]
    """What a reader of the hits must know: words that stand nowhere, and what was looked for instead."""
    nowhere: Sequence[str]
    """Words that no text or title holds, and that no word of one begins with."""
    waiting: Sequence[str]
    """Notes that there was no time to read."""
    finder: Finder
    """Finds what was looked for in any text."""
    rarities: Sequence[float]
    """What each term of it weighs."""


def rank(
    question: str,
    notes: frozenset[str],
    known: Known | None,
    read: Reader,
    stop: Callable[[], bool],
    most: int,
    counter: Counter | None = None,
) -> Ranking:
    """The best of some notes for a question: `most` of them, when so many hold any of it, and perhaps some more.

    `read` is asked for the notes of which nothing is known, until `stop` says that there is no time left, and for the
    candidates of questions in Chinese and other scripts without blanks. With a `counter`, of many notes of which
    nothing is known only those are read that hold most of what is asked, and all attachments.
    """
    return _Search(read_question(question), notes, known, read, stop, most, counter).ranking()


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
        counter: Counter | None,
    ) -> None:
        self._question = question
        self._notes = notes
        self._known = known
        self._read = read
        self._stop = stop
        self._most = most
        self._counter = counter
        self._counted: dict[str, Frequencies] = {}
        """By term: in how many lines of which notes the counter found it."""
        needs_text = any(term.literal for term in question.terms)
        first = _READ_CANDIDATES if needs_text else CANDIDATES
        self._rounds = [first << 2 * number for number in range(_ROUNDS)]
        """How many notes are scored, at first and whenever that is not enough."""
        self._candidates_wanted = min((count for count in self._rounds if count >= most), default=self._rounds[-1])
        self._notices: list[str] = []
        self._nowhere: list[str] = []
        self._unfound: list[str] = []
        """Words for which nothing else is looked for either."""
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
        terms: Sequence[Term] = self._question.terms
        unknown = self._unknown()
        is_chosen = self._counter is not None and len(unknown) > MANY
        self._read_notes(self._chosen(terms, unknown) if is_chosen else unknown)
        hits = self._hits(terms, self._candidates_wanted)
        missing = {number for number, term in enumerate(terms) if not self._stands(term, hits, number)}
        if missing:
            terms = self._resolved(missing)
            if is_chosen:
                self._read_notes(self._chosen(terms, unknown))
            hits = self._hits(terms, self._candidates_wanted)
        finder = Finder(terms)
        looked_at = {path: finder.places(note) for path, note in self._looked_at.items() if note is not None}
        fresh = {path: looked_at[path] for path in self._fresh}
        holding = [self._holding(term) for term in terms]
        notes = max(hits.notes + len(looked_at), len(self._notes))
        rarities = [
            rarity(notes, self._holders(terms[number], number, count, some, looked_at))
            for number, (count, some) in enumerate(zip(hits.counts, holding, strict=True))
        ]
        candidates = self._candidates(finder, rarities, hits, holding) | fresh
        ranked = self._ordered(self._scored(finder, rarities, candidates), list(candidates))
        return Ranking(
            notes=ranked,
            weakness=self._weakness(terms, rarities, ranked),
            explanation=self._explained(terms),
            notices=self._notices,
            nowhere=self._nowhere,
            waiting=self._waiting,
            finder=finder,
            rarities=rarities,
        )

    def _scored(
        self, finder: Finder, rarities: Sequence[float], candidates: Mapping[str, Places]
    ) -> Iterator[RankedNote]:
        """The candidates that hold any of it."""
        kept = {} if self._known is None else self._known.passages([*(candidates.keys() - self._fresh.keys())])
        for path, places in candidates.items():
            of_note = score(places, rarities)
            if round(of_note, 3) <= 0:
                continue
            passages = self._passages(path, finder, kept.get(path))
            if passages is not None:
                evidence = best(places, passages, rarities)
                yield RankedNote(path, combined(of_note, evidence), passages, evidence)

    def _passages(self, path: str, finder: Finder, kept: bytes | None) -> Passages | None:
        """The passages of a note, from what the index holds of them or from its text."""
        if kept is not None and not finder.needs_text:
            return load(kept)
        note = self._fresh.get(path) or self._read(path)
        return None if note is None else finder.passages(note, None if kept is None else load(kept))

    def _weakness(self, terms: Sequence[Term], rarities: Sequence[float], ranked: Sequence[RankedNote]) -> str:
        """What the evidence lacks, in a sentence; `""` when it does not."""
        words: list[tuple[float, int, str]] = [
            (-rare, number, term.text) for number, (term, rare) in enumerate(zip(terms, rarities, strict=True))
        ]
        most = max(rarities, default=0.0)
        # A word that stands nowhere may be a way of saying it that the notes do not have: it counts half.
        words += [(-max(most, 1.0) / 2, len(terms) + number, word) for number, word in enumerate(self._unfound)]
        if len(words) < 2 or not ranked:
            return ""
        main = {number for _, number, _ in sorted(words)[:2]}
        evidence = [each for note in ranked for each in note.evidence]
        total = -sum(weight for weight, _, _ in words)
        share = max((sum(rarities[term] for term in each.held) for each in evidence), default=0.0) / total
        if share >= _ENOUGH or any(main <= each.held for each in evidence):
            return ""
        first, second = (json.dumps(word, ensure_ascii=False) for _, _, word in sorted(words)[:2])
        held = ranked[0].evidence[0].held if ranked[0].evidence else frozenset()
        only = ", ".join(terms[number].text for number in sorted(held))
        return f"No passage holds {first} and {second} together" + (f"; the best hold only: {only}." if only else ".")

    def _unknown(self) -> Sequence[str]:
        """The notes of which nothing is known, in order, and behind them such attachments, which take longer."""
        if self._known is None:
            return sorted(self._notes, key=lambda path: (not paths.is_note(path), path))
        if self._known.version() is not None:
            return self._known.unranked(self._known.kept(("attachments", self._notes), self._attachments))
        unknown = self._known.unranked(sorted(self._notes))
        return sorted(unknown, key=lambda path: (not paths.is_note(path), path))

    def _attachments(self) -> Sequence[str]:
        return sorted(path for path in self._notes if not paths.is_note(path))

    def _read_notes(self, notes: Sequence[str]) -> None:
        """Read notes of which nothing is known, while there is time; of notes outside the scope, which say how frequent
        a word is, those that changed a moment ago when they are few."""
        for number, path in enumerate(notes):
            if path in self._fresh:
                continue
            if self._stop():
                self._waiting = notes[number:]
                return
            note = self._looked_at[path] = self._read(path)
            if note is not None:
                self._fresh[path] = note
        elsewhere = () if self._known is None else sorted(self._known.changed() - self._notes)
        if len(elsewhere) <= _FEW_ELSEWHERE:
            self._looked_at.update((path, self._read(path)) for path in elsewhere if not self._stop())

    def _chosen(self, terms: Sequence[Term], unknown: Sequence[str]) -> Sequence[str]:
        """The notes of which nothing is known that hold most of what is asked, by counted lines."""
        assert self._counter is not None
        among = frozenset(unknown)
        asked = [term for term in terms if term.text not in self._counted]
        for term, counts in zip(asked, self._counter.frequencies(asked), strict=True):
            self._counted[term.text] = {path: number for path, number in counts.items() if path in among}
        weight: dict[str, float] = defaultdict(float)
        names = {path: fold(PurePosixPath(path).stem) for path in unknown}
        for term in terms:
            counts = self._counted[term.text]
            rare = rarity(len(unknown), len(counts))
            for path, number in counts.items():
                weight[path] += rare * number / (number + _SATURATION)
            begun = beginnings(term)
            for path, name in names.items():
                if all(each in name for each in begun):
                    weight[path] += rare * _IN_NAME
        counter = self._counter

        def normed(path: str) -> float:
            """BM25 takes a long note's many lines for less; the sizes of a few hundred cost a stat each."""
            return weight[path] / (1 + counter.size(path) / _LONG_BYTES)

        likely = sorted(weight, key=lambda path: (-weight[path], path))[: max(_STATED, self._most)]
        attachments = [path for path in unknown if not paths.is_note(path)]  # in which nothing was counted
        notes = [path for path in likely if paths.is_note(path)]
        return [*sorted(notes, key=lambda path: (-normed(path), path))[: self._most], *attachments]

    def _holders(
        self, term: Term, number: int, count: int, some: AbstractSet[str], looked_at: Mapping[str, Places]
    ) -> int:
        """How many notes hold a term."""
        if term.text in self._counted:
            return len(self._counted[term.text])
        if term.literal:
            return len(some)
        return count + sum(any(places.found[number]) for places in looked_at.values())

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
        if term.literal:
            return False  # the names of notes outside the scope are not looked at, whether they were read or not
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
        if split := self._split(term.text):
            self._notices.append(f'{name}; "{split}" was searched for instead.')
            return (Term(split, (Spelling(split),)),)
        self._nowhere.append(term.text)
        close = corrections.of(term.text, self._vocabulary)
        if not close:
            self._unfound.append(term.text)
            self._notices.append(f"{name}.")
            return ()
        written = [self._as_written(stem) for stem in close]
        spelled = " or ".join(f'"{each}"' for each in written)
        self._notices.append(f"{name}; {spelled} was searched for instead.")
        # What is a stem may have another one.
        spellings = tuple(Spelling(stem, is_beginning=tokens(stem)[0][2] != stem) for stem in close)
        return (Term(" or ".join(written), spellings),)

    def _split(self, text: str) -> str:
        """The two words, one behind the other in some note, that a word is made of: `gem stones`; `""`: none are."""
        cuts = range(_SHORTEST_PART, len(text) - _SHORTEST_PART + 1)
        pairs = [f"{text[:cut]} {text[cut:]}" for cut in cuts]
        terms = list(map(word, pairs))
        counts = list(self._hits(terms, 0).counts)
        finder = Finder(terms)
        for note in filter(None, self._looked_at.values()):
            counts = [count + any(columns) for count, columns in zip(counts, finder.places(note).found, strict=True)]
        most = max(counts, default=0)
        return pairs[counts.index(most)] if most else ""

    def _as_written(self, stem: str) -> str:
        """A word of the vault that has a stem: the first one of the first note, of the scope if there is any."""
        notes = self._vocabulary.notes(stem)
        for path in sorted(notes & self._notes or notes, key=paths.order)[:_WRITTEN_IN]:
            note = self._read(path)
            for text in () if note is None else (note.title, note.text):
                if written := first_written(stem, text):
                    return written
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

    def _ordered(self, scored: Iterable[RankedNote], nominated: Sequence[str]) -> list[RankedNote]:
        notes = list(scored)
        frequent = collections.Counter(note.score for note in notes)
        tagged = self._tagged([note.path for note in notes if frequent[note.score] > 1])
        rounds = {path: bisect_right(self._rounds, place) for place, path in enumerate(nominated)}

        def key(note: RankedNote) -> tuple[int, float, int, int, str]:
            newest = self._known.modified(note.path) if self._known is not None else None
            turn = 0 if note.path in self._fresh else rounds[note.path]
            return turn, -note.score, -tagged.get(note.path, 0), -(newest or 0), note.path

        return sorted(notes, key=key)

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

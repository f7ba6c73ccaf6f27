"""Ranks the notes that answer a question best, by its words (`mode="ranked"`).

The index nominates notes by BM25 and knows the places of the words in them; notes that it does not know are read. One
function scores both (`scoring`), so a note that was just changed ranks like any other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, overload

from vaulttools.core import paths
from vaulttools.core.folding.words import lowered
from vaulttools.index.kept_facts import value_of
from vaulttools.index.passages import Passages
from vaulttools.index.words import Places
from vaulttools.notes import language
from vaulttools.notes.packing import PackedNote
from vaulttools.ranked.candidates import Reader, TermMatches
from vaulttools.ranked.counting import MANY, RipgrepCounter, TermCounts
from vaulttools.ranked.english import languages_asked
from vaulttools.ranked.evidence import RankedNote, best, combined
from vaulttools.ranked.finder import Finder
from vaulttools.ranked.named_or_quoting import NOWHERE, NamedOrQuoting, holding_all, may_be_name, named, quotes
from vaulttools.ranked.question import Question, QuestionTerm
from vaulttools.ranked.question import read as read_question
from vaulttools.ranked.scoring import BODY, rarity, score, term_weight
from vaulttools.ranked.substitutes import Substitutes
from vaulttools.ranked.weights import BY_WORDINGS, BY_WORDS, NOMINATION, NOTE, Sharing

if TYPE_CHECKING:
    from vaulttools.index.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to a question."""

    notes: Sequence[RankedNote]
    """The best first. Ties: first notes tagged with most words of the question, then the newest, then by path."""
    is_weak: bool
    """Whether no note holds a word of the question, and no passage is near in meaning."""
    explanation: Sequence[str]
    """Sentences about what was searched for and what was not."""
    part: str
    """A sentence that names the words that were not counted in all notes; `""` if all were."""
    unfound: Sequence[str]
    """Words that no text or title holds and that nothing replaces."""
    waiting: Sequence[str]
    """Notes that were not read for lack of time."""
    finder: Finder
    """Finds the terms in any text."""
    rarities: Sequence[float]
    """The weight of each term of `finder`."""
    sharing: Sharing = BY_WORDS
    """How an answer's text is shared out among the notes."""
    languages: frozenset[str] = frozenset()
    """The languages that the question may be in; empty if unknown."""
    unread: Sequence[str] = ()
    """Notes that hold the terms and were not split into passages for lack of time."""
    corrected: Mapping[str, str] = field(default_factory=dict)
    """By word of the question that no note holds, the vault's spelling of it."""
    absences: Sequence[str] = ()
    """Sentences about the telling words that no note holds, and about corrected spellings."""
    own: int = 0
    """How many of the first terms of `finder` are those of the question itself, not of another wording."""
    written: NamedOrQuoting = NOWHERE
    """The notes in which the question is written."""
    is_by_time: bool = False
    """Whether the first notes are those of a period in order of time, whatever words they hold."""


class AsAsked(Sequence[RankedNote]):
    """Notes of an iterator, taken from it on demand: hardly anybody reads past the first page."""

    def __init__(self, made: Iterator[RankedNote]) -> None:
        self._left = made
        self._made: list[RankedNote] = []

    @overload
    def __getitem__(self, index: int) -> RankedNote: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RankedNote]: ...
    def __getitem__(self, index: int | slice) -> RankedNote | Sequence[RankedNote]:
        self._make(None if isinstance(index, slice) or index < 0 else index + 1)
        return self._made[index]

    def __len__(self) -> int:
        self._make(None)
        return len(self._made)

    def __bool__(self) -> bool:
        self._make(1)
        return bool(self._made)

    def _make(self, count: int | None) -> None:
        """Take notes from the iterator until `count` are there; all for None."""
        self._made += islice(self._left, None if count is None else max(0, count - len(self._made)))


def rank(
    question: str,
    notes: frozenset[str],
    index: Snapshot | None,
    read: Reader,
    stop: Callable[[], bool],
    most: int,
    counter: RipgrepCounter | None = None,
    is_over: Callable[[], bool] = lambda: False,
    also: tuple[str, ...] = (),
) -> Ranking:
    """Rank the best of `notes` for a question: at least `most` of them if so many hold a term.

    `also` are other wordings of the question: their words count like its own.
    `read` reads notes that the index does not know, until `stop` returns true, and the candidates of questions in
    Chinese and other scripts without blanks. `counter` finds the notes with a name that ends in signs. Without an index
    and with many unknown notes it counts all terms: only the notes that hold most of them are read, and all
    attachments. Once `is_over` returns true, no more notes are split into passages.
    """
    asked = read_question(question, also)
    matches = TermMatches(notes, index, read, stop, None if counter is None else counter.frequencies)
    unknown = matches.unknown()
    counts = (
        TermCounts(counter, unknown, most) if counter is not None and index is None and len(unknown) > MANY else None
    )
    matches.read_notes(unknown if counts is None else counts.best(asked.terms))
    substitutes = Substitutes(matches, question)
    terms, own = _searched_for(asked, matches, counts, substitutes)

    first = NOMINATION.read if any(term.literal for term in asked.terms) else NOMINATION.scored
    rounds = [first << 2 * number for number in range(NOMINATION.rounds)]
    wanted = min((count for count in rounds if count >= most), default=rounds[-1])
    hits = matches.hits(terms, wanted)
    finder = Finder(terms)
    looked_at = {path: finder.places(note) for path, note in matches.looked_at.items() if note is not None}
    all_notes = max(hits.notes + len(looked_at), len(notes))
    rarities = []
    for number, term in enumerate(terms):
        held = counts.holders(term) if counts is not None else None
        if held is None and term.literal:
            held = len(matches.with_term(term))
        if held is None:
            held = hits.counts[number] + sum(any(places.found[number]) for places in looked_at.values())
        rarities.append(term_weight(term.text, all_notes, held))

    places = matches.places_in_best(finder, rarities, hits, wanted) | {path: looked_at[path] for path in matches.fresh}
    languages = asked.languages or languages_asked(question, lambda: _languages(matches, places), matches.text)
    scores = {path: of_note for path, each in places.items() if (of_note := score(each, rarities)) > 0}
    known, unread = _passages(matches, finder, [*scores], is_over)
    found = []
    for path, passages in known.items():
        evidence = best(places[path], passages, rarities, asks_for_number=asked.asks_for_number)
        worth = combined(scores[path], evidence[0].score if evidence else 0.0)
        if languages and passages.language not in languages:
            worth = max(0.001, round(worth * NOTE.other_language, 3))
        found.append(RankedNote(path, worth, passages, evidence))
    held_by_few = rarity(all_notes, max(_FEW, int(all_notes * _FEW_SHARE)))
    rare = [number for number in range(own) if rarities[number] >= held_by_few]
    quoting = {path for path, each in places.items() if path in known and quotes(each, own, rare)}
    depth = {path: 0 if path in matches.fresh else bisect_right(rounds, place) for place, path in enumerate(places)}
    ranked = _in_order(matches, {lowered(term.text) for term in asked.terms}, found, depth)
    titled = [path for path in known if may_be_name(places[path], own)]
    first_of_all = named(question, _names(matches, titled)) if titled else frozenset()
    if not (first_of_all or substitutes.unfound):
        first_of_all = holding_all(ranked, own, places)
    written = NamedOrQuoting(
        first_of_all,
        next((note.path for note in ranked if note.path in quoting), ""),
    )
    uncounted = [*(() if counts is None else counts.uncounted), *matches.uncounted]
    words = ", ".join(f'"{text}"' for text in uncounted)
    return Ranking(
        notes=written.put_first(ranked),
        is_weak=not ranked and not uncounted and not matches.waiting,
        explanation=_explained(asked, terms, substitutes.sentences),
        part=f"Part of the answer: not all notes were searched for {words}. Ask again." if words else "",
        unfound=substitutes.unfound,
        waiting=matches.waiting,
        unread=unread,
        languages=languages,
        finder=finder,
        rarities=rarities,
        sharing=BY_WORDINGS if also else BY_WORDS,
        corrected=substitutes.corrected,
        absences=substitutes.facts,
        own=own,
        written=written,
    )


_FEW: Final = 3
_FEW_SHARE: Final = 0.02
"""A word in at most this share of the notes, or in `_FEW` of them, is rare."""


def _names(matches: TermMatches, notes: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Returns the title and the aliases of some notes."""
    aliases: dict[str, Sequence[str]] = {}
    if matches.index is not None:
        known = matches.index.facts("aliases", notes, lambda data: PackedNote(data).aliases, matches.stop)
        aliases |= {path: value_of(fact) for path, fact in known.items()}
    aliases |= {path: matches.fresh[path].aliases for path in notes if path in matches.fresh}
    return {path: (paths.stem(path), *aliases.get(path, ())) for path in notes}


def _searched_for(
    asked: Question, matches: TermMatches, counts: TermCounts | None, substitutes: Substitutes
) -> tuple[Sequence[QuestionTerm], int]:
    """Returns the terms of a question that some note holds, and substitutes for the others; and how many of the first
    ones are its own."""
    terms: Sequence[QuestionTerm] = asked.terms
    own = asked.own
    found = matches.hits(terms, 0).counts
    missing = {
        number for number, (term, count) in enumerate(zip(terms, found, strict=True)) if not matches.exists(term, count)
    }
    if missing:
        is_read = not matches.waiting
        absent = {number for number in missing if (is_read if counts is None else counts.is_absent(terms[number]))}
        terms, own = substitutes.of(asked, absent, missing - absent)
        if counts is not None:
            matches.read_notes(counts.best(terms))
    return terms, own


def _languages(matches: TermMatches, places: Mapping[str, Places]) -> dict[str, str]:
    """Returns the languages of the notes that hold any of the terms, as far as they are known."""
    notes = [path for path, each in places.items() if any(map(any, each.found))]
    read = {path: matches.looked_at.get(path) for path in notes}
    others = [path for path, words in read.items() if words is None]
    kept = {} if matches.index is None else matches.index.loaded_passages(others)
    found = {path: each.language for path, each in kept.items()}
    found |= {path: language.of(words.columns[BODY].text) for path, words in read.items() if words is not None}
    return {path: found[path] for path in notes if path in found}


def _passages(
    matches: TermMatches, finder: Finder, notes: Sequence[str], is_over: Callable[[], bool]
) -> tuple[dict[str, Passages], list[str]]:
    """Returns the passages of notes, from the index or from their text, and the notes that were not split into passages
    for lack of time."""
    index, fresh = matches.index, matches.fresh
    made: dict[str, Passages] = {}
    unread: list[str] = []
    kept = {} if index is None else index.loaded_passages([path for path in notes if path not in fresh])
    for path in notes:
        if path in kept and not finder.needs_text:
            made[path] = kept[path]
        elif is_over():
            unread.append(path)
        elif (note := fresh.get(path) or matches.read(path)) is not None:
            made[path] = finder.passages(note, kept.get(path))
    return made, unread


def _in_order(
    matches: TermMatches, words: AbstractSet[str], notes: Sequence[RankedNote], depth: Mapping[str, int]
) -> list[RankedNote]:
    """Sort notes by round (`depth`), then by score. Ties: first notes tagged with most of the words, then the newest,
    then by path."""
    index, fresh = matches.index, matches.fresh
    worth = {note.path: (depth[note.path], -note.score) for note in notes}
    equal = Counter(worth.values())
    tied = [path for path in worth if equal[worth[path]] > 1]
    tags: dict[str, tuple[str, ...]] = {}
    if index is not None and tied:
        known = index.facts("tags", tied, lambda data: PackedNote(data).written_tags, matches.stop)
        tags |= {path: value_of(fact) for path, fact in known.items()}
    tags |= {path: fresh[path].written_tags for path in tied if path in fresh}

    def key(note: RankedNote) -> tuple[tuple[int, float], int, int, str]:
        path = note.path
        if equal[worth[path]] == 1:
            return worth[path], 0, 0, path
        tagged = len(words & set(map(lowered, tags.get(path, ()))))
        modified = (index.modified(path) or 0) if index is not None else 0
        return worth[path], -tagged, -modified, path

    return sorted(notes, key=key)


def _explained(asked: Question, terms: Sequence[QuestionTerm], absences: Sequence[str]) -> list[str]:
    names = [f'"{term.text}"' if term.is_phrase else term.text for term in terms]
    sentences = [f"Any of these, in any inflection, case and accents: {', '.join(names)}." if names else ""]
    if asked.stop_words:
        sentences.append(f"Not looked for, since they say little: {', '.join(asked.stop_words)}.")
    if asked.is_cut:
        sentences.append(f"Only the first {len(asked.terms)} words of the question were looked for.")
    return [sentence for sentence in (*sentences, *absences) if sentence]

"""Turns a note into a question: its characteristic words, and its text for models."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from vaulttools.answers import all_notes, obsidian_query, reading
from vaulttools.answers.linked import PROJECTION
from vaulttools.call import Call
from vaulttools.notes.note import Note
from vaulttools.query.facts import Facts
from vaulttools.query.facts import of as tags_of
from vaulttools.ranked.evidence import RankedNote
from vaulttools.ranked.question import MOST_TERMS
from vaulttools.ranked.question import read as read_question
from vaulttools.ranked.weights import KINSHIP

if TYPE_CHECKING:
    from vaulttools.index.snapshot import Snapshot

_READ_CHARACTERS: Final = 20_000
"""Characters of a note whose words are counted: enough to show what it is about."""
_COUNTED: Final = 200
"""Upper bound of the note's most frequent words for which other notes with the word are counted."""
_MEANT_CHARACTERS: Final = 1_000
"""Characters that models compare: they read 256 tokens."""
_TOGETHER: Final = 16
"""Words given to `question.read` at once, which returns at most 32 terms."""


@dataclass(frozen=True, slots=True)
class Like:
    """The note, or section of it, to which similar notes are searched for."""

    path: str
    """The note itself; the search leaves it out."""
    words: str
    """Its characteristic words, the best ones first."""
    text: str
    """Its title and the beginning of the note or section."""
    linked: frozenset[str]
    """The notes that it links to, and those that link to it."""
    unread: int
    """Number of notes whose links were not read for lack of time."""
    has_text: bool
    """Whether it holds more than its name."""
    kinship: Mapping[str, float]
    """By note in its folder or with one of its tags: the bonus, as a share of the score."""


def like(call: Call, given: str) -> tuple[Call, Like]:
    """Wait for the structure of all notes, and read the note or section that `given` names: a path, a name or
    `note#heading`. Returns the call to go on with, and to use alone, and what was read.

    Raises:
        BadArgument: no note has this name, or it cannot be read as text.
    """
    call, scope = all_notes.awaited(call)
    opened = reading.opened(call, given)
    part = reading.of_target(opened)
    note = opened.note
    first = max(part.start, note.body_line)
    body = note.says(note.source.offset(first), note.source.offset(part.end + 1))[:_READ_CHARACTERS]
    title = " ".join([note.title, *(note.breadcrumb(part.start) if part.start > note.body_line else ())])
    links = call.links()
    graph = all_notes.answered(call.again(), PROJECTION, scope)  # the ranking reports skipped files, so not here again
    path = opened.document.path
    linked = {*graph.answer.targets(path, links), *(edge.source for edge in graph.answer.to(path, links))}
    words = _characteristic(f"{title}\n{title}\n{body}", call.snapshot)
    return call, Like(
        path,
        words,
        f"{title}\n{body}"[:_MEANT_CHARACTERS],
        frozenset(linked - {path}),
        graph.waiting,
        bool(body.strip()),
        _kinship(path, note, all_notes.answered(call.again(), obsidian_query.PROJECTION, scope).answer),
    )


def _kinship(path: str, note: Note, facts: Facts) -> Mapping[str, float]:
    """Returns the bonus of each note in the folder of a note (unless that is the root) or with one of its tags: the
    fewer notes share it, the more."""
    count = max(len(facts.notes), 2)

    def rarity(notes: Collection[str]) -> float:
        return math.log(count / max(len(notes), 1)) / math.log(count)

    folder = path.rpartition("/")[0]
    siblings = [each for each in facts.notes if each.rpartition("/")[0] == folder] if folder else []
    found = dict.fromkeys(siblings, KINSHIP.folder * rarity(siblings))
    tagged: dict[str, float] = {}
    for notes in map(facts.tagged, tags_of(note)[0]):
        worth = KINSHIP.tag * rarity(notes)
        tagged |= {each: max(worth, tagged.get(each, 0.0)) for each in notes}
    return found | {each: worth + found.get(each, 0.0) for each, worth in tagged.items()}


def kin_first(notes: Sequence[RankedNote], kinship: Mapping[str, float]) -> Iterator[RankedNote]:
    """Yields the notes that are like another one, those of its folder and its tags earlier than their scores say."""
    first = list(islice(notes, KINSHIP.compared))
    worth = {note.path: note.score * (1 + kinship.get(note.path, 0.0)) for note in first}
    scale = max((note.score for note in first), default=0.0) / (max(worth.values(), default=0.0) or 1.0)
    found = [replace(note, score=max(round(worth[note.path] * scale, 3), 0.001)) for note in first]
    found.sort(key=lambda note: -note.score)
    yield from found
    for note in islice(notes, len(first), None):
        yield replace(note, score=min(note.score, found[-1].score))


def _characteristic(text: str, view: Snapshot | None) -> str:
    """Returns up to `MOST_TERMS` words that a text uses more often than other notes do; without an index, its most
    frequent words."""
    words = text.split()
    terms = [
        term
        for at in range(0, len(words), _TOGETHER)
        for term in read_question(" ".join(words[at : at + _TOGETHER])).terms
        if not term.text.isdigit()
    ]
    counts = Counter(term.text.casefold() for term in terms)
    by_text = {term.text.casefold(): term for term in reversed(terms)}
    most_used = sorted(counts, key=lambda word: (-counts[word], -len(word), word))[:_COUNTED]
    hits = None
    if view is not None:
        hits = view.words([by_text[word].spellings for word in most_used], 0, frozenset(), frozenset())
    held = [1] * len(most_used) if hits is None else hits.counts
    notes = 1 if hits is None else max(hits.notes, 1)
    weight = {
        word: math.sqrt(counts[word]) * math.log(1 + notes / max(count, 1))
        for word, count in zip(most_used, held, strict=True)
        if hits is None or count != 1  # a word of this note alone finds no other one
    }
    best = sorted(weight, key=lambda word: (-weight[word], word))[:MOST_TERMS]
    return " ".join(best) or " ".join(words[:_TOGETHER])

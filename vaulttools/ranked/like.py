"""Makes a question of a note: its characteristic words, and its text for models."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vaulttools.answers import corpus, reading
from vaulttools.answers.linked import PROJECTION
from vaulttools.core.work import Work
from vaulttools.ranked.question import MOST_TERMS
from vaulttools.ranked.question import read as read_question
from vaulttools.session import Session

if TYPE_CHECKING:
    from vaulttools.index.snapshot import Snapshot

_READ_CHARACTERS: Final = 20_000
"""Characters of a note whose words are counted: enough to tell what it is about."""
_COUNTED: Final = 200
"""Words whose notes are counted, those that the note uses most."""
_MEANT_CHARACTERS: Final = 1_000
"""Characters that models compare: they read 256 tokens."""
_TOGETHER: Final = 16
"""Words that are read at once: `question.read` gives the first 32 terms of a text."""


@dataclass(frozen=True, slots=True)
class Like:
    """What other notes are to be like."""

    path: str
    """The note, which is not found itself."""
    words: str
    """Its characteristic words, the best ones first."""
    text: str
    """Its title and the beginning of the part that is meant."""
    linked: frozenset[str]
    """The notes that it links to, and that link to it."""
    unread: int
    """Notes whose links there was no time to read."""
    has_text: bool
    """Whether it holds more than its name."""


def like(vault: Session, given: str, work: Work) -> Like:
    """The note, or the section of it, that a path, a name or `note#heading` names.

    Raises:
        BadArgument: it names none, or what cannot be read as text.
    """
    opened = reading.opened(vault, given, work)
    part = reading.of_target(opened)
    note = opened.note
    first = max(part.start, note.body_line)
    body = "\n".join(opened.document.lines[first - 1 : part.end])[:_READ_CHARACTERS]
    title = " ".join([note.title, *(note.breadcrumb(part.start) if part.start > note.body_line else ())])
    links = vault.links(work)
    graph = corpus.ask(vault, PROJECTION, work.again())  # what it passes over is told once, by who ranks
    path = opened.document.path
    linked = {*graph.answer.targets(path, links), *(edge.source for edge in graph.answer.to(path, links))}
    words = _characteristic(f"{title}\n{title}\n{body}", vault.view(work))
    return Like(
        path,
        words,
        f"{title}\n{body}"[:_MEANT_CHARACTERS],
        frozenset(linked - {path}),
        graph.waiting,
        bool(body.strip()),
    )


def _characteristic(text: str, view: Snapshot | None) -> str:
    """The words that a text uses more often than other notes, as many as a question may have; without an index those
    that it uses most often."""
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

"""Finds the notes that hold all words of a query, with where they stand."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, Final

from vaulttools.core import paths
from vaulttools.core.limits import RESULTS
from vaulttools.core.work import Work
from vaulttools.errors import BadArgument
from vaulttools.files.scope import Scope, Walk
from vaulttools.matching.search import Search
from vaulttools.server.rest.asking import ensure_complete
from vaulttools.session import Session

MOST_WORDS: Final = 16
"""Different words of a query. Each costs a search."""

FEW: Final = 1_000
"""Notes that are searched by name for the other words; for more of them all are searched, by one ripgrep."""

WITH_MATCHES: Final = 100
"""Notes whose matches are listed. Those after them are only named: all places of a common word would be a hundred
megabytes, and clients show the first notes."""

MATCHES: Final = 20
"""Lines of a note in which a word is listed."""

LONGEST_CONTEXT: Final = 2_000
"""Characters on either side of a match."""


@dataclass(frozen=True, slots=True)
class _Matching:
    """A note that holds all words."""

    path: str
    lines: int
    """Lines that match, summed over the words."""
    in_name: int
    """Words that its name holds."""


def search(vault: Session, query: str, context_length: int, work: Work) -> list[dict[str, Any]]:
    """The notes that hold every word, in the text or the file's name, case ignored, those with words in the name first,
    then by the number of lines.

    Offsets are in UTF-16 units, of the text or of the name without extension.

    Raises:
        BadArgument: there are no words, or too many.
        Incomplete: not everything was searched.
    """
    words = list(dict.fromkeys(query.split()))
    if not 0 < len(words) <= MOST_WORDS:
        raise BadArgument(f"query must be 1 to {MOST_WORDS} words, got {len(words)}")
    scope = vault.scope((Walk(notes_only=True),), (), work, hidden=False, include_excluded=False)
    named = _named(scope, words)
    searches: dict[str, Search] = {}
    counts: dict[str, Mapping[str, int]] = {}
    holding: AbstractSet[str] | None = None
    # A long word is mostly in few notes, and for the others only those are searched.
    for word in sorted(words, key=len, reverse=True):
        among = scope if holding is None or len(holding) > FEW else replace(scope, walks=(), named=tuple(holding))
        searches[word] = _search(vault, among, word, work)
        counts[word] = {file.path: file.count for file in searches[word].matching()}
        here = counts[word].keys() | named[word]
        holding = here if holding is None else holding & here
    found = [
        _Matching(
            path,
            sum(counts[word].get(path, 0) for word in words),
            sum(path in named[word] for word in words),
        )
        for path in holding or ()
    ]
    ranked = sorted(found, key=lambda note: (-note.in_name, -note.lines, paths.order(note.path)))
    ensure_complete(ranked, work)
    first = [note.path for note in ranked[:WITH_MATCHES]]
    matches = _matches([searches[word] for word in words], words, first, min(max(context_length, 0), LONGEST_CONTEXT))
    return [
        {"filename": note.path, "score": note.in_name * 1_000 + note.lines, "matches": matches.get(note.path, [])}
        for note in ranked[:RESULTS]
    ]


def _search(vault: Session, scope: Scope, word: str, work: Work) -> Search:
    pattern = vault.ripgrep.compile(word, "fixed", ignore_case=True)
    return vault.search(pattern, replace(scope, warnings=[]), work, wanted=RESULTS)


def _named(scope: Scope, words: Sequence[str]) -> Mapping[str, AbstractSet[str]]:
    """By word the notes whose names hold it."""
    named: dict[str, set[str]] = {word: set() for word in words}
    wanted = [(word.casefold(), named[word]) for word in words]
    for path, kind, left_out in scope.entries():
        if kind == "file" and left_out is None:
            name = _name(path).casefold()
            for folded, holding in wanted:
                if folded in name:
                    holding.add(path)
    return named


def _name(path: str) -> str:
    """The file's name without folder and extension."""
    return path.rpartition("/")[2].removesuffix(".md")


def _matches(
    searches: Sequence[Search], words: Sequence[str], files: Sequence[str], context: int
) -> Mapping[str, list[dict[str, Any]]]:
    """The places of the words in some notes: first those in the name, then those in the text, in order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in files:
        name = _name(path)
        folded = name.casefold()
        for word in words:
            start = folded.find(word.casefold())
            if start >= 0 and len(folded) == len(name):
                match = _match(name, start, start + len(word), "filename", context, Units(name))
                found.setdefault(path, []).append(match)
    texts: dict[str, str] = {}
    places: dict[str, list[tuple[int, int]]] = {}
    for search, word in zip(searches, words, strict=True):
        for hits in search.located(files, MATCHES):
            path = hits.document.path
            texts[path] = hits.document.text
            shown = hits.hits[:MATCHES]
            starts = _line_starts(hits.document.text, shown[-1].line if shown else 0)
            # Simple case folding keeps the number of characters.
            begun = (starts[hit.line - 1] + hit.column for hit in shown)
            places.setdefault(path, []).extend((start, start + len(word)) for start in begun)
    for path, pairs in places.items():
        units = Units(texts[path])
        found.setdefault(path, []).extend(
            _match(texts[path], start, end, "content", context, units) for start, end in sorted(pairs)
        )
    return found


def _line_starts(text: str, most: int) -> list[int]:
    """Where the first so many lines begin."""
    starts = [0]
    while len(starts) < most and (end := text.find("\n", starts[-1])) >= 0:
        starts.append(end + 1)
    return starts


def _match(text: str, start: int, end: int, source: str, context: int, units: Units) -> dict[str, Any]:
    return {
        "match": {"start": units.before(start), "end": units.before(end), "source": source},
        "context": text[max(0, start - context) : end + context],
    }


class Units:
    """Places of a text in UTF-16 units, in which clients count characters."""

    def __init__(self, text: str) -> None:
        self._twice = [] if text.isascii() else [found.start() for found in _ASTRAL.finditer(text)]

    def before(self, place: int) -> int:
        """The units before a place, given in characters."""
        return place + bisect_left(self._twice, place)


_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")
"""The characters that are two units."""

"""Finds the notes that contain all words of a query, and the words' places."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final

from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.core.folding.identity import composed, identity, in_each_form, is_same
from vaulttools.core.limits import RESULTS
from vaulttools.errors import BadArgument
from vaulttools.files.scope import Scope, Walk
from vaulttools.matching.search import FileHits, Search
from vaulttools.patterns.pattern import escaped
from vaulttools.server.rest.answering import ensure_complete

MOST_WORDS: Final = 250
"""Different words of a query, a long paragraph; each costs a search, 4 ms of the processor in 10,000 notes."""

FEW: Final = 1_000
"""Notes that are searched by name for the other words; of more notes, those known to be text are only counted."""

WITH_MATCHES: Final = 100
"""Notes whose matches are listed. Later notes are only named: all places of a common word would take a hundred
megabytes, and clients show the first notes."""

MATCHES: Final = 20
"""Lines of a note in which a word is listed."""

LONGEST_CONTEXT: Final = 2_000
"""Characters on either side of a match."""


def search(call: Call, query: str, context_length: int) -> list[dict[str, Any]]:
    """Returns the notes that contain every word in the text or the file's name, ignoring case; first those with words
    in the name, then by the number of lines.

    Offsets count UTF-16 units of the text, or of the name without its extension.

    Raises:
        BadArgument: there are no words, or too many.
        Incomplete: not everything was searched.
    """
    words = list(dict.fromkeys(query.split()))
    if not 0 < len(words) <= MOST_WORDS:
        raise BadArgument(f"query must be 1 to {MOST_WORDS} words, got {len(words)}")
    scope = call.scope((Walk(notes_only=True),), (), hidden=False, include_excluded=False)
    named = _named(scope, words)
    searches = {word: _search(call, scope, word) for word in words}
    holding, counts = _counted(call, scope, searches, named)
    lines, in_name = Counter[str](), Counter[str]()
    for word in words:
        lines.update(counts[word])
        in_name.update(named[word])
    ranked = sorted(holding, key=lambda path: (-in_name[path], -lines[path], paths.order(path)))
    ensure_complete(ranked, call.work)
    first = ranked[:WITH_MATCHES]
    located = [searches[word].located([path for path in first if path in counts[word]], MATCHES) for word in words]
    matches = _matches(located, words, first, min(max(context_length, 0), LONGEST_CONTEXT))
    return [
        {"filename": path, "score": in_name[path] * 1_000 + lines[path], "matches": matches.get(path, [])}
        for path in ranked[:RESULTS]
    ]


def _counted(
    call: Call, scope: Scope, searches: Mapping[str, Search], named: Mapping[str, AbstractSet[str]]
) -> tuple[AbstractSet[str], Mapping[str, Mapping[str, int]]]:
    """Returns the notes that contain every word; and by word, the number of its lines in at least these notes."""
    # A long word usually occurs in few notes, so the other words are searched only in those.
    first, *others = sorted(searches, key=len, reverse=True)
    counts = {first: {file.path: file.count for file in searches[first].matching()}}
    holding = counts[first].keys() | named[first]
    for word in others:
        # Notes found only by their name may be binary, so they need a separate search.
        many = holding & counts[first].keys() if len(holding) > FEW else frozenset[str]()
        few = _search(call, replace(scope, walks=(), named=tuple(holding - many)), word)
        counts[word] = _counts(searches[word], [*many])
        counts[word] |= {file.path: file.count for file in few.matching()}
        holding &= counts[word].keys() | named[word]
    return holding, counts


def _search(call: Call, scope: Scope, word: str) -> Search:
    forms = in_each_form(word)
    if len(forms) == 1:
        pattern = call.session.ripgrep.compile(word, "fixed", ignore_case=True)
    else:
        pattern = call.session.ripgrep.compile("|".join(map(escaped, forms)), "regex", ignore_case=True)
    return call.search(pattern, replace(scope, warnings=[]), wanted=RESULTS)


def _counts(search: Search, files: Sequence[str]) -> dict[str, int]:
    """Count the matching lines in files that an earlier search found to be text."""
    if not files:
        return {}
    counts = search.counts_of(files)
    for path in files:
        reason = counts.failed.get(path) or (counts.stopped if path not in counts.matching else None)
        if reason is not None:
            search.work.pass_over(path, reason)
    return {path: counts.matching[path] for path in files if path in counts.matching}


def _named(scope: Scope, words: Sequence[str]) -> Mapping[str, AbstractSet[str]]:
    """Returns, for each word, the notes whose names contain it."""
    named: dict[str, set[str]] = {word: set() for word in words}
    wanted = [(identity(word), named[word]) for word in words]
    for path, kind, left_out in scope.entries():
        if kind == "file" and left_out is None:
            name = identity(_name(path))
            for folded, holding in wanted:
                if folded in name:
                    holding.add(path)
    return named


def _name(path: str) -> str:
    """Returns the file's name without folder and extension."""
    return path.rpartition("/")[2].removesuffix(".md")


def _matches(
    located: Sequence[Iterable[FileHits]], words: Sequence[str], files: Sequence[str], context: int
) -> Mapping[str, list[dict[str, Any]]]:
    """Returns the places of the words in `files`: first those in the name, then those in the text, in order.

    `located` has, for each word, the notes whose text contains it.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for path in files:
        name = composed(_name(path))
        folded = identity(name)
        for word in words:
            start = folded.find(identity(word))
            if start >= 0 and len(folded) == len(name):
                match = _match(name, start, start + len(identity(word)), "filename", context, Units(name))
                found.setdefault(path, []).append(match)
    texts: dict[str, str] = {}
    places: dict[str, list[tuple[int, int]]] = {}
    for found_of_word, word in zip(located, words, strict=True):
        for hits in found_of_word:
            path = hits.document.path
            texts[path] = hits.document.text
            shown = hits.hits[:MATCHES]
            starts = _line_starts(hits.document.text, shown[-1].line if shown else 1)
            # Simple case folding keeps the number of characters.
            begun = (starts[hit.line - 1] + hit.column for hit in shown)
            places.setdefault(path, []).extend((start, _end(texts[path], start, word)) for start in begun)
    for path, pairs in places.items():
        units = Units(texts[path])
        found.setdefault(path, []).extend(
            _match(texts[path], start, end, "content", context, units) for start, end in sorted(pairs)
        )
    return found


def _end(text: str, start: int, word: str) -> int:
    """Returns where a word ends that begins at a place, in whatever Unicode form it is there."""
    ends = (start + len(form) for form in in_each_form(word))
    return next((end for end in ends if is_same(text[start:end], word)), start + len(word))


def _line_starts(text: str, number: int) -> Sequence[int]:
    """Returns the start offsets of the first `number` lines."""
    before = text.split("\n", number)[:number]
    return [place + line for line, place in enumerate(accumulate(map(len, before), initial=0))]


def _match(text: str, start: int, end: int, source: str, context: int, units: Units) -> dict[str, Any]:
    return {
        "match": {"start": units.before(start), "end": units.before(end), "source": source},
        "context": text[max(0, start - context) : end + context],
    }


class Units:
    """Converts positions in a text to UTF-16 units, which clients count."""

    def __init__(self, text: str) -> None:
        # Finding these characters takes 30 times as long as checking that there are none.
        has_none = text.isascii() or len(text.encode("utf-16-le", "surrogatepass")) == 2 * len(text)
        self._twice = [] if has_none else [found.start() for found in _ASTRAL.finditer(text)]

    def before(self, place: int) -> int:
        """Returns the UTF-16 units before a position that is given in characters."""
        return place + bisect_left(self._twice, place)


_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")
"""Characters that take two UTF-16 units."""

"""Tells what of a pattern an index looks for: words and trigrams.

A *word* here is a longest run of word characters of a folded text. A literal of such characters alone, wherever it
stands, stands within one word: the files with the words that hold it are all that can hold it. Long runs are no words,
and the files with those have a mark instead, so that they are nominated by their trigrams alone.

Word characters are given by ranges of code points: those of `\\w` differ between versions of Python, and a run that one
version ends would be a part of a longer one for another. Scripts without blanks between words are not among them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from threading import Lock
from typing import Any, Final

import apsw

from vaulttools.patterns.literals import AllOf, AnyOf, Requirement

_CLASS: Final = "0-9a-z_\u00c0-\u0dff\u0f00-\u0fff\u10a0-\u177f\u1800-\u194f\u1e00-\u1fff"
"""Word characters of folded texts: not those of Thai, Lao, Myanmar, Khmer and the scripts of East Asia."""

_RUN: Final = re.compile(f"[{_CLASS}]+")

LONGEST: Final = 40
"""Characters of the longest word. Longer runs are addresses and encoded data: nearly as many as there are texts."""

MOST: Final = 96
"""Words that hold a literal, beyond which it stands in so many files that its trigrams do: each word costs 40 µs the
first time and 10 later, and the trigrams of a literal 1,000 to 5,000 and 300 to 1,000. `todo` stands in 36 words of an
encyclopaedia, whose 36 notes have 1.9 MB; its trigrams nominate 111 notes with 11.6."""

_REMEMBERED: Final = 64
"""Literals whose words are remembered: the next page and the hint about case ask for the same (0.7 to 2 ms each)."""

LONG: Final = "\ue000"
"""Stands among the words of a text that has a longer run; no character of a word."""


_APART: Final = bytes(
    code if code > 127 or chr(code) in "0123456789abcdefghijklmnopqrstuvwxyz_" else 32 for code in range(256)
)
"""By byte of UTF-8: itself where it may be a part of a word, else a blank."""


def words(folded: str) -> str:
    """The words of a folded text, each once, between blanks."""
    # Apart at ASCII first: nearly all runs are words then, and few are left to the slow pattern (2/3 of the time).
    runs = set(folded.encode("utf-8", "surrogatepass").translate(_APART).split())
    if others := [run for run in runs if not run.isascii()]:
        runs.difference_update(others)
        runs.update(run.encode() for run in _RUN.findall(b" ".join(others).decode("utf-8", "surrogatepass")))
    if max(map(len, runs), default=0) <= LONGEST:  # in bytes, which are no fewer than the characters
        return b" ".join(runs).decode()
    kept = [word for run in runs if len(word := run.decode()) <= LONGEST]
    return " ".join(kept if len(kept) == len(runs) else (*kept, LONG))


def is_of_words(literal: str) -> bool:
    """Whether a folded literal can only stand within a run of word characters."""
    return _RUN.fullmatch(literal) is not None


def quoted(token: str) -> str:
    """A token of a query, whatever it holds (fault-I20)."""
    return '"{}"'.format(token.replace('"', '""'))


def _holding(text: str, literal: str, start: int) -> Iterator[str]:
    """The words that hold a literal, of those that begin after a place in the text."""
    at = text.find(literal, start)
    while at >= 0:
        end = text.index("\n", at)
        yield text[text.rindex("\n", 0, at) + 1 : end]
        at = text.find(literal, end)


_NEWER: Final = "SELECT id, words FROM main.vocabulary WHERE id > ? ORDER BY id"


class Vocabulary:
    """The words of an index as they are known to this process, for any number of threads.

    Words that stand nowhere any more stay until the index is built anew: they cost nothing but their place.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._words = "\n"
        self._last = 0
        self._found: dict[str, tuple[int, tuple[str, ...]]] = {}
        """For the last literals: how much of the text was looked through, and the words found, one too many at most."""

    def holding(self, connection: apsw.Connection, literal: str) -> Sequence[str] | None:
        """The words that hold a literal of word characters, as a reading transaction sees them, and perhaps newer ones;
        None when they are too many."""
        text = self._read(connection)
        seen, found = self._found.get(literal, (0, ()))
        if len(found) <= MOST and seen < len(text):
            found = (*found, *islice(_holding(text, literal, seen), MOST + 1 - len(found)))
            with self._lock:
                self._found[literal] = len(text), found
                while len(self._found) > _REMEMBERED:
                    del self._found[next(iter(self._found))]
        return None if len(found) > MOST else found

    def holds(self, connection: apsw.Connection, word: str) -> bool:
        """Whether a word is known."""
        return f"\n{word}\n" in self._read(connection)

    def _read(self, connection: apsw.Connection) -> str:
        with self._lock:
            rows: list[Any] = connection.execute(_NEWER, (self._last,)).fetchall()
            if rows:
                self._words = "\n".join([self._words[:-1], *(words for _, words in rows), ""])
                self._last = rows[-1][0]
            return self._words


class NewWords:
    """Tells which words of texts an index does not know yet, for its one writer."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._seen: set[str] = set()
        self._asked = 0
        self._is_whole = False

    def add(self, texts: Sequence[str]) -> None:
        """Write those words that are new, of texts as `words` has them."""
        fresh = {*" ".join(texts).split(" ")} - self._seen
        if not self._is_whole:
            self._asked += len(texts)
            if self._asked > _ASKED_SINGLY:
                self._read_all()
                fresh -= self._seen
        self._seen |= fresh
        if not self._is_whole:
            fresh = {word for word in fresh if not self._is_known(word)}
        if fresh:
            self._connection.execute("INSERT INTO main.vocabulary (words) VALUES (?)", ("\n".join(fresh),))

    def _is_known(self, word: str) -> bool:
        found = self._connection.execute("SELECT 1 FROM terms WHERE terms MATCH ? LIMIT 1", (f'"{word}"',)).fetchall()
        return bool(found)

    def _read_all(self) -> None:
        rows: list[Any] = self._connection.execute(_NEWER, (0,)).fetchall()
        for _, words in rows:
            self._seen.update(words.split("\n"))
        self._is_whole = True


_ASKED_SINGLY: Final = 20
"""Texts whose words are asked for one by one, 10 ms each, before all words are read: 40 ms of 10,000 notes."""


# Queries of what a pattern requires; what cannot be looked for is left out of them.

TRIGRAMS: Final = 12
"""Trigrams of one literal that are looked for, evenly spread: of a long one more rule out next to nothing."""

_IN_BINARIES: Final = re.compile("[ -~]{4,}")
"""What of a literal stands in the index of a binary file wherever the literal stands in the file (`content`)."""


def query(requirement: Requirement) -> str | None:
    """The FTS5 query that every text file fulfils which fulfils the requirement; None when it would not narrow."""
    return _query(requirement, _of_text)


def binary_query(requirement: Requirement) -> str | None:
    """As `query`, for binary files."""
    return _query(requirement, _of_binary)


def word_query(requirement: Requirement, holding: Callable[[str], Sequence[str] | None]) -> tuple[str | None, bool]:
    """The FTS5 query that the words of every text file fulfil which fulfils the requirement, for the table of words;
    None when it would not narrow. And whether it asks for every literal.

    `holding` gives the words that hold a literal of word characters; None: they are too many.
    """
    is_whole = True

    def of_literal(literal: str) -> str | None:
        nonlocal is_whole
        words = holding(literal) if len(literal) >= _SHORTEST and is_of_words(literal) else None
        if words is None:
            is_whole = False
            return None
        return _joined(list(map(quoted, (*words, LONG))), " OR ")

    return _query(requirement, of_literal), is_whole


_SHORTEST: Final = 3
"""Characters of the shortest literal that is looked for in words; shorter ones stand in too many."""


def _query(requirement: Requirement, of_literal: Callable[[str], str | None]) -> str | None:
    match requirement:
        case str():
            return of_literal(requirement)
        case AllOf(parts):
            known = [part for part in (_query(part, of_literal) for part in parts) if part is not None]
            return _joined(known, " AND ") if known else None
        case AnyOf(parts):
            every = [_query(part, of_literal) for part in parts]
            return None if None in every else _joined([part for part in every if part is not None], " OR ")


def _joined(parts: list[str], operator: str) -> str:
    parts = list(dict.fromkeys(parts))
    return parts[0] if len(parts) == 1 else f"({operator.join(parts)})"


def _of_text(literal: str) -> str | None:
    # A query ends at a NUL, and no text file holds one.
    found = [known for part in literal.split("\0") if part and (known := _of_part(part)) is not None]
    return _joined(found, " AND ") if found else None


def _of_part(literal: str) -> str | None:
    if len(literal) >= 3:
        return _trigrams(literal)
    # Single letters of ASCII stand in nearly every note.
    return f"{quoted(literal)}*" if len(literal) == 2 or not literal.isascii() else None


def _of_binary(literal: str) -> str | None:
    found = [_trigrams(run) for run in _IN_BINARIES.findall(literal)]
    return _joined(found, " AND ") if found else None


def _trigrams(literal: str) -> str:
    count = len(literal) - 2
    step = max(1, -(-count // TRIGRAMS))
    starts = sorted({*range(0, count, step), count - 1})
    return _joined([quoted(literal[start : start + 3]) for start in starts], " AND ")

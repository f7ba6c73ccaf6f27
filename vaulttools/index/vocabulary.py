"""Cuts texts into the tokens of the index, and tells which ones a pattern requires.

A folded text is runs of word characters and runs of other ones in turn. Its *tokens* are its words, and every three
characters in a row of its other runs, as in `- [` and `日本語`, or of a word and the signs beside it, as in `#to`. A
literal is cut into the same runs: one inside it is a whole run of every text that holds the literal, its first run ends
one, its last run begins one. Long runs of word characters are addresses and encoded data: they give a mark and three
characters in a row, as others do.

Word characters are given by ranges of code points: those of `\\w` differ between versions of Python, and a run that one
version ends would be a part of a longer one for another. Scripts without blanks between words are not among them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from threading import Lock
from typing import Any, Final, TypeAlias

import apsw

from vaulttools.patterns.literals import AllOf, AnyOf, Requirement

_CLASS: Final = "0-9a-z_\u00c0-\u0dff\u0f00-\u0fff\u10a0-\u177f\u1800-\u194f\u1e00-\u1fff"
"""Word characters of folded texts: not those of Thai, Lao, Myanmar, Khmer and the scripts of East Asia."""

_WORD: Final = re.compile(f"[{_CLASS}]+")
_OTHER: Final = re.compile(f"[^{_CLASS} ]+")
_RUN: Final = re.compile(f"[{_CLASS}]+|[^{_CLASS}]+")

_PRINTABLE: Final = re.compile("[ -~]{4,}")
"""What of a binary file is indexed: where a folded literal stands in one, so do its runs of four such characters."""

LONGEST: Final = 40
"""Characters of the longest word: longer runs are nearly as many as there are texts."""

MOST: Final = 256
"""Words that a run of a literal stands in, beyond which the run is not looked for: each word costs 40 µs the first time
and 10 later, and a run of more stands in most notes."""

_REMEMBERED: Final = 64
"""Runs whose words are remembered: the next page and the hint about case ask for the same (0.7 to 2 ms each)."""

_MARK: Final = "\x7f"
"""Begins each token that is no word."""

LONG: Final = _MARK
"""The token of a text that has a run of word characters longer than `LONGEST`."""

_END: Final = "\x07\x07"
"""Stands behind a run, so that its last two characters begin a token each."""

_IN_WORDS: Final = frozenset(b"0123456789abcdefghijklmnopqrstuvwxyz_")
_BLANKS: Final = dict(zip(b" \t\n\r\v\f", range(1, 7), strict=True))
"""What stands for a blank in runs of other characters, since blanks end runs and tokens: a control character."""

_APART: Final = bytes(code if code > 127 or code in _IN_WORDS else 32 for code in range(256))
"""By byte of UTF-8: itself where it may be a part of a word, else a blank."""
_BETWEEN: Final = bytes(32 if code in _IN_WORDS else _BLANKS.get(code, code) for code in range(256))
"""By byte of UTF-8: a blank where it is a part of a word, else itself."""

_KINDS: Final = bytes(119 if code in _IN_WORDS else 46 if 32 < code < 127 else 32 for code in range(256))
"""By byte of UTF-8: `w` of a word, `.` another sign of ASCII, else a blank."""
_MIXED: Final = re.compile(r"(?=w\.[w.]|\.w[w.]|\.\.w)")
"""Three signs in a row, some of them of a word: not two of a word and one other, which is as common as the word."""


def tokens(folded: str) -> str:
    """The tokens of a folded text, each once, between blanks."""
    data = folded.encode("utf-8", "replace")
    chunks = set(data.split())
    words = set(filter(bytes.isalnum, chunks))  # most of them
    chunks -= words
    words |= _runs(b" ".join(chunks).translate(_APART), _WORD)
    others = {run.decode() for run in _runs(data.translate(_BETWEEN), _OTHER)}
    is_long = max(map(len, words), default=0) > LONGEST  # in bytes, which are no fewer than the characters
    if is_long and (long := {word for each in words if len(word := each.decode()) > LONGEST}):
        words.difference_update(map(str.encode, long))
        words.add(LONG.encode())
        others |= long
    mixed = _mixed(b" ".join([chunk for chunk in chunks if not chunk[:-1].isalnum()]))
    found = [*_triples(others), *set(mixed)]
    if words:
        found.append(b" ".join(words).decode())
    return " ".join(found)


def binary_tokens(folded: str) -> str:
    """As `tokens`, of a binary file: three characters in a row of its printable runs, since words would be noise."""
    return " ".join(_triples(run.translate(_BLANKS) for run in _PRINTABLE.findall(folded)))


def _runs(data: bytes, run: re.Pattern[str]) -> set[bytes]:
    """The distinct runs between blanks, and of those that are not ASCII the ones that a pattern finds."""
    # Apart at ASCII first: nearly all runs are whole then, and few are left to the slow pattern (2/3 of the time).
    found = set(data.split())
    if others := [each for each in found if not each.isascii()]:
        found.difference_update(others)
        found.update(map(str.encode, run.findall(b" ".join(others).decode())))
    return found


def _triples(runs: Iterable[str]) -> list[str]:
    """The tokens of three characters of some runs; single signs of ASCII stand in nearly every note, and have none."""
    found: set[tuple[str, str, str]] = set()
    for run in runs:
        if len(run) > 1 or not run.isascii():
            run += _END
            found.update(zip(run, run[1:], run[2:], strict=False))
    return [_MARK + "".join(triple) for triple in found]


def _mixed(data: bytes) -> list[str]:
    """The tokens of three signs of ASCII in a row, some of them of a word, in their order."""
    text = data.decode("latin-1")
    return [_MARK + text[at : at + 3] for at in map(re.Match.start, _MIXED.finditer(data.translate(_KINDS).decode()))]


def is_word(token: str) -> bool:
    """Whether a token is a word."""
    return not token.startswith(_MARK)


def quoted(token: str) -> str:
    """A token of a query, whatever it holds (fault-I20)."""
    return '"{}"'.format(token.replace('"', '""'))


def _holding(text: str, part: str, start: int) -> Iterator[str]:
    """The words that hold a part, of those that begin at or after a line feed at `start`."""
    at = text.find(part, start)
    while at >= 0:
        end = text.index("\n", at + 1)
        yield text[text.rindex("\n", 0, at + 1) + 1 : end]
        at = text.find(part, end)


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
        """For the last parts: how much of the text was looked through, and the words found, one too many at most."""

    def holding(self, connection: apsw.Connection, part: str) -> Sequence[str] | None:
        """The words that hold some word characters, as a reading transaction sees them, and perhaps newer ones; None
        when they are too many. A line feed before or behind the characters: words that begin or end with them."""
        text = self._read(connection)
        seen, found = self._found.get(part, (1, ()))
        if len(found) <= MOST and seen < len(text):
            found = (*found, *islice(_holding(text, part, seen - 1), MOST + 1 - len(found)))
            with self._lock:
                self._found[part] = len(text), found
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
        """Write those words that are new, of texts as `tokens` has them."""
        fresh = {*filter(is_word, {*" ".join(texts).split(" ")} - self._seen)}
        if not self._is_whole:
            self._asked += len(texts)
            if self._asked * _ROWS > self._rows():
                self._read_all()
                fresh -= self._seen
        self._seen |= fresh
        if not self._is_whole:
            fresh = {word for word in fresh if not self._is_known(word)}
        if fresh:
            self._connection.execute("INSERT INTO main.vocabulary (words) VALUES (?)", ("\n".join(fresh),))

    def _is_known(self, word: str) -> bool:
        found = self._connection.execute("SELECT 1 FROM tokens WHERE tokens MATCH ? LIMIT 1", (f'"{word}"',)).fetchall()
        return bool(found)

    def _rows(self) -> int:
        last: Any = self._connection.execute("SELECT max(id) FROM main.vocabulary").get
        return last or 0

    def _read_all(self) -> None:
        rows: list[Any] = self._connection.execute(_NEWER, (0,)).fetchall()
        for _, words in rows:
            self._seen.update(words.split("\n"))
        self._is_whole = True


_ROWS: Final = 16
"""Rows of words that are read in the time in which those of one text are asked for one by one: 10,000 notes have 331,
which take 40 ms, and a text takes 2 to 10."""


Holding: TypeAlias = Callable[[str], Sequence[str] | None]
"""As `Vocabulary.holding`, in a reading transaction."""

# Queries of what a pattern requires; what cannot be looked for is left out of them.

TRIPLES: Final = 12
"""Tokens of three characters that are looked for of one run, evenly spread: more rule out next to nothing."""


def query(requirement: Requirement, holding: Holding) -> str | None:
    """The FTS5 query that every text file fulfils which fulfils the requirement; None when it would not narrow."""
    return _query(requirement, partial(_of_literal, holding))


def binary_query(requirement: Requirement) -> str | None:
    """As `query`, for binary files."""
    return _query(requirement, lambda literal: _all([_of_other(run) for run in _PRINTABLE.findall(literal)]))


def _query(requirement: Requirement, of_literal: Callable[[str], str | None]) -> str | None:
    match requirement:
        case str():
            return of_literal(requirement)
        case AllOf(parts):
            return _all([_query(part, of_literal) for part in parts])
        case AnyOf(parts):
            every = [_query(part, of_literal) for part in parts]
            return None if None in every else _joined([part for part in every if part is not None], " OR ")


def _all(parts: Sequence[str | None]) -> str | None:
    known = [part for part in parts if part is not None]
    return _joined(known, " AND ") if known else None


def _joined(parts: Sequence[str], operator: str) -> str:
    parts = list(dict.fromkeys(parts))
    return parts[0] if len(parts) == 1 else f"({operator.join(parts)})"


def _of_literal(holding: Holding, literal: str) -> str | None:
    found: list[str | None] = []
    for part in literal.split("\0"):  # a query ends at a NUL, and no text file holds one
        runs = _RUN.findall(part)
        last = len(runs) - 1
        for number, run in enumerate(runs):
            if _WORD.match(run):
                found.append(_of_word(run, holding, begins=number > 0, ends=number < last))
            else:
                found.append(_of_other(run, ends=number < last))
        found += map(quoted, _mixed(part.encode("utf-8", "replace"))[:TRIPLES])
    return _all(found)


def _of_word(run: str, holding: Holding, *, begins: bool, ends: bool) -> str | None:
    """The query of word characters; whether a run of the text begins and ends with them."""
    words: Sequence[str] | None = ()
    if len(run) <= LONGEST:
        if begins and ends:
            return quoted(run)
        words = holding("\n" * begins + run + "\n" * ends)
    if words is None:
        return None
    of_long = _joined([quoted(LONG), *filter(None, [_of_other(run, ends=ends)])], " AND ")
    return _joined([*map(quoted, words), of_long], " OR ")


def _of_other(run: str, *, ends: bool = False) -> str | None:
    """The query of other characters by threes; whether a run of the text ends with them."""
    if len(run) == 1 and run.isascii():
        return None
    run = run.encode("utf-8", "replace").decode().translate(_BLANKS) + _END * ends
    count = len(run) - 2
    if count <= 0:
        return quoted(_MARK + run) + "*"
    step = -(-count // TRIPLES)
    starts = sorted({*range(0, count, step), count - 1})
    return _all([quoted(_MARK + run[start : start + 3]) for start in starts])

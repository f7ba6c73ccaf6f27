"""Cuts texts into the tokens of the index, and computes which tokens a pattern requires.

A folded text alternates between runs of word characters and runs of other characters. Its *tokens* are its words, every
three consecutive characters of its other runs, as in `- [` and `日本語`, and of a word and the signs beside it, as in
`#to`. A literal is cut into the same runs. Every text that holds the literal has its inner runs as complete runs, a run
that ends with its first run, and one that begins with its last. Long runs of word characters are addresses and encoded
data: they give one common token and triples, like other runs.

Word characters are fixed ranges of code points: `\\w` differs between versions of Python, which would cut runs
differently. Scripts without blanks between words are not included.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import partial
from itertools import islice
from threading import Lock
from typing import Any, Final, NamedTuple, TypeAlias

import apsw

from vaulttools.patterns.requirements import AllOf, AnyOf, MixedForms, Requirement

_CLASS: Final = "0-9a-z_\u00c0-\u0dff\u0f00-\u0fff\u10a0-\u177f\u1800-\u194f\u1e00-\u1fff"
"""Word characters of folded texts, without Thai, Lao, Myanmar, Khmer and the scripts of East Asia."""

_WORD: Final = re.compile(f"[{_CLASS}]+")
_OTHER: Final = re.compile(f"[^{_CLASS} ]+")
_RUN: Final = re.compile(f"[{_CLASS}]+|[^{_CLASS}]+")

_PRINTABLE: Final = re.compile("[ -~]{4,}")
"""Indexed runs of a binary file: a file that holds a folded literal also holds the literal's runs of this kind."""

LONGEST: Final = 40
"""Most characters of a word: longer runs are nearly all unique."""

MOST: Final = 256
"""A run of a literal in more words than this is not looked for: each word costs 40 µs at first and 10 later, and most
notes hold such a run."""

_REMEMBERED: Final = 64
"""Runs whose words are cached: the next page and the hint about case need the same (0.7 to 2 ms each)."""

_MARK: Final = "\x7f"
"""Begins each token that is not a word."""

LONG: Final = _MARK
"""The token of every text with a run of word characters longer than `LONGEST`."""

MIXED: Final = _MARK + "forms"
"""The token of every text that is neither in NFC nor in NFD."""

_END: Final = "\x07\x07"
"""Appended to a run, so that each of its last two characters begins a token."""

_IN_WORDS: Final = frozenset(b"0123456789abcdefghijklmnopqrstuvwxyz_")
_BLANKS: Final = dict(zip(b" \t\n\r\v\f", range(1, 7), strict=True))
"""Control characters that replace blanks in runs of other characters, since blanks end runs and tokens."""

_APART: Final = bytes(code if code > 127 or code in _IN_WORDS else 32 for code in range(256))
"""Translates UTF-8: bytes that may belong to a word unchanged, blanks for others."""
_BETWEEN: Final = bytes(32 if code in _IN_WORDS else _BLANKS.get(code, code) for code in range(256))
"""Translates UTF-8: blanks for ASCII word characters, control characters for blanks, other bytes unchanged."""

_KINDS: Final = bytes(119 if code in _IN_WORDS else 46 if 32 < code < 127 else 32 for code in range(256))
"""Translates UTF-8: `w` for ASCII word characters, `.` for other printable ASCII, a blank for the rest."""
_MIXED: Final = re.compile(r"(?=w\.[w.]|\.w[w.]|\.\.w)")
"""Three characters, some of them word characters: not `ww.`, which is as common as the word."""


class Tokens(NamedTuple):
    """The tokens of one file."""

    text: str = ""
    """The distinct tokens, separated by blanks."""
    words: Set[bytes] = frozenset()
    """The words among them, in UTF-8."""


def tokens(folded: str, *, is_mixed: bool = False) -> Tokens:
    """Returns the tokens of a folded text; `is_mixed`: the text is neither in NFC nor in NFD."""
    data = folded.encode("utf-8", "replace")
    chunks = set(data.split())
    words = set(filter(bytes.isalnum, chunks))  # most words
    chunks -= words
    words |= _runs(b" ".join(chunks).translate(_APART), _WORD)
    others = {run.decode() for run in _runs(data.translate(_BETWEEN), _OTHER)}
    found = [MIXED] if is_mixed else []
    is_long = max(map(len, words), default=0) > LONGEST  # in bytes: at least the number of characters
    if is_long and (long := {word for each in words if len(word := each.decode()) > LONGEST}):
        words.difference_update(map(str.encode, long))
        found.append(LONG)
        others |= long
    mixed = _mixed(b" ".join([chunk for chunk in chunks if not chunk[:-1].isalnum()]))
    found += (*_triples(others), *set(mixed))
    if words:
        found.append(b" ".join(words).decode())
    return Tokens(" ".join(found), words)


def binary_tokens(folded: str) -> Tokens:
    """Like `tokens`, for a binary file: the triples of its printable runs, since words would be noise."""
    return Tokens(" ".join(_triples(run.translate(_BLANKS) for run in _PRINTABLE.findall(folded))))


def _runs(data: bytes, run: re.Pattern[str]) -> set[bytes]:
    """Returns the distinct ASCII runs between blanks, and what the pattern finds in the others."""
    # Split at blanks first: few runs are left for the slow pattern (2/3 of the time).
    found = set(data.split())
    if others := [each for each in found if not each.isascii()]:
        found.difference_update(others)
        found.update(map(str.encode, run.findall(b" ".join(others).decode())))
    return found


def _triples(runs: Iterable[str]) -> list[str]:
    """Returns the triple tokens of runs; single ASCII characters, which nearly every note holds, have none."""
    found: set[tuple[str, str, str]] = set()
    for run in runs:
        if len(run) > 1 or not run.isascii():
            run += _END
            found.update(zip(run, run[1:], run[2:], strict=False))
    return [_MARK + "".join(triple) for triple in found]


def _mixed(data: bytes) -> list[str]:
    """Returns the tokens of three ASCII characters, some of them word characters, in text order."""
    text = data.decode("latin-1")
    return [_MARK + text[at : at + 3] for at in map(re.Match.start, _MIXED.finditer(data.translate(_KINDS).decode()))]


def quoted(token: str) -> str:
    """Returns a token quoted for a query, whatever it contains (fault-I20)."""
    return '"{}"'.format(token.replace('"', '""'))


def _lines_with(text: str, part: str, start: int) -> Iterator[str]:
    """Yields the words of `text` (one per line) that hold a part, from the line feed at `start`."""
    at = text.find(part, start)
    while at >= 0:
        end = text.index("\n", at + 1)
        yield text[text.rindex("\n", 0, at + 1) + 1 : end]
        at = text.find(part, end)


_NEWER: Final = "SELECT id, words FROM main.vocabulary WHERE id > ? ORDER BY id"


class Vocabulary:
    """The words of an index that this process knows, for any number of threads.

    Words that no file holds any more stay until the index is rebuilt: they only take space.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._words = "\n"
        self._last = 0
        self._found: dict[str, tuple[int, tuple[str, ...]]] = {}
        """For recent parts: how many characters of `_words` were searched, and the words found, at most `MOST` + 1."""

    def words_with(self, connection: apsw.Connection, part: str) -> Sequence[str] | None:
        """Returns the words that contain `part`, in a reading transaction, and perhaps newer ones; None if more than
        `MOST`. A line feed at an end of `part` marks the beginning or end of a word."""
        text = self._read(connection)
        seen, found = self._found.get(part, (1, ()))
        if len(found) <= MOST and seen < len(text):
            found = (*found, *islice(_lines_with(text, part, seen - 1), MOST + 1 - len(found)))
            with self._lock:
                self._found[part] = len(text), found
                while len(self._found) > _REMEMBERED:
                    del self._found[next(iter(self._found))]
        return None if len(found) > MOST else found

    def lacks(self, connection: apsw.Connection, tokens: Sequence[str]) -> bool:
        """Whether any word among the tokens is unknown."""
        text = self._read(connection)
        return not all(token.startswith(_MARK) or f"\n{token}\n" in text for token in tokens)

    def known(self, connection: apsw.Connection, words: Set[str]) -> set[str]:
        """Returns those of the words that are known."""
        return {*words}.intersection(self._read(connection).split("\n"))

    def _read(self, connection: apsw.Connection) -> str:
        with self._lock:
            rows: list[Any] = connection.execute(_NEWER, (self._last,)).fetchall()
            if rows:
                self._words = "\n".join([self._words[:-1], *(words for _, words in rows), ""])
                self._last = rows[-1][0]
            return self._words


class NewWords:
    """Finds words that an index does not know yet, for its only writer."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._seen: set[bytes] = set()
        self._asked = 0
        self._is_whole = False

    def add(self, words: Set[bytes]) -> None:
        """Write the new ones among words in UTF-8, before the table of tokens holds them."""
        fresh = words - self._seen
        if not self._is_whole:
            self._asked += len(fresh)
            if self._asked > self._rows() * _WORDS_PER_ROW:
                self._read_all()
                fresh -= self._seen
        self._seen |= fresh
        if not self._is_whole:
            fresh = {word for word in fresh if not self._is_known(word)}
        if fresh:
            added = b"\n".join(fresh).decode()
            self._connection.execute("INSERT INTO main.vocabulary (words) VALUES (?)", (added,))

    def _is_known(self, word: bytes) -> bool:
        asked = quoted(word.decode())
        return bool(self._connection.execute("SELECT 1 FROM tokens WHERE tokens MATCH ? LIMIT 1", (asked,)).fetchall())

    def _rows(self) -> int:
        last: Any = self._connection.execute("SELECT max(id) FROM main.vocabulary").get
        return last or 0

    def _read_all(self) -> None:
        rows: list[Any] = self._connection.execute(_NEWER, (0,)).fetchall()
        for _, words in rows:
            self._seen.update(words.encode().split(b"\n"))
        self._is_whole = True


_WORDS_PER_ROW: Final = 12
"""Words looked up singly in the time of reading one row: 10,000 notes have 331 rows, which take 40 ms, and a word takes
10 µs."""


WordsWith: TypeAlias = Callable[[str], Sequence[str] | None]
"""`Vocabulary.words_with`, bound to a reading transaction."""

# Queries for what a pattern requires, without the parts that cannot be looked for.

TRIPLES: Final = 12
"""Most triples to look for per run, evenly spread: more exclude next to nothing."""


def query(requirement: Requirement, words_with: WordsWith) -> str | None:
    """Returns an FTS5 query for the text files that may fulfil the requirement; None if it would not narrow."""
    return _query(requirement, partial(_of_literal, words_with), quoted(MIXED))


def binary_query(requirement: Requirement) -> str | None:
    """Like `query`, for binary files."""
    return _query(requirement, lambda literal: _joined(map(_of_other, _PRINTABLE.findall(literal))), None)


def _query(requirement: Requirement, of_literal: Callable[[str], str | None], of_mixed: str | None) -> str | None:
    match requirement:
        case str():
            return of_literal(requirement)
        case MixedForms():
            return of_mixed
        case AllOf(parts):
            return _joined(_query(part, of_literal, of_mixed) for part in parts)
        case AnyOf(parts):
            every = [_query(part, of_literal, of_mixed) for part in parts]
            return None if None in every else _joined(every, " OR ")


def _joined(parts: Iterable[str | None], operator: str = " AND ") -> str | None:
    """Returns one query of those that are not None; None if there is none."""
    known = [*filter(None, dict.fromkeys(parts))]
    return f"({operator.join(known)})" if len(known) > 1 else next(iter(known), None)


def _of_literal(words_with: WordsWith, literal: str) -> str | None:
    found: list[str | None] = []
    for part in literal.split("\0"):  # a query ends at a NUL, which no text file holds
        runs = _RUN.findall(part)
        last = len(runs) - 1
        for number, run in enumerate(runs):
            if _WORD.match(run):
                found.append(_of_word(run, words_with, begins=number > 0, ends=number < last))
            else:
                found.append(_of_other(run, ends=number < last))
        found += map(quoted, _mixed(part.encode("utf-8", "replace"))[:TRIPLES])
    return _joined(found)


def _of_word(run: str, words_with: WordsWith, *, begins: bool, ends: bool) -> str | None:
    """Returns the query for word characters. `begins`, `ends`: a run of the text begins or ends with them."""
    words: Sequence[str] | None = ()
    if len(run) <= LONGEST:
        if begins and ends:
            return quoted(run)
        words = words_with("\n" * begins + run + "\n" * ends)
    if words is None:
        return None
    of_long = _joined([quoted(LONG), _of_other(run, ends=ends)])
    return _joined([*map(quoted, words), of_long], " OR ")


def _of_other(run: str, *, ends: bool = False) -> str | None:
    """Returns the query for triples of other characters. `ends`: a run of the text ends with them."""
    if len(run) == 1 and run.isascii():
        return None
    run = run.encode("utf-8", "replace").decode().translate(_BLANKS) + _END * ends
    count = len(run) - 2
    if count <= 0:
        return quoted(_MARK + run) + "*"
    step = -(-count // TRIPLES)
    starts = sorted({*range(0, count, step), count - 1})
    return _joined(quoted(_MARK + run[start : start + 3]) for start in starts)

"""Reads and writes the word table: which notes hold a word, and where.

Texts that are not in the table are split by the same tokenizer, so that the words agree.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import apsw

from vaulttools.core.folding.words import Folded, folded, may_split
from vaulttools.index.file import WORDS_TOKENIZER
from vaulttools.index.tokenizer import quoted

_BM25_WEIGHTS: Final = (1.0, 8.0, 6.0, 3.0, 2.0)
"""Weights of body, title, aliases, headings and properties, for choosing the notes to rank closely."""

_COLUMNS: Final = range(len(_BM25_WEIGHTS))

_EDGES_TOKENIZER: Final = WORDS_TOKENIZER[1:]
"""The same words, without stemming."""

_local = threading.local()


class Spelling(NamedTuple):
    """A way to write a word of a question: one or more consecutive words, in any inflection, case and accents."""

    text: str
    is_beginning: bool = False
    """Whether the last word is only a beginning."""
    share: float = 1.0
    """How much it counts, beside the word as asked."""


class Places(NamedTuple):
    """Where the words of a question are in the five columns of one note: body, title, aliases, headings, properties."""

    lengths: Sequence[int]
    """Number of words in each column."""
    found: Sequence[Sequence[Sequence[int]]]
    """By word of the question and by column: places, in words from 0."""
    shares: Sequence[float] = ()
    """By word of the question: the highest `share` of its spellings that are there; empty if all are 1."""


class WordHits(NamedTuple):
    """The index's knowledge about the words of a question."""

    counts: Sequence[int]
    """By word: the number of notes in the vault that hold it."""
    places: Mapping[str, Places]
    """The best of the requested notes that hold any of the words, by BM25, best first."""
    notes: int = 0
    """Number of notes of the vault whose words are known."""


Word: TypeAlias = tuple[int, int, str]
"""One word of a text: offsets in bytes of UTF-8 of its beginning and end, and its stem. A plain tuple from the
tokenizer: another object for each word would double the time."""


def tokens(text: str) -> list[Word]:
    """Returns the words of a text in order: folded, as English stems."""
    made = Folded(text)
    words = tokens_of(made)
    return words if made.is_as_written else [(*made.written(start, end), stem) for start, end, stem in words]


def tokens_of(text: Folded) -> list[Word]:
    """Returns the words of a text in order, with offsets in the folded text."""
    found: Any = _tokenizer(WORDS_TOKENIZER)(text.data, apsw.FTS5_TOKENIZE_DOCUMENT, None)
    words: list[Word] = found
    return words


def first_written(stem: str, text: str) -> str:
    """Returns the first word of a text with this stem, in lower case; `""` if there is none."""
    beginning = stem[: max(1, len(stem) - _EXCHANGED)]
    for line in text.split("\n"):  # skips most lines quickly
        if line.isascii() and beginning not in line.lower():
            continue
        for start, end, other in tokens(line):
            if other == stem:
                return line.encode("utf-8", "replace")[start:end].decode().lower()
    return ""


_EXCHANGED: Final = 3
"""Letters at the end of a stem that may differ in its words, as in `sensible` and `sensibility`."""


def count(text: str) -> int:
    """Returns the number of words in a text, in a third of the time of `tokens`; for ASCII, in a tenth of that."""
    if text.isascii():
        return (b" " + text.encode().translate(_IN_WORDS)).count(b" 1")
    # Stemming does not change where words begin and end.
    found: Any = _tokenizer(_EDGES_TOKENIZER)(
        (folded(text) if may_split(text) else text).encode("utf-8", "replace"),
        apsw.FTS5_TOKENIZE_DOCUMENT,
        None,
        include_offsets=False,
        include_colocated=False,
    )
    return len(found)


_IN_WORDS: Final = bytes(49 if chr(code).isalnum() and code < 128 else 32 for code in range(256))
"""Translates ASCII: `1` for word characters, blanks for others."""


def _tokenizer(named: tuple[str, ...]) -> apsw.FTS5Tokenizer:
    """Returns this thread's FTS5 tokenizer: it belongs to a connection, which one thread at a time may use."""
    if not hasattr(_local, "tokenizers"):
        _local.connection = apsw.Connection(":memory:")
        _local.tokenizers = {}
    tokenizers: dict[tuple[str, ...], apsw.FTS5Tokenizer] = _local.tokenizers
    if named not in tokenizers:
        name, *arguments = named
        tokenizers[named] = _local.connection.fts5_tokenizer(name, arguments)
    return tokenizers[named]


_SETTLED: Final = " AND rowid <= ? AND +rowid NOT IN (SELECT value FROM json_each(?))"


def counts(
    connection: apsw.Connection, words: Sequence[Sequence[Spelling]], unsettled: tuple[str, int] | None = None
) -> list[int]:
    """Returns how many notes hold each word of a question in any of its spellings, without the `unsettled` rows: a JSON
    list of ids, and all ids above a number, which are just being written."""
    statement = "SELECT count(*) FROM words WHERE words MATCH ?" + _SETTLED * (unsettled is not None)
    bound = () if unsettled is None else (unsettled[1], unsettled[0])
    found = []
    for spellings in words:
        number: Any = connection.execute(statement, (_any(spellings), *bound)).get if spellings else 0
        found.append(number)
    return found


def best(
    connection: apsw.Connection,
    words: Sequence[Sequence[Spelling]],
    most: int,
    among: str | None = None,
    unsettled: tuple[str, int] | None = None,
) -> list[tuple[int, Places]]:
    """Returns the row ids of the `most` best notes by BM25 that hold any of the words, with the places of each word.
    `among` is a JSON list of the allowed ids; `unsettled` as in `counts`. Each word is a list of spellings, empty for a
    word to ignore."""
    asked = [(number, spelling) for number, spellings in enumerate(words) for spelling in spellings]
    if not asked:
        return []
    match = _any([spelling for _, spelling in asked])
    weights = ", ".join(map(str, _BM25_WEIGHTS))
    bound: list[str | int] = [match]
    wanted = ""
    if among is not None:
        # The plus keeps SQLite from asking FTS5 once per wanted row (three times slower, measured).
        wanted = " AND +rowid IN (SELECT value FROM json_each(?))"
        bound.append(among)
    if unsettled is not None:
        wanted += _SETTLED
        bound += [unsettled[1], unsettled[0]]
    rows: list[Any] = connection.execute(
        f"SELECT rowid FROM words WHERE words MATCH ?{wanted}"  # noqa: S608
        f" ORDER BY bm25(words, {weights}), rowid LIMIT ?",
        (*bound, most),
    ).fetchall()
    # A second query, since the sorter would compute the places of every row that is among the best for a while.
    rows_places: list[_RowPlaces] = []
    _local.receive = rows_places.append
    connection.execute(
        "SELECT places(words) FROM words WHERE words MATCH ? AND +rowid IN (SELECT value FROM json_each(?))",
        (match, json.dumps([row for (row,) in rows])),
    ).fetchall()
    del _local.receive
    places = {row: _read(lengths, held, asked, len(words)) for row, lengths, held in rows_places}
    return [(row, places[row]) for (row,) in rows if row in places]  # another process may have removed some


def prepare(connection: apsw.Connection) -> None:
    """Register the function that `best` uses; once per connection, since FTS5 keeps each registration until it
    closes."""
    connection.register_fts5_function("places", _places)  # type: ignore[arg-type]


_Held: TypeAlias = list[tuple[int, list[tuple[int, Sequence[int]]]]]
"""Places by phrase and column."""
_RowPlaces: TypeAlias = tuple[int, list[int], _Held]
"""A row id, the sizes of its columns, and the places of a query's phrases."""


def _places(api: apsw.FTS5ExtensionApi) -> None:
    """Pass a row's places to `best` in this thread. A result in SQL would be bytes, which would have to be encoded and
    decoded."""
    held: _Held = [
        (phrase, [(column, api.phrase_column_offsets(phrase, column)) for column in columns])
        for phrase in range(api.phrase_count)
        if (columns := api.phrase_columns(phrase))
    ]
    _local.receive((api.rowid, [api.column_size(column) for column in _COLUMNS], held))


def _read(lengths: Sequence[int], held: _Held, phrases: Sequence[tuple[int, Spelling]], words: int) -> Places:
    """Returns the places from `_places` by word; `phrases` has the word and the spelling of each phrase."""
    found = [_NOWHERE] * words
    shares: dict[int, float] = {}
    for phrase, columns in held:
        number, spelling = phrases[phrase]
        shares[number] = max(spelling.share, shares.get(number, 0.0))
        by_column = [*_NOWHERE]
        for column, places in columns:
            by_column[column] = places
        if found[number] is not _NOWHERE:  # another spelling of the same word
            by_column = [sorted({*one, *other}) for one, other in zip(found[number], by_column, strict=True)]
        found[number] = by_column
    return Places(lengths, found, shares_of(shares, words))


def shares_of(shares: Mapping[int, float], words: int) -> Sequence[float]:
    """Returns the field `Places.shares`, from the shares of the words that are there."""
    return () if {*shares.values()} <= {1.0} else [shares.get(word, 1.0) for word in range(words)]


_NOWHERE: Final[list[Sequence[int]]] = [()] * len(_BM25_WEIGHTS)
"""The places, by column, of a missing word; one shared list, to spare the garbage collector."""


def stems(connection: apsw.Connection, beginning: str) -> list[str]:
    """Returns the stems with this beginning, in any note."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.stems USING fts5vocab (main, words, row)")
    found = connection.execute(
        "SELECT term FROM temp.stems WHERE term >= ? AND term < ?", (beginning, beginning + chr(sys.maxunicode))
    )
    return [str(term) for (term,) in found]


def with_stem(connection: apsw.Connection, stem: str) -> list[int]:
    """Returns the row ids of notes that hold a word with exactly this stem; a query would stem the stem again."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.instances USING fts5vocab (main, words, instance)")
    return [
        int(row) for (row,) in connection.execute("SELECT DISTINCT doc FROM temp.instances WHERE term = ?", (stem,))
    ]


def _any(spellings: Sequence[Spelling]) -> str:
    found = []
    for text, is_beginning, _ in spellings:
        # Half of a surrogate pair has no UTF-8 form, and no text holds one.
        found.append(quoted(folded(text).encode("utf-8", "replace").decode()) + "*" * is_beginning)
    return " OR ".join(found)

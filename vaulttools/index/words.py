"""Reads and writes the word table: which notes hold a word, and where.

The tokenizer is asked for the words of texts that the table does not hold, too, so that both are the same words.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import apsw

from vaulttools.index.file import WORDS_TOKENIZER
from vaulttools.index.vocabulary import quoted

_BM25_WEIGHTS: Final = (1.0, 8.0, 6.0, 3.0, 2.0)
"""Of the columns, body, title, aliases, headings and properties, for choosing the notes that are looked at closely."""

_COLUMNS: Final = range(len(_BM25_WEIGHTS))

_EDGES_TOKENIZER: Final = WORDS_TOKENIZER.removeprefix("porter ")
"""The same words, not reduced to stems."""

_local = threading.local()


class Spelling(NamedTuple):
    """What may be written for a word of a question: one word or several in a row, in any inflection, case, accents."""

    text: str
    is_beginning: bool = False
    """Whether the last word may go on."""


class Places(NamedTuple):
    """Where the words of a question are in one note: in its body, its title, its aliases, its headings and
    its properties."""

    lengths: Sequence[int]
    """Words in each of the five."""
    found: Sequence[Sequence[Sequence[int]]]
    """By word of the question and by part: places, counted in words from 0."""


class WordHits(NamedTuple):
    """What the index knows of the words of a question."""

    counts: Sequence[int]
    """By word: the notes of the vault that hold it."""
    places: Mapping[str, Places]
    """The best notes by BM25, of those asked for that hold any of the words, best first."""
    notes: int = 0
    """Notes of the vault whose parts are known."""


Word: TypeAlias = tuple[int, int, str]
"""One word of a text, as the table knows it: its first byte in the UTF-8 form of the text, the byte behind it, and its
stem. A plain tuple, as the tokenizer gives it: of a thousand words a second object each takes as long as finding them.
"""


def tokens(text: str) -> list[Word]:
    """The words of a text in order: lower case, without accents, reduced to stems of English."""
    found: Any = _tokenizer(WORDS_TOKENIZER)(text.encode("utf-8", "replace"), apsw.FTS5_TOKENIZE_DOCUMENT, None)
    words: list[Word] = found
    return words


def first_written(stem: str, text: str) -> str:
    """The first word of a text that has a stem, in lower case; `""` when no word has it."""
    beginning = stem[: max(1, len(stem) - _EXCHANGED)]
    for line in text.split("\n"):  # most lines cannot hold it, and are not taken apart
        if line.isascii() and beginning not in line.lower():
            continue
        for start, end, other in tokens(line):
            if other == stem:
                return line.encode("utf-8", "replace")[start:end].decode().lower()
    return ""


_EXCHANGED: Final = 3
"""Letters at the end of a stem that its words may have others instead of: `sensible` of `sensibility`."""


def count(text: str) -> int:
    """How many words a text has; a third of the time of `tokens`, of ASCII a tenth of that."""
    if text.isascii():
        return (b" " + text.encode().translate(_IN_WORDS)).count(b" 1")
    # Stems and accents change no word's edges.
    found: Any = _tokenizer(_EDGES_TOKENIZER)(
        text.encode("utf-8", "replace"),
        apsw.FTS5_TOKENIZE_DOCUMENT,
        None,
        include_offsets=False,
        include_colocated=False,
    )
    return len(found)


_IN_WORDS: Final = bytes(49 if chr(code).isalnum() and code < 128 else 32 for code in range(256))
"""By sign of ASCII: `1` where it is a part of a word, else a blank."""


def _tokenizer(named: str) -> apsw.FTS5Tokenizer:
    """One of FTS5's, of this thread: a tokenizer belongs to a connection, and a connection to one thread at a time."""
    if not hasattr(_local, "tokenizers"):
        _local.connection = apsw.Connection(":memory:")
        _local.tokenizers = {}
    tokenizers: dict[str, apsw.FTS5Tokenizer] = _local.tokenizers
    if named not in tokenizers:
        name, *arguments = named.split()
        tokenizers[named] = _local.connection.fts5_tokenizer(name, arguments)
    return tokenizers[named]


_SETTLED: Final = " AND rowid <= ? AND +rowid NOT IN (SELECT value FROM json_each(?))"


def counts(
    connection: apsw.Connection, words: Sequence[Sequence[Spelling]], unsettled: tuple[str, int] | None = None
) -> list[int]:
    """How many notes hold each word of a question in any of its spellings, without the `unsettled` rows: those of a
    JSON list and those above a number, which are just being written."""
    return [_count(connection, _any(spellings), unsettled) if spellings else 0 for spellings in words]


def best(
    connection: apsw.Connection,
    words: Sequence[Sequence[Spelling]],
    most: int,
    among: str | None = None,
    unsettled: tuple[str, int] | None = None,
) -> list[tuple[int, Places]]:
    """The notes that hold any of the words, by row, the `most` best by BM25, with the places of each word; only rows of
    a JSON list, if given, and without the `unsettled` ones as in `counts`. Each word is a list of spellings, empty
    where nothing is to be looked for."""
    asked = [(number, spelling) for number, spellings in enumerate(words) for spelling in spellings]
    if not asked:
        return []
    match = _any([spelling for _, spelling in asked])
    weights = ", ".join(map(str, _BM25_WEIGHTS))
    bound: list[str | int] = [match]
    wanted = ""
    if among is not None:
        # A plus keeps SQLite from asking FTS5 once for every row that is wanted (three times slower, measured).
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
    # Apart, since the sorter would ask for the places of every row that is among the best for a while.
    told: list[_Told] = []
    _local.told = told.append
    connection.execute(
        "SELECT places(words) FROM words WHERE words MATCH ? AND +rowid IN (SELECT value FROM json_each(?))",
        (match, json.dumps([row for (row,) in rows])),
    ).fetchall()
    del _local.told
    phrases = [number for number, _ in asked]
    places = {row: _read(lengths, held, phrases, len(words)) for row, lengths, held in told}
    return [(row, places[row]) for (row,) in rows if row in places]  # another process may have written in between


def prepare(connection: apsw.Connection) -> None:
    """Give a connection what `best` asks for. Once: FTS5 keeps every function, and what it holds, to the connection's
    end."""
    connection.register_fts5_function("places", _places)  # type: ignore[arg-type]


_Held: TypeAlias = list[tuple[int, list[tuple[int, Sequence[int]]]]]
"""By phrase and column: the places."""
_Told: TypeAlias = tuple[int, list[int], _Held]
"""A row, the sizes of its columns, and where the phrases of a query stand in it."""


def _places(api: apsw.FTS5ExtensionApi) -> None:
    """Tell this thread of a row. A value of SQL would be bytes, which take as long to write and to read again."""
    held: _Held = [
        (phrase, [(column, api.phrase_column_offsets(phrase, column)) for column in columns])
        for phrase in range(api.phrase_count)
        if (columns := api.phrase_columns(phrase))
    ]
    _local.told((api.rowid, [api.column_size(column) for column in _COLUMNS], held))


def _read(lengths: Sequence[int], held: _Held, phrases: Sequence[int], words: int) -> Places:
    """What `_places` told of a row, by word; `phrases` tells of which word each is."""
    found = [_NOWHERE] * words
    for phrase, columns in held:
        number = phrases[phrase]
        stands = [*_NOWHERE]
        for column, places in columns:
            stands[column] = places
        if found[number] is not _NOWHERE:  # another spelling of the same word
            stands = [sorted([*one, *other]) for one, other in zip(found[number], stands, strict=True)]
        found[number] = stands
    return Places(lengths, found)


_NOWHERE: Final[list[Sequence[int]]] = [()] * len(_BM25_WEIGHTS)
"""The places in each column of a word that is not there: the same ones, so that there is less for the garbage collector
to look at."""


def stems(connection: apsw.Connection, beginning: str) -> list[str]:
    """The stems that begin so, in any note."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.stems USING fts5vocab (main, words, row)")
    found = connection.execute(
        "SELECT term FROM temp.stems WHERE term >= ? AND term < ?", (beginning, beginning + chr(sys.maxunicode))
    )
    return [str(term) for (term,) in found]


def holding(connection: apsw.Connection, stem: str) -> list[int]:
    """The rows of the notes that hold a word of this very stem; a query would make a stem of the stem."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.instances USING fts5vocab (main, words, instance)")
    return [
        int(row) for (row,) in connection.execute("SELECT DISTINCT doc FROM temp.instances WHERE term = ?", (stem,))
    ]


def _any(spellings: Sequence[Spelling]) -> str:
    # Half of a surrogate pair has no form in UTF-8, and stands in no text.
    texts = [(spelling.text.encode("utf-8", "replace").decode(), spelling.is_beginning) for spelling in spellings]
    return " OR ".join(quoted(text) + "*" * is_beginning for text, is_beginning in texts)


def _count(connection: apsw.Connection, match: str, unsettled: tuple[str, int] | None) -> int:
    counted = "SELECT count(*) FROM words WHERE words MATCH ?"
    if unsettled is None:
        return _number(connection, counted, match)
    left_out, newest = unsettled
    return _number(connection, counted + _SETTLED, match, newest, left_out)


def _number(connection: apsw.Connection, statement: str, *bound: str | int) -> int:
    [(number,)] = connection.execute(statement, bound).fetchall()
    assert isinstance(number, int)
    return number

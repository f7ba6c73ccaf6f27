"""Turns what a pattern requires into a query of the trigram table.

What cannot be looked for is left out of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from vaulttools.index import vocabulary
from vaulttools.index.vocabulary import quoted
from vaulttools.patterns.literals import AllOf, AnyOf, Requirement

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
        words = holding(literal) if len(literal) >= _SHORTEST and vocabulary.is_of_words(literal) else None
        if words is None:
            is_whole = False
            return None
        return _joined(list(map(quoted, (*words, vocabulary.LONG))), " OR ")

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

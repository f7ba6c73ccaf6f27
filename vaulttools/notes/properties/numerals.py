"""Reads numbers by YAML 1.2's core schema, and keeps how they are spelled: `12.50`."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

_NUMBER: Final = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|0o(?P<octal>[0-7]+)|0x(?P<hexadecimal>[0-9a-fA-F]+)"
    r"|(?P<word>[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))"
)
_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]*")

_LARGEST: Final = 2**63 - 1
"""The largest integer of SQLite and of JSON readers in other languages."""
_LONGEST: Final = 20
"""Characters of such an integer; `int` refuses 4,300 digits."""
WHOLE: Final = 2**53
"""From here on a float cannot hold every whole number."""

MARK: Final = "\ud800"
"""Begins a stored numeral: half of a surrogate pair, which no text of a property contains."""
MARK_BYTES: Final = MARK.encode("utf-8", "surrogatepass")
_STORED: Final = re.compile(f'"{MARK}([^"]*)"')


class Numeral(float):
    """A number that we would write otherwise: it computes as the number, and its text is what was written."""

    __slots__ = ("_written",)
    _written: str

    def __new__(cls, written: str) -> Numeral:
        """Make the number of a word that `_NUMBER` matches."""
        made = super().__new__(cls, _value(written))
        made._written = written
        return made

    def __str__(self) -> str:
        return self._written

    __repr__ = __str__

    def __reduce__(self) -> tuple[type[Numeral], tuple[str]]:
        return Numeral, (self._written,)

    @property
    def plain(self) -> int | float | str:
        """The number as JSON writes it; the text as written if JSON readers cannot hold it."""
        if not math.isfinite(self):
            return self._written
        if not self.is_integer():
            return float(self)
        if abs(self) < WHOLE:
            return int(self)
        digits = self._written.removeprefix("+")
        if not digits.removeprefix("-").isdigit():
            return float(self)
        exact = int(digits) if len(digits) <= _LONGEST else _LARGEST + 1
        return exact if abs(exact) <= _LARGEST else self._written


def _value(written: str) -> float:
    found = _NUMBER.fullmatch(written)
    if found is None:
        raise ValueError(f"{written} is no number")
    if found["word"]:
        return float(written.replace(".", ""))
    digits, base = (found["octal"], 8) if found["octal"] else (found["hexadecimal"], 16)
    if not digits:
        return float(written)
    try:
        return float(int(digits, base))
    except OverflowError:
        return math.inf


def read(word: str) -> int | float | None:
    """Returns the number that a word without quotation marks is in YAML 1.2's core schema; None if it is none.

    Integers of 64 bits, and fractions, that we would write as they are written are `int` and `float`; all others are a
    `Numeral`.
    """
    if not _NUMBER.fullmatch(word):
        return None
    if _INTEGER.fullmatch(word) and len(word) <= _LONGEST and abs(number := int(word)) <= _LARGEST:
        return number
    numeral = Numeral(word)
    value = float(numeral)
    is_ours = repr(value) == word and "e" not in word and not value.is_integer()
    return value if is_ours else numeral


def plain(value: Any) -> Any:
    """Returns a property's value as JSON holds it (`Numeral.plain`)."""
    return _changed(value, lambda each: each.plain if type(each) is Numeral else each)


def stored(value: Any) -> Any:
    """Returns plain values in which numerals are texts that begin with `MARK`; for `restored`."""
    return _changed(value, lambda each: f"{MARK}{each}" if type(each) is Numeral else each)


def restored(value: Any) -> Any:
    """Returns what `stored` was given."""
    return _changed(value, _restored)


def _restored(each: Any) -> Any:
    return Numeral(each[1:]) if type(each) is str and each[:1] == MARK and _NUMBER.fullmatch(each[1:]) else each


def _changed(value: Any, change: Any) -> Any:
    """Returns a value with each single value in its tuples, lists and dictionaries changed."""
    kind = type(value)
    if kind is dict:
        return {name: _changed(each, change) for name, each in value.items()}
    if kind is list or kind is tuple:
        return kind([_changed(each, change) for each in value])
    return change(value)


def in_json(value: Any) -> str:
    """Returns a value as JSON, but numbers as they are written."""
    return _STORED.sub(r"\1", json.dumps(stored(value), ensure_ascii=False))

"""Compares property values as text, facts, numbers and dates (rule-S35 to rule-S38)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from vaulttools.notes import contents
from vaulttools.notes.properties.safe_yaml import Value
from vaulttools.query.tree import Compare, Is

_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""The exponent because that is how a property of 1e+20 is written as text."""


def texts(value: Value) -> Iterator[str]:
    """The single values of a property as text, on one line: `true`, `2.5`, `2024-01-31`; none for null."""
    return (text.replace("\n", " ") for text in contents.texts(value))


def has_fact(value: Value, asked: Is) -> bool:
    """Whether a value is null in YAML, which `""` and `[]` are not (rule-S36); or empty, true, false (rule-S37)."""
    match asked.fact:
        case "null":
            return value is None
        case "EMPTY":
            return value is None or value in ("", [], {})
        case "TRUE":
            return value is True
        case "FALSE":
            return value is False


def compares(value: Value, asked: Compare) -> bool:
    """Whether any single value is greater or less: numbers as such, dates as such, anything else is neither
    (rule-S38)."""
    return any(_compares(text, asked) for text in texts(value))


def _compares(text: str, asked: Compare) -> bool:
    for read in (_number, _date):
        left, right = read(text), read(asked.than)
        if left is not None and right is not None:
            return left < right if asked.sign == "<" else left > right
    return False


def _number(text: str) -> float | None:
    """Of a decimal number as notes are written, `5`, `-1.5`, `1e3`; Python would take `1_000` and `nan` as well."""
    return float(text) if _DECIMAL.fullmatch(text.strip()) else None


def _date(text: str) -> float | None:
    """Seconds, from a date or a date and time (rule-P03); one without a zone counts as UTC, so that any two compare."""
    try:
        read = datetime.fromisoformat(text.strip())
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None

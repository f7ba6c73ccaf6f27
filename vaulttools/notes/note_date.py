"""Tells when a note was written, by its name or its properties."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from vaulttools.core import paths
from vaulttools.notes.note import Note

_IN_NAME: Final = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_PROPERTIES: Final = ("date", "created", "day")
"""Properties that hold a note's date, the first one that does counts."""


def note_date(note: Note) -> str:
    """The date in a note's name, else in a property, as `2026-05-12`; `""`: neither holds one."""
    stem = paths.stem(note.path)
    if found := _first(stem):
        return found
    named = {name.casefold(): value for name, value in note.properties.items()}
    return next((found for name in _PROPERTIES if (found := _first(str(named.get(name, ""))))), "")


def _first(text: str) -> str:
    """The first date that exists of those in a text."""
    for year, month, day in _IN_NAME.findall(text):
        try:
            return date(int(year), int(month), int(day)).isoformat()
        except ValueError:
            continue
    return ""

"""When a note was written, as its name or its properties have it."""

from __future__ import annotations

import pytest

from vaulttools.notes.note import Note
from vaulttools.notes.note_date import note_date


@pytest.mark.parametrize(
    ("path", "properties", "expected"),
    [
        ("2026-05-12.md", "", "2026-05-12"),
        ("Daily/2026-05-12 Tuesday.md", "", "2026-05-12"),
        ("Meeting 2026-05-12.md", "date: 2020-01-01", "2026-05-12"),
        # A folder's name says nothing of the note.
        ("2026-05-12/Notes.md", "", ""),
        # Of several in a name the first that exists counts.
        ("2026-13-40 2026-02-28 to 2026-03-01.md", "", "2026-02-28"),
        ("2026-02-30.md", "", ""),
        ("12026-05-12.md", "", ""),
        ("2026-05-123.md", "", ""),
        ("20260512.md", "", ""),
        # A property, the first of those that hold a date.
        ("a.md", "date: 2026-05-12", "2026-05-12"),
        ("a.md", "Created: 2026-05-12T08:30:00", "2026-05-12"),
        ("a.md", 'day: "[[2026-05-12]]"', "2026-05-12"),
        ("a.md", "day: 2020-01-01\ncreated: 2026-05-12", "2026-05-12"),
        ("a.md", "date: soon\ncreated: 2026-05-12", "2026-05-12"),
        ("a.md", "date:\n  - 2026-05-12\n  - 2020-01-01", "2026-05-12"),
        ("a.md", "due: 2026-05-12", ""),
        ("a.md", "date: 2026", ""),
        ("a.md", "", ""),
    ],
)
def test_the_date_of_a_note(path: str, properties: str, expected: str) -> None:
    text = f"---\n{properties}\n---\nText of 2011-11-11.\n" if properties else "Text of 2011-11-11.\n"
    assert note_date(Note(path, text)) == expected

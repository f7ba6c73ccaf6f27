"""Says which shown lines hold the data of a drawing or a plugin."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import TYPE_CHECKING, Final

from vaulttools.core import limits, paths, render
from vaulttools.files.document import Document
from vaulttools.matching.search import FileHits

if TYPE_CHECKING:
    from vaulttools.notes.note import Note
    from vaulttools.query.matching_files import Match

_SIGNS: Final = (
    *("excalidraw", "EXCALIDRAW", "compressed-json", "TLDRAW_DATA", "-ink", "mindmap-plugin"),
    *("kanban:settings", "dbfolder:yaml"),
)
"""A text without any of these holds no such data: to look for them costs less than to read its structure."""
_RANGES: Final = 3
"""Runs of lines named of one file."""


def among(found: Iterable[FileHits], note_of: Callable[[Document], Note]) -> list[str]:
    """Returns a sentence that names the matching lines which hold the data of a drawing or of a plugin; no sentence if
    none does. `note_of` returns the note of a text."""
    return _told(
        _named(document.path, each.hits.numbers, note_of(document).data_lines)
        for each in found
        if _may_hold((document := each.document).path, document.text)
    )


def among_places(found: Iterable[Match]) -> list[str]:
    """Returns the same as `among`, of what a query of mode obsidian matches."""
    return _told(
        _named(path, {line for first, last in places for line in range(first, last + 1)}, text.data_lines)
        for path, places, text in found
        if text is not None and _may_hold(path, text.text)
    )


def _may_hold(path: str, text: str) -> bool:
    return paths.is_note(path) and any(sign in text for sign in _SIGNS)


def _told(phrases: Iterable[str]) -> list[str]:
    named = [*filter(None, phrases)]
    if not named:
        return []
    more = f" and in {len(named) - limits.NAMED_PATHS:,} more files" if len(named) > limits.NAMED_PATHS else ""
    return [f"Data of drawings or plugins, not text: {'; '.join(named[: limits.NAMED_PATHS])}{more}."]


def _named(path: str, lines: Iterable[int], data: AbstractSet[int]) -> str:
    """Returns a file with those of some lines that hold data; `""` if none does."""
    runs: list[tuple[int, int]] = []
    for line in sorted(data & set(lines)):
        if runs and runs[-1][1] == line - 1:
            runs[-1] = runs[-1][0], line
        else:
            runs.append((line, line))
    where = ", ".join(render.line_range(*run) for run in islice(runs, _RANGES))
    more = f" and {len(runs) - _RANGES:,} more places" if len(runs) > _RANGES else ""
    return f"{paths.shown(path)}, {where}{more}" if runs else ""

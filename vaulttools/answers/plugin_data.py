"""Says which matching lines hold the data of a drawing or a plugin."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final

from vaulttools.answers.shown_lines import around
from vaulttools.core import limits, paths, render
from vaulttools.files.document import Document
from vaulttools.matching.search import FileHits
from vaulttools.notes import said

if TYPE_CHECKING:
    from vaulttools.notes.note import Note
    from vaulttools.query.matching_files import Match

_RANGES: Final = 3
"""Runs of lines named of one file."""


def among(found: Iterable[FileHits], note_of: Callable[[Document], Note]) -> list[str]:
    """Returns a sentence that names the matching lines which hold the data of a drawing or of a plugin; no sentence if
    none does. `note_of` returns the note of a text."""
    return told(of_file(each, note_of) for each in found)


def of_file(found: FileHits, note_of: Callable[[Document], Note]) -> str:
    """Returns a file with those of its matching lines that hold such data, for `told`; `""` if none does."""
    document = found.document
    if not may_hold(document.path, document.text):
        return ""
    return _named(document.path, found.hits.numbers, note_of(document).data_lines)


def among_places(found: Iterable[Match]) -> list[str]:
    """Returns the same as `among`, of what a query of mode obsidian matches."""
    return told(
        _named(path, {line for first, last in places for line in range(first, last + 1)}, text.data_lines)
        for path, places, text in found
        if text is not None and may_hold(path, text.text)
    )


def may_hold(path: str, text: str) -> bool:
    """Whether a text may hold such data. Most do not: this costs less than to read the structure of a note."""
    if not paths.is_note(path):
        return False
    if path.lower().endswith(said.DRAWING) or said.PLUGIN in text:
        return True
    if "%" in text and ("kanban:settings" in text or "dbfolder:yaml" in text):
        return True
    if "```" not in text and "~~~" not in text:
        return False
    lower = text.lower()
    return said.TLDRAW in text or "mindmap-plugin" in text or any(language in lower for language in said.DATA)


def told(phrases: Iterable[str]) -> list[str]:
    """Returns the sentence of `among`, from what `of_file` returned."""
    named = [*filter(None, phrases)]
    if not named:
        return []
    more = f" and in {len(named) - limits.NAMED_PATHS:,} more files" if len(named) > limits.NAMED_PATHS else ""
    return [f"Data of drawings or plugins, not text: {'; '.join(named[: limits.NAMED_PATHS])}{more}."]


def _named(path: str, lines: Iterable[int], data: AbstractSet[int]) -> str:
    """Returns a file with those of some lines that hold data; `""` if none does."""
    runs = [*around(sorted(data & set(lines)), 0, 0, max(data, default=0))]
    where = ", ".join(render.line_range(run.start, run.end) for run in runs[:_RANGES])
    more = f" and {len(runs) - _RANGES:,} more places" if len(runs) > _RANGES else ""
    return f"{paths.shown(path)}, {where}{more}" if runs else ""

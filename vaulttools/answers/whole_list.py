"""Shows the rows of a proposed call, so that a list needs no second call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from vaulttools.answers import corpus
from vaulttools.answers.proposals import Proposal
from vaulttools.core import paths, render
from vaulttools.core.voice import Voice
from vaulttools.notes.note import Note
from vaulttools.notes.properties import values

MOST_ROWS: Final = 20
"""Rows that an answer shows of a list; the call itself shows all."""
_ROW_CHARACTERS: Final = 160


class Row(NamedTuple):
    """What a proposed call found: a note, or a line of one."""

    path: str
    line: int = 0
    """From 1; 0: the row is the note."""
    text: str = ""
    """A task as its note writes it; of a note the properties that the question is about, in one line."""


class WholeList(NamedTuple):
    """The call that lists all that a question asks for, and what it found."""

    proposal: Proposal
    total: int
    """Rows, shown or not."""
    rows: Sequence[Row]
    """The first ones, `MOST_ROWS` at most."""

    def read(self, note_at: Callable[[str], Note | None]) -> list[Row]:
        """The rows with their texts."""
        return [row._replace(text=self._text(row, note_at(row.path))) for row in self.rows]

    def _text(self, row: Row, note: Note | None) -> str:
        if note is None:
            return ""
        if row.line:
            written = "".join(note.text.split("\n", row.line)[row.line - 1 : row.line]).strip()
            return render.line(written, most=_ROW_CHARACTERS)
        held = {name: value for name, value in note.properties.items() if name in self.proposal.properties}
        return values.in_one_line(held, _ROW_CHARACTERS)

    def block(self, rows: Sequence[Row]) -> str:
        """The rows as read, one a line, below a line that says how many there are."""
        number = corpus.counted(self.total, "row")
        first = f"The first {len(rows)} of {number}:" if len(rows) < self.total else f"The whole list, {number}:"
        places = (f"{paths.shown(row.path)}:{row.line}" if row.line else paths.shown(row.path) for row in rows)
        shown = (
            f"- {place}: {row.text}" if row.text else f"- {place}" for place, row in zip(places, rows, strict=True)
        )
        return "\n".join([first, *shown])

    def call(self, voice: Voice) -> str:
        """The sentence that names the call."""
        call = voice.call(self.proposal.tool, self.proposal.arguments)
        return f"For a complete list: {call} ({corpus.counted(self.total, 'row')})"

"""Reads the one text that a call of `read` or `outline` names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vaulttools.answers import answer
from vaulttools.core import paths
from vaulttools.core.work import Work
from vaulttools.errors import BadArgument
from vaulttools.files.document import Document
from vaulttools.notes import canvas
from vaulttools.notes.note import Note
from vaulttools.resources.archives import MemberUnreadable
from vaulttools.resources.targets import Target
from vaulttools.session import Session


@dataclass(frozen=True, slots=True)
class Reading:
    """One text."""

    target: Target
    """What named it, with the part of it that is meant."""
    document: Document
    note: Note
    """The same as a note; what is none has no properties."""
    notices: Sequence[str]
    """What was odd about it."""

    @property
    def name(self) -> str:
        """How text names it."""
        return paths.shown(self.document.path)


def opened(vault: Session, given: str, work: Work) -> Reading:
    """The text that the argument `note` names.

    Raises:
        BadArgument: it names none, or several, or what cannot be read as text.
    """
    return read(vault, vault.named(given, work), work)


def read(vault: Session, target: Target, work: Work) -> Reading:
    """The text of what was named; of a canvas, its cards and connections.

    Raises:
        BadArgument: it cannot be read as text.
    """
    try:
        document, warnings = vault.text_of(target, work)
    except MemberUnreadable as error:
        raise BadArgument(f"Cannot read {target.given}: {error.reason}") from error
    if document.is_binary:
        raise BadArgument(f"Cannot read {target.given}: binary")
    notices = list(warnings)
    if is_canvas(document.path) and (text := canvas.readable(document.text)) is not None:
        document = Document(document.path, text)
        notices.append("The canvas is shown as text; its lines are not those of the file.")
    if not document.is_whole:
        notices.append("This is not all of the text: a page could not be read, or there was no time or room for all.")
    work.remaining()  # a call that was cancelled meanwhile is not answered
    work.searched = 1
    note = vault.notes(vault.view(work)).note(document)
    notices += [*answer.conflict_copies([document.path]), *answer.passed_over(work, found=True)]
    return Reading(target, document, note, notices)


def is_canvas(path: str) -> bool:
    """Whether a file is a canvas by its name."""
    return path.lower().endswith(".canvas")


def lines(count: int) -> str:
    """`1 line`, `2,310 lines`."""
    return f"{count:,} line{'s' if count != 1 else ''}"

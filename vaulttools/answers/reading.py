"""What `read` and `outline` share: the one text that a call names, read and known as a note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vaulttools.answers import answer
from vaulttools.core import paths
from vaulttools.core.work import Work
from vaulttools.errors import BadArgument
from vaulttools.files.document import Document
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
    target = vault.named(given, work)
    try:
        document, warnings = vault.text_of(target, work)
    except MemberUnreadable as error:
        raise BadArgument(f"Cannot read {target.given}: {error.reason}") from error
    if document.is_binary:
        raise BadArgument(f"Cannot read {target.given}: binary")
    work.remaining()  # a call that was cancelled meanwhile is not answered
    work.searched = 1
    note = vault.notes(vault.known(work)).note(document)
    notices = (*warnings, *answer.conflict_copies([document.path]), *answer.passed_over(work, found=True))
    return Reading(target, document, note, notices)


def lines(count: int) -> str:
    """`1 line`, `2,310 lines`."""
    return f"{count:,} line{'s' if count != 1 else ''}"

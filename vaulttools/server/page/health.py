"""Gathers possible problems of a vault, for its health page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from threading import Event
from typing import Final, NamedTuple

from vaulttools.answers.answer import AtLeast
from vaulttools.core import paths
from vaulttools.core.folding.identity import identity
from vaulttools.errors import BadArgument
from vaulttools.files import disk
from vaulttools.notes.note import Note
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.asking import NOT_YET, ask
from vaulttools.server.page.vault_notes import Soon, ensure_wanted, in_time, note_paths
from vaulttools.tools.links import LinksAnswer
from vaulttools.vault import Vault

_LISTED: Final = 100
"""Notes or links of each kind that are listed."""

_SECONDS: Final = 2.0
"""Seconds that the page may take; without this bound it took 43 s while 10,000 notes were first indexed."""

_SMALL_BYTES: Final = 64
"""Only notes of at most this many bytes are read to find empty ones."""


class ProblemRow(NamedTuple):
    """A note, or a link."""

    text: str
    address: str
    detail: str = ""


class Problem(NamedTuple):
    """One kind of possible problem."""

    summary: str
    rows: Sequence[ProblemRow] = ()
    is_whole: bool = True
    """False if some of the vault could not be checked."""
    has_more: bool = False
    """Whether there are more than the rows."""


def health(vault: Vault, addresses: Addresses, cancel: Event) -> dict[str, Problem]:
    """Returns the possible problems of a vault by kind; a part that takes too long says so.

    Raises:
        Cancelled: the browser has gone.
    """
    soon = Soon(cancel, _SECONDS)
    parts = {
        "Unresolved links": _unresolved,
        "Orphans": _orphans,
        "Empty notes": _empty,
        "Duplicate names": _duplicates,
    }
    # What was read so far is kept, so the next load of the page gets further.
    late = Problem(NOT_YET)
    return {name: in_time(partial(look, vault, addresses, soon), cancel) or late for name, look in parts.items()}


def _unresolved(vault: Vault, addresses: Addresses, cancel: Event) -> Problem:
    answer = _links(vault, "unresolved", cancel)
    rows = [
        ProblemRow(each.target, addresses.note(each.source, line=each.line), f"{each.source}, line {each.line}")
        for each in answer.links
    ]
    return _linked(answer, rows)


def _orphans(vault: Vault, addresses: Addresses, cancel: Event) -> Problem:
    answer = _links(vault, "orphans", cancel)
    return _linked(answer, _rows(answer.orphans, addresses))


def _linked(answer: LinksAnswer, rows: Sequence[ProblemRow]) -> Problem:
    has_more = isinstance(answer.total, AtLeast) or answer.total > len(rows)
    return Problem(answer.text.rstrip(":."), rows, answer.complete, has_more)


def _links(vault: Vault, direction: str, cancel: Event) -> LinksAnswer:
    answer: LinksAnswer = ask(vault, "links", {"direction": direction, "limit": _LISTED}, cancel)
    return answer


def _empty(vault: Vault, addresses: Addresses, cancel: Event) -> Problem:
    """Find notes with nothing below their properties."""
    notes, is_whole = note_paths(vault, cancel)
    empty = [path for path in notes if _is_empty(vault, path, cancel)]
    summary = f"{_counted(len(empty), 'note')} without text, of those with at most {_SMALL_BYTES} bytes"
    return Problem(summary, _rows(empty, addresses), is_whole, len(empty) > _LISTED)


def _duplicates(vault: Vault, addresses: Addresses, cancel: Event) -> Problem:
    """Find names of several notes: a link by name alone may lead to the wrong one."""
    notes, is_whole = note_paths(vault, cancel)
    by_name = sorted((identity(paths.title(path)), path) for path in notes)
    groups = [[path for _, path in same] for _, same in groupby(by_name, key=itemgetter(0))]
    several = [each for each in groups if len(each) > 1]
    named = [path for group in several for path in group]
    summary = f"{_counted(len(several), 'name')} shared by several notes"
    return Problem(summary, _rows(named, addresses), is_whole, len(named) > _LISTED)


def _rows(notes: Sequence[str], addresses: Addresses) -> list[ProblemRow]:
    return [ProblemRow(path, addresses.note(path)) for path in notes[:_LISTED]]


def _is_empty(vault: Vault, path: str, cancel: Event) -> bool:
    ensure_wanted(cancel)
    try:
        # The disk knows the small ones: that takes a tenth of a second for 10,000 notes.
        if disk.stat(vault.session.root.absolute(path)).st_size > _SMALL_BYTES:
            return False
        note = Note(path, ask(vault, "read", {"note": path}, cancel).content)
    except (OSError, BadArgument):  # it has gone since
        return False
    return not "".join(note.text.split("\n")[note.body_line - 1 :]).strip()


def _counted(number: int, what: str) -> str:
    return f"{number or 'No'} {what}{'s' if number != 1 else ''}" if number < 1000 else f"{number:,} {what}s"

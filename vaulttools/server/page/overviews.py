"""Gathers what the pages of tags, tasks and the vault's health show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from threading import Event
from typing import Any, Final

from vaulttools.core import render
from vaulttools.core.work import INCOMPLETE, Work
from vaulttools.errors import BadArgument, Cancelled
from vaulttools.files import disk
from vaulttools.files.scope import Walk
from vaulttools.notes.note import Note
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.searching import title
from vaulttools.server.page.soon import Soon
from vaulttools.tools.links import LinksAnswer
from vaulttools.tools.tags import TagsAnswer
from vaulttools.tools.tasks import TasksAnswer
from vaulttools.vault import Vault

_TAGS: Final = 2_000
_TASKS: Final = 100
"""Tasks on a page."""

_LISTED: Final = 100
"""Notes or links of each kind that the page of health lists."""

_HEALTH_SECONDS: Final = 2.0
"""How long the page of health may take. It took 43 s while 10,000 notes were first indexed."""

_SMALL_BYTES: Final = 64
"""Notes of at most so many bytes are looked into for the empty ones."""

TASK_FIELDS: Final = ("status", "text", "tags", "folder", "priority", "due")
"""What the form of tasks asks for; `due` is one of `DUE`."""

DUE: Final[Mapping[str, Mapping[str, Any]]] = {
    "overdue": {"overdue": True},
    "today": {"due_after": "today", "due_before": "tomorrow"},
    "week": {"due_before": "next week"},
    "none": {"no_due": True},
}


@dataclass(frozen=True, slots=True)
class TagItem:
    """A tag, and where its notes are listed."""

    name: str
    notes: int
    address: str
    depth: int
    """How many tags it is nested in."""


@dataclass(frozen=True, slots=True)
class TaskItem:
    """A task, and where it stands."""

    status: str
    text: str
    where: str
    address: str
    facts: Sequence[str]
    """Dates, priority and the like, as they are shown."""
    is_nested: bool


@dataclass(frozen=True, slots=True)
class ListItem:
    """A note, or what else is listed."""

    text: str
    address: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class HealthSection:
    """One part of the vault's health."""

    name: str
    summary: str
    rows: Sequence[ListItem]
    is_whole: bool
    """False where some of the vault could not be looked at."""


_Found = tuple[str, Sequence[ListItem], bool]
"""What a section holds behind its name: `summary`, `rows`, `is_whole`."""


def tags(vault: Vault, addresses: Addresses, cancel: Event) -> tuple[list[TagItem], TagsAnswer]:
    """All tags, by name."""
    answer: TagsAnswer = vault.answer("tags", {"limit": _TAGS}, cancel=cancel)
    by_name = sorted(answer.tags, key=lambda each: each.tag.casefold().split("/"))
    return [TagItem(each.tag, each.notes, addresses.tag(each.tag), each.tag.count("/")) for each in by_name], answer


def task_arguments(form: Mapping[str, str], page: int) -> dict[str, Any]:
    """The arguments of `tasks` for what was put into the form."""
    given = {name: value for name in TASK_FIELDS if (value := form.get(name, "").strip())}
    due = DUE.get(given.pop("due", ""), {})
    named = {**given, **({"tags": given["tags"].split()} if "tags" in given else {})}
    return {**named, **due, "limit": _TASKS, "page": page}


def tasks(
    vault: Vault, addresses: Addresses, arguments: Mapping[str, Any], cancel: Event
) -> tuple[list[TaskItem], TasksAnswer]:
    """The tasks that are asked for.

    Raises:
        VaultToolsError: with the sentence of the tool.
    """
    answer: TasksAnswer = vault.answer("tasks", arguments, cancel=cancel)
    facts = ("due", "scheduled", "start", "done", "cancelled", "priority", "recurrence")
    found = [
        TaskItem(
            each.status,
            render.line(each.text),
            " › ".join((title(each.path), *each.heading)),
            addresses.note(each.path, line=each.line),
            [
                *(f"{name} {value}" for name in facts if (value := getattr(each, name))),
                *(f"#{tag}" for tag in each.tags),
            ],
            each.parent is not None,
        )
        for each in answer.tasks
    ]
    return found, answer


def health(vault: Vault, addresses: Addresses, cancel: Event) -> list[HealthSection]:
    """What may be amiss in a vault; parts that take too long say so.

    Raises:
        Cancelled: the browser has gone.
    """
    soon = Soon(cancel, _HEALTH_SECONDS)
    parts = {
        "Unresolved links": _unresolved,
        "Orphans": _orphans,
        "Empty notes": _empty,
        "Duplicate names": _duplicates,
    }
    found = []
    for name, look in parts.items():
        try:
            found.append(HealthSection(name, *look(vault, addresses, soon)))
        except Cancelled:
            if cancel.is_set():
                raise
            # What was read of the notes is kept, so that the next look gets further.
            found.append(HealthSection(name, "Not finished in time; reload the page to go on", (), True))
    return found


def _unresolved(vault: Vault, addresses: Addresses, cancel: Event) -> _Found:
    answer: LinksAnswer = vault.answer("links", {"direction": "unresolved", "limit": _LISTED}, cancel=cancel)
    rows = [
        ListItem(each.target, addresses.note(each.source, line=each.line), f"{each.source}, line {each.line}")
        for each in answer.links
    ]
    return _first_line(answer.text), rows, answer.complete


def _orphans(vault: Vault, addresses: Addresses, cancel: Event) -> _Found:
    answer: LinksAnswer = vault.answer("links", {"direction": "orphans", "limit": _LISTED}, cancel=cancel)
    rows = [ListItem(path, addresses.note(path)) for path in answer.orphans]
    return _first_line(answer.text), rows, answer.complete


def _empty(vault: Vault, addresses: Addresses, cancel: Event) -> _Found:
    """Notes with nothing below their properties."""
    paths, is_whole = _notes(vault, cancel)
    empty = [path for path in paths if _is_small(vault, path, cancel) and _is_empty(vault, path, cancel)]
    rows = [ListItem(path, addresses.note(path)) for path in empty[:_LISTED]]
    summary = f"{_counted(len(empty), 'note')} without text, of those up to {_SMALL_BYTES} bytes"
    return summary, rows, is_whole


def _notes(vault: Vault, cancel: Event) -> tuple[Sequence[str], bool]:
    """The paths of all notes, and whether these are all."""
    session, work = vault.session, Work(cancel=cancel)
    found, is_whole = list[str](), True
    scope = session.scope((Walk(notes_only=True),), (), work, hidden=False, include_excluded=False)
    for path, kind, left_out in scope.entries():
        _ensure_wanted(cancel)
        if left_out is None and kind == "file":
            found.append(path)
        is_whole &= left_out not in INCOMPLETE
    return found, is_whole and work.complete


def _ensure_wanted(cancel: Event) -> None:
    if cancel.is_set():
        raise Cancelled


def _is_small(vault: Vault, path: str, cancel: Event) -> bool:
    """Whether a note is small; the disk is asked, which for 10,000 notes takes a tenth of a second."""
    _ensure_wanted(cancel)
    try:
        return disk.stat(vault.session.root.absolute(path)).st_size <= _SMALL_BYTES
    except OSError:  # it has gone since
        return False


def _is_empty(vault: Vault, path: str, cancel: Event) -> bool:
    try:
        note = Note(path, vault.answer("read", {"note": path}, cancel=cancel).content)
    except BadArgument:  # it has gone since
        return False
    return not "".join(note.text.split("\n")[note.body_line - 1 :]).strip()


def _duplicates(vault: Vault, addresses: Addresses, cancel: Event) -> _Found:
    """Names that several notes have, so that a link by the name alone may lead to another than is meant."""
    paths, is_whole = _notes(vault, cancel)
    by_name = sorted((title(path).casefold(), path) for path in paths)
    groups = [[path for _, path in same] for _, same in groupby(by_name, key=itemgetter(0))]
    several = [each for each in groups if len(each) > 1]
    rows = [ListItem(path, addresses.note(path)) for group in several for path in group][:_LISTED]
    return f"{_counted(len(several), 'name')} of several notes", rows, is_whole


def _first_line(text: str) -> str:
    return text.partition("\n")[0].rstrip(":.")


def _counted(number: int, what: str) -> str:
    return f"{number or 'No'} {what}{'s' if number != 1 else ''}" if number < 1000 else f"{number:,} {what}s"

"""Selects the notes that a question is put to: by filters, operators and the index."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from vaulttools.answers import all_notes, date_arguments, filters
from vaulttools.answers.filters import Filters
from vaulttools.answers.obsidian_query import Order, Sort, awaited, prepared
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.core.work import INCOMPLETE, PROPERTIES, Reason, Work
from vaulttools.files.catalogue import Entry
from vaulttools.files.document import NotRead
from vaulttools.files.listing import Listing
from vaulttools.files.providers import Extracts, timeout
from vaulttools.files.scope import Scope
from vaulttools.notes.note import ExtractedNote, Note
from vaulttools.query import tree
from vaulttools.query.language import parse
from vaulttools.ranked.like import Like

if TYPE_CHECKING:
    from vaulttools.index.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call asks for."""

    request: Filters
    given: str
    """The question as the caller wrote it; the words of the note that others are to be like."""
    question: str
    """Without its operators."""
    operators: str
    like: Like | None
    """The note that others are to be like; None for a question."""
    wordings: tuple[str, ...]
    """Other wordings of the question."""
    sort: Sort | None
    """The order of the notes; None: the best first."""
    leaves_out: AbstractSet[str]


@dataclass(frozen=True, slots=True)
class Selected:
    """What filters and operators of a call select, as of one moment."""

    call: Call
    """The call to go on with."""
    within: frozenset[str] | None
    """The notes; None without filters by content."""
    order: Order | None
    """The order that the caller asks for; None: the best first."""
    part: str
    """A sentence if only part of the notes could be filtered; else `""`."""
    notices: Sequence[str]
    tally: Work
    """What the filters passed over."""


def selected(call: Call, asked: Asked) -> Selected:
    """Returns what the filters and the operators select. It waits for the structure of all notes if they need it.

    Raises:
        BadArgument: a filter or an operator is wrong.
    """
    work, request = call.work, asked.request
    _, notices = date_arguments.file_times(request, call.session.calendar)
    tally = Work(work.time_limit, work.cancel, deadline=work.deadline, started=work.started)
    nodes = filters.nodes(request)
    if not (asked.operators or asked.sort or nodes):
        return Selected(call, None, None, "", notices, tally)
    filtering, scope = awaited(call.with_work(tally), request)
    node = tree.both([parse(asked.operators or "path:.md"), *nodes])
    matching, filtered = prepared(filtering, scope, request, node, asked.given)
    if asked.operators:
        notices.append(f"Only notes that match {asked.operators} as in mode obsidian.")
    return Selected(
        filtering.with_work(work),  # the notes are ranked as of the moment at which they were filtered
        frozenset(matching.matching(list)) if asked.operators or nodes else None,
        Order(call.session, matching, asked.sort) if asked.sort else None,
        all_notes.part(filtered),
        notices,
        tally,
    )


class Files(NamedTuple):
    """The entries of a listing: what is searched, and the rest."""

    searched: frozenset[str]
    """The notes, and the attachments if something extracts their text."""
    attachments: Sequence[str]
    """Those that are searched."""
    unextracted: int
    """Number of attachments that are not searched."""
    left_out: Sequence[tuple[Entry, Reason]]
    """What rules leave out, each with the reason."""

    @classmethod
    def of(cls, listing: Listing, *, are_extracted: bool) -> Files:
        """Returns the entries; `are_extracted` says whether something extracts the text of attachments."""
        files = listing.files
        attachments = [path for path in files if not paths.is_note(path)]
        return cls(
            frozenset(files if are_extracted else filter(paths.is_note, files)),
            attachments if are_extracted else [],
            0 if are_extracted else len(attachments),
            [(entry, entry.left_out) for entry in listing.left_out if entry.left_out is not None],
        )


@dataclass(frozen=True, slots=True)
class SearchSpace:
    """The notes and attachments that may answer, and how they are read."""

    call: Call
    """The call to go on with, and to use alone."""
    scope: Scope
    listing: Listing
    """The entries of the scope."""
    view: Snapshot | None
    """The index; None if it is not ready."""
    unready: str
    """A sentence if there is no view; else `""`."""
    files: Files
    large: AbstractSet[str]
    """Files that are too large to be read."""
    wanted: frozenset[str]
    """Files that may be in the answer."""
    read: ReadOnce

    def missed(self, waiting: Sequence[str]) -> Mapping[str, Reason]:
        """Returns the files that could not be read so far, each with the reason; `waiting` are those that there was no
        time for. The map goes on with `read`."""
        missed = self.read.missed
        if self.view is not None:
            missed.update(dict.fromkeys(self.view.with_trait("nul"), "binary"))
            missed.update(self.view.textless(self.files.attachments))
        missed.update(dict.fromkeys(self.large, "too large"))
        missed.update(dict.fromkeys(waiting, "time limit"))
        return missed

    def report(self, missed: Mapping[str, Reason], tally: Work) -> tuple[int, int]:
        """Reports skipped files and warnings to the work, and what the filters could not check, by their `tally`.
        Returns how many notes were searched, and for how many there was no time.

        Missed notes outside the scope do not count: they only show how frequent a word is.
        """
        work = self.call.work
        unread = missed.keys() & self.wanted
        of_scope = sorted(unread | (missed.keys() & self.large), key=paths.order)
        passed_over = [*self.files.left_out, *((Entry(path, "file"), missed[path]) for path in of_scope)]
        waiting = 0
        for entry, reason in passed_over:
            work.pass_over(entry.path, reason, is_folder=entry.kind == "folder")
            waiting += reason == "time limit"
        for _, warning in self.scope.warnings:
            work.warn(warning)
        for reason in (INCOMPLETE | {PROPERTIES}) & tally.skipped.keys():
            work.skipped.setdefault(reason, tally.skipped[reason])
        work.searched = len(self.wanted) - len(unread)
        return work.searched, waiting


_DAYS_SECONDS: Final = 1.5
"""How long a question about a period waits for the structure of the notes: it takes up to 3 s by ripgrep's counts."""


def search_space(chosen: Selected, asked: Asked, *, needs_days: bool) -> SearchSpace:
    """Returns the notes that may answer. Unless `selected` has waited, it waits as `all_notes.awaited_briefly` does,
    never for words; with `needs_days` up to 1.5 s longer for the structure of notes.

    Raises:
        BadArgument: a filter is wrong.
    """
    call, request = chosen.call, asked.request
    may_wait = not call.has_fixed_snapshot
    times, _ = date_arguments.file_times(request, call.session.calendar)
    call, scope, is_ready = all_notes.awaited_briefly(
        call, request.folder, request.glob, times=times, include_excluded=request.include_excluded
    )
    if needs_days and not is_ready and may_wait:
        call = call.waited(min(_DAYS_SECONDS, call.work.remaining()))
        scope = replace(scope, names=call.snapshot, warnings=[])
    listing = all_notes.listed(scope)
    view = call.snapshot if is_ready else None
    made = partial(Files.of, listing, are_extracted=scope.extracts is not None)
    files = made() if view is None else view.kept(("notes", listing), made)
    call.work.unextracted += files.unextracted
    large = frozenset() if view is None else files.searched & view.large
    wanted = files.searched - large if large else files.searched
    wanted = (wanted if chosen.within is None else wanted & chosen.within) - asked.leaves_out
    lacking = "the index, which is being built" if call.session.has_index else "an index"
    unready = "" if is_ready else f"Ranked without {lacking}."
    return SearchSpace(call, scope, listing, view, unready, files, large, wanted, ReadOnce(call, scope.extracts, view))


_EXTRACTING_SECONDS: Final = 3.0
"""Time that one answer waits for extractions: an answer that names what is missing is better than a late one."""


class ReadOnce:
    """Reads notes, and attachments if `extracts` is given; `view` is the index, if it is ready."""

    def __init__(self, call: Call, extracts: Extracts | None, view: Snapshot | None) -> None:
        self.missed: Final[dict[str, Reason]] = {}
        """By path, why a file could not be read."""
        self._work = call.work
        self._extracts = extracts
        self._view = view
        self._notes = replace(call.session.notes(view), contents=call.session.contents)
        self._read: dict[str, Note | None] = {}
        self._until = time.monotonic() + _EXTRACTING_SECONDS

    def __call__(self, path: str) -> Note | None:
        """Returns the note at a path; None if it cannot be read or is no note."""
        if path not in self._read:
            self._read[path] = None
            try:
                self._read[path] = self._made(path)
            except NotRead as error:
                self.missed[path] = error.reason
        return self._read[path]

    def _made(self, path: str) -> Note | None:
        if self._extracts is None or paths.is_note(path):
            document = self._notes.document(path)
            return self._notes.note(replace(document, content=document.normalised))
        seconds = max(0.0, min(timeout(self._work), self._until - time.monotonic()))
        digest = None if self._view is None else partial(self._view.digest, path)
        extracted = self._extracts.read(path, seconds, digest)
        if extracted is None:
            return None  # not an attachment with text, in spite of its name
        if not extracted.is_whole:
            self.missed[path] = "not extracted whole"
        return ExtractedNote.of(extracted)

"""Reads one value from every note of a scope, for `tags`, `properties`, `links`, `query`.

The values come from the index, or from the text of a note whose present state the index does not know.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeVar

from vaulttools.answers import answer
from vaulttools.answers.incremental import Aggregate, IncrementalAnswer, NoteProjection
from vaulttools.attachments.kinds import kind_of
from vaulttools.call import Call
from vaulttools.core import render
from vaulttools.core.work import Work
from vaulttools.errors import BadArgument, either
from vaulttools.files.file_times import FileTimes
from vaulttools.files.listing import Listing
from vaulttools.files.scope import Scope, Walk

F = TypeVar("F")
S = TypeVar("S")

_FEW: Final = 20
"""So few notes are parsed sooner than the index can answer about them."""

_WAIT_SHARE: Final = 0.8
"""Share of a call's time that it waits for the index; the rest is for reading what the index lacks, and to answer."""


def narrow(work: Work) -> str:
    """Returns the advice that goes with a cut answer about all notes."""
    return f"Narrow {work.voice.name('folder')}."


def scope_of(
    call: Call,
    folder: str | None = None,
    glob: str | None = None,
    *,
    times: FileTimes | None = None,
    include_excluded: bool = False,
) -> Scope:
    """Returns the notes that the arguments select. It does not wait: the index may lack the structure of some.

    Raises:
        BadArgument: there is no such folder, or the glob is malformed.
    """
    walks, files = walks_and_files(call, folder, glob)
    return replace(call.scope(walks, files, hidden=False, include_excluded=include_excluded), times=times)


def awaited(
    call: Call,
    folder: str | None = None,
    glob: str | None = None,
    *,
    times: FileTimes | None = None,
    include_excluded: bool = False,
) -> tuple[Call, Scope]:
    """Waits until the structure of the notes that the arguments select is known, or most of the time is over; a call
    that has waited does not wait again.

    Returns the call to go on with, and to use alone, and these notes.

    Raises:
        BadArgument: there is no such folder, or the glob is malformed.
    """
    scope = scope_of(call, folder, glob, times=times, include_excluded=include_excluded)
    if call.has_fixed_snapshot:
        return call, scope
    call = call.waited(0)
    scope = replace(scope, names=call.snapshot)
    if call.snapshot is not None and (call.snapshot.has_facts or call.snapshot.is_known(listed(scope), _FEW)):
        return call, scope
    call = call.waited(call.work.remaining() * _WAIT_SHARE)
    return call, replace(scope, names=call.snapshot, warnings=[])


def awaited_briefly(
    call: Call,
    folder: str | None = None,
    glob: str | None = None,
    *,
    times: FileTimes | None = None,
    include_excluded: bool = False,
) -> tuple[Call, Scope, bool]:
    """Waits until the index is loaded, for at most a second, and 0.05 s for the structure of notes; never for words. A
    call that has waited does not wait again.

    Returns the call to go on with, and to use alone; the notes that the arguments select, with PDF and DOCX files; and
    whether the index knows the words of nearly all of them.

    Raises:
        BadArgument: there is no such folder, or the glob is malformed.
    """
    walks, files = walks_and_files(call, folder, glob, also=kind_of)
    scope = replace(call.scope(walks, files, hidden=False, include_excluded=include_excluded), times=times)
    if not call.has_fixed_snapshot:
        ends = time.monotonic() + _OPENING_SECONDS
        call = call.waited(0)  # reading a few notes that just changed takes less time than indexing them
        if not _has_words_of(call, scope, _FEW):
            call = call.waited(_LOOK_SECONDS)
        while call.snapshot is None and time.monotonic() < ends and call.work.remaining() > 0:
            call = call.waited(_LOOK_SECONDS)
        scope = replace(scope, names=call.snapshot, warnings=[])
    return call, scope, _has_words_of(call, scope, FEW_TO_READ)


def _has_words_of(call: Call, scope: Scope, most: int) -> bool:
    """Whether the index knows the words of all notes of a scope but `most`."""
    snapshot = call.snapshot
    return snapshot is not None and snapshot.has_words_of(listed(replace(scope, names=snapshot)), most)


_OPENING_SECONDS: Final = 1.0
"""Enough for reading an existing index: 10,000 notes take 0.3."""
_LOOK_SECONDS: Final = 0.05
FEW_TO_READ: Final = 200
"""Reading and parsing so many notes takes as long as counting the words of a question in all notes."""


def answered(
    call: Call,
    question: NoteProjection[F, S],
    scope: Scope,
    within: tuple[Walk, ...] | None = None,
    *,
    keeps: bool = True,
) -> Aggregate[S]:
    """Answers a question about the notes of a scope, without excluded files (rule-E04). It does not wait. With
    `keeps=False` the caller saves the answer, by `Aggregate.keep`.

    It adds to the work of the call what was passed over, only what lies `within` some walks if they are given.
    """
    work = call.work
    # The listing is compared with the last one, so the key need not hold everything that decides about it.
    key = (question.kind, scope.walks, scope.named, scope.rules, scope.times)
    incremental: IncrementalAnswer[F, S] = call.session.lasting.made(
        key, lambda: IncrementalAnswer(question, is_kept=_is_of_all(scope))
    )
    aggregate = incremental.at(listed(scope), call.snapshot, call.notes(), work)
    if keeps:
        aggregate.keep(False)
    for entry, reason in aggregate.passed_over:
        if within is None or any(walk.reaches(entry.path) for walk in within):
            work.pass_over(entry.path, reason, is_folder=entry.kind == "folder")
    work.pass_over_all(aggregate.late, "time limit")
    if aggregate.waiting or aggregate.late:
        work.is_over()  # the time for reading is over; what was read is still answered from
    for _, warning in scope.warnings:
        work.warn(warning)
    work.searched += aggregate.notes
    return aggregate


def _is_of_all(scope: Scope) -> bool:
    """Whether a scope is that of a call without a folder, glob or time."""
    return scope.walks == (Walk(notes_only=True),) and not scope.named and scope.times is None


def listed(scope: Scope) -> Listing:
    """All entries of a scope."""
    known = scope.listing()
    return Listing(scope.entries()) if known is None else known


def walks_and_files(
    call: Call,
    folder: str | None,
    glob: str | None,
    *,
    notes_only: bool = True,
    also: Callable[[str], object] | None = None,
) -> tuple[tuple[Walk, ...], tuple[str, ...]]:
    """Returns the notes, or all files, in `folder` that `glob` selects: walks, and files named exactly. Files for which
    `also` is true count as well.

    Raises:
        BadArgument: there is no such folder, or the glob is malformed.
    """
    walk = Walk(_folder(call, folder), notes_only=notes_only, also=also)
    walks, files = call.selected(glob, (walk,), ignore_case=False)
    return walks, tuple(filter(Walk(notes_only=notes_only, also=also).selects, files))


def part(aggregate: Aggregate[S]) -> str:
    """Returns the sentence that opens an answer made from a part of the notes; "" if it is made from all."""
    if aggregate.waiting:
        total = aggregate.notes + aggregate.waiting
        return f"Part of the answer: {aggregate.notes:,} of {total:,} notes are read. Ask again for the rest."
    if aggregate.late:
        seen = render.counted(len(aggregate.late), "note")
        return f"Part of the answer: there was no time to look at {seen} again. Ask again."
    return ""


def first_line(part: str, line: str) -> str:
    """Returns the first line of an answer, below the sentence that says that the answer is partial."""
    return f"{part}\n\n{line}" if part else line


def nothing_found(part: str, work: Work, sentence: str) -> str:
    """Returns the first line of an answer without results; a result may be in notes that were not read yet."""
    if part:
        return first_line(part, f"{sentence.removesuffix('.')} so far.")
    return answer.nothing_found(work, sentence)


def _folder(call: Call, given: str | None) -> str:
    if given is None or not given.strip():
        return ""
    place = call.session.root.locate("." if given.strip() == "/" else given)
    if place.kind != "folder":
        what = "it is not a folder"
        if place.kind is None:
            from vaulttools.resources.naming import folders_called

            called = folders_called(given, call.visible())  # a folder may be in several places
            what = f"there is no such folder{f'; did you mean {either(called)}?' if called else ''}"
        raise BadArgument(f"folder must name a folder of the vault, got {given}: {what}")
    return call.session.root.resolved(place.path)  # a listing has no notes below a link: they are listed where they are

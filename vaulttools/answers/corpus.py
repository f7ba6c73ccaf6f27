"""Reads one value from every note of a scope, for `tags`, `properties`, `links`, `query`.

The parts come from the index; of a note that it does not know as it is, from its text.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, TypeVar

from vaulttools.answers import answer
from vaulttools.answers.incremental import Corpus, IncrementalAnswer, NoteProjection
from vaulttools.attachments.kinds import kind_of
from vaulttools.core import paths
from vaulttools.core.work import Reason, Work, named
from vaulttools.errors import BadArgument
from vaulttools.files.file_times import FileTimes
from vaulttools.files.listing import Listing
from vaulttools.files.scope import Scope, Walk
from vaulttools.session import Session

F = TypeVar("F")
S = TypeVar("S")

_FEW: Final = 20
"""Notes that are parsed sooner than the index tells of them."""

_WAIT_SHARE: Final = 0.8
"""Part of a call's time that it waits for the index; the rest is for reading what that does not know, and to answer."""


def narrow(work: Work) -> str:
    """What shows more of an answer about all notes that had to be cut."""
    return f"Narrow {work.voice.name('folder')} or {work.voice.name('glob')}."


def ask(
    vault: Session, question: NoteProjection[F, S], work: Work, folder: str | None = None, glob: str | None = None
) -> Corpus[S]:
    """The answer to a question about the notes in a folder that a glob selects, excluded files left out (rule-E04).

    Raises:
        BadArgument: there is no such folder, or the glob is malformed.
    """
    return answered(vault, question, work, scope_of(vault, work, folder, glob))


def scope_now(
    vault: Session,
    work: Work,
    folder: str | None,
    glob: str | None,
    *,
    times: FileTimes | None = None,
    include_excluded: bool = False,
) -> tuple[Scope, bool]:
    """The notes, PDF and DOCX files in a folder that a glob and times select, and whether the index knows nearly all.

    It waits for the index for a second at most.

    Raises:
        BadArgument: there is no such folder, or the glob is malformed.
    """
    walks, files = selection(vault, work, folder, glob, also=kind_of)
    scope = vault.scope(walks, files, work, hidden=False, include_excluded=include_excluded)
    ends = time.monotonic() + _OPENING_SECONDS
    seconds = 0.0  # at first: a few notes that changed a moment ago are read in less than it takes to index them
    while True:
        view = vault.indexes.structures(work, seconds)
        scope = replace(scope, names=view, times=times, warnings=[])
        if not seconds and (view is None or not view.is_ranked(listed(scope).files, _FEW)):
            seconds = _LOOK_SECONDS
            continue
        if view is None and time.monotonic() < ends and work.remaining() > 0:
            continue  # an index that is there is read in less
        is_ready = view is not None and view.is_ranked(listed(scope).files, FEW_TO_READ)
        return scope, is_ready


_OPENING_SECONDS: Final = 1.0
"""For reading an index that is there: 10,000 notes take 0.3."""
_LOOK_SECONDS: Final = 0.05
FEW_TO_READ: Final = 200
"""Notes that are read and parsed as fast as the words of a question are counted in all."""


def scope_of(
    vault: Session,
    work: Work,
    folder: str | None,
    glob: str | None,
    *,
    times: FileTimes | None = None,
    include_excluded: bool = False,
) -> Scope:
    """The notes in a folder that a glob and times select, once their structure is known or most of the time is over.

    Raises:
        BadArgument: there is no such folder, or the glob is malformed.
    """
    walks, files = selection(vault, work, folder, glob)
    scope = vault.scope(walks, files, work, hidden=False, include_excluded=include_excluded)
    view = vault.indexes.structures(work)
    scope = replace(scope, names=view, times=times)
    if view is not None and (view.has_facts or view.is_known(listed(scope), _FEW)):
        return scope
    return replace(scope, names=vault.indexes.structures(work, work.remaining() * _WAIT_SHARE), warnings=[])


def answered(vault: Session, question: NoteProjection[F, S], work: Work, scope: Scope) -> Corpus[S]:
    """The answer to a question about the notes of a scope, and to `work` what was passed over."""
    view = vault.view(work)
    # Which notes a listing holds is compared with the last one, so that the key need not tell all it rests on.
    key = (question.kind, scope.walks, scope.named, scope.rules, scope.times)
    incremental: IncrementalAnswer[F, S] = vault.lasting.made(
        key, lambda: IncrementalAnswer(question, is_kept=_is_of_all(scope))
    )
    corpus = incremental.at(listed(scope), view, vault.notes(view), work)
    for entry, reason in corpus.passed_over:
        work.pass_over(entry.path, reason, is_folder=entry.kind == "folder")
    work.pass_over_all(corpus.late, "time limit")
    if corpus.waiting or corpus.late:
        work.is_over()  # the time for reading is; what was read is still answered from
    for _, warning in scope.warnings:
        work.warn(warning)
    work.searched += corpus.notes
    return corpus


def _is_of_all(scope: Scope) -> bool:
    """Whether a scope is that of a call without a folder, glob or time."""
    return scope.walks == (Walk(notes_only=True),) and not scope.named and scope.times is None


def listed(scope: Scope) -> Listing:
    """All entries of a scope."""
    known = scope.listing()
    return Listing(scope.entries()) if known is None else known


def selection(
    vault: Session,
    work: Work,
    folder: str | None,
    glob: str | None,
    *,
    notes_only: bool = True,
    also: Callable[[str], object] | None = None,
) -> tuple[tuple[Walk, ...], tuple[str, ...]]:
    """The notes, with `also` what that selects too, or all files, in a folder that a glob selects: walks, and files
    named exactly.

    Raises:
        BadArgument: there is no such folder, or the glob is malformed.
    """
    walk = Walk(_folder(vault, work, folder), notes_only=notes_only, also=also)
    walks, files = vault.selected(glob, (walk,), ignore_case=False)
    return walks, tuple(filter(Walk(notes_only=notes_only, also=also).selects, files))


def notices(corpus: Corpus[S], work: Work, *, found: bool) -> list[str]:
    """The sentences about what an answer that lists the best of all notes is not made from."""
    sentences = []
    if corpus.waiting:
        total = corpus.notes + corpus.waiting
        sentences.append(f"Indexing: {corpus.notes:,} of {total:,} notes; ask again for the full answer.")
    return [*sentences, *beside_time(work, found=found)]


def misread(found: Iterable[str], work: Work) -> list[str]:
    """One sentence about the notes whose properties could not be read."""
    if not (names := sorted(found, key=paths.order)):
        return []
    why = work.voice.call("read", {"note": paths.portable(names[0])})
    return [f"The properties of {counted(len(names), 'note')} could not be read: {named(names)}. To see why: {why}"]


def part(corpus: Corpus[S]) -> str:
    """The sentence with which an answer begins that is made from a part of the notes; "": it is made from all."""
    if corpus.waiting:
        total = corpus.notes + corpus.waiting
        return f"Part of the answer: {corpus.notes:,} of {total:,} notes are read. Ask again for the rest."
    if corpus.late:
        seen = counted(len(corpus.late), "note")
        return f"Part of the answer: there was no time to look at {seen} again. Ask again."
    return ""


def first_line(part: str, line: str) -> str:
    """The first line of an answer, after the sentence that says that it is a part of one."""
    return f"{part}\n\n{line}" if part else line


def nothing_found(part: str, work: Work, sentence: str) -> str:
    """The first line of an answer without results, which may be there in what was not read yet."""
    if part:
        return first_line(part, f"{sentence.removesuffix('.')} so far.")
    return answer.nothing_found(work, sentence)


def beside_time(work: Work, *, found: bool) -> list[str]:
    """As `passed_over`, for answers that say themselves what there was no time for."""
    return passed_over(work, found=found, told=("time limit",))


def passed_over(work: Work, *, found: bool, told: tuple[Reason, ...] = ()) -> list[str]:
    """As `answer.passed_over`, for tools that have no argument to look at excluded files."""
    sentences = answer.passed_over(work, found=found, told=(*told, "excluded"))
    excluded = work.skipped.get("excluded")
    if excluded is not None and not found:
        names = named(excluded.paths, excluded.count)
        sentences.append(f"Excluded files of the vault were left out: {excluded.count:,} ({names}).")
    return sentences


def counted(count: int, noun: str) -> str:
    """`1 note`, `2,310 notes`."""
    return f"{count:,} {noun}{'s' if count != 1 else ''}"


def _folder(vault: Session, work: Work, given: str | None) -> str:
    if given is None or not given.strip():
        return ""
    place = vault.root.locate("." if given.strip() == "/" else given)
    if place.kind != "folder":
        what = "it is not a folder"
        if place.kind is None:
            from vaulttools.resources.naming import folders_close_to

            close = folders_close_to(given, vault.visible(work))
            what = f"there is no such folder{f'; did you mean {close[0]}?' if close else ''}"
        raise BadArgument(f"folder must name a folder of the vault, got {given}: {what}")
    return place.path

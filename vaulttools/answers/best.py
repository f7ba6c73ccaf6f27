"""Ranked search as `query` asks for it: the notes of a scope that answer a question best, and what is shown of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from vaulttools.answers import corpus
from vaulttools.answers.corpus import Corpus
from vaulttools.answers.page import Section
from vaulttools.core import paths, render
from vaulttools.core.work import Reason, Work
from vaulttools.files.catalogue import Entry
from vaulttools.files.document import NotRead
from vaulttools.files.file_times import FileTimes
from vaulttools.files.known import Known
from vaulttools.notes.note import Note
from vaulttools.ranked.ranking import Hit, Ranking, rank
from vaulttools.session import Session

PASSAGE_CHARACTERS: Final = 120
"""Characters of a passage that are shown: ten notes take about 2 KB then."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One note of the answer."""

    hit: Hit
    start_line: int
    """Of the passage that answers, from 1; 0 when the note could not be read any more."""
    lines: Sequence[str]
    """Whole lines of the passage."""
    heading: Sequence[str]
    """The headings it stands under, outermost first."""
    section: Section
    """The note as text."""


@dataclass(frozen=True, slots=True)
class Best:
    """The answer of ranked search."""

    vault: Session
    known: Known | None
    work: Work
    ranking: Ranking
    asked: Corpus[None]
    """What it is made from."""

    def shown(self, hits: Sequence[Hit]) -> list[Shown]:
        """Hits with the passages that answer."""
        missed: dict[str, Reason] = {}
        read = _reader(self.vault, self.known, missed)
        shown = [_shown(hit, read(hit.path), self.ranking) for hit in hits]
        for path, reason in missed.items():
            self.work.pass_over(path, reason)
        return shown


def best(
    vault: Session,
    work: Work,
    question: str,
    most: int,
    within: frozenset[str] | None,
    *,
    folder: str | None,
    glob: str | None,
    times: FileTimes | None,
    include_excluded: bool,
) -> Best:
    """The notes of a scope that a question fits best, `most` at most; of some notes only when they are given.

    Raises:
        BadArgument: there is no such folder, or the glob is malformed.
    """
    scope = corpus.scope_of(vault, work, folder, glob, times=times, include_excluded=include_excluded)
    listing = corpus.listed(scope)
    known = scope.known

    def made() -> _Notes:
        return _Notes.of(listing.entries)

    notes = made() if known is None else known.kept(("notes", listing), made)
    large = frozenset() if known is None else notes.files & known.large
    wanted = notes.files - large if large else notes.files
    wanted = wanted if within is None else wanted & within
    missed: dict[str, Reason] = {}
    ranking = rank(question, wanted, known, _reader(vault, known, missed), lambda: work.remaining() <= 0, most)
    if known is not None:
        missed.update(dict.fromkeys(known.holding("nul"), "binary"))
    missed.update(dict.fromkeys(large, "too large"))
    missed.update(dict.fromkeys(ranking.waiting, "time limit"))
    # Notes outside the scope only say how frequent a word is.
    of_scope = sorted(missed.keys() & (wanted | large), key=paths.order)
    passed_over = [*notes.left_out, *((Entry(path, "file"), missed[path]) for path in of_scope)]
    asked = Corpus(None, len(wanted) - len(wanted & missed.keys()), passed_over)
    for entry, reason in passed_over:
        work.pass_over(entry.path, reason, is_folder=entry.kind == "folder")
    for _, warning in scope.warnings:
        work.warn(warning)
    work.searched = asked.notes
    return Best(vault, known, work, ranking, asked)


@dataclass(frozen=True, slots=True)
class _Notes:
    """The entries of a listing by whether they are notes that may be read."""

    files: frozenset[str]
    left_out: Sequence[tuple[Entry, Reason]]

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> _Notes:
        files = frozenset(entry.path for entry in entries if entry.left_out is None and entry.kind == "file")
        return cls(files, [(entry, entry.left_out) for entry in entries if entry.left_out is not None])


def _reader(vault: Session, known: Known | None, missed: dict[str, Reason]) -> Callable[[str], Note | None]:
    """Reads notes, each once; those that cannot be read go to `missed`, with the reason."""
    read: dict[str, Note | None] = {}
    notes = vault.notes(known)

    def reader(path: str) -> Note | None:
        if path not in read:
            read[path] = None
            try:
                document = notes.document(path)
            except NotRead as error:
                missed[path] = error.reason
            else:
                read[path] = notes.note(replace(document, text=document.normalised))
        return read[path]

    return reader


def _shown(hit: Hit, note: Note | None, ranking: Ranking) -> Shown:
    title = f"## {paths.shown(hit.path)}"
    if note is None:
        return Shown(hit, 0, (), (), Section(title, []))
    passage = ranking.passage(note)
    lines = note.text.split("\n")[passage.start_line - 1 : passage.end_line]
    heading = list(note.breadcrumb(passage.start_line))
    above = heading[:-1] if lines[0].startswith("#") else heading  # a heading says itself
    section = [f"Under {render.line(' > '.join(above), most=PASSAGE_CHARACTERS)}:"] if above else []
    room, column = PASSAGE_CHARACTERS, passage.column
    for number, line in enumerate(lines, passage.start_line):
        if number > passage.start_line and len(line) > room:
            break
        section.append(f"Line {number}: {_cut(line, column, room)}".rstrip())
        room, column = room - len(line), 0
    return Shown(hit, passage.start_line, lines, heading, Section(title, section))


def _cut(line: str, column: int, room: int) -> str:
    """A line with what begins at a column, from its beginning where that shows enough of it."""
    start = column - room // 4 if column > room // 2 and len(line) > room else 0
    return f"{render.ELLIPSIS if start else ''}{render.line(line[start:], most=room)}"

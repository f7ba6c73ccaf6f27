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
        read = _reader(self.vault, self.known, self.work)
        return [_shown(hit, read(hit.path), self.ranking) for hit in hits]


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
    ranking = rank(question, wanted, known, _reader(vault, known, work), lambda: work.remaining() <= 0, most)
    passed_over = [*notes.left_out, *((Entry(path, "file"), _TOO_LARGE) for path in sorted(large))]
    passed_over += [(Entry(path, "file"), _TIME_LIMIT) for path in ranking.waiting]
    asked = Corpus(None, len(wanted) - len(ranking.waiting), passed_over)
    for entry, reason in passed_over:
        work.pass_over(entry.path, reason, is_folder=entry.kind == "folder")
    for _, warning in scope.warnings:
        work.warn(warning)
    work.searched = asked.notes
    return Best(vault, known, work, ranking, asked)


_TOO_LARGE: Final[Reason] = "too large"
_TIME_LIMIT: Final[Reason] = "time limit"


@dataclass(frozen=True, slots=True)
class _Notes:
    """The entries of a listing by whether they are notes that may be read."""

    files: frozenset[str]
    left_out: Sequence[tuple[Entry, Reason]]

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> _Notes:
        files = frozenset(entry.path for entry in entries if entry.left_out is None and entry.kind == "file")
        return cls(files, [(entry, entry.left_out) for entry in entries if entry.left_out is not None])


def _reader(vault: Session, known: Known | None, work: Work) -> Callable[[str], Note | None]:
    """Reads notes, each once; what cannot be read is told to `work`."""
    read: dict[str, Note | None] = {}
    notes = vault.notes(known)

    def reader(path: str) -> Note | None:
        if path not in read:
            document = notes.document_or_tally(path, work)
            read[path] = None if document is None else notes.note(replace(document, text=document.normalised))
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

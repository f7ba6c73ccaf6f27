"""Writes the end of an exploration's answer: warnings, what was passed over, the next step.

Each tool adds its own sentences first; `what_was_left_out` comes last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from vaulttools.answers import answer, hints
from vaulttools.answers.text_search import TextSearch
from vaulttools.core import limits, render
from vaulttools.core.work import Work
from vaulttools.exploration import scan, toon
from vaulttools.exploration.scan import SCAN_LINES, Scan
from vaulttools.exploration.toon import Count

_CUT_BYTES: Final = 120
"""Bytes reserved for the line that says that the text was cut."""


@dataclass(slots=True)
class Closing:
    """Lines below the results, and the notices among them."""

    lines: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def tell(self, sentence: str, mark: str = "") -> None:
        """Add a notice on its own line."""
        self.notices.append(sentence)
        self.lines.append(mark + render.visible(sentence))

    def warn(self, sentence: str) -> None:
        """Add a warning."""
        self.tell(sentence, "warning: ")

    def text(self, body: Sequence[str], next_step: str = "") -> str:
        """Returns the text: lines of at most 800 bytes, at most 50 KiB in all; a notice counts the lines cut."""
        shown = [toon.clipped(line) for line in body]
        end = [toon.clipped(line) for line in (*self.lines, *([f"next: {next_step}"] if next_step else []))]
        room = limits.TEXT_BYTES - _CUT_BYTES - sum(map(_size, end))
        kept = 0
        while kept < len(shown) and (room := room - _size(shown[kept])) >= 0:
            kept += 1
        if kept < len(shown):
            cut = f"cut at {limits.TEXT_BYTES // 1024} KiB: {len(shown) - kept} more lines"
            self.notices.append(cut)
            end.insert(0, f"warning: {cut}")
        return "\n".join([*shown[:kept], *end])


def of_query(found: TextSearch, scanned: Scan, matches: Count, files: Count) -> Closing:
    """Returns the first closing lines of `scout`, `sample` and `show`: how the pattern was read, which other reading
    would match if everything was searched (another Unicode form also if something was found), and whether the query
    is broad."""
    closing = Closing()
    for notice in found.search.pattern.notices:
        closing.warn(notice)
    if not files.number and found.work.complete:
        for sentence in hints.other_readings(found):
            closing.warn(sentence)
    if found.work.complete:
        for sentence in hints.in_other_form(found, {file.path for file in scanned.files}, is_all=not scanned.limited):
            closing.warn(sentence)
    broad(closing, matches, files)
    return closing


def broad(closing: Closing, matches: Count, files: Count, term: str = "") -> None:
    """Warn of a query, or a term of a survey, that should be narrowed."""
    if scan.is_broad(matches, files):
        what = f"broad term {term}" if term else "broad query"
        in_files = f"{files.words} file{'s' if files.number != 1 else ''}"
        closing.warn(f"{what}: {matches.words} matching lines in {in_files}; narrow the query or path")


def scan_limit(closing: Closing, scanned: Scan, term: str = "") -> None:
    """Warn that counting stopped at the scan limit."""
    if scanned.limited:
        of = f" for term {term}" if term else ""
        closing.warn(f"scan stopped at {SCAN_LINES} matching lines{of}; narrow the query or path")


def what_was_left_out(
    closing: Closing,
    work: Work,
    *,
    found: bool,
    shown: Sequence[str] = (),
    is_total: bool = False,
    named_folders: Sequence[str] = (),
) -> None:
    """Add sentences about lower bounds, default excludes, and what `answer.told` says of the paths in `shown`.

    `named_folders` are searched paths that the default excludes leave out: the answer names each, and does not count it
    again.
    """
    if "time limit" in work.skipped:
        closing.warn(f"stopped after {work.time_limit:g} s; counts are lower bounds")
    for folder in named_folders:
        closing.warn(f"{folder} is excluded by default rules")
    left_out = work.skipped.get("default excludes")
    if left_out is not None and left_out.count > len(named_folders):
        folders = left_out.folders - len(named_folders)
        files = left_out.count - left_out.folders
        closing.tell(f"excluded by default rules: {files} files, {folders} folders")
    if not found and not work.complete:
        closing.warn(answer.nothing_found(work, ""))
    for sentence in answer.told(
        work, found=found, shown=shown, is_total=is_total, reported=("time limit", "default excludes")
    ):
        closing.warn(sentence)


def _size(line: str) -> int:
    return len(line.encode()) + 1

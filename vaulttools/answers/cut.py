"""Fits the sections of an answer, one for each file, into its byte limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from vaulttools.core import limits
from vaulttools.core.render import counted, size

NARROW: Final = "Narrow the pattern or the paths."
"""The advice that goes with a cut search by pattern."""


@dataclass(frozen=True, slots=True)
class Section:
    """What is shown of one file. Where lines do not show a detail each, a tool has its own kind, with its `up_to`."""

    heading: str
    lines: Sequence[str]
    """In order; cutting begins at the last."""
    closing: str = ""
    """A line that is never cut, such as how many matches are not shown; `""`: no line."""
    details: Sequence[Any] = ()
    """By line, what it shows; None if that is nothing of the details."""

    def up_to(self, count: int) -> Sequence[Any]:
        """Returns the details that the first `count` lines show."""
        return [each for each in self.details[:count] if each is not None]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A text, and how much of each section it holds."""

    text: str
    kept: Sequence[int | None]
    """By section, the number of its lines in the text; None if not even the heading is."""
    cut: Sequence[str] = ()
    """The truncation notice, without its brackets; empty if the text holds everything."""
    shown: list[Any] = field(default_factory=list)
    """The details that the text shows."""


def fit(
    first: str,
    sections: Sequence[Section],
    notices: Sequence[str],
    between: str = "\n\n",
    advice: str = NARROW,
    most: int = limits.TEXT_BYTES,
) -> Fitted:
    """Returns the first line, the sections joined with `between`, then the notices, one a line; and their details.

    The text has at most `most` bytes of UTF-8. The sections get lines in turn, one each, so that no file crowds out
    another. A section is left out if nothing of it fits. A notice says how much is missing, with `advice`, which says
    how to see more.
    """
    notices = fitting(notices, most)
    whole = _whole(first, sections, notices, between, most)
    if whole is not None:
        counts = [len(section.lines) for section in sections]
        return Fitted(whole, counts, shown=_details(sections, counts))
    at = f"{limits.TEXT_BYTES // 1024} KiB" if most == limits.TEXT_BYTES else f"{most:,} bytes"
    closing = _joined(first, "", [*notices, f"[{_cut_notice(at, sections, [], advice)}]"])
    kept = _shares(sections, most - size(closing))
    shown = between.join(
        _text(section, count) for section, count in zip(sections, kept, strict=True) if count is not None
    )
    cut = _cut_notice(at, sections, kept, advice)
    text = _joined(first, shown, [*notices[:-1], f"[{cut}]", *notices[-1:]])
    return Fitted(text, kept, (cut,), _details(sections, kept))


def _details(sections: Sequence[Section], kept: Sequence[int | None]) -> list[Any]:
    shown: list[Any] = []
    for section, count in zip(sections, kept, strict=True):
        if count is not None:
            shown += section.up_to(count)
    return shown


def fitting(notices: Sequence[str], most: int = limits.TEXT_BYTES) -> list[str]:
    """Returns the notices, in order, that fit into half of a text of `most` bytes; always with the last one, which says
    how to go on."""
    if not notices:
        return []
    limit = limits.NOTICE_CHARACTERS
    *others, last = [notice if len(notice) <= limit else f"{notice[:limit]}…]" for notice in notices]
    kept: list[str] = []
    room = most // 2 - size(last)
    for notice in others:
        room -= size(notice) + 1
        if room < 0:
            kept.append(f"[{len(others) - len(kept):,} more notices]")
            break
        kept.append(notice)
    return [*kept, last]


def _whole(first: str, sections: Sequence[Section], notices: Sequence[str], between: str, most: int) -> str | None:
    """Returns the whole text; None as soon as the sections are too large, so that not all lines are made."""
    texts: list[str] = []
    total = 0
    for section in sections:
        texts.append(_text(section, len(section.lines)))
        total += size(texts[-1])
        if total > most:
            return None
    whole = _joined(first, between.join(texts), notices)
    return whole if size(whole) <= most else None


def _shares(sections: Sequence[Section], room: int) -> list[int | None]:
    """Returns how many lines of each section fit, given one by one in turn; None: no line, and no heading either."""
    kept: list[int | None] = [None] * len(sections)
    open_sections = list(range(len(sections)))
    while open_sections:
        still_open = []
        for index in open_sections:
            section = sections[index]
            so_far = kept[index]
            cost = size(section.heading) + size(section.closing) + 6 if so_far is None else 0
            if cost > room:  # checked before the line is made: most of thousands of files have no room
                continue
            line = section.lines[so_far or 0 : (so_far or 0) + 1]
            cost += sum(size(each) + 1 for each in line)
            if cost > room:
                continue
            room -= cost
            kept[index] = count = (so_far or 0) + len(line)
            if count < len(section.lines):
                still_open.append(index)
        open_sections = still_open
    return kept


def _cut_notice(at: str, sections: Sequence[Section], kept: Sequence[int | None], advice: str) -> str:
    lines = sum(len(section.lines) for section in sections) - sum(filter(None, kept))
    files = sum(count is None for count in kept) if kept else len(sections)
    missing = [counted(lines, "more line")] if lines or not files else []
    missing += [counted(files, "whole file")] if files else []
    return f"Cut at {at}: {' and '.join(missing)}. {advice}"


def _text(section: Section, count: int) -> str:
    lines = list(section.lines[:count])
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join([*filter(None, [section.heading]), *lines, *filter(None, [section.closing])])


def _joined(first: str, shown: str, notices: Sequence[str]) -> str:
    return "\n\n".join(filter(None, (first, shown, "\n".join(notices))))

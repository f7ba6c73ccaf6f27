"""Fits the items of an answer, one for each file, into its byte limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from vaulttools.core import limits
from vaulttools.core.render import size

NARROW: Final = "Narrow the pattern or the paths."
"""The advice that goes with a cut search by pattern."""


class Item(Protocol):
    """What is shown of one file."""

    @property
    def heading(self) -> str:
        """Its first line; `""`: no line."""

    @property
    def lines(self) -> Sequence[str]:
        """In order; cutting begins at the last."""

    @property
    def closing(self) -> str:
        """A line that is never cut, such as how many matches are not shown; `""`: no line."""

    def up_to(self, count: int) -> Sequence[Any]:
        """Returns the details that the first `count` lines show."""


@dataclass(frozen=True, slots=True)
class Section:
    """An item whose lines show a detail each, or none."""

    heading: str
    lines: Sequence[str]
    closing: str = ""
    details: Sequence[Any] = ()
    """By line, what it shows; None if that is nothing of the details."""

    def up_to(self, count: int) -> Sequence[Any]:
        """Returns the details of the first `count` lines."""
        return [each for each in self.details[:count] if each is not None]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A text, and how much of each item it holds."""

    text: str
    kept: Sequence[int | None]
    """By item, the number of its lines in the text; None if not even the heading is."""
    cut: Sequence[str] = ()
    """The truncation notice, without its brackets; empty if the text holds everything."""
    shown: Sequence[Any] = ()
    """The details that the text shows."""


def fit(
    first: str,
    items: Sequence[Item],
    notices: Sequence[str],
    between: str = "\n\n",
    advice: str = NARROW,
    most: int = limits.TEXT_BYTES,
) -> Fitted:
    """Returns the first line, the items joined with `between`, then the notices, one a line; and the details of what
    these show.

    The text has at most `most` bytes of UTF-8. The items get lines in turn, one each, so that no file crowds out
    another. An item is left out if nothing of it fits. A notice says how much is missing, with `advice`, which says
    how to see more.
    """
    notices = fitting(notices, most)
    whole = _whole(first, items, notices, between, most)
    if whole is not None:
        kept = [len(item.lines) for item in items]
        return Fitted(whole, kept, shown=_details(items, kept))
    at = f"{limits.TEXT_BYTES // 1024} KiB" if most == limits.TEXT_BYTES else f"{most:,} bytes"
    closing = _joined(first, "", [*notices, f"[{_cut_notice(at, items, [], advice)}]"])
    shares = _shares(items, most - size(closing))
    text = between.join(_text(item, count) for item, count in zip(items, shares, strict=True) if count is not None)
    cut = _cut_notice(at, items, shares, advice)
    whole = _joined(first, text, [*notices[:-1], f"[{cut}]", *notices[-1:]])
    return Fitted(whole, shares, (cut,), _details(items, shares))


def _details(items: Sequence[Item], kept: Sequence[int | None]) -> list[Any]:
    shown: list[Any] = []
    for item, count in zip(items, kept, strict=True):
        if count is not None:
            shown += item.up_to(count)
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


def _whole(first: str, items: Sequence[Item], notices: Sequence[str], between: str, most: int) -> str | None:
    """Returns the whole text; None as soon as the items are too large, so that not all lines are made."""
    texts: list[str] = []
    total = 0
    for item in items:
        texts.append(_text(item, len(item.lines)))
        total += size(texts[-1])
        if total > most:
            return None
    whole = _joined(first, between.join(texts), notices)
    return whole if size(whole) <= most else None


def _shares(items: Sequence[Item], room: int) -> list[int | None]:
    """Returns how many lines of each item fit, given one by one in turn; None: no line, and no heading either."""
    kept: list[int | None] = [None] * len(items)
    open_items = list(range(len(items)))
    while open_items:
        still_open = []
        for index in open_items:
            item = items[index]
            so_far = kept[index]
            cost = size(item.heading) + size(item.closing) + 6 if so_far is None else 0
            if cost > room:  # checked before the line is made: most of thousands of files have no room
                continue
            line = item.lines[so_far or 0 : (so_far or 0) + 1]
            cost += sum(size(each) + 1 for each in line)
            if cost > room:
                continue
            room -= cost
            kept[index] = count = (so_far or 0) + len(line)
            if count < len(item.lines):
                still_open.append(index)
        open_items = still_open
    return kept


def _cut_notice(at: str, items: Sequence[Item], kept: Sequence[int | None], advice: str) -> str:
    lines = sum(len(item.lines) for item in items) - sum(filter(None, kept))
    files = sum(count is None for count in kept) if kept else len(items)
    missing = [f"{lines:,} more line{'s' if lines != 1 else ''}"] if lines or not files else []
    missing += [f"{files:,} whole file{'s' if files != 1 else ''}"] if files else []
    return f"Cut at {at}: {' and '.join(missing)}. {advice}"


def _text(item: Item, count: int) -> str:
    lines = list(item.lines[:count])
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join([*filter(None, [item.heading]), *lines, *filter(None, [item.closing])])


def _joined(first: str, shown: str, notices: Sequence[str]) -> str:
    return "\n\n".join(filter(None, (first, shown, "\n".join(notices))))

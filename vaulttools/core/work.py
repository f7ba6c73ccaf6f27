"""Tracks one request: its time limit, its cancellation, and its searched and skipped files.

These limits stop a search; `answers/cut` decides how much of the result is shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Final, Literal, get_args

from vaulttools.core import limits, paths, render
from vaulttools.core.voice import CALLS, Voice
from vaulttools.errors import Cancelled

LeftOut = Literal[
    "hidden",
    "excluded",
    "ignored",
    "default excludes",
    "Logseq backup",
    "symlink",
    "not a regular file",
    "binary",
    "no text",
    "unreadable properties",
]
"""Why a rule leaves a file out: the answer stays complete."""

UNREAD: Final = "lines not read"
"""Reason for a file that matches and was counted, if time runs out before its lines are read: it was searched, but is
not shown."""

GONE: Final = "moved or removed meanwhile"
"""Reason for a listed file that was gone when it was read: under a new name it was perhaps not searched."""

Missed = Literal[
    "unreadable",
    "moved or removed meanwhile",
    "too large",
    "changed while read",
    "not downloaded",
    "encrypted",
    "damaged",
    "extraction too costly",
    "not extracted yet",
    "not extracted whole",
    "too deep",
    "pattern too costly",
    "not searched by meaning yet",
    "ripgrep died",
    "time limit",
    "lines not read",
]
"""Why a file of the scope was not searched although it might match: `complete` becomes false."""

Reason = LeftOut | Missed

PROPERTIES: Final[Reason] = "unreadable properties"
"""Reason for a note that was searched, but whose properties cannot be read, if the call asks for tags or properties."""

INCOMPLETE: Final[frozenset[Reason]] = frozenset(get_args(Missed))


_SHORTEST: Final = 0.1
"""Seconds for a second look if the call has used up its time."""


@dataclass(slots=True)
class PassedOver:
    """Number of files skipped for one reason, and the first of them in path order."""

    count: int = 0
    paths: list[str] = field(default_factory=list)
    folders: int = 0
    """Number of folders among them, which were not entered and count as one each."""


@dataclass(slots=True)
class Work:
    """Budget and tally of one call."""

    time_limit: float = limits.TIME_LIMIT
    """Seconds that the search may take."""
    cancel: Event | None = None
    on_progress: Callable[[str], None] | None = None
    deadline: float = 0.0
    """A moment of the monotonic clock; 0: `time_limit` from now."""
    started: float = field(default_factory=time.monotonic)
    """When the call began, on the same clock: the call sees all earlier changes."""
    finishing: bool = False
    """Whether time has run out once."""
    searched: int = 0
    """Number of files in the scope whose content was searched."""
    skipped: dict[Reason, PassedOver] = field(default_factory=dict)
    unextracted: int = 0
    """Number of PDF and DOCX files in the scope that were not searched because the extra for extraction is missing."""
    cut_short: bool = False
    """Whether time ran out during a walk, so that more was skipped than `skipped` counts."""
    warnings: dict[str, None] = field(default_factory=dict)
    """Sentences about problems of the vault (a bad ignore line, a bad excluded-files entry)."""
    readings: dict[str, None] = field(default_factory=dict)
    """Sentences about how arguments were read that could be read otherwise: for answers without results."""
    voice: Voice = CALLS
    """Writes suggested next steps."""

    def __post_init__(self) -> None:
        self.deadline = self.deadline or time.monotonic() + self.time_limit

    def remaining(self) -> float:
        """Returns the seconds left, never negative.

        Raises:
            Cancelled: the caller has stopped the call.
        """
        if self.cancel is not None and self.cancel.is_set():
            raise Cancelled
        return max(0.0, self.deadline - time.monotonic())

    def again(self) -> Work:
        """Returns a separate tally for a second look in the same call, such as for a hint, in the remaining time.

        Raises:
            Cancelled: the caller has stopped the call.
        """
        return Work(max(self.remaining(), _SHORTEST), self.cancel, started=self.started, voice=self.voice)

    def anew(self) -> Work:
        """Returns the work of the same call when it is asked again, in the remaining time: it begins now.

        Raises:
            Cancelled: the caller has stopped the call.
        """
        left = max(self.remaining(), _SHORTEST)
        return Work(self.time_limit, self.cancel, self.on_progress, deadline=time.monotonic() + left, voice=self.voice)

    def limit_to(self, seconds: float) -> None:
        """Set the time limit, from now."""
        self.time_limit = seconds
        self.deadline = time.monotonic() + seconds

    def finish(self) -> None:
        """Record that time has run out: found files may still be read and shown, within a fifth of the limit."""
        if not self.finishing:
            self.finishing = True
            self.deadline = time.monotonic() + self.time_limit / 5

    def warn(self, sentence: str) -> None:
        """Add a sentence about the vault, once."""
        self.warnings[sentence] = None

    def is_over(self) -> bool:
        """Whether no time is left, not even to show what was found.

        Raises:
            Cancelled: the caller has stopped the call.
        """
        if self.remaining() > 0:
            return False
        self.finish()
        return self.remaining() <= 0

    def pass_over(self, path: str, reason: Reason, *, is_folder: bool = False) -> None:
        """Count a file (or a folder that was not entered) as not searched."""
        entry = self.skipped.setdefault(reason, PassedOver())
        entry.count += 1
        entry.folders += is_folder
        if len(entry.paths) < limits.NAMED_PATHS:
            entry.paths.append(path)

    def pass_over_all(self, files: Sequence[str], reason: Reason, unnamed: int = 0) -> None:
        """Like `pass_over`, for several files, in constant time, and for `unnamed` further ones."""
        for path in files[: limits.NAMED_PATHS]:
            self.pass_over(path, reason)
        if (more := max(len(files) - limits.NAMED_PATHS, 0) + unnamed) > 0:
            self.skipped.setdefault(reason, PassedOver()).count += more

    def cut(self) -> None:
        """Record that time ran out during a walk: the number of unsearched files is not known."""
        self.skipped.setdefault("time limit", PassedOver()).count += 1
        self.cut_short = True

    @property
    def complete(self) -> bool:
        """False if a file that could change the answer was not searched."""
        return INCOMPLETE.isdisjoint(self.skipped)

    @property
    def searched_all(self) -> bool:
        """Whether all files were searched, so that numbers are exact; the lines of some may be unread."""
        return INCOMPLETE.isdisjoint(self.skipped.keys() - {UNREAD})

    def incomplete_because(self) -> str:
        """Returns all reasons: `1 file unreadable (a.md); stopped after 10 s, 4,210 files not searched`."""
        phrases = []
        for reason, entry in self.skipped.items():
            if reason not in INCOMPLETE:
                continue
            what = "folder" if entry.folders == entry.count else "file"
            files = render.counted(entry.count, what)
            if reason == "time limit":
                rest = "not everything was looked at" if self.cut_short else f"{files} not searched"
                phrases.append(f"stopped after {self.time_limit:g} s, {rest}")
            elif reason == UNREAD:
                phrases.append(f"stopped after {self.time_limit:g} s, {files} counted and not shown")
            elif reason == GONE:  # files, or folders where no watch tells which files
                phrases.append(f"names changed meanwhile ({named(entry.paths, entry.count)})")
            elif reason == "ripgrep died":
                phrases.append(f"ripgrep died, {files} not searched ({named(entry.paths, entry.count)})")
            else:
                which = f" ({named(entry.paths, entry.count)})" if entry.paths else ""
                phrases.append(f"{files} {reason}{which}")
        return "; ".join(phrases)


def named(some: Sequence[str], count: int | None = None) -> str:
    """Returns paths for a sentence: at most five of at most 200 characters, and how many more of `count` exist."""
    names = ", ".join(_shortened(paths.shown(path)) for path in some[: limits.NAMED_PATHS])
    more = (len(some) if count is None else count) - min(len(some), limits.NAMED_PATHS)
    return f"{names} and {more:,} more" if more else names


def _shortened(name: str) -> str:
    return name if len(name) <= limits.NAME_CHARACTERS else f"{name[: limits.NAME_CHARACTERS]}…"

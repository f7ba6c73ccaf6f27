"""Tracks one request: its time, its cancellation, and the files searched and skipped.

Work limits stop a search here; `answers/cut` decides how much of the result is shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Final, Literal, get_args

from vaulttools.core import limits, paths
from vaulttools.core.voice import CALLS, Voice
from vaulttools.errors import Cancelled

LeftOut = Literal[
    "hidden", "excluded", "ignored", "default excludes", "symlink", "not a regular file", "binary", "no text"
]
"""What a rule leaves out: the answer stays complete."""

UNREAD: Final = "lines not read"
"""Of a file that matches and was counted, when time runs out before its lines are read: it was searched, and is not
shown."""

Missed = Literal[
    "unreadable",
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
    "ripgrep died",
    "time limit",
    "lines not read",
]
"""Why a file of the scope was not searched although it might have matched: `complete` becomes false."""

Reason = LeftOut | Missed

INCOMPLETE: Final[frozenset[Reason]] = frozenset(get_args(Missed))


_SHORTEST: Final = 0.1
"""Seconds for a second look when the call has used up its time."""


@dataclass(slots=True)
class PassedOver:
    """How many files were passed over for one reason, and the first of them in path order."""

    count: int = 0
    paths: list[str] = field(default_factory=list)
    folders: int = 0
    """How many of them are folders, which count as one and were not entered."""


@dataclass(slots=True)
class Work:
    """One call's budget and tally."""

    time_limit: float = limits.TIME_LIMIT
    """Seconds the search may take."""
    cancel: Event | None = None
    on_progress: Callable[[str], None] | None = None
    deadline: float = 0.0
    """On the monotonic clock; 0: `time_limit` from now."""
    started: float = field(default_factory=time.monotonic)
    """When the call began, on the same clock: what was changed before is seen by it."""
    finishing: bool = False
    """Whether time has run out once."""
    searched: int = 0
    """Files of the scope whose content was searched."""
    skipped: dict[Reason, PassedOver] = field(default_factory=dict)
    unextracted: int = 0
    """PDF and DOCX files of the scope whose text was not searched, because the extra that extracts it is missing."""
    cut_short: bool = False
    """Whether time ran out in a walk, so that more was passed over than `skipped` counts."""
    view: Any = None
    """The `index.snapshot.Snapshot` of the call, once `Session.view` has taken it; None: there is none."""
    warnings: dict[str, None] = field(default_factory=dict)
    """Sentences about the vault met on the way (a bad ignore line, a bad excluded-files entry)."""
    voice: Voice = CALLS
    """Writes what the caller may do next."""

    def __post_init__(self) -> None:
        self.deadline = self.deadline or time.monotonic() + self.time_limit

    def remaining(self) -> float:
        """Seconds left, never negative.

        Raises:
            Cancelled: the caller has stopped the call.
        """
        if self.cancel is not None and self.cancel.is_set():
            raise Cancelled
        return max(0.0, self.deadline - time.monotonic())

    def again(self) -> Work:
        """A tally of its own for a second look in the same call, such as for a hint, in the time that is left; the look
        sees the vault as the call does.

        Raises:
            Cancelled: the caller has stopped the call.
        """
        return Work(
            max(self.remaining(), _SHORTEST), self.cancel, started=self.started, view=self.view, voice=self.voice
        )

    def limit_to(self, seconds: float) -> None:
        """Set the time limit of this call, from now."""
        self.time_limit = seconds
        self.deadline = time.monotonic() + seconds

    def finish(self) -> None:
        """Time has run out: what was found may still be read and shown, within a fifth of the limit."""
        if not self.finishing:
            self.finishing = True
            self.deadline = time.monotonic() + self.time_limit / 5

    def warn(self, sentence: str) -> None:
        """Keep a sentence about the vault, once."""
        self.warnings[sentence] = None

    def is_over(self) -> bool:
        """Whether no time is left, the time to show what was found included.

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

    def pass_over_all(self, files: Sequence[str], reason: Reason) -> None:
        """As `pass_over`, of several files; the time does not grow with them."""
        for path in files[: limits.NAMED_PATHS]:
            self.pass_over(path, reason)
        if (more := len(files) - limits.NAMED_PATHS) > 0:
            self.skipped[reason].count += more

    def cut(self) -> None:
        """Note that time has run out before all files were met: nobody knows how many were not searched."""
        self.skipped.setdefault("time limit", PassedOver()).count += 1
        self.cut_short = True

    @property
    def complete(self) -> bool:
        """False when a file was not searched for a reason that could have changed the answer."""
        return INCOMPLETE.isdisjoint(self.skipped)

    @property
    def searched_all(self) -> bool:
        """Whether all files were searched, so that numbers are exact; lines of some may not have been read."""
        return INCOMPLETE.isdisjoint(self.skipped.keys() - {UNREAD})

    def incomplete_because(self) -> str:
        """The reasons in one phrase: `1 file unreadable (a.md); stopped after 10 s, 4,210 files not searched`."""
        phrases = []
        for reason, entry in self.skipped.items():
            if reason not in INCOMPLETE:
                continue
            files = f"{entry.count:,} file{'s' if entry.count != 1 else ''}"
            if reason == "time limit":
                rest = "not everything was looked at" if self.cut_short else f"{files} not searched"
                phrases.append(f"stopped after {self.time_limit:g} s, {rest}")
            elif reason == UNREAD:
                phrases.append(f"stopped after {self.time_limit:g} s, {files} counted and not shown")
            elif reason == "ripgrep died":
                phrases.append(f"ripgrep died, {files} not searched ({named(entry.paths, entry.count)})")
            else:
                phrases.append(f"{files} {reason} ({named(entry.paths, entry.count)})")
        return "; ".join(phrases)


def named(some: Sequence[str], count: int | None = None) -> str:
    """Paths for a sentence: at most five, each at most 200 characters, and how many more of `count` there are."""
    names = ", ".join(_shortened(paths.shown(path)) for path in some[: limits.NAMED_PATHS])
    more = (len(some) if count is None else count) - min(len(some), limits.NAMED_PATHS)
    return f"{names} and {more:,} more" if more else names


def _shortened(name: str) -> str:
    return name if len(name) <= limits.NAME_CHARACTERS else f"{name[: limits.NAME_CHARACTERS]}…"

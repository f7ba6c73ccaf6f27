"""Runs the process that embeds, at the lowest priority, on one processor."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from vaulttools.core import child
from vaulttools.core.child import receive, send
from vaulttools.meaning.embedder import EmbedderKey, NoMeaning
from vaulttools.meaning.embedders import Choice

_END_SECONDS: Final = 5.0
"""Seconds to wait for a killed process."""

NICER: Final = 19
"""How much lower the priority is, as far as it goes: whatever else the machine has to do comes first."""

_ONE_PROCESSOR: Final = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class EmbeddingProcess:
    """A running process with its embedder loaded."""

    def __init__(self, choice: Choice, folder: Path | None) -> None:
        """Start it and wait until it has loaded; vectors of tokens are kept in the folder.

        Raises:
            NoMeaning: it cannot be started, or has no embedder.
        """
        if not child.can_start():
            raise NoMeaning("Meaning needs a process of its own, and there is no Python to start one with")
        command = child.command("vaulttools.meaning.worker", str(NICER))
        flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        try:
            self._popen = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                creationflags=flags,
                env={**os.environ, **_ONE_PROCESSOR},
            )
        except OSError as error:
            raise NoMeaning(f"The process that embeds cannot be started: {error.strerror}") from error
        self.is_fitted: bool = False
        """Whether its embedder needs an encoder that is fitted."""
        self._fit = b""
        """What it encodes by."""
        self.used = time.monotonic()
        """When it was last asked, on the monotonic clock."""
        try:
            answer = self._asked((choice, folder))
            if not isinstance(answer, tuple):
                raise NoMeaning(str(answer))
            key, self.is_fitted = answer
        except NoMeaning:
            self.close()
            raise
        self.key: Final[EmbedderKey] = key

    def fitted(self, sample: Sequence[str]) -> bytes:
        """An encoder fitted to a sample of passages.

        Raises:
            NoMeaning: the embedder cannot embed them now, or the process has ended.
        """
        answer = self._asked(tuple(sample))
        if not isinstance(answer, bytes):
            raise NoMeaning(str(answer))
        self._fit = answer
        return answer

    def encoded(self, fit: bytes, texts: Sequence[str]) -> list[bytes]:
        """The vectors of passages, of 8 bits a number, by a fitted encoder; by the embedder where `fit` is empty.

        Raises:
            NoMeaning: the embedder cannot embed them now, or the process has ended.
        """
        if fit and fit is not self._fit:
            answer = self._asked(fit)
            if answer is not None:
                raise NoMeaning(str(answer))
            self._fit = fit
        answer = self._asked(list(texts))
        if not isinstance(answer, list):
            raise NoMeaning(str(answer))
        return answer

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended yet."""
        return self._popen.poll() is None

    def end(self) -> None:
        """Kill it: it keeps nothing. May be called from another thread than the one that waits for an answer."""
        self._popen.kill()
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(_END_SECONDS)

    def close(self) -> None:
        """As `end`, and give back the pipes, which no thread may be using."""
        self.end()
        for pipe in (self._popen.stdin, self._popen.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]

    def _asked(self, message: object) -> object:
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self.used = time.monotonic()
        try:
            send(self._popen.stdin, message)
            return receive(self._popen.stdout)
        except (OSError, ValueError, EOFError, pickle.UnpicklingError) as error:
            self.end()
            raise NoMeaning(f"The process that embeds has ended{_by(self._popen.returncode)}") from error


def _by(status: int | None) -> str:
    """The signal that ended a process, in brackets: want of memory and instructions that a processor lacks have one."""
    try:
        return f" ({signal.Signals(-(status or 0)).name})"
    except ValueError:
        return ""

"""Shares models and one embedding process among the vaults that are open in this process.

The models take 300 MB, and so does the process: each vault in use would have its own. Only weights are shared; texts
and vectors stay with their vault.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from vaulttools.core import forks
from vaulttools.index.job_queue import JobQueue
from vaulttools.meaning import embedder, embedders
from vaulttools.meaning.embedder import Embedder, EmbedderKey
from vaulttools.meaning.embedders import Choice
from vaulttools.meaning.process import EmbeddingProcess

if TYPE_CHECKING:
    from vaulttools.meaning.embedder import Floats

TURN_SECONDS: Final = 20.0
"""How long a vault may embed while another one waits: about 1,000 passages."""

IDLE_SECONDS: Final = 60.0
"""How long the process is kept that has nothing to do; it takes a second to start."""


class SharedModel:
    """A model that embeds the questions of all vaults, one at a time."""

    def __init__(self, model: Embedder) -> None:
        self._model = model
        self._guard = threading.Lock()

    @property
    def key(self) -> EmbedderKey:
        """As `Embedder`."""
        return self._model.key

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """As `Embedder`."""
        with self._guard:
            return self._model.embed_passages(texts)

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """As `Embedder`."""
        with self._guard:
            return self._model.embed_questions(texts)


class Models:
    """The loaded models, each for as long as a vault uses it."""

    def __init__(self) -> None:
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Hold none, as in a child after a fork, where a thread of the parent may have held a lock."""
        self._guard = threading.Lock()
        self._loaded: WeakValueDictionary[tuple[Choice, EmbedderKey], SharedModel] = WeakValueDictionary()

    def of(self, choice: Choice, key: EmbedderKey) -> Embedder:
        """The embedder that was chosen, ready to use. `key` is what it has now: a replaced model is loaded again.

        Raises:
            NoMeaning: its package, its weights or its address is missing or damaged.
        """
        if choice.is_endpoint:  # it holds no weights, and one that is slow must not hold up other vaults
            return embedders.load(choice)
        with self._guard:
            found = self._loaded.get((choice, key))
            if found is None:
                found = self._loaded[choice, key] = SharedModel(embedders.load(choice))
            return found


class Embedding:
    """The process that embeds passages, for one vault at a time."""

    def __init__(self) -> None:
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Have no process, as in a child after a fork, which must not use its parent's."""
        self._job_queue = JobQueue(1)
        self._guard = threading.RLock()  # who holds it may come across a vault as garbage, whose end calls `stop`
        self._process: EmbeddingProcess | None = None
        self._choice: Choice | None = None
        self._open: set[threading.Event] = set()
        """The ends of the vaults that may embed."""
        self._user: threading.Event | None = None
        """The end of the vault whose turn it is."""
        self._until = 0.0

    def enter(self, end: threading.Event) -> None:
        """A vault may embed from now on, until `end` is set and it leaves."""
        with self._guard:
            self._open.add(end)

    def leave(self, end: threading.Event) -> None:
        """The vault does not embed any more; the last one ends the process."""
        with self._guard:
            self._open.discard(end)
            is_last = not self._open
        if is_last:
            self.rest(0)

    @contextmanager
    def turn(self, end: threading.Event) -> Iterator[bool]:
        """A vault's turn for as long as this is entered; False when `end`, the vault's own, was set before."""
        with self._job_queue.taken(end) as is_mine:
            if not is_mine:
                yield False
                return
            with self._guard:
                self._user, self._until = end, time.monotonic() + TURN_SECONDS
            try:
                yield True
            finally:
                with self._guard:
                    self._user = None

    def is_over(self) -> bool:
        """Whether the vault whose turn it is has to let another one go on."""
        return self._job_queue.is_wanted and time.monotonic() >= self._until

    def process(self, choice: Choice, folder: Path | None) -> EmbeddingProcess:
        """The process, in one's turn.

        Raises:
            NoMeaning: it cannot be started.
        """
        if self._process is None or self._choice != choice or not self._process.is_alive:
            self._close()
            process = EmbeddingProcess(choice, folder)
            with self._guard:
                self._process, self._choice = process, choice
        process = self._process
        assert process is not None
        with self._guard:
            if self._user is not None and self._user.is_set():  # `stop` came before there was a process to kill
                raise embedder.NoMeaning("The vault is closed")
        return process

    def fitted(self, choice: Choice, folder: Path | None, sample: Sequence[str]) -> bytes:
        """As `EmbeddingProcess.fitted`, in one's turn.

        Raises:
            NoMeaning: it cannot be made; the next call starts another process.
        """
        with self._ending_at_a_fault():
            return self.process(choice, folder).fitted(sample)

    def encoded(self, choice: Choice, folder: Path | None, fit: bytes, texts: Sequence[str]) -> list[bytes]:
        """As `EmbeddingProcess.encoded`, in one's turn.

        Raises:
            NoMeaning: they cannot be encoded; the next call starts another process.
        """
        with self._ending_at_a_fault():
            return self.process(choice, folder).encoded(fit, texts)

    @contextmanager
    def _ending_at_a_fault(self) -> Iterator[None]:
        try:
            yield
        except embedder.NoMeaning:
            self._close()
            raise

    def stop(self, end: threading.Event) -> None:
        """Kill the process if it works for the vault with this `end`; does not wait for the vault's thread."""
        with self._guard:
            if self._user is end and self._process is not None:
                self._process.end()

    def rest(self, idle_seconds: float = IDLE_SECONDS) -> None:
        """End the process when it has had nothing to do for so long; nothing while a vault uses it."""
        with self._job_queue.taken_at_once() as is_mine:
            if is_mine and self._process is not None and time.monotonic() - self._process.used >= idle_seconds:
                self._close()

    def _close(self) -> None:
        with self._guard:
            process, self._process = self._process, None
        if process is not None:
            process.close()


models: Final = Models()
embedding: Final = Embedding()
forks.renew(models)
forks.renew(embedding)

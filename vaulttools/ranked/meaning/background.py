"""Embeds passages without a vector behind the calls, in a process of low priority.

What was embedded is kept at once, so that whatever stops the work, it goes on where it was. Only one process of those
that have a vault open embeds for it; the others see the vectors arrive.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import filelock

from vaulttools.core import inherited
from vaulttools.errors import Cancelled, VaultToolsError
from vaulttools.files.document import NotRead
from vaulttools.index import passages as stored
from vaulttools.notes.passages import digest as digest_of
from vaulttools.notes.passages import folded
from vaulttools.ranked.meaning import embedder, packaged_model
from vaulttools.ranked.meaning.coverage import Coverage, PassageIndex
from vaulttools.ranked.meaning.embedder import Choice, Embedder, NoMeaning
from vaulttools.ranked.meaning.neighbours import Neighbour, PassagesOfNotes, neighbours
from vaulttools.ranked.meaning.shared import embedding, models
from vaulttools.ranked.meaning.store import VectorStore
from vaulttools.ranked.meaning.trust import OF_ANY_MODEL, Trust
from vaulttools.ranked.meaning.unused import remove_unused

if TYPE_CHECKING:
    from vaulttools.ranked.meaning.embedder import Floats

_log = logging.getLogger("vaulttools")

LOOK_SECONDS: Final = 2.0
"""How often new passages are looked for."""

_WAITED_FOR_SECONDS: Final = 0.05
"""How often while somebody waits, and how often that one looks whether it is done."""

AGAIN_SECONDS: Final = 60.0
"""How long to wait after a fault: the disk is full, the endpoint is down."""

_LONGER: Final = 16
"""So many times as long at most, twice as long after each further fault, where the embedder is no endpoint: to start a
process and load its models takes seconds of CPU, and what is wrong with them lasts."""

START_SECONDS: Final = 5.0
"""How long after the first question the work begins: a command that answers one and ends starts no process in vain."""

_MUTE_SECONDS: Final = 30.0
"""How long no question is put to an embedder that failed: each would wait for it."""

_QUESTIONS: Final = 64

BATCH: Final = 32
"""Passages that are embedded and kept together: half a second's work, which is what a kill loses."""

_TOGETHER: Final = 200
"""Notes that are looked at together."""

_WORTH_FORGETTING: Final = 0.2
"""Part of the vectors that must be of passages gone from the vault before they are forgotten: undone edits and moved
notes find theirs until then."""


class Supply(NamedTuple):
    """What there is to embed now."""

    known: PassageIndex
    notes: AbstractSet[str]
    """Every note and attachment that may be embedded: excluded and protected ones are not among them. The same object
    until one of them comes or goes."""
    read: Callable[[str], str]
    """The text of one, with `\\n` for `\\r\\n`; raises NotRead."""


class Unsearched(NamedTuple):
    """Notes of which not all passages have vectors."""

    waiting: int
    """Those that `Progress` does not count as done."""
    changed: frozenset[str]
    """Those that changed since it was counted."""


class Progress(NamedTuple):
    """How far the embedding is."""

    done: int
    """Notes whose passages all have vectors."""
    total: int


@dataclass(frozen=True, slots=True)
class MeaningStatus:
    """The vectors of one vault."""

    embedder: str
    """What embeds: a package, a model, or an endpoint's model."""
    version: str
    """Of the package, or the endpoint's address."""
    progress: Progress
    """When it was last counted."""
    passages: int
    """Vectors that are kept; copies share one."""
    bytes: int
    """On disk."""
    fault: str
    """Why nothing could be embedded when it was last tried; empty when it could."""


class BackgroundMeaning:
    """The vectors of one open vault."""

    def __init__(self, choice: Choice, folder: Callable[[], Path], supply: Callable[[], Supply | None]) -> None:
        """Nothing is done before `start`.

        `folder` gives where the index lies; `supply` what there is to embed, None while that is not known.
        """
        self.choice: Final = choice
        self._store: VectorStore | None = None
        self._folder = folder
        self._supply = supply
        self._begin()

    def _begin(self) -> None:
        self._owner = os.getpid()
        self._guard = threading.Lock()
        self._asking = threading.Lock()
        self._embedder: Embedder | None = None
        self._questions: dict[str, Floats] = {}
        """The vectors of the questions asked last: the next page asks the same."""
        self._mute_until, self._mute_reason = 0.0, ""
        self._thread: threading.Thread | None = None
        if self._store is not None:
            inherited.keep(self._store)
            self._store = None
        self._waiters = 0
        """Calls of `wait` under way."""
        self._end = threading.Event()
        self._wake = threading.Event()
        self._coverage = Coverage(self.store)
        self._rounds = 0
        """How often everything was looked at to the end."""
        self._is_tidy = False
        self.progress = Progress(0, 0)
        self.fault = ""
        """Why nothing can be embedded at present; empty when it can."""
        self._kept_fault: str | None = None
        """What the store has of it; None: not known."""

    def store(self) -> VectorStore:
        """Where the vectors are kept.

        Raises:
            NoMeaning: the embedder is missing.
            VaultToolsError: the index has no folder.
        """
        with self._guard:
            if self._store is None:
                self._store = VectorStore(self._folder(), embedder.key_of(self.choice))
            return self._store

    def status(self) -> MeaningStatus:
        """What is kept, and how far the embedding was when it was last counted, by whatever process.

        Raises:
            NoMeaning: the embedder is missing, or the vectors cannot be read.
        """
        store = self.store()
        progress = Progress(*store.progress())
        passages, size = len(store.nearest()), store.bytes()
        return MeaningStatus(store.key.name, store.key.version, progress, passages, size, self.why_not())

    def asked(self, question: str) -> Floats:
        """The vector of a question; the embedder is loaded by the first one, which takes a second.

        Raises:
            NoMeaning: it cannot be embedded, or could not a moment ago.
        """
        with self._asking:
            if time.monotonic() < self._mute_until:
                raise NoMeaning(self._mute_reason)
            if question in self._questions:
                return self._questions[question]
            try:
                if self._embedder is None:
                    self._embedder = models.of(self.choice, self.store().key)
                vector: Floats = self._embedder.embed_questions([question])[0]
                held = self.store().dimensions()
                if held not in (None, len(vector)):
                    raise NoMeaning(
                        f"The embedder gives vectors of {len(vector):,} numbers, and those that are kept have {held:,}"
                    )
            except NoMeaning as error:
                self._mute_until, self._mute_reason = time.monotonic() + _MUTE_SECONDS, str(error)
                raise
            self._questions[question] = vector
            while len(self._questions) > _QUESTIONS:
                del self._questions[next(iter(self._questions))]
            return vector

    def start(self) -> None:
        """Begin to embed, once; in a child after a fork, anew."""
        if self._owner != os.getpid():
            self._begin()
        with self._guard:
            if self._thread is None and not self._end.is_set():
                self._thread = threading.Thread(target=self._run, name="vaulttools meaning", daemon=True)
                self._thread.start()

    def wait(
        self,
        on_progress: Callable[[int, int], None] | None = None,
        cancel: threading.Event | None = None,
        timeout: float | None = None,
    ) -> bool:
        """Wait until every passage of this moment has a vector; False when the timeout, or the use of the vault, ends
        first. `on_progress` gets the numbers of embedded notes and of all.

        Raises:
            NoMeaning: nothing can be embedded now.
            Cancelled: the caller has set the event.
        """
        self.fault = ""
        self.start()
        until = None if timeout is None else time.monotonic() + timeout
        wanted = self._rounds + 2  # the round under way may have begun before this call
        with self._waiting():
            return self._wait(wanted, on_progress, cancel, until)

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """Let rounds follow each other while somebody waits."""
        with self._guard:
            self._waiters += 1
        self._wake.set()
        try:
            yield
        finally:
            with self._guard:
                self._waiters -= 1

    def _wait(
        self,
        wanted: int,
        on_progress: Callable[[int, int], None] | None,
        cancel: threading.Event | None,
        until: float | None,
    ) -> bool:
        """As `wait`, for a number of rounds."""
        while self._rounds < wanted:
            if cancel is not None and cancel.is_set():
                raise Cancelled
            if self.fault:
                raise NoMeaning(self.fault)
            if self._end.is_set() or (until is not None and time.monotonic() >= until):
                return False
            if on_progress is not None:
                on_progress(*self.progress)
            self._end.wait(_WAITED_FOR_SECONDS)
        if on_progress is not None:
            on_progress(*self.progress)
        return True

    def end(self) -> None:
        """End the work, without waiting until it has happened."""
        self._end.set()
        self._wake.set()
        if self._owner == os.getpid():
            embedding.stop(self._end)

    def close(self) -> None:
        """End the work; what was embedded is kept."""
        self.end()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread() and self._owner == os.getpid():
            thread.join()
        if self._store is not None and self._owner == os.getpid():
            self._store.close()

    def near(
        self, question: str, languages: AbstractSet[str], known: PassagesOfNotes, notes: frozenset[str]
    ) -> list[Neighbour]:
        """The passages of some notes nearest in meaning to a question, as `neighbours.neighbours`; none before any is
        embedded.

        Raises:
            NoMeaning: the question cannot be embedded, or the vectors cannot be read.
        """
        store = self.store()
        if not len(store.nearest()):
            return []
        return neighbours(self.asked(question), store, known, notes, self.seen().total, languages)

    def trust(self, near: Sequence[Neighbour]) -> Trust:
        """What the nearness of some passages is worth."""
        if not near or self.choice.where:
            return OF_ANY_MODEL
        return packaged_model.trust(int(sum(each.part for each in near) * 2 >= len(near)))

    @property
    def embeds_nothing(self) -> bool:
        """Whether it was found that no note may be embedded."""
        return self._rounds > 0 and not self.progress.total

    def why_not(self) -> str:
        """Why nothing could be embedded when it was last tried, by this process or another one; empty when it could.

        Raises:
            NoMeaning: that cannot be read.
        """
        return self.fault or ("" if self._rounds else self.store().fault())

    def seen(self) -> Progress:
        """How far the embedding was when it was last counted, by this process or another one.

        Raises:
            NoMeaning: that cannot be read.
        """
        if not self.progress.total:
            return Progress(*self.store().progress())
        return Progress(0, self.progress.total) if self._coverage.is_lost() else self.progress

    def unsearched(self, known: PassageIndex, among: AbstractSet[str]) -> Unsearched:
        """How many of some notes meaning did not search, or not in all of their passages.

        Raises:
            NoMeaning: that cannot be read.
        """
        if self._coverage.is_lost():
            return Unsearched(len(among), frozenset())
        waiting = self._coverage.waiting(among)
        if waiting is None:
            done, total = self.store().progress()
            waiting = min(total - done, len(among))
        return Unsearched(waiting, frozenset(self._coverage.changed(known, among)))

    def _run(self) -> None:
        embedding.enter(self._end)
        self._wake.wait(START_SECONDS)
        self._wake.clear()
        faults = 0
        while not self._end.is_set():
            try:
                self._round()
                self.fault, faults = "", 0
            except VaultToolsError as error:
                faults += 1
                self._wake.clear()  # who waits already is told of this fault; who comes now has it tried again at once
                if not self._end.is_set():
                    self._tell(str(error))
            except Exception as error:  # it may come from the machine; its text may be that of a note
                faults += 1
                self._wake.clear()
                _log.exception("the embedding met an error")
                self._tell(f"The embedding met an error of its own: {type(error).__name__}")
            if not self._end.is_set():  # its call to wake up may be cleared
                self._wake.wait(self._pause(faults))
            self._wake.clear()
        embedding.leave(self._end)

    def _pause(self, faults: int) -> float:
        """Seconds until the next round after so many faults in a row."""
        if not faults:
            return _WAITED_FOR_SECONDS if self._waiters else LOOK_SECONDS
        return AGAIN_SECONDS * (1 if self.choice.is_endpoint else min(1 << (faults - 1), _LONGER))

    def _tell(self, reason: str) -> None:
        if reason != self.fault:  # it is tried again and again
            _log.warning("%s; ranked search goes by words alone", reason)
        self.fault = reason
        with suppress(VaultToolsError):
            self._keep_fault(reason)

    def _keep_fault(self, reason: str) -> None:
        """Have other processes know of a fault, or, when it is empty, of its end.

        Raises:
            NoMeaning: the store cannot be used.
        """
        if self._kept_fault is None:
            self._kept_fault = self.store().fault()
        if reason != self._kept_fault:
            self.store().put_fault(reason)
            self._kept_fault = reason

    def _round(self) -> None:
        """Embed what has no vector, where no other process does.

        Raises:
            NoMeaning: it cannot be embedded or kept.
        """
        supply = self._supply()
        if supply is None:
            return
        lacking = self._coverage.look(supply.known, supply.notes, self._end.is_set)
        if self._end.is_set():
            return
        self._tell_progress(len(lacking), len(supply.notes))
        left = [(path, digests) for path, digests in lacking.items() if digests]
        if not left:
            if lacking and supply.known.changed():
                return  # the index reads them in a moment; those that cannot be read are not among them
            self._tidy(supply)
            self._keep_fault("")
            embedding.rest()
            self._rounds += 1
            return
        with embedding.turn(self._end) as is_mine:
            is_done = is_mine and self._embed_alone(supply, left, len(lacking) - len(left))
        if is_done:
            self._wake.set()
        else:
            self._end.wait(LOOK_SECONDS)

    def _embed_alone(self, supply: Supply, left: Sequence[tuple[str, Sequence[int]]], unknown: int) -> bool:
        """As `_embed`; False when another process embeds for the vault: its vectors are seen in the next round.

        Raises:
            NoMeaning: it cannot be done.
        """
        lock = filelock.FileLock(self.store().path.with_suffix(".lock"), fallback_to_soft=False)
        try:
            lock.acquire(blocking=False)
        except filelock.Timeout:
            return False
        try:
            # While this vault waited for its turn another session or process may have embedded for it.
            missing = set(self.store().missing(each for _, digests in left for each in digests))
            still = [(path, [each for each in digests if each in missing]) for path, digests in left]
            self._embed(supply, still, unknown)
        finally:
            lock.release()
        return True

    def _embed(self, supply: Supply, left: Sequence[tuple[str, Sequence[int]]], unknown: int) -> None:
        """Embed passages of notes and keep their vectors, until the end comes, or the end of the turn.

        Raises:
            NoMeaning: it cannot be done.
        """
        texts: dict[int, str] = {}
        embedded: set[int] = set()
        pending: deque[tuple[str, Sequence[int]]] = deque()
        waiting = unknown + len(left)
        for number, (path, digests) in enumerate(left, 1):
            texts |= self._texts(supply, path, set(digests) - embedded)
            pending.append((path, digests))
            while len(texts) >= BATCH or (texts and number == len(left)):
                if self._end.is_set() or embedding.is_over():
                    return
                some = list(texts.items())[:BATCH]
                self._keep(some)
                embedded.update(digest for digest, _ in some)
                for digest, _ in some:
                    del texts[digest]
            while pending and texts.keys().isdisjoint(pending[0][1]):
                self._coverage.embedded(pending.popleft()[0])
                waiting -= 1
            self._tell_progress(waiting, len(supply.notes))

    def _tell_progress(self, waiting: int, total: int) -> None:
        told = Progress(total - waiting, total)
        if told != self.progress:
            self.progress = told
            if self.store().path.exists():
                self.store().put_progress(*told)

    def _keep(self, some: Sequence[tuple[int, str]]) -> None:
        kept, dimensions = embedding.embedded(self.choice, [text for _, text in some])
        self.store().put([(digest, vector) for (digest, _), vector in zip(some, kept, strict=True)], dimensions)
        self.fault = ""
        self._keep_fault("")

    def _texts(self, supply: Supply, path: str, wanted: set[int]) -> dict[int, str]:
        """The texts of a note's passages, by digest; none of those that it does not hold any more."""
        data = supply.known.passages([path]).get(path) if wanted else None
        if data is None:
            return {}
        try:
            text = supply.read(path)
        except NotRead:
            return {}
        columns = stored.load(data)
        found: dict[int, str] = {}
        for start, length, digest in zip(columns.starts, columns.lengths, columns.digests, strict=True):
            passage = text[start : start + length]
            if digest in wanted and digest_of(passage) == digest:  # else it was edited since
                found[digest] = folded(passage)
        return found

    def _tidy(self, supply: Supply) -> None:
        """Forget the vectors of passages that no note holds any more, once a process, where that is worth it, and those
        of models that are used no more."""
        if self._is_tidy:
            return
        self._is_tidy = True
        remove_unused(self.store(), time.time())
        texts = self._coverage.texts()
        if len(self.store().covered()) * (1 - _WORTH_FORGETTING) <= len(texts):
            return  # to look at all passages takes half a second for 160,000
        held: set[int] = set()
        notes = list(supply.notes)
        for start in range(0, len(notes), _TOGETHER):
            for data in supply.known.passages(notes[start : start + _TOGETHER]).values():
                held.update(stored.digests(data))
        if len(self.store().nearest()) * (1 - _WORTH_FORGETTING) > len(held):
            self.store().keep_only(held)
        self.store().cover_only(texts)

"""Makes the vectors of passages behind the calls, in a process of low priority.

Once the index knows nearly all notes, an encoder is fitted to a sample of the passages, chosen by digest; it makes the
vectors of all. It is made anew when the vault has changed by more than a tenth.

What was embedded is kept at once, so that whatever stops the work, it goes on where it was. Only one process of those
that have a vault open embeds for it; the others see the vectors arrive.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from heapq import nsmallest
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import filelock
import numpy as np

from vaulttools.core import forks
from vaulttools.errors import Cancelled, VaultToolsError
from vaulttools.files.document import NotRead
from vaulttools.index import passages as stored
from vaulttools.index.passages import Keys, Passages
from vaulttools.meaning import embedders
from vaulttools.meaning.coverage import Coverage, text_digests
from vaulttools.meaning.embedders import Choice, NoMeaning
from vaulttools.meaning.process import embedding
from vaulttools.meaning.question_model import QuestionModel
from vaulttools.meaning.static_fit import SAMPLE, StaticFit
from vaulttools.meaning.store import VectorStore
from vaulttools.meaning.vectors import Vectors
from vaulttools.notes import language
from vaulttools.notes.note import Note
from vaulttools.notes.passages import digest as digest_of
from vaulttools.notes.passages import in_context

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaulttools.index.snapshot import Snapshot
    from vaulttools.meaning.embedders import Floats

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

BATCH: Final = 256
"""Passages that are encoded and kept together: less than a tenth of a second of work, which is what a kill loses."""

_SENT: Final = 16
"""The same of an embedder that encodes every passage itself."""

_NEARLY_ALL: Final = 0.95
"""Part of the notes that the index must know before an encoder is fitted."""

_MOST: Final = 0.7
"""Part of all passages, those in other languages included, that a sample must be to be compared by itself."""

_DRIFT: Final = 0.1
"""Part of the passages that must be other ones for the encoder to be fitted anew."""

_TOGETHER: Final = 200
"""Notes that are looked at together."""

_WORTH_FORGETTING: Final = 0.2
"""Part of the vectors that must be of passages gone from the vault before they are forgotten: undone edits and moved
notes find theirs until then."""


class Supply(NamedTuple):
    """What there is to embed now."""

    view: Snapshot
    notes: AbstractSet[str]
    """Every note and attachment that may be embedded: excluded and protected ones are not among them. The same object
    until one of them comes or goes."""
    read: Callable[[str], Note]
    """One of them as it is now; raises NotRead."""


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
    """The vectors of one open vault by one model, for any number of threads.

    Every method raises `NoMeaning` when the embedder is missing, or the vectors cannot be read.
    """

    def __init__(
        self,
        choice: Choice,
        folder: Callable[[], Path],
        supply: Callable[[], Supply | None],
        is_wanted: Callable[[Supply], bool] = lambda _: True,
    ) -> None:
        """Nothing is done before `start`.

        `folder` gives where the index lies; `supply` what there is to embed, None while that is not known; `is_wanted`
        tells whether anything of that is to be embedded yet.
        """
        self.choice: Final = choice
        self._folder = folder
        self._supply = supply
        self._is_wanted = is_wanted
        self._store: VectorStore | None = None
        self.reset_after_fork()
        forks.renew(self)

    def reset_after_fork(self) -> None:
        """Be as before `start`, as in a child after a fork, which must not use its parent's connections."""
        if self._store is not None:
            forks.keep(self._store)
            self._store = None
        self._guard = threading.Lock()
        self._questions = QuestionModel(self.choice, lambda: self.store().key)
        self._coverage = Coverage(self.store)
        self._fit: tuple[object, StaticFit | None, NDArray[np.int64]] = None, None, np.empty(0, np.int64)
        """A generation of the store, its encoder, and the keys of most passages, which that was fitted to, or none."""
        self._thread: threading.Thread | None = None
        self._end = threading.Event()
        self._wake = threading.Event()
        self._waiters = 0
        """Calls of `wait` under way."""
        self._rounds = 0
        """How often everything was looked at to the end."""
        self._is_tidy = False
        self._progress = Progress(0, 0)
        self._fault = ""
        """Why nothing can be embedded at present; empty when it can."""

    def store(self) -> VectorStore:
        """Where the vectors are kept.

        Raises:
            VaultToolsError: the index has no folder.
        """
        with self._guard:
            if self._store is None:
                self._store = VectorStore(self._folder(), embedders.key_of(self.choice))
            return self._store

    # What a question asks.
    def asked(self, question: str) -> Floats:
        """The vector of a question by the embedder itself."""
        return self._questions.question(question)

    def vectors(self, question: str) -> tuple[Vectors, Floats]:
        """What is kept, and the vector of a question that is compared with it; none before anything is embedded."""
        kept = self.store().vectors()
        if not len(kept):
            return kept, np.zeros(0, np.float32)
        asked = self.asked(question)
        fit = self._fitted()
        compared = asked if fit is None else fit.question(asked)
        if len(compared) != kept.dimensions:
            raise NoMeaning(
                f"The embedder gives vectors of {len(compared):,} numbers, and those that are kept have "
                f"{kept.dimensions:,}: `vaulttools index clear` forgets them"
            )
        return kept, compared

    def exact(self, texts: Mapping[int, str], stop: Callable[[], bool]) -> dict[int, Floats]:
        """The embedder's own vectors of some passages, by key, as far as there is time."""
        # Without an encoder the vectors that are kept are its own.
        return {} if self._fitted() is None else self._questions.passages(texts, stop)

    def sampled(self) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
        """The keys of the passages that the encoder was fitted to, in rising order, and the embedder's own vectors of
        them, a row each; zeros for one that it does not know. None of a vault that has many more: of few passages out
        of many they would only tell those few apart."""
        fit = self._fitted()
        if fit is None:
            return np.empty(0, np.int64), np.empty((0, 0), np.float16)
        keys = self._fit[2]
        return keys, fit.sample[: len(keys)]

    def _fitted(self) -> StaticFit | None:
        """The encoder that made the vectors that are kept; None where the embedder itself did."""
        store = self.store()
        generation = store.generation()
        if generation is None or self._fit[0] != generation:
            data, keys = store.fit(), store.sample()
            fit = StaticFit.from_bytes(data) if data else None
            is_most = fit is not None and len(keys) == len(fit.sample) and len(keys) >= _MOST * store.fitted()[0]
            self._fit = generation, fit, keys if is_most else keys[:0]
        return self._fit[1]

    # How far it is.
    def status(self) -> MeaningStatus:
        """What is kept, and how far the embedding was when it was last counted, by whatever process."""
        store = self.store()
        progress = Progress(*store.progress())
        passages, size = len(store.vectors()), store.bytes()
        return MeaningStatus(store.key.name, store.key.version, progress, passages, size, self.why_not())

    def is_ready(self) -> bool:
        """Whether nearly all passages have vectors: of a part the nearest ones say little. Always so where the embedder
        itself encodes them, which may take hours."""
        fitted, kept = self.store().fitted()
        return kept >= fitted * _NEARLY_ALL

    @property
    def is_done(self) -> bool:
        """Whether everything was looked at to the end once."""
        return self._rounds > 0

    @property
    def embeds_nothing(self) -> bool:
        """Whether it was found that no note may be embedded."""
        return self.is_done and not self._progress.total

    def why_not(self) -> str:
        """Why nothing could be embedded when it was last tried, by this process or another one; empty when it could."""
        return self._fault or ("" if self.is_done else self.store().fault())

    def seen(self) -> Progress:
        """How far the embedding was when it was last counted, by this process or another one."""
        if not self._progress.total:
            return Progress(*self.store().progress())
        return Progress(0, self._progress.total) if self._coverage.is_lost() else self._progress

    def unsearched(self, view: Snapshot, among: AbstractSet[str]) -> tuple[int, frozenset[str]]:
        """Of some notes those that meaning did not search in all of their passages: how many `Progress` does not count
        as done, and those that changed since it was counted."""
        if self._coverage.is_lost():
            return len(among), frozenset()
        waiting = self._coverage.waiting(among)
        if waiting is None:
            done, total = self.store().progress()
            waiting = min(total - done, len(among))
        return waiting, frozenset(self._coverage.changed(view, among))

    # The work.
    def start(self) -> None:
        """Begin to embed, once."""
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
        self._fault = ""
        self.start()
        until = None if timeout is None else time.monotonic() + timeout
        wanted = self._rounds + 2  # the round under way may have begun before this call
        with self._guard:
            self._waiters += 1
        self._wake.set()
        try:
            while self._rounds < wanted:
                if cancel is not None and cancel.is_set():
                    raise Cancelled
                if self._fault:
                    raise NoMeaning(self._fault)
                if self._end.is_set() or (until is not None and time.monotonic() >= until):
                    return False
                if on_progress is not None:
                    on_progress(*self._progress)
                self._end.wait(_WAITED_FOR_SECONDS)
        finally:
            with self._guard:
                self._waiters -= 1
        if on_progress is not None:
            on_progress(*self._progress)
        return True

    def end(self) -> None:
        """End the work, without waiting until it has happened."""
        self._end.set()
        self._wake.set()
        embedding.stop(self._end)

    def close(self) -> None:
        """End the work; what was embedded is kept."""
        self.end()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()
        if self._store is not None:
            self._store.close()

    def _run(self) -> None:
        embedding.enter(self._end)
        self._wake.wait(START_SECONDS)
        self._wake.clear()
        faults = 0
        while not self._end.is_set():
            reason = ""
            try:
                self._round()
            except VaultToolsError as error:
                reason = str(error)
            except Exception as error:  # it may come from the machine; its text may be that of a note
                _log.exception("the embedding met an error")
                reason = f"The embedding met an error of its own: {type(error).__name__}"
            faults = faults + 1 if reason else 0
            if reason:
                self._wake.clear()  # who waits already is told of this fault; who comes now has it tried again at once
            if not self._end.is_set():
                self._tell_fault(reason)
                self._wake.wait(self._pause(faults))
            self._wake.clear()
        embedding.leave(self._end)

    def _pause(self, faults: int) -> float:
        """Seconds until the next round after so many faults in a row."""
        if not faults:
            return _WAITED_FOR_SECONDS if self._waiters else LOOK_SECONDS
        return AGAIN_SECONDS * (1 if self.choice.is_endpoint else min(1 << (faults - 1), _LONGER))

    def _tell_fault(self, reason: str) -> None:
        """Tell a fault, or, when it is empty, its end; other processes are told of the end when all is done."""
        if reason and reason != self._fault:  # it is tried again and again
            _log.warning("%s; ranked search goes by words alone", reason)
        self._fault = reason
        if reason:
            with suppress(VaultToolsError):
                self._keep_fault(reason)

    def _keep_fault(self, reason: str) -> None:
        """Have other processes know of a fault, or, when it is empty, of its end."""
        if reason != self.store().fault():
            self.store().put_fault(reason)

    def _round(self) -> None:
        """Embed what has no vector, where no other process does."""
        supply = self._supply()
        if supply is None:
            return
        if not self._is_wanted(supply):
            self._rounds += 1
            return
        lacking = self._coverage.look(supply.view, supply.notes, self._end.is_set)
        if self._end.is_set():
            return
        self._tell_progress(len(lacking), len(supply.notes))
        left = [(path, digests) for path, digests in lacking.items() if digests]
        if not left:
            if lacking and supply.view.changed():
                return  # the index reads them in a moment; those that cannot be read are not among them
            self._tidy(supply)
            self._keep_fault("")
            embedding.rest()
            self._rounds += 1
            return
        with embedding.turn(self._end, self.choice, self._folder().parent) as is_mine:
            is_done = is_mine and self._embed_alone(supply, left, len(lacking) - len(left))
        if is_done:
            self._wake.set()
        else:
            self._end.wait(LOOK_SECONDS)

    def _embed_alone(self, supply: Supply, left: Sequence[tuple[str, Sequence[int]]], unknown: int) -> bool:
        """As `_embed`; False when another process embeds for the vault, whose vectors are seen in the next round, or
        when the index knows too few notes."""
        lock = filelock.FileLock(self.store().path.with_suffix(".lock"), fallback_to_soft=False)
        try:
            lock.acquire(blocking=False)
        except filelock.Timeout:
            return False
        try:
            fit = self._made_fit(supply, len({each for _, digests in left for each in digests}))
            if fit is None:
                return False
            # While this vault waited for its turn another session or process may have embedded for it.
            missing = set(self.store().missing(each for _, digests in left for each in digests))
            self._embed(supply, fit, left, missing, unknown)
        finally:
            lock.release()
        return True

    def _made_fit(self, supply: Supply, missing: int) -> bytes | None:
        """The encoder of this vault, made where there is none, or where with so many `missing` passages the vault has
        become another one. Empty where the embedder encodes all passages; None while the index knows too few notes."""
        if not embedding.is_fitted():
            return b""
        fit = self.store().fit()
        fitted, kept = self.store().fitted()
        if fit is not None and kept + missing <= fitted * (1 + _DRIFT):
            return fit
        notes = list(supply.notes)
        if len(supply.view.unranked(notes)) > len(notes) * (1 - _NEARLY_ALL):
            return None
        sample, passages = self._sample(supply)
        if not sample:
            return None
        fit = embedding.fitted([*sample.values()])
        self.store().begin(fit, passages, [*sample])
        return fit

    def _sample(self, supply: Supply) -> tuple[dict[int, str], int]:
        """The passages with the smallest keys, by key in rising order, and how many there are; for the model of English
        of notes that may be in English."""
        is_english = self.choice.other is not None
        every: set[int] = set()
        known: set[tuple[int, str]] = set()
        others: set[tuple[int, str]] = set()
        for path, found in _keys(supply):
            is_known = not is_english or found.language in (language.UNKNOWN, language.ENGLISH)
            (known if is_known else others).update((key, path) for key in found.keys)
            every.update(found.keys)
        wanted: dict[str, set[int]] = {}
        for key, path in nsmallest(SAMPLE, known or others):
            wanted.setdefault(path, set()).add(key)
        texts: dict[int, str] = {}
        for path, some in wanted.items():
            if self._end.is_set():
                return {}, 0
            texts |= _texts(supply, path, some)
        return dict(sorted(texts.items())), len(every)

    def _embed(
        self, supply: Supply, fit: bytes, left: Sequence[tuple[str, Sequence[int]]], missing: set[int], unknown: int
    ) -> None:
        """Encode what is missing of the passages of notes and keep their vectors, until the end comes, or the end of
        the turn. Of `unknown` other notes it is not known what they lack."""
        texts: dict[int, str] = {}
        most = BATCH if fit else _SENT
        done = 0
        for number, (path, digests) in enumerate(left, 1):
            texts |= _texts(supply, path, missing.intersection(digests))
            if len(texts) < most and number < len(left):
                continue
            while texts:
                if self._end.is_set() or embedding.is_over():
                    return
                some = list(texts)[:most]
                vectors = embedding.encoded(fit, [texts.pop(key) for key in some])
                self.store().put(list(zip(some, vectors, strict=True)), len(vectors[0]))
                missing.difference_update(some)
                self._fault = ""
                self._keep_fault("")
            for path, _ in left[done:number]:
                self._coverage.embedded(path)
            done = number
            self._tell_progress(unknown + len(left) - done, len(supply.notes))

    def _tell_progress(self, waiting: int, total: int) -> None:
        told = Progress(total - waiting, total)
        if told != self._progress:
            self._progress = told
            if self.store().path.exists():
                self.store().put_progress(*told)

    def _tidy(self, supply: Supply) -> None:
        """Forget the vectors of passages that no note holds any more, once a process, where that is worth it, and those
        of models that are used no more."""
        if self._is_tidy:
            return
        self._is_tidy = True
        self.store().remove_unused(time.time())
        texts = set(text_digests(supply.view, list(supply.notes)).values()) - {b""}
        if len(self.store().covered()) * (1 - _WORTH_FORGETTING) <= len(texts):
            return  # to look at all passages takes half a second for 160,000
        held = {key for _, found in _keys(supply) for key in found.keys}
        if len(self.store().vectors()) * (1 - _WORTH_FORGETTING) > len(held):
            self.store().keep_only(held)
        self.store().cover(texts, only=True)


def _keys(supply: Supply) -> Iterator[tuple[str, Keys]]:
    """The keys of the passages of each note."""
    notes = list(supply.notes)
    for start in range(0, len(notes), _TOGETHER):
        for path, data in supply.view.passages(notes[start : start + _TOGETHER]).items():
            yield path, stored.keys_of(data)


def _texts(supply: Supply, path: str, wanted: AbstractSet[int]) -> dict[int, str]:
    """What is embedded of a note's passages, by key; nothing of those that it does not hold any more."""
    data = supply.view.passages([path]).get(path) if wanted else None
    if data is None:
        return {}
    try:
        note = supply.read(path)
    except NotRead:
        return {}
    return texts_of(note, stored.load(data), wanted)


def texts_of(note: Note, passages: Passages, wanted: AbstractSet[int]) -> dict[int, str]:
    """What is embedded of the passages of a note with some keys, by key; not of those that were edited since."""
    found: dict[int, str] = {}
    for number, key in enumerate(passages.keys):
        if key not in wanted:
            continue
        start = passages.starts[number]
        passage = note.text[start : start + passages.lengths[number]]
        text = in_context(note, passage, passages.headings[number], is_first=not number)
        if digest_of(text) == key:
            found[key] = text
    return found

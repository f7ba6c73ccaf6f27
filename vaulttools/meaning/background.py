"""Makes the vectors of passages in the background, in a process of low priority.

Once the index knows nearly all notes, an encoder is fitted to a sample of the passages, chosen by digest; it makes the
vectors of all passages. A new one is fitted when more than a tenth of the vault has changed. If the passages are not
too many, the embedder's own vectors follow: once there is one for each passage, they replace those of the encoder.

Each batch of vectors is stored at once, so the work resumes where it stopped. If several processes have a vault open,
one of them embeds for it; the others see the vectors arrive.
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
from vaulttools.meaning.static_fit import SAMPLE, StaticFit, stored_tokens
from vaulttools.meaning.store import VectorStore
from vaulttools.meaning.translation import Lexicon
from vaulttools.meaning.vectors import Near, Vectors
from vaulttools.notes import language
from vaulttools.notes.note import Note
from vaulttools.notes.passages import digest as digest_of
from vaulttools.notes.passages import in_context

if TYPE_CHECKING:
    from vaulttools.index.snapshot import Snapshot
    from vaulttools.meaning.embedders import Floats

_log = logging.getLogger("vaulttools")

LOOK_SECONDS: Final = 2.0
"""How often the thread looks for new passages."""

_WAITED_FOR_SECONDS: Final = 0.05
"""The same while a call of `wait` is under way; that call checks as often whether the work is done."""

AGAIN_SECONDS: Final = 60.0
"""How long to wait after a fault: the disk is full, the endpoint is down."""

_LONGER: Final = 16
"""Each further fault doubles the wait, up to this many times; not for an endpoint. To start a process and load models
takes seconds of CPU, and their faults last."""

START_SECONDS: Final = 5.0
"""How long after the first question the work begins: a command that answers one and ends starts no process in vain."""

BATCH: Final = 256
"""Passages that are encoded and stored together: less than a tenth of a second of work, which a kill loses."""

_SENT: Final = 16
"""The same for an embedder that encodes every passage itself."""

_NEARLY_ALL: Final = 0.95
"""The index must know this part of the notes before an encoder is fitted."""

_MOST: Final = 0.7
"""If a sample may be this part of all passages, the encoder's vectors stay, and the embedder's own of the sample are
compared, too: on two vaults of people that finds more than the embedder's own alone (`benchmarks/tuning.md`)."""

OWN: Final = 10_000
"""A larger vault, of up to this many passages, gets the embedder's own vectors: 3 minutes of CPU while idle, by the
model of the extra. Among 4,440 passages they find a sixth more notes, among 22,752 no more."""

_OWN_SECONDS: Final = 5.0
"""How long the embedder's own vectors are made before edits are looked for again, and other vaults have their turn."""

_FEW: Final = 500
"""As many new passages are never too many for the embedder itself, which takes 10 s for them."""

_DRIFT: Final = 0.1
"""A new encoder is fitted once more than this part of the passages has changed."""

_TOGETHER: Final = 200
"""Notes that are looked at together."""

_WORTH_FORGETTING: Final = 0.2
"""Vectors are removed once this part of them has no passage in the vault; until then undone edits and moved notes find
theirs again."""


class Supply(NamedTuple):
    """What can be embedded now."""

    view: Snapshot
    notes: AbstractSet[str]
    """Every note and attachment that may be embedded, without excluded and protected ones. It stays the same object
    until one of them comes or goes."""
    read: Callable[[str], Note]
    """Returns one of them as it is now; raises NotRead."""


class Compared(NamedTuple):
    """All passages compared with a question."""

    near: Near
    is_own: bool
    """Whether their vectors are the embedder's own, not those of an encoder."""


class Progress(NamedTuple):
    """The progress of the embedding."""

    done: int
    """Notes whose passages all have vectors."""
    total: int


@dataclass(frozen=True, slots=True)
class MeaningStatus:
    """The state of one vault's vectors."""

    embedder: str
    """Name of the embedder: a package, a model, or an endpoint's model."""
    version: str
    """Version of the package, or the endpoint's address."""
    progress: Progress
    """Progress at the last count."""
    passages: int
    """Number of embedded passages; copies count once."""
    bytes: int
    """Bytes on disk."""
    waiting_for_own: int
    """Number of vectors that the encoder made and that the embedder's own will replace."""
    fault: str
    """Why the last attempt to embed failed; empty if it did not."""


class BackgroundMeaning:
    """The vectors of one open vault by one model, for any number of threads.

    Every method raises `NoMeaning` if the embedder is missing or the vectors cannot be read.
    """

    def __init__(
        self,
        choice: Choice,
        folder: Callable[[], Path],
        supply: Callable[[], Supply | None],
        is_wanted: Callable[[Supply], bool] = lambda _: True,
        most_own: int = OWN,
    ) -> None:
        """Do nothing before `start`.

        `folder` returns the folder of the index; `supply` what can be embedded, None while that is unknown;
        `is_wanted` whether to embed it yet. Up to `most_own` passages get the embedder's own vectors.
        """
        self.choice: Final = choice
        self._folder = folder
        self._supply = supply
        self._is_wanted = is_wanted
        self._most_own = most_own
        self._store: VectorStore | None = None
        self.reset_after_fork()
        forks.renew(self)

    def reset_after_fork(self) -> None:
        """Returns to the state before `start`: a child after a fork must not use its parent's connections."""
        if self._store is not None:
            forks.keep(self._store)
            self._store = None
        self._guard = threading.Lock()
        self._questions = QuestionModel(self.choice, lambda: self.store().key)
        self._coverage = Coverage(self.store)
        self._fit: tuple[object, StaticFit | None, bool, Vectors] = None, None, False, Vectors.none()
        """A generation of the store, its encoder, whether the embedder's own vectors replaced the encoder's, and its
        vectors of the sample in a small vault."""
        self._thread: threading.Thread | None = None
        self._end = threading.Event()
        self._wake = threading.Event()
        self._waiters = 0
        """Calls of `wait` under way."""
        self._rounds = 0
        """Number of complete rounds, which left nothing to embed."""
        self.is_done = False
        """Whether at least one round left no passage without a vector."""
        self._own_part = 0.0
        """The part of the passages with vectors of the embedder itself, while these are made."""
        self._own_after = 0.0
        """The embedder's own vectors are made from then on, by the monotonic clock; later after a fault."""
        self._is_tidy = False
        self._progress = Progress(0, 0)
        self._fault = ""
        """Why nothing can be embedded now; empty if it can."""

    def store(self) -> VectorStore:
        """Returns the store of the vectors.

        Raises:
            VaultToolsError: the index has no folder.
        """
        with self._guard:
            if self._store is None:
                self._store = VectorStore(self._folder(), embedders.key_of(self.choice))
            return self._store

    # For questions.
    def asked(self, question: str, *also: str) -> Floats:
        """Returns the vector of a question by the embedder itself; with other wordings, the mean of the vectors of each
        and, twice, of all joined."""
        if not also:
            return self._questions.question(question)
        each = [self._questions.question(wording) for wording in (question, *also)]
        joined = self._questions.question("\n".join((question, *also)))
        mean: Floats = np.mean([*each, joined, joined], axis=0)
        return mean / max(float(np.linalg.norm(mean)), 1e-9)

    def compared(self, question: str, *also: str) -> Compared | None:
        """Returns the similarities of all passages with a vector to a question, in one or several wordings; None if
        there are none."""
        generation = self.store().generation()
        kept = self.store().vectors()
        if not len(kept):
            return None
        asked = self.asked(question, *also)
        is_own = self.has_own()
        fit = None if is_own else self._fitted()
        compared = asked if fit is None else fit.question(asked)
        if generation != self.store().generation():  # the vectors were replaced meanwhile
            return self.compared(question, *also)
        if len(compared) != kept.dimensions:
            raise NoMeaning(
                f"The embedder gives vectors of {len(compared):,} numbers, and those that are kept have "
                f"{kept.dimensions:,}: `vaulttools index clear` forgets them"
            )
        return Compared(Near(kept, compared), is_own)

    def exact(self, texts: Mapping[int, str], stop: Callable[[], bool]) -> dict[int, Floats]:
        """Returns the embedder's own vectors of passages, by key, until `stop` returns true."""
        return self._questions.passages(texts, stop)

    def lexicon(self, known: Callable[[AbstractSet[str]], AbstractSet[str]]) -> Lexicon:
        """Returns the words among the tokens of the fitted sample that `known` returns, by the multilingual model."""
        tokens, vectors = stored_tokens(self.store().key, self._folder().parent)
        fit = self._fitted()
        # Vaults share the file.
        in_sample = np.zeros(len(tokens), bool) if fit is None else np.isin(tokens, fit.tokens)
        return Lexicon(self._questions.words_of(tokens[in_sample].tolist()), vectors[in_sample], known)

    def sampled(self) -> Vectors:
        """Returns the embedder's own vectors of the sample in a small vault; none in others, where they would favour
        their passages."""
        self._fitted()
        return self._fit[3]

    def _is_small(self) -> bool:
        """Whether the sample is nearly all passages."""
        return self.store().fitted()[0] * _MOST <= SAMPLE

    def has_own(self) -> bool:
        """Whether the stored vectors are the embedder's own, not those of an encoder."""
        return self._fitted() is None or self._fit[2]

    def _fitted(self) -> StaticFit | None:
        """Returns the encoder that was fitted to the vault; None if the embedder needs none."""
        store = self.store()
        generation = store.generation()
        if generation is None or self._fit[0] != generation:
            data = store.fit()
            sample = store.own_vectors() if self._is_small() else Vectors.none()
            self._fit = generation, StaticFit.from_bytes(data) if data else None, store.is_own(), sample
        return self._fit[1]

    # Progress.
    def status(self) -> MeaningStatus:
        """Returns the state of the vectors, with the progress at the last count by any process."""
        store = self.store()
        progress = Progress(*store.progress())
        passages, size = store.fitted()[1], store.bytes()
        lacking = store.lacking_own() if self._wants_own() else []
        return MeaningStatus(store.key.name, store.key.version, progress, passages, size, len(lacking), self.why_not())

    def is_ready(self) -> bool:
        """Whether nearly all passages have vectors: the nearest ones of a part say little. Always true if the embedder
        itself encodes the passages, which may take hours."""
        fitted, kept = self.store().fitted()
        return kept >= fitted * _NEARLY_ALL

    @property
    def embeds_nothing(self) -> bool:
        """Whether a complete round found no note that may be embedded."""
        return self.is_done and not self._progress.total

    def why_not(self) -> str:
        """Returns why the last attempt to embed, by any process, failed; empty if it did not."""
        return self._fault or ("" if self.is_done else self.store().fault())

    def seen(self) -> Progress:
        """Returns the progress at the last count by any process."""
        if not self._progress.total:
            return Progress(*self.store().progress())
        return Progress(0, self._progress.total) if self._coverage.is_lost() else self._progress

    def unsearched(self, view: Snapshot, among: AbstractSet[str]) -> tuple[int, frozenset[str]]:
        """Returns which notes in `among` meaning did not search in full: how many `Progress` does not count as done,
        and the paths of those that changed since it was counted."""
        if self._coverage.is_lost():
            return len(among), frozenset()
        waiting = self._coverage.waiting(among)
        if waiting is None:
            done, total = self.store().progress()
            waiting = min(total - done if total or self.embeds_nothing else len(among), len(among))
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
        """Wait until every current passage has its last vector; False if the timeout or the use of the vault ends
        first. `on_progress` gets the numbers of embedded notes and of all notes.

        Raises:
            NoMeaning: nothing can be embedded now.
            Cancelled: the caller set the event.
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
                    done, total = self._progress
                    on_progress(int(total * self._own_part) if self._wants_own() else done, total)
                self._end.wait(_WAITED_FOR_SECONDS)
        finally:
            with self._guard:
                self._waiters -= 1
        if on_progress is not None:
            on_progress(*self._progress)
        return True

    def end(self) -> None:
        """End the work; do not wait until it has ended."""
        self._end.set()
        self._wake.set()
        embedding.stop(self._end)

    def close(self) -> None:
        """End the work and wait for that; stored vectors stay."""
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
            except Exception as error:  # only its type is shown: its text may hold text of a note
                _log.exception("the embedding met an error")
                reason = f"The embedding met an error of its own: {type(error).__name__}"
            faults = faults + 1 if reason else 0
            if reason:
                self._wake.clear()  # calls of `wait` under way get this fault; a new call starts a round at once
            if not self._end.is_set():
                self._record_fault(reason)
                self._wake.wait(self._pause(faults))
            self._wake.clear()
        embedding.leave(self._end)

    def _pause(self, faults: int) -> float:
        """Returns the seconds until the next round after `faults` faults in a row."""
        if not faults:
            return _WAITED_FOR_SECONDS if self._waiters else LOOK_SECONDS
        return AGAIN_SECONDS * (1 if self.choice.address else min(1 << (faults - 1), _LONGER))

    def _record_fault(self, reason: str) -> None:
        """Record and log a fault, or its end if `reason` is empty; other processes learn of the end after the round."""
        if reason and reason != self._fault:  # each fault is logged once
            _log.warning("%s; ranked search goes by words alone", reason)
        self._fault = reason
        if reason:
            with suppress(VaultToolsError):
                self._store_fault(reason)

    def _store_fault(self, reason: str) -> None:
        """Store a fault for other processes; an empty `reason` removes it."""
        if reason != self.store().fault():
            self.store().put_fault(reason)

    def _round(self) -> None:
        """Embed the passages without vectors, unless another process does."""
        supply = self._supply()
        if supply is None:
            return
        if not self._is_wanted(supply):
            self._rounds += 1
            return
        lacking = self._coverage.look(supply.view, supply.notes, self._end.is_set)
        if self._end.is_set():
            return
        self._record_progress(len(lacking), len(supply.notes))
        left = [(path, digests) for path, digests in lacking.items() if digests]
        if not left:
            if lacking and supply.view.changed():
                return  # the index will read them soon; `changed` has no notes that cannot be read
            self._tidy(supply)
            self._store_fault("")
            self.is_done = True
            if not self._wants_own():
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
        """Embed under the vault's lock; return whether there may be more to do at once. Not so if another process has
        the lock, whose vectors the next round sees, if the index knows too few notes, or if only notes that cannot be
        read now are left."""
        lock = filelock.FileLock(self.store().path.with_suffix(".lock"), fallback_to_soft=False)
        try:
            lock.acquire(blocking=False)
        except filelock.Timeout:
            return False
        try:
            if left:
                fit = self._made_fit(supply, len({each for _, digests in left for each in digests}))
                if fit is None:
                    return False
                # Another session or process may have embedded for this vault while it waited for its turn.
                missing = set(self.store().missing(each for _, digests in left for each in digests))
                if not missing or self._embed(supply, fit, left, missing, unknown):
                    return True
            self.is_done = True
            if self._wants_own() and self._embed_own(supply):
                return True
            self._rounds += 1
            return False
        finally:
            lock.release()

    def _made_fit(self, supply: Supply, missing: int) -> bytes | None:
        """Returns the encoder of this vault; fit one if there is none, or if too many passages are `missing`. Empty if
        the embedder encodes them itself; None while the index knows too few notes."""
        if not embedding.is_fitted():
            return b""
        fit = self.store().fit()
        fitted, kept = self.store().fitted()
        is_within = kept + missing <= self._most_own * (1 + _DRIFT)
        if fit is not None and self.has_own() and is_within and missing <= max(_FEW, kept * _DRIFT):
            return b""
        if fit is not None and not self.has_own() and kept + missing <= fitted * (1 + _DRIFT):
            return fit
        notes = list(supply.notes)
        if len(supply.view.lacking_words(notes)) > len(notes) * (1 - _NEARLY_ALL):
            return None
        sample, passages = self._sample(supply)
        if not sample:
            return None
        fit, vectors = embedding.fitted([*sample.values()])
        self.store().begin(fit, passages, list(zip(sample, vectors, strict=True)))
        self._own_part, self._own_after = 0.0, 0.0
        return fit

    def _sample(self, supply: Supply) -> tuple[dict[int, str], int]:
        """Returns the texts of the passages with the smallest keys, by key, ascending, and the number of all passages.
        For the model of English the texts are from notes that may be in English."""
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
    ) -> bool:
        """Encode the `missing` passages of notes and store their vectors, until the work or the turn ends; return
        whether any was stored, or may be. `unknown` is the number of other notes that the index does not know yet."""
        texts: dict[int, str] = {}
        lacking = len(missing)
        most = BATCH if fit else _SENT
        done = 0
        for number, (path, digests) in enumerate(left, 1):
            texts |= _texts(supply, path, missing.intersection(digests))
            if len(texts) < most and number < len(left):
                continue
            while texts:
                if self._end.is_set() or embedding.is_over():
                    return True
                some = list(texts)[:most]
                vectors = embedding.encoded(fit, [texts.pop(key) for key in some])
                self.store().put(list(zip(some, vectors, strict=True)))
                missing.difference_update(some)
                self._fault = ""
                self._store_fault("")
            for path, _ in left[done:number]:
                self._coverage.embedded(path)
            done = number
            self._record_progress(unknown + len(left) - done, len(supply.notes))
        return len(missing) < lacking

    def _wants_own(self) -> bool:
        """Whether the embedder's own vectors are to replace those of the encoder."""
        if self.has_own() or self._is_small() or time.monotonic() < self._own_after:
            return False
        return 0 < self.store().known() <= self._most_own

    def _embed_own(self, supply: Supply) -> bool:
        """Store the embedder's own vectors of passages for `_OWN_SECONDS`; once there is one for each passage of the
        vault, they replace those of the encoder. Returns False if passages that have none cannot be read now, or after
        a fault: then the encoder's vectors stay."""
        lacking = set(self.store().lacking_own())
        count = self.store().known()
        held: set[int] = set()
        texts: dict[int, str] = {}
        until = time.monotonic() + _OWN_SECONDS
        try:
            for path, found in _keys(supply):
                held.update(found.keys)
                texts |= _texts(supply, path, lacking.intersection(found.keys))
                lacking.difference_update(texts)
                self._own_part = 1 - (len(lacking) + len(texts)) / max(count, 1)
                while len(texts) >= _SENT:
                    self._put_own(texts)
                    if self._end.is_set() or time.monotonic() >= until:
                        return True
            self._put_own(texts)
        except NoMeaning as error:
            if not self._end.is_set():
                _log.warning("%s; ranked search goes on with the encoder's vectors", error)
            self._own_after = time.monotonic() + AGAIN_SECONDS * _LONGER
            return False
        if lacking & held:
            return False
        self.store().replace_by_own()
        return True

    def _put_own(self, texts: dict[int, str]) -> None:
        """Encode and store up to `_SENT` passages by the embedder itself, and take them out of `texts`."""
        some = list(texts)[:_SENT]
        if some:
            vectors = embedding.encoded(b"", [texts.pop(key) for key in some])
            self.store().put_own(list(zip(some, vectors, strict=True)))

    def _record_progress(self, waiting: int, total: int) -> None:
        progress = Progress(total - waiting, total)
        if progress != self._progress:
            self._progress = progress
            if self.store().path.exists():
                self.store().put_progress(*progress)

    def _tidy(self, supply: Supply) -> None:
        """Remove the vectors of passages that no note holds any more, if they are many, and those of unused models.
        Each process does this once."""
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
    """Yields the keys of the passages of each note."""
    notes = list(supply.notes)
    for start in range(0, len(notes), _TOGETHER):
        for path, data in supply.view.passages(notes[start : start + _TOGETHER]).items():
            yield path, stored.keys_of(data)


def _texts(supply: Supply, path: str, wanted: AbstractSet[int]) -> dict[int, str]:
    """Returns the texts to embed for the wanted passages of a note, by key; without those that it no longer holds."""
    data = supply.view.passages([path]).get(path) if wanted else None
    if data is None:
        return {}
    try:
        note = supply.read(path)
    except NotRead:
        return {}
    return texts_of(note, stored.load(data), wanted)


def texts_of(note: Note, passages: Passages, wanted: AbstractSet[int]) -> dict[int, str]:
    """Returns the texts to embed for the wanted passages of a note, by key; without those that were edited since."""
    found: dict[int, str] = {}
    for number, key in enumerate(passages.keys):
        if key not in wanted:
            continue
        start = passages.starts[number]
        passage = note.said.text[start : start + passages.lengths[number]]
        text = in_context(note, passage, passages.headings[number], is_first=not number)
        if digest_of(text) == key:
            found[key] = text
    return found

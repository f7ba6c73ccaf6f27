"""Has each passage compared by a model that knows its language.

The extra has a model of English, and one of 16 languages, which knows English less well. The second one works where a
vault holds notes in other languages, and from the first question in another language on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vaulttools.index.passages import keys_of
from vaulttools.meaning.background import BackgroundMeaning, MeaningStatus, Supply
from vaulttools.meaning.embedders import Choice
from vaulttools.notes.language import ENGLISH, UNKNOWN

if TYPE_CHECKING:
    from vaulttools.index.snapshot import Snapshot

_LOOKED_AT: Final = 1_000
"""Notes whose language is looked at, of a larger vault."""
_SHARE: Final = 0.02
"""Part of the notes in other languages from which on the vault is not in English alone: a few lists and tables have
words that look like another language."""


class Meaning:
    """The vectors of one open vault, by one or two models; for errors see `BackgroundMeaning`."""

    def __init__(self, choice: Choice, folder: Callable[[], Path], supply: Callable[[], Supply | None]) -> None:
        """Nothing is done before `start`; the arguments are those of `BackgroundMeaning`."""
        self.main: Final = BackgroundMeaning(choice, folder, supply)
        """The model of English, or the configured one."""
        other = choice.other
        self.other: Final = None if other is None else BackgroundMeaning(other, folder, supply, self._needs_other)
        """The model of other languages; None where one model does all."""
        self._both: Final = [self.main] if self.other is None else [self.main, self.other]
        self._is_asked = False
        """Whether a question in another language was asked."""
        self._seen: tuple[AbstractSet[str], bool] = frozenset(), False
        """Notes, and whether they need the other model."""

    def start(self) -> None:
        """Begin to make vectors, once."""
        for each in self._both:
            each.start()

    def asked_in(self, languages: AbstractSet[str]) -> bool:
        """Whether a question that may be in some languages is to be compared by the other model."""
        if self.other is None or not languages or ENGLISH in languages:
            return False
        self._is_asked = True
        return True

    def wait(
        self,
        on_progress: Callable[[int, int], None] | None = None,
        cancel: threading.Event | None = None,
        timeout: float | None = None,
    ) -> bool:
        """Wait until every passage of this moment has a vector by each model that is needed; False when the timeout, or
        the use of the vault, ends first. `on_progress` gets the numbers of notes that the first model has embedded, and
        of all.

        Raises:
            NoMeaning: nothing can be embedded now.
            Cancelled: the caller has set the event.
        """
        until = None if timeout is None else time.monotonic() + timeout
        if not self.main.wait(on_progress, cancel, timeout):
            return False
        left = None if until is None else max(0.0, until - time.monotonic())
        return self.other is None or self.other.wait(None, cancel, left)

    def end(self) -> None:
        """End the work, without waiting until it has happened."""
        for each in self._both:
            each.end()

    def close(self) -> None:
        """End the work; what was embedded is kept."""
        self.end()
        for each in self._both:
            each.close()

    def status(self) -> MeaningStatus:
        """What is kept by the first model, and the fault of either."""
        return replace(self.main.status(), fault=self.why_not())

    def why_not(self) -> str:
        """Why nothing could be embedded when it was last tried; empty when it could."""
        return next(filter(None, (each.why_not() for each in self._both)), "")

    def unsearched(self, view: Snapshot, among: AbstractSet[str]) -> tuple[int, frozenset[str]]:
        """Of some notes those that meaning did not search in all of their passages: see `BackgroundMeaning`."""
        waiting, changed = self.main.unsearched(view, among)
        if self.other is not None and self.other.why_not():
            waiting = max(waiting, _count_others(view, among)[0])
        return waiting, changed

    def _needs_other(self, supply: Supply) -> bool:
        """Whether the other model is needed, and the first one has done its work."""
        if not self.main.is_done:
            return False
        if self._seen[0] is not supply.notes and not self._is_asked:
            notes = sorted(supply.notes)
            others, count = _count_others(supply.view, notes[:: max(1, len(notes) // _LOOKED_AT)])
            self._seen = supply.notes, others > _SHARE * count
        return self._is_asked or self._seen[1]


def _count_others(view: Snapshot, notes: Collection[str]) -> tuple[int, int]:
    """How many of some notes are in other languages than English, and of how many the text is known."""
    languages = [keys_of(data).language for data in view.passages(sorted(notes)).values()]
    return sum(language not in (ENGLISH, UNKNOWN) for language in languages), len(languages)

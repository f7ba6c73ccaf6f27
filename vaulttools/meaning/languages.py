"""Compares each passage by a model that knows its language.

The extra has a model of English, and one of 16 languages, which knows English less well. The second one is used if a
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
"""Number of notes in a larger vault whose language is checked."""
_SHARE: Final = 0.02
"""A vault with more than this part of its notes in other languages is not in English alone. A few lists and tables
always have words that look like another language."""


class Meaning:
    """The vectors of one open vault, by one or two models; for errors see `BackgroundMeaning`."""

    def __init__(self, choice: Choice, folder: Callable[[], Path], supply: Callable[[], Supply | None]) -> None:
        """Do nothing before `start`; the arguments are those of `BackgroundMeaning`."""
        self.main: Final = BackgroundMeaning(choice, folder, supply)
        """The model of English, or the configured one."""
        other = choice.other
        self.other: Final = None if other is None else BackgroundMeaning(other, folder, supply, self._needs_other)
        """The model of other languages; None if one model does all."""
        self._both: Final = [self.main] if self.other is None else [self.main, self.other]
        self._is_asked = False
        """Whether a question in another language was asked."""
        self._seen: tuple[AbstractSet[str], bool] = frozenset(), False
        """Notes, and whether they need the other model, as last checked."""

    def start(self) -> None:
        """Begin to make vectors; further calls do nothing."""
        for each in self._both:
            each.start()

    def asked_in(self, languages: AbstractSet[str]) -> bool:
        """Whether the other model must compare a question that may be in `languages`; from then on it is needed."""
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
        """Wait until every current passage has a vector by each model that is needed; False if the timeout or the use
        of the vault ends first. `on_progress` gets the number of notes that the first model has embedded, and the
        number of all notes.

        Raises:
            NoMeaning: nothing can be embedded now.
            Cancelled: the caller set the event.
        """
        until = None if timeout is None else time.monotonic() + timeout
        if not self.main.wait(on_progress, cancel, timeout):
            return False
        left = None if until is None else max(0.0, until - time.monotonic())
        return self.other is None or self.other.wait(None, cancel, left)

    def end(self) -> None:
        """End the work; do not wait until it has ended."""
        for each in self._both:
            each.end()

    def close(self) -> None:
        """End the work and wait for that; stored vectors stay."""
        self.end()
        for each in self._both:
            each.close()

    def status(self) -> MeaningStatus:
        """Return the state of the first model's vectors, with the fault of either model."""
        return replace(self.main.status(), fault=self.why_not())

    def why_not(self) -> str:
        """Return why the last attempt to embed failed; empty if it did not."""
        return next(filter(None, (each.why_not() for each in self._both)), "")

    def unsearched(self, view: Snapshot, among: AbstractSet[str]) -> tuple[int, frozenset[str]]:
        """Return which notes in `among` meaning did not search in full; see `BackgroundMeaning.unsearched`."""
        waiting, changed = self.main.unsearched(view, among)
        if self.other is not None and self.other.why_not():
            waiting = max(waiting, _count_others(view, among)[0])
        return waiting, changed

    def _needs_other(self, supply: Supply) -> bool:
        """Whether the other model is needed and the first one has finished."""
        if not self.main.is_done:
            return False
        if self._seen[0] is not supply.notes and not self._is_asked:
            notes = sorted(supply.notes)
            others, count = _count_others(supply.view, notes[:: max(1, len(notes) // _LOOKED_AT)])
            self._seen = supply.notes, others > _SHARE * count
        return self._is_asked or self._seen[1]


def _count_others(view: Snapshot, notes: Collection[str]) -> tuple[int, int]:
    """Return how many of the notes are in other languages than English, and how many have a known text."""
    languages = [keys_of(data).language for data in view.passages(sorted(notes)).values()]
    return sum(language not in (ENGLISH, UNKNOWN) for language in languages), len(languages)

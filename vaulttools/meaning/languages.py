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
from typing import Final

from vaulttools.index.passages import keys_of
from vaulttools.meaning.background import BackgroundMeaning, MeaningStatus, Progress, Supply, Unsearched
from vaulttools.meaning.coverage import PassageIndex
from vaulttools.meaning.embedders import Choice
from vaulttools.notes.language import ENGLISH, UNKNOWN

_LOOKED_AT: Final = 1_000
"""Notes whose language is looked at, of a larger vault."""
_SHARE: Final = 0.02
"""Part of the notes in other languages from which on the vault is not in English alone: a few lists and tables have
words that look like another language."""


def _languages(known: PassageIndex, notes: Collection[str]) -> list[str]:
    """The languages of notes, of those whose text is known."""
    return [keys_of(data).language for data in known.passages(sorted(notes)).values()]


class Meaning:
    """The vectors of one open vault, by one or two models."""

    def __init__(self, choice: Choice, folder: Callable[[], Path], supply: Callable[[], Supply | None]) -> None:
        """Nothing is done before `start`; the arguments are those of `BackgroundMeaning`."""
        self.main: Final = BackgroundMeaning(choice, folder, supply)
        """The model of English, or the configured one."""
        other = choice.other
        self.other: Final = None if other is None else BackgroundMeaning(other, folder, supply, self._needs_other)
        """The model of other languages; None where one model does all."""
        self._is_asked = False
        """Whether a question in another language was asked."""
        self._seen: tuple[AbstractSet[str], bool] | None = None

    def start(self) -> None:
        """Begin to make vectors, once."""
        self.main.start()
        if self.other is not None:
            self.other.start()

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
        """As `BackgroundMeaning.wait`, for both models.

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
        self.main.end()
        if self.other is not None:
            self.other.end()

    def close(self) -> None:
        """End the work; what was embedded is kept."""
        self.end()
        self.main.close()
        if self.other is not None:
            self.other.close()

    def status(self) -> MeaningStatus:
        """What is kept by the first model.

        Raises:
            NoMeaning: the embedder is missing, or the vectors cannot be read.
        """
        return replace(self.main.status(), fault=self.why_not())

    def seen(self) -> Progress:
        """As `BackgroundMeaning.seen`.

        Raises:
            NoMeaning: that cannot be read.
        """
        return self.main.seen()

    def why_not(self) -> str:
        """As `BackgroundMeaning.why_not`.

        Raises:
            NoMeaning: that cannot be read.
        """
        return self.main.why_not() or ("" if self.other is None else self.other.why_not())

    @property
    def embeds_nothing(self) -> bool:
        """Whether it was found that no note may be embedded."""
        return self.main.embeds_nothing

    def unsearched(self, known: PassageIndex, among: AbstractSet[str]) -> Unsearched:
        """As `BackgroundMeaning.unsearched`.

        Raises:
            NoMeaning: that cannot be read.
        """
        found = self.main.unsearched(known, among)
        if self.other is None or not self.other.why_not():
            return found
        waiting = sum(language not in (ENGLISH, UNKNOWN) for language in _languages(known, among))
        return Unsearched(max(found.waiting, waiting), found.changed)

    def _needs_other(self, supply: Supply) -> bool:
        """Whether the other model is needed, and the first one has done its work."""
        if not self.main.is_done:
            return False
        if self._is_asked:
            return True
        if self._seen is None or self._seen[0] is not supply.notes:
            notes = sorted(supply.notes)
            looked_at = notes[:: max(1, len(notes) // _LOOKED_AT)]
            found = _languages(supply.known, looked_at)
            others = sum(language not in (ENGLISH, UNKNOWN) for language in found)
            self._seen = supply.notes, others > _SHARE * len(found)
        return self._seen[1]

"""Compares each passage by a model that knows its language.

The extra has a model of English, and one of 16 languages, which knows English less well. The second one is used if a
vault holds notes in other languages, and from the first question in another language on. It also translates a question
in a language of hardly any note.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vaulttools.index.words import Spelling
from vaulttools.meaning.background import BackgroundMeaning, MeaningStatus, Supply
from vaulttools.meaning.embedders import Choice
from vaulttools.meaning.translation import WITHOUT_BLANKS, Lexicon, Translated, translated
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
        self.other: Final = (
            None if other is None else BackgroundMeaning(other, folder, supply, self._needs_other, own=0)
        )
        """The model of other languages; None if one model does all."""
        self._both: Final = [self.main] if self.other is None else [self.main, self.other]
        self._is_asked = False
        """Whether a question in another language was asked."""
        self._supply = supply
        self._seen: tuple[AbstractSet[str], Counter[str]] = frozenset(), Counter()
        """Notes, and how many of them are in each language, as last counted."""
        self._lexicon: tuple[AbstractSet[str], Lexicon] | None = None
        """Notes, and the words among the other model's tokens that they held when one of them last came or went: it
        takes 50 to 70 ms to make, as long as a warm question."""

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

    def translated(self, question: str, languages: AbstractSet[str]) -> Translated:
        """Returns a question, which may be in `languages`, in words that the notes hold.

        It stays as it is if more than a few notes are in these languages, if it has quotes, or while the other model is
        not ready.
        """
        supply = self._supply()
        if supply is None or not self.asked_in(languages) or languages & WITHOUT_BLANKS or '"' in question:
            return Translated(question, "", {})
        other = self.other
        if other is None or not len(other.store().vectors()) or not other.is_ready():
            return Translated(question, "", {})
        if self._part(supply, languages.__contains__) > _SHARE:
            return Translated(question, "", {})
        view = supply.view

        def held(words: Sequence[str]) -> list[bool]:
            hits = view.words([(Spelling(word),) for word in words], 0, frozenset(), frozenset())
            return [True] * len(words) if hits is None else [count > 0 for count in hits.counts]

        def lexicon() -> Lexicon:
            if self._lexicon is None or self._lexicon[0] is not supply.notes:
                self._lexicon = supply.notes, other.lexicon(view.known_words)
            return self._lexicon[1]

        return translated(question, held, lexicon, other.asked, languages)

    def wait(
        self,
        on_progress: Callable[[int, int], None] | None = None,
        cancel: threading.Event | None = None,
        timeout: float | None = None,
    ) -> bool:
        """Wait until every current passage has its last vector by each model that is needed; False if the timeout or
        the use of the vault ends first. `on_progress` gets the number of notes that the first model has embedded, and
        the number of all notes.

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
        """Returns the state of the first model's vectors, with the fault of either model."""
        return replace(self.main.status(), fault=self.why_not())

    def why_not(self) -> str:
        """Returns why the last attempt to embed failed; empty if it did not."""
        return next(filter(None, (each.why_not() for each in self._both)), "")

    def unsearched(self, view: Snapshot, among: AbstractSet[str]) -> tuple[int, frozenset[str]]:
        """Returns which notes in `among` meaning did not search in full; see `BackgroundMeaning.unsearched`."""
        waiting, changed = self.main.unsearched(view, among)
        if self.other is not None and self.other.why_not():
            waiting = max(waiting, sum(count for each, count in view.languages(among).items() if _others(each)))
        return waiting, changed

    def _needs_other(self, supply: Supply) -> bool:
        """Whether the other model is needed and the first one has finished."""
        if not self.main.is_done:
            return False
        return self._is_asked or self._part(supply, _others) > _SHARE

    def _part(self, supply: Supply, are_meant: Callable[[str], bool]) -> float:
        """Returns which part of the notes is in the languages that are meant."""
        if self._seen[0] is not supply.notes:
            notes = sorted(supply.notes)
            self._seen = supply.notes, supply.view.languages(notes[:: max(1, len(notes) // _LOOKED_AT)])
        counts = self._seen[1]
        return sum(count for each, count in counts.items() if are_meant(each)) / max(counts.total(), 1)


def _others(written: str) -> bool:
    return written not in (ENGLISH, UNKNOWN)

"""Adds meaning to one ranked search, and says how much of the vault it covers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final

from vaulttools.core import render
from vaulttools.errors import VaultToolsError
from vaulttools.notes.language import ENGLISH
from vaulttools.ranked.question import read as read_question
from vaulttools.ranked.ranking import Ranking
from vaulttools.ranked.search_space import Asked, SearchSpace

if TYPE_CHECKING:
    from vaulttools.index.snapshot import Snapshot
    from vaulttools.meaning.languages import Meaning
    from vaulttools.meaning.translation import Translated


class ByMeaning:
    """What models add to one ranked search."""

    def __init__(self, models: Meaning, view: Snapshot, asked: Asked, notes: SearchSpace) -> None:
        self.notices: Final[list[str]] = []
        """Why meaning falls short."""
        self._models = models
        self._view = view
        self._asked = asked
        self._notes = notes

    def translated(self, words: str) -> Translated | None:
        """Returns a question in words of the notes; None if it may be English, or models fail, which `joined` tells."""
        languages = read_question(words).languages
        if self._asked.like is not None or not languages or ENGLISH in languages:
            return None
        try:
            return self._models.translated(words, languages)
        except VaultToolsError:
            return None

    def joined(self, ranking: Ranking, among: frozenset[str], question: str, translated: str) -> Ranking:
        """Returns a ranking by words of the notes in `among`, joined with what is near in meaning. `translated` is the
        question in words of the notes; `""` if it was not translated."""
        from vaulttools.ranked.fusion import with_meaning

        return with_meaning(
            ranking,
            self._models,
            question,
            self._view,
            among,
            self._notes.read,
            self._notes.call.work,
            self.notices,
            translated=translated,
            also=self._asked.wordings,
        )

    def coverage(self, missed: Collection[str]) -> tuple[int, AbstractSet[str], list[str]]:
        """Returns how many notes meaning did not search, or not in full; those of them
        that changed since this was counted; and notices about it."""
        wanted = self._notes.wanted
        why = list(dict.fromkeys(self.notices))  # each call of `joined` may append the same sentences
        notices = [*why, *self._progress(why)]
        if why and wanted:
            return len(wanted), frozenset(), notices
        try:
            waiting, changed = self._models.unsearched(self._view, wanted)
        except VaultToolsError:
            return len(wanted), frozenset(), notices  # a notice has it already
        changed = changed.difference(missed)
        if count := len(changed):
            are = "is" if count == 1 else "are"
            notices.append(f"{render.counted(count, 'changed note')} {are} not searched by meaning yet.")
        return waiting + count, changed, notices

    def _progress(self, given: Sequence[str]) -> list[str]:
        """Returns a sentence with the progress of embedding unless it is done, and why it stopped unless `given` has
        it."""
        notes = len(self._notes.files.searched)
        try:
            done, total = self._models.main.seen()
            reason = self._models.why_not()
        except VaultToolsError:
            return []  # a notice has it already
        is_given = any(each.startswith(reason) for each in given)
        if done >= total and (total or not notes or self._models.main.embeds_nothing):
            return [f"{reason}. {_OTHERS_BY_WORDS}"] if reason and not is_given else []
        if not reason and (command := self._notes.call.work.voice.embedding()):
            so_far = f"Meaning: {done:,} of {total or notes:,} notes. For the rest" if done else _BY_WORDS_SO_FAR
            return [f"{so_far}: {command}"]
        fault = f" {reason}." if reason and not is_given else ""
        return [f"Meaning: {done:,} of {total or notes:,} notes.{fault}"]


_BY_WORDS_SO_FAR: Final = "Only words were searched for. To search by meaning too"
_OTHERS_BY_WORDS: Final = "Notes in other languages are searched by words alone."

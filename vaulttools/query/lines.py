"""Finds which of many one-line texts hold a word or a phrase."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from vaulttools.core.cached import cached_property
from vaulttools.patterns.literals import fold
from vaulttools.query import wording
from vaulttools.query.tree import Phrase, Term

_BETWEEN = "\n"


class Lines:
    """Texts without line feeds, each by its place, from 0."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts

    def holding(self, wanted: Term | Phrase, *, sensitive: bool) -> set[int]:
        """The places of those that hold a word or phrase, as `wording.places` has it."""
        if not wanted.text:
            return set(range(len(self.texts)))
        if _BETWEEN in wanted.text or not self.texts:
            return set()
        joined, starts = self._written if sensitive else self._folded
        # A phrase may end at a line feed as at the end of a text.
        return {bisect_right(starts, at) - 1 for at in wording.places(wanted, joined, sensitive=sensitive)}

    @cached_property
    def _written(self) -> tuple[str, list[int]]:
        return _joined(self.texts)

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        return _joined([fold(text) for text in self.texts])


def _joined(texts: Sequence[str]) -> tuple[str, list[int]]:
    """One text, and where each begins in it."""
    return _BETWEEN.join(texts), list(accumulate((len(text) + 1 for text in texts), initial=0))[:-1]

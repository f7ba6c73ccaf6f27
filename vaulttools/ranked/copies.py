"""Tells copies of a passage, such as versions of a page, from different passages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import Final

from vaulttools.core.cached import cached_property
from vaulttools.notes.passages import digest

_SHINGLE: Final = 3
"""Words in a row that are compared."""
_ALIKE: Final = 0.7
"""The part of the shingles of two passages that both must have: one word in twenty exchanged leaves 0.74 of them."""
_AS_LONG: Final = 0.5
"""The part of the length of a passage that a copy has at least: quicker to tell than the shingles, which have it."""
_FEWEST: Final = 12
"""Words of a passage that can be nearly a copy; a shorter one is one, or is none."""
_SHORT: Final = 5
"""Words of a passage that may be the same in notes that have nothing to do with each other, if it has fewer."""
_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"\d[\d.,]*")


@dataclass(frozen=True)  # not slotted: what was computed is kept in the instance
class Print:
    """What of a passage's text is compared."""

    text: str
    digest: int
    """`notes.passages.digest` of it."""

    @classmethod
    def of(cls, text: str) -> Print:
        """Of a text whose digest nobody knows."""
        return cls(text, digest(text))

    @cached_property
    def is_short(self) -> bool:
        """Whether it has too few words to be told from another by them: `Coming soon.`"""
        return sum(1 for _ in islice(_WORD.finditer(self.text), _SHORT)) < _SHORT

    @cached_property
    def shingles(self) -> frozenset[tuple[str, ...]]:
        """Its words in a row; none of a short one."""
        words = _WORD.findall(self.text.casefold())
        if len(words) < _FEWEST:
            return frozenset()
        return frozenset(zip(*(words[start:] for start in range(_SHINGLE)), strict=False))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers in it: two versions that differ in one do not say the same."""
        return frozenset(_NUMBER.findall(self.text))

    def is_copy_of(self, other: Print) -> bool:
        """Whether both say the same, exactly or nearly."""
        if self.digest == other.digest:
            return not (self.is_short or other.is_short)
        # What is quick to tell comes first: hardly two passages of prose have the same numbers and as many words.
        length, of_other = len(self.text), len(other.text)
        if length < _AS_LONG * of_other or of_other < _AS_LONG * length or self.numbers != other.numbers:
            return False
        fewer, more = sorted((self.shingles, other.shingles), key=len)
        if not fewer or len(fewer) < _ALIKE * len(more):
            return False
        both = len(fewer & more)
        return both >= _ALIKE * (len(fewer) + len(more) - both)

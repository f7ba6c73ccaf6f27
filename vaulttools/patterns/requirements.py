"""Holds literals that a text must contain, and folds texts for the comparison.

Apart from the reader of patterns, because commands that take no pattern read the index, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

LONGEST: Final = 64
"""Most folded characters of a literal; a longer one is cut into several."""


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part is required."""

    parts: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of the parts is required."""

    parts: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class MixedForms(AllOf):
    """The text is neither in NFC nor in NFD; nothing else is required."""

    parts: tuple[Requirement, ...] = ()


Requirement: TypeAlias = str | AllOf | AnyOf
"""A str is folded text without line ends, 1 to `LONGEST` characters, that the folded text contains."""


def fold(text: str) -> str:
    """Returns the form in which texts and literals are compared: full case folding.

    Each character is folded by itself: `fold(a + b) == fold(a) + fold(b)`. The tables are Python's
    (`unicodedata.unidata_version`): do not compare texts and literals folded by different versions.
    """
    return text.casefold()

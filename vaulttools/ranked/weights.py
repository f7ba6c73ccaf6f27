"""Holds the tuned numbers of ranked search; `benchmarks/tuning.md` says what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Sharing:
    """How the text of an answer is shared out among notes."""

    whole: int = 1_500
    """A note of up to so many characters is shown whole."""
    notes: int = 6
    """So many notes have text."""
    steepness: float = 4.0
    """A note's part of the text goes with this power of its score."""
    most: float = 0.66
    """The part of the text that the first note may have."""
    stop: float = 0.7
    """The part of the first note's score below which a note has no text."""
    named: float = 0.5
    """The part of the first note's score below which a note is not even named."""
    passage: float = 0.6
    """The part of the score of a note's best passage that a further one must have to be shown."""
    beside: int = 500
    """Characters of the passage that follows on the best one of the first note, up to which it is shown, too."""


SHARING: Final = Sharing()

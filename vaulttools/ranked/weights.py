"""Holds the tuned numbers of ranked search; `benchmarks/tuning.md` says what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Sharing:
    """How the text of an answer is shared out among notes."""

    whole: int = 1_500
    """A note of up to so many characters is shown whole."""
    notes: int = 5
    """So many notes have text."""
    steepness: float = 6.0
    """A note's part of the text goes with this power of its score."""
    most: float = 0.66
    """The part of the text that the first note may have."""
    stop: float = 0.75
    """The part of the first note's score below which a note has no text."""
    named: float = 0.5
    """The part of the first note's score below which a note is not even named."""
    passage: float = 0.6
    """The part of the score of a note's best passage that a further one must have to be shown."""
    beside: int = 500
    """Characters of the passage that follows on the best one of the first note, up to which it is shown, too."""


SHARING: Final = Sharing()
"""Where words and meaning are joined."""
BY_WORDS: Final = Sharing(stop=0.6)
"""Where words alone decide: their scores lie closer together."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """What counts how much where words and meaning are joined; all signals are shares of their best."""

    words: float = 0.3
    """How well the note's words fit."""
    note: float = 0.2
    """How near its passages are on average."""
    exact: float = 0.5
    """How near its nearest passage is by the model itself."""
    unread: float = 0.5
    """What the static encoder's share counts where the model itself did not look."""
    looked_at: int = 16
    """Passages that the model itself looks at."""
    looked_at_of_note: int = 3
    """Of one note."""
    other_language: float = 0.85
    """What a note is multiplied by that is in another language than the question."""


FUSION: Final = Fusion()


@dataclass(frozen=True, slots=True)
class Weak:
    """When the evidence for an answer is called weak."""

    by_words: float = 0.4
    """The part of the question, by what its words weigh, that a passage must hold where nothing tells its meaning."""
    with_meaning: float = 0.45
    """The same of a passage that is not near in meaning."""


WEAK: Final = Weak()


@dataclass(frozen=True, slots=True)
class Nearness:
    """What the similarity of the nearest passage says, by one model."""

    near: float
    """Below it the notes are about other things."""
    about_it: float
    """Below it a passage must hold words of the question, too."""


NEARNESS: Final = {"english": Nearness(0.25, 0.36), "multilingual": Nearness(0.3, 0.36)}

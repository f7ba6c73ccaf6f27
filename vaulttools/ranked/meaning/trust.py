"""Says how much the nearness that a model tells is worth for a question."""

from __future__ import annotations

from typing import Final, NamedTuple


class Trust(NamedTuple):
    """What was measured for a model and the language of a question."""

    share: float
    """What nearness counts of a note's worth, 0 to 1; words have the rest."""
    about_it: float | None
    """The similarity from which a passage is about what was asked; None for a model that was not measured."""
    tells_absence: bool
    """Whether no passage so near means that the notes are about other things, whatever words found."""


OF_ANY_MODEL: Final = Trust(share=0.5, about_it=None, tells_absence=False)
"""The share was chosen for the multilingual model, and is what meaning is worth at least."""

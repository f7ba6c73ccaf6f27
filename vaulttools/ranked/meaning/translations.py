"""Tells which of the notes near to a question are translations of others.

A vault may hold each page in many languages. All of them are near to a question, and would fill the first places. The
one in the question's language stands for them, else the nearest one; the others follow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final

import numpy as np

from vaulttools.notes.language import LANGUAGES, UNKNOWN

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALIKE: Final = 0.8
"""The least similarity of two passages that say the same in two languages. Over all of the help, tuning halves, 0.7 to
0.85 find as many right notes; of 37 questions whose answer stands in other languages alone 0.7 loses one more."""


def translations(
    notes: Sequence[str], languages: Mapping[str, str], asked: AbstractSet[str], are_alike: NDArray[np.bool_]
) -> dict[str, str]:
    """The notes that are translations, each with the note that stands for it.

    `notes` tells the note of each passage that was found, nearest first, and `are_alike` which passages say the same as
    which; `languages` are those of the notes, and `asked` those that the question may be in. Of a note whose language
    is not known nothing is a translation.
    """
    passages: dict[str, list[int]] = defaultdict(list)
    for number, path in enumerate(notes):
        passages[path].append(number)
    spoken = np.array([LANGUAGES.index(languages[path]) for path in notes])
    unknown = LANGUAGES.index(UNKNOWN)
    order = sorted(passages, key=lambda path: languages[path] not in asked)
    standing = np.full(len(notes), -1)
    """By passage: the place in `order` of its note; -1 where that is a translation, or not looked at yet."""
    found: dict[str, str] = {}
    for place, path in enumerate(order):
        own = passages[path]
        language = spoken[own[0]]
        if language == unknown:
            continue
        others = are_alike[own].any(axis=0) & (standing >= 0) & (spoken != language)
        if others.any():
            found[path] = order[standing[others].min()]
        else:
            standing[own] = place
    return found

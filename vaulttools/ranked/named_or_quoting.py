"""Puts notes first that are named like the question or quote it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from vaulttools.core.folding.words import lowered
from vaulttools.index.words import Places
from vaulttools.ranked.evidence import FEW_WORDS, RankedNote
from vaulttools.ranked.scoring import ALIASES, BODY, TITLE

_NO_WORD: Final = re.compile(r"(?<=\w)(\+\+|#(?!\w))|[^\w\u0900-\u109f\u1780-\u17ff\U000f0000-\U000fffff]+|_+")
"""What is between words. The signs of `C++` and `C#` belong to words. Vowel signs are no letters for Python; folded
signs are of private use."""

_ROW: Final = 3
"""So many words in a row are a quotation, however common they are."""


@dataclass(frozen=True, slots=True)
class NamedOrQuoting:
    """The notes in which the question is written."""

    first: AbstractSet[str] = frozenset()
    """Notes with the question as their name; for a question of one word or two, notes with all of it in one passage or
    name, or the best one for each word if no note holds both."""
    quoting: str = ""
    """The best note that holds words of the question in a row: it is among the first two; `""` if there is none."""

    def put_first(self, notes: Sequence[RankedNote]) -> list[RankedNote]:
        """Returns notes in their order but for these. The first ones score alike, and no note scores below one that
        follows it."""
        found = sorted(notes, key=lambda note: note.path not in self.first)
        place = next((place for place, note in enumerate(found) if note.path == self.quoting), 0)
        if place > 1:
            before = 1 if self.quoting in self.first else sum(note.path in self.first for note in found)
            found.insert(max(1, before), found.pop(place))
        alike = max((note.score for note in found if note.path in self.first), default=0.0)
        best = 0.0
        for number in range(len(found) - 1, -1, -1):
            best = max(best, alike if found[number].path in self.first else found[number].score)
            if found[number].score < best:
                found[number] = replace(found[number], score=best)
        return found


NOWHERE: Final = NamedOrQuoting()


def plain(text: str) -> str:
    """Returns the words of a text, folded, with single blanks between them."""
    return " ".join(_NO_WORD.sub(r"\1 ", lowered(text)).split())


def may_be_name(places: Places, own: int) -> bool:
    """Whether the title or an alias holds each of the question's own terms, the first `own` ones."""
    found = places.found[:own]
    return bool(found) and (all(each[TITLE] for each in found) or all(each[ALIASES] for each in found))


def named(question: str, names: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Returns the notes that have a question as one of their names; `names` are those of each note."""
    asked = plain(question)
    return frozenset(path for path, own in names.items() if asked and any(plain(name) == asked for name in own))


def holding_all(notes: Sequence[RankedNote], own: int, places: Mapping[str, Places]) -> frozenset[str]:
    """Returns the notes with a passage or a name that holds all of a question's `own` terms, if they are few
    (`FEW_WORDS`); if there are none, the best notes for each term, by their passages or else by name and properties."""
    if not 0 < own <= FEW_WORDS:
        return frozenset()
    asked = frozenset(range(own))
    both = frozenset(
        note.path
        for note in notes
        if may_be_name(places[note.path], own) or any(asked <= each.terms for each in note.evidence)
    )
    if both or own == 1:
        return both
    found: set[str] = set()
    for term in asked:
        in_text = [note for note in notes if any(term in each.terms for each in note.evidence)]
        holding = in_text or [note for note in notes if any(places[note.path].found[term])]
        # All that are as good: their order, by time, says nothing.
        found.update(note.path for note in holding if note.score == holding[0].score)
    return frozenset(found)


def quotes(places: Places, own: int, rare: Collection[int]) -> bool:
    """Whether the body holds three of a question's `own` terms in a row, or two that are `rare`."""
    found = [frozenset(each[BODY]) for each in places.found[:own]]
    for first, begins in enumerate(found):
        ends = begins
        for length, following in enumerate(found[first + 1 :], 2):
            ends = frozenset(place + 1 for place in ends) & following
            if not ends:
                break
            if length >= _ROW or {first, first + 1} <= {*rare}:
                return True
    return False

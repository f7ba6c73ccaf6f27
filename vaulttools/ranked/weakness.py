"""Says what the evidence for an answer lacks, when it is weak."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from vaulttools.ranked.evidence import RankedNote
from vaulttools.ranked.question import QuestionTerm
from vaulttools.ranked.scoring import rarity
from vaulttools.ranked.weights import NEARNESS, WEAK

if TYPE_CHECKING:
    from vaulttools.meaning.embedders import Choice

NOTHING_NEAR: Final = "No passage is near in meaning to the question."
"""The notes are about other things, so that reading on does not help."""

FEW_WORDS: Final = 2
"""Words of a question that is a name, a title or a rare word: notes that hold all of them come first."""


def nearness(choice: Choice) -> float | None:
    """The similarity below which the nearest passage is about other things; None: it was not measured."""
    if choice.where:
        return None
    return NEARNESS[choice.packaged]


def covered(
    terms: Sequence[QuestionTerm],
    rarities: Sequence[float],
    unfound: Sequence[str],
    ranked: Sequence[RankedNote],
    notes: int,
) -> tuple[float, str]:
    """The part of a question, by what its words weigh, that the best passage holds, and one sentence that says which
    main words no passage holds together; 1 and `""` for a question of one word, or where nothing was found.

    `unfound` are words that stand nowhere in so many `notes`.
    """
    words: list[tuple[float, int, str]] = [
        (-rare, number, term.text) for number, (term, rare) in enumerate(zip(terms, rarities, strict=True))
    ]
    nowhere = max(*rarities, 1.0, min(WEAK.nowhere, rarity(notes, 1))) / 2 if rarities else 0.5
    words += [(-nowhere, len(terms) + number, word) for number, word in enumerate(unfound)]
    total = -sum(weight for weight, _, _ in words)
    if len(words) < 2 or not ranked or not total:
        return 1.0, ""
    held_together = {each.held for note in ranked for each in note.evidence}
    best = max((sum(rarities[term] for term in sorted(held)) for held in held_together), default=0.0)
    main = {number for _, number, _ in sorted(words)[:2]}
    first, second = (json.dumps(word, ensure_ascii=False) for _, _, word in sorted(words)[:2])
    held = ranked[0].evidence[0].held if ranked[0].evidence else frozenset()
    lacking = "" if main <= held else f"No passage holds {first} and {second} together"
    only = ", ".join(terms[number].text for number in sorted(held))
    sentence = lacking or "No passage holds most words of the question"
    return round(best / total, 3), sentence + (f"; the best hold only: {only}." if only else ".")


def weakness_with_meaning(weakness: str, words: int, nearest: float, nearness: float | None) -> str:
    """What the evidence for a question of so many words lacks: what words alone say (`covered`) where the question is
    short, or `nearness` is not known; else whether the nearest passage is near."""
    if nearness is None or words <= FEW_WORDS:
        return weakness
    return NOTHING_NEAR if nearest < nearness else ""

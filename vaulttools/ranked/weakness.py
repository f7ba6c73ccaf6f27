"""Says what the evidence for an answer lacks, when it is weak."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from vaulttools.index.word_hits import Places
from vaulttools.ranked.order import BestFirst
from vaulttools.ranked.question import Term

_ENOUGH: Final = 0.45
"""The part of a question, by what its words weigh, that a passage must hold not to be weak evidence. Of 35 paraphrases
of the tuning half 18 are so called weak, 2 of them with the answer in the text (0.5: 22 and 4), and of the others 5
have no right note among the first five, as with 0.5; with 0.4 these are 9."""


def weakness(terms: Sequence[Term], rarities: Sequence[float], unfound: Sequence[str], ranked: BestFirst) -> str:
    """One sentence when no passage holds the two rarest words of the question together, and none most of it; else `""`.

    `unfound` are words that stand nowhere.
    """
    words: list[tuple[float, int, str]] = [
        (-rare, number, term.text) for number, (term, rare) in enumerate(zip(terms, rarities, strict=True))
    ]
    # A word that stands nowhere may be a way of saying it that the notes do not have: it counts half.
    least = max(*rarities, 1.0) / 2 if rarities else 0.5
    words += [(-least, len(terms) + number, word) for number, word in enumerate(unfound)]
    if len(words) < 2 or not ranked:
        return ""
    main = {number for _, number, _ in sorted(words)[:2]}
    enough = -sum(weight for weight, _, _ in words) * _ENOUGH

    def is_strong(held: frozenset[int]) -> bool:
        return main <= held or sum(rarities[term] for term in held) >= enough

    def may_be_strong(places: Places) -> bool:
        return is_strong(frozenset(term for term, columns in enumerate(places.found) if any(columns)))

    for note in ranked.holding(may_be_strong):
        if any(is_strong(each.held) for each in note.evidence):
            return ""
    first, second = (json.dumps(word, ensure_ascii=False) for _, _, word in sorted(words)[:2])
    held = ranked[0].evidence[0].held if ranked[0].evidence else frozenset()
    only = ", ".join(terms[number].text for number in sorted(held))
    return f"No passage holds {first} and {second} together" + (f"; the best hold only: {only}." if only else ".")

"""Says what the evidence for an answer lacks, when it is weak."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from vaulttools.index.word_hits import Places
from vaulttools.ranked.order import BestFirst
from vaulttools.ranked.question import Term
from vaulttools.ranked.scoring import rarity

_ENOUGH: Final = 0.45
"""The part of a question, by what its words weigh, that a passage must hold not to be weak evidence."""
_WORDS: Final = 3
"""How many of its words, where it has more: one rare word among common ones is often another subject.

Of 54 questions about what is not in the vaults, made of words that are, 26 are so called weak (with one word: 12); of
those in the words of `make ranking` that are not foreign, 10 of the 58 that the text answers either way, and 27 of the
49 whose note is not among the first five (24). With 0.55: 30, 15 and 35. Tried
on 56 such questions, of which 30 are called weak: four words (37, and one more of 32 that the text answers), the two
rarest at most 5 to 50 words from each other (30), one of these at least (30)."""

_RARE: Final = 5.0
"""The least that the rarest word counts beside one that stands nowhere, unless the notes are so few that no word weighs
as much: where no note has `boiling` or `mercury`, "the boiling point of mercury" is not about `point`. Of
`benchmarks/absent.toml` 16 of 20 questions are so called weak, without it 13."""


def weakness(
    terms: Sequence[Term], rarities: Sequence[float], unfound: Sequence[str], ranked: BestFirst, notes: int
) -> str:
    """One sentence when no passage holds the two rarest words of the question together, and none most of it; else `""`.

    `unfound` are words that stand nowhere in so many `notes`.
    """
    words: list[tuple[float, int, str]] = [
        (-rare, number, term.text) for number, (term, rare) in enumerate(zip(terms, rarities, strict=True))
    ]
    # A word that stands nowhere may be a way of saying it that the notes do not have: it counts half.
    nowhere = max(*rarities, 1.0, min(_RARE, rarity(notes, 1))) / 2 if rarities else 0.5
    words += [(-nowhere, len(terms) + number, word) for number, word in enumerate(unfound)]
    if len(words) < 2 or not ranked:
        return ""
    main = {number for _, number, _ in sorted(words)[:2]}
    enough = -sum(weight for weight, _, _ in words) * _ENOUGH
    least = min(_WORDS, len(terms), len(words) - 1)

    def is_strong(held: frozenset[int]) -> bool:
        return main <= held or (len(held) >= least and sum(rarities[term] for term in held) >= enough)

    def may_be_strong(places: Places) -> bool:
        return is_strong(frozenset(term for term, columns in enumerate(places.found) if any(columns)))

    for note in ranked.holding(may_be_strong):
        if any(is_strong(each.held) for each in note.evidence):
            return ""
    first, second = (json.dumps(word, ensure_ascii=False) for _, _, word in sorted(words)[:2])
    held = ranked[0].evidence[0].held if ranked[0].evidence else frozenset()
    only = ", ".join(terms[number].text for number in sorted(held))
    return f"No passage holds {first} and {second} together" + (f"; the best hold only: {only}." if only else ".")

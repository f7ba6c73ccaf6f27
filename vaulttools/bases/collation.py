"""Orders texts as the app does: ignores case and accents, compares numbers by value.

Stands in for `Intl.Collator` with base sensitivity and numeric order: blanks, punctuation, signs, digits, letters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any, Final

_SIGNS: Final = {sign: place for place, sign in enumerate("_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$")}
"""ASCII in the order of Unicode's collation."""
_PIECE: Final = re.compile(r"[0-9]+|[\s\S]")


@lru_cache(maxsize=20_000)
def key(text: str) -> tuple[Any, ...]:
    """What to sort texts by."""
    plain = text if text.isascii() else unicodedata.normalize("NFKD", text)
    return tuple(filter(None, map(_weight, _PIECE.findall(plain.casefold()))))


def _weight(piece: str) -> tuple[int, int | str] | None:
    if piece[0].isalpha():
        return 4, piece
    if "0" <= piece[0] <= "9":
        return 3, int(piece) if len(piece) < 1000 else 10**1000
    if piece.isspace():
        return 0, 0
    if piece in _SIGNS:
        return 1, _SIGNS[piece]
    category = unicodedata.category(piece)
    if category[0] == "M" or category in ("Cc", "Cf"):
        return None  # an accent, or nothing that is seen
    return 2, ord(piece)

"""The numbers of YAML 1.2's core schema (10.3.2 of its specification), as data."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final

from hypothesis import strategies as st


def _based(base: int) -> Callable[[str], float]:
    return lambda word: float(int(word[2:], base))


FORMS: Final[dict[str, Callable[[str], float]]] = {
    r"[-+]?[0-9]+": float,
    r"0o[0-7]+": _based(8),
    r"0x[0-9a-fA-F]+": _based(16),
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?": float,
    r"[-+]?(\.inf|\.Inf|\.INF)": lambda word: -math.inf if word.startswith("-") else math.inf,
    r"\.nan|\.NaN|\.NAN": lambda _: math.nan,
}
"""By regular expression, what a word is that matches it."""


def number_of(word: str) -> float | None:
    """The number that a word is; None if it is a text."""
    return next((value(word) for form, value in FORMS.items() if re.fullmatch(form, word, re.ASCII)), None)


def spellings() -> st.SearchStrategy[str]:
    """Numbers in all spellings, of at most 12 characters."""
    forms = [st.from_regex(re.compile(form, re.ASCII), fullmatch=True) for form in FORMS]
    return st.one_of(forms).filter(lambda word: len(word) <= 12)

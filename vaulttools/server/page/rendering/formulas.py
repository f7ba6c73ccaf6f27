"""Typesets LaTeX as MathML, which needs no script and no font."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape, unescape
from typing import Final
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element

_FORMULA: Final = 2_000
"""Characters of one formula; the slowest ones of this length take 0.1 s."""

_FORMULAS: Final = 20_000
"""Characters of all formulas on one page; later formulas are shown as code."""

_ELEMENTS: Final = frozenset(
    (
        *("math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom"),
        *("mprescripts", "mroot", "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable"),
        *("mtd", "mtext", "mtr", "munder", "munderover", "none"),
    )
)
"""Elements that only draw: no link, no image, and no annotation, which could contain HTML."""

_WORD: Final = re.compile(r"[a-z-]{1,30}(?: [a-z-]{1,30}){0,30}|[0-9]{1,3}|#[0-9A-Fa-f]{3,8}", re.IGNORECASE)
_LENGTHS: Final = re.compile(r"(?:\d{0,2}(?:\.\d{1,3})?(?:em|ex|mu|pt|px)?(?: |$)){1,30}")
"""Short and not negative, so that a formula cannot cover the text around it."""

_ATTRIBUTES: Final = {
    **dict.fromkeys(
        (
            *("accent", "accentunder", "columnalign", "columnlines", "display", "displaystyle", "fence", "form"),
            *("largeop", "mathcolor", "mathvariant", "movablelimits", "notation", "rowlines", "scriptlevel"),
            *("separator", "stretchy", "symmetric"),
        ),
        _WORD,
    ),
    **dict.fromkeys(
        ("columnspacing", "linethickness", "lspace", "maxsize", "minsize", "rowspacing", "rspace", "width"), _LENGTHS
    ),
}


@dataclass(slots=True)
class Formulas:
    """The formulas of one page. They are inserted after the page was sanitised, so that no note can bring MathML of its
    own: sanitisers have missed ways to turn MathML back into HTML."""

    _made: list[str] = field(default_factory=list)
    _mark: str = field(default_factory=lambda: secrets.token_hex(16))
    """Random, so that no note can know it."""
    _left: int = _FORMULAS

    def add(self, latex: str, *, is_block: bool) -> str | None:
        """Returns a placeholder for a formula, until `placed`; None if it cannot be typeset."""
        if len(latex) > min(_FORMULA, self._left):
            return None
        self._left -= len(latex)
        made = _mathml(latex, is_block)
        if made is None:
            return None
        self._made.append(made)
        return f"{self._mark}-{len(self._made) - 1};"

    def placed(self, text: str) -> str:
        """Insert the formulas into a text between two tags of the sanitised page."""
        first, *others = text.split(f"{self._mark}-")
        numbered = (each.partition(";") for each in others)
        return first + "".join(f"{self._made[int(number)]}{rest}" for number, _, rest in numbered)


@lru_cache(1_000)
def _mathml(latex: str, is_block: bool) -> str | None:
    try:
        return _written(convert_to_element(latex, display="block" if is_block else "inline"))
    except Exception:  # wrong LaTeX leads to any exception: StopIteration, KeyError, RecursionError
        return None


def _written(element: Element) -> str:
    """Returns an element as HTML. The library's own writer does not escape `<` in a text.

    Raises:
        ValueError: the element does not only draw.
    """
    if element.tag not in _ELEMENTS:
        raise ValueError(element.tag)
    attributes = "".join(
        f' {name}="{escape(value)}"'
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and _ATTRIBUTES[name].fullmatch(value)
    )
    inside = "".join(f"{_written(child)}{_text(child.tail)}" for child in element)
    return f"<{element.tag}{attributes}>{_text(element.text)}{inside}</{element.tag}>"


def _text(text: str | None) -> str:
    # The library writes signs as character references.
    return escape(unescape(text or ""))

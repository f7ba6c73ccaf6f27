"""Removes from rendered HTML everything that could do more than be read.

Notes may contain HTML, so the parser's output is not trusted: only the tags and attributes listed here remain.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import nh3

from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.rendering.context import is_web

_TAGS: Final = frozenset(
    (
        *("a", "abbr", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code", "col", "colgroup", "dd"),
        *("del", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6"),
        *("hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s", "samp"),
        *("section", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th"),
        *("thead", "tr", "u", "ul", "var", "wbr"),
    )
)
"""No form, frame, media, style or script. SVG and MathML are excluded: sanitisers have missed ways to turn them back
into HTML."""

_ATTRIBUTES: Final = {
    "*": {"class", "id", "title", "lang", "dir"},
    "a": {"href", "aria-current"},
    "col": {"span"},
    "colgroup": {"span"},
    "details": {"open"},
    "div": {"tabindex"},
    "img": {"src", "alt", "width", "height", "loading"},
    "ol": {"start"},
    "pre": {"tabindex"},
    "span": {"role", "aria-label"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}

_OURS: Final = re.compile(r"n-[a-z-]+|footnote[a-z-]*")
"""Classes of the rendering: a note cannot imitate the page around it."""
_ANCHOR: Final = re.compile(r"s-[a-z0-9-]+|fn[a-z0-9:-]*")
"""Anchors of the rendering; no script or style of the page uses them."""
_UNNAMED: Final = re.compile('<img(?![^>]* alt=")')
"""An image without a text alternative in a note's own HTML."""
_NUMBER: Final = re.compile(r"[0-9]{1,5}")

_TAG: Final = re.compile(r'(<[^>"]*(?:"[^"]*"[^>"]*)*>)')
"""A tag as the sanitiser writes it, with only double quotes."""


def in_texts(html: str, change: Callable[[str], str]) -> str:
    """Returns sanitised HTML with `change` applied to the texts between tags, except those of formulas."""
    pieces = _TAG.split(html)
    in_math = False
    for index, piece in enumerate(pieces):
        if piece.startswith("<"):
            in_math = piece.startswith("<math") or (in_math and piece != "</math>")
        elif piece and not in_math:
            pieces[index] = change(piece)
    return "".join(pieces)


def sanitized(html: str, addresses: Addresses) -> str:
    """Returns well-formed HTML with only the allowed parts: nothing in it can close an element around it."""

    def allowed(tag: str, name: str, value: str) -> str | None:
        match name:
            case "class":
                return " ".join(filter(_OURS.fullmatch, value.split())) or None
            case "id":
                return value if _ANCHOR.fullmatch(value) else None
            case "href":
                anchor = value.startswith("#") and _ANCHOR.fullmatch(value[1:])
                return value if anchor or is_web(value) or addresses.may_be_linked(value) else None
            case "src":
                return value if addresses.may_be_shown(value) else None
            case "tabindex":
                return value if value == "0" else None
            case "aria-current":
                return value if value == "true" else None
            case "scope":
                return value if value in ("row", "col", "rowgroup") else None
            case "role":
                return value if value == "img" else None
            case "width" | "height" | "span" | "colspan" | "rowspan" | "start":
                return value if _NUMBER.fullmatch(value) else None
        return value

    cleaned = nh3.clean(
        html.encode("utf-8", "replace").decode("utf-8"),  # JSON of a canvas may have half surrogate pairs
        tags=set(_TAGS),
        attributes=_ATTRIBUTES,
        attribute_filter=allowed,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
    )
    return _UNNAMED.sub('<img alt=""', cleaned)

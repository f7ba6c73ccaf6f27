"""Makes note text safe and short for a line of an answer."""

from __future__ import annotations

import re
from typing import Final

from vaulttools.core import limits

ELLIPSIS: Final = "…"

_LEAD: Final = 80
"""Characters kept before a first match that begins beyond the cut: enough to see what it belongs to."""

_EMOJI_TAGS: Final = "\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f"
"""A flag made of tag characters (England, Scotland, Wales): the only place where they are text (Unicode TR 51)."""

_UNSAFE = re.compile(
    f"{_EMOJI_TAGS}|"
    "[\x00-\x08\x0a-\x1f\x7f-\x9f"  # C0 without the tab, which is ordinary text; DEL; C1
    "\u2028\u2029"  # line and paragraph separators: a terminal or a JSON reader may break the line there
    "\u202a-\u202e\u2066-\u2069"  # bidi embeddings, overrides, isolates
    "\U000e0000-\U000e007f]"  # tag characters
)


def visible(text: str) -> str:
    r"""The text with control, bidi and tag characters as visible escapes: `\x1b`, `\u{202e}`."""
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub(_escape, text)


def line(text: str, first_match: int | None = None, *, most: int = limits.LINE_CHARACTERS) -> str:
    """A note's line as it is shown: no trailing blanks, at most so many characters and the marks of the cut, escaped.

    `first_match` is the character, from 0, where the first match begins; when that lies beyond the cut, the cut is
    made around it.
    """
    text = text.rstrip()
    if len(text) <= most:
        return visible(text)
    start = 0 if first_match is None or first_match < most else first_match - _LEAD
    end = start + most
    head = ELLIPSIS if start else ""
    return f"{head}{visible(text[start:end])}{ELLIPSIS if end < len(text) else ''}"


def shortened(text: str, most: int) -> str:
    """The text; of a longer one than so many characters its beginning, with a mark."""
    return text if len(text) <= most else f"{text[:most]}{ELLIPSIS}"


def size(text: str) -> int:
    """Bytes of UTF-8, also of a text that holds half of a surrogate pair."""
    return len(text.encode("utf-8", "surrogatepass"))


def _escape(match: re.Match[str]) -> str:
    found = match.group()
    if len(found) > 1:
        return found
    code = ord(found)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"

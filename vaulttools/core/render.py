"""Makes text of notes safe and short for a line of an answer."""

from __future__ import annotations

import json
import re
from typing import Final

from vaulttools.core import limits

ELLIPSIS: Final = "…"

_LEAD: Final = 80
"""Characters shown before a first match beyond the cut: enough context to understand it."""

EMOJI_TAGS: Final = "\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f"
"""A flag made of tag characters (England, Scotland, Wales): their only use as text (Unicode TR 51)."""

_UNSAFE = re.compile(
    f"{EMOJI_TAGS}|"
    "[\x00-\x08\x0a-\x1f\x7f-\x9f"  # C0 without the tab, which is ordinary text; DEL; C1
    "\u2028\u2029"  # line and paragraph separators: a terminal or a JSON reader may break the line there
    "\u202a-\u202e\u2066-\u2069"  # bidi embeddings, overrides, isolates
    "\ud800-\udfff"  # halves of surrogate pairs, of a caller's JSON: no UTF-8 has them
    "\U000e0000-\U000e007f]"  # tag characters
)


def visible(text: str) -> str:
    r"""Returns the text with visible escapes for control, bidi and tag characters: `\x1b`, `\u{202e}`."""
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub(_escape, text)


def line(text: str, first_match: int | None = None, *, most: int = limits.LINE_CHARACTERS) -> str:
    """Returns a note's line for display: escaped, no trailing blanks, at most `most` characters plus marks of a cut.

    `first_match` is the character, from 0, where the first match begins; if it lies beyond the cut, the text around it
    is shown.
    """
    text = text.rstrip()
    if len(text) <= most:
        return visible(text)
    start = 0 if first_match is None or first_match < most else first_match - _LEAD
    end = start + most
    head = ELLIPSIS if start else ""
    return f"{head}{visible(text[start:end])}{ELLIPSIS if end < len(text) else ''}"


def shortened(text: str, most: int) -> str:
    """Returns the text, cut after `most` characters and marked if it is longer."""
    return text if len(text) <= most else f"{text[:most]}{ELLIPSIS}"


_IN_JSON: Final = re.compile(
    f"{EMOJI_TAGS}|[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
"""What JSON leaves as it is, and ends a line for some readers, or steers a terminal; and flags, which stay."""


def json_line(text: str) -> str:
    """Returns JSON of the same meaning that is one line for every reader and steers none: with escapes of JSON."""
    return _IN_JSON.sub(lambda found: found[0] if len(found[0]) > 1 else json.dumps(found[0])[1:-1], text)


def line_range(first: int, last: int) -> str:
    """Returns `line 3` or `lines 3-5`."""
    return f"line {first}" if first == last else f"lines {first}-{last}"


def counted(count: int, noun: str) -> str:
    """Returns `1 note`, `2,310 notes`."""
    return f"{count:,} {noun}{'s' if count != 1 else ''}"


def size(text: str) -> int:
    """Returns the bytes of a text in UTF-8; lone surrogates are allowed."""
    return len(text.encode("utf-8", "surrogatepass"))


def _escape(match: re.Match[str]) -> str:
    found = match.group()
    if len(found) > 1:
        return found
    code = ord(found)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"

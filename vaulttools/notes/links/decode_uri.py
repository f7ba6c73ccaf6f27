"""Decodes the percent signs of a Markdown link as Obsidian does, by JavaScript's `decodeURI`."""

from __future__ import annotations

import re
from typing import Final

_ESCAPES: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_MALFORMED: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_RESERVED: Final = frozenset(";/?:@&=+$,#")
"""What `decodeURI` leaves encoded (ECMA-262, "decodeURI"): decoded, these signs would change what a URI means."""


def decode_uri(text: str) -> str:
    """The text decoded; as written where `decodeURI` refuses it: a `%` without two digits, bytes that are no UTF-8.

    >>> decode_uri("Caf%C3%A9%20%26%20bar.md")
    'Café %26 bar.md'
    """
    if "%" not in text or _MALFORMED.search(text):
        return text
    try:
        return _ESCAPES.sub(_decoded, text)
    except UnicodeDecodeError:
        return text


def _decoded(escapes: re.Match[str]) -> str:
    """The characters of neighbouring escapes, those of reserved signs as they are written."""
    written = escapes[0]
    decoded = []
    position = 0
    for character in bytes.fromhex(written.replace("%", "")).decode("utf-8"):
        end = position + 3 * len(character.encode("utf-8"))
        decoded.append(written[position:end] if character in _RESERVED else character)
        position = end
    return "".join(decoded)

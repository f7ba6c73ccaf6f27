"""Defines the links and embeds of a note's body and properties, with their targets.

`inline` finds them in lines, `structure` in properties; `resolution` finds their files.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, TypeAlias

from vaulttools.notes.links.resolution import parse_link, parse_linktext

ReferenceKind: TypeAlias = Literal["wikilink", "markdown", "external"]

# At least two characters, so that the drive of a Windows path does not match.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_FOLDED_LINE = re.compile(r"[ \t]*\n[ \t>]*")
_SIZE = re.compile(r"(?:.*\|)?\s*([0-9]{1,5})(?:x([0-9]{1,5}))?\s*", re.DOTALL)
_ESCAPES: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_MALFORMED: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_RESERVED: Final = frozenset(";/?:@&=+$,#")
"""Characters that `decodeURI` leaves encoded (ECMA-262, "decodeURI"): decoded, they would change the URI's meaning."""


class Reference(NamedTuple):
    """A link or an embed.

    >>> wikilink("![[Note#H1#H2|shown]]", line=7)[2:]
    ('wikilink', True, 'Note', ('H1', 'H2'), None, 'shown', None)
    """

    line: int
    """Line of its beginning."""
    written: str
    """Its whole text, with the brackets and the `!` of an embed."""
    kind: ReferenceKind
    """``external`` is a Markdown link with a scheme, which leads out of the vault."""
    embed: bool
    target: str
    """The file, without headings and display text; decoded by `decode_uri` for a Markdown link. `""` for the note
    itself; the full URL if external."""
    headings: tuple[str, ...]
    """The chain of headings to the section, outermost first (rule-L05)."""
    block: str | None
    """The id of the block, without `^` (rule-L06)."""
    display: str | None
    """The text shown instead of the target, with its markup; None without one."""
    in_property: str | None = None
    """The property that holds it; None in the body."""

    @property
    def size(self) -> tuple[int, int | None] | None:
        """Width and height of an embed in pixels, from `|640x480` or `|100` at its end (rule-L10)."""
        if not self.embed or self.display is None or not (found := _SIZE.fullmatch(self.display)):
            return None
        return int(found[1]), int(found[2]) if found[2] else None


def wikilink(written: str, line: int, in_property: str | None = None) -> Reference | None:
    """Read `[[…]]` or `![[…]]`; None if it names nothing, as `[[]]`."""
    embed = written[0] == "!"
    link = parse_link(written[2 + embed : -2])
    return Reference(line, written, "wikilink", embed, *link, in_property) if any(link[:3]) else None


def markdown_link(
    written: str, line: int, text: str, destination: str, in_property: str | None = None
) -> Reference | None:
    """Read `[text](destination)` or `![text](destination)`; `destination` is without `<>` and escapes.

    None for an empty destination, which names nothing, and for `data:`, which holds its own content.
    """
    embed = written.startswith("!")
    display = _FOLDED_LINE.sub(" ", text)
    if _SCHEME.match(destination):
        if destination[:5].lower() == "data:":
            return None
        return Reference(line, written, "external", embed, destination, (), None, display, in_property)
    link = parse_linktext(decode_uri(destination))
    if not any(link):
        return None
    return Reference(line, written, "markdown", embed, *link[:3], display, in_property)


def decode_uri(text: str) -> str:
    """Decode the destination of a Markdown link as Obsidian does, like JavaScript's `decodeURI`.

    Returns it unchanged if `decodeURI` refuses it: for a `%` without two digits, or bytes that are no UTF-8.

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
    """Decode neighbouring escapes; those of reserved characters stay as written."""
    written = escapes[0]
    decoded = []
    position = 0
    for character in bytes.fromhex(written.replace("%", "")).decode("utf-8"):
        end = position + 3 * len(character.encode("utf-8"))
        decoded.append(written[position:end] if character in _RESERVED else character)
        position = end
    return "".join(decoded)

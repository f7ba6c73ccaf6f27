"""Lists the links and embeds of a note's body and properties, with their targets.

Finding them between other things in a line is left to `inline`, finding them in properties to
`structure`; which file they lead to, to `links`.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, TypeAlias

from vaulttools.notes.links.targets import split_linktext

ReferenceKind: TypeAlias = Literal["wikilink", "markdown", "external"]

# `[[` to the nearest `]]` in the same line, with no other `[[` between; single brackets are allowed (rule-L16).
WIKILINK = re.compile(r"\[\[(?!\[)[^\[\]\n]*+(?:(?:\](?!\])|\[(?!\[))[^\[\]\n]*+)*\]\]")

# At least two characters, so that the drive of a Windows path is none.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_FOLDED_LINE = re.compile(r"[ \t]*\n[ \t>]*")
_SIZE = re.compile(r"(?:.*\|)?\s*([0-9]{1,5})(?:x([0-9]{1,5}))?\s*", re.DOTALL)
_ESCAPES: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_MALFORMED: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_RESERVED: Final = frozenset(";/?:@&=+$,#")
"""What `decodeURI` leaves encoded (ECMA-262, "decodeURI"): decoded, these signs would change what a URI means."""


class Reference(NamedTuple):
    """A link or an embed.

    >>> wikilink("![[Note#H1#H2|shown]]", line=7)[2:]
    ('wikilink', True, 'Note', ('H1', 'H2'), None, 'shown', None)
    """

    line: int
    """Where it begins."""
    written: str
    """The whole of it as written, with its brackets and the `!` of an embed."""
    kind: ReferenceKind
    """``external`` is a Markdown link with a scheme, which leads out of the vault."""
    embed: bool
    target: str
    """Which file: without headings and display text; of a Markdown link decoded as `decode_uri` does. `""` is the note
    itself; a URL in full if external."""
    headings: tuple[str, ...]
    """The chain of headings that leads to the section meant, outermost first (rule-L05)."""
    block: str | None
    """The id of the block meant, without `^` (rule-L06)."""
    display: str | None
    """The text shown instead of the target, with its markup; None without one."""
    in_property: str | None = None
    """The property that it stands in; None in the body."""

    @property
    def size(self) -> tuple[int, int | None] | None:
        """Width and height in pixels that an embed is shown at, from `|640x480` or `|100` at its end (rule-L10)."""
        if not self.embed or self.display is None or not (found := _SIZE.fullmatch(self.display)):
            return None
        return int(found[1]), int(found[2]) if found[2] else None


def wikilink(written: str, line: int, in_property: str | None = None) -> Reference | None:
    """What `[[…]]` or `![[…]]` names; None when that is nothing, as in `[[]]`."""
    embed = written[0] == "!"
    named, bar, display = written[2 + embed : -2].partition("|")
    target, headings, block = split_linktext(named.removesuffix("\\") if bar else named)
    if not (target or headings or block):
        return None
    shown = display.strip() if bar else None
    return Reference(line, written, "wikilink", embed, target, headings, block, shown, in_property)


def markdown_link(
    written: str, line: int, text: str, destination: str, in_property: str | None = None
) -> Reference | None:
    """What `[text](destination)` or `![text](destination)` names, the destination without `<>` and escapes.

    None for an empty destination, which names nothing, and for `data:`, which holds what it shows and leads nowhere.
    """
    embed = written.startswith("!")
    display = _FOLDED_LINE.sub(" ", text)
    if _SCHEME.match(destination):
        if destination[:5].lower() == "data:":
            return None
        return Reference(line, written, "external", embed, destination, (), None, display, in_property)
    target, headings, block = split_linktext(decode_uri(destination))
    if not (target or headings or block):
        return None
    return Reference(line, written, "markdown", embed, target, headings, block, display, in_property)


def decode_uri(text: str) -> str:
    """The text of a Markdown link decoded as Obsidian does, by JavaScript's `decodeURI`.

    As written where `decodeURI` refuses it: a `%` without two digits, bytes that are no UTF-8.

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

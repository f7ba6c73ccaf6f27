"""Orders, escapes and unescapes vault-relative paths."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from operator import methodcaller
from typing import Final

_NAME_ESCAPES = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff"  # zero width, bidi, separators
    "\U000e0000-\U000e007f"  # tag characters
    "\udc80-\udcff"  # invalid bytes, as surrogateescape represents them
    "]"
)
NO_TEXT = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""A lone surrogate that no file name contains: invalid bytes become U+DC80 to U+DCFF."""

_LIKE_OURS = re.compile(
    r"\[(?!\w+\])|#+ |(?:Lines? [0-9][0-9-]*|Named only|Part of the answer):|No (?:[a-z]+ found|matches in the )"
)
"""The beginnings of notices, headings and rows of an answer, where a name may be, too. A notice has several words:
`[Draft] plan.md` is not like one."""
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LONG = {value: key for key, value in _SHORT.items()}
_ESCAPED = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u\{[0-9a-f]{1,6}\})")


def order(path: str) -> bytes:
    """Returns the sort key for ripgrep's ``--sort path`` order: bytewise, component by component.

    `/` sorts below every other byte, so `a/x` comes before `a!.md`.
    """
    return os.fsencode(path).replace(b"/", b"\0")


def join(folder: str, name: str) -> str:
    """Returns the path of `name` in a vault-relative folder; `""` is the root."""
    return f"{folder}/{name}" if folder else name


def stem(path: str) -> str:
    """Returns the name of a file without its extension, like `PurePosixPath.stem`, in a sixth of the time."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[:dot] if 0 < dot < len(name) - 1 else name


def title(path: str) -> str:
    """Returns the name of a file as the app shows it: a note's has no extension."""
    name = path.rpartition("/")[2]
    return name[:-3] if is_note(name) else name


def is_below(folder: str, path: str) -> bool:
    """Whether a path lies in a folder, at any depth; `""` is the root."""
    return not folder or path.startswith(f"{folder}/")


is_note: Final[Callable[[str], bool]] = methodcaller("endswith", (".md", ".MD", ".Md", ".mD"))
"""Whether a path ends in `.md`, in any case. Called for every file of a vault, so it is a C function (measured: a third
of the time)."""


def shown(path: str) -> str:
    r"""Returns the path for display: one line, with visible escapes for invisible and directional characters.

    `a\nb` for a line feed, `\xff` for an invalid byte, `\u{202e}` for the rest (fault-N01 to fault-N04). A name that
    begins like a notice or a heading of an answer has an escape for its first character: `\u{5b}To read on`.
    """
    if path[:1] in "[#LPN" and _LIKE_OURS.match(path):
        return f"\\u{{{ord(path[0]):x}}}{escaped(path[1:])}"
    return escaped(path)


def escaped(text: str) -> str:
    """Returns a text that is no name, such as a cell of a table, with the escapes of `shown` for single characters."""
    return _NAME_ESCAPES.sub(_escape, text)


def unshown(path: str) -> str:
    """Reverses `shown`; text without such escapes is unchanged."""
    return _ESCAPED.sub(_unescape, path)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{{{code:x}}}"


def _unescape(match: re.Match[str]) -> str:
    escape = match.group()
    if escape in _LONG:
        return _LONG[escape]
    if escape[1] == "x":
        return chr(0xDC00 + int(escape[2:], 16)) if int(escape[2:], 16) >= 0x80 else escape
    code = int(escape[3:-1], 16)
    return chr(code) if code <= 0x10FFFF else escape


def portable(path: str) -> str:
    r"""Returns the path for JSON: unchanged, except for invalid bytes, which JSON cannot represent (`\xff`,
    fault-N04)."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return re.sub("[\udc80-\udcff]", _escape, path)
    return path

"""Orders, normalises and shows vault-relative paths, and reads the shown form back."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable
from operator import methodcaller
from typing import Final

_NAME_ESCAPES = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff"  # zero width, bidi, separators
    "\U000e0000-\U000e007f"  # tag characters
    "\udc80-\udcff"  # bytes that are no UTF-8, as surrogateescape keeps them
    "]"
)
NO_TEXT = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""A lone surrogate, which no file name has: those of a byte that is no UTF-8 are U+DC80 to U+DCFF."""

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LONG = {value: key for key, value in _SHORT.items()}
_ESCAPED = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u\{[0-9a-f]{1,6}\})")


def order(path: str) -> bytes:
    """The key that puts paths in ripgrep's ``--sort path`` order: bytewise, component by component.

    `/` sorts below every other byte, so `a/x` comes before `a!.md`.
    """
    return os.fsencode(path).replace(b"/", b"\0")


def nfc(path: str) -> str:
    """The path in the form in which names are compared."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def join(folder: str, name: str) -> str:
    """The path of `name` in a vault-relative folder, where `""` is the root."""
    return f"{folder}/{name}" if folder else name


def stem(path: str) -> str:
    """The name of a file without its ending, as `PurePosixPath.stem`, in a sixth of its time."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[:dot] if 0 < dot < len(name) - 1 else name


def is_below(folder: str, path: str) -> bool:
    """Whether a path lies in a folder, at any depth, where `""` is the root."""
    return not folder or path.startswith(f"{folder}/")


is_note: Final[Callable[[str], bool]] = methodcaller("endswith", (".md", ".MD", ".Md", ".mD"))
"""Whether the path names a note: its name ends in `.md`, in any case. Asked of every file of a vault, so it
is a call that Python need not interpret (measured: a third of the time)."""


def shown(path: str) -> str:
    r"""The path as text shows it: one line, every invisible or directional character as a visible escape.

    `a\nb` for a line feed, `\xff` for a byte that is no UTF-8, `\u{202e}` for the rest (fault-N01 to fault-N04).
    """
    return _NAME_ESCAPES.sub(_escape, path)


def unshown(path: str) -> str:
    """The path that `shown` printed so; text without such an escape comes back unchanged."""
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
    r"""The path as details hold it: exact, but for bytes that are no UTF-8, which JSON cannot carry (`\xff`,
    fault-N04)."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return re.sub("[\udc80-\udcff]", _escape, path)
    return path

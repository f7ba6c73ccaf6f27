"""Colours the headings and numbers of an answer on a terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from typing import Final, TextIO

_RESET: Final = "\x1b[0m"
_BOLD: Final = "\x1b[1m"
_DIM: Final = "\x1b[2m"
_PATH: Final = "\x1b[35m"
_NUMBER: Final = "\x1b[32m"

# Our own lines, by how they begin; no line of a note can begin so.
_LINES: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...]] = (
    (re.compile(r"(#{1,2} |¶)(.*)"), lambda found: f"{_BOLD}{_PATH}{found[0]}{_RESET}"),
    (re.compile(r"\[.*\]|\(\d[\d,]* more .*\)|Under .*:|-- more .*"), lambda found: f"{_DIM}{found[0]}{_RESET}"),
    (
        re.compile(r"(Line \d+):( > )(.*)"),
        lambda found: f"{_NUMBER}{found[1]}{_RESET}:{found[2]}{_BOLD}{found[3]}{_RESET}",
    ),
    (re.compile(r"(Lines? \d+(?:-\d+)?)(:.*|, under .*:)"), lambda found: f"{_NUMBER}{found[1]}{_RESET}{found[2]}"),
    (
        re.compile(r"\*(\d+)([|:])(.*)"),
        lambda found: f"*{_NUMBER}{found[1]}{_RESET}{found[2]}{_BOLD}{found[3]}{_RESET}",
    ),
    (re.compile(r" (\d+)([|:].*)"), lambda found: f" {_NUMBER}{found[1]}{_RESET}{found[2]}"),
    (
        re.compile(r"(\S.*?):(\d+): (.*)"),
        lambda found: f"{_PATH}{found[1]}{_RESET}:{_NUMBER}{found[2]}{_RESET}: {found[3]}",
    ),
)


def is_wanted(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether a stream is a terminal that shows colour; `NO_COLOR` (no-color.org) and `TERM=dumb` say no."""
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb" or not stream.isatty():
        return False
    return sys.platform != "win32" or bool(environ.get("WT_SESSION") or environ.get("TERM"))


def coloured(text: str) -> str:
    """The text of an answer with colour; without the escape sequences it is the text as it was."""
    return "\n".join(map(_coloured, text.split("\n")))


def _coloured(line: str) -> str:
    for pattern, paint in _LINES:
        found = pattern.fullmatch(line)
        if found:
            return paint(found)
    return line

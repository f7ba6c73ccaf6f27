"""Colours an answer on a terminal: headings, numbers, and what matches."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TextIO

RESET: Final = "\x1b[0m"
BOLD: Final = "\x1b[1m"
_DIM: Final = "\x1b[2m"
_PATH: Final = "\x1b[35m"
_NUMBER: Final = "\x1b[32m"

ESCAPE: Final = re.compile(r"\x1b\[[\d;]*[mK]")

# Our own lines, by how they begin; no line of a note can begin so.
_LINES: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...]] = (
    (re.compile(r"(#{1,2} |¶)(.*)"), lambda found: f"{BOLD}{_PATH}{found[0]}{RESET}"),
    (re.compile(r"\[.*\]|\(\d[\d,]* more .*\)|Under .*:|-- more .*"), lambda found: f"{_DIM}{found[0]}{RESET}"),
    (re.compile(r"(Lines? \d+(?:-\d+)?)(:.*|, under .*:)"), lambda found: f"{_NUMBER}{found[1]}{RESET}{found[2]}"),
    (re.compile(r" (\d+)([|:].*)"), lambda found: f" {_NUMBER}{found[1]}{RESET}{found[2]}"),
)

_MATCHING: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"(?P<number>Line \d+): > (?P<line>.*)"), f"{_NUMBER}{{number}}{RESET}: > {{line}}"),
    (
        re.compile(r"\*(?P<number>\d+)(?P<between>[|:])(?P<line>.*)"),
        f"*{_NUMBER}{{number}}{RESET}{{between}}{{line}}",
    ),
    (
        re.compile(r"(?P<path>\S.*?):(?P<number>\d+): (?P<line>.*)"),
        f"{_PATH}{{path}}{RESET}:{_NUMBER}{{number}}{RESET}: {{line}}",
    ),
    (re.compile(r"  (?P<number>\d+): (?P<line>.*)"), f"  {_NUMBER}{{number}}{RESET}: {{line}}"),
)
"""A line that matches, as each tool shows it."""

_PASSAGE: Final = re.compile(r"  (?P<line>.*)")
"""A line of a passage, as an answer to a question shows it."""

Highlighter = Callable[[Sequence[str]], Sequence[str]]
"""Makes what matches in each of some lines stand out."""


def is_wanted(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether a stream is a terminal that shows colour; `NO_COLOR` (no-color.org) and `TERM=dumb` say no."""
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb" or not stream.isatty():
        return False
    return sys.platform != "win32" or bool(environ.get("WT_SESSION") or environ.get("TERM"))


def whole(lines: Sequence[str]) -> Sequence[str]:
    """Lines that stand out whole, where it is not known what matches in them."""
    return [f"{BOLD}{line}{RESET}" for line in lines]


def coloured(text: str, highlighted: Highlighter = whole, *, has_passages: bool = False) -> str:
    """The text of an answer with colour; without the escape sequences it is the text as it was."""
    shapes = [(_PASSAGE, "  {line}")] if has_passages else _MATCHING
    rows = text.split("\n")
    matching: dict[int, tuple[re.Match[str], str]] = {}
    for number, row in enumerate(rows):
        found = next(((match, form) for shape, form in shapes if (match := shape.fullmatch(row))), None)
        if found is not None:
            matching[number] = found
    lit = dict(zip(matching, highlighted([match["line"] for match, _ in matching.values()]), strict=True))
    for number, row in enumerate(rows):
        if number in matching:
            match, form = matching[number]
            rows[number] = form.format(**{**match.groupdict(), "line": lit[number]})
        else:
            rows[number] = _ours(row)
    return "\n".join(rows)


def _ours(line: str) -> str:
    for pattern, paint in _LINES:
        found = pattern.fullmatch(line)
        if found:
            return paint(found)
    return line

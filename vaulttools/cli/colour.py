"""Colours an answer on a terminal: headings, numbers, and matches."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TextIO

from vaulttools.cli.pager import ESCAPE
from vaulttools.core.work import Work
from vaulttools.errors import VaultToolsError
from vaulttools.patterns.pattern import Mode
from vaulttools.vault import Vault

RESET: Final = "\x1b[0m"
BOLD: Final = "\x1b[1m"
_DIM: Final = "\x1b[2m"
_PATH: Final = "\x1b[35m"
_NUMBER: Final = "\x1b[32m"

# Our own lines, by how they begin; no line of a note begins like this.
_LINES: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"(#{1,2} |¶)(.*)"), rf"{BOLD}{_PATH}\g<0>{RESET}"),
    (re.compile(r"\[.*\]|\(\d[\d,]* more .*\)|Under .*:|-- more .*"), rf"{_DIM}\g<0>{RESET}"),
    (re.compile(r"(Lines? \d+(?:-\d+)?)(:.*|, under .*:)"), rf"{_NUMBER}\1{RESET}\2"),
    (re.compile(r" (\d+)([|:].*)"), rf" {_NUMBER}\1{RESET}\2"),
)

_MATCHING: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"(?P<number>Line \d+): > (?P<line>.*)"), f"{_NUMBER}{{number}}{RESET}: > {{line}}"),
    (re.compile(r"\*(?P<number>\d+)(?P<between>[|:])(?P<line>.*)"), f"*{_NUMBER}{{number}}{RESET}{{between}}{{line}}"),
    (
        re.compile(r"(?P<path>\S.*?):(?P<number>\d+): (?P<line>.*)"),
        f"{_PATH}{{path}}{RESET}:{_NUMBER}{{number}}{RESET}: {{line}}",
    ),
    (re.compile(r"  (?P<number>\d+): (?P<line>.*)"), f"  {_NUMBER}{{number}}{RESET}: {{line}}"),
)
"""A matching line, in the form of each tool."""

_PASSAGE: Final = re.compile(r"  (?P<line>.*)")
"""A line of a passage, in the answer to a question."""

Highlighter = Callable[[Sequence[str]], Sequence[str]]
"""Returns the lines with their matches highlighted."""


def is_wanted(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether a stream is a terminal that shows colour; `NO_COLOR` (no-color.org) and `TERM=dumb` turn it off."""
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb" or not stream.isatty():
        return False
    return sys.platform != "win32" or bool(environ.get("WT_SESSION") or environ.get("TERM"))


def whole(lines: Sequence[str]) -> Sequence[str]:
    """Highlight whole lines, if their matches are not known."""
    return [f"{BOLD}{line}{RESET}" for line in lines]


def coloured(text: str, highlighted: Highlighter = whole, *, has_passages: bool = False) -> str:
    """Returns the text of an answer with colour; without its escape sequences it is the original text."""
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
    return next((found.expand(form) for shape, form in _LINES if (found := shape.fullmatch(line))), line)


_SECONDS: Final = 1.0
"""Seconds for ripgrep; an answer has at most 50 KiB."""

_STYLE: Final = ("--color=always", "--colors=match:none", "--colors=match:fg:red", "--colors=match:style:bold")


def highlighter(vault: Vault, arguments: Mapping[str, Any]) -> Highlighter | None:
    """Returns the highlighter for a call with these arguments; None if the call does not search for words."""
    mode: Mode
    if pattern := arguments.get("pattern"):
        mode = "fixed" if arguments.get("fixed") else "regex"
        ignores_case = bool(arguments.get("i")) or arguments.get("case_sensitive") is False
    elif "file" in arguments and (pattern := arguments.get("query")):
        mode, ignores_case = arguments.get("mode", "fixed"), False
    elif (question := arguments.get("query") or arguments.get("question")) and isinstance(question, str):
        from vaulttools.ranked.question import read, without_operators

        terms = [re.escape(term.text) for term in read(without_operators(question)[0]).terms]
        pattern, mode, ignores_case = rf"\b(?:{'|'.join(terms)})" if terms else "", "regex", True
    if not pattern:
        return None

    def highlighted(lines: Sequence[str]) -> Sequence[str]:
        try:
            flags = vault.session.ripgrep.compile(pattern, mode, ignore_case=ignores_case).arguments(normalised=True)
            asked = [*_STYLE, "--passthru", "--no-line-number", "--no-filename", *flags, "-"]
            text = "\n".join([*lines, ""]).encode("utf-8", "replace")
            printed = vault.session.ripgrep.start(asked, stdin=text).outcome(Work(_SECONDS)).stdout
        except VaultToolsError:
            return whole(lines)
        shown = printed.decode("utf-8", "replace").split("\n")[: len(lines)]
        # If ripgrep changed the lines, show the originals.
        return shown if [ESCAPE.sub("", line) for line in shown] == [*lines] else whole(lines)

    return highlighted

"""Reads the matching lines that ripgrep prints, plain or as JSON.

JSON costs ripgrep twice as much to write and us eight times as much to read (measured, 220,000 lines), so it is asked
for only where a match may touch several lines: plain ones do not tell in which of them it begins.
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from typing import Any, Final

from vaulttools.matching.hits import FileLines

PLAIN: Final = (
    *("--line-number", "--column", "--no-heading", "--with-filename", "--null"),
    r"--field-match-separator=\x00",
)
"""`path NUL line NUL column NUL text`, a line each. No name holds a NUL, and no text that counts does: a file with one
is binary. There is no column when ripgrep finds the match in the file and not in the line, as `$` behind a last line
without an end."""

HEADED: Final = ("--heading", "--no-line-number", "--with-filename", "--null")
"""`path NUL`, then its lines; an empty line before the next path. What is looked for must not match an empty line."""

JSON: Final = ("--json",)

_Lines = tuple[list[int], list[int], list[bytes]]
"""The fields of a `FileLines` that grows."""

_RECORD = re.compile(rb"([^\0]*)\0(\d{1,18})\0(?:(\d{1,18})\0)?([^\n]*)\n")
_MATCH: Final = b'{"type":"match"'
_SUMMARY: Final = b'"type":"summary"}\n'
"""What the output of `--json` ends with, whatever was found."""


def plain_lines(stdout: bytes, *, normalised: bool) -> tuple[dict[bytes, FileLines], bool]:
    r"""The lines that a run with `PLAIN` printed, by the path as it is printed, and whether there is nothing else.

    Lines of `normalised` texts end in `\n`; others may end in `\r\n`, and do so where ripgrep ended them itself.
    """
    records = _RECORD.findall(stdout)
    if not records:
        return {}, not stdout
    fields = paths, lines, columns, texts = [*map(list, zip(*records, strict=True))]
    is_whole = len(stdout) == sum(sum(map(len, each)) for each in fields) + 3 * len(records) + sum(map(bool, columns))
    numbers = [*map(int, lines)]
    starts = [int(column) - 1 if column else 0 for column in columns]
    raw = texts
    if not normalised and b"\r\n" in stdout:
        raw = [text[:-1] if text.endswith(b"\r") else text for text in texts]
    found = {}
    start = 0
    for path, count in Counter(paths).items():  # one thread: the lines of a file follow each other
        end = start + count
        found[path] = FileLines(numbers[start:end], starts[start:end], raw[start:end])
        start = end
    return found, is_whole


def headed_lines(stdout: bytes) -> dict[bytes, bytes] | None:
    """The lines of each file, as they stand in it, that a run with `HEADED` printed, by the path as it is printed; None
    when it is not sure which file they are of, since one of them holds a NUL, or the output was cut."""
    path, *blocks = stdout.split(b"\0")
    found: dict[bytes, bytes] = {}
    for number, block in enumerate(blocks, 1):
        # No line that was printed is empty, so that the first empty one ends the file's.
        lines, end, following = block.partition(b"\n\n")
        if path in found or (not following if number < len(blocks) else end or not block.endswith(b"\n")):
            return None
        found[path] = lines
        path = following
    return None if path else found


def json_lines(stdout: bytes, *, normalised: bool) -> tuple[dict[bytes, FileLines], bool]:
    """As `plain_lines`, of a run with `JSON`."""
    found: dict[bytes, _Lines] = {}
    is_whole = stdout.endswith(_SUMMARY)
    for record in stdout.split(b"\n"):
        if record.startswith(_MATCH):
            try:
                _add(found, json.loads(record)["data"], rb"\n" if normalised else rb"\r?\n")
            except (ValueError, LookupError, TypeError, RecursionError):  # cut when it was stopped, or no ripgrep
                is_whole = False
    return {path: FileLines(*lines) for path, lines in found.items()}, is_whole


def _add(found: dict[bytes, _Lines], match: Any, line_end: bytes) -> None:
    """Add the lines of one match."""
    raw = _bytes(match["lines"])
    first = match["submatches"][0]["start"] if match["submatches"] else 0
    number = match["line_number"]
    if number < 1:
        raise ValueError
    numbers, starts, texts = found.setdefault(_bytes(match["path"]), ([], [], []))
    # A multiline match touches several lines; each is a matching line of its own, and may be the next match's, too.
    for offset, touched in enumerate(_lines(raw, line_end)):
        if not numbers or numbers[-1] < number + offset:
            numbers.append(number + offset)
            starts.append(first if offset == 0 else 0)
            texts.append(touched)


def _lines(raw: bytes, line_end: bytes) -> list[bytes]:
    lines = re.split(line_end, raw)
    if not lines[-1]:
        lines.pop()
    return lines


def _bytes(value: dict[str, Any]) -> bytes:
    """ripgrep's JSON text: `{"text": …}`, or `{"bytes": …}` in base64 when it is no UTF-8."""
    if "text" in value:
        return str(value["text"]).encode()
    return base64.b64decode(value["bytes"])

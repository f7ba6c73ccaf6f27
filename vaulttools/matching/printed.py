"""Parses the matching lines that ripgrep prints, plain or as JSON.

JSON takes ripgrep twice as long to write and us eight times as long to read (measured, 220,000 lines), so it is used
only if a match may touch several lines: plain output does not show in which of them it begins.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any, Final

from vaulttools.matching.hits import FileLines

PLAIN: Final = (
    *("--line-number", "--column", "--heading", "--with-filename", "--null"),
    r"--field-match-separator=\x00",
)
"""Output: `path NUL`, then lines of `line NUL column NUL text`; an empty line before the next path. Names never hold a
NUL, and nor do relevant texts: a file with one is binary. The column is missing if ripgrep finds the match in the file
but not in the line, as `$` after a last line without an end."""

JSON: Final = ("--json",)

_Lines = tuple[list[int], list[int], list[bytes]]
"""The fields of a growing `FileLines`."""

_RECORD = re.compile(rb"(\d{1,18})\0(?:(\d{1,18})\0)?([^\n]*)\n")
_LENGTHS: Final = frozenset(range(1, 19))
"""Possible numbers of digits."""
_MATCH: Final = b'{"type":"match"'
_SUMMARY: Final = b'"type":"summary"}\n'
"""The end of every complete output of `--json`."""


def plain_lines(stdout: bytes, *, normalised: bool, crlf: bool) -> tuple[dict[bytes, FileLines], bool]:
    r"""Returns the lines of a run with `PLAIN` by printed path, and whether the output holds nothing else.

    Lines of `normalised` texts end in `\n`; others may end in `\r\n`, and do if ripgrep added the end. With `--crlf`
    (`crlf`), the empty line before the next path does, too.
    """
    found = {}
    empty = b"\n\r\n" if crlf else b"\n\n"
    is_whole = stdout[-1:] in (b"\n", b"")
    begun, ended = b"", stdout[: max(0, stdout.rfind(b"\n"))]
    # Every printed line has a number, so the first empty line ends the file's lines.
    for block in ended.split(empty) if ended else ():
        path, nul, lines = (begun + block).partition(b"\0")
        begun = b"" if nul else path + empty  # a file name with an empty line
        if nul:
            found[path], is_all = _records(lines, normalised)
            is_whole = is_whole and is_all
    return found, is_whole and not begun


def _records(lines: bytes, normalised: bool) -> tuple[FileLines, bool]:
    """Parses the lines below one path; also returns whether the text holds nothing else."""
    fields = lines.replace(b"\n", b"\0").split(b"\0")
    numbers, columns, texts = fields[::3], fields[1::3], fields[2::3]
    is_all = len(texts) == len(numbers) == lines.count(b"\n") + 1 and b"".join([*numbers, *columns]).isdigit()
    if not is_all or not _LENGTHS.issuperset(map(len, [*numbers, *columns])):  # a line without a column, or cut
        records = _RECORD.findall(lines + b"\n")
        numbers, columns, texts = [*map(list, zip(*records, strict=True))] if records else ([], [], [])
        size = sum(sum(map(len, each)) for each in (numbers, columns, texts))
        is_all = len(lines) + 1 == size + 2 * len(records) + sum(map(bool, columns))
    if not normalised and b"\r" in lines:
        texts = [text[:-1] if text.endswith(b"\r") else text for text in texts]
    starts = [int(column) - 1 if column else 0 for column in columns]
    return FileLines([*map(int, numbers)], starts, texts), is_all


def json_lines(stdout: bytes, *, normalised: bool) -> tuple[dict[bytes, FileLines], bool]:
    """Like `plain_lines`, for a run with `JSON`."""
    found: dict[bytes, _Lines] = {}
    is_whole = stdout.endswith(_SUMMARY)
    for record in stdout.split(b"\n"):
        if record.startswith(_MATCH):
            try:
                _add(found, json.loads(record)["data"], rb"\n" if normalised else rb"\r?\n")
            except (ValueError, LookupError, TypeError, RecursionError):  # cut off, or not ripgrep's output
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
    # Each line that a multiline match touches is a matching line; the next match may touch it, too.
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
    """Decodes ripgrep's JSON text: `{"text": …}`, or `{"bytes": …}` in base64 for invalid UTF-8."""
    if "text" in value:
        return str(value["text"]).encode()
    return base64.b64decode(value["bytes"])

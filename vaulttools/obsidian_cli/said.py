"""Defines what a command gives: its text, or one of three ways to give none."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from vaulttools.core import limits, paths, render
from vaulttools.errors import VaultToolsError


class Said(NamedTuple):
    """What a command prints on standard output, with status 0."""

    text: str
    """Without the final line end; `""` prints nothing."""
    found: bool = True
    """False if it is the sentence for an empty answer."""


class AppError(VaultToolsError):
    """An error in the app's words: standard output, after `Error: `, with status 0."""


class NotBuilt(VaultToolsError):
    """What only the app can do, or what is not known of it: standard error, with status 1."""


class Unfinished(VaultToolsError):
    """Time or the most rows ended the answer: standard error, with status 2, and nothing on standard output."""


MOST: Final = limits.RESULTS
"""Rows of an answer: a part would look like the whole."""

_CONTROLS: Final = re.compile(
    f"{render.EMOJI_TAGS}|[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\udc80-\udcff\U000e0000-\U000e007f]"
)
"""What would end a row, steer a terminal or a reader, or be no text; and flags, which stay."""


def number(count: int) -> Said:
    """Returns the answer to `total`: a bare integer, whatever the format."""
    return Said(str(count), count > 0)


def lines(rows: Sequence[str], nothing: str) -> Said:
    """Returns one row a line, or the sentence for none."""
    return Said("\n".join(map(one_line, rows)), found=True) if rows else Said(nothing, found=False)


def table(rows: Sequence[Mapping[str, str]], format: str, nothing: str) -> Said:  # noqa: A002 - the app's word
    """Returns rows as JSON, whose values are all texts, or as columns between tabs without a header.

    Raises:
        NotBuilt: a value holds a tab, which columns between tabs cannot show.
    """
    if not rows:
        return Said(nothing, found=False)
    if format == "json":
        return Said(as_json(rows))
    for row in rows:
        if any("\t" in value for value in row.values()):
            raise NotBuilt("A value holds a tab, and it is not known how the app writes that: ask with format=json")
    return lines(["\t".join(row.values()) for row in rows], nothing)


def one_line(text: str) -> str:
    """Returns a row without characters that would end it or steer, escaped as in the names that answers show."""
    return _CONTROLS.sub(lambda found: found[0] if len(found[0]) > 1 else paths.escaped(found[0]), text)


def as_json(value: Any) -> str:
    """Returns JSON in one line, also for readers that accept other characters as line ends."""
    return render.json_line(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def ensure_all(count: int, *, is_whole: bool = True) -> None:
    """Check that an answer holds all rows.

    Raises:
        Unfinished: it does not.
    """
    if count > MOST or not is_whole:
        raise Unfinished(f"There are more than {MOST:,} rows, and a part would look like all: ask for fewer")

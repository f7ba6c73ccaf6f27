"""Answers what one note holds: `read`, `outline`, `aliases`, `wordcount`, the daily note."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from vaulttools.answers import all_notes
from vaulttools.answers.incremental import NoteProjection
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.errors import AccessDenied, OutsideVault
from vaulttools.files.document import Document
from vaulttools.notes.difference import Change
from vaulttools.notes.note import Note
from vaulttools.notes.parts import Heading
from vaulttools.obsidian_cli import targets
from vaulttools.obsidian_cli.asked import Asked
from vaulttools.obsidian_cli.said import NotBuilt, Said, as_json, ensure_all, lines, number


def read(call: Call, asked: Asked) -> Said:
    """Returns the whole text of a file.

    Raises:
        NotBuilt: it is no text.
    """
    return _text(call, targets.file(call, asked))


def daily_read(call: Call, asked: Asked) -> Said:
    """Returns the text of the daily note.

    Raises:
        NotBuilt: there is none, and the app would make one.
    """
    note, path = _daily(call)
    if path is None:
        raise NotBuilt(
            f"There is no daily note {paths.shown(note)}, and nothing is written here: the app would make it"
        )
    return _text(call, path)


def daily_path(call: Call, asked: Asked) -> Said:
    """Returns the path of the daily note, also if there is none."""
    return lines([paths.portable(_daily(call)[0])], "")


def outline(call: Call, asked: Asked) -> Said:
    """Returns the headings of a note."""
    found = targets.note(call, asked).headings
    if not found:
        return Said("No headings found.", found=False)
    if asked.has("total"):
        return number(len(found))
    if asked.format == "json":
        return Said(as_json([{"level": each.level, "heading": each.text, "line": each.line} for each in found]))
    if asked.format == "md":
        return lines([f"{'#' * each.level} {each.text}" for each in found], "")
    return lines(_tree(found), "")


def aliases(call: Call, asked: Asked) -> Said:
    """Returns the aliases of a note, or of all notes, in path order."""
    path = targets.optional_file(call, asked)
    if path is not None:
        found = list(targets.note_at(call, path).aliases)
    else:
        call, scope = all_notes.awaited(call)
        held = all_notes.answered(call, ALIASES, scope).answer
        found = [alias for each in sorted(held, key=paths.order) for alias in held[each]]
        ensure_all(len(found))
    return number(len(found)) if asked.has("total") else lines(found, "No aliases found.")


def wordcount(call: Call, asked: Asked) -> Said:
    """Returns the words and the characters (UTF-16 units) of a note without its properties.

    Raises:
        NotBuilt: it is no text.
    """
    path = targets.file(call, asked)
    document = _readable(call, path)
    body = document.text
    if paths.is_note(path):
        body = "\n".join(document.text.split("\n")[Note(path, document.text).body_line - 1 :])
    counts = {"words": len(_WORD.findall(body)), "characters": len(body.encode("utf-16-le", "surrogatepass")) // 2}
    wanted = [name for name in counts if asked.has(name)]
    if len(wanted) == 1:
        return Said(str(counts[wanted[0]]))
    return Said("\n".join(f"{name}: {count}" for name, count in counts.items()))


_WORD: Final = re.compile(
    r"[\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]"
    r"|(?:\d+(?:[,.]\d+)*|[-'’]|(?![\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff])[^\W_])+"
)
"""Chinese and Japanese have a word a character; numbers and words joined by hyphens are one word."""


def _text(call: Call, path: str) -> Said:
    return Said(_readable(call, path).text.removesuffix("\n"))


def _readable(call: Call, path: str) -> Document:
    document = targets.document(call, path)
    if document.is_binary:
        raise NotBuilt(f"{paths.shown(path)} is no text")
    return document


def _daily(call: Call) -> tuple[str, str | None]:
    try:
        note, path = targets.daily(call)
    except (OutsideVault, AccessDenied):  # the place is not repeated
        raise NotBuilt("The settings of daily notes lead to a place that is closed here") from None
    return note.path, path


def _tree(found: Sequence[Heading]) -> list[str]:
    """Returns the headings with lines that lead from each to those below it."""
    rows: list[str] = []
    open_at: set[int] = set()
    depths: list[int] = []
    above: list[int] = []
    for heading in found:
        while above and above[-1] >= heading.level:
            above.pop()
        depths.append(len(above))
        above.append(heading.level)
    for place in range(len(found) - 1, -1, -1):  # from the end: whether another one follows at the same depth
        depth = depths[place]
        lead = "".join("│   " if each in open_at else "    " for each in range(depth))
        rows.append(f"{lead}{'├── ' if depth in open_at else '└── '}{found[place].text}")
        open_at = {each for each in open_at if each < depth} | {depth}
    return rows[::-1]


def _changed(
    before: Mapping[str, tuple[str, ...]], changes: Sequence[Change[tuple[str, ...]]]
) -> Mapping[str, tuple[str, ...]]:
    after = dict(before)
    for path, _, now in changes:
        if now:
            after[path] = now
        else:
            after.pop(path, None)
    return after


ALIASES: Final[NoteProjection[tuple[str, ...], Mapping[str, tuple[str, ...]]]] = NoteProjection(
    "aliases", lambda note: note.aliases, {}, _changed
)
"""The aliases of each note that has some."""

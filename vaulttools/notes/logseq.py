"""Reads what notes mean where Logseq's settings are, and Obsidian would read otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from vaulttools.core import paths
from vaulttools.notes.properties.values import resolve

if TYPE_CHECKING:
    from vaulttools.notes.properties.values import Value

_PROPERTY: Final = re.compile(r"(?P<bullet>[-*] )?[ \t]*(?P<name>[^\s:,#\[\](){}\"'`]+)::(?:[ \t]+(?P<value>.*))?")
"""A property on a line of its own."""
_ITEM: Final = re.compile(r"[ \t]*#?\[\[([^\[\]]+)\]\][ \t]*|([^,]+)")
"""A value of a list that commas divide; a comma in a link divides nothing."""
_LISTS: Final = {"tags": "tags", "alias": "aliases"}
"""The properties that are lists of names, with the names that they have in Obsidian."""

_STATUSES: Final = {
    **dict.fromkeys(("TODO", "LATER", "NOW", "DOING", "IN-PROGRESS", "WAITING", "WAIT"), " "),
    "DONE": "x",
    **dict.fromkeys(("CANCELED", "CANCELLED"), "-"),
}
"""By the word that makes a block a task, the character that a checkbox would hold."""
_PLAIN: Final = frozenset(("TODO", "DONE", "CANCELED", "CANCELLED"))
"""Words that say no more than this character; the others stay in the task's text."""
MARKER: Final = re.compile(rf"(?<![^ \t])(?:{'|'.join(map(re.escape, _STATUSES))})(?=[ \t\n]|\Z)")
"""The word that makes a block a task."""
_PRIORITY: Final = re.compile(r"^\[#([ABC])\][ \t]*")
_PRIORITIES: Final = {"A": "high", "B": "medium", "C": "low"}
_DAY: Final = re.compile(
    r"[ \t]*(?P<field>SCHEDULED|DEADLINE):[ \t]*<(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})(?P<rest>[^<>\n]{0,40})>[ \t]*"
)
_REPEATER: Final = re.compile(r"(?:\.\+|\+\+|\+)([0-9]+)([hdwmy])")
_UNITS: Final = {"h": "hour", "d": "day", "w": "week", "m": "month", "y": "year"}


def page_path(path: str) -> str:
    """Returns the path that a note would have if its namespace were folders: links name it so.

    `a___b.md` and, in old graphs, `a%2Fb.md` are `[[a/b]]`; other signs that no file name may hold are escaped, too.
    """
    folder, slash, name = path.rpartition("/")
    if ("___" not in name and "%" not in name) or not paths.is_note(path):
        return path
    page = unquote(name.replace("___", "/"), errors="replace")
    steps = page.split("/")
    is_name = page.isprintable() and "\ufffd" not in page and not {"", ".", "..", ".md"} & set(steps)
    return f"{folder}{slash}{page}" if is_name else path


def page_name(path: str) -> str:
    """Returns the name of a page, with its namespace: `a/b`."""
    return page_path(path)[path.rfind("/") + 1 :].removesuffix(".md")


def page_properties(lines: Sequence[str], first_line: int) -> Mapping[str, Value]:
    """Returns the properties of a page, `key:: value`: those of the first block from a line (from 1) on, if it holds
    nothing else. `tags` and `alias`, here `aliases`, are lists; other values are as in YAML, links stay links."""
    start = next((number for number in range(first_line - 1, len(lines)) if lines[number].strip()), len(lines))
    found: dict[str, Value] = {}
    for number in range(start, len(lines)):
        line = lines[number].rstrip()
        match = _PROPERTY.fullmatch(line)
        if match is None or (match["bullet"] and number > start):
            is_whole = not line.strip() or line.startswith(("-", "* "))
            return found if is_whole else {}
        name, value = match["name"], (match["value"] or "").strip()
        folded = name.casefold()
        if folded in _LISTS:
            found[_LISTS[folded]] = _names(value, is_tags=folded == "tags")
        else:
            found[name] = resolve(value)[0]
    return found


def _names(value: str, *, is_tags: bool) -> list[Value]:
    """Returns the names in a value: pages, tags, or plain words. A tag of several words is joined by `-`, since ours
    have no blanks."""
    names = ((match[1] or match[2]).strip().removeprefix("#").strip() for match in _ITEM.finditer(value))
    return ["-".join(name.split()) if is_tags else name for name in names if name]


def task(marker: str, text: str, below: Sequence[str]) -> tuple[str, str]:
    """Returns the status of a task, and its text with priority and days as inline fields, as `notes.tasks` reads them.

    `text` is what follows the marker; `below` are the other lines of the block.
    """
    fields: list[str] = []
    if (priority := _PRIORITY.match(text)) is not None:
        text = text[priority.end() :]
        fields.append(f"[priority:: {_PRIORITIES[priority[1]]}]")
    for line in below:
        fields += _days(line)
    word = "" if marker in _PLAIN else marker
    return _STATUSES[marker], " ".join(filter(None, (word, text.strip(), *fields)))


def _days(line: str) -> Iterator[str]:
    if (found := _DAY.fullmatch(line)) is None:
        return
    yield f"[{'scheduled' if found['field'] == 'SCHEDULED' else 'due'}:: {found['day']}]"
    if (repeater := _REPEATER.search(found["rest"])) is not None:
        number, unit = repeater[1], _UNITS[repeater[2]]
        yield f"[repeat:: every {unit}]" if number == "1" else f"[repeat:: every {number} {unit}s]"

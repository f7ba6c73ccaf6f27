"""Reads tasks: dates, priority and recurrence, as emoji signs or as inline fields of Dataview.

The Tasks plugin reads its signs only at the end of a line, in any order. Here they count anywhere in the line except in
code, links and comments, so a sign before a word is not lost. If a field has several values, the first one counts, as
in the plugin, and the answer reports the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from vaulttools.notes.contents import Contents
from vaulttools.notes.links.brackets import WIKILINK
from vaulttools.notes.links.mentions import code_spans
from vaulttools.notes.parts import Task

Priority: TypeAlias = Literal["highest", "high", "medium", "low", "lowest"]

PRIORITIES: Final = ("highest", "high", "medium", None, "low", "lowest")
"""From the first to the last; None, no priority, is between medium and low, as in the plugin."""

DATES: Final = ("due", "scheduled", "start", "created", "done", "cancelled")
"""The fields that hold a day."""


class TaskDetails(NamedTuple):
    """A task with the fields in its line. Days are ISO texts, which compare by time."""

    line: int
    status: str
    """The character in the box."""
    text: str
    """The text without its fields and without the block id at the end."""
    parent: int
    """The line of the task that it is nested in; 0 if there is none."""
    heading: tuple[str, ...]
    """The headings above it, outermost first."""
    tags: tuple[str, ...]
    """Its tags without `#`."""
    due: str | None = None
    scheduled: str | None = None
    start: str | None = None
    created: str | None = None
    done: str | None = None
    cancelled: str | None = None
    priority: str | None = None
    """One of `PRIORITIES`."""
    recurrence: str | None = None
    """The rule as written: `every week when done`."""
    problems: tuple[str, ...] = ()
    """Sentences about fields that do not count."""


class _FieldSpan(NamedTuple):
    """A field in a line, with its start and end offsets."""

    start: int
    end: int
    field: str
    value: str


_SIGNS: Final = {
    "📅": "due",
    "📆": "due",
    "🗓": "due",
    "⏳": "scheduled",
    "⌛": "scheduled",
    "🛫": "start",
    "➕": "created",
    "✅": "done",
    "❌": "cancelled",
}
_PRIORITY_SIGNS: Final[dict[str, Priority]] = dict(zip("🔺⏫🔼🔽⏬", get_args(Priority), strict=True))

_DAY: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])"
_ID: Final = r"[a-zA-Z0-9_-]+"
_SIGN: Final = re.compile(
    rf"(?P<dated>[{''.join(_SIGNS)}])\ufe0f?[ ]*(?P<day>{_DAY})"
    rf"|(?P<priority>[{''.join(_PRIORITY_SIGNS)}])\ufe0f?"
    r"|🔁\ufe0f?[ ]*(?P<rule>every\b[a-zA-Z0-9, !]{0,120})"
    rf"|(?:🆔\ufe0f?[ ]*{_ID}|⛔\ufe0f?[ ]*{_ID}(?:[ ]*,[ ]*{_ID})*|🏁\ufe0f?[ ]*(?:keep|delete)\b)",
    re.IGNORECASE,
)
_FIELD: Final = re.compile(r"\[[ ]*([A-Za-z]+)::([^\[\]]*|[ ]*\[\[[^\[\]]*\]\][ ]*)\]|\([ ]*([A-Za-z]+)::([^()]*)\)")
"""An inline field. It holds no other brackets, except a link to a daily note instead of a day."""

_FIELDS: Final = {
    **{name: name for name in (*DATES, "priority")},
    "completion": "done",
    "repeat": "recurrence",
    "id": "",
    "dependson": "",
    "oncompletion": "",
}
"""By lower-case name, as Dataview compares it, the field; `""` for known ones that are cut out and ignored."""

_FIELD_DAY: Final = re.compile(rf"(?:\[\[)?({_DAY})(?:T[0-9:.+Z-]*)?(?:\]\])?")
_RULE: Final = 120
"""Upper bound of the characters of a recurrence; longer ones stay in the text. The plugin's longest example has 61."""

_PROBLEMS: Final = 5
"""Upper bound of the problems reported for one task, which may be a line of a megabyte."""

_BLOCK_ID: Final = re.compile(r"(?<![ \t])[ \t]++\^[a-zA-Z0-9-]+$")
_HIDING: Final = re.compile(rf"{WIKILINK.pattern}|%%.*?(?:%%|$)|\]\([^()]*\)|https?://\S+")
"""Links and comments; signs in them do not count."""


def tasks(note: Contents) -> Iterator[TaskDetails]:
    """Yields the tasks of a note in the order of their lines, without those in code, HTML and comments."""
    structure = note.structure
    if not structure.tasks:
        return
    spans = [(first + 1, last) for first, last in structure.comments]  # a comment may begin after a task's text
    spans += [(block.start_line, block.end_line) for block in structure.blocks if block.kind == "html"]
    hidden = {line for first, last in spans for line in range(first, last + 1)}
    tags: dict[int, list[str]] = {}
    for tag in structure.tags:
        tags.setdefault(tag.line, []).append(tag.name)
    above: list[Task] = []
    for task in structure.tasks:
        if task.line in hidden:
            continue
        while above and above[-1].last_line < task.line:
            above.pop()
        yield _read(task, above[-1].line if above else 0, note.breadcrumb(task.line), tuple(tags.get(task.line, ())))
        above.append(task)


def _read(task: Task, parent: int, heading: tuple[str, ...], tags: tuple[str, ...]) -> TaskDetails:
    line = _BLOCK_ID.sub("", task.text)
    found = sorted(_fields(line)) if not line.isascii() or "::" in line else []
    kept: dict[str, str] = {}
    problems: dict[str, None] = {}
    for field, value in ((each.field, each.value) for each in found if each.field):
        if field in DATES and not _is_day(value):
            problems[f"there is no such day: {field} {value}"] = None
        elif kept.setdefault(field, value) != value:
            problems[f"{field} is given twice: {kept[field]} counts, {value} does not"] = None
    return TaskDetails(
        task.line,
        task.status,
        _without(line, found),
        parent,
        heading,
        tags,
        **kept,
        problems=tuple(problems)[:_PROBLEMS],
    )


def _fields(line: str) -> Iterator[_FieldSpan]:
    """Yields the fields of a line: inline fields, then signs outside them."""
    hidden = bytearray(len(line))
    _hide(hidden, code_spans(line))
    inline = []
    for match in _FIELD.finditer(line):
        if hidden[match.start()]:
            continue
        name, value = match[1] or match[3], (match[2] or match[4] or "").strip()
        field = _FIELDS.get(name.lower())
        if field is not None and (read := _value(field, value)) is not None:
            inline.append(_FieldSpan(match.start(), match.end(), field, read))
    yield from inline
    _hide(hidden, (match.span() for match in _HIDING.finditer(line)))
    _hide(hidden, ((each.start, each.end) for each in inline))
    for match in _SIGN.finditer(line):
        if hidden[match.start()]:
            continue
        if match["dated"]:
            yield _FieldSpan(*match.span(), _SIGNS[match["dated"]], match["day"])
        elif match["priority"]:
            yield _FieldSpan(*match.span(), "priority", _PRIORITY_SIGNS[match["priority"]])
        elif match["rule"]:
            yield _FieldSpan(match.start(), match.end(), "recurrence", match["rule"].strip())
        else:
            yield _FieldSpan(*match.span(), "", "")


def _value(field: str, value: str) -> str | None:
    """Returns the value of an inline field; None if it is invalid for the field, which then stays in the text."""
    if field in DATES:
        day = _FIELD_DAY.fullmatch(value)
        return day[1] if day else None
    if field == "priority":
        return value.lower() if value.lower() in get_args(Priority) else None
    return value if 0 < len(value) <= _RULE else None


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _without(line: str, found: Sequence[_FieldSpan]) -> str:
    """Returns the line without its fields; a field between words leaves one blank."""
    starts, ends = [0, *(each.end for each in found)], [*(each.start for each in found), len(line)]
    return " ".join(filter(None, (line[start:end].strip() for start, end in zip(starts, ends, strict=True))))


def _hide(hidden: bytearray, spans: Iterable[tuple[int, int]]) -> None:
    for start, end in spans:
        hidden[start:end] = b"\1" * (end - start)

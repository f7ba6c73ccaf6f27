"""The details of a task: signs of the Tasks plugin, inline fields of Dataview, odd ones, and lines that are no task."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.notes.note import Note
from vaulttools.notes.packing import PackedNote, dump
from vaulttools.notes.tasks import TaskDetails, tasks


def read(line: str) -> TaskDetails:
    (found,) = tasks(Note("n.md", f"- [ ] {line}"))
    return found


def said(line: str) -> dict[str, Any]:
    """The details that a line gives, without the empty ones."""
    values = read(line)._asdict()
    names = ("due", "scheduled", "start", "created", "done", "cancelled", "priority", "recurrence")
    return {"text": values["text"]} | {name: values[name] for name in names if values[name] is not None}


SIGNS = [
    # Tasks plugin, "Tasks Emoji Format" and "Dates".
    ("take out the trash 📅 2021-04-09", {"text": "take out the trash", "due": "2021-04-09"}),
    ("a ⏳ 2021-04-09", {"text": "a", "scheduled": "2021-04-09"}),
    ("a ⌛ 2021-04-09", {"text": "a", "scheduled": "2021-04-09"}),
    ("a 🛫 2021-04-09", {"text": "a", "start": "2021-04-09"}),
    ("a ➕ 2021-04-09", {"text": "a", "created": "2021-04-09"}),
    ("a ✅ 2021-04-09", {"text": "a", "done": "2021-04-09"}),
    ("a ❌ 2021-04-09", {"text": "a", "cancelled": "2021-04-09"}),
    ("a 📆 2021-04-09", {"text": "a", "due": "2021-04-09"}),
    ("a 🗓️ 2021-04-09", {"text": "a", "due": "2021-04-09"}),
    ("a 📅2021-04-09", {"text": "a", "due": "2021-04-09"}),
    ("a 🔺", {"text": "a", "priority": "highest"}),
    ("a ⏫", {"text": "a", "priority": "high"}),
    ("a 🔼", {"text": "a", "priority": "medium"}),
    ("a 🔽", {"text": "a", "priority": "low"}),
    ("a ⏬️", {"text": "a", "priority": "lowest"}),
    ("a 🔁 every day", {"text": "a", "recurrence": "every day"}),
    ("a 🔁 every week on Tuesday, Friday", {"text": "a", "recurrence": "every week on Tuesday, Friday"}),
    ("a 🔁 every month on the 1st when done 📅 2021-04-01",
     {"text": "a", "due": "2021-04-01", "recurrence": "every month on the 1st when done"}),
    ("a 🆔 dcf64c", {"text": "a"}),
    ("a ⛔ dcf64c,0h17ye", {"text": "a"}),
    ("a 🏁 delete", {"text": "a"}),
    # In any order, with tags between and a block id at the end.
    ("#task a ⏫ 🔁 every day ➕ 2021-01-01 🛫 2021-01-02 ⏳ 2021-01-03 📅 2021-01-04 ✅ 2021-01-05 #b ^id-1",
     {"text": "#task a #b", "priority": "high", "recurrence": "every day", "created": "2021-01-01",
      "start": "2021-01-02", "scheduled": "2021-01-03", "due": "2021-01-04", "done": "2021-01-05"}),
    ("📅 2021-04-09 words behind it", {"text": "words behind it", "due": "2021-04-09"}),
]  # fmt: skip
FIELDS = [
    # Tasks plugin, "Dataview Format"; Dataview, "Metadata on Tasks and Lists".
    ("a [due:: 2021-04-09]", {"text": "a", "due": "2021-04-09"}),
    ("a (due:: 2021-04-09)", {"text": "a", "due": "2021-04-09"}),
    ("a [due::2021-04-09]", {"text": "a", "due": "2021-04-09"}),
    ("a [  due::   2021-04-09  ]", {"text": "a", "due": "2021-04-09"}),
    ("a [Due:: 2021-04-09]", {"text": "a", "due": "2021-04-09"}),
    ("a [due:: 2021-04-09T10:30]", {"text": "a", "due": "2021-04-09"}),
    ("a [due:: [[2021-04-09]]]", {"text": "a", "due": "2021-04-09"}),
    ("a [completion:: 2021-04-09]", {"text": "a", "done": "2021-04-09"}),
    ("a [priority:: high]  [repeat:: every day]", {"text": "a", "priority": "high", "recurrence": "every day"}),
    ("a (priority:: Highest) (scheduled:: 2021-01-03)",
     {"text": "a", "priority": "highest", "scheduled": "2021-01-03"}),
    ("a [id:: dcf64c] [dependsOn:: 0h17ye] [onCompletion:: keep]", {"text": "a"}),
    ("a [due:: 2021-04-09] 🔼", {"text": "a", "due": "2021-04-09", "priority": "medium"}),
]  # fmt: skip
ODD = [
    ("écrire à Zoë 📅 2021-04-09 avant midi", {"text": "écrire à Zoë avant midi", "due": "2021-04-09"}),
    ("単語を覚える📅2021-04-09", {"text": "単語を覚える", "due": "2021-04-09"}),
    ("اتصل 📅 2021-04-09", {"text": "اتصل", "due": "2021-04-09"}),
    ("`📅 2021-04-09` and `` [due:: 2021-04-09] ``", {"text": "`📅 2021-04-09` and `` [due:: 2021-04-09] ``"}),
    ("see [[a 📅 2021-04-09]] %%✅ 2021-04-09%%", {"text": "see [[a 📅 2021-04-09]] %%✅ 2021-04-09%%"}),
    ("party 🎉 2021-04-09", {"text": "party 🎉 2021-04-09"}),
    ("remind me ⏰ 2021-04-09", {"text": "remind me ⏰ 2021-04-09"}),
    ("📅 tomorrow", {"text": "📅 tomorrow"}),
    ("a 📅 2021-4-9", {"text": "a 📅 2021-4-9"}),
    ("a 📅 [[2021-04-09]]", {"text": "a 📅 [[2021-04-09]]"}),
    ("a 📅\u00a02021-04-09", {"text": "a 📅\u00a02021-04-09"}),
    ("a 📅 2021-04-091", {"text": "a 📅 2021-04-091"}),
    ("🔁 sync calendars", {"text": "🔁 sync calendars"}),
    ("a [due:: tomorrow] [priority:: urgent]", {"text": "a [due:: tomorrow] [priority:: urgent]"}),
    ("a [owner:: Amara]", {"text": "a [owner:: Amara]"}),
    ("a [due:: 2021-04-09", {"text": "a [due:: 2021-04-09"}),
    ("📅 2021-04-09", {"text": "", "due": "2021-04-09"}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "values"), [*SIGNS, *FIELDS, *ODD])
def test_signs_and_inline_fields_are_read_and_other_words_stay_in_the_text(line: str, values: dict[str, str]) -> None:
    assert said(line) == values


@pytest.mark.parametrize(
    ("line", "due", "problems"),
    [
        ("a 📅 2021-04-09 📅 2021-05-01", "2021-04-09",
         ("due is given twice: 2021-04-09 counts, 2021-05-01 does not",)),
        ("a [due:: 2021-05-01] 📅 2021-04-09", "2021-05-01",
         ("due is given twice: 2021-05-01 counts, 2021-04-09 does not",)),
        ("a 📅 2021-04-09 📅 2021-04-09", "2021-04-09", ()),
        ("a 📅 2021-02-30", None, ("there is no such day: due 2021-02-30",)),
        ("a 📅 2021-02-30 📅 2021-03-01", "2021-03-01", ("there is no such day: due 2021-02-30",)),
    ],
)  # fmt: skip
def test_a_date_that_does_not_count_is_reported(line: str, due: str | None, problems: tuple[str, ...]) -> None:
    found = read(line)
    assert (found.text, found.due, found.problems) == ("a", due, problems)


@pytest.mark.parametrize(
    "text",
    [
        "```\n- [ ] a\n```",
        "    - [ ] a",
        "%%\n- [ ] a\n%%",
        "<!--\n- [ ] a\n-->",
        "---\n- [ ] a\n---\n",
        "- a",
        "[ ] a",
    ],
)
def test_code_comments_and_properties_hold_no_tasks(text: str) -> None:
    assert list(tasks(Note("n.md", text))) == []


def test_a_task_knows_its_parent_its_headings_and_its_tags() -> None:
    text = """# Home
- [ ] a #x
  - b
    - [x] c #y/z
      1. [ ] d
  - [ ] e
## Work
> - [/] f
"""
    found = [
        (task.line, task.status, task.text, task.parent, task.heading, task.tags) for task in tasks(Note("", text))
    ]
    assert found == [
        (2, " ", "a #x", 0, ("Home",), ("x",)),
        (4, "x", "c #y/z", 2, ("Home",), ("y/z",)),
        (5, " ", "d", 4, ("Home",), ()),
        (6, " ", "e", 2, ("Home",), ()),
        (8, "/", "f", 0, ("Home", "Work"), ()),
    ]


PIECES = st.sampled_from(
    ["a", " ", "📅", "2021-04-09", "2021-02-30", "🔁 every day", "⏫", "🆔 x", "[due:: ", "]", "(", ")", "[[", "]]",
     "`", "%%", "^id", "::", "#t", "\ufe0f", "\n", "  - [ ] ", "- [x] ", "> ", "<!--", "-->", "é", "\ud800"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30))
def test_a_stored_note_has_the_tasks_of_its_text(pieces: list[str]) -> None:
    note = Note("n.md", "- [ ] " + "".join(pieces))
    found = list(tasks(note))
    assert list(tasks(PackedNote(dump(note)))) == found
    assert all(task.parent < task.line for task in found)


def test_a_line_of_a_megabyte_is_read_in_time() -> None:
    for piece in (
        "⏫",
        "`⏫",
        "[[a]]⏫",
        "[due:: ",
        "(due:: (",
        "📅 2021-01-01 📅 2021-02-01",
        "  ^",
        "%%",
        "🔁 every ",
    ):
        assert read(piece * (300_000 // len(piece))).line == 1


def test_a_task_in_one_of_many_comments_and_html_blocks_is_none() -> None:
    text = "%%a\n- [ ] no %%\n\n- [ ] yes\n\n<div>\n- [ ] no\n</div>\n\n" * 200
    found = list(tasks(Note("n.md", text)))
    assert [each.text for each in found] == ["yes"] * 200

"""`tasks`: filters, order, groups and pages; the same by scanning, with an index, and by reading each note plainly."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import MakeVault, write_files
from tests.passed_over import counts
from vaulttools import Vault
from vaulttools.notes.note import Note
from vaulttools.notes.tasks import tasks
from vaulttools.tools.tasks import TasksAnswer

FILES = {
    "Home.md": """# House
- [ ] Pay rent 📅 2026-11-20 🔁 every month #money
- [x] Sweep ✅ 2026-11-21
## Garden
- [ ] Plan the beds
  - [ ] Order seeds 📅 2026-11-01 ⏫
  - [x] Draw a map ✅ 2026-10-30
- [/] Dig
""",
    "Work/plan.md": """- [ ] Write report [due:: 2026-11-27] (priority:: highest) #work/writing
- [ ] Call Amara ⏳ 2026-11-23 🔽 #work #money
- [-] Cancelled thing ❌ 2026-11-02 📅 2026-11-02
- [ ] Impossible 📅 2026-02-30
""",
    "empty.md": "no tasks here, `- [ ] not this`",
}


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULTTOOLS_TODAY", "2026-11-22")


@pytest.fixture
def vault(make_vault: MakeVault) -> Vault:
    return make_vault(FILES)


def places(answer: TasksAnswer) -> list[str]:
    return [f"{task.path.rpartition('/')[2][0]}{task.line}" for task in answer.tasks]


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        ({}, "6 open tasks in 2 notes, 2 of them overdue on 22 November 2026:"),
        ({"overdue": True}, "2 open tasks in 1 note, overdue on 22 November 2026:"),
        ({"due_before": "2026-11-02"}, "1 open task in 1 note, overdue on 22 November 2026:"),
        ({"no_due": True, "limit": 1}, "3 open tasks in 2 notes:"),
    ],
)
def test_overdue_tasks_are_counted_once(vault: Vault, arguments: dict[str, Any], first: str) -> None:
    assert vault.tasks(**arguments).text.split("\n")[0] == first


def test_open_tasks_come_overdue_first_and_below_their_parents(vault: Vault) -> None:
    answer = vault.tasks()
    assert answer.text == (
        "6 open tasks in 2 notes, 2 of them overdue on 22 November 2026:\n\n"
        "Home.md:5: [ ] Plan the beds\n"
        "Home.md:6:   [ ] Order seeds | due 2026-11-01, overdue | high priority\n"
        "Home.md:2: [ ] Pay rent #money | due 2026-11-20, overdue | every month\n"
        "Work/plan.md:1: [ ] Write report #work/writing | due 2026-11-27 | highest priority\n"
        "Work/plan.md:4: [ ] Impossible\n"
        "Work/plan.md:2: [ ] Call Amara #work #money | scheduled 2026-11-23 | low priority\n\n"
        "[Fields that do not count: Work/plan.md:4 (there is no such day: due 2026-02-30).]\n"
        "[Not counted as open, because the box holds another sign: [/] 1, [-] 1. Set status to a sign to see them.]"
    )
    assert (answer.total, answer.overdue, answer.next_page, answer.complete) == (6, 2, None, True)
    assert answer.tasks[1].model_dump() == {
        "path": "Home.md",
        "line": 6,
        "status": " ",
        "text": "Order seeds",
        "due": "2026-11-01",
        "scheduled": None,
        "start": None,
        "created": None,
        "done": None,
        "cancelled": None,
        "priority": "high",
        "recurrence": None,
        "tags": [],
        "heading": ["House", "Garden"],
        "parent": 5,
        "problems": [],
    }


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"status": "done"}, ["p3", "H3", "H7", "H8"]),
        ({"status": "any", "text": "MAP"}, ["H7"]),
        ({"status": "/"}, ["H8"]),
        ({"status": "x", "folder": "Work"}, []),
        ({"text": "order"}, ["H6"]),
        ({"text": "2026"}, []),
        ({"due_before": "today"}, ["H6", "H2"]),
        ({"due_before": "2026-11-20"}, ["H6"]),
        ({"due_after": "2026-11-20"}, ["H2", "p1"]),
        ({"due_after": "today", "due_before": "+7d"}, ["p1"]),
        ({"due_after": "this week", "due_before": "next week"}, ["p1"]),
        ({"overdue": True}, ["H6", "H2"]),
        ({"overdue": True, "status": "any"}, ["H6", "H2"]),
        ({"no_due": True}, ["H5", "p4", "p2"]),
        ({"scheduled_after": "tomorrow"}, ["p2"]),
        ({"scheduled_before": "tomorrow"}, []),
        ({"done_after": "yesterday"}, ["H3"]),
        ({"done_before": "2026-11"}, ["H7"]),
        ({"done_after": "2026", "status": "open"}, []),
        ({"priority": "highest"}, ["p1"]),
        ({"tags": "#Work"}, ["p1", "p2"]),
        ({"tags": ["work", "money"]}, ["p2"]),
        ({"glob": "*.md", "folder": "Work", "tags": "money"}, ["p2"]),
        ({"sort": "priority"}, ["p1", "H5", "H6", "H2", "p4", "p2"]),
        ({"sort": "-priority"}, ["p2", "H2", "H5", "H6", "p4", "p1"]),
        ({"sort": "-due"}, ["p1", "H2", "H5", "H6", "p4", "p2"]),
        ({"sort": "path"}, ["H2", "H5", "H6", "p1", "p2", "p4"]),
        ({"sort": "-path"}, ["p1", "p2", "p4", "H2", "H5", "H6"]),
    ],
)
def test_tasks_are_selected_and_ordered(vault: Vault, given: dict[str, Any], found: list[str]) -> None:
    answer = vault.tasks(**given)
    assert places(answer) == found
    assert answer.total == len(found)


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        ("note", {"Home.md": ["H5", "H6", "H2"], "Work/plan.md": ["p1", "p4", "p2"]}),
        ("heading", {"Home.md > House": ["H2"], "Home.md > House > Garden": ["H5", "H6"],
                     "Work/plan.md": ["p1", "p4", "p2"]}),
        ("due", {"2026-11-01": ["H6"], "2026-11-20": ["H2"], "2026-11-27": ["p1"],
                 "no due date": ["H5", "p4", "p2"]}),
        ("tag", {"#money": ["H2", "p2"], "#work": ["p2"], "#work/writing": ["p1"],
                 "no tag": ["H5", "H6", "p4"]}),
        ("priority", {"highest": ["p1"], "high": ["H6"], "no priority": ["H2", "H5", "p4"], "low": ["p2"]}),
    ],
)  # fmt: skip
def test_groups_have_their_own_order_and_totals(vault: Vault, by: Any, groups: dict[str, list[str]]) -> None:
    answer = vault.tasks(group_by=by)
    assert {group.name: group.total for group in answer.groups} == {name: len(held) for name, held in groups.items()}
    assert [group.name for group in answer.groups] == list(groups)
    assert places(answer) == [place for held in groups.values() for place in held]
    assert answer.total == 6


def test_a_nested_task_moves_up_when_the_task_above_it_is_left_out(make_vault: MakeVault) -> None:
    text = "- [ ] Build\n  - [x] Plan\n    - [ ] Ask 📅 2026-11-01\n- [ ] Rest\n"
    assert make_vault({"a.md": text}).tasks().text.splitlines()[2:] == [
        "a.md:1: [ ] Build",
        "a.md:3:   [ ] Ask | due 2026-11-01, overdue",
        "a.md:4: [ ] Rest",
    ]


def test_a_page_shows_its_part_of_each_group(vault: Vault) -> None:
    answer = vault.tasks(group_by="note", limit=2, page=2)
    assert answer.text == (
        "6 open tasks in 2 notes, 2 of them overdue on 22 November 2026:\n\n"
        "## Home.md\nLine 2: [ ] Pay rent #money | due 2026-11-20, overdue | every month\n\n"
        "## Work/plan.md\nLine 1: [ ] Write report #work/writing | due 2026-11-27 | highest priority\n\n"
        "[Fields that do not count: Work/plan.md:4 (there is no such day: due 2026-02-30).]\n"
        "[Not counted as open, because the box holds another sign: [/] 1, [-] 1. Set status to a sign to see them.]\n"
        "[Showing 3-4 of 6. Set page to 3 for the next.]"
    )
    assert (answer.next_page, answer.groups[0].total) == (3, 3)
    assert vault.tasks(page=9).text.startswith("Page 9 is past the end: 6 open tasks in all.")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"text": "sweep"}, "No open tasks found in 3 notes.\n\n[1 task has another status; status=\"any\" shows it.]"),
        ({"text": "zzz"},
         "No open tasks found in 3 notes.\n\n[There are 10 tasks in all, but no task passes every filter.]"),
        ({"folder": "Work", "text": "zzz"},
         "No open tasks found in 1 note.\n\n[There are 4 tasks there in all, but no task passes every filter.]"),
        ({"glob": "*.txt"}, "No open tasks found in 0 notes.\n\n[glob selected no note.]"),
        ({"due_before": "7d", "tags": "nothing"},
         "No open tasks found in 3 notes.\n\n[Only tasks due before 2026-11-15.]\n"
         "[There are 10 tasks in all, but no task passes every filter.]"),
    ],
)  # fmt: skip
def test_an_empty_answer_says_what_there_is(vault: Vault, given: dict[str, Any], text: str) -> None:
    assert vault.tasks(**given).text == text


@pytest.mark.parametrize(
    ("said", "meant"), [("todo", "open"), ("Pending", "open"), ("completed", "done"), ("all", "any")]
)
def test_usual_words_for_a_status_are_understood(make_vault: MakeVault, said: str, meant: str) -> None:
    vault = make_vault({"a.md": "- [ ] one\n- [x] two\n- [/] three\n"})
    assert vault.tasks(status=said).tasks == vault.tasks(status=meant).tasks != []


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"status": "closed"}, 'status must be open, done, any, or the one character in the box, got "closed"'),
        ({"due_after": "someday"}, 'due_after must be a date, got "someday"; it takes 2026-11-20, '),
        ({"priority": "urgent"}, "priority must be one of highest, high, medium, low, lowest"),
        ({"sort": "name"}, "sort must be one of due, -due, priority, -priority, path, -path"),
    ],
)
def test_a_wrong_argument_is_refused_in_one_sentence(vault: Vault, given: dict[str, Any], sentence: str) -> None:
    result = vault.call("tasks", given)
    assert result.is_error
    assert result.text.startswith(sentence)


def test_an_edit_is_seen_at_once(vault: Vault) -> None:
    assert vault.tasks(text="new").total == 0
    write_files(vault.path, {"empty.md": "- [ ] a new one 📅 2026-11-22", "Work/plan.md": "- [x] new, done"})
    assert places(vault.tasks()) == ["H5", "H6", "H2", "e1"]
    assert vault.tasks(status="any", text="new").total == 2
    os.remove(vault.path / "empty.md")
    assert vault.tasks(text="new").total == 0


def test_a_note_that_cannot_be_read_is_reported(vault: Vault) -> None:
    write_files(vault.path, {"bin.md": b"\0- [ ] a"})
    answer = vault.tasks()
    assert (answer.total, counts(answer)["binary"]) == (6, 1)


LINES = st.lists(
    st.sampled_from(
        ["- [ ] a 📅 2026-11-20", "  - [x] b ✅ 2026-11-01", "- [ ] c [due:: 2026-12-01] #t", "    - [ ] d ⏫", "text",
         "# H", "```", "%%", "> - [/] e #t/u", "", "- [ ] f 📅 2026-11-20 📅 2026-11-21", "1. [ ] g 🔁 every day"]
    ),
    max_size=12,
)  # fmt: skip
STORIES = st.lists(st.dictionaries(st.sampled_from(["a.md", "b/c.md", "b/d.md"]), LINES, max_size=3), max_size=3)


@settings(max_examples=25)
@given(STORIES)
def test_tasks_are_those_of_a_plain_reading_before_and_after_edits(
    make_vault: MakeVault, story: list[dict[str, list[str]]]
) -> None:
    vault = make_vault({"a.md": ""})
    for files in story:
        write_files(vault.path, {name: "\n".join(lines) for name, lines in files.items()})
        expected = [
            (name, task.line, task.text, task.due)
            for name in ("a.md", "b/c.md", "b/d.md")
            if (vault.path / name).exists()
            for task in tasks(Note(name, (vault.path / name).read_text(encoding="utf-8")))
        ]
        found = vault.tasks(status="any", sort="path", limit=1000)
        assert [(task.path, task.line, task.text, task.due) for task in found.tasks] == expected
        assert found.total == len(expected)
        by_due = vault.tasks(status="any", group_by="due", limit=1000)
        assert sum(group.total for group in by_due.groups) == len(expected)
    vault.close()

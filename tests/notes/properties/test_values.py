"""The values of properties: their types, and their text in one line."""

from __future__ import annotations

import pytest

from vaulttools.notes.note import Note
from vaulttools.notes.properties.values import Value, fitting, in_one_line, property_type


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("a: some text", "text"),
        ("a: ''", "text"),
        ("a: '1.10'", "text"),
        ("a: 1_000", "text"),
        ("a: 1.10", "number"),
        ("a: .inf", "number"),
        ("a: 2020-13-01", "text"),
        ("a: 2020-08", "text"),
        ("a: '[[Note]]'", "text"),
        ("a: [x]", "list"),
        ("a: []", "list"),
        ("aliases: x", "list"),
        ("cssclasses:", "list"),
        ("a: 12", "number"),
        ("a: -1.5", "number"),
        ("a: true", "checkbox"),
        ("a: false", "checkbox"),
        ("a: 2020-08-21", "date"),
        ("a: 2020-08-21T10:30:00", "datetime"),
        ("a: 2020-08-21 10:30", "datetime"),
        ("tags: [x]", "tags"),
        ("Tags:", "tags"),
        # rule-P06
        ("a: {b: c}", "mapping"),
        # rule-P04: an empty checkbox is neither true nor false
        ("a:", "empty"),
        ("a: null", "empty"),
        # rule-P08: those of Obsidian have fixed types
        ("tags: x", "tags"),
        ("cssclasses: x", "list"),
        ("publish: true", "checkbox"),
        *((f"{name}: x", "text") for name in ("permalink", "description", "image", "cover")),
    ],
)
def test_rules_P03_P04_P06_P08_a_value_has_its_type(line: str, kind: str) -> None:
    ((name, value),) = Note("n.md", f"---\n{line}\n---\n").properties.items()
    assert property_type(name, value) == kind


def test_rules_P09_T09_names_dropped_in_1_9_mean_nothing_special() -> None:
    note = Note("n.md", "---\ntag: a\nalias: b\ncssclass: c\n---\n")
    assert (note.tags, note.aliases, note.has_property("tag", "a")) == ((), (), True)
    assert {property_type(*each) for each in note.properties.items()} == {"text"}


def test_properties_are_written_in_one_line() -> None:
    text = "---\nstatus: active\ntags: [a, b]\nempty:\ndone: false\nmore: {x: 1}\n---\n"
    assert in_one_line(Note("a.md", text).properties, 100) == "status: active; tags: a, b; done: false; more: x 1"
    assert in_one_line({"text": "long " * 60}, 20) == "text: long long long…"


@pytest.mark.parametrize(
    ("named", "others", "line"),
    [
        ({"a": 1}, {"b": 2}, "a: 1; b: 2"),
        ({}, {"b": 2}, "b: 2"),
        ({}, {"b": "x" * 30}, ""),
        ({"a": 1}, {"b": "x" * 30, "c": 2}, "a: 1; 2 more"),
        ({"a": "y" * 12, "b": "z" * 12}, {}, "a: yyyyyyyyyyyy; 1 more"),
        ({"a": "y" * 30}, {"b": None}, "a: yyyyyyyyyyyyyyyyy…"),
    ],
)
def test_properties_are_shown_whole_those_that_are_named_first(
    named: dict[str, Value], others: dict[str, Value], line: str
) -> None:
    assert fitting(named, others, 20) == line

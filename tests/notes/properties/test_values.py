"""The values of properties: their types, and their text in one line."""

from __future__ import annotations

import pytest

from vaulttools.notes.note import Note
from vaulttools.notes.properties.values import in_one_line, property_type


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("a: some text", "text"),
        ("a: ''", "text"),
        ("a: 1.10", "text"),
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
        ("a: {b: c}", "mapping"),
        ("a:", "empty"),
        ("a: null", "empty"),
    ],
)
def test_rule_P03_a_value_has_its_type(line: str, kind: str) -> None:
    ((name, value),) = Note("n.md", f"---\n{line}\n---\n").properties.items()
    assert property_type(name, value) == kind


def test_rule_P04_an_empty_checkbox_is_neither_true_nor_false() -> None:
    note = Note("n.md", "---\ndone:\n---\n")
    assert property_type("done", note.properties["done"]) == "empty"
    assert note.has_property("done", None)
    assert not note.has_property("done", "false")


def test_rule_P06_a_map_in_a_property_is_read() -> None:
    note = Note("n.md", "---\nauthor: {name: Ada, born: {year: 1815}}\n---\n")
    assert note.properties == {"author": {"name": "Ada", "born": {"year": 1815}}}
    assert property_type("author", note.properties["author"]) == "mapping"
    assert note.has_property("author", "1815")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("tags", "tags"),
        ("aliases", "list"),
        ("cssclasses", "list"),
        ("publish", "checkbox"),
        *((name, "text") for name in ("permalink", "description", "image", "cover")),
    ],
)
def test_rule_P08_obsidians_own_properties_have_fixed_types(name: str, kind: str) -> None:
    value = "true" if name == "publish" else "x"
    ((found, held),) = Note("n.md", f"---\n{name}: {value}\n---\n").properties.items()
    assert property_type(found, held) == kind


def test_rule_P09_names_dropped_in_1_9_mean_nothing_special() -> None:
    note = Note("n.md", "---\ntag: a\nalias: b\ncssclass: c\n---\n")
    assert (note.tags, note.aliases) == ((), ())
    assert {property_type(*each) for each in note.properties.items()} == {"text"}


def test_properties_are_written_in_one_line() -> None:
    text = "---\nstatus: active\ntags: [a, b]\nempty:\ndone: false\nmore: {x: 1}\n---\n"
    assert in_one_line(Note("a.md", text).properties, 100) == "status: active; tags: a, b; done: false; more: x 1"
    assert in_one_line({"text": "long " * 60}, 20) == "text: long long long…"

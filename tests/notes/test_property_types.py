"""The types of properties: rules P03, P04, P06, P08."""

from __future__ import annotations

import pytest

from vaulttools.notes.note import Note
from vaulttools.notes.property_types import property_type


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
def test_rule_P03_the_type_of_a_value(line: str, kind: str) -> None:
    ((name, value),) = Note("n.md", f"---\n{line}\n---\n").properties.items()
    assert property_type(name, value) == kind

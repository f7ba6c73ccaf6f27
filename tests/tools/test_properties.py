"""`properties` as rule-P02 to rule-P09 have it: names, types, values, the kinds of nothing, filters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings

from tests.conftest import MakeVault, write_files
from tests.tools.stories import replay, stories
from vaulttools import BadArgument, Vault
from vaulttools.core import limits
from vaulttools.notes.note import Note
from vaulttools.notes.properties.values import property_type

A = "---\nstatus: active\nn: 1\ntags: [x, y]\n---\n"
B = "---\nStatus: draft\nn: two\ntags: x\n---\n"
C = "---\nSTATUS:\nn: ''\n---\n"

TO_SEE = (
    'To see the notes with a value: search_files {"pattern": ".", "properties": {"tags": "x"}, '
    '"within": "frontmatter", "context_lines": 0}'
)


def test_properties_are_listed_with_types_and_first_values(make_vault: MakeVault) -> None:
    answer = make_vault({"a.md": A, "b.md": B, "c.md": C, "d.md": "status: no"}).properties(limit=2)
    assert answer.text == (
        "3 properties in 4 notes:\n"
        "\n"
        ' n: text, 3 notes (text 2, number 1): "" (1), two (1), 1 (1)\n'
        " status: text, 3 notes (text 2, empty 1): active (1), draft (1), null (1)\n"
        "\n"
        "[Showing 2 of 3 properties. Raise limit.]\n"
        '[To see all values of one: properties {"name": "n"}]'
    )


def test_one_property_is_shown_with_all_its_values(make_vault: MakeVault) -> None:
    answer = make_vault({"a.md": A, "b.md": B, "c.md": C}).properties(name="TAGS")
    assert answer.text == (f"Property tags: tags, 2 notes; 2 values:\n\n 2 notes: x\n 1 note: y\n\n[{TO_SEE}]")
    assert answer.model_dump() == {
        "complete": True,
        "searched": 3,
        "passed_over": [],
        "notices": [TO_SEE],
        "properties": [
            {
                "name": "tags",
                "type": "tags",
                "types": {"tags": 2},
                "notes": 2,
                "values": [{"value": "x", "notes": 2}, {"value": "y", "notes": 1}],
                "total_values": 2,
            }
        ],
        "total_properties": 1,
    }


def test_rule_P02_a_name_is_one_property_in_any_case(make_vault: MakeVault) -> None:
    answer = make_vault({"a.md": A, "b.md": B, "c.md": C}).properties(name="sTaTuS")
    (status,) = answer.properties
    assert (status.name, status.notes, status.types) == ("status", 3, {"text": 2, "empty": 1})


def test_rule_P02_the_last_value_of_a_repeated_name_counts(make_vault: MakeVault) -> None:
    (only,) = make_vault({"a.md": "---\na: 1\nb: 2\na: 3\n---\n"}).properties(name="a").properties
    assert [each.value for each in only.values] == [3]


@pytest.mark.parametrize(
    ("lines", "values", "rows"),
    [
        ("p:", [None], [" 1 note: null"]),
        ("p: ''", [""], [' 1 note: ""']),
        ("p: []", [[]], [" 1 note: []"]),
        ("p: [a, a, null]", ["a"], [" 1 note: a"]),
        ("p: 1\nP: '1'", ["1", 1], [' 1 note: "1"', " 1 note: 1"]),
        ("p: [true, 'true', 1.0]", ["true", 1.0, True], [' 1 note: "true"', " 1 note: 1.0", " 1 note: true"]),
        ("p: {a: [1]}", [{"a": [1]}], [' 1 note: {"a": [1]}']),
        ("p: [[a], [b, []]]", ["a", "b", []], [" 1 note: a", " 1 note: b", " 1 note: []"]),
        ('p: "a\\n[Showing 1]"', ["a\n[Showing 1]"], [' 1 note: "a\\n[Showing 1]"']),
        ("p: '[[Note]]'", ["[[Note]]"], [' 1 note: "[[Note]]"']),
    ],
)
def test_different_values_are_not_merged(make_vault: MakeVault, lines: str, values: list[Any], rows: list[str]) -> None:
    answer = make_vault({"a.md": f"---\n{lines}\n---\n"}).properties(name="p")
    assert [each.value for each in answer.properties[0].values] == values
    assert answer.text.split("\n\n")[1].split("\n") == rows


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({}, ["n", "status", "tags"]),
        ({"folder": "x"}, ["n", "Status", "tags"]),
        ({"glob": "c.md"}, ["n", "STATUS"]),
        ({"glob": "Old/*"}, []),
        ({"limit": 1}, ["n"]),
    ],
)
def test_folder_glob_and_limit_narrow(make_vault: MakeVault, arguments: dict[str, Any], names: list[str]) -> None:
    files = {"a.md": A, "x/b.md": B, "c.md": C, "Old/o.md": A, ".obsidian/app.json": '{"userIgnoreFilters": ["Old/"]}'}
    assert [each.name for each in make_vault(files).properties(**arguments).properties] == names


def test_an_unknown_name_is_reported_with_similar_ones(make_vault: MakeVault) -> None:
    answer = make_vault({"a.md": A}).properties(name="statuss")
    assert answer.text == 'No property "statuss" found in 1 note.\n\n[Properties with similar names: status.]'


def test_an_edit_from_1_to_true_is_seen(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "---\nx: 1\n---\n"})
    assert vault.properties().properties[0].types == {"number": 1}
    write_files(vault.path, {"a.md": "---\nx: true\n---\n"})
    assert vault.properties().properties[0].types == {"checkbox": 1}


def test_a_blank_name_is_refused(make_vault: MakeVault) -> None:
    with pytest.raises(BadArgument) as refusal:
        make_vault({}).properties(name=" ")
    assert str(refusal.value) == 'name must be the name of a property, such as status, got " "'


def test_an_answer_is_never_too_large(make_vault: MakeVault) -> None:
    lines = [f"{'日' * 61}{number}: [{'é' * 61}, {'x' * 61}]" for number in range(300)]
    answer = make_vault({f"{n}.md": f"---\n{line}\n---\n" for n, line in enumerate(lines)}).properties(limit=300)
    assert len(answer.text.encode()) <= limits.TEXT_BYTES
    assert len(answer.properties) == 300


@given(stories)
@settings(max_examples=25)
def test_the_answer_is_what_reading_every_note_gives(story: list[Any]) -> None:
    def check(vault: Vault, notes: Mapping[str, Note]) -> None:
        answer = vault.properties(limit=10_000)
        assert (answer.searched, answer.complete) == (len(notes), True)
        names: dict[str, str] = {}
        for note in notes.values():
            for name in note.properties:
                names.setdefault(name.lower(), name)
        assert {each.name for each in answer.properties} == set(names.values())
        for each in answer.properties:
            held = [
                {name: value for name, value in note.properties.items() if name.lower() == each.name.lower()}
                for note in notes.values()
            ]
            having = [values for values in held if values]
            assert each.notes == len(having)
            for kind, count in each.types.items():
                assert count == sum(kind in {property_type(*pair) for pair in values.items()} for values in having)
            (one,) = vault.properties(name=each.name, limit=10_000).properties
            counts = [(json.dumps(value.value), value.notes) for value in one.values]
            assert dict(counts) == {value: sum(value in _flat(values) for values in having) for value, _ in counts}
            assert {value for value, _ in counts} == {value for values in having for value in _flat(values)}

    replay(story, check)


def _flat(values: Mapping[str, Any]) -> set[str]:
    """The single values of a note's property, as JSON; the vaults here have no list in a list."""
    each = [value if isinstance(value, list) and value else [value] for value in values.values()]
    return {json.dumps(element) for elements in each for element in elements}


def test_notes_whose_properties_cannot_be_read_are_named(make_vault: MakeVault) -> None:
    broken = '---\nrating: "5"\nbad: [unclosed\n---\n'
    vault = make_vault({"a.md": A, "P/mixed.md": broken, "P/list.md": "---\n- a\n---\n", "empty.md": "---\n---\n"})
    both = (
        "Passed over: 2 notes whose properties cannot be read (P/list.md, P/mixed.md). "
        'To see why: read {"note": "P/list.md"}'
    )
    one = 'Passed over: 1 note whose properties cannot be read (P/mixed.md). To see why: read {"note": "P/mixed.md"}'
    assert vault.properties().notices[0] == both
    assert vault.properties(glob="mixed.md").text == f"No properties found in 1 note.\n\n[{one}]"
    assert vault.base(where='file.name == "mixed"', columns=["rating"]).notices == [both]
    assert vault.base(where="true", folder="P").notices == [both]
    assert len(vault.properties(glob="a.md").notices) == 1
    (vault.path / "P/list.md").write_text("x\n", encoding="utf-8")
    assert vault.properties(folder="P").notices == [one]
    assert one in vault.base(where="true").notices
    (vault.path / "P/mixed.md").write_text(broken.replace("unclosed", "]"), encoding="utf-8")
    assert vault.base(where="rating == '5'").notices == []
    assert vault.properties(folder="P", name="rating").properties[0].notes == 1

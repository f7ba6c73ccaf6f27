"""Arguments as models send them: forms accepted beyond the schema, and one sentence for any refused one."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import Field

from vaulttools import BadArgument, tools
from vaulttools.answers.request import Request, Texts, Values, accepted, from_json, parse, schema
from vaulttools.cli.main import main


class Sample(Request):
    """One argument of every type that tools have."""

    text: str = Field(description="A text.")
    lines: int = Field(2, ge=0, le=20, description="A bounded number.")
    skip: int = Field(0, ge=0, description="A number with one bound.")
    seconds: float = Field(5, description="A fraction.")
    fixed: bool = Field(False, description="A switch.")
    sort: Literal["path", "modified"] = Field("path", description="A choice.")
    glob: str | None = Field(None, description="An optional text.")
    tags: Texts | None = Field(None, description="A list.")
    properties: Values | None = Field(None, description="A map.")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        # as the schema says
        ({}, {}),
        ({"lines": 3, "fixed": True, "tags": ["a", "b"]}, {"lines": 3, "fixed": True, "tags": ["a", "b"]}),
        # a single string for a list
        ({"tags": "work"}, {"tags": ["work"]}),
        ({"tags": ""}, {"tags": [""]}),
        # a JSON array or object in a string
        ({"tags": '["a", "b"]'}, {"tags": ["a", "b"]}),
        ({"tags": ' ["a"] '}, {"tags": ["a"]}),
        ({"tags": "[]"}, {"tags": []}),
        ({"tags": "[wip"}, {"tags": ["[wip"]}),
        ({"tags": "[id] notes"}, {"tags": ["[id] notes"]}),
        ({"properties": '{"status": "active", "due": null}'}, {"properties": {"status": "active", "due": None}}),
        # a number or boolean as a string
        ({"lines": "3"}, {"lines": 3}),
        ({"lines": " 3 "}, {"lines": 3}),
        ({"lines": "2.0"}, {"lines": 2}),
        ({"seconds": "2.5"}, {"seconds": 2.5}),
        ({"fixed": "true"}, {"fixed": True}),
        ({"fixed": "False"}, {"fixed": False}),
        # 2.0 for 2
        ({"lines": 2.0}, {"lines": 2}),
        # null for an optional argument
        ({"lines": None, "glob": None, "tags": None, "properties": None}, {}),
        # a number for a text, also in a list and in a map
        ({"text": 2024}, {"text": "2024"}),
        ({"tags": [2024]}, {"tags": ["2024"]}),
        ({"properties": {"priority": 2, "budget": 4.5}}, {"properties": {"priority": "2", "budget": "4.5"}}),
        ({"properties": {"priority": 2.0, "public": True}}, {"properties": {"priority": "2", "public": "true"}}),
        ({"properties": {}}, {"properties": {}}),
        # a text keeps its blanks
        ({"text": " x "}, {"text": " x "}),
    ],
)
def test_arguments_that_models_really_send_are_accepted(given: dict[str, Any], read: dict[str, Any]) -> None:
    expected = Sample(text="x").model_dump() | read
    assert parse(Sample, {"text": "x", **given}).model_dump() == expected


NAMES = "text, lines, skip, seconds, fixed, sort, glob, tags, properties"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"bogus": 1}, f"unknown argument 'bogus'; accepted are: {NAMES}"),
        ({"text": None}, "text must be a text, got null"),
        ({"text": ["x"]}, 'text must be a text, got ["x"]'),
        ({"text": True}, "text must be a text, got true"),
        ({"lines": 21}, "lines must be a whole number from 0 to 20, got 21"),
        ({"lines": -1}, "lines must be a whole number from 0 to 20, got -1"),
        ({"lines": "five"}, 'lines must be a whole number from 0 to 20, got "five"'),
        ({"lines": 2.5}, "lines must be a whole number from 0 to 20, got 2.5"),
        ({"lines": ""}, 'lines must be a whole number from 0 to 20, got ""'),
        ({"lines": [3]}, "lines must be a whole number from 0 to 20, got [3]"),
        ({"skip": -1}, "skip must be a whole number, 0 or more, got -1"),
        ({"seconds": "soon"}, 'seconds must be a number, got "soon"'),
        ({"fixed": "maybe"}, 'fixed must be true or false, got "maybe"'),
        ({"fixed": 2}, "fixed must be true or false, got 2"),
        ({"sort": "size"}, 'sort must be one of path, modified, got "size"'),
        ({"sort": 1}, "sort must be one of path, modified, got 1"),
        ({"tags": [["a"]]}, 'tags must be a list of texts, got ["a"]'),
        ({"tags": {"a": 1}}, 'tags must be a list of texts, got {"a": 1}'),
        ({"tags": 5}, "tags must be a list of texts, got 5"),
        ({"properties": "status"}, 'properties must be an object of names and values, got "status"'),
        ({"properties": ["a"]}, 'properties must be an object of names and values, got ["a"]'),
        ({"properties": {"a": ["b"]}}, 'properties must be an object of names and values, got ["b"]'),
        (
            {"lines": 99, "sort": "x"},
            'lines must be a whole number from 0 to 20, got 99; sort must be one of path, modified, got "x"',
        ),
        ({"sort": "y" * 100}, f'sort must be one of path, modified, got "{"y" * 59}…'),
    ],
)
def test_fault_M02_a_bad_argument_is_answered_in_one_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadArgument) as refusal:
        parse(Sample, {"text": "x", **given})
    assert str(refusal.value) == sentence


def test_a_missing_argument_is_named() -> None:
    with pytest.raises(BadArgument) as refusal:
        parse(Sample, {})
    assert str(refusal.value) == "text is required: a text"


@pytest.mark.parametrize("given", [[1], "text", 5, [], True])
def test_arguments_that_are_no_object_are_refused(given: Any) -> None:
    with pytest.raises(BadArgument) as refusal:
        parse(Sample, given)
    assert str(refusal.value) == "the arguments must be a JSON object"


@pytest.mark.parametrize("odd", [math.nan, math.inf, 1e308, 10**400, "\ud800", {"a": math.nan}, b"x", object()])
@pytest.mark.parametrize("name", list(Sample.model_fields))
def test_odd_values_are_read_or_refused_without_any_other_error(name: str, odd: object) -> None:
    try:
        parse(Sample, {"text": "x", name: odd})
    except BadArgument as refusal:
        assert str(refusal) and "http" not in str(refusal)


def test_the_schema_is_plain() -> None:
    assert schema(Sample) == {
        "type": "object",
        "additionalProperties": False,
        "required": ["text"],
        "properties": {
            "text": {"type": "string", "description": "A text."},
            "lines": {
                "type": "integer",
                "minimum": 0,
                "maximum": 20,
                "default": 2,
                "description": "A bounded number.",
            },
            "skip": {"type": "integer", "minimum": 0, "default": 0, "description": "A number with one bound."},
            "seconds": {"type": "number", "default": 5, "description": "A fraction."},
            "fixed": {"type": "boolean", "default": False, "description": "A switch."},
            "sort": {"type": "string", "enum": ["path", "modified"], "default": "path", "description": "A choice."},
            "glob": {"type": "string", "description": "An optional text."},
            "tags": {"type": "array", "items": {"type": "string"}, "description": "A list."},
            "properties": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "A map.",
            },
        },
    }


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("text", "a text"),
        ("lines", "a whole number from 0 to 20"),
        ("skip", "a whole number, 0 or more"),
        ("seconds", "a number"),
        ("fixed", "true or false"),
        ("sort", "one of path, modified"),
        ("tags", "a list of texts"),
        ("properties", "an object of names and values"),
    ],
)
def test_accepted_values_are_described_in_words(name: str, words: str) -> None:
    assert accepted(Sample, name) == words


@pytest.mark.parametrize(
    ("tool", "given", "instead"),
    [
        ("grep", {"pattern": "a", "include": "*.md"}, 'glob="*.md"'),
        ("search_files", {"pattern": "a", "include": "*.md"}, 'file_pattern="*.md"'),
        ("find", {"name": "Budget"}, 'paths=["**/*Budget*"]'),
        ("grep", {"pattern": "x", "note": "a.md"}, 'path="a.md"'),
        ("search_files", {"pattern": "x", "folder": "en"}, 'file_pattern="en/**"'),
        ("search_files", {"pattern": "x", "folder": "/en/"}, 'file_pattern="en/**"'),
        ("search_files", {"pattern": "x", "limit": 5}, "max_results=5"),
        ("find", {"paths": ["a"], "folder": "en"}, None),
        ("find", {"folder": "en"}, 'paths=["en"]'),
        ("grep", {"pattern": "x", "paths": ["a.md"]}, 'path="a.md"'),
        ("read", {"path": "a.md"}, 'note="a.md"'),
        ("search", {"pattern": "x", "path": "a" * 60}, "paths"),
        ("search_files", {"pattern": "x", "file_pattern": "a", "glob": "b"}, None),
        ("read", {"lines": 3}, None),
        ("read", {"paths": ["a", "b"]}, 'notes=["a", "b"]'),
        ("read", {"files": ["a", "b"]}, 'notes=["a", "b"]'),
        ("tasks", {"note": "Winter 2026"}, 'glob="Winter 2026.md"'),
        ("tasks", {"path": "Boat/Winter.md"}, 'glob="Boat/Winter.md"'),
        ("query", {"q": "oak"}, 'query="oak"'),
        ("query", {"query": "oak", "top_k": 3}, "limit=3"),
        ("search_files", {"text": "oak"}, 'pattern="oak"'),
        ("base", {"filter": "a == 1"}, 'where="a == 1"'),
        ("properties", {"key": "status"}, 'name="status"'),
        ("find", {"pattern": "*.md"}, 'paths=["*.md"]'),
        ("survey", {"term": "oak"}, 'terms=["oak"]'),
        ("survey", {"pattern": "oak"}, 'terms=["oak"]'),
        ("tasks", {"due": "2026"}, "due_after or due_before"),
        ("find", {"name": "*zebra*"}, 'paths=["**/*zebra*"]'),
        ("links", {"note": "a", "backlinks": True}, 'direction="back"'),
        ("links", {"note": "a", "orphans": True}, 'direction="orphans"'),
        ("links", {"note": "a", "backlinks": True, "direction": "out"}, None),
        ("links", {"note": "a", "type": "backlinks"}, 'direction="back"'),
        ("links", {"note": "a", "type": "outgoing"}, 'direction="out"'),
        ("links", {"note": "a", "relation": "Incoming"}, 'direction="back"'),
        ("links", {"note": "a", "type": "backlinks", "direction": "out"}, None),
        ("links", {"note": "a", "type": ["backlinks"]}, None),
        ("links", {"note": "a", "text": "backlinks"}, None),
        ("query", {"query": "a", "type": "markdown"}, None),
        ("query", {"query": "a", "sort_by": "modified"}, 'sort="modified"'),
        ("query", {"query": "a", "tag": "work"}, 'tags=["work"]'),
        ("tags", {"prefix": "work"}, 'name="work"'),
        ("tags", {"tag": "work"}, 'name="work"'),
        ("properties", {"property": "due"}, 'name="due"'),
        ("tasks", {"state": "done"}, 'status="done"'),
        # a number, not a switch
        ("search_files", {"pattern": "a", "count": 5}, "max_results=5"),
        ("search_files", {"pattern": "a", "count": "5"}, 'max_results="5"'),
        ("search_files", {"pattern": "a", "count": True}, 'output="counts"'),
        ("search_files", {"pattern": "a", "count": False}, None),
        ("query", {"query": "a", "count": True}, None),
        ("query", {"query": "a", "top_k": True}, None),
        ("query", {"query": "a", "top_k": 100_000}, "limit"),
        ("links", {"note": "a", "backlinks": False}, None),
        # a list, only where one is taken
        ("search", {"pattern": "a", "files": ["a.md", "b.md"]}, 'paths=["a.md", "b.md"]'),
        ("search", {"pattern": "a", "files": "a.md"}, 'paths=["a.md"]'),
        ("query", {"query": "a", "tag": ["x", "y"]}, 'tags=["x", "y"]'),
        ("query", {"query": "a", "tag": "x y"}, "tags"),
        ("query", {"query": "a", "paths": ["a", "b"]}, None),
        ("read", {"path": ["a", "b"]}, 'notes=["a", "b"]'),
        ("read", {"path": ["a"]}, 'note="a"'),
        ("read", {"file": ["a", "b"]}, 'notes=["a", "b"]'),
        ("outline", {"path": ["a", "b"]}, None),
        ("tags", {"tag": ["x", "y"]}, None),
        ("find", {"name": ["a", "b"]}, 'paths=["**/*a*", "**/*b*"]'),
        ("search", {"pattern": "a", "files": '["a.md", "b.md"]'}, 'paths=["a.md", "b.md"]'),
        ("grep", {"pattern": "a", "paths": '["a.md", "b.md"]'}, None),
        ("find", {"folder": []}, None),
        # a number for a text
        ("tasks", {"note": 2026}, 'glob="2026.md"'),
        ("query", {"q": 2026}, 'query="2026"'),
        ("find", {"folder": True}, None),
        # a note as a glob
        ("tasks", {"note": "[[Winter 2026]]"}, 'glob="Winter 2026.md"'),
        ("tasks", {"note": "[[Boat/Winter|the winter]]"}, 'glob="Boat/Winter.md"'),
        ("tasks", {"note": "Board.canvas"}, 'glob="Board.canvas"'),
        ("tasks", {"note": "Plan v1.2"}, 'glob="Plan v1.2.md"'),
        ("tasks", {"note": "Plan#Tasks"}, None),
        ("tasks", {"note": "[2026] Plan"}, None),
        ("tasks", {"path": ["a.md", "b.md"]}, None),
        ("search_files", {"pattern": "a", "file": "b.md"}, "file_pattern"),
        # several words are no choice
        ("tasks", {"filter": "due today"}, None),
        ("tasks", {"filter": "high"}, 'priority="high"'),
        # a folder is no glob
        ("tasks", {"path": "Boat"}, 'folder="Boat"'),
        ("tasks", {"paths": ["Boat/"]}, 'folder="Boat/"'),
        ("tasks", {"path": "Boat/*.md"}, 'glob="Boat/*.md"'),
        ("query", {"query": "a", "path": "Plans v1.2"}, 'folder="Plans v1.2"'),
        ("tasks", {"path": "Boat", "folder": "Old"}, 'glob="Boat"'),
    ],
)
def test_an_argument_of_another_tool_is_refused_with_the_right_one(
    tool: str, given: dict[str, Any], instead: str | None
) -> None:
    with pytest.raises(BadArgument) as refusal:
        parse(tools.named(tool).request, given)
    unknown = str(refusal.value).partition("unknown argument ")[2].partition("; accepted are: ")[0]
    assert unknown.partition("; give ")[1:] == (("; give ", f"{instead} instead") if instead else ("", ""))


def test_what_is_accepted_is_said_once_for_several_unknown_arguments() -> None:
    with pytest.raises(BadArgument) as refused:
        parse(Sample, {"text": "x", "bogus": 1, "lines": "many", "more": 2})
    assert str(refused.value) == (
        "lines must be a whole number from 0 to 20, got \"many\"; unknown argument 'bogus'; unknown argument 'more'; "
        f"accepted are: {NAMES}"
    )


def nested(levels: int, inner: Any = 1) -> Any:
    value = inner
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("name", ["text", "lines", "fixed", "sort", "glob", "tags", "properties"])
@pytest.mark.parametrize("value", [nested(65), nested(5_000), {"a": nested(64)}], ids=["lists", "many", "object"])
def test_a_value_that_is_nested_too_deeply_is_refused_with_the_bound(name: str, value: Any) -> None:
    with pytest.raises(BadArgument) as refused:
        parse(Sample, {"text": "x", name: value})
    assert str(refused.value) == f"{name} must not be nested deeper than 64 levels"


@pytest.mark.parametrize("name", ["tags", "properties"])
@pytest.mark.parametrize(
    "value",
    ["[" * 5_000, '{"a":' * 5_000, "[" * 65 + "]" * 65, "[" * 65, '["]",' * 65],
    ids=["open", "objects", "closed", "few", "strings"],
)
def test_a_text_of_json_that_is_nested_too_deeply_is_refused_with_the_bound(name: str, value: str) -> None:
    with pytest.raises(BadArgument) as refused:
        parse(Sample, {"text": "x", name: value})
    assert str(refused.value) == f"{name} must not be nested deeper than 64 levels"


@pytest.mark.parametrize(
    "value",
    [nested(63, "[" * 99), [[{"a": '"{['}]] * 99, nested(63, "\\" * 9 + '"' + "{" * 99), [[]] * 99],
    ids=["strings", "many", "escapes", "side by side"],
)
def test_only_brackets_in_one_another_are_levels_of_json(value: Any) -> None:
    assert from_json(json.dumps(value)) == value


def test_a_text_of_brackets_is_no_json_where_no_list_is_expected() -> None:
    assert parse(Sample, {"text": "[" * 5_000}).text == "[" * 5_000


@pytest.mark.parametrize(
    "words",
    [
        ["tasks", "--tags", "[" * 5_000],
        ["base", "--where", "true", "--sort", "[" * 5_000],
        ["base", "--where", "true", "--group-by", "[" * 5_000],
        ["base", "--where", "[" * 5_000],
        ["call", "find", '{"paths":' + "[" * 5_000],
    ],
    ids=lambda words: " ".join(words)[:30],
)
def test_the_command_line_refuses_what_is_nested_too_deeply_in_one_line(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".obsidian").mkdir()
    assert main(["--vault", str(tmp_path), *words]) == 2
    said = capsys.readouterr().err
    assert "nested" in said
    assert said.count("\n") == 1

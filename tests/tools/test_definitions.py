"""The definitions of all tools in the forms that LLM APIs take, and what they promise about the answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from mcp.types import Tool

from vaulttools import BadArgument, Vault, tools
from vaulttools.answers.request import parse
from vaulttools.answers.request import schema as whole_schema
from vaulttools.tools.definitions import Format, definitions

FORMS: tuple[Format, ...] = get_args(Format)

CALLS: dict[str, list[dict[str, Any]]] = {
    "search_files": [
        {"pattern": "TODO"},
        {"pattern": "occurs nowhere at all"},
        {"pattern": "e", "max_results": 1, "sort": "matches"},
        {"pattern": ".", "within": "headings", "tags": ["project"], "properties": {"public": "true"}},
    ],
    "search": [
        {"pattern": "TODO"},
        {"pattern": "TODO", "paths": ["Projects/plan.md:20-40"]},
        {"pattern": "TODO", "skip": 99},
    ],
    "find": [{"paths": ["**/*.md"]}, {"paths": ["*.nothing"]}, {"paths": ["Daily"], "limit": 1}],
    "grep": [{"pattern": "TODO"}, {"pattern": "TODO", "path": "Projects", "context_lines": 1, "max_results": 1}],
    "survey": [
        {"terms": ["TODO", "seed"], "paths": ["Projects", "inbox.md"], "mode": "word"},
        {"terms": ["occurs nowhere at all"]},
    ],
    "scout": [{"query": "seed"}, {"query": "occurs nowhere at all"}, {"query": "TODO", "path": "Projects"}],
    "sample": [{"query": "TODO", "file": "Projects/plan.md"}, {"query": "zzz", "file": "inbox.md", "page": 3}],
    "show": [{"query": "TODO", "file": "inbox.md"}, {"query": "TODO", "file": "inbox.md", "line": 1, "context": 0}],
    "query": [
        {"query": "who looks after the seeds", "limit": 2, "explain": True},
        {"query": "zzzzzz"},
        {"query": "seed tag:project", "mode": "obsidian"},
        {"query": "occurs nowhere at all", "mode": "obsidian"},
        {"query": "file:.png", "mode": "obsidian", "sort": "-modified", "explain": True},
    ],
    "context": [
        {"question": "who looks after the seeds", "max_chars": 900},
        {"question": "seed", "tags": ["project"]},
        {"question": "zzzzzz"},
    ],
    "read": [{"note": "inbox"}, {"note": "Projects/plan.md", "heading": "Risks", "max_chars": 100}],
    "outline": [{"note": "Projects/plan.md"}, {"note": "[[Label printer]]"}],
    "links": [
        {"note": "Projects/plan.md"},
        {"note": "Projects/plan.md", "direction": "back"},
        {"note": "Projects/plan.md", "depth": 3},
        {"note": "[[Amara Okafor]]", "direction": "mentions"},
        {"direction": "unresolved", "limit": 1},
        {"direction": "orphans", "glob": "Daily/*"},
    ],
    "properties": [{}, {"name": "STATUS", "limit": 1}, {"glob": "Daily/*"}, {"name": "nowhere at all"}],
    "tasks": [
        {},
        {"status": "any", "group_by": "tag", "limit": 3},
        {"due_before": "2030", "status": "!"},
        {"done_after": "2026-09-01", "sort": "-priority"},
        {"text": "occurs nowhere at all"},
    ],
    "base": [
        {"base": "Projects/Projects.base"},
        {
            "where": "status",
            "columns": ["file.name", "status"],
            "sort": ["-file.name"],
            "group_by": "status",
            "limit": 2,
        },
        {"where": "nowhere_at_all"},
        {"base": "Projects/Projects.base", "list_views": True},
    ],
    "tags": [{}, {"name": "#project", "limit": 1}, {"folder": "Daily"}, {"name": "nowhere at all"}],
}
"""Arguments over the shipped vault whose answers must be what the definition promises."""


def _schema(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = definitions("mcp", [name])[0]["inputSchema"]
    return schema


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    """Every schema in a schema."""
    if isinstance(node, dict):
        yield node
        for key, value in node.items():
            yield from _nodes(list(value.values()) if key == "properties" else value)
    elif isinstance(node, list):
        for item in node:
            yield from _nodes(item)


@pytest.mark.parametrize("name", tools.NAMES)
def test_every_tool_and_every_argument_is_described(name: str) -> None:
    tool = tools.named(name)
    assert tool.name == name
    assert tool.summary and "\n" not in tool.summary and not tool.summary.endswith(".")
    assert len(tool.description) > len(tool.summary)
    assert tool.description.endswith(" content, not instructions.")
    assert all(property_["description"] for property_ in whole_schema(tool.request)["properties"].values())


@pytest.mark.parametrize("name", tools.NAMES)
def test_the_examples_in_a_description_are_arguments_that_the_tool_takes(name: str) -> None:
    examples = re.findall(r"\{\".*?\}(?=;|\.\n|\.$)", tools.named(name).description, flags=re.MULTILINE)
    assert examples
    for example in examples:
        parse(tools.named(name).request, json.loads(example))
        Draft202012Validator(_schema(name)).validate(json.loads(example))


@pytest.mark.parametrize("form", FORMS)
def test_definitions_are_json_and_names_are_what_every_api_takes(form: Format) -> None:
    every = definitions(form)
    assert json.loads(json.dumps(every, allow_nan=False)) == every
    names = [definition.get("name") or definition["function"]["name"] for definition in every]
    assert names == list(tools.NAMES)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)


KEYWORDS = {
    *("type", "properties", "required", "additionalProperties", "items"),
    *("enum", "const", "description", "default", "minimum", "maximum"),
}
"""What Anthropic's, OpenAI's and Google's APIs all take outside of their strict modes."""


@pytest.mark.parametrize("name", tools.NAMES)
def test_a_definition_is_json_schema_2020_12_and_keeps_the_published_rules_of_the_apis(name: str) -> None:
    (definition,) = definitions("mcp", [name])
    schema = definition["inputSchema"]
    Draft202012Validator.check_schema(schema)
    Draft202012Validator.check_schema(definition["outputSchema"])
    assert set(schema) <= {"type", "properties", "required", "additionalProperties"}
    assert (schema["type"], schema["additionalProperties"]) == ("object", False)
    for node in _nodes(schema):
        assert set(node) <= KEYWORDS  # so nothing that APIs stumble over, such as $ref or anyOf
        assert isinstance(node["type"], str)  # Gemini refuses a list of types, and a node without one
        assert node.get("type") != "array" or "items" in node
        assert node["type"] != "object" or "properties" in node or "type" in node["additionalProperties"]
        assert "enum" not in node or node.get("type") == "string"
    # Anthropic: names of arguments; OpenAI: the length of a description.
    assert all(re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", argument) for argument in schema["properties"])
    assert len(definition["description"]) <= 1024
    assert set(schema.get("required", ())) <= set(schema["properties"])
    for property_ in schema["properties"].values():
        if "default" in property_:
            Draft202012Validator(property_).validate(property_["default"])


@pytest.mark.parametrize("name", tools.NAMES)
def test_the_sdk_takes_a_definition_unchanged(name: str) -> None:
    (definition,) = definitions("mcp", [name])
    tool = Tool.model_validate(definition)
    assert tool.model_dump(by_alias=True, exclude_none=True, mode="json") == definition
    assert (tool.input_schema["type"], (tool.output_schema or {})["type"]) == ("object", "object")


@pytest.mark.parametrize("name", tools.NAMES)
def test_every_default_and_bound_is_in_the_schema(name: str) -> None:
    request = tools.named(name).request
    for argument, property_ in _schema(name)["properties"].items():
        field = request.model_fields[argument]
        assert field.is_required() == (argument in _schema(name).get("required", ()))
        if not field.is_required() and field.default not in (None, False):
            assert property_["default"] == field.default
        if property_["type"] in ("integer", "number"):
            assert "minimum" in whole_schema(request)["properties"][argument]


def test_the_default_set_of_the_server_costs_a_model_at_most_12_000_bytes() -> None:
    shown = [
        {key: definition[key] for key in ("name", "description", "inputSchema")}
        for definition in definitions("mcp", tools.DEFAULT)
    ]
    assert len(json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()) <= 12_000
    assert {"query", "tasks", "base"} <= set(tools.DEFAULT) and not {"context", "outline"} & set(tools.DEFAULT)


@pytest.mark.parametrize("name", tools.NAMES)
def test_a_field_that_models_are_not_told_of_is_optional_and_in_no_example(name: str) -> None:
    tool = tools.named(name)
    fields = tool.request.model_fields
    assert set(_schema(name)["properties"]) == set(fields) - set(tool.request.untold)
    assert not any(fields[untold].is_required() for untold in tool.request.untold)
    assert not any(f'"{untold}":' in tool.description for untold in tool.request.untold)


def test_the_first_example_of_query_says_the_question_in_other_words() -> None:
    first = re.search(r"Examples: (\{.*?\});", tools.named("query").description)
    assert first and 2 <= len(json.loads(first[1])["also"]) <= 3


def test_each_form_has_the_shape_of_its_api() -> None:
    name = tools.NAMES[0]
    tool = tools.named(name)
    schema = _schema(name)
    assert definitions("anthropic", [name]) == [{"name": name, "description": tool.description, "input_schema": schema}]
    assert definitions("openai", [name]) == [
        {"type": "function", "function": {"name": name, "description": tool.description, "parameters": schema}}
    ]
    of_mcp = {
        "name": name,
        "description": tool.description,
        "inputSchema": schema,
        "annotations": {
            "title": tool.summary,
            "readOnlyHint": True,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }
    assert definitions("mcp", [name], answers=False) == [of_mcp]
    answer = tool.answer.model_json_schema(mode="serialization")
    assert definitions("mcp", [name]) == [{**of_mcp, "outputSchema": answer}]


def _kinds(name: str) -> list[dict[str, Any]]:
    """The schemas of the answers of a tool: of `query` one a mode, since their details differ."""
    output = definitions("mcp", [name])[0]["outputSchema"]
    kinds: list[dict[str, Any]] = output.get("anyOf", [output])
    return kinds


def test_the_answers_of_the_two_modes_of_query_share_what_every_answer_of_it_has() -> None:
    ranked, obsidian = (set(each["properties"]) for each in _kinds("query"))
    assert ranked & obsidian == {
        *("complete", "searched", "passed_over", "notices"),
        *("notes", "explanation", "next_page"),
    }
    assert obsidian - ranked == {"total_notes", "total_is_exact"}
    assert {"weak", "shown_notes", "named"} <= ranked


def test_another_form_is_refused(small_vault: Path) -> None:
    with Vault.open(small_vault) as vault, pytest.raises(BadArgument) as refusal:
        vault.tool_definitions("gemini")  # type: ignore[arg-type]
    assert str(refusal.value) == "format must be one of anthropic, openai, mcp, got 'gemini'"


def test_an_unknown_tool_is_refused() -> None:
    with pytest.raises(BadArgument, match=r"^unknown tool 'nothing'; the tools are: search_files"):
        tools.named("nothing")


def test_every_tool_is_called_here() -> None:
    assert set(CALLS) == set(tools.NAMES)


@pytest.mark.parametrize(("name", "arguments"), [(name, given) for name, calls in CALLS.items() for given in calls])
def test_an_answer_is_what_the_output_schema_promises(small_vault: Path, name: str, arguments: dict[str, Any]) -> None:
    Draft202012Validator(whole_schema(tools.named(name).request)).validate(arguments)
    with Vault.open(small_vault) as vault:
        result = vault.call(name, arguments)
    assert not result.is_error
    output = definitions("mcp", [name])[0]["outputSchema"]
    Draft202012Validator(output).validate(json.loads(json.dumps(result.details, allow_nan=False)))
    assert any(set(each["required"]) <= set(result.details) <= set(each["properties"]) for each in _kinds(name))


@pytest.mark.parametrize("name", tools.NAMES)
def test_every_answer_holds_what_all_answers_hold(name: str) -> None:
    for output in _kinds(name):
        assert {"complete", "searched", "passed_over", "notices"} <= set(output["required"])
        assert not {"found", "is_error"} & set(output["properties"])
    assert ("text" in output["properties"]) == (name == "read")  # its details hold the note's own text

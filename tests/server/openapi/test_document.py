"""The description of tools: valid, the same as the registry, and true of the answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from tests.tools.test_definitions import CALLS
from vaulttools import Vault, __version__, tools
from vaulttools.server.openapi.document import REFUSALS, document
from vaulttools.tools.definitions import definitions

MOST_DESCRIBED = 300
"""Characters of a description that GPT actions take."""


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(document(tools.NAMES))
    return whole


def _schema(described: dict[str, Any], tool: str, *way: str) -> dict[str, Any]:
    """A schema of a tool's call, with the components that it refers to."""
    found = described["paths"][f"/tools/{tool}"]["post"]
    for step in (*way, "content", "application/json", "schema"):
        found = found[step]
    return {**found, "components": described["components"]}


@pytest.mark.parametrize("names", [tools.NAMES, tools.DEFAULT, ("tags",), ()])
def test_it_is_openapi(names: tuple[str, ...]) -> None:
    validate(json.loads(document(names)))
    validate(json.loads(document(names, is_short=True, needs_token=False)))


def test_each_tool_is_described_by_its_definition(described: dict[str, Any]) -> None:
    assert list(described["paths"]) == [f"/tools/{name}" for name in tools.NAMES]
    for defined in definitions("mcp"):
        operation = described["paths"][f"/tools/{defined['name']}"]["post"]
        assert (operation["operationId"], operation["description"]) == (defined["name"], defined["description"])
        assert operation["summary"] == tools.named(defined["name"]).summary
        assert operation["requestBody"]["content"]["application/json"]["schema"] == defined["inputSchema"]
        assert list(operation["responses"]) == ["200", *map(str, REFUSALS)]
    assert described["info"]["version"] == __version__
    assert described["components"]["securitySchemes"]["bearer"] == {"type": "http", "scheme": "bearer"}


@pytest.mark.parametrize("tool", tools.NAMES)
def test_calls_and_answers_are_as_described(described: dict[str, Any], tool: str, small_vault: Any) -> None:
    with Vault.open(small_vault, index="off") as vault:
        for arguments in CALLS[tool]:
            told = {name: each for name, each in arguments.items() if name not in tools.named(tool).request.untold}
            Draft202012Validator(_schema(described, tool, "requestBody")).validate(told)
            details = vault.call(tool, arguments, bounded=True).details
            Draft202012Validator(_schema(described, tool, "responses", "200")).validate(details)


def test_no_two_answers_give_one_name_to_different_things() -> None:
    known: dict[str, Any] = {}
    for defined in definitions("mcp"):
        output = defined["outputSchema"]
        kinds = {kind["title"]: kind for kind in output.get("anyOf", [output])}
        for name, each in {**output.get("$defs", {}), **kinds}.items():
            assert known.setdefault(name, each) == each, (defined["name"], name)


def test_a_server_without_a_token_asks_for_none() -> None:
    whole = json.loads(document(("tags",), needs_token=False))
    statuses = [*whole["paths"]["/tools/tags"]["post"]["responses"]]
    assert whole["security"] == [] and statuses == ["200", *(str(each) for each in REFUSALS if each != 401)]
    assert json.loads(document(("tags",)))["security"] == [{"bearer": []}]


def test_nothing_but_components_is_referred_to(described: dict[str, Any]) -> None:
    assert "$defs" not in json.dumps(described)


def test_short_descriptions_fit_gpt_actions() -> None:
    paths = json.loads(document(tools.NAMES, is_short=True))["paths"]
    assert max(len(each["post"]["description"]) for each in paths.values()) <= MOST_DESCRIBED

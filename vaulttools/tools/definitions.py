"""Converts tools to the definitions that LLM APIs take."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, get_args

from vaulttools import tools
from vaulttools.answers.request import Request, schema
from vaulttools.answers.tool import Tool
from vaulttools.core import limits
from vaulttools.errors import BadArgument

Format = Literal["anthropic", "openai", "mcp"]


def definitions(
    format: Format,  # noqa: A002 - its public name
    names: Iterable[str] = tools.NAMES,
    *,
    answers: bool = True,
) -> list[dict[str, Any]]:
    """The definitions of the tools, JSON-ready, in the form that the API takes; for MCP with the schemas of `answers`.

    Raises:
        BadArgument: the format is none of the three, or there is no such tool.
    """
    if format not in _FORMS:
        raise BadArgument(f"format must be one of {', '.join(get_args(Format))}, got {format!r}")
    found = [_FORMS[format](tools.named(name)) for name in names]
    if answers and format == "mcp":
        for definition in found:
            answer = tools.named(definition["name"]).answer
            definition["outputSchema"] = answer.model_json_schema(mode="serialization")
    return found


def _anthropic(tool: Tool[Any, Any]) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": _short(tool.request)}


def _openai(tool: Tool[Any, Any]) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": _short(tool.request)}
    return {"type": "function", "function": function}


def _mcp(tool: Tool[Any, Any]) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": _short(tool.request),
        "annotations": {"title": tool.summary, "readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
    }


def _short(request: type[Request]) -> dict[str, Any]:
    """The JSON Schema of the arguments without what a model does without: bounds that no model meets, defaults that are
    false, the types of the values of a map. A refusal says them in words."""
    whole = schema(request)
    for property_ in whole["properties"].values():
        if property_.get("default") is False:
            del property_["default"]
        if property_.get("maximum") == limits.RESULTS:
            del property_["maximum"]
        if property_.get("minimum") in (0, 1):
            del property_["minimum"]
        property_.pop("additionalProperties", None)
    return whole


_FORMS: Final[dict[str, Callable[[Tool[Any, Any]], dict[str, Any]]]] = {
    "anthropic": _anthropic,
    "openai": _openai,
    "mcp": _mcp,
}

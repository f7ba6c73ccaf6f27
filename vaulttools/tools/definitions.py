"""Converts tools to the definitions that LLM APIs take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, get_args

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
    """Returns the definitions of the tools, JSON-ready, in an API's format; for MCP with the schemas of `answers`.

    Raises:
        BadArgument: the format is none of the three, or there is no such tool.
    """
    if format not in get_args(Format):
        raise BadArgument(f"format must be one of {', '.join(get_args(Format))}, got {format!r}")
    return [_definition(tools.named(name), format, answers) for name in names]


def _definition(tool: Tool[Any, Any], format: Format, answers: bool) -> dict[str, Any]:  # noqa: A002
    arguments = _short(tool.request)
    if format == "anthropic":
        return {"name": tool.name, "description": tool.description, "input_schema": arguments}
    if format == "openai":
        function = {"name": tool.name, "description": tool.description, "parameters": arguments}
        return {"type": "function", "function": function}
    hints = {"title": tool.summary, "readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
    defined = {"name": tool.name, "description": tool.description, "inputSchema": arguments, "annotations": hints}
    return defined | ({"outputSchema": _output(tool)} if answers else {})


def _output(tool: Tool[Any, Any]) -> dict[str, Any]:
    """Returns the JSON Schema of the details. A tool with several kinds of answers has one schema: an object, as MCP
    demands, with `anyOf` of theirs."""
    kinds = tool.answers or (tool.answer,)
    schemas: list[dict[str, Any]] = [each.model_json_schema(mode="serialization") for each in kinds]
    if len(schemas) == 1:
        return schemas[0]
    shared = {name: each for schema in schemas for name, each in schema.pop("$defs", {}).items()}
    return {"type": "object", "$defs": shared, "anyOf": schemas}


def _short(request: type[Request]) -> dict[str, Any]:
    """Returns the JSON Schema of the arguments without what a model never needs: fields that it is not told of, distant
    bounds, defaults that are false. A refusal says them in words."""
    whole = schema(request)
    for name in request.untold:
        del whole["properties"][name]
    for property_ in whole["properties"].values():
        if property_.get("default") is False:
            del property_["default"]
        if property_.get("maximum", 0) >= limits.RESULTS:
            del property_["maximum"]
        if property_.get("minimum") in (0, 1):
            del property_["minimum"]
    return whole

"""Registers the tools; adding one is one file and one line here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vaulttools.errors import BadArgument

if TYPE_CHECKING:
    from vaulttools.answers.tool import Tool

NAMES = (
    "search_files",
    "search",
    "find",
    "grep",
    "survey",
    "scout",
    "sample",
    "show",
    "query",
    "context",
    "read",
    "outline",
    "links",
    "tags",
    "properties",
    "tasks",
    "base",
)
"""In the order in which they are listed; each is the module of the same name, which holds `TOOL`."""


def named(name: str) -> Tool[Any, Any]:
    """The tool of that name; its module is imported at the first call.

    Raises:
        BadArgument: there is none.
    """
    if name not in NAMES:
        raise BadArgument(f"unknown tool '{name}'; the tools are: {', '.join(NAMES)}")
    tool: Tool[Any, Any] = import_module(f"{__name__}.{name}").TOOL
    return tool

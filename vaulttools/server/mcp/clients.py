"""Prints the configuration that clients need to start or find the server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from vaulttools.errors import BadArgument

NAME: Final = "vaulttools"
"""What the server is called in a client's settings."""

_WHERE: Final[dict[str, str]] = {
    "claude": "Claude Desktop: Settings > Developer > Edit Config. Claude Code: .mcp.json of a project.",
    "cursor": "Cursor: ~/.cursor/mcp.json, or .cursor/mcp.json of a project.",
    "vscode": "VS Code: .vscode/mcp.json, or the command 'MCP: Open User Configuration'.",
    "generic": "Any client that starts a program and speaks MCP over its stdin and stdout, or over HTTP.",
}


@dataclass(frozen=True, slots=True)
class Command:
    """How the server is started."""

    program: str
    arguments: Sequence[str]


@dataclass(frozen=True, slots=True)
class Address:
    """Where a running server is found."""

    url: str
    needs_token: bool
    """The block then holds a place for it, not the token itself."""


def block(client: str, server: Command | Address) -> dict[str, Any]:
    """The JSON to paste.

    Raises:
        BadArgument: there is no such client.
    """
    if client not in _WHERE:
        raise BadArgument(f"--print-config must be one of {', '.join(_WHERE)}, got '{client}'")
    if isinstance(server, Command):
        entry: dict[str, Any] = {"command": server.program, "args": list(server.arguments)}
        kind = "stdio"
    else:
        entry = {"url": server.url}
        if server.needs_token:
            entry["headers"] = {"Authorization": "Bearer <the token>"}
        kind = "http"
    if client == "generic":
        return {"type": kind, **entry}
    if client == "vscode":
        return {"servers": {NAME: {"type": kind, **entry}}}
    if client == "claude" and kind == "http":
        entry = {"type": kind, **entry}
    return {"mcpServers": {NAME: entry}}


def where(client: str) -> str:
    """Where the block goes."""
    return _WHERE[client]

"""Prints the configuration that clients need to start or find the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

NAME: Final = "vaulttools"
"""What the server is called in a client's settings."""

_WHERE: Final[dict[str, str]] = {
    "claude": "Claude Desktop: Settings > Developer > Edit Config. Claude Code: .mcp.json of a project.",
    "cursor": "Cursor: ~/.cursor/mcp.json, or .cursor/mcp.json of a project.",
    "vscode": "VS Code: .vscode/mcp.json, or the command 'MCP: Open User Configuration'.",
    "generic": "Any client that starts a program and speaks MCP over its stdin and stdout, or over HTTP.",
}


def block(client: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON to paste, for `claude`, `cursor`, `vscode` or `generic`.

    `entry`: how the client starts the server, `command` and `args`; or where it finds it, `url` and `headers`.
    """
    kind = "stdio" if "command" in entry else "http"
    if client == "generic":
        return {"type": kind, **entry}
    if client == "vscode":
        return {"servers": {NAME: {"type": kind, **entry}}}
    if client == "claude" and kind == "http":
        return {"mcpServers": {NAME: {"type": kind, **entry}}}
    return {"mcpServers": {NAME: dict(entry)}}


def where(client: str) -> str:
    """Where the block goes."""
    return _WHERE[client]

"""Declares the assistants that `init` knows: where their settings are, and in which form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vaulttools.clients.machine import Machine


@dataclass(frozen=True, slots=True)
class ConfigLocation:
    """Where a client keeps the servers that a user has added."""

    file: Path
    sign: Path
    """What exists where the client does: the file itself, or its folder when the client makes the file late."""


@dataclass(frozen=True, slots=True)
class Client:
    """An assistant that starts MCP servers."""

    name: str
    """As `--client` takes it."""
    title: str
    places: Callable[[Machine], list[ConfigLocation]]
    """Where its settings may be; the first that exists counts."""
    servers: str = "mcpServers"
    """The key under which its file holds the servers by name."""
    is_typed: bool = False
    """Whether an entry names its transport."""


def _within(folder: Path, name: str) -> ConfigLocation:
    return ConfigLocation(folder / name, folder)


def _claude_code(machine: Machine) -> list[ConfigLocation]:
    file = (machine.named("CLAUDE_CONFIG_DIR") or machine.home) / ".claude.json"
    return [ConfigLocation(file, file)]


def _codex(machine: Machine) -> list[ConfigLocation]:
    return [_within(machine.named("CODEX_HOME") or machine.home / ".codex", "config.toml")]


def _lm_studio(machine: Machine) -> list[ConfigLocation]:
    # Its page names the first; versions that began with the second still use it (lmstudio-bug-tracker 1371).
    return [
        _within(machine.home / ".lmstudio", "mcp.json"),
        _within(machine.home / ".cache" / "lm-studio", "mcp.json"),
    ]


CLIENTS: Final = (
    Client(
        "claude-desktop",
        "Claude Desktop",
        lambda at: [_within(at.settings / "Claude", "claude_desktop_config.json")],
    ),
    Client("claude-code", "Claude Code", _claude_code, is_typed=True),
    Client("cursor", "Cursor", lambda at: [_within(at.home / ".cursor", "mcp.json")]),
    Client(
        "vscode",
        "VS Code",
        lambda at: [_within(at.settings / "Code" / "User", "mcp.json")],
        servers="servers",
        is_typed=True,
    ),
    Client("codex", "Codex", _codex, servers="mcp_servers"),
    Client("gemini-cli", "Gemini CLI", lambda at: [_within(at.home / ".gemini", "settings.json")]),
    Client("lm-studio", "LM Studio", _lm_studio),
)


def place(client: Client, machine: Machine) -> ConfigLocation | None:
    """Where the client's settings are; None: it is not on this machine."""
    return next((each for each in client.places(machine) if each.sign.exists()), None)

"""Declares the assistants that `init` knows, and finds their settings and Obsidian's vaults."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from vaulttools.errors import BadArgument
from vaulttools.files import small

NAME: Final = "vaulttools"
"""Name of the server in a client's settings."""

System: TypeAlias = Literal["linux", "macos", "windows"]


@dataclass(frozen=True, slots=True)
class Machine:
    """A user's account on a system; tests create their own."""

    system: System
    home: Path
    environment: Mapping[str, str]

    @property
    def settings(self) -> Path:
        """The folder of programs' settings: `~/.config`, `~/Library/Application Support`, `%APPDATA%`."""
        match self.system:
            case "macos":
                return self.home / "Library" / "Application Support"
            case "windows":
                return self.named("APPDATA") or self.home / "AppData" / "Roaming"
            case "linux":
                return self.named("XDG_CONFIG_HOME") or self.home / ".config"

    def named(self, variable: str) -> Path | None:
        """Returns the absolute folder that an environment variable names; None otherwise."""
        value = self.environment.get(variable, "")
        return Path(value) if Path(value).is_absolute() else None


def this_machine() -> Machine:
    """Returns the account that runs this process.

    Raises:
        BadArgument: it has no home folder, and so no settings.
    """
    system: System = "windows" if sys.platform == "win32" else "macos" if sys.platform == "darwin" else "linux"
    try:
        return Machine(system, Path.home(), os.environ)
    except RuntimeError:
        raise BadArgument("There are no settings to change: this user has no home folder") from None


@dataclass(frozen=True, slots=True)
class ConfigLocation:
    """Where a client keeps the servers that a user has added."""

    file: Path
    sign: Path
    """Exists if the client is installed: the file itself, or its folder if the client creates the file later."""


@dataclass(frozen=True, slots=True)
class Client:
    """An assistant that starts MCP servers."""

    name: str
    """The value for `--client`."""
    title: str
    places: Callable[[Machine], list[ConfigLocation]]
    """Possible places of its settings; the first existing one counts."""
    servers: str = "mcpServers"
    """The key of the servers in its file."""
    is_typed: bool = False
    """Whether an entry names its transport."""


def _within(folder: Path, name: str) -> ConfigLocation:
    return ConfigLocation(folder / name, folder)


def _claude_code(machine: Machine) -> list[ConfigLocation]:
    file = (machine.named("CLAUDE_CONFIG_DIR") or machine.home) / ".claude.json"
    # Its first start creates the file; before that there may only be its folder, or only the program.
    signs = [file, machine.home / ".claude"]
    if program := shutil.which("claude", path=machine.environment.get("PATH", "")):
        signs.append(Path(program))
    return [ConfigLocation(file, sign) for sign in signs]


def _codex(machine: Machine) -> list[ConfigLocation]:
    return [_within(machine.named("CODEX_HOME") or machine.home / ".codex", "config.toml")]


def _lm_studio(machine: Machine) -> list[ConfigLocation]:
    # LM Studio's page names the first; versions that began with the second still use it (lmstudio-bug-tracker 1371).
    return [_within(machine.home / ".lmstudio", "mcp.json"), _within(machine.home / ".cache" / "lm-studio", "mcp.json")]


CLIENTS: Final = (
    Client(
        "claude-desktop", "Claude Desktop", lambda at: [_within(at.settings / "Claude", "claude_desktop_config.json")]
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
    """Returns the place of the client's settings; None if it is not on this machine."""
    return next((each for each in client.places(machine) if each.sign.exists()), None)


def lists(machine: Machine) -> list[Path]:
    """Returns the places of Obsidian's list of vaults: AppImage and .deb share one, Flatpak and Snap have their own."""
    name = Path("obsidian") / "obsidian.json"
    places = [machine.settings / name]
    if machine.system == "linux":
        flatpak = machine.home / ".var" / "app" / "md.obsidian.Obsidian" / "config"
        snap = machine.home / "snap" / "obsidian" / "current" / ".config"
        places += [flatpak / name, snap / name]
    return places


class Listed(NamedTuple):
    """A vault in Obsidian's list."""

    folder: Path
    id: str
    """The name that the app made for it."""


def listed_vaults(machine: Machine) -> list[Listed]:
    """Returns the vaults in all readable lists, each folder once, sorted, whether they exist or not."""
    found: dict[Path, Listed] = {}
    for place in lists(machine):
        try:
            listed = json.loads(small.read(place))["vaults"].items()
            every = [Listed(Path(vault["path"]), id_) for id_, vault in listed]
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue
        for each in every:
            if each.folder.is_absolute():
                found.setdefault(each.folder, each)
    return sorted(found.values())


def known_vaults(machine: Machine) -> list[Path]:
    """Returns the folders of `listed_vaults`."""
    return [each.folder for each in listed_vaults(machine)]

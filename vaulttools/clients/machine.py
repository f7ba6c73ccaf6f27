"""Says where programs keep their settings, and which vaults Obsidian knows."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from vaulttools.errors import BadArgument

System: TypeAlias = Literal["linux", "macos", "windows"]


@dataclass(frozen=True, slots=True)
class Machine:
    """A user's account on a system; tests make their own."""

    system: System
    home: Path
    environment: Mapping[str, str]

    @property
    def settings(self) -> Path:
        """The folder in which programs have their own: `~/.config`, `~/Library/Application Support`, `%APPDATA%`."""
        match self.system:
            case "macos":
                return self.home / "Library" / "Application Support"
            case "windows":
                return self.named("APPDATA") or self.home / "AppData" / "Roaming"
            case "linux":
                return self.named("XDG_CONFIG_HOME") or self.home / ".config"

    def named(self, variable: str) -> Path | None:
        """The absolute folder that an environment variable names, if it names one."""
        value = self.environment.get(variable, "")
        return Path(value) if Path(value).is_absolute() else None


def this_machine() -> Machine:
    """The account that runs this process.

    Raises:
        BadArgument: it has no home folder, and so no settings.
    """
    system: System = "windows" if sys.platform == "win32" else "macos" if sys.platform == "darwin" else "linux"
    try:
        return Machine(system, Path.home(), os.environ)
    except RuntimeError:
        raise BadArgument("There are no settings to change: this user has no home folder") from None


@dataclass(frozen=True, slots=True)
class KnownVault:
    """A vault in Obsidian's list."""

    path: Path

    @property
    def name(self) -> str:
        """What Obsidian calls it: the name of its folder."""
        return self.path.name

    @property
    def is_there(self) -> bool:
        """Whether its folder still exists."""
        return self.path.is_dir()


def lists(machine: Machine) -> list[Path]:
    """Where Obsidian keeps its list; the AppImage and the .deb share one place, Flatpak and Snap have their own."""
    name = Path("obsidian") / "obsidian.json"
    places = [machine.settings / name]
    if machine.system == "linux":
        flatpak = machine.home / ".var" / "app" / "md.obsidian.Obsidian" / "config"
        snap = machine.home / "snap" / "obsidian" / "current" / ".config"
        places += [flatpak / name, snap / name]
    return places


def known_vaults(machine: Machine) -> list[KnownVault]:
    """The vaults in every list that can be read, by path; a damaged list has none."""
    paths: set[Path] = set()
    for place in lists(machine):
        try:
            listed = json.loads(place.read_bytes())["vaults"].values()
            paths.update(Path(vault["path"]) for vault in listed if Path(vault["path"]).is_absolute())
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue
    return [KnownVault(path) for path in sorted(paths)]

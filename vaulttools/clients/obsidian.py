"""Lists the vaults that Obsidian knows, from its `obsidian.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from vaulttools.clients.machine import Machine


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

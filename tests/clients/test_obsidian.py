"""The vaults that Obsidian knows, on each system."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from vaulttools.clients.registry import Machine, System, known_vaults


@pytest.mark.parametrize(
    ("system", "variables", "place"),
    [
        ("linux", {}, ".config/obsidian"),
        ("linux", {"XDG_CONFIG_HOME": "{home}/own"}, "own/obsidian"),
        ("linux", {"XDG_CONFIG_HOME": "not/absolute"}, ".config/obsidian"),
        ("linux", {}, ".var/app/md.obsidian.Obsidian/config/obsidian"),
        ("linux", {}, "snap/obsidian/current/.config/obsidian"),
        ("macos", {"XDG_CONFIG_HOME": "{home}/own"}, "Library/Application Support/obsidian"),
        ("windows", {}, "AppData/Roaming/obsidian"),
        ("windows", {"APPDATA": "{home}/Roaming"}, "Roaming/obsidian"),
    ],
)
def test_the_list_is_found(tmp_path: Path, system: System, variables: Mapping[str, str], place: str) -> None:
    environment = {name: value.format(home=tmp_path) for name, value in variables.items()}
    file = tmp_path / place / "obsidian.json"
    file.parent.mkdir(parents=True)
    vaults = {"b": {"path": str(tmp_path / "Ünï")}, "a": {"path": str(tmp_path / "A"), "ts": 1, "open": True}}
    file.write_text(json.dumps({"vaults": vaults}), encoding="utf-8")
    found = known_vaults(Machine(system, tmp_path, environment))
    assert [(vault.name, vault) for vault in found] == [("A", tmp_path / "A"), ("Ünï", tmp_path / "Ünï")]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"vaults": 1}', '{"vaults": {"a": 1}}', '{"vaults": {"a": {}}}']
)
def test_a_damaged_list_has_no_vaults(tmp_path: Path, text: str) -> None:
    file = tmp_path / ".config" / "obsidian" / "obsidian.json"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    assert known_vaults(Machine("linux", tmp_path, {})) == []

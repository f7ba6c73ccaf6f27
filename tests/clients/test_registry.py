"""Where each assistant keeps its servers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from vaulttools.clients.registry import CLIENTS, Machine, System, place

BY_NAME = {client.name: client for client in CLIENTS}


@pytest.mark.parametrize(
    ("name", "system", "sign", "file"),
    [
        ("claude-desktop", "linux", ".config/Claude", ".config/Claude/claude_desktop_config.json"),
        (
            "claude-desktop",
            "macos",
            "Library/Application Support/Claude",
            "Library/Application Support/Claude/claude_desktop_config.json",
        ),
        ("claude-desktop", "windows", "AppData/Roaming/Claude", "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("claude-code", "linux", ".claude.json", ".claude.json"),
        ("claude-code", "macos", ".claude", ".claude.json"),
        ("cursor", "windows", ".cursor", ".cursor/mcp.json"),
        ("vscode", "linux", ".config/Code/User", ".config/Code/User/mcp.json"),
        ("vscode", "macos", "Library/Application Support/Code/User", "Library/Application Support/Code/User/mcp.json"),
        ("vscode", "windows", "AppData/Roaming/Code/User", "AppData/Roaming/Code/User/mcp.json"),
        ("codex", "macos", ".codex", ".codex/config.toml"),
        ("gemini-cli", "linux", ".gemini", ".gemini/settings.json"),
        ("lm-studio", "linux", ".lmstudio", ".lmstudio/mcp.json"),
        ("lm-studio", "macos", ".cache/lm-studio", ".cache/lm-studio/mcp.json"),
    ],
)
def test_a_client_is_found_by_its_folder(tmp_path: Path, name: str, system: System, sign: str, file: str) -> None:
    machine = Machine(system, tmp_path, {})
    assert place(BY_NAME[name], machine) is None
    (tmp_path / sign).mkdir(parents=True)
    found = place(BY_NAME[name], machine)
    assert found is not None and found.file == tmp_path / file


def test_claude_code_is_found_by_its_program(tmp_path: Path) -> None:
    home, programs = tmp_path / "home", tmp_path / "bin"
    programs.mkdir()
    machine = Machine("linux", home, {"PATH": str(programs)})
    assert place(BY_NAME["claude-code"], machine) is None
    program = programs / ("claude.exe" if sys.platform == "win32" else "claude")
    program.touch(mode=0o755)
    found = place(BY_NAME["claude-code"], machine)
    assert found is not None and found.file == home / ".claude.json"


@pytest.mark.parametrize(
    ("name", "variable", "file"),
    [("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"), ("codex", "CODEX_HOME", "config.toml")],
)
def test_a_client_that_a_variable_has_moved_is_found(tmp_path: Path, name: str, variable: str, file: str) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / file).touch()
    found = place(BY_NAME[name], Machine("linux", tmp_path, {variable: str(tmp_path / "own")}))
    assert found is not None and found.file == tmp_path / "own" / file

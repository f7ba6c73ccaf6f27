"""`vaulttools init`: what it shows, what it writes on request only, and what it leaves alone."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from vaulttools import BadArgument, Vault
from vaulttools.cli import init
from vaulttools.cli import main as cli
from vaulttools.cli.mcp import NEEDS_EXTRA, program
from vaulttools.clients.registry import Machine

PROGRAM = "/opt/vaulttools/bin/vaulttools"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with two vaults that Obsidian knows, and two assistants."""
    monkeypatch.setattr(init, "program", lambda: (PROGRAM, []))
    folder = tmp_path / "home"
    for name in ("Notes/.obsidian", "Work/.obsidian", ".cursor", ".codex", ".config/obsidian"):
        (folder / name).mkdir(parents=True)
    paths = [str(folder / name) for name in ("Notes", "Work", "Gone")]
    listed = {"vaults": {str(number): {"path": path} for number, path in enumerate(paths)}}
    (folder / ".config/obsidian/obsidian.json").write_text(json.dumps(listed), encoding="utf-8")
    (folder / ".cursor/mcp.json").write_bytes(b'{\n  "mcpServers": {\n    "x": {"env": {"K": "sk-1"}} // x\n  }\n}\n')
    return folder


def files(folder: Path) -> dict[str, bytes]:
    found = filter(Path.is_file, sorted(folder.rglob("*")))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def ran(home: Path, *words: str, vaults: Sequence[str] = ("Notes",)) -> tuple[str, dict[str, Any], bool | None]:
    return init.run(init.parse(words), vaults, Machine("linux", home, {}))


def said(home: Path, *words: str, vaults: Sequence[str] = ("Notes",)) -> str:
    """The text, with `~` for the home folder and `/` between names, as it is or in a string of JSON or TOML."""
    text = ran(home, *words, vaults=vaults)[0]
    for written in (json.dumps(str(home))[1:-1], str(home)):
        text = text.replace(written, "~")
    return re.sub(r"\\+", "/", text) if os.sep != "/" else text


def refusal(home: Path, *words: str, vaults: Sequence[str] = ("Notes",)) -> str:
    with pytest.raises(BadArgument) as caught:
        ran(home, *words, vaults=vaults)
    return str(caught.value)


def test_it_shows_our_own_block_and_writes_nothing(home: Path) -> None:
    before = files(home)
    assert said(home) == (
        "Vault: ~/Notes\n"
        "Obsidian also knows: ~/Gone (not there), ~/Work\n"
        "\n"
        "Cursor: add to ~/.cursor/mcp.json\n"
        '  + "vaulttools": {\n'
        f'  +   "command": "{PROGRAM}",\n'
        '  +   "args": ["--vault", "~/Notes", "mcp"]\n'
        "  + }\n"
        "\n"
        "Codex: add to ~/.codex/config.toml\n"
        "  + [mcp_servers.vaulttools]\n"
        f'  + command = "{PROGRAM}"\n'
        '  + args = ["--vault", "~/Notes", "mcp"]\n'
        "\n"
        "Not on this machine: Claude Desktop, Claude Code, VS Code, Gemini CLI, LM Studio\n"
        "\n"
        "Nothing was written: --write makes these changes."
    )
    assert said(home, "--dry-run") == said(home)
    assert files(home) == before


def test_it_writes_on_request_and_takes_it_out_again(home: Path) -> None:
    before = files(home)
    shown = said(home, "--write")
    assert "  Backup: ~/.cursor/mcp.json.before-vaulttools" in shown.split("\n")
    assert shown.endswith("Restart Cursor, Codex to load the change.")
    written = files(home)
    assert written[".cursor/mcp.json.before-vaulttools"] == before[".cursor/mcp.json"]
    entry = {"command": PROGRAM, "args": ["--vault", str(home / "Notes"), "mcp"]}
    assert json.loads(written[".cursor/mcp.json"].replace(b" // x", b""))["mcpServers"]["vaulttools"] == entry

    assert "Cursor: ~/.cursor/mcp.json has it already" in said(home, "--write")
    assert files(home) == written

    assert said(home, "--remove").endswith("Nothing was written: --write makes these changes.")
    assert files(home) == written
    assert "sk-1" not in said(home, "--remove", "--write")
    assert files(home) == before
    assert said(home, "--remove", "--write").endswith("Nothing to write.")


def test_only_the_client_that_is_named_is_changed(home: Path) -> None:
    before = files(home)
    said(home, "--write", "--client", "codex")
    assert set(files(home)) - set(before) == {".codex/config.toml"}
    absent = r"Gemini CLI is not on this machine: there is no .*gemini"
    to_paste = "; .*: vaulttools --vault .*Notes mcp --print-config gemini-cli"
    assert re.fullmatch(absent + to_paste, refusal(home, "--client", "gemini-cli"))
    assert re.fullmatch(absent, refusal(home, "--client", "gemini-cli", "--write", "--remove"))


def test_several_vaults_are_named(home: Path) -> None:
    (home / "Other").mkdir()
    _, details, _ = ran(home, vaults=["Work", f"mine={home / 'Other'}"])
    assert details["vaults"] == {"Work": str(home / "Work"), "mine": str(home / "Other")}
    assert init.entry(details["vaults"])["args"] == [
        *("--vault", f"Work={home / 'Work'}", "--vault", f"mine={home / 'Other'}", "mcp")
    ]


def test_the_only_vault_that_obsidian_knows_is_taken(home: Path) -> None:
    assert refusal(home, vaults=()) == "Obsidian knows several vaults: choose one with --vault: 'Notes', 'Work'"
    (home / "Work" / ".obsidian").rmdir()
    (home / "Work").rmdir()
    assert said(home, vaults=()).startswith("Vault: ~/Notes\n")
    (home / ".config/obsidian/obsidian.json").unlink()
    assert refusal(home, vaults=()) == "No vault given: use --vault DIR; Obsidian knows none"


def test_a_name_that_several_vaults_have_is_refused(home: Path) -> None:
    listed = [str(home / "Notes"), str(home / "Work" / "Notes")]
    (home / "Work" / "Notes").mkdir()
    (home / ".config/obsidian/obsidian.json").write_text(
        json.dumps({"vaults": {path: {"path": path} for path in listed}}), encoding="utf-8"
    )
    assert refusal(home) == f"Obsidian knows several vaults named 'Notes': give the folder, {' and '.join(listed)}"
    assert refusal(home, vaults=("Nots",)) == "Nots is neither a folder nor a vault that Obsidian knows"


@pytest.mark.parametrize("levels", [400, 600, 900, 1_000, 5_000])
def test_a_deep_file_is_changed_or_told_and_the_others_are_written(home: Path, levels: int) -> None:
    deep = b'{"a":' * levels + b"1" + b"}" * levels
    (home / ".cursor/mcp.json").write_bytes(deep)
    text, details, is_well = ran(home, "--write")
    assert is_well is True
    cursor, codex = details["clients"]
    assert codex["action"] == "add"
    assert cursor["action"] == "add" or "nested too deeply" in cursor["error"]
    assert cursor["action"] == "add" or (home / ".cursor/mcp.json").read_bytes() == deep
    assert "Traceback" not in text


def test_a_broken_file_stays_and_the_others_are_written(home: Path) -> None:
    broken = b'{"mcpServers": {"x": {"env": {"K": "sk-1"}}'
    (home / ".cursor/mcp.json").write_bytes(broken)
    text, details, is_well = ran(home, "--write")
    assert "mcp.json is not changed: it cannot be read as JSON: line 1: expecting ',' delimiter" in text
    assert "\nNotice: 1 of 2 files is not changed.\n" in text
    assert is_well is True
    assert [each["action"] for each in details["clients"]] == [None, "add"]
    assert (home / ".cursor/mcp.json").read_bytes() == broken
    assert (home / ".codex/config.toml").exists()
    _, details, is_well = ran(home, "--client", "Cursor", "--client", "cursor")
    assert [each["name"] for each in details["clients"]] == ["cursor"] and is_well is False


@pytest.mark.not_under_wine("it makes no symbolic links")
def test_nothing_is_written_into_a_vault(home: Path) -> None:
    dotfiles = home / "Work" / "mcp.json"
    dotfiles.write_bytes(b"{}")
    (home / ".cursor/mcp.json").unlink()
    (home / ".cursor/mcp.json").symlink_to(dotfiles)
    for words in (["--write"], ["--write", "--remove"]):
        text, _, is_well = ran(home, *words, "--client", "cursor")
        assert "it lies in a vault, where nothing is ever written" in text and is_well is False
    assert dotfiles.read_bytes() == b"{}" and not (home / ".cursor/mcp.json.before-vaulttools").exists()


def test_without_an_assistant_it_shows_what_to_paste(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setattr(Path, "home", lambda: empty)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    notes = home / "Notes"
    block = {"mcpServers": {"vaulttools": {"command": PROGRAM, "args": ["--vault", str(notes), "mcp"]}}}
    shown = (
        f"Vault: {notes}\n"
        "\n"
        "Not on this machine: Claude Desktop, Claude Code, Cursor, VS Code, Codex, Gemini CLI, LM Studio\n"
        "\n"
        "No assistant was found, so there is nothing to change.\n"
        "To connect one by hand, paste this into its settings:\n"
        "\n"
        f"{json.dumps(block, indent=2)}\n"
    )
    nothing = f"{shown.split(chr(10) * 2)[1]}\n\nNo assistant was found, so there is nothing to change.\n"
    for words, status, printed in (
        ([], 0, shown),
        (["--write"], 1, shown),
        (["--remove"], 0, nothing),
        (["--remove", "--write"], 1, nothing),
    ):
        assert (cli.main(["--vault", str(notes), "init", *words]), capsys.readouterr().out) == (status, printed)


@pytest.mark.parametrize(
    "path",
    [
        "/home/a/.cache/uv/archive-v0/x/bin/vaulttools",
        "/home/a/.cache/pipx/0123/bin/vaulttools",
        "/Users/a/Library/Caches/pipx/0123/bin/vaulttools",
    ],
)
def test_a_program_that_will_not_stay_is_not_written(home: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(init, "program", program)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: path)
    said = "was installed for this run only: install vaulttools first, with uv tool install, pipx or pip"
    assert refusal(home) == f"{os.path.abspath(path)} {said}"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--write", "--dry-run"], "--write and --dry-run cannot be used together"),
        (["emacs"], "init takes names of claude-desktop, claude-code, cursor, vscode, codex,"),
        (["--client", "emacs"], "init takes names of claude-desktop, claude-code, cursor, vscode, codex,"),
        (["--force"], "unknown option '--force'"),
    ],
)
def test_a_wrong_option_is_refused(home: Path, words: list[str], sentence: str) -> None:
    assert refusal(home, *words).startswith(sentence)


def test_the_command_takes_the_vault_around_this_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Path, "home", lambda: home)
    monkeypatch.delenv("XDG_CONFIG_HOME")
    inside = home / "Work" / "deep"
    inside.mkdir()
    monkeypatch.chdir(inside)
    assert cli.main(["--json", "init", "--client", "cursor"]) == 0
    details = json.loads(capsys.readouterr().out)
    assert details["vaults"] == {"Work": str(home / "Work")}
    assert [(each["name"], each["action"]) for each in details["clients"]] == [("cursor", "add")]
    assert cli.main(["init", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: vaulttools [--vault DIR]")


@pytest.mark.parametrize(("words", "is_built"), [(["--write"], True), (["--write", "--no-build"], False), ([], False)])
def test_writing_builds_the_index_of_the_vault_unless_no_build_is_given(
    home: Path, words: list[str], is_built: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Machine("linux", home, {})
    monkeypatch.setattr(init, "this_machine", lambda: machine)
    (home / "Notes" / "a.md").write_text("A note.\n", encoding="utf-8")
    assert cli.main(["--vault", "Notes", "init", *words]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"{home / 'Notes'}: Indexed 1 note and 0 other files in ") is is_built
    with Vault.open(home / "Notes") as vault:
        assert (vault.index_status().holds is not None) is is_built


def test_a_server_that_could_not_start_is_not_added(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert refusal(home) == NEEDS_EXTRA
    assert said(home, "--remove").endswith("Nothing to write.")

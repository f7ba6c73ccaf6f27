"""Settings files are replaced whole, keep their mode, and stay if another program has changed them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from vaulttools.clients import saving
from vaulttools.clients.change import ConfigChange, Unchangeable
from vaulttools.clients.registry import CLIENTS

links = pytest.mark.not_under_wine("it reads no link back that a Python made")


def made(file: Path, before: bytes | None, after: bytes | None, backup: bytes | None = None) -> ConfigChange:
    return ConfigChange(CLIENTS[0], file, "add", before, after, backup=backup)


@pytest.mark.not_on_windows("a mode says nothing about other users there")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o700])
def test_a_file_and_its_backup_keep_the_mode(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(b"old")
    file.chmod(mode)
    backup = saving.save(made(file, b"old", b"new", b"old"))
    assert backup == tmp_path / "mcp.json.before-vaulttools"
    assert (file.read_bytes(), backup.read_bytes()) == (b"new", b"old")
    assert [stat.S_IMODE(each.stat().st_mode) for each in (file, backup)] == [mode, mode]
    assert sorted(path.name for path in tmp_path.iterdir()) == [file.name, backup.name]


@pytest.mark.not_on_windows("a mode says nothing about other users there")
def test_only_the_owner_can_read_a_new_file(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    assert saving.save(made(file, None, b"new")) is None
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@links
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.json", tmp_path / "mcp.json"
    real.write_bytes(b"old")
    link.symlink_to(real)
    saving.save(made(link, b"old", b"new"))
    assert link.is_symlink() and real.read_bytes() == b"new"


def test_a_file_that_another_program_has_changed_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(b"newer")
    with pytest.raises(Unchangeable, match="another program has just changed it: try again"):
        saving.save(made(file, b"old", b"new", b"old"))
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"newer"]


def test_a_failing_write_leaves_the_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Unchangeable, match="it cannot be written: No space left on device"):
        saving.save(made(file, b"old", b"new", b"old"))
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_anything_but_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unchangeable, match="it is not a file"):
        saving.content(tmp_path)
    assert saving.content(tmp_path / "missing") is None


@links
def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(Unchangeable, match="it is a link that leads nowhere"):
        saving.content(tmp_path / "link")

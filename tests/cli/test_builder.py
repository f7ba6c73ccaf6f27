"""The process that builds the index when a command has no time for it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.conftest import HOUR, MakeVault
from tests.index.indexes import notes
from vaulttools import Vault
from vaulttools.cli import main as cli
from vaulttools.core import child
from vaulttools.core.child import Child
from vaulttools.index import database, location
from vaulttools.index.build import Updated

Printed = pytest.CaptureFixture[str]


@pytest.fixture
def folder(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault of 300 notes, which seem an hour old to this process."""
    folder = make_vault(notes(300)).path
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now + HOUR)
    return folder


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is indexed in this process."""
    monkeypatch.setattr("vaulttools.index.build.update", lambda *_, **__: Updated(busy=True))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Child]:
    """The processes that commands of this process start."""
    processes: list[Child] = []
    monkeypatch.setattr(child, "_detached", processes)
    return processes


def indexed(folder: Path) -> int:
    """How many notes the index holds."""
    with Vault.open(folder) as vault:
        holds = vault.index_status().holds
    return holds.notes if holds else 0


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize("tool", ["query", "context"])
def test_a_command_that_answers_without_the_index_has_it_built(
    folder: Path, started: list[Child], capsys: Printed, tool: str
) -> None:
    assert cli.main(["--vault", str(folder), tool, "note"]) == cli.FOUND
    assert "[Ranked without the index, which is being built.]" in capsys.readouterr().out
    assert [process.wait() for process in started] == [0]
    assert indexed(folder) == 300


@pytest.mark.parametrize("words", [["search-files", "note"], ["find", "*.md"], ["query", "note", "--no-index"]])
def test_a_command_that_needs_no_index_has_none_built(folder: Path, started: list[Child], words: list[str]) -> None:
    assert cli.main(["--vault", str(folder), *words]) == cli.FOUND
    assert started == []


def test_nothing_is_built_where_the_index_holds_nearly_all(folder: Path, started: list[Child]) -> None:
    with Vault.open(folder) as vault:
        vault.build_index()
    (folder / "new.md").write_text("A new note.\n", encoding="utf-8")
    assert cli.main(["--vault", str(folder), "query", "note"]) == cli.FOUND
    assert started == []


def test_it_leaves_the_work_to_a_process_that_builds_already(folder: Path) -> None:
    with Vault.open(folder) as vault:
        where = location.of(vault.session.root, vault.config.index_folder)
    with database.write_lock(where.database, wait=False):
        process = child.detached("vaulttools.cli.index", str(folder))
        assert process is not None
        assert process.wait() == 0
    assert indexed(folder) == 0


def test_where_no_index_can_be_it_ends_without_one(folder: Path, tmp_path: Path) -> None:
    process = child.detached("vaulttools.cli.index", str(tmp_path / "no such vault"))
    assert process is not None
    assert process.wait() == 0

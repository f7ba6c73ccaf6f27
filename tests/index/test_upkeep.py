"""Upkeep of an index by hand: its status, its comparison with the files, and its removal."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.conftest import HOUR
from tests.index.indexes import Indexed
from vaulttools.errors import VaultToolsError
from vaulttools.index import build, file, location, upkeep
from vaulttools.index.database import Unavailable
from vaulttools.index.file import SCHEMA
from vaulttools.index.location import Location
from vaulttools.index.store import IndexStore
from vaulttools.index.tree import Tree


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Where indexes lie."""
    return str(tmp_path / "indexes")


def built(indexed: Indexed, folder: str) -> Location:
    """An index of the present vault."""
    where = location.of(indexed.root, folder)
    store = IndexStore.open(where.database, where.options)
    build.update(store, indexed.root, list(Tree(indexed.root, None).files()), workers=0)
    store.close()
    return where


def test_without_an_index_every_file_has_to_be_read(indexed: Indexed, folder: str) -> None:
    indexed.write({"a.md": "", "b.txt": "", ".obsidian/app.json": "{}"})
    status = upkeep.status(indexed.root, folder)
    assert (status.holds, status.stale, status.gone, status.is_current) == (None, 2, 0, False)
    assert not list(status.folder.glob("*.sqlite"))
    with pytest.raises(Unavailable, match="index build"):
        upkeep.verify(indexed.root, folder)


def test_the_status_shows_what_the_index_holds_and_lacks(
    indexed: Indexed, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed.write({"a.md": "a", "b.txt": "b", "c.bin": "\0"})
    built(indexed, folder)
    assert upkeep.status(indexed.root, folder).stale == 3  # too young to be sure
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now + HOUR)
    where = built(indexed, folder)
    status = upkeep.status(indexed.root, folder)
    assert (status.is_current, status.warning, status.folder) == (True, None, where.folder)
    assert status.holds is not None
    assert (status.holds.files, status.holds.notes, status.holds.binary) == (3, 1, 1)
    indexed.write({"a.md": "changed", "new.md": ""})
    (indexed.vault / "b.txt").unlink()
    status = upkeep.status(indexed.root, folder)
    assert (status.stale, status.gone, status.is_current) == (2, 1, False)


def test_fault_I06_damage_is_reported_before_what_the_index_lacks(indexed: Indexed, folder: str) -> None:
    indexed.write({"a.md": "a"})
    where = built(indexed, folder)
    where.database.write_bytes(b"no database" * 1000)
    (where.folder / f"index-{SCHEMA}.sqlite-wal").unlink(missing_ok=True)
    assert upkeep.verify(indexed.root, folder) == [
        "The index was damaged and is built anew",
        "a.md: is not in the index",
    ]
    where.database.write_bytes(b"no database" * 1000)
    assert upkeep.status(indexed.root, folder).warning == "The index was damaged and is built anew"


def test_removing_leaves_only_the_lock_that_others_wait_for(indexed: Indexed, folder: str) -> None:
    indexed.write({"a.md": "a"})
    where = built(indexed, folder)
    (where.folder / f"index-{SCHEMA}.sqlite.corrupt-1").touch()
    assert upkeep.clear(indexed.root, folder)
    lock = [] if os.name == "nt" else [f"index-{SCHEMA}.sqlite.lock"]  # there filelock removes it, unless one waits
    assert sorted(os.listdir(where.folder)) == [*lock, "vault.txt"]
    assert not upkeep.clear(indexed.root, folder)


def test_the_database_is_removed_after_its_log(indexed: Indexed, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the next database would use the log of the last one."""
    where = built(indexed, folder)
    names = [f"index-{SCHEMA}.sqlite{ending}" for ending in ("-wal", "-shm", "-journal", "")]
    for name in names:
        (where.folder / name).touch()
    renamed: list[str] = []

    def noted(old: Path, new: Path) -> None:
        renamed.append(old.name)
        os.replace(old, new)

    monkeypatch.setattr(file, "replace", noted)
    upkeep.clear(indexed.root, folder)
    assert renamed == names


@pytest.mark.parametrize("ask", [upkeep.status, upkeep.verify])
def test_fault_T13_a_missing_vault_is_an_error_and_keeps_its_rows(indexed: Indexed, folder: str, ask: object) -> None:
    indexed.write({"a.md": "a"})
    where = built(indexed, folder)
    indexed.vault.rename(indexed.folder / "away")
    with pytest.raises(VaultToolsError, match="The vault's folder cannot be read"):
        ask(indexed.root, folder)  # type: ignore[operator]
    store = IndexStore.open(where.database, where.options)
    assert [row.path for row in store.rows()] == ["a.md"]
    store.close()


@pytest.mark.not_on_windows("POSIX modes")
def test_a_place_that_cannot_be_used_gives_a_sentence(indexed: Indexed, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match="cannot be used"):
        upkeep.status(indexed.root, str(tmp_path / "file"))

"""Files of an index, and notes, that another process has open: Windows neither renames nor removes them meanwhile."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import MakeVault
from tests.index.indexes import Indexed, notes, python
from vaulttools import Vault
from vaulttools.core import windows
from vaulttools.index import build, file, location, upkeep
from vaulttools.index.database import Replaced, Unavailable
from vaulttools.index.location import Location
from vaulttools.index.store import IndexStore
from vaulttools.index.tree import Tree

on_windows = pytest.mark.skipif(sys.platform != "win32", reason="elsewhere an open file is renamed and removed")


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes files with an ending in their name count as open elsewhere."""
    plain, endings = os.replace, list[str]()

    def replace(old: str | os.PathLike[str], new: str | os.PathLike[str]) -> None:
        if any(os.fspath(old).endswith(ending) for ending in endings):
            error = PermissionError(errno.EACCES, "used by another process")
            error.winerror = 32  # type: ignore[attr-defined,unused-ignore]
            raise error
        plain(old, new)

    monkeypatch.setattr(file, "replace", replace)
    return endings.append


def built(indexed: Indexed, folder: str) -> Location:
    """An index of the present vault, with a log."""
    where = location.of(indexed.root, folder)
    store = IndexStore.open(where.database, where.options)
    build.update(store, indexed.root, list(Tree(indexed.root, None).files()), workers=0)
    store.close()
    return where


def paths_of(vault: Vault) -> list[str]:
    """The files with the needle."""
    return [found.path for found in vault.search_files("needle").files]


def contents(folder: Path) -> dict[str, int]:
    """The files of an index with their sizes, without the locks."""
    return {path.name: path.stat().st_size for path in folder.iterdir() if path.suffix != ".lock"}


@pytest.mark.parametrize("ending", ["index-7.sqlite", "index-7.sqlite-wal", ".sqlite", "-wal", "-shm"])
def test_an_index_that_is_open_elsewhere_is_not_removed_in_part(
    indexed: Indexed, tmp_path: Path, refused: Callable[[str], None], ending: str
) -> None:
    indexed.write({"a.md": "a"})
    where = built(indexed, str(tmp_path / "indexes"))
    (where.folder / "index-7.sqlite").write_bytes(b"of another version")
    (where.folder / "index-7.sqlite-wal").write_bytes(b"its log")
    before = contents(where.folder)
    assert {f"{where.database.name}{each}" for each in ("", "-wal", "-shm")} < set(before)
    refused(ending)
    with pytest.raises(Unavailable, match=r"^The index was not removed: it is open elsewhere; end the programs that"):
        upkeep.clear(indexed.root, str(tmp_path / "indexes"))
    assert contents(where.folder) == before


def test_a_damaged_index_that_is_open_elsewhere_is_not_moved_in_part(
    indexed: Indexed, refused: Callable[[str], None]
) -> None:
    indexed.holding(notes(5)).close()
    indexed.database.write_bytes(b"no database" * 1000)
    before = contents(indexed.folder)
    refused("index.sqlite")
    with pytest.raises(Unavailable, match="used by another process"):
        indexed.open()
    assert contents(indexed.folder) == before


def test_a_store_that_finds_damage_keeps_nothing_open(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    store = indexed.holding(notes(5))
    held = store.database._idle
    assert held
    left: list[int] = []
    monkeypatch.setattr(file, "move_aside", lambda _: left.append(len(held)))
    with pytest.raises(Replaced), store.database.reading():
        indexed.database.write_bytes(b"no database" * 1000)
        store.database._connected()
    assert left == [0]


def test_a_vault_that_removes_its_index_holds_it_open_no_more(make_vault: MakeVault) -> None:
    with make_vault({"a.md": "a needle"}) as vault:
        vault.build_index()
        assert paths_of(vault) == ["a.md"]
        assert vault.clear_index()
        assert paths_of(vault) == ["a.md"]


HELD = """
store = indexed.open()
with store.reading() as connection:
    print(len(connection.execute("SELECT path FROM files").fetchall()), flush=True)
    input()
"""


@contextmanager
def held(indexed: Indexed) -> Iterator[subprocess.Popen[str]]:
    """Another process that reads the index, until the block ends."""
    process = python(HELD, indexed.folder)
    assert process.stdout is not None
    assert process.stdout.readline() == "5\n"
    try:
        yield process
    finally:
        process.communicate("\n")


@on_windows
def test_an_index_that_another_process_reads_is_replaced_when_that_has_ended(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "_WAITS", (0.01,))
    indexed.holding(notes(5)).close()
    before = contents(indexed.folder)
    with held(indexed):
        with pytest.raises(Unavailable, match=r"^The index at .* cannot be used: "):
            indexed.open("other")
        assert contents(indexed.folder) == before
    assert indexed.open("other").database.warning == "The index was made with other options and is built anew"


SEARCHED = """
from vaulttools import Vault
with Vault.open(indexed.vault) as vault:
    vault.build_index()
    print("ready", flush=True)
    input()
    print([file.path for file in vault.search_files("needle").files])
"""


@on_windows
def test_an_index_of_a_vault_that_another_process_has_open_is_not_removed(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "_WAITS", (0.01,))
    indexed.write({"a.md": "a needle"})
    process = python(SEARCHED, indexed.folder)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    with Vault.open(indexed.vault) as vault:
        folder = vault.index_status().folder
        before = sorted(contents(folder))
        with pytest.raises(Unavailable, match="it is open elsewhere"):
            vault.clear_index()
        assert sorted(contents(folder)) == before
        out, err = process.communicate("\n")
        assert (out, err) == ("['a.md']\n", "")
        assert vault.clear_index()
        assert sorted(contents(folder)) == ["vault.txt"]


@contextmanager
def open_for_itself(path: Path) -> Iterator[None]:
    """Another program has a file open, and lets nobody else open it."""
    import ctypes

    kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]
    kernel.CreateFileW.restype = ctypes.c_void_p
    handle = kernel.CreateFileW(str(path), 0x80000000, 0, None, 3, 0, None)  # read; no sharing; existing
    assert handle not in (None, ctypes.c_void_p(-1).value)
    try:
        yield
    finally:
        kernel.CloseHandle(ctypes.c_void_p(handle))


@on_windows
def test_a_note_that_a_program_has_open_for_itself_is_named_and_found_later(make_vault: MakeVault) -> None:
    with make_vault({"a.md": "a needle #tag", "b.md": "another needle #tag"}) as vault:
        with open_for_itself(vault.path / "a.md"):
            vault.build_index()
            answer = vault.call("search_files", {"pattern": "needle"})
            assert [each["path"] for each in answer.details["files"]] == ["b.md"]
            assert "a.md" in answer.text
            assert not answer.details["complete"]
            status = vault.index_status()
            assert status.holds is not None
            assert status.holds.unread == 1
        vault.build_index()
        assert paths_of(vault) == ["a.md", "b.md"]
        assert vault.verify_index() == []


@on_windows
def test_a_note_that_was_open_elsewhere_while_it_was_indexed_is_read_again(indexed: Indexed) -> None:
    indexed.write({"a.md": "needle"})
    store = indexed.open()
    with open_for_itself(indexed.vault / "a.md"):
        indexed.update(store)
    assert [row.state for row in store.rows()] == ["unread"]
    assert indexed.differences(store) == (["a.md"], [])
    indexed.update(store)
    assert indexed.verify(store) == []

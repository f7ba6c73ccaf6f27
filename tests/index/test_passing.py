"""Temporary faults: what failed is tried again, and nothing is lost meanwhile."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from tests.conftest import MakeVault, write_files
from tests.index.indexes import Indexed, notes
from vaulttools import Vault, VaultConfig, VaultToolsError
from vaulttools.files import disk
from vaulttools.files.disk import within
from vaulttools.index import background as live
from vaulttools.index import build, freshness, location, workers
from vaulttools.index.content import HAS_FAILED, Content, ToRead, read
from vaulttools.index.database import Unavailable
from vaulttools.index.file import SCHEMA
from vaulttools.index.tree import Tree

posix_only = pytest.mark.not_on_windows("signals and modes of POSIX")

FILES = {"a.md": "a needle\n", "b.md": "other #tag\n"}


def awaited(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def found(vault: Vault, pattern: str) -> list[str]:
    return [file.path for file in vault.search_files(pattern).files]


# An index that cannot be used at the moment


def test_fault_I11_an_index_without_a_place_is_made_when_it_gets_one(
    make_vault: MakeVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LATER_SECONDS", 0.05)
    place = tmp_path / "place"
    place.touch()
    with Vault.open(make_vault(FILES).path, config=VaultConfig(index_folder=str(place))) as vault:
        assert found(vault, "needle") == ["a.md"]
        index = vault._opened.indexes.own
        awaited(lambda: index.unavailable is not None)
        assert found(vault, "needle") == ["a.md"]
        place.unlink()
        awaited(lambda: index.view(time.monotonic()) is not None)
        assert index.unavailable is None
        assert found(vault, "needle") == ["a.md"]
        vault.build_index()
        assert vault.verify_index() == []


def test_fault_I11_asking_for_the_index_tries_it_again_at_once(make_vault: MakeVault, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.touch()
    with Vault.open(make_vault(FILES).path, config=VaultConfig(index_folder=str(place))) as vault:
        with pytest.raises(Unavailable):
            vault.build_index()
        place.unlink()
        vault.build_index()
        assert vault.verify_index() == []


def test_fault_I08_a_busy_database_is_used_as_soon_as_it_is_free(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program holds SQLite's own lock, although our lock is free."""
    monkeypatch.setattr(live, "LATER_SECONDS", 0.05)
    monkeypatch.setattr("vaulttools.index.file.BUSY_MILLISECONDS", 50)
    folder = make_vault(FILES).path
    with Vault.open(folder) as first:
        first.build_index()
        database = location.of(first._opened.root).database
    holder = apsw.Connection(str(database))
    holder.execute("BEGIN EXCLUSIVE")
    write_files(folder, {"c.md": "a new needle\n"})
    with Vault.open(folder) as vault:
        assert found(vault, "needle") == ["a.md", "c.md"]
        awaited(lambda: vault._opened.indexes.own.unavailable is not None)
        assert found(vault, "needle") == ["a.md", "c.md"]
        holder.execute("ROLLBACK")
        holder.close()
        with suppress(VaultToolsError):  # an attempt that began before
            vault.build_index()
        vault.build_index()
        assert found(vault, "needle") == ["a.md", "c.md"]
        assert vault.verify_index() == []


def test_fault_M13_an_index_error_costs_no_answer_and_the_index_is_tried_again(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LATER_SECONDS", 0.05)
    with monkeypatch.context() as broken, Vault.open(make_vault(FILES).path) as vault:
        broken.setattr(build, "update", lambda *_, **__: 1 // 0)
        assert found(vault, "needle") == ["a.md"]
        awaited(lambda: vault._opened.indexes.own.unavailable is not None)
        assert found(vault, "needle") == ["a.md"]
        with pytest.raises(Unavailable, match="an error of its own: ZeroDivisionError"):
            vault.build_index()
        broken.undo()
        vault.build_index()
        assert found(vault, "needle") == ["a.md"]
        assert vault.verify_index() == []


# A damaged record


def test_fault_I06_a_damaged_record_is_moved_aside_and_does_not_return(make_vault: MakeVault) -> None:
    folder = make_vault(FILES).path
    with Vault.open(folder) as vault:
        vault.build_index()
        truth = vault.call("tags", {})
        database = location.of(vault._opened.root).database
    connection = apsw.Connection(str(database))
    connection.execute("UPDATE notes SET structure = ?", (b"no zlib",))
    connection.close()
    with Vault.open(folder) as vault:
        vault.build_index()

        def is_moved_aside() -> bool:
            vault.call("outline", {"note": "a.md"})  # asks for the record as soon as the note is no longer young
            return bool(list(database.parent.glob("*.corrupt-*")))

        awaited(is_moved_aside)
        vault.build_index()
        assert vault.call("tags", {}) == truth
        assert vault.verify_index() == []


def test_fault_I06_a_damaged_record_is_a_difference(indexed: Indexed) -> None:
    store = indexed.holding(FILES)
    with store.writing() as writer:
        writer.begin()
        writer._connection.execute("UPDATE notes SET structure = ?", (zlib.compress(b"")[:-1],))
        writer.commit()
    assert indexed.verify(store) == ["The index was damaged and is built anew"]
    assert list(indexed.folder.glob("*.corrupt-*"))


# A vault that is not there at the moment


def test_fault_T13_a_vault_whose_disk_is_not_mounted_keeps_its_rows(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the empty folder to which it was mounted is left."""
    monkeypatch.setattr(live, "_AGAIN_SECONDS", 0.02)
    folder = make_vault(FILES).path
    with Vault.open(folder) as vault:
        vault.build_index()
        folder.rename(folder.with_name("away"))
        folder.mkdir()
        awaited(lambda: vault.find(paths="**").files == [])
        vault.build_index()
        holds = vault.index_status().holds
        assert holds is not None
        assert holds.files == 2
        assert vault.verify_index() == []
        folder.rmdir()
        folder.with_name("away").rename(folder)
        vault.build_index()
        assert found(vault, "needle") == ["a.md"]
        assert vault.verify_index() == []


def test_fault_T13_rows_are_forgotten_when_the_vault_has_other_files(indexed: Indexed) -> None:
    indexed.write(FILES)
    assert set(Tree(indexed.root, None).now.unlisted) == set()
    for name in FILES:
        (indexed.vault / name).unlink()
    assert set(Tree(indexed.root, None).now.unlisted) == {""}
    indexed.write({"c.txt": "something"})
    assert set(Tree(indexed.root, None).now.unlisted) == set()


# Reading that fails for a moment, or hangs


@pytest.mark.parametrize("name", ["EIO", "EAGAIN", "ETIMEDOUT", "EDEADLK", "EMFILE", "ENOSPC"])
def test_fault_S05_a_read_that_fails_once_is_tried_again_at_once(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    indexed.write(FILES)
    _failing(monkeypatch, getattr(errno, name), times=1)
    found = read(indexed.root, ToRead("a.md"))
    assert found is not None
    assert found.state == "text"


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        *((name, HAS_FAILED) for name in ("EIO", "EAGAIN", "ETIMEDOUT", "EDEADLK", "EMFILE")),
        ("EACCES", HAS_FAILED if sys.platform == "win32" else 0),
    ],
)
def test_fault_S05_a_file_that_could_not_be_read_is_read_again_later(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch, name: str, flags: int
) -> None:
    indexed.write(FILES)
    store = indexed.open()
    with monkeypatch.context() as patched:
        _failing(patched, getattr(errno, name), times=1_000)
        indexed.update(store)
    assert {(row.state, row.flags) for row in store.rows()} == {("unread", flags)}
    stale, _ = indexed.differences(store)
    assert stale == (sorted(FILES) if flags else [])


def test_fault_S05_a_file_that_fails_is_a_candidate_and_is_not_read_all_the_time(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_vault(FILES).path
    with Vault.open(folder) as vault:
        with monkeypatch.context() as patched:
            reads = _failing(patched, errno.EIO, times=1_000)
            vault.build_index()
            before = len(reads)
            assert freshness.AGAIN_SECONDS > live.IDLE_SECONDS
            vault.build_index()
            assert len(reads) == before * 2  # the update by hand read it once more
        assert found(vault, "needle") == ["a.md"]
        vault.build_index()
        assert vault.verify_index() == []


def _failing(monkeypatch: pytest.MonkeyPatch, number: int, times: int) -> list[int]:
    """Let the first reads of any file fail; the list returned gets an item for each read."""
    plain, reads = disk.read, list[int]()

    def failing(descriptor: int, size: int) -> bytes:
        reads.append(descriptor)
        if len(reads) <= times:
            raise OSError(number, os.strerror(number))
        return plain(descriptor, size)

    monkeypatch.setattr(disk, "read", failing)
    return reads


@posix_only
def test_fault_S06_a_read_that_hangs_delays_no_other_file(
    make_vault: MakeVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk of one file does not answer, like a FIFO that nobody writes to."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    waiting = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    writing = os.open(fifo, os.O_WRONLY)  # without a writer the read would end at once
    os.set_blocking(waiting, True)
    folder = make_vault({**FILES, "hangs.md": "needle on a slow disk\n"}).path
    inode, plain = os.stat(folder / "hangs.md").st_ino, disk.read
    hung = []

    def hanging(descriptor: int, size: int) -> bytes:
        if os.fstat(descriptor).st_ino != inode or threading.current_thread().name != "vaulttools read":
            return plain(descriptor, size)
        hung.append(descriptor)
        return os.read(waiting, size)

    with monkeypatch.context() as patched, Vault.open(folder) as vault:
        patched.setattr(disk, "read", hanging)
        patched.setattr(workers, "READ_SECONDS", 0.5)
        vault.build_index()
        assert found(vault, "needle") == ["a.md", "hangs.md"]
        assert found(vault, "other") == ["b.md"]
        vault.build_index()
        assert len(hung) == 1  # the file is not read again while the first read hangs
        os.close(writing)  # the disk is back: the read ends
        awaited(lambda: not workers._since)
        patched.undo()
        vault.build_index()
        assert found(vault, "needle") == ["a.md", "hangs.md"]
        assert vault.verify_index() == []
    os.close(waiting)


@posix_only
def test_fault_S06_a_worker_that_hangs_is_ended_and_the_other_files_are_read(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "READ_SECONDS", 1.0)
    indexed.write(notes(60))
    names = sorted(indexed.present())
    with workers.readers(indexed.root, names, 2) as contents:
        given: list[Content | None] = []
        for each in contents(map(ToRead, names), threading.Event()):
            if not given:
                os.kill(contents.__self__.start()[0].pid, signal.SIGSTOP)  # type: ignore[attr-defined]
            given.append(each)
    states = {each.path: each.state for each in given if each is not None}
    assert sorted(states) == names
    # A worker that starts slowly may be taken for another one that hangs.
    assert sum(state == "unread" for state in states.values()) <= 2


@posix_only
def test_fault_S06_reading_a_note_that_hangs_ends_at_the_time_limit(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()

    def hanging(descriptor: int, size: int) -> bytes:
        goes_on.wait(60)
        return b""

    with monkeypatch.context() as patched:
        folder = make_vault(FILES).path
        with Vault.open(folder, config=VaultConfig(time_limit=0.3), index="off") as vault:
            patched.setattr(disk, "read", hanging)
            for tool in ("read", "outline"):
                result = vault.call(tool, {"note": "a.md"})
                assert result.is_error
                assert result.text.startswith("Cannot read a.md: not done after 0.")
            goes_on.set()


def test_a_call_that_takes_too_long_is_left_and_its_errors_come_through() -> None:
    assert within(10, lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        within(10, lambda: 1 // 0)
    ends = threading.Event()
    with pytest.raises(TimeoutError):
        within(0.01, ends.wait)
    ends.set()


# Two versions


def test_fault_I13_each_version_of_the_tables_has_its_own_file(make_vault: MakeVault) -> None:
    with Vault.open(make_vault(FILES).path) as vault:
        vault.build_index()
        where = location.of(vault._opened.root)
        other = where.folder / f"index-{SCHEMA + 1}.sqlite"
        other.touch()
        vault.build_index()
        assert other.exists()
        assert vault.clear_index()
        assert not list(where.folder.glob("*.sqlite"))

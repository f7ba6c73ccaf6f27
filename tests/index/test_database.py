from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tests.conftest import MakeVault
from tests.index.indexes import Indexed, notes, python, rows
from vaulttools import Vault, VaultConfig
from vaulttools.index import database, file, location
from vaulttools.index.database import IndexBusy, Replaced, Unavailable
from vaulttools.index.store import IndexStore


def aside(indexed: Indexed) -> list[str]:
    """The files that were moved aside, without their times."""
    names = [path.name for path in indexed.folder.iterdir() if ".corrupt-" in path.name]
    assert len({name.split("-")[1] for name in names}) <= 1
    return sorted("-".join(["", *name.split("-")[2:]]) for name in names)


def built(indexed: Indexed) -> None:
    """Index a vault of many notes and write the log back."""
    indexed.write(notes(60))
    store = indexed.open()
    assert indexed.update(store).finished
    with store.database.writing(wait=True) as connection:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    store.close()


def heals(indexed: Indexed, warning: str | None) -> None:
    """Opening gives a warning and an empty store, which an update makes complete and sound."""
    store = indexed.open()
    assert (store.database.warning, store.rows()) == (warning, [])
    assert indexed.update(store).finished
    assert indexed.verify(store) == []
    store.close()
    again = indexed.open()
    assert again.database.warning is None
    assert len(again.rows()) == len(indexed.present())


def test_a_new_index_is_empty_and_has_no_warning(indexed: Indexed) -> None:
    store = indexed.open()
    status = store.status()
    assert (store.database.warning, store.rows(), status.files, status.log) == (None, [], 0, "wal")
    assert status.sqlite == apsw.sqlite_lib_version()
    assert status.index_bytes >= os.path.getsize(indexed.database)


def test_without_a_write_ahead_log_everything_works_too(indexed: Indexed) -> None:
    indexed.write(notes(5))
    store = IndexStore.open(indexed.database, wal=False)
    assert indexed.update(store).finished
    assert indexed.verify(store) == []
    assert store.status().log == "delete"
    assert not os.path.exists(f"{indexed.database}-wal")


def test_the_next_store_has_what_was_written(indexed: Indexed) -> None:
    indexed.write(notes(5))
    first = indexed.open()
    indexed.update(first)
    second = indexed.open()
    assert rows(second) == rows(first)
    first.close()
    assert rows(second) == rows(indexed.open())


@pytest.mark.parametrize(
    "damaged",
    [
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: b"no database at all" * 400, id="something else"),
        pytest.param(lambda data: b"SQLite format 3\0" + b"\xff" * 4080, id="a bad header"),
        pytest.param(lambda data: data[: len(data) // 2], id="truncated"),
    ],
)
def test_fault_I06_a_damaged_file_is_moved_aside(indexed: Indexed, damaged: Callable[[bytes], bytes]) -> None:
    built(indexed)
    indexed.database.write_bytes(damaged(indexed.database.read_bytes()))
    heals(indexed, "The index was damaged and is built anew")
    assert aside(indexed)[0] == ""


def test_fault_I06_an_empty_file_with_an_old_log_does_not_inherit_it(indexed: Indexed) -> None:
    store = indexed.holding(notes(20))
    assert os.path.getsize(f"{indexed.database}-wal")
    shutil.copy(f"{indexed.database}-wal", indexed.folder / "kept")
    store.close()
    indexed.database.write_bytes(b"")
    shutil.copy(indexed.folder / "kept", f"{indexed.database}-wal")
    heals(indexed, "The index was damaged and is built anew")
    assert aside(indexed) == ["", "-shm", "-wal"]


@pytest.mark.parametrize("part", range(4))
def test_fault_I06_garbage_anywhere_is_reported_and_healed(indexed: Indexed, part: int) -> None:
    built(indexed)
    size = indexed.database.stat().st_size
    with indexed.database.open("r+b") as file:
        file.seek(part * size // 4 // 4096 * 4096)
        file.write(random.Random(part).randbytes(3 * 4096))
    try:
        store = indexed.open()
        problem = store.database.warning or "; ".join(indexed.verify(store))
        if not store.database.warning:
            for each in indexed.folder.glob("index.sqlite*"):
                each.unlink()
    except Replaced as error:
        problem = str(error)
    assert "damaged" in problem
    store = indexed.open()
    assert indexed.update(store).finished
    assert indexed.verify(store) == []


def test_fault_I06_damage_is_found_while_writing_too(indexed: Indexed) -> None:
    built(indexed)
    store = indexed.open()
    os.truncate(indexed.database, 8192)
    indexed.write(notes(120, seed=2))
    with pytest.raises(Replaced, match="The index was damaged and is built anew"):
        indexed.update(store)
    heals(indexed, None)


def test_only_one_file_is_kept_aside(indexed: Indexed) -> None:
    for _ in range(3):
        indexed.open().close()
        indexed.database.write_bytes(b"garbage")
    indexed.open().close()
    assert aside(indexed) == [""]


def test_fault_I13_other_options_and_other_versions_are_built_anew(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(indexed)
    assert indexed.open("other").database.warning == "The index was made with other options and is built anew"
    monkeypatch.setattr(file, "SCHEMA", file.SCHEMA + 1)
    newer = indexed.open("other")
    assert (newer.database.warning, newer.rows()) == ("The index was made by another version and is built anew", [])
    newer.close()
    monkeypatch.undo()
    heals(indexed, "The index was made by another version and is built anew")


def test_a_database_of_another_program_is_moved_aside(indexed: Indexed) -> None:
    with sqlite3.connect(indexed.database) as other:
        other.execute("CREATE TABLE recipes (name)")
    other.close()
    heals(indexed, "The index was damaged and is built anew")
    assert aside(indexed) == [""]


def test_a_folder_in_its_place_is_moved_aside(indexed: Indexed) -> None:
    indexed.database.mkdir()
    heals(indexed, "The index could not be read and is built anew")


def test_leftovers_of_a_killed_creation_do_no_harm(indexed: Indexed) -> None:
    for ending in ("", "-wal", "-journal"):
        (indexed.folder / f"index.sqlite.new{ending}").write_bytes(b"half a file")
    heals(indexed, None)
    assert not list(indexed.folder.glob("*.new*"))


@pytest.mark.not_on_windows("a file that is open is not replaced")
def test_a_store_that_was_replaced_never_mixes_old_and_new(indexed: Indexed) -> None:
    indexed.write(notes(5))
    old = indexed.open()
    indexed.update(old)
    before = rows(old)
    indexed.open("other").close()
    assert rows(old) == before  # its open connection reads the old file
    with pytest.raises(Replaced, match="built anew by another process"), old.writing():
        pass
    with old.database.reading(), pytest.raises(Replaced):
        old.rows()  # a second connection would read the new file


def test_two_stores_that_find_damage_move_the_file_aside_once(indexed: Indexed) -> None:
    built(indexed)
    first, second = indexed.open(), indexed.open()
    os.truncate(indexed.database, 8192)
    with pytest.raises(Replaced):
        first.rows()
    fresh = indexed.open()
    indexed.update(fresh)
    with pytest.raises(Replaced):
        second.rows()
    assert indexed.verify(indexed.open()) == []


def test_fault_I10_closing_leaves_the_log_to_the_next_writer(indexed: Indexed) -> None:
    store = indexed.holding(notes(5))
    size = os.path.getsize(f"{indexed.database}-wal")
    store.rows()
    store.close()
    assert os.path.getsize(f"{indexed.database}-wal") == size > 0


def test_a_long_log_is_written_back_at_the_end(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_LONG_LOG", 1000)
    indexed.write(notes(5))
    store = indexed.open()
    indexed.update(store)
    assert os.path.getsize(f"{indexed.database}-wal") == 0


def test_readers_never_wait_for_a_writer(indexed: Indexed) -> None:
    store = indexed.holding(notes(5))
    before = rows(store)
    with store.writing() as writer:
        writer.begin()
        assert writer.remove(next(iter(before)))
        assert rows(store) == rows(indexed.open()) == before
        writer.commit()
        assert len(store.rows()) == 4


def test_a_check_is_not_misled_by_what_another_store_wrote(indexed: Indexed) -> None:
    store, other = indexed.open(), indexed.open()
    for seed in range(3):
        indexed.write(notes(20, seed))
        indexed.update(other)
        assert store.narrowed("abo") == other.narrowed("abo")
        assert store.faults() == []


def test_a_second_writer_waits_or_is_refused(indexed: Indexed) -> None:
    store = indexed.open()

    def write(wait: bool) -> str:
        try:
            with indexed.open().writing(wait=wait):
                return "written"
        except IndexBusy as error:
            return str(error)

    with ThreadPoolExecutor() as pool:
        with store.writing():
            assert pool.submit(write, False).result() == "The index is being written by another process"
            waiting = pool.submit(write, True)
        assert waiting.result() == "written"


def test_any_number_of_threads_may_read(indexed: Indexed) -> None:
    store = indexed.holding(notes(30))
    expected = rows(store)
    with ThreadPoolExecutor(8) as pool:
        assert all(found == expected for found in pool.map(lambda _: rows(store), range(64)))


def test_a_closed_store_can_still_be_asked(indexed: Indexed) -> None:
    store = indexed.open()
    store.close()
    assert store.rows() == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fault_I21_a_child_process_opens_its_own_connections(indexed: Indexed) -> None:
    store = indexed.holding(notes(5))
    expected = rows(store)
    child = os.fork()
    if child == 0:
        os._exit(0 if rows(store) == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert rows(store) == expected
    assert store.faults() == []


OPENED = """
from vaulttools.index.database import Unavailable
try:
    print(indexed.open().database.warning)
except Unavailable as error:
    print(type(error).__name__, error)
"""


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
@pytest.mark.parametrize("exists", [False, True])
def test_a_folder_that_cannot_be_written_makes_the_index_unavailable(indexed: Indexed, exists: bool) -> None:
    indexed.write({"a.md": "text"})
    if exists:
        indexed.open().close()
    before = sorted(os.listdir(indexed.folder))
    os.chmod(indexed.folder, 0o555)
    out, err = python(OPENED, indexed.folder, bound=True).communicate()
    os.chmod(indexed.folder, 0o755)
    assert out.startswith(f"Unavailable The index at {indexed.folder} cannot be used: "), (out, err)
    assert out.count("\n") == 1
    assert sorted(os.listdir(indexed.folder)) == before


FILLED = """
import resource
from vaulttools.index.database import Unavailable
store = indexed.open()
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
try:
    print(indexed.update(store))
except Unavailable as error:
    print(type(error).__name__, error)
print(len(store.rows()))
"""


@pytest.mark.skipif(os.name == "nt", reason="there are no resource limits")
def test_fault_I11_a_full_disk_makes_the_index_unavailable_and_harms_nothing(indexed: Indexed) -> None:
    indexed.write(notes(300))
    out, err = python(FILLED, indexed.folder).communicate()
    assert out.startswith("Unavailable The index at "), (out, err)
    store = indexed.open()
    assert store.database.warning is None
    assert store.faults() == []
    assert indexed.update(store).finished
    assert indexed.verify(store) == []


def test_a_failure_is_one_sentence_without_a_path_of_a_note(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    store = indexed.open()
    monkeypatch.setattr(file, "connect", lambda _: (_ for _ in ()).throw(apsw.IOError("disk I/O error")))
    with pytest.raises(Unavailable) as raised:
        store.rows()
    assert str(raised.value) == f"The index at {indexed.folder} cannot be used: disk I/O error"


def test_a_text_that_was_replaced_in_the_file_is_damage(tmp_path: Path, make_vault: MakeVault) -> None:
    """SQLite can still read such a text: without checksums, the answer is a silent `No files found`."""
    assert file.checking_vfs() is not None
    folder = make_vault({f"{number}.md": f"word{number} and others" for number in range(400)}).path
    with Vault.open(folder, config=VaultConfig(index_folder=str(tmp_path / "index"))) as vault:
        vault.build_index()
        assert vault.search_files(pattern="word399", fixed=True).total_files == 1
        database = location.of(vault.session.root, str(tmp_path / "index")).database
        with closing(file.connect(database)) as connection:
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    held = database.read_bytes()
    damaged = held.replace(b"word399", b"word777").replace(b"399", b"777")
    assert held != damaged
    database.write_bytes(damaged)
    with Vault.open(folder, config=VaultConfig(index_folder=str(tmp_path / "index"))) as vault:
        for _ in range(3):
            assert vault.search_files(pattern="word399", fixed=True).total_files == 1
            vault.session.indexes.own.wait(timeout=60)
    assert list(database.parent.glob("*.corrupt-*"))


def test_damage_that_ends_a_transaction_is_called_damage(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite rolls back by itself after a failed read. Then leaving the transaction fails for another reason."""
    store = indexed.open()

    class Damage(apsw.IOError):
        extendedresult = apsw.SQLITE_IOERR_DATA

    def fail(*_: object) -> None:
        try:
            raise Damage("vtable constructor failed: terms")
        finally:
            raise apsw.SQLError("cannot rollback - no transaction is active")

    monkeypatch.setattr(file, "connect", fail)
    with pytest.raises(Replaced, match="The index was damaged and is built anew"):
        store.rows()

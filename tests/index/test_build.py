from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, suppress
from itertools import count
from typing import Any

import apsw
import pytest

from tests.conftest import HOUR
from tests.index.indexes import Indexed, found, notes, python, rows
from vaulttools.files.disk import Key
from vaulttools.files.root import Root
from vaulttools.index import build
from vaulttools.index.build import Updated, update
from vaulttools.index.store import IndexStore
from vaulttools.index.writer import Writer

KILLS = int(os.environ.get("VAULTTOOLS_KILLS", "6"))
"""Rounds of the kill test; 60 rounds were once run by hand."""

SECOND = 1_000_000_000


def test_an_update_makes_the_index_equal_to_the_files(indexed: Indexed) -> None:
    indexed.write({**notes(30), "image.png": b"\x89PNG\0\0", "list.csv": "a,b"})
    store = indexed.open()
    assert indexed.update(store) == Updated(written=32, done=32, finished=True)
    assert indexed.verify(store) == []


def test_only_changed_files_are_read_again(indexed: Indexed, later: None) -> None:
    store = indexed.holding({"a.md": "a", "b.md": "b", "c.md": "c"})
    assert indexed.differences(store) == ([], [])
    indexed.write({"b.md": "changed", "d.md": "new"})
    (indexed.vault / "a.md").unlink()
    assert indexed.differences(store) == (["b.md", "d.md"], ["a.md"])
    assert indexed.update(store) == Updated(written=2, removed=1, done=3, finished=True)
    assert indexed.differences(store) == ([], [])
    assert indexed.verify(store) == []


def test_paths_come_in_path_order(indexed: Indexed) -> None:
    store = indexed.open()
    key = Key(0, 0, 0, 0)
    present = dict.fromkeys(["b.md", "a!.md", "a/x.md", "a"], key)
    assert indexed.differences(store, present, 0) == (["a", "a/x.md", "a!.md", "b.md"], [])


@pytest.mark.not_on_windows("its status has no time of the last change that no program can set")
def test_fault_I02_an_edit_with_its_time_put_back_is_seen(indexed: Indexed, later: None) -> None:
    store = indexed.holding({"a.md": "old"})
    status = (indexed.vault / "a.md").stat()
    indexed.write({"a.md": "new"})
    os.utime(indexed.vault / "a.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert indexed.differences(store) == (["a.md"], [])
    indexed.update(store)
    assert (found(store, "old"), found(store, "new")) == (set(), {"a.md"})


def test_a_file_that_takes_the_place_of_one_with_its_size_and_time_is_seen(indexed: Indexed, later: None) -> None:
    store = indexed.holding({"a.md": "old"})
    status = (indexed.vault / "a.md").stat()
    (indexed.folder / "b.md").write_text("new", encoding="utf-8")
    os.utime(indexed.folder / "b.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    os.replace(indexed.folder / "b.md", indexed.vault / "a.md")
    assert indexed.differences(store) == (["a.md"], [])


@pytest.mark.parametrize("year", [-10 * SECOND, 0, 2 * SECOND])
def test_fault_I03_an_old_time_works_like_any_other(indexed: Indexed, later: None, year: int) -> None:
    indexed.write({"a.md": "text"})
    os.utime(indexed.vault / "a.md", ns=(year, year))
    store = indexed.open()
    indexed.update(store)
    assert indexed.differences(store) == ([], [])
    os.utime(indexed.vault / "a.md", ns=(year + SECOND, year + SECOND))
    assert indexed.differences(store) == (["a.md"], [])
    assert indexed.update(store) == Updated(touched=1, done=1, finished=True)


def test_fault_I03_a_time_in_the_future_is_never_trusted(indexed: Indexed, later: None) -> None:
    indexed.write({"a.md": "text"})
    os.utime(indexed.vault / "a.md", (4_070_908_800, 4_070_908_800))  # 2099
    store = indexed.open()
    indexed.update(store)
    assert indexed.differences(store) == (["a.md"], [])
    assert found(store, "text") == {"a.md"}


def test_rows_from_the_future_are_stale_after_the_clock_was_set_back(indexed: Indexed, later: None) -> None:
    store = indexed.holding({"a.md": "text"})
    assert indexed.differences(store, now=time.time_ns() - 2 * HOUR) == (["a.md"], [])


class Ticks:
    """One clock for everything, and a file system that rounds its times down to two seconds."""

    def __init__(self, indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
        self._indexed = indexed
        self._stamps: dict[int, int] = {}
        self.now = 10 * SECOND
        monkeypatch.setattr(time, "time_ns", lambda: self.now)
        monkeypatch.setattr(Key, "of", self._key)

    def write(self, path: str, text: str) -> None:
        self._indexed.write({path: text})
        self._stamps[(self._indexed.vault / path).stat().st_ino] = self.now // (2 * SECOND) * 2 * SECOND

    def _key(self, status: os.stat_result) -> Key:
        stamp = self._stamps[status.st_ino]
        return Key(status.st_size, stamp, stamp, status.st_ino)


def test_fault_I01_two_edits_in_one_tick_are_both_seen(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = Ticks(indexed, monkeypatch)
    store = indexed.open()
    ticks.write("a.md", "one")
    indexed.update(store)
    ticks.now += SECOND
    before = indexed.present()
    ticks.write("a.md", "two")
    assert indexed.present() == before
    assert indexed.differences(store) == (["a.md"], [])
    indexed.update(store)
    assert (found(store, "one"), found(store, "two")) == (set(), {"a.md"})
    assert indexed.differences(store) == (["a.md"], [])
    ticks.now += 10 * SECOND
    assert indexed.update(store) == Updated(touched=1, done=1, finished=True)
    assert indexed.differences(store) == ([], [])


def test_fault_I01_writing_the_index_later_does_not_make_the_old_row_look_safe(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = Ticks(indexed, monkeypatch)
    store = indexed.open()
    ticks.write("a.md", "one")
    indexed.update(store)
    ticks.write("a.md", "two")
    ticks.now += 100 * SECOND
    ticks.write("b.md", "other")
    ticks.now += 100 * SECOND
    update(store, indexed.root, ["b.md"])
    ticks.now += 100 * SECOND
    assert indexed.differences(store) == (["a.md"], [])


def test_fault_I14_rows_of_an_unlisted_folder_are_kept(indexed: Indexed, later: None) -> None:
    store = indexed.holding({"a/b/x.md": "x", "a/y.md": "y", "ab.md": "z", "z.md": ""})
    key = indexed.present()["z.md"]
    assert indexed.differences(store, {"z.md": key}, unlisted=["a"]) == ([], ["ab.md"])
    assert indexed.differences(store, {"z.md": key}, unlisted=["a/b"]) == ([], ["a/y.md", "ab.md"])
    assert indexed.differences(store, {}, unlisted=[""]) == ([], [])


def test_fault_I14_an_unreadable_file_is_kept_and_read_again_when_it_has_changed(
    indexed: Indexed, later: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(root: Root, path: str) -> int:
        raise PermissionError(13, "Permission denied")

    store = indexed.holding({"a.md": "text"})
    os.utime(indexed.vault / "a.md", (1, 1))
    with monkeypatch.context() as patch:
        patch.setattr(Root, "open", refuse)
        assert indexed.update(store) == Updated(written=1, unread=1, done=1, finished=True)
    assert rows(store)["a.md"].state == "unread"
    # On Windows another program may hold the file for a while: it is read again.
    assert indexed.differences(store) == (["a.md"] * (sys.platform == "win32"), [])
    os.utime(indexed.vault / "a.md", (2, 2))
    indexed.update(store)
    assert (rows(store)["a.md"].state, found(store, "text")) == ("text", {"a.md"})


def test_fault_I15_nothing_is_found_in_an_emptied_file(indexed: Indexed) -> None:
    store = indexed.holding({"a.md": "# Old text"})
    os.truncate(indexed.vault / "a.md", 0)
    indexed.update(store)
    assert found(store, "old") == set()
    assert store._read("SELECT rowid FROM words WHERE words MATCH 'old'") == []
    assert indexed.verify(store) == []


def test_a_file_that_vanishes_before_it_is_read_is_passed_over(indexed: Indexed) -> None:
    store = indexed.open()
    assert update(store, indexed.root, ["gone.md"]) == Updated(done=1, finished=True)
    assert store.rows() == []


def test_each_file_is_reported_after_its_commit_and_notes_come_first(indexed: Indexed) -> None:
    indexed.write({"a.txt": "", "b.md": "", "c.png": "", "d.md": ""})
    store = indexed.open()
    reported: list[str] = []
    update(store, indexed.root, sorted(indexed.present()), ["old.md"], on_commit=reported.extend)
    assert reported == ["old.md", "b.md", "d.md", "a.txt", "c.png"]
    assert [row.path for row in sorted(store.rows(), key=lambda row: row.id)] == ["b.md", "d.md", "a.txt", "c.png"]


def test_an_update_that_is_stopped_keeps_what_it_has_read(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed.write(notes(50))
    store = indexed.open()
    stop = threading.Event()
    monkeypatch.setattr(build, "BATCH_FILES", 20)
    updated = indexed.update(store, on_commit=lambda files: stop.set(), stop=stop)
    assert updated == Updated(written=20, done=20)
    assert len(store.rows()) == 20
    assert indexed.update(store).finished
    assert indexed.verify(store) == []


def test_nothing_is_done_when_stop_is_set_before(indexed: Indexed) -> None:
    indexed.write(notes(5))
    store = indexed.open()
    stop = threading.Event()
    stop.set()
    assert indexed.update(store, stop=stop) == Updated()


@pytest.mark.parametrize("limit", ["BATCH_FILES", "BATCH_CHARACTERS", "BATCH_SECONDS"])
def test_a_transaction_is_bounded_in_every_way(indexed: Indexed, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(build, limit, 0)
    indexed.write(notes(5))
    store = indexed.open()
    commits: list[Writer] = []
    commit = Writer.commit

    def counted(writer: Writer) -> None:
        commits.append(writer)
        commit(writer)

    monkeypatch.setattr(Writer, "commit", counted)
    indexed.update(store)
    assert len(commits) == 5


@pytest.mark.parametrize(("number", "is_merged"), [(101, True), (100, False)])
def test_many_files_leave_their_words_in_one_segment(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch, number: int, is_merged: bool
) -> None:
    monkeypatch.setattr(build, "BATCH_FILES", 10)
    store = indexed.holding({f"{place}.md": f"alpha beta{place} beta{place + 1}" for place in range(number)})
    assert (segments(store) == [1, 1]) is is_merged
    ids = {row.path: row.id for row in store.rows()}
    assert store.with_stem("alpha") == sorted(ids.values())
    assert store.with_stem("beta7") == sorted([ids["6.md"], ids["7.md"]])
    assert indexed.verify(store) == []
    indexed.write({"7.md": "gamma"})
    indexed.update(store)
    assert store.with_stem("beta7") == [ids["6.md"]]
    assert indexed.verify(store) == []


def segments(store: IndexStore) -> list[Any]:
    """The number of segments of each of the two tables of words."""
    with closing(apsw.Connection(str(store.database.path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        counts = [
            connection.execute(f"SELECT count(DISTINCT segid) FROM {name}_idx").get for name in ("tokens", "words")
        ]
    return [int(count) for count in counts]


def test_the_lock_is_given_up_after_every_turn(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "TURN_SECONDS", 0.002)
    indexed.write(notes(30))
    store = indexed.open()
    turns = count()
    writing = store.writing

    def counted(_: IndexStore, **options: Any) -> AbstractContextManager[Writer]:
        next(turns)
        return writing(**options)

    monkeypatch.setattr(IndexStore, "writing", counted)
    assert indexed.update(store).finished
    assert next(turns) > 1
    monkeypatch.undo()
    assert indexed.verify(store) == []


def test_an_update_that_does_not_wait_says_that_another_one_writes(indexed: Indexed) -> None:
    indexed.write(notes(5))
    store = indexed.open()
    with ThreadPoolExecutor() as pool, store.writing():
        busy = pool.submit(indexed.update, indexed.open(), wait=False).result()
    assert busy == Updated(busy=True)
    assert indexed.update(store, wait=False).finished


def test_an_error_of_the_callers_code_comes_through(indexed: Indexed) -> None:
    indexed.write(notes(5))
    store = indexed.open()

    def fail(files: Sequence[str]) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        indexed.update(store, on_commit=fail)
    assert len(store.rows()) == 5


def test_a_waiting_update_can_be_stopped(indexed: Indexed) -> None:
    indexed.write(notes(5))
    store = indexed.open()
    stop = threading.Event()
    with ThreadPoolExecutor() as pool, store.writing():
        waiting = pool.submit(indexed.update, indexed.open(), stop=stop)
        stop.set()
        assert waiting.result() == Updated()


UPDATED = """
from vaulttools.index import build
build.FACTS_FIRST = 100
store = indexed.open()
print("started", flush=True)
print(indexed.update(store).finished)
"""


def test_fault_I07_two_processes_that_update_at_once_agree(indexed: Indexed) -> None:
    indexed.write(notes(150))
    ended = [process.communicate() for process in [python(UPDATED, indexed.folder) for _ in range(2)]]
    assert ended == [("started\nTrue\n", "")] * 2
    assert indexed.verify(indexed.open()) == []


KILLED = """
from vaulttools.index import build
build.BATCH_FILES, build.FACTS_FIRST = 7, {}
store = indexed.open()
print("started", flush=True)
print(indexed.update(store, workers={}).finished)
"""


def test_fault_I05_a_kill_at_any_moment_leaves_a_sound_index(indexed: Indexed) -> None:
    rng = random.Random(KILLS)
    killed = 0
    for round_ in range(KILLS):
        indexed.write(notes(120, seed=round_))
        process = python(KILLED.format(round_ % 3 * 100, round_ % 2 * 2), indexed.folder)
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        with suppress(subprocess.TimeoutExpired):
            process.wait(rng.uniform(0, 0.8))
        process.kill()
        killed += "True" not in process.communicate()[0]
        store = indexed.open()
        assert store.database.warning is None
        assert store.faults() == []
        if round_ % 3 == 2:
            assert indexed.update(store).finished
            assert indexed.verify(store) == []
        store.close()
    assert killed

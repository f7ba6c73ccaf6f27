"""The tables that a call reads are those of one moment, and no call makes the log of the database long."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from tests.index.indexes import Indexed, found
from vaulttools.index import database
from vaulttools.index.database import ReadTransaction
from vaulttools.index.publisher import Publisher
from vaulttools.index.store import IndexStore
from vaulttools.index.watch import watch
from vaulttools.patterns.requirements import AllOf

FILES = {"a.md": "first", "b.md": "second"} | {f"other/{number}.md": "" for number in range(5)}


@pytest.fixture
def store(indexed: Indexed, later: None) -> Iterator[IndexStore]:
    with closing(indexed.holding(FILES)) as made:
        yield made


def log_bytes(store: IndexStore) -> int:
    return store.database.log_bytes()


def test_what_is_written_meanwhile_does_not_show_until_the_moment_ends(indexed: Indexed, store: IndexStore) -> None:
    tables, moment = store.at_one_moment()
    moment.begin()
    indexed.write({"a.md": "changed", "new.md": "first"})
    (indexed.vault / "b.md").unlink()
    indexed.update(store)

    def named(literal: str) -> set[str]:
        return set(tables.paths(tables.narrowed(literal) or []))

    assert (named("first"), named("second"), named("changed")) == ({"a.md"}, {"b.md"}, set())
    assert moment.is_pinned
    moment.end()
    assert (named("first"), named("second"), named("changed")) == ({"new.md"}, set(), {"a.md"})


def test_threads_of_one_call_read_the_same_moment_one_after_the_other(indexed: Indexed, store: IndexStore) -> None:
    tables, moment = store.at_one_moment()
    moment.begin()
    indexed.write({"a.md": "changed"})
    indexed.update(store)
    seen: list[list[int] | None] = []
    threads = [Thread(target=lambda: seen.append(tables.narrowed("first"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8 and all(each == seen[0] and each for each in seen)
    moment.end()


def test_a_connection_is_given_back_without_a_transaction(store: IndexStore) -> None:
    tables, moment = store.at_one_moment()
    moment.begin()
    assert tables.narrowed("first")
    moment.end()
    moment.end()
    with store.reading() as connection:
        assert not connection.in_transaction


def test_without_a_log_nothing_is_held_so_that_no_reader_holds_up_the_writer(indexed: Indexed) -> None:
    indexed.write(FILES)
    with closing(IndexStore.open(indexed.database, wal=False)) as store:
        indexed.update(store)
        tables, moment = store.at_one_moment()
        moment.begin()
        assert tables.narrowed("first")
        indexed.write({"new.md": "first"})
        assert indexed.update(store).finished
        assert set(tables.paths(tables.narrowed("first") or [])) == {"a.md", "new.md"}
        assert not moment.is_pinned
        moment.end()


def test_while_the_log_is_long_nothing_is_held_and_it_is_emptied_at_the_next_commit(
    indexed: Indexed, store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_LONG_LOG", 10_000)
    monkeypatch.setattr(database, "_LONGEST_LOG", 20_000)
    indexed.write({"first.md": "x"})
    indexed.update(store)
    assert log_bytes(store) == 0
    _, first = store.at_one_moment()
    first.begin()
    for number in range(10):
        indexed.write({f"new/{number}.md": f"word{number} " * 50})
        indexed.update(store)
    assert log_bytes(store) > 20_000
    _, second = store.at_one_moment()
    second.begin()
    assert (first.is_pinned, second.is_pinned) == (True, False)
    first.end()
    second.end()
    indexed.write({"last.md": "x"})
    indexed.update(store)
    assert log_bytes(store) == 0
    _, third = store.at_one_moment()
    third.begin()
    assert third.is_pinned
    third.end()


def test_a_snapshot_that_is_held_says_of_a_note_that_was_moved_since_where_it_was(
    indexed: Indexed, store: IndexStore
) -> None:
    """Without the moment its row is gone, and its new one has a name that the snapshot does not know."""
    present = Publisher(indexed.root, store, None, 1_000)
    published, pinned, required = present.current(), present.pinned(), AllOf(("first",))
    os.rename(indexed.vault / "a.md", indexed.vault / "z.md")
    present.catch_up()
    pending = present.pending()
    indexed.update(store)
    present.settle(pending)
    assert pinned.nominated(required) == {"a.md"}
    assert published.nominated(required) == {"z.md"}
    pinned.release()
    assert found(store, "first") == {"z.md"}


def test_a_snapshot_is_taken_again_if_another_is_published_before_its_tables_are_read(
    indexed: Indexed, store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    present = Publisher(indexed.root, store, None, 1_000)
    begin, times = ReadTransaction.begin, list[Path]()

    def begun(moment: ReadTransaction) -> None:
        if not times:
            os.rename(indexed.vault / "a.md", indexed.vault / "z.md")
            present.catch_up()
        times.append(indexed.vault)
        begin(moment)

    monkeypatch.setattr(ReadTransaction, "begin", begun)
    pinned = present.pinned()
    assert len(times) == 2
    assert pinned.mark == present.latest.mark
    assert pinned.keys(["a.md"]) == [None]
    pinned.release()


def test_a_row_that_another_process_removed_before_the_tables_were_read_is_not_missed(
    indexed: Indexed, store: IndexStore, monkeypatch: pytest.MonkeyPatch, watch_on: None
) -> None:
    watching = watch(indexed.root)
    if watching is None:
        pytest.skip("nothing tells of changes here")
    present, begin, times = (
        Publisher(indexed.root, store, watching, 1_000),
        ReadTransaction.begin,
        list[ReadTransaction](),
    )

    def begun(moment: ReadTransaction) -> None:
        if not times:
            os.rename(indexed.vault / "a.md", indexed.vault / "z.md")
            indexed.update(store)
        times.append(moment)
        begin(moment)

    monkeypatch.setattr(ReadTransaction, "begin", begun)
    pinned = present.pinned()
    assert pinned.nominated(AllOf(("first",))) == {"z.md"}
    assert pinned.was_pinned
    pinned.release()
    present.close()


def test_a_snapshot_whose_names_change_at_every_try_is_not_one_of_one_moment(
    indexed: Indexed, store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    present, begin, number = Publisher(indexed.root, store, None, 1_000), ReadTransaction.begin, iter(range(100))

    def begun(moment: ReadTransaction) -> None:
        indexed.write({f"new {next(number)}.md": ""})
        present.catch_up()
        begin(moment)

    monkeypatch.setattr(ReadTransaction, "begin", begun)
    pinned = present.pinned()
    assert not pinned.was_pinned
    with store.reading() as connection:
        assert not connection.in_transaction

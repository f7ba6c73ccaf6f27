"""The state of the index: a file that may have changed since it was read does not count as indexed."""

from __future__ import annotations

import errno
import os
import random
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import HOUR
from tests.index.indexes import Indexed, unlistable
from vaulttools.files.document import Document
from vaulttools.index import build
from vaulttools.index.freshness import Pending
from vaulttools.index.lost import Lost
from vaulttools.index.publisher import Publisher
from vaulttools.index.store import FileRow, IndexStore
from vaulttools.index.tree import Changes, Tree
from vaulttools.index.watch import watch
from vaulttools.patterns.requirements import AllOf

if TYPE_CHECKING:
    from vaulttools.index.inotify import InotifyWatch as Watch

pytestmark = pytest.mark.usefixtures("watch_on")

FILES = {"a.md": "first", "b.md": "second\r\n", "c/d.md": "third"} | {f"other/{number}.md": "" for number in range(5)}


@pytest.fixture
def store(indexed: Indexed) -> Iterator[IndexStore]:
    made = indexed.open()
    yield made
    made.close()


def loaded(indexed: Indexed, store: IndexStore, watching: Watch | None = None) -> Publisher:
    return Publisher(indexed.root, store, watching, max_bytes=1000)


@pytest.fixture
def present(indexed: Indexed, store: IndexStore) -> Publisher:
    """A vault of eight notes, indexed, without a watch."""
    indexed.write(FILES)
    return rested(loaded(indexed, store))


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def watched(indexed: Indexed, store: IndexStore, opened: ExitStack) -> Publisher:
    """The same with a watch."""
    indexed.write(FILES)
    found = watch(indexed.root)
    if found is None:
        pytest.skip("nothing tells of changes here")
    made = loaded(indexed, store, found)
    opened.callback(made.close)
    return rested(made)


def read(present: Publisher, pending: Pending) -> None:
    """Index what is pending, but do not update the state."""
    assert build.update(present.store, present.root, pending.stale, pending.gone, workers=0).finished


def rested(present: Publisher) -> Publisher:
    """Index what is pending, and update the state."""
    present.catch_up()
    pending = present.pending()
    read(present, pending)
    present.settle(pending)
    return present


def nominated(present: Publisher, literal: str) -> set[str] | None:
    present.catch_up()
    view, required = present.latest, AllOf((literal,))
    found = view.nominated(required)
    return None if found is None else set(found)


def held(state: Publisher) -> tuple[int, int]:
    progress = state.progress()
    return progress.indexed, progress.files


def test_what_was_indexed_is_nominated_by_its_text_alone(watched: Publisher) -> None:
    assert watched.latest.stale == set()
    assert nominated(watched, "first") == {"a.md"}
    assert nominated(watched, "absent") == set()
    assert held(watched) == (8, 8)


def test_a_change_is_a_candidate_at_once(indexed: Indexed, watched: Publisher) -> None:
    indexed.write({"a.md": "other", "new.md": ""})
    assert nominated(watched, "absent") == {"a.md", "new.md"}
    assert held(watched) == (7, 9)
    rested(watched)
    assert nominated(watched, "absent") == set()
    assert nominated(watched, "other") == {"a.md"}


def test_a_change_after_the_file_was_read_stays_a_candidate(indexed: Indexed, watched: Publisher) -> None:
    indexed.write({"a.md": "other", "b.md": "other"})
    watched.catch_up()
    pending = watched.pending()
    read(watched, pending)
    indexed.write({"a.md": "again"})
    watched.catch_up()
    assert watched.settle(pending)
    assert watched.latest.stale == {"a.md"}
    assert not watched.settle(pending)


def test_a_new_file_that_is_gone_before_its_row_is_noted_is_forgotten(indexed: Indexed, watched: Publisher) -> None:
    indexed.write({"new.md": "other"})
    watched.catch_up()
    pending = watched.pending()
    read(watched, pending)
    (indexed.vault / "new.md").unlink()
    watched.catch_up()
    watched.settle(pending)
    assert watched.pending().gone == {"new.md"}
    rested(watched)
    assert (watched.pending().gone, held(watched)) == (frozenset(), (8, 8))


def test_a_file_that_came_back_while_it_was_forgotten_is_a_candidate(indexed: Indexed, watched: Publisher) -> None:
    away = indexed.folder / "away"
    (indexed.vault / "c").rename(away)
    watched.catch_up()
    pending = watched.pending()
    assert pending.gone == {"c/d.md"}
    away.rename(indexed.vault / "c")  # it keeps its key
    assert nominated(watched, "absent") == {"c/d.md"}
    read(watched, pending)
    watched.settle(pending)
    assert nominated(watched, "absent") == {"c/d.md"}
    assert nominated(rested(watched), "third") == {"c/d.md"}


def test_a_folder_that_came_back_unchanged_is_not_read(
    indexed: Indexed, watched: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now + HOUR)
    os.utime(indexed.vault / "c/d.md", ns=(1, 1))
    rested(watched)  # an hour later: not racy
    away = indexed.folder / "away"
    (indexed.vault / "c").rename(away)
    away.rename(indexed.vault / "c")
    assert nominated(watched, "absent") == set()


def test_fault_I16_a_renamed_file_is_known_under_its_new_name_only(indexed: Indexed, present: Publisher) -> None:
    (indexed.vault / "a.md").rename(indexed.vault / "z.md")
    present.catch_up()
    assert (present.pending().gone, "z.md" in present.latest.stale) == (frozenset({"a.md"}), True)
    rested(present)
    assert present.rows.now.get("a.md") is None
    assert present.rows.now.get("z.md") is not None


def test_fault_I01_a_file_as_young_as_its_reading_stays_a_candidate_without_a_watch(present: Publisher) -> None:
    assert present.latest.stale == FILES.keys()
    assert held(present) == (8, 8)  # the index holds them nevertheless
    assert not present.is_behind()


def test_a_young_file_is_read_again_when_old_enough(present: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    assert present.pending().stale == {}
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now + HOUR)
    assert present.pending().stale.keys() == FILES.keys()
    rested(present)
    assert present.latest.stale == set()


def test_fault_I03_a_file_from_the_future_is_not_read_again_and_again(indexed: Indexed, present: Publisher) -> None:
    os.utime(indexed.vault / "a.md", (4e9, 4e9))
    present.catch_up()
    assert set(present.pending().stale) == {"a.md"}
    rested(present)
    assert present.pending().stale == {}
    assert present.latest.stale >= {"a.md"}
    indexed.write({"a.md": "changed"})
    os.utime(indexed.vault / "a.md", (4e9, 4e9))
    present.catch_up()
    assert set(present.pending().stale) == {"a.md"}


def test_one_comparison_serves_all_calls_that_began_before_it(
    present: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[None] = []
    compare = present.tree.compare

    def counted(_: Tree) -> Changes:
        compared.append(None)
        return compare()

    monkeypatch.setattr(Tree, "compare", counted)
    began = time.monotonic()
    present.catch_up(began)
    present.catch_up(began)
    assert len(compared) == 1
    present.catch_up(time.monotonic())
    assert len(compared) == 2


CLOSED = PermissionError(errno.EACCES, "Permission denied")


def test_fault_I14_a_file_in_an_unlisted_folder_keeps_its_row_and_is_not_known(
    indexed: Indexed, present: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file below it may still be readable by its path, and no event reports its changes."""
    indexed.write({"c/d.md": "one\rtwo", "c/e.md": "x"})
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now + HOUR)
    rested(present)
    assert present.latest.unknown(["c/d.md"]) == []
    assert present.latest.with_trait("lone return") == {"c/d.md"}
    with monkeypatch.context() as patched:
        unlistable(patched, "c", CLOSED)
        present.catch_up()
        assert present.pending() == Pending({}, frozenset(), now + HOUR)
        assert present.rows.now.get("c/d.md") is not None
        assert present.latest.unknown(["c/d.md", "a.md"]) == ["c/d.md"]
        assert present.latest.with_trait("lone return") == set()
        (indexed.vault / "c/e.md").unlink()
    present.catch_up()
    assert present.pending().gone == {"c/e.md"}
    assert present.latest.with_trait("return") == {"b.md"} | ({"c/d.md"} - present.latest.stale)


def test_fault_I14_rows_are_forgotten_when_their_unlisted_folder_is_gone(
    indexed: Indexed, present: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        unlistable(patched, "c", CLOSED)
        present.catch_up()
    shutil.rmtree(indexed.vault / "c")
    present.catch_up()
    assert present.pending().gone == {"c/d.md"}
    rested(present)
    assert indexed.verify(present.store) == []


def kept(present: Publisher, made: list[str]) -> None:
    for key, times in (("names", False), ("times", True)):
        present.latest.kept(key, lambda key=key: made.append(key), times=times)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "made"),
    [
        ({}, []),
        ({"a.md": "other"}, ["times"]),
        ({"new.md": ""}, ["names", "times"]),
        ({"c/.gitignore": "*.md"}, ["names", "times"]),
    ],
)
def test_a_value_is_kept_until_its_sources_change(
    indexed: Indexed, present: Publisher, change: dict[str, str], made: list[str]
) -> None:
    first: list[str] = []
    kept(present, first)
    assert first == ["names", "times"]
    indexed.write(change)
    present.catch_up()
    again: list[str] = []
    kept(present, again)
    assert again == made


def test_only_a_few_values_are_kept_and_the_last_used_go_last(present: Publisher) -> None:
    made: list[int] = []

    def ask(number: int) -> None:
        present.latest.kept(number, lambda: made.append(number))

    for number in range(100):
        ask(number)
        ask(0)
    ask(0)
    ask(1)
    assert made == [*range(100), 1]


def test_files_that_another_process_wrote_are_nominated_by_its_rows(indexed: Indexed, watched: Publisher) -> None:
    indexed.write({"new.md": "from elsewhere"})
    other = indexed.open()
    indexed.update(other)
    other.close()
    assert nominated(watched, "elsewhere") == {"new.md"}
    assert nominated(watched, "absent") == {"new.md"}  # until it was read here, too
    rested(watched)
    assert nominated(watched, "absent") == set()


def test_a_file_that_came_back_is_not_forgotten_by_a_process_that_has_not_noticed(
    indexed: Indexed, watched: Publisher, store: IndexStore
) -> None:
    other = loaded(indexed, store)
    (indexed.vault / "a.md").unlink()
    watched.catch_up()
    other.catch_up()
    outdated = other.pending()
    assert outdated.gone == {"a.md"}
    indexed.write({"a.md": "needle"})
    rested(watched)
    read(other, outdated)
    assert nominated(watched, "needle") == {"a.md"}


def test_a_row_is_not_lost_to_a_process_that_cannot_read_the_file_just_now(
    indexed: Indexed, watched: Publisher, store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(root: Any, path: str) -> int:
        raise OSError(errno.EMFILE, "too many open files")

    with monkeypatch.context() as broken:
        broken.setattr("vaulttools.files.root.Root.open", failing)
        build.update(store, indexed.root, ["a.md"], workers=0)
    assert nominated(watched, "first") == {"a.md"}
    assert indexed.verify(store) == []


def test_a_row_that_another_process_removed_while_this_one_began_is_a_candidate(
    indexed: Indexed, watched: Publisher, store: IndexStore, monkeypatch: pytest.MonkeyPatch, later: None
) -> None:
    rested(watched)
    rows = store.rows

    def removed_then(*arguments: Any, **named: Any) -> Any:
        found = rows(*arguments, **named)
        with store.writing() as writer:
            writer.begin()
            writer.remove("a.md")
            writer.commit()
        return found

    monkeypatch.setattr(IndexStore, "rows", lambda _, *arguments, **named: removed_then(*arguments, **named))
    began = loaded(indexed, store)
    assert "a.md" in began.latest.stale


@pytest.mark.not_on_windows("an open file cannot be removed there")
def test_a_store_that_cannot_be_read_nominates_nothing_and_is_lost(
    indexed: Indexed, watched: Publisher, store: IndexStore
) -> None:
    """The ids of the next store would mean other files."""
    text = "first"
    store.close()  # so that a new connection is needed
    for name in indexed.folder.glob("index.sqlite*"):
        name.unlink()
    assert watched.latest.nominated(AllOf(("first",))) is None
    assert watched.latest.structure(Document("a.md", text)) is None
    with pytest.raises(Lost):
        watched.catch_up()


def test_the_structure_belongs_to_exactly_one_text(watched: Publisher) -> None:
    assert watched.latest.structure(Document("a.md", "first")) is not None
    assert watched.latest.structure(Document("a.md", "second")) is None
    assert watched.latest.structure(Document("none.md", "first")) is None


def test_another_folder_in_the_place_of_the_vault_raises_lost(indexed: Indexed, present: Publisher) -> None:
    indexed.vault.rename(indexed.folder / "away")
    with pytest.raises(Lost):
        present.catch_up()
    indexed.vault.mkdir()
    with pytest.raises(Lost):
        present.catch_up()


def test_binary_files_are_nominated_by_their_indexed_part(indexed: Indexed, watched: Publisher) -> None:
    indexed.write({"x.bin": b"\0some words\0ab\0", "y.bin": b"\0others"})
    rested(watched)
    assert nominated(watched, "words") == {"x.bin"}
    assert nominated(watched, "é") == {"x.bin", "y.bin"}  # the index does not know it of a binary file
    assert watched.latest.with_trait("nul") == {"x.bin", "y.bin"}


@pytest.mark.parametrize("seed", range(3))
def test_after_edits_that_make_files_binary_or_text_each_is_nominated_by_its_words(
    indexed: Indexed, watched: Publisher, seed: int
) -> None:
    rng = random.Random(seed)
    held: dict[str, set[str]] = {}
    for _ in range(25):
        for name in rng.sample([f"{number}.{end}" for number in range(4) for end in ("md", "bin")], 3):
            if name in held and rng.random() < 0.3:
                (indexed.vault / name).unlink()
                del held[name]
            else:
                held[name] = {f"word{rng.randrange(5)}" for _ in range(3)}
                indexed.write({name: b"\0" * (rng.random() < 0.5) + " ".join(sorted(held[name])).encode()})
        rested(watched)
        for number in range(5):
            word = f"word{number}"
            assert nominated(watched, word) == {name for name, words in held.items() if word in words}


def test_a_binary_file_that_has_another_row_by_now_is_nominated(
    indexed: Indexed, watched: Publisher, opened: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its folder was moved away and back, which does not change the file's key; another process saw both."""
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now + HOUR)  # no file is young
    indexed.write({"away/x.bin": b"\0some words", "away/x.md": "some words", "y.bin": b"\0others"})
    rested(watched)
    other = indexed.open()
    opened.callback(other.close)
    (indexed.vault / "away").rename(indexed.folder / "elsewhere")
    rested(loaded(indexed, other))
    (indexed.folder / "elsewhere").rename(indexed.vault / "away")
    rested(loaded(indexed, other))
    assert nominated(watched, "words") == {"away/x.bin", "away/x.md"}
    indexed.write({"later.md": "last"})
    rested(watched)  # now it knows ids beyond those of the other process
    assert nominated(watched, "words") == {"away/x.bin", "away/x.md"}


def test_a_file_that_became_binary_is_nominated_after_a_call_that_asked_while_its_row_was_added(
    indexed: Indexed, watched: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed.write({"x.bin": b"text", "y.bin": b"\0others"})
    rested(watched)
    indexed.write({"x.bin": b"\0some words"})
    mark = Publisher._mark

    def asked_before(state: Publisher, row: FileRow) -> None:
        assert state.latest.nominated(AllOf(("words",))) is not None  # another thread may ask so, too
        mark(state, row)

    monkeypatch.setattr(Publisher, "_mark", asked_before)
    rested(watched)
    assert nominated(watched, "words") == {"x.bin"}


def test_calls_may_ask_while_another_one_catches_up(indexed: Indexed, watched: Publisher) -> None:
    """Some of 300 folders come and go: no call reads a dictionary while it changes."""
    for number in range(300):
        (indexed.vault / f"f{number}").mkdir()
    failed: list[BaseException] = []
    over = threading.Event()

    def ask() -> None:
        try:
            while not over.is_set():
                watched.latest.outside()
                watched.latest.nominated("fir")
        except BaseException as error:
            failed.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    asking = threading.Thread(target=ask)
    asking.start()
    try:
        for number in range(60):
            folder = Path(indexed.vault / f"g{number}")
            folder.mkdir()
            watched.catch_up()
            folder.rmdir()
            watched.catch_up()
    finally:
        over.set()
        asking.join()
        sys.setswitchinterval(interval)
    assert failed == []


def test_a_file_that_came_back_with_its_old_key_while_its_row_was_removed_is_read_again(
    indexed: Indexed, present: Publisher, later: None
) -> None:
    """A folder that is renamed to and fro leaves the keys of its files as they were."""
    rested(present)
    away = indexed.folder / "away"
    (indexed.vault / "c").rename(away)
    present.catch_up()
    pending = present.pending()
    assert pending.gone == {"c/d.md"}
    read(present, pending)
    away.rename(indexed.vault / "c")
    present.catch_up()
    present.settle(pending)
    assert present.latest.stale == {"c/d.md"}
    assert nominated(rested(present), "third") == {"c/d.md"}


def test_a_note_that_is_renamed_again_before_its_new_name_is_looked_at_is_known(
    indexed: Indexed, watched: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert watched.watch is not None
    drain = watched.watch.drain
    (indexed.vault / "a.md").rename(indexed.vault / "z.md")

    def drained() -> dict[str, set[str]]:
        found = drain()
        if (indexed.vault / "z.md").exists():
            (indexed.vault / "z.md").rename(indexed.vault / "b2.md")
        return found

    monkeypatch.setattr(watched.watch, "drain", drained)
    now = watched.current()
    assert [now.keys([name])[0] is not None for name in ("a.md", "z.md", "b2.md")] == [False, False, True]
    assert now.are_names_of_one_moment


def test_names_that_change_at_every_look_are_not_taken_for_those_of_one_moment(
    indexed: Indexed, watched: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert watched.watch is not None
    drain, number = watched.watch.drain, 0

    def drained() -> dict[str, set[str]]:
        nonlocal number
        found = drain()
        number += 1
        indexed.write({f"other/new {number}.md": "x"})
        return found

    monkeypatch.setattr(watched.watch, "drain", drained)
    indexed.write({"other/first.md": "x"})
    assert not watched.current().are_names_of_one_moment
    monkeypatch.undo()
    assert watched.current().are_names_of_one_moment

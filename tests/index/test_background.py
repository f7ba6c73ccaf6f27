"""The index behind an open vault: whether it is there or not, the answers are those of a scan."""

from __future__ import annotations

import errno
import gc
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import MakeVault
from tests.index.indexes import python
from vaulttools import Cancelled, Vault, VaultConfig
from vaulttools.errors import VaultToolsError
from vaulttools.index import background as live
from vaulttools.index import build
from vaulttools.index.background import BackgroundIndex
from vaulttools.index.build import Updated
from vaulttools.index.database import Unavailable
from vaulttools.index.file import SCHEMA
from vaulttools.index.lost import Lost
from vaulttools.index.watch import watch

if TYPE_CHECKING:
    from vaulttools.index.inotify import InotifyWatch as Watch

FILES = {f"{number % 3}/n{number}.md": f"# About {number}\n\nword{number} todo\n" for number in range(30)}
posix_only = pytest.mark.not_on_windows("POSIX")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="inotify")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_AGAIN_SECONDS", 0.02)
    monkeypatch.setattr(live, "IDLE_SECONDS", 0.05)


@pytest.fixture
def vault(make_vault: MakeVault) -> Iterator[Vault]:
    with make_vault(FILES) as opened:
        yield opened


def index_of(vault: Vault) -> BackgroundIndex:
    return vault._opened.indexes.own


def found(vault: Vault, pattern: str) -> list[str]:
    result = vault.call("search_files", {"pattern": pattern, "max_results": 100})
    assert not result.is_error, result.text
    return [file["path"] for file in result.details["files"]]


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "vaulttools index"]


# The index is made without a request


def test_nothing_is_begun_before_a_call_needs_it(vault: Vault) -> None:
    before = len(threads())
    assert "index" not in vars(vault._opened)
    vault.tool_definitions()
    assert len(threads()) == before


def test_a_call_scans_until_the_index_is_there(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    may_load = threading.Event()
    loaded = BackgroundIndex._loaded

    def waiting(self: BackgroundIndex, store: Any) -> Any:
        may_load.wait(30)
        return loaded(self, store)

    monkeypatch.setattr(BackgroundIndex, "_loaded", waiting)
    assert found(vault, "word7") == ["1/n7.md"]
    assert index_of(vault).view(time.monotonic()) is None
    may_load.set()
    until(lambda: index_of(vault).view(time.monotonic()))
    assert found(vault, "word7") == ["1/n7.md"]
    assert index_of(vault).wait(timeout=60)
    assert found(vault, "word7") == ["1/n7.md"]
    assert vault.verify_index() == []


def test_an_index_that_is_only_read_answers_and_is_not_written(vault: Vault) -> None:
    vault.load_index()
    assert len(found(vault, "todo")) == len(FILES)
    assert vault.index_status().holds is None, "a vault that is only read gets no index"
    with Vault.open(vault.path, config=vault.config) as writing:
        writing.build_index()
    with Vault.open(vault.path, config=vault.config) as reading:
        reading.load_index()
        assert index_of(reading).view(time.monotonic()) is not None
        assert found(reading, "word7 ") == ["1/n7.md"]
        (vault.path / "1/n7.md").write_text("word8 ", encoding="utf-8")
        (vault.path / "0/n0.md").unlink()
        assert found(reading, "word8 ") == ["1/n7.md", "2/n8.md"]
        assert found(reading, "word0 ") == []
    assert vault.index_status().gone == 1


def test_calls_scan_when_an_index_that_is_only_read_is_damaged(vault: Vault) -> None:
    vault.build_index()
    [database] = vault.index_status().folder.glob(f"index-{SCHEMA}.sqlite")
    vault.close()
    data = database.read_bytes()
    database.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    with Vault.open(vault.path, config=vault.config) as reading:
        reading.load_index()
        assert found(reading, "word7 ") == ["1/n7.md"]


def test_an_unusable_index_that_is_only_read_stays_as_it_is(vault: Vault) -> None:
    vault.build_index()
    [database] = vault.index_status().folder.glob(f"index-{SCHEMA}.sqlite")
    vault.close()
    database.write_bytes(b"no index" * 10_000)
    before = sorted(file.name for file in database.parent.iterdir())
    with Vault.open(vault.path, config=vault.config) as reading:
        reading.load_index()
        assert found(reading, "word7 ") == ["1/n7.md"]
    assert database.read_bytes() == b"no index" * 10_000
    assert sorted(file.name for file in database.parent.iterdir()) == before


def test_two_threads_that_call_first_share_one_index(vault: Vault) -> None:
    before = len(threads())
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: found(vault, "word7"), range(16))) == [["1/n7.md"]] * 16
        assert len({id(index) for index in pool.map(lambda _: index_of(vault), range(16))}) == 1
    assert len(threads()) == before + 1


def test_a_vault_that_nobody_closed_releases_its_resources(make_vault: MakeVault) -> None:
    before = set(threads())
    vault = make_vault(FILES)
    vault.build_index()
    [thread] = set(threads()) - before
    del vault
    gc.collect()
    thread.join(30)
    assert not thread.is_alive()


def test_a_thread_that_collects_a_vault_as_garbage_does_not_wait_for_its_index(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread may hold what the index waits for, such as a lock of Python's own."""
    begun, go_on, update = threading.Event(), threading.Event(), build.update

    def waiting(*given: Any, **named: Any) -> Updated:
        begun.set()
        go_on.wait(30)
        return update(*given, **named)

    monkeypatch.setattr(build, "update", waiting)
    before = set(threads())
    vault = Vault.open(make_vault(FILES).path, index="off")
    vault._opened.indexes.passing.start()
    assert begun.wait(30)
    [thread], folder = set(threads()) - before, vault._opened.indexes.passing._index_folder
    del vault
    gc.collect()
    assert thread.is_alive()
    go_on.set()
    thread.join(30)
    assert folder is not None and not Path(folder).exists()


def test_calls_on_a_closed_vault_scan(vault: Vault) -> None:
    vault.build_index()
    vault.close()
    vault.close()
    thread = index_of(vault)._thread
    assert thread is not None
    assert not thread.is_alive()
    assert found(vault, "word7") == ["1/n7.md"]
    with pytest.raises(VaultToolsError, match="closed"):
        vault.build_index()


def test_calls_go_on_while_the_vault_is_closed(make_vault: MakeVault) -> None:
    for _ in range(5):
        vault = make_vault(FILES)
        vault.build_index()
        with ThreadPoolExecutor(4) as pool:
            asked = [pool.submit(found, vault, "word7") for _ in range(12)]
            vault.close()
            assert [each.result() for each in asked] == [["1/n7.md"]] * 12


# Building


def test_progress_is_reported_while_files_are_written(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    update = build.update
    reported: list[tuple[int, int]] = []
    seen = threading.Event()

    def slow(*arguments: Any, on_commit: Callable[[Sequence[str]], None], **options: Any) -> Updated:
        def noted(files: Sequence[str]) -> None:
            on_commit(files)
            assert seen.wait(30)

        return update(*arguments, on_commit=noted, **options)

    def on_progress(done: int, total: int) -> None:
        reported.append((done, total))
        if done:
            seen.set()

    monkeypatch.setattr(build, "BATCH_FILES", 12)
    monkeypatch.setattr(build, "update", slow)
    vault.build_index(on_progress=on_progress)
    assert 0 < reported[-2][0] < 30
    assert reported == sorted(reported)
    assert reported[-1] == (30, 30)


def test_a_build_goes_on_when_nobody_waits_for_it_any_more(vault: Vault) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        vault.build_index(cancel=cancel)
    until(lambda: vault.index_status().holds is not None)
    vault.build_index()
    assert vault.verify_index() == []


def test_closing_a_vault_keeps_the_files_indexed_so_far_and_the_next_one_indexes_the_rest(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = build.update
    stopped = threading.Event()

    def stopping(*arguments: Any, stop: threading.Event, on_commit: Any, **options: Any) -> Updated:
        def noted(files: Sequence[str]) -> None:
            stop.set()
            stopped.set()

        return update(*arguments, stop=stop, on_commit=noted, **{**options, "workers": 0})

    with monkeypatch.context() as patched, make_vault(FILES) as vault:
        patched.setattr(build, "BATCH_FILES", 10)
        patched.setattr(build, "update", stopping)
        index_of(vault).start()
        assert stopped.wait(60)
    with make_vault({}) as vault:
        status = vault.index_status()
        assert status.holds is not None
        assert 10 <= status.holds.files < 30
        vault.build_index()
        assert vault.verify_index() == []


def test_a_build_ends_although_a_file_is_written_all_the_time(vault: Vault) -> None:
    over = threading.Event()

    def write() -> None:
        while not over.is_set():
            (vault.path / "log.md").write_text(str(time.monotonic()), encoding="utf-8")

    writing = threading.Thread(target=write)
    writing.start()
    try:
        assert index_of(vault).wait(timeout=60)
    finally:
        over.set()
        writing.join()


@pytest.fixture
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "watch", lambda root: None)


def test_without_a_watch_a_build_ends_although_files_change_and_vanish(
    vault: Vault, unwatched: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = build.update
    is_first = [True]

    def meanwhile(*arguments: Any, **options: Any) -> Updated:
        if is_first:
            is_first.clear()
            (vault.path / "0/n0.md").unlink()
            (vault.path / "1/n1.md").write_text("other", encoding="utf-8")
        return update(*arguments, **options)

    monkeypatch.setattr(build, "update", meanwhile)
    assert index_of(vault).wait(timeout=60)
    assert found(vault, "word0") == []
    assert found(vault, "other") == ["1/n1.md"]
    until(lambda: vault.verify_index() == [])


def test_fault_I03_without_a_watch_a_file_from_the_future_delays_nothing(vault: Vault, unwatched: None) -> None:
    os.utime(vault.path / "0/n0.md", (4e9, 4e9))
    assert index_of(vault).wait(timeout=60)
    assert index_of(vault).wait(timeout=60)
    assert vault.verify_index() == []


# Changes that may have been missed


@linux_only
def test_fault_I18_possibly_missed_changes_are_loaded_again(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    from vaulttools.index.inotify import InotifyWatch

    vault.build_index()
    drain = InotifyWatch.drain
    overflows = [True]

    def overflowing(self: InotifyWatch) -> dict[str, set[str]]:
        if overflows:
            overflows.clear()
            drain(self)
            self._lose("the queue of events overflowed")
        return drain(self)

    (vault.path / "new.md").write_text("word7", encoding="utf-8")
    monkeypatch.setattr(InotifyWatch, "drain", overflowing)
    assert found(vault, "word7") == ["1/n7.md", "new.md"]
    until(lambda: index_of(vault).view(time.monotonic()))
    assert found(vault, "word7") == ["1/n7.md", "new.md"]
    vault.build_index()
    assert vault.verify_index() == []


@linux_only
def test_fault_I18_the_files_are_compared_when_no_more_watches_are_available(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vaulttools.index.inotify import InotifyWatch

    add = InotifyWatch.add

    def limited(self: InotifyWatch, folder: str) -> None:
        if folder == "1":
            self._lose(f"a folder cannot be watched: {os.strerror(errno.ENOSPC)}")
        add(self, folder)

    monkeypatch.setattr(InotifyWatch, "add", limited)
    assert index_of(vault).wait(timeout=60)
    (vault.path / "1/n7.md").write_text("other", encoding="utf-8")
    assert found(vault, "word7") == []
    assert found(vault, "other") == ["1/n7.md"]


def test_fault_T13_a_vault_that_was_moved_away_is_an_error_and_comes_back_with_its_index(vault: Vault) -> None:
    vault.build_index()
    away = vault.path.with_name("away")
    vault.path.rename(away)
    result = vault.call("search_files", {"pattern": "word7"})
    assert (result.is_error, "cannot be read" in result.text) == (True, True)
    with pytest.raises(VaultToolsError, match="cannot be read"):
        vault.build_index()
    away.rename(vault.path)
    assert found(vault, "word7") == ["1/n7.md"]
    vault.build_index()
    assert vault.verify_index() == []


def test_another_folder_in_the_place_of_the_vault_becomes_the_vault(vault: Vault) -> None:
    vault.build_index()
    vault.path.rename(vault.path.with_name("away"))
    (vault.path / "a").mkdir(parents=True)
    (vault.path / "a/n.md").write_text("word7", encoding="utf-8")
    assert found(vault, "word7") == ["a/n.md"]
    vault.build_index()
    assert found(vault, "word7") == ["a/n.md"]
    assert vault.verify_index() == []


# An index that cannot be used


@posix_only
def test_fault_I12_calls_scan_when_the_index_has_no_place(
    make_vault: MakeVault, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    place = make_vault(FILES).path
    with Vault.open(place, config=VaultConfig(index_folder=str(tmp_path / "file"))) as vault:
        assert found(vault, "word7") == ["1/n7.md"]
        with pytest.raises(Unavailable, match=r"The index folder .* cannot be used"):
            vault.build_index()
        assert found(vault, "word7") == ["1/n7.md"]
    assert len(caplog.records) == 1


@posix_only
def test_an_index_that_is_removed_while_it_is_used_is_built_again(vault: Vault) -> None:
    vault.build_index()
    assert vault.clear_index()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: found(vault, "word7"), range(12))) == [["1/n7.md"]] * 12
    (vault.path / "new.md").write_text("word7", encoding="utf-8")
    assert found(vault, "word7") == ["1/n7.md", "new.md"]
    until(lambda: vault.index_status().holds is not None)
    vault.build_index()
    assert found(vault, "word7") == ["1/n7.md", "new.md"]
    assert vault.verify_index() == []


def damage_index(vault: Vault) -> None:
    [database] = vault.index_status().folder.glob(f"index-{SCHEMA}.sqlite")
    for file in (database, database.with_name(f"index-{SCHEMA}.sqlite-wal")):
        if file.exists():
            file.write_bytes(os.urandom(file.stat().st_size))


@posix_only
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("query", {"query": "word7"}),
        ("query", {"query": "nothing", "also": ["word7"]}),
        ("query", {"query": "word7", "mode": "obsidian"}),
        ("context", {"question": "word7"}),
        ("search_files", {"pattern": "word7"}),
    ],
    ids=str,
)
def test_fault_I06_the_call_that_meets_the_damage_finds_what_is_there(
    tool: str, arguments: dict[str, object], vault: Vault
) -> None:
    vault.build_index()
    damage_index(vault)
    assert "1/n7.md" in vault.call(tool, arguments).text


@posix_only
def test_fault_I06_an_index_that_is_damaged_while_it_is_used_is_built_again(vault: Vault) -> None:
    vault.build_index()
    damage_index(vault)
    for _ in range(3):
        assert found(vault, "word7") == ["1/n7.md"]
        (vault.path / "new.md").write_text("word8", encoding="utf-8")
        assert found(vault, "word8") == ["2/n8.md", "new.md"]
    until(lambda: index_of(vault).wait(timeout=60) and vault.verify_index() == [])
    assert index_of(vault).unavailable is None


# What else the process does


@posix_only
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")  # Python 3.12 and newer
def test_fault_I21_a_child_after_a_fork_has_an_index_of_its_own(vault: Vault) -> None:
    vault.build_index()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            answers = [found(vault, "word7"), index_of(vault).wait(timeout=60)]
            (vault.path / "new.md").write_text("word7", encoding="utf-8")
            answers += [found(vault, "word7"), index_of(vault).wait(timeout=60), found(vault, "word7")]
            vault.close()
            os.write(writing, json.dumps(answers).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        answers = json.load(file)
    assert os.waitpid(child, 0)[1] == 0
    assert answers == [["1/n7.md"], True, ["1/n7.md", "new.md"], True, ["1/n7.md", "new.md"]]
    assert found(vault, "word7") == ["1/n7.md", "new.md"]
    vault.build_index()
    assert vault.verify_index() == []


def stamps(folder: Path) -> dict[str, tuple[int, int, int]]:
    """A folder and every path below it, with their sizes and times of change."""
    found = {}
    for path in (folder, *folder.rglob("*")):
        status = path.lstat()
        found[str(path)] = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return found


def test_fault_I12_nothing_is_ever_written_into_the_vault(vault: Vault) -> None:
    before = stamps(vault.path)
    vault.build_index()
    found(vault, "word7")
    vault.find(paths="**")
    vault.verify_index()
    vault.clear_index()
    vault.close()
    assert stamps(vault.path) == before


CLOSED_OFF = """
import json, os
from vaulttools import Vault

os.environ.update(dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"), str(indexed.folder / "home")))
asked = [
    ("find", {"paths": "**"}),
    ("find", {"paths": "*.md", "hidden": False}),
    ("search_files", {"pattern": "todo|other|new"}),
    ("search_files", {"pattern": "absent"}),
    ("grep", {"pattern": "other", "path": "entered/n.md"}),
    ("search", {"pattern": "new", "paths": ["entered/n.md", "listed/n.md"]}),
    ("search", {"pattern": "todo"}),
]

def same():
    for tool, arguments in asked:
        assert indexed_vault.call(tool, arguments) == scanned.call(tool, arguments), (tool, arguments)

with Vault.open(indexed.vault, index="off") as scanned, Vault.open(indexed.vault, index="auto") as indexed_vault:
    indexed_vault.build_index()
    same()
    os.chmod(indexed.vault / "entered", 0o300)
    os.chmod(indexed.vault / "listed", 0o400)
    os.chmod(indexed.vault / "closed", 0o000)
    same()
    (indexed.vault / "entered/n.md").write_text("other new")
    same()
    indexed_vault.build_index()
    same()
    for name in ("entered", "listed", "closed"):
        os.chmod(indexed.vault / name, 0o700)
    same()
    indexed_vault.build_index()
    same()
    assert indexed_vault.verify_index() == []
print("same")
"""


@posix_only
def test_fault_I14_folders_that_close_and_open_change_no_answer(tmp_path: Path) -> None:
    for name in ("entered", "listed", "closed", "open"):
        (tmp_path / "vault" / name).mkdir(parents=True)
        (tmp_path / "vault" / name / "n.md").write_text("a todo", encoding="utf-8")
    out, err = python(CLOSED_OFF, tmp_path, bound=True).communicate()
    assert (out, err) == ("same\n", "")


@pytest.mark.usefixtures("watch_on")
def test_a_lost_watch_is_closed_with_the_state_it_served(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = watch(vault._opened.root)
    if tried is None:
        pytest.skip("nothing tells of changes here")
    tried.close()
    closed: list[Watch] = []
    made: list[Watch] = []

    def counted(root: Any) -> Watch | None:
        found = watch(root)
        assert found is not None
        made.append(found)
        close = found.close

        def noted() -> None:
            closed.append(found)
            close()

        monkeypatch.setattr(found, "close", noted)
        return found

    monkeypatch.setattr(live, "watch", counted)
    vault.build_index()
    monkeypatch.setattr(made[0], "drain", lambda: (_ for _ in ()).throw(Lost("missed")))
    found(vault, "word7")
    vault.build_index()
    vault.close()
    assert len(made) == 2
    assert closed == made

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

import pytest

from tests.index.indexes import Indexed, notes, python, rows
from vaulttools.attachments.texts import Attachments
from vaulttools.files.root import Root
from vaulttools.index import build, workers
from vaulttools.index.build import Updated
from vaulttools.index.content import Content, ToRead, read
from vaulttools.index.workers import readers

ALL = threading.Event


def contents(indexed: Indexed, paths: list[str], count: int) -> dict[str, Content | None]:
    with readers(indexed.root, paths, count) as reading:
        return {one.path: one for one in reading(map(ToRead, paths), ALL()) if one is not None}


def plain(found: dict[str, Content | None]) -> dict[str, object]:
    """The contents without the time of reading."""
    return {
        path: one and (one.key, one.digest, {*one.tokens.text.split()}, one.words, one.structure)
        for path, one in found.items()
    }


def test_processes_read_what_this_process_reads(indexed: Indexed) -> None:
    odd = "name.md" if os.name == "nt" else "lone\rname.md"  # names of Windows have no control characters
    indexed.write({**notes(60), "b.bin": b"\0", odd: "text\r"})
    paths = sorted(indexed.present())
    here = {path: read(indexed.root, ToRead(path)) for path in paths}
    assert plain(contents(indexed, paths, 2)) == plain(here)
    assert plain(contents(indexed, paths, 0)) == plain(here)


def test_the_processes_read_and_this_one_does_not(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed.write(notes(40))
    monkeypatch.setattr(workers, "read", lambda *_: pytest.fail("read here"))
    assert len(contents(indexed, sorted(indexed.present()), 2)) == 40


def test_a_vanished_file_gives_nothing(indexed: Indexed) -> None:
    indexed.write({"a.md": ""})
    with readers(indexed.root, [], 1) as reading:
        found = list(reading(map(ToRead, ["a.md", "gone.md"]), ALL()))
    assert [one and one.path for one in found] == ["a.md", None]


def test_two_vaults_of_one_folder_read_a_file_at_once(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed.write({"a.md": "text"})
    meanwhile: dict[str, Content | None] = {}

    def reading(root: Root, file: ToRead, attachments: Attachments | None) -> Content | None:
        monkeypatch.setattr(workers, "read", read)
        meanwhile.update(contents(indexed, ["a.md"], 0))
        return read(root, file, attachments)

    monkeypatch.setattr(workers, "read", reading)
    assert (
        plain(contents(indexed, ["a.md"], 0)) == plain(meanwhile) == plain({"a.md": read(indexed.root, ToRead("a.md"))})
    )


def test_an_update_by_processes_is_sound(indexed: Indexed) -> None:
    indexed.write(notes(100))
    store = indexed.open()
    assert indexed.update(store, workers=2) == Updated(written=100, done=100, finished=True)
    assert indexed.verify(store) == []


def test_processes_serve_several_turns(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "TURN_SECONDS", 0.05)
    indexed.write(notes(150))
    store = indexed.open()
    assert indexed.update(store, workers=2).finished
    assert len(store.rows()) == 150


def test_few_files_are_read_here_and_many_by_processes(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr(workers, "_started", lambda root, attachments: started.append(root))
    indexed.write({"a.md": "x" * 100, "b.md": "y" * 100})
    with readers(indexed.root, ["a.md", "gone.md"]) as reading:
        assert len(list(reading(map(ToRead, ["a.md"]), ALL()))) == 1
    assert started == []
    monkeypatch.setattr(workers, "WORTH_BYTES", 150 + 2 * workers.FILE_BYTES)
    with readers(indexed.root, ["a.md", "b.md"]) as reading:
        assert started == []
        assert len(list(reading(map(ToRead, ["a.md", "b.md"]), ALL()))) == 2
    assert len(started) == min(os.cpu_count() or 1, workers.MOST)


def dying(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make workers run another program."""
    start = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda command, **options: start([sys.executable, "-c", program], **options)
    )


@pytest.mark.parametrize(
    "program",
    [
        "",
        "import os; os._exit(3)",
        "import sys; sys.stdin.buffer.read(10)",
        "import sys; sys.stdout.buffer.write(b'\\0\\0\\0\\5hello'); sys.stdout.flush(); sys.stdin.read()",
        "import sys; sys.stdout.buffer.write(b'\\0\\0\\0\\5hel'); sys.stdout.flush()",
    ],
    ids=["nothing", "exit", "reads and ends", "no pickle", "half a message"],
)
def test_the_files_of_a_worker_that_dies_are_read_here(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    dying(program, monkeypatch)
    indexed.write(notes(70))
    store = indexed.open()
    assert indexed.update(store, workers=2) == Updated(written=70, done=70, finished=True)
    assert indexed.verify(store) == []


def test_a_worker_that_is_killed_halfway_loses_nothing(indexed: Indexed) -> None:
    indexed.write(notes(200))
    paths = sorted(indexed.present())
    seen: list[str] = []
    pool = workers._Workers(indexed.root, 2)
    for one in pool.contents(map(ToRead, paths), ALL()):
        assert one is not None
        seen.append(one.path)
        if len(seen) == 30:
            pool.start()[0].kill()
        if len(seen) == 60:
            pool.start()[1].kill()
    pool.end()
    assert sorted(seen) == paths


def test_without_a_python_to_start_files_are_read_here(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed.write({"a.md": "text"})
    for executable in ("", "/nowhere/python"):
        monkeypatch.setattr(sys, "executable", executable)
        assert list(contents(indexed, ["a.md"], 2)) == ["a.md"]
    monkeypatch.undo()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert list(contents(indexed, ["a.md"], 2)) == ["a.md"]


def test_a_module_in_the_working_folder_is_not_imported(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed.write({"a.md": "text", "pickle.py": "raise SystemExit(open('ran', 'w').close())"})
    monkeypatch.chdir(indexed.vault)
    assert "a.md" in contents(indexed, ["a.md"], 1)
    assert not (indexed.vault / "ran").exists()


def test_stopping_does_not_wait_for_a_worker_that_hangs(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    dying("import sys; sys.stdin.read()", monkeypatch)
    indexed.write(notes(40))
    store = indexed.open()
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    assert indexed.update(store, workers=2, stop=stop) == Updated()
    assert threading.active_count() < 10


def test_an_error_of_the_caller_leaves_no_process_behind(indexed: Indexed) -> None:
    indexed.write(notes(40))
    store = indexed.open()

    def fail(files: Sequence[str]) -> None:
        raise KeyError

    with pytest.raises(KeyError):
        indexed.update(store, workers=2, on_commit=fail)
    assert indexed.update(store).finished
    assert len(rows(store)) == 40


LEFT = """
from vaulttools.index import workers
pool = workers._Workers(indexed.root, 2)
print(*(process.pid for process in pool.start()), flush=True)
import signal
signal.pause()
"""


@pytest.mark.skipif(os.name == "nt", reason="processes are looked for by POSIX means")
def test_a_killed_parent_leaves_no_process_behind(indexed: Indexed) -> None:
    process = python(LEFT, indexed.folder)
    assert process.stdout is not None
    children = list(map(int, process.stdout.readline().split()))
    process.kill()
    process.communicate()
    until = time.monotonic() + 60
    while any(map(is_running, children)):
        assert time.monotonic() < until
        threading.Event().wait(0.02)


def is_running(number: int) -> bool:
    """Whether a process exists and is no zombie."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(number)], capture_output=True, check=False).stdout
    return bool(state) and not state.startswith(b"Z")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_after_a_fork_does_not_take_its_parents_read_for_one_that_hangs() -> None:
    code = """
import os
from vaulttools.index import workers
workers._since["root", "a.md"] = 0.0
child = os.fork()
if child == 0:
    os._exit(len(workers._since))
print(os.waitpid(child, 0)[1])
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "0\n"

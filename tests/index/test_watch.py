"""A watch reports every change that is complete when it is asked, or says that it may have missed some."""

from __future__ import annotations

import errno
import json
import mmap
import os
import select
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.index.indexes import python
from tests.mounts import OWN_MOUNTS, may_mount
from vaulttools import Vault
from vaulttools.core import paths
from vaulttools.errors import BadArgument
from vaulttools.files.protection import Protection
from vaulttools.files.root import Root
from vaulttools.index import filesystems, watch
from vaulttools.index.lost import Lost

if TYPE_CHECKING:
    from vaulttools.index.inotify import InotifyWatch as Watch

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="inotify")
pytestmark = [linux_only, pytest.mark.usefixtures("watch_on")]


def opened(folder: Path) -> Root:
    return Root(os.path.realpath(folder), str(folder), Protection.of())


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / "a/b").mkdir(parents=True)
    (folder / "a/b/note.md").write_text("note", encoding="utf-8")
    (folder / "top.md").write_text("top", encoding="utf-8")
    return folder


@pytest.fixture
def watched(vault: Path) -> Iterator[Watch]:
    """A watch on all folders of the vault."""
    found = watch.watch(opened(vault))
    if found is None:
        pytest.skip("the temporary folder's file system tells of no changes")
    for folder in ("", "a", "a/b"):
        found.add(folder)
    yield found
    found.close()


def test_an_unchanged_file_is_not_reported(vault: Path, watched: Watch) -> None:
    (vault / "a/b/note.md").read_text(encoding="utf-8")
    list(vault.rglob("*"))
    assert watched.drain() == {}


def appended(vault: Path) -> None:
    with (vault / "top.md").open("a", encoding="utf-8") as file:
        file.write("more")


def swapped_times(vault: Path) -> None:
    os.utime(vault / "top.md", ns=(1, 2))


def replaced_by_rename(vault: Path) -> None:
    (vault.parent / "new").touch()
    (vault.parent / "new").replace(vault / "top.md")


def replaced_by_a_file(vault: Path) -> None:
    shutil.rmtree(vault / "a/b")
    (vault / "a/b").touch()


def replaced_by_a_folder(vault: Path) -> None:
    shutil.rmtree(vault / "a/b")
    (vault / "a/b").mkdir()


def mapped(vault: Path) -> None:
    with (vault / "top.md").open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapping:
        mapping[0] = 0x58


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (lambda vault: (vault / "new.md").touch(), {"": {"new.md"}}),
        (lambda vault: (vault / "a/b/note.md").write_text("x", encoding="utf-8"), {"a/b": {"note.md"}}),
        (appended, {"": {"top.md"}}),
        (lambda vault: os.truncate(vault / "top.md", 1), {"": {"top.md"}}),
        (lambda vault: (vault / "top.md").unlink(), {"": {"top.md"}}),
        (lambda vault: (vault / "top.md").rename(vault / "a/t.md"), {"": {"top.md"}, "a": {"t.md"}}),
        (lambda vault: (vault / "top.md").rename(vault.parent / "t.md"), {"": {"top.md"}}),
        (replaced_by_rename, {"": {"top.md"}}),
        (lambda vault: (vault / "top.md").chmod(0o600), {"": {"top.md"}}),
        (swapped_times, {"": {"top.md"}}),
        (lambda vault: (vault / "top.md").touch(), {"": {"top.md"}}),
        (lambda vault: (vault / "link").symlink_to("top.md"), {"": {"link"}}),
        (lambda vault: (vault / "hard").hardlink_to(vault / "top.md"), {"": {"hard"}}),
        (lambda vault: os.mkfifo(vault / "pipe"), {"": {"pipe"}}),
        (mapped, {"": {"top.md"}}),
        (lambda vault: (vault / "a/new").mkdir(), {"a": {"new"}}),
        (lambda vault: (vault / "a/b").chmod(0o700), {"a": {"b"}}),
        (lambda vault: (vault / "a/b").touch(), {"a": {"b"}}),
        (lambda vault: (vault / "a/b").rename(vault / "c"), {"": {"c"}, "a": {"b"}}),
        (lambda vault: (vault / "a/b").rename(vault.parent / "c"), {"a": {"b"}}),
        (replaced_by_a_file, {"a": {"b"}, "a/b": {"note.md"}}),
        (replaced_by_a_folder, {"a": {"b"}, "a/b": {"note.md"}}),
        (lambda vault: vault.chmod(0o700), {"": {""}}),
    ],
)
def test_a_change_is_reported_by_folder_and_name_once(
    vault: Path, watched: Watch, change: Callable[[Path], object], reported: dict[str, set[str]]
) -> None:
    change(vault)
    assert watched.drain() == reported
    assert watched.drain() == {}


@pytest.mark.parametrize(
    "name", [b"a note.md", b"two\nlines\t\\.md", "é\N{SNOWMAN}.md".encode(), b"\xff\xfe.md", b"x" * 255]
)
def test_any_name_is_reported_as_a_listing_gives_it(vault: Path, watched: Watch, name: bytes) -> None:
    with open(os.fsencode(vault) + b"/a/" + name, "wb"):  # noqa: PTH123
        pass
    reported = watched.drain()
    assert reported == {"a": {os.fsdecode(name)}}
    assert reported["a"] < set(os.listdir(vault / "a"))


def test_each_write_to_a_file_that_stays_open_is_reported(vault: Path, watched: Watch) -> None:
    with (vault / "top.md").open("wb", buffering=0) as file:
        assert watched.drain() == {"": {"top.md"}}
        file.write(b"x")
        assert watched.drain() == {"": {"top.md"}}
        (vault / "top.md").rename(vault / "a/moved.md")
        watched.drain()
        file.write(b"y")
        assert watched.drain() == {"a": {"moved.md"}}


@pytest.mark.parametrize("became_one_just_now", [False, True])
def test_what_lies_behind_a_link_is_not_watched(
    monkeypatch: pytest.MonkeyPatch, vault: Path, watched: Watch, became_one_just_now: bool
) -> None:
    if became_one_just_now:
        monkeypatch.setattr(filesystems, "folds_case", lambda _path: False)
    outside = vault.parent / "outside"
    outside.mkdir()
    (vault / "link").symlink_to(outside)
    (vault / "inner").symlink_to("a")
    watched.drain()
    watched.add("link")
    watched.add("inner")
    watched.add("top.md")
    (outside / "new.md").touch()
    (vault / "a/new.md").touch()
    (vault / "top.md").write_text("x", encoding="utf-8")
    assert watched.drain() == {"a": {"new.md"}, "": {"top.md"}}


@pytest.mark.parametrize("folder", ["gone", "gone/deeper", "top.md", "top.md/x", "x" * 300, "/".join(["x" * 200] * 30)])
def test_watching_a_missing_folder_is_no_error(watched: Watch, folder: str) -> None:
    watched.add(folder)
    watched.remove(folder)
    assert watched.drain() == {}


def test_a_folder_is_not_removed_with_another_whose_name_begins_alike(vault: Path, watched: Watch) -> None:
    (vault / "ab").mkdir()
    watched.add("ab")
    watched.drain()
    watched.remove("a")
    (vault / "ab/new.md").touch()
    assert watched.drain() == {"ab": {"new.md"}}


CLOSED = """
import os
from tests.index.test_watch import opened
from vaulttools.index.watch import watch

watched = watch(opened(indexed.vault))
closed = indexed.vault / "closed"
closed.mkdir(mode=0)
if watched is not None:
    watched.add("")
    assert not os.access(closed, os.R_OK)
    watched.add("closed")
    watched.drain()
    closed.chmod(0o700)
    assert watched.drain() == {"": {"closed"}}
"""


def test_an_unreadable_folder_is_no_error_and_its_return_is_reported(vault: Path) -> None:
    assert python(CLOSED, vault.parent, bound=True).communicate() == ("", "")


def failing(code: int) -> Callable[..., Any]:
    def failed(*_arguments: object) -> None:
        raise OSError(code, os.strerror(code))

    return failed


@pytest.mark.parametrize(
    ("call", "code", "folder", "lost"),
    [
        ("open", errno.EACCES, "a", False),
        ("open", errno.ENOENT, "a", False),
        ("open", errno.EMFILE, "a", True),
        ("open", errno.EACCES, "", True),
        ("watch", errno.ENOENT, "a", False),
        ("watch", errno.ENOSPC, "a", True),
        ("watch", errno.ENOMEM, "a", True),
        ("watch", errno.EACCES, "a", True),  # it can be listed but not watched
        ("watch", errno.ENOENT, "", True),
    ],
)
def test_a_folder_that_can_be_listed_but_not_watched_loses_all(
    monkeypatch: pytest.MonkeyPatch, watched: Watch, call: str, code: int, folder: str, lost: bool
) -> None:
    place = "inotify_simple.INotify.add_watch" if call == "watch" else "vaulttools.index.filesystems.folds_case"
    with monkeypatch.context() as patched:
        patched.setattr(place, failing(code))
        if not lost:
            watched.add(folder)
            return
        with pytest.raises(Lost):
            watched.add(folder)
    with pytest.raises(Lost):
        watched.drain()


def test_a_folder_that_takes_names_in_any_case_loses_all(monkeypatch: pytest.MonkeyPatch, watched: Watch) -> None:
    monkeypatch.setattr(filesystems, "folds_case", lambda _path: True)
    with pytest.raises(Lost, match="any case"):
        watched.add("a")


@pytest.mark.parametrize("flag", ["Q_OVERFLOW", "UNMOUNT"])
def test_an_overflow_or_an_unmount_loses_all_and_for_good(
    monkeypatch: pytest.MonkeyPatch, vault: Path, watched: Watch, flag: str
) -> None:
    import inotify_simple

    (vault / "new.md").touch()
    event = inotify_simple.Event(-1, inotify_simple.flags[flag], 0, "")
    with monkeypatch.context() as patched:
        patched.setattr(inotify_simple.INotify, "read", lambda _self, timeout: [event])
        with pytest.raises(Lost):
            watched.drain()
    for again in (watched.drain, lambda: watched.add("a"), lambda: watched.remove("a")):
        with pytest.raises(Lost):
            again()


def test_twenty_thousand_events_are_all_reported_or_lost(vault: Path, watched: Watch) -> None:
    for number in range(10_000):  # in turn, as two equal events in a row are one
        os.utime(vault / "top.md", ns=(0, number))
        os.utime(vault / "a", ns=(0, number))
    queue = Path("/proc/sys/fs/inotify/max_queued_events").read_text(encoding="utf-8")
    if int(queue) > 30_000:  # a folder also reports itself
        assert watched.drain() == {"": {"top.md", "a"}}
    else:
        with pytest.raises(Lost):
            watched.drain()


def moved(vault: Path) -> None:
    vault.rename(vault.parent / "moved")


def deleted(vault: Path) -> None:
    shutil.rmtree(vault)


def made_anew(vault: Path) -> None:
    shutil.rmtree(vault)
    vault.mkdir()


def swapped(vault: Path) -> None:
    vault.rename(vault.parent / "moved")
    vault.mkdir()


def moved_from_above(vault: Path) -> None:
    vault.parent.rename(vault.parent.with_name(f"{vault.parent.name}-moved"))


def swapped_from_above(vault: Path) -> None:
    moved_from_above(vault)
    vault.mkdir(parents=True)


def moved_and_back(vault: Path) -> None:
    moved(vault)
    (vault.parent / "moved").rename(vault)


@pytest.mark.parametrize(
    "change", [moved, moved_and_back, deleted, made_anew, swapped, moved_from_above, swapped_from_above]
)
def test_all_is_lost_when_the_root_is_no_longer_in_its_place(
    vault: Path, watched: Watch, change: Callable[[Path], None]
) -> None:
    change(vault)
    with pytest.raises(Lost):
        watched.drain()
    with pytest.raises(Lost):
        watched.drain()


FORKED = """
import os, sys
from vaulttools.files.protection import Protection
from vaulttools.files.root import Root
from vaulttools.index.lost import Lost
from vaulttools.index.watch import watch

vault = sys.argv[1]
watched = watch(Root(vault, vault, Protection.of()))
if watched is None:
    sys.exit()
watched.add("")
watched.add("a")
os.mkdir(vault + "/new")
child = os.fork()
if child == 0:
    lost = 0
    for call in (watched.drain, lambda: watched.add("a"), lambda: watched.remove("a")):
        try:
            call()
        except Lost:
            lost += 1
    watched.close()
    os._exit(lost)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
os.mkdir(vault + "/a/new")
assert watched.drain() == {"": {"new"}, "a": {"new"}}
watched.close()
"""


def test_a_process_that_was_forked_hears_nothing_and_takes_nothing_away(vault: Path) -> None:
    # In a process without other threads: with them Python 3.12 warns of a fork.
    command = [sys.executable, "-c", FORKED, os.path.realpath(vault)]
    outcome = subprocess.run(command, capture_output=True, check=False)
    assert outcome.stderr == b""
    assert outcome.returncode == 0


def watches() -> set[str]:
    """The descriptors of this process that are watches; other threads open and close descriptors of other kinds."""
    found = set()
    for descriptor in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            if os.readlink(f"/proc/self/fd/{descriptor}") == "anon_inode:inotify":
                found.add(descriptor)
    return found


def test_a_closed_watch_reports_nothing_and_holds_no_descriptor(vault: Path) -> None:
    before = watches()
    found = watch.watch(opened(vault))
    if found is None:
        pytest.skip("the temporary folder's file system tells of no changes")
    found.close()
    found.close()
    assert watches() <= before
    with pytest.raises(Lost):
        found.drain()


def test_a_file_system_that_does_not_report_is_not_watched(monkeypatch: pytest.MonkeyPatch, vault: Path) -> None:
    before = watches()
    monkeypatch.setattr(filesystems, "tells_changes", lambda folder: folder != os.path.realpath(vault))
    assert watch.watch(opened(vault)) is None
    assert watches() <= before


def test_there_is_no_watch_when_the_system_has_no_more(monkeypatch: pytest.MonkeyPatch, vault: Path) -> None:
    before = watches()
    monkeypatch.setattr("vaulttools.index.inotify.INotify", failing(errno.EMFILE))
    assert watch.watch(opened(vault)) is None
    assert watch.watch(opened(vault / "gone")) is None
    assert watches() <= before


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_there_is_no_watch_where_changes_may_be_dropped_silently(
    monkeypatch: pytest.MonkeyPatch, vault: Path, platform: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert watch.watch(opened(vault)) is None


@pytest.mark.parametrize(
    ("value", "off"), [("off", True), (" OFF ", True), ("", False), ("auto", False), ("Auto", False)]
)
def test_the_environment_turns_the_watch_off(
    monkeypatch: pytest.MonkeyPatch, vault: Path, value: str, off: bool
) -> None:
    monkeypatch.setenv("VAULTTOOLS_WATCH", value)
    assert watch.is_off() is off
    if off:
        assert watch.watch(opened(vault)) is None


def test_another_value_of_the_environment_variable_is_refused(monkeypatch: pytest.MonkeyPatch, vault: Path) -> None:
    monkeypatch.setenv("VAULTTOOLS_WATCH", "no")
    with pytest.raises(BadArgument) as error:
        Vault.open(vault)
    assert str(error.value) == 'VAULTTOOLS_WATCH must be auto or off, got "no"'


MOUNTS = """
import os, subprocess, sys
from vaulttools.files.protection import Protection
from vaulttools.files.root import Root
from vaulttools.index.lost import Lost
from vaulttools.index.watch import watch

vault, beside, point, kind = sys.argv[1:]
root = Root(vault, vault, Protection.of())
watched = watch(root)
watched.add("")
watched.add("a")
subprocess.run(["mount", "-t", "tmpfs", "none", beside], check=True)
assert watched.drain() == {}, "a mount elsewhere"
if kind == "bind":
    subprocess.run(["mount", "--bind", vault + "/a", point], check=True)
else:
    subprocess.run(["mount", "-t", kind, "none", point], check=True)
try:
    watched.drain()
    sys.exit("nothing lost")
except Lost:
    watched.close()
again = watch(root)
assert (again is None) is (kind == "devpts"), kind
if kind == "bind":
    again.add("a")
    again.add("a/b")
    open(vault + "/a/new.md", "w").close()
    assert again.drain() == {"a": {"new.md"}, "a/b": {"new.md"}}, "both names of a folder"
if again is not None:
    again.close()
"""


@pytest.mark.parametrize(
    ("point", "kind"), [("vault/a", "tmpfs"), ("vault/a/b", "bind"), ("vault", "tmpfs"), ("vault/a/b", "devpts")]
)
def test_a_file_system_mounted_over_the_vault_or_in_it_loses_all(vault: Path, point: str, kind: str) -> None:
    beside = vault.parent / "beside"
    beside.mkdir()
    if not may_mount():
        pytest.skip("no mounts of one's own here")
    command = [*OWN_MOUNTS, sys.executable, "-c", MOUNTS, os.path.realpath(vault), str(beside)]
    outcome = subprocess.run([*command, str(vault.parent / point), kind], capture_output=True, check=False)
    assert outcome.stderr == b""
    assert outcome.returncode == 0


# Another process changes a vault at random. A picture of the vault is kept from nothing but the events.

Picture = dict[str, tuple[int, ...]]

WORKER = """
import json, os, random, shutil, sys
os.chdir(sys.argv[1])
random.seed(int(sys.argv[2]))
names = ["a", "b", "c", "d e", "x.md", "y.md", "z\\n.md"]
def place():
    return os.path.join("vault", *random.choices(names, k=random.randint(1, 3)))
def write(mode):
    with open(place(), mode) as file:
        file.write("x" * random.randint(0, 99))
def move(source, target):
    os.rename(source, target)
def replace_folder():
    path = place()
    shutil.rmtree(path)
    os.makedirs(path + "/a/b")
    with open(path + "/a/b/x.md", "w") as file:
        file.write("new")
def swap():
    one, other = place(), place()
    os.rename(one, "aside")
    try:
        os.rename(other, one)
    finally:
        os.rename("aside", other if not os.path.lexists(other) else "out")
operations = [
    (6, lambda: write("w")), (3, lambda: write("a")), (2, lambda: os.truncate(place(), 3)),
    (3, lambda: os.makedirs(place())), (3, lambda: os.makedirs(place() + "/a/b/c")),
    (3, lambda: move(place(), place())), (1, lambda: move(place(), "out")), (2, lambda: move("out", place())),
    (1, lambda: os.unlink(place())), (1, lambda: shutil.rmtree(place())), (1, replace_folder), (1, swap),
    (1, lambda: os.chmod(place(), random.choice([0o700, 0o755]))), (1, lambda: os.utime(place())),
    (1, lambda: os.symlink(random.choice(names), place())), (1, lambda: os.utime(place(), ns=(0, 0))),
]
for line in sys.stdin:
    done = 0
    while done < json.loads(line):
        try:
            random.choices([call for _, call in operations], [weight for weight, _ in operations])[0]()
            done += 1
        except OSError:
            pass
    print("done", flush=True)
"""


class Follower:
    """Keeps a picture as the tree of the index does, but in a simpler way."""

    def __init__(self, vault: Path, watched: Watch) -> None:
        self._vault = vault
        self._watched = watched
        self.picture: Picture = {}
        self._load("")

    def drain(self) -> None:
        for folder, names in self._watched.drain().items():
            for name in names:
                path = paths.join(folder, name)
                if folder == "" or stat.S_ISDIR(self.picture.get(folder, (0,))[0]):
                    self._look(path)

    def _look(self, path: str) -> None:
        self._watched.remove(path)
        for gone in [known for known in self.picture if known == path or paths.is_below(path, known)]:
            del self.picture[gone]
        try:
            self.picture[path] = key(self._vault / path)
        except OSError:
            return
        if stat.S_ISDIR(self.picture[path][0]):
            self._load(path)

    def _load(self, folder: str) -> None:
        self._watched.add(folder)
        try:
            names = os.listdir(self._vault / folder)
        except OSError:
            return
        for name in names:
            self._look(paths.join(folder, name))


def key(path: Path) -> tuple[int, ...]:
    """The numbers that identify a file; not the times of a folder, which change with the names in it."""
    status = path.lstat()
    times = () if stat.S_ISDIR(status.st_mode) else (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return (status.st_mode, status.st_ino, *times)


def picture_of(vault: Path) -> Picture:
    return {
        os.path.relpath(os.path.join(folder, name), vault): key(Path(folder, name))
        for folder, folders, files in os.walk(vault)
        for name in (*folders, *files)
    }


def said(worker: subprocess.Popen[bytes], operations: int) -> Iterator[None]:
    """Yields as long as the worker does its operations."""
    asked, answers = worker.stdin, worker.stdout
    assert asked is not None and answers is not None
    asked.write(json.dumps(operations).encode() + b"\n")
    asked.flush()
    while not select.select([answers], [], [], 0)[0]:
        yield
    assert answers.readline() == b"done\n"


@pytest.mark.parametrize("seed", range(4))
def test_a_picture_kept_from_events_is_true_whenever_nobody_writes(vault: Path, watched: Watch, seed: int) -> None:
    follower = Follower(vault, watched)
    command = [sys.executable, "-c", WORKER, str(vault.parent), str(seed)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        for operations in [1] * 10 + [5] * 10 + [40] * 5:
            for _ in said(worker, operations):
                follower.drain()  # while the other process writes
            follower.drain()
            assert follower.picture == picture_of(vault)
        assert worker.stdin is not None
        worker.stdin.close()


def test_a_rename_is_reported_with_its_new_name_or_is_not_settled_for_a_while(
    vault: Path, watched: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault / "top.md").rename(vault / "a/b/top.md")
    watched.drain()
    assert watched.is_settled
    (vault / "a/b/top.md").rename(vault.parent / "away.md")
    watched.drain()
    assert not watched.is_settled
    assert not watched.is_settled
    now = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: now() + 1)
    assert watched.is_settled

"""What differs on macOS and Windows, simulated: junctions, files in the cloud, pipes, locks, limits, files that others
have open. A disk that ignores case and Unicode form is simulated by `tests/mac_disk.py`."""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import struct
import subprocess
import sys
import sysconfig
import time
from contextlib import nullcontext
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import apsw
import pytest

from tests.conftest import MakeVault, write_files
from tests.passed_over import examples
from vaulttools import Vault, VaultConfig, VaultToolsError
from vaulttools.cli import handover, mcp, output, resident, serve
from vaulttools.cli import main as cli
from vaulttools.core import child, open_files
from vaulttools.core.windows import replace
from vaulttools.errors import AccessDenied, OutsideVault, RipgrepUnavailable
from vaulttools.files import catalogue, disk, file_times
from vaulttools.index import file, folder
from vaulttools.index.database import Unavailable
from vaulttools.matching import ripgrep, search
from vaulttools.server import acceptor

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="Windows itself does this; no simulation is needed")

JUNCTION = 0xA0000003
RECALLED = 0x00400000


class WindowsEntry:
    """An entry of a listing with the attributes that Windows gives it."""

    def __init__(self, path: Path, **attributes: int) -> None:
        self.name, self.path, self._attributes = path.name, str(path), attributes

    def stat(self, *, follow_symlinks: bool = True) -> Any:
        status = os.stat(self.path, follow_symlinks=follow_symlinks)
        fields = {name: getattr(status, name) for name in dir(status) if name.startswith("st_")}
        del fields["st_blocks"]
        return SimpleNamespace(**{**fields, "st_ino": 0, **self._attributes})

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return stat.S_ISREG(self.stat(follow_symlinks=follow_symlinks).st_mode)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return stat.S_ISDIR(self.stat(follow_symlinks=follow_symlinks).st_mode)

    def is_symlink(self) -> bool:
        return False


@linux_only
@pytest.mark.parametrize(("tag", "kind"), [(0, "folder"), (JUNCTION, "link")])
def test_a_junction_is_a_link_under_every_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tag: int, kind: str
) -> None:
    monkeypatch.setattr(catalogue, "_WINDOWS", True)
    entry: Any = WindowsEntry(tmp_path, st_reparse_tag=tag)
    assert catalogue.listed_as(entry).kind == kind
    node = folder._node(entry)
    assert node is not None and node.kind == kind


@linux_only
@pytest.mark.parametrize(("attributes", "is_left_out"), [(0, False), (RECALLED, True)])
def test_a_file_that_onedrive_would_fetch_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attributes: int, is_left_out: bool
) -> None:
    monkeypatch.setattr(disk, "MAY_BE_ELSEWHERE", True)
    (tmp_path / "a.md").write_bytes(b"text")
    entry: Any = WindowsEntry(tmp_path / "a.md", st_file_attributes=attributes)
    assert catalogue.listed_as(entry).dataless is is_left_out


@pytest.fixture
def sparse(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault with a file whose name alone iCloud has kept here."""
    folder = make_vault({f"{number}.md": "needle\n" for number in range(9)}).path
    with (folder / "away.md").open("wb") as file:
        file.truncate(4096)
    if os.stat(folder / "away.md").st_blocks:
        pytest.skip("this file system fills holes")
    monkeypatch.setattr(disk, "MAY_BE_ELSEWHERE", True)
    return folder


@linux_only
@pytest.mark.parametrize("pattern", ["needle", "n[e]edle", "absent"])
def test_ripgrep_is_kept_out_of_files_that_it_would_download(
    sparse: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    monkeypatch.setattr(search, "PROBE", 2)
    accessed = os.stat(sparse / "away.md").st_atime_ns
    with Vault.open(sparse, index="off") as vault:
        started: list[list[str]] = []
        begin = vault.session.ripgrep.__class__.start

        def noted(rg: Any, arguments: Any, *rest: Any, **options: Any) -> Any:
            started.append([*arguments])
            return begin(rg, started[-1], *rest, **options)

        monkeypatch.setattr(vault.session.ripgrep.__class__, "start", noted)
        answer = vault.search_files(pattern)
    assert examples(answer)["not downloaded"] == ["away.md"]
    assert not any("." in arguments or "./away.md" in arguments for arguments in started)
    assert os.stat(sparse / "away.md").st_atime_ns == accessed


class Gone(io.RawIOBase):
    """A pipe whose reader has gone, as on Windows."""

    def write(self, data: Any) -> int:
        raise OSError(errno.EINVAL, "Invalid argument")


def test_a_pipe_that_nobody_reads_is_no_failure_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = output._Checked(Gone(), "stdout")
    with pytest.raises(output.OutputFailed):
        checked.write(b"x")
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(BrokenPipeError):
        checked.write(b"x")


def test_a_system_without_sockets_has_no_resident_process_and_its_servers_run(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = make_vault({"a.md": "text"})
    assert vault.search_files("text").found == 1  # it finds `rg` here: on Windows it looks for `rg.exe` alone
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "fcntl", None)
    for command in ("start", "status", "stop"):
        assert cli.main(["--vault", str(vault.path), "daemon", command]) == cli.FAILED
        assert capsys.readouterr() == ("", "error: There can be no resident process on this system\n")
    with resident.offered([nullcontext(vault)]):
        assert vault.search_files("text").found == 1


@pytest.fixture
def refusals(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often Windows refuses to replace a file while another program has it open; waiting takes no time."""
    left = [0]
    rename = os.replace

    def refused(new: Path, file: Path) -> None:
        if left[0]:
            left[0] -= 1
            raise PermissionError(errno.EACCES, "Access is denied")
        rename(new, file)

    monkeypatch.setattr(os, "replace", refused)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    return left


@pytest.mark.parametrize(
    ("platform", "times", "is_replaced"), [("win32", 3, True), ("win32", 99, False), ("linux", 1, False)]
)
def test_a_file_that_is_open_for_a_moment_is_replaced_on_windows(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    refusals: list[int],
    platform: str,
    times: int,
    is_replaced: bool,
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    new, old = tmp_path / "new", tmp_path / "old"
    new.write_text("new", encoding="utf-8")
    old.write_text("old", encoding="utf-8")
    refusals[0] = times
    if is_replaced:
        replace(new, old)
    else:
        with pytest.raises(PermissionError):
            replace(new, old)
    refusals[0] = 0
    assert old.read_text(encoding="utf-8") == ("new" if is_replaced else "old")


# macOS


DATALESS, COMPRESSED = 0x40000000, 0x20


@pytest.mark.parametrize(
    ("size", "blocks", "flags", "is_elsewhere"),
    [
        (9, 8, 0, False),
        (9, 0, 0, True),
        (9, 0, COMPRESSED, False),  # its bytes are among its attributes
        (9, 0, COMPRESSED | DATALESS, True),
        (9, 8, DATALESS, True),
        (0, 0, 0, False),
    ],
)
def test_a_file_of_icloud_is_known_by_its_flags_and_a_compressed_one_is_read(
    monkeypatch: pytest.MonkeyPatch, size: int, blocks: int, flags: int, is_elsewhere: bool
) -> None:
    monkeypatch.setattr(disk, "MAY_BE_ELSEWHERE", True)
    status: Any = SimpleNamespace(st_size=size, st_blocks=blocks, st_flags=flags)
    assert disk.is_elsewhere(status) is is_elsewhere


@pytest.mark.parametrize("error", [errno.EDEADLK, errno.ETIMEDOUT])
def test_a_file_that_icloud_cannot_fetch_is_named_and_the_rest_is_searched(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    vault = make_vault({"here.md": "needle\n", "away.md": "needle\n"})
    opened: set[int] = set()
    open_file, read = disk.open_file, disk.read

    def noted(path: Any, *rest: Any, **options: Any) -> int:
        descriptor = open_file(path, *rest, **options)
        (opened.add if str(path).endswith("away.md") else opened.discard)(descriptor)
        return descriptor

    def refused(descriptor: int, size: int) -> bytes:
        if descriptor in opened:
            raise OSError(error, os.strerror(error))
        return read(descriptor, size)

    monkeypatch.setattr(disk, "open_file", noted)
    monkeypatch.setattr(disk, "read", refused)
    with pytest.raises(VaultToolsError, match=r"away\.md.*unreadable|unreadable.*away\.md"):
        vault.read("away.md")
    answer = vault.tasks()
    assert not answer.complete and examples(answer)["unreadable"] == ["away.md"]


@pytest.mark.parametrize(("birth", "expected"), [(5.5, 5_500_000_000), (0.0, 2), (-1.0, 2)])
def test_a_disk_that_keeps_no_time_of_creation_gives_the_earlier_of_the_others(birth: float, expected: int) -> None:
    status: Any = SimpleNamespace(st_birthtime=birth, st_mtime_ns=2, st_ctime_ns=3)
    assert file_times.created(status) == expected


@pytest.mark.parametrize(("platform", "tells"), [("darwin", True), ("linux", False)])
def test_a_folder_that_macos_withholds_is_refused_with_what_to_do(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, platform: str, tells: bool
) -> None:
    vault = make_vault({})

    def withheld(path: str) -> Any:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(disk, "scandir", withheld)
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(VaultToolsError, match="cannot be read: Operation not permitted") as refusal:
        vault.session.root.ensure_readable()
    assert ("Files and Folders" in str(refusal.value)) is tells
    with pytest.raises(VaultToolsError, match=re.escape(str(refusal.value))):
        Vault.open(vault.path)


@pytest.mark.not_on_windows("it has no limit of files")
@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ((256, -1), (4096, -1)),  # what the Dock gives on macOS
        ((256, 1000), (1000, 1000)),
        ((8192, 8192), None),
        ((-1, -1), None),
    ],
)
def test_a_server_may_open_enough_files(
    monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int], expected: tuple[int, int] | None
) -> None:
    import resource

    assert resource.RLIM_INFINITY == -1 or sys.platform != "linux"
    given = tuple(resource.RLIM_INFINITY if each < 0 else each for each in limits)
    raised: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda what: given)
    monkeypatch.setattr(resource, "setrlimit", lambda what, to: raised.append(to))
    open_files.allow_enough()
    assert raised == ([] if expected is None else [(expected[0], given[1])])


@pytest.mark.not_on_windows("it has no limit of files")
def test_a_limit_that_cannot_be_raised_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    def refused(what: int, to: tuple[int, int]) -> None:
        raise ValueError("not allowed to raise maximum limit")

    monkeypatch.setattr(resource, "getrlimit", lambda what: (256, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", refused)
    open_files.allow_enough()
    assert acceptor.most_connections() == 128


@pytest.mark.parametrize("run", [mcp.run, serve.run, resident.run])
def test_every_server_raises_its_limit_of_files(monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    class Raised(Exception):
        pass

    def raised() -> None:
        raise Raised

    monkeypatch.setattr(open_files, "allow_enough", raised)
    with pytest.raises(Raised):
        run(SimpleNamespace(vaults=[], print_config=None))


@pytest.mark.not_on_windows("its locks are another call")
@pytest.mark.parametrize("error", [errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENOLCK])
def test_without_locks_as_on_a_network_volume_searches_do_without_an_index(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    import fcntl

    def unsupported(descriptor: Any, operation: int) -> None:
        raise OSError(error, os.strerror(error))

    with make_vault({"a.md": "needle\n"}) as vault:
        monkeypatch.setattr(fcntl, "flock", unsupported)
        answer = vault.search_files("needle")
        assert [each.path for each in answer.files] == ["a.md"] and answer.complete
        with pytest.raises(Unavailable, match="cannot be used"):
            vault.build_index()
        with pytest.raises(OSError, match=os.strerror(error)):
            resident.Resident(vault, is_daemon=True).listen()


def test_a_file_whose_reading_a_sleep_of_the_machine_interrupted_does_not_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float | None] = []

    class WokenUp(Event):
        """On macOS a wait is over after the machine has slept, by the clock on the wall."""

        def wait(self, timeout: float | None = None) -> bool:
            slept.append(timeout)
            return super().wait(timeout) if len(slept) > 3 else False

    monkeypatch.setattr(disk, "Event", WokenUp)
    assert disk.within(60, lambda: "read") == "read"
    assert len(slept) == 4 and all(each is not None and 0 < each <= 60 for each in slept)


FULL = 3
"""SQLITE_SYNC_FULL: F_FULLFSYNC on macOS. 2 is `fsync`, which leaves writes in the disk's cache there."""


def test_a_log_is_written_back_with_full_flushes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushes: list[tuple[bool, int]] = []

    class File(apsw.VFSFile):
        def __init__(self, name: Any, flags: list[int]) -> None:
            super().__init__("", name, flags)
            self._is_log = bool(flags[0] & apsw.SQLITE_OPEN_WAL)

        def xSync(self, flags: int) -> None:
            flushes.append((self._is_log, flags & 0xF))
            super().xSync(flags)

    class Disk(apsw.VFS):
        def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
            return File(name, flags)

    vfs = Disk("noting", "")
    path = tmp_path / "index.sqlite"
    apsw.Connection(str(path)).close()
    path.touch()
    monkeypatch.setattr(file, "checking_vfs", lambda: "noting")
    connection = file.connect(path)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")  # a disk in Python has no shared memory
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    flushes.clear()
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection.close()
    vfs.unregister()
    assert {(True, FULL), (False, FULL)} <= {*flushes}


OPENS = """
import os, sys
from vaulttools import Vault
sqlite = []
sys.addaudithook(lambda event, given: sqlite.append(str(given[0])) if event == "open" else None)
with Vault.open(sys.argv[1]) as vault:
    vault.build_index()
    vault.search_files("needle")
    vault.query("needle")
    vault.index_status()
print([each for each in sqlite if each.endswith((".sqlite", "-wal", "-shm"))], "sqlite3" in sys.modules)
"""


def test_only_sqlite_opens_an_index_since_closing_a_descriptor_of_it_would_free_its_locks(
    make_vault: MakeVault,
) -> None:
    folder = make_vault({f"{number}.md": "needle\n" for number in range(9)}).path
    done = subprocess.run([sys.executable, "-c", OPENS, str(folder)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[] False\n", "")


@pytest.mark.not_on_windows("it has no groups of processes")
def test_a_group_whose_leader_has_ended_is_no_failure_as_on_macos(monkeypatch: pytest.MonkeyPatch) -> None:
    started = child.Child([sys.executable, "-c", "pass"], start_new_session=True)

    def refused(group: int, number: int) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "killpg", refused)
    started.end()
    assert started.wait() == 0


@pytest.mark.not_on_windows("its sockets tell no user")
@pytest.mark.parametrize(("user", "is_ours"), [(0, True), (1, False)])
def test_macos_tells_the_user_of_a_socket_in_the_second_number(
    monkeypatch: pytest.MonkeyPatch, user: int, is_ours: bool
) -> None:
    class Connection:
        def getsockopt(self, level: int, name: int, size: int) -> bytes:
            assert (level, name) == (0, 1)  # SOL_LOCAL, LOCAL_PEERCRED
            credentials = struct.pack("=IIh2x16I", 0, os.geteuid() + user, 1, *[7] * 16)
            assert size == len(credentials)
            return credentials

    monkeypatch.setattr(sys, "platform", "darwin")
    connection: Any = Connection()
    assert handover.is_of_one_user(connection) is is_ours


@pytest.mark.not_on_windows("it has no signals")
def test_a_ripgrep_that_the_system_kills_is_refused_as_gatekeeper_does_with_a_download(tmp_path: Path) -> None:
    program = tmp_path / "rg"
    program.write_text("#!/bin/sh\nkill -9 $$\n", encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(RipgrepUnavailable, match="could not be run as ripgrep: install it"):
        ripgrep.locate(str(program))


@pytest.mark.not_on_windows("programs have a suffix there")
def test_a_server_finds_ripgrep_with_the_short_path_that_programs_of_the_dock_have() -> None:
    found = ripgrep.found(None, {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin"})
    assert os.path.dirname(found) in (os.path.dirname(sys.executable), sysconfig.get_path("scripts"))


def test_a_bar_of_progress_starts_no_process_as_its_lock_does_where_processes_are_spawned() -> None:
    code = (
        "import sys, multiprocessing\n"
        "multiprocessing.set_start_method('spawn')\n"
        "sys.stderr.isatty = lambda: True\n"
        "from multiprocessing import resource_tracker\n"
        "from vaulttools.cli.surroundings import progress\n"
        "with progress() as told:\n"
        "    told(1, 9)\n"
        "print(resource_tracker._resource_tracker._fd)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "None\n", done.stderr


def test_a_vault_may_be_named_below_a_link_as_tmp_is_on_macos(tmp_path: Path) -> None:
    write_files(tmp_path / "private" / "vault", {"a.md": "needle\n", "Closed/b.md": "needle\n"})
    (tmp_path / "tmp").symlink_to("private")
    given = tmp_path / "tmp" / "vault"
    config = VaultConfig(protected=[str(given / "Closed")])
    with Vault.open(given, config=config, index="off") as vault:
        for spelling in (given, vault.path):
            assert "needle" in vault.read(str(spelling / "a.md")).text
            with pytest.raises(AccessDenied):
                vault.read(str(spelling / "Closed" / "b.md"))
        with pytest.raises(OutsideVault):
            vault.read(str(tmp_path / "tmp" / "other.md"))

"""What differs on macOS and Windows, simulated: junctions, files in the cloud, pipes, files that others have open."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import MakeVault
from tests.passed_over import examples
from vaulttools import Vault
from vaulttools.cli import main as cli
from vaulttools.cli import output, resident
from vaulttools.core.windows import replace
from vaulttools.files import catalogue, disk
from vaulttools.index import folder
from vaulttools.matching import search

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

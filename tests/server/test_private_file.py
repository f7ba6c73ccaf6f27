"""Private files of the server: replaced as a whole, for the owner alone, and never through a link."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vaulttools.errors import BadArgument
from vaulttools.server import certificate, private_file
from vaulttools.server.private_file import write_private
from vaulttools.server.tokens import TokenFile


@pytest.mark.not_on_windows("modes, and links that anybody may make")
def test_a_link_that_another_user_puts_beside_it_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, other = tmp_path / "tokens.json", tmp_path / "other"
    other.write_bytes(b"mine")
    made = tempfile.NamedTemporaryFile

    def swapped(**given: Any) -> Any:
        opened = made(**given)
        os.unlink(opened.name)
        os.symlink(other, opened.name)
        return opened

    monkeypatch.setattr(private_file, "NamedTemporaryFile", swapped)
    write_private(file, b"secret")
    assert other.read_bytes() == b"mine"


@pytest.mark.not_on_windows("modes")
def test_only_its_owner_can_read_it_whatever_was_there(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    file.touch(mode=0o644)
    write_private(file, b"secret")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["tokens.json"]


def test_a_file_that_cannot_be_replaced_leaves_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "tokens.json").mkdir()
    with pytest.raises(OSError, match=r"tokens\.json"):
        write_private(tmp_path / "tokens.json", b"secret")
    assert [each.name for each in tmp_path.iterdir()] == ["tokens.json"]


@pytest.mark.parametrize("lock", ["a folder", "a link", "a folder that is a file"])
@pytest.mark.not_on_windows("links that anybody may make")
def test_a_lock_that_cannot_be_made_gets_one_sentence(tmp_path: Path, lock: str) -> None:
    file = tmp_path / "s" / "tokens.json"
    if lock == "a folder that is a file":
        (tmp_path / "s").touch()
    else:
        (tmp_path / "s").mkdir()
        beside = tmp_path / "s" / "tokens.json.lock"
        beside.mkdir() if lock == "a folder" else beside.symlink_to(tmp_path / "other")
    with pytest.raises(BadArgument, match=r"^The token file .* cannot be kept: [A-Z]"):
        TokenFile(file).add("ada", ["a"])
    assert not (tmp_path / "other").exists()


@pytest.mark.not_on_windows("locks of POSIX")
@pytest.mark.parametrize(
    "keep",
    [lambda folder: TokenFile(folder / "t.json").add("ada", ["a"]), lambda folder: certificate.kept(folder, "a")],
)
def test_a_disk_without_locks_gets_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: Callable[[Path], object]
) -> None:
    import fcntl

    def none(*_: object) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", none)
    with pytest.raises(BadArgument, match=r"^The (token file|certificate) .*cannot be kept.*: [A-Z]"):
        keep(tmp_path)

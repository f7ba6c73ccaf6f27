"""Private files of the server: replaced as a whole, for the owner alone, and never through a link."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest

from vaulttools.server import private_file
from vaulttools.server.private_file import write_private


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

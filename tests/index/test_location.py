from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from tests.index.indexes import Indexed
from vaulttools.errors import BadArgument
from vaulttools.files.protection import Protection
from vaulttools.files.root import Root
from vaulttools.index import location
from vaulttools.index.database import Unavailable
from vaulttools.index.file import SCHEMA


def root(folder: Path, *protected: str) -> Root:
    return Root(str(folder), str(folder), Protection.of(protected))


def test_an_index_lies_in_the_cache_folder_and_names_its_vault(indexed: Indexed) -> None:
    cache = user_cache_path("vaulttools")
    assert cache == Path(os.environ["XDG_CACHE_HOME"], "vaulttools") or sys.platform != "linux"
    where = location.of(indexed.root)
    assert where.folder.parent == cache
    assert where.database == where.folder / f"index-{SCHEMA}.sqlite"
    assert (where.folder / "vault.txt").read_text(encoding="utf-8") == f"{indexed.vault}\n"
    assert location.of(indexed.root) == where


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_only_the_owner_can_read_an_index(indexed: Indexed) -> None:
    assert stat.S_IMODE(location.of(indexed.root).folder.stat().st_mode) == 0o700


def test_another_vault_and_other_protected_folders_have_another_index(tmp_path: Path) -> None:
    folders = {
        location.of(root(tmp_path / "a"), str(tmp_path / "cache")).folder,
        location.of(root(tmp_path / "b"), str(tmp_path / "cache")).folder,
        location.of(root(tmp_path / "a", "private"), str(tmp_path / "cache")).folder,
        location.of(root(tmp_path / "a", "private/b"), str(tmp_path / "cache")).folder,
    }
    assert len(folders) == 4
    assert {folder.parent for folder in folders} == {tmp_path / "cache"}


@pytest.mark.parametrize("folder", [".", "index", "../vault/deep/index"])
def test_fault_I12_an_index_folder_in_the_vault_is_refused(indexed: Indexed, folder: str) -> None:
    with pytest.raises(BadArgument, match="must not lie in the vault"):
        location.of(indexed.root, str(indexed.vault / folder))
    assert not list(indexed.vault.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_fault_I12_a_link_into_the_vault_is_refused_too(indexed: Indexed) -> None:
    (indexed.folder / "link").symlink_to(indexed.vault)
    with pytest.raises(BadArgument):
        location.of(indexed.root, str(indexed.folder / "link" / "index"))


def test_a_folder_that_cannot_be_made_is_an_error(indexed: Indexed) -> None:
    (indexed.folder / "file").touch()
    with pytest.raises(Unavailable, match="cannot be used: "):
        location.of(indexed.root, str(indexed.folder / "file" / "index"))


@pytest.mark.skipif(os.name == "nt", reason="the user's folders are found otherwise")
def test_fault_I12_a_user_without_a_home_has_no_index(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", lambda _: dict[str, str]()["unknown user"])
    with pytest.raises(Unavailable, match="no cache folder"):
        location.of(indexed.root)

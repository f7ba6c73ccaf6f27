"""The vaults of a server: whose index is loaded before anybody asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaulttools.index.background import BackgroundIndex
from vaulttools.server.vaults import opened
from vaulttools.vault import Vault


def test_the_index_of_an_only_vault_is_loaded_before_the_first_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[BackgroundIndex] = []
    monkeypatch.setattr(BackgroundIndex, "start", lambda self: loaded.append(self))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    one, two = {"a": str(tmp_path / "a")}, {name: str(tmp_path / name) for name in "ab"}
    for by_name, index, loads in ((one, None, False), (one, "off", True), (two, None, True)):
        with opened(by_name, index=index, loads=loads):  # type: ignore[arg-type]
            assert loaded == []
    with opened(one, loads=True):
        assert len(loaded) == 1


def test_an_index_that_is_there_is_loaded_and_none_is_built_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").mkdir()
    by_name = {"notes": str(tmp_path / "notes")}
    loaded: list[BackgroundIndex] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BackgroundIndex, "start", lambda self: loaded.append(self))
        with opened(by_name):
            assert loaded == []
    with Vault.open(by_name["notes"]) as vault:
        vault.build_index()
    monkeypatch.setattr(BackgroundIndex, "start", lambda self: loaded.append(self))
    with opened(by_name):
        assert len(loaded) == 1

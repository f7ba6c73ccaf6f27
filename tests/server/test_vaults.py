"""The vaults of a server: whose index is loaded before anybody asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaulttools.index.background import BackgroundIndex
from vaulttools.server.vaults import opened
from vaulttools.vault import Vault


def test_the_index_of_an_only_vault_is_loaded_where_it_is_there_or_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[BackgroundIndex] = []
    for name in ("a", "built"):
        (tmp_path / name).mkdir()
    with Vault.open(tmp_path / "built") as vault:
        vault.build_index()
    monkeypatch.setattr(BackgroundIndex, "start", lambda self: loaded.append(self))
    one, built = {"a": str(tmp_path / "a")}, {"built": str(tmp_path / "built")}
    two = {name: str(tmp_path / name) for name in ("a", "built")}
    for by_name, index, loads in ((one, None, False), (one, "off", True), (two, None, True)):
        with opened(by_name, index=index, loads=loads):  # type: ignore[arg-type]
            assert loaded == []
    for by_name, loads in ((one, True), (built, False)):
        loaded.clear()
        with opened(by_name, loads=loads):
            assert len(loaded) == 1

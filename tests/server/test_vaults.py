"""The vaults of a server: their indexes are begun before anybody asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaulttools.index.background import BackgroundIndex
from vaulttools.server.vaults import opened


def test_a_server_begins_to_read_its_vaults_when_it_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[BackgroundIndex] = []
    two = {name: str(tmp_path / name) for name in ("a", "b")}
    for folder in two.values():
        Path(folder).mkdir()
    monkeypatch.setattr(BackgroundIndex, "start", lambda self: begun.append(self))
    with opened(two, index="off"):
        assert begun == []
    with opened(two):
        assert len(begun) == 2

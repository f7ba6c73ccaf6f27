"""What the tests of the index share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.index.indexes import Indexed
from vaulttools.index import watch


@pytest.fixture
def indexed(tmp_path: Path) -> Indexed:
    """An empty vault."""
    (tmp_path / "vault").mkdir()
    return Indexed(tmp_path)


@pytest.fixture
def watch_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turn the watch on, even where the tests run without one."""
    monkeypatch.delenv(watch.VARIABLE, raising=False)

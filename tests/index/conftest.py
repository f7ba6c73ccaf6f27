"""What the tests of the index share."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.index.indexes import HOUR, Indexed


@pytest.fixture
def indexed(tmp_path: Path) -> Indexed:
    """An empty vault."""
    (tmp_path / "vault").mkdir()
    return Indexed(tmp_path)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour passes between the last change of a file and its reading: no row is racy."""
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + HOUR)

"""The runs under other Pythons and without a file watch."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest

from tests import everywhere

PROJECT = Path(__file__).parent.parent


def test_the_part_that_runs_elsewhere_is_there() -> None:
    assert [path for path in everywhere.PART.split() if not (PROJECT / path).exists()] == []


def test_a_python_that_can_make_an_environment_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everywhere, "_programs", lambda: [sys.executable, sys.executable])
    assert everywhere.interpreters() == {platform.python_version(): sys.executable}

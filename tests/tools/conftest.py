"""Every test of a tool runs twice: by scanning, and with an index that knows the vault as it is at each call."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from vaulttools import Vault, vault
from vaulttools.attachments import kinds
from vaulttools.opening import open_folder
from vaulttools.session import Session

posix_only = pytest.mark.not_on_windows("names, links, pipes and scripts of POSIX")

SETTLED_WITHIN = 60.0
"""Seconds for the index of a small vault, on a busy machine."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "searched_by" in metafunc.fixturenames:
        is_about_scans = metafunc.definition.get_closest_marker("scan_only") is not None
        metafunc.parametrize("searched_by", ["scan"] if is_about_scans else ["scan", "index"], indirect=True)


@pytest.fixture(autouse=True)
def searched_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """`scan` or `index`; a test marked `scan_only` is about how a scan goes about it."""
    if request.param == "scan":
        monkeypatch.setattr(vault, "open_folder", open_without_index)
        yield "scan"
        return
    opened: list[Vault] = []
    answer, made = Vault.answer, Vault.__init__

    def settled(self: Vault, name: str, arguments: Any, **options: Any) -> Any:
        self._opened.indexes.own.wait(timeout=SETTLED_WITHIN)
        return answer(self, name, arguments, **options)

    def remembered(self: Vault, *given: Any) -> None:
        made(self, *given)
        opened.append(self)

    monkeypatch.setattr(Vault, "answer", settled)
    monkeypatch.setattr(Vault, "__init__", remembered)
    yield "index"
    for each in opened:
        each.close()


def open_without_index(folder: str, config: Any, *, has_index: bool = False, today: date | None = None) -> Session:
    """Opens as `open_folder` does without an index, whatever the caller asks for."""
    return open_folder(folder, config, today=today)


@pytest.fixture
def without_the_extra_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The packages that extract attachments seem to be missing."""
    kinds.is_installed.cache_clear()
    monkeypatch.setattr(kinds, "find_spec", lambda name: None)
    yield
    kinds.is_installed.cache_clear()

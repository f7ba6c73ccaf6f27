"""Vaults that servers are tested over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from platformdirs import user_config_path

from tests.conftest import own_places, write_files
from tests.server.asking import Serve, serving

HUGE_FILES = 40
HUGE_BYTES = 90_000_000


@pytest.fixture
def slow_vault(tmp_path: Path) -> Path:
    """A vault whose search takes longer than any test waits: sparse files, which take no room and long to read.

    Its `note.md` is found at once.
    """
    folder = tmp_path / "slow"
    write_files(folder, {"note.md": "a needle\n"})
    for number in range(HUGE_FILES):
        with (folder / f"huge-{number:02}.md").open("wb") as file:
            file.truncate(HUGE_BYTES)
    settings = f'[slow]\npath = "{folder.as_posix()}"\nindex = "off"\ntime_limit = 60\n'
    write_files(user_config_path("vaulttools"), {"vaulttools.toml": settings})
    return folder


@pytest.fixture(scope="module")
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables for a server of several tests, which starts before a test has folders: no user's configuration."""
    return own_places(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Serve vaults of `{path: content}`, or folders, by their names, to everybody or to those with a token."""
    with serving(tmp_path_factory) as served:
        yield served

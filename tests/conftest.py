"""What many tests share: small vaults built in a temporary folder, and the shipped one."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from vaulttools import Vault
from vaulttools.files import content_caches
from vaulttools.index import filesystems

# Hypothesis fails a test when one example takes longer than 200 ms, or when examples are slow to make: on a busy
# machine both happen to every test. All examples of a test share what its fixtures made.
_CHECKS = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
# `make fuzz` is the run of many examples.
_EXAMPLES = int(os.environ.get("VAULTTOOLS_EXAMPLES", "40"))
settings.register_profile("any machine", max_examples=_EXAMPLES, deadline=None, suppress_health_check=_CHECKS)
settings.load_profile("any machine")

pytest_plugins = ["tests.slow", "tests.systems"]

FIXTURES = Path(__file__).parent.parent / "fixtures"

HOUR = 3_600_000_000_000
"""In nanoseconds."""

on_a_known_disk = pytest.mark.skipif(
    not filesystems.holds_wal(tempfile.gettempdir()),
    reason="the disk of the temporary folder is unknown, as in a chroot: no watch, no WAL",
)

Files = Mapping[str, str | bytes]
MakeVault = Callable[[Files], Vault]


def write_files(folder: Path, files: Files) -> None:
    """Lay out files by their relative path; text is written as UTF-8 with its line ends as they are."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


OUR_FAULT = re.compile(
    r"^Traceback \(most recent call last\)| failed for a reason of its own \(error \d+\)", re.MULTILINE
)
"""Printed by nothing but a fault of ours. Hypothesis tries the words alone as arguments, and a refusal quotes them."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-transcripts",
        action="store_true",
        help="rewrite fixtures/transcripts with what the commands print now",
    )


def own_places(home: Path) -> dict[str, str]:
    """The variables that make a folder the user's home, on every system."""
    names = {"XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache", "APPDATA": "roaming"}
    names |= {"HOME": ".", "USERPROFILE": ".", "WIN_PD_OVERRIDE_LOCAL_APPDATA": "local"}  # the last is platformdirs'
    return {variable: str(home / name) for variable, name in names.items()}


@pytest.fixture(autouse=True)
def own_configuration(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the user's configuration or vault."""
    for variable, folder in own_places(tmp_path_factory.mktemp("home")).items():
        monkeypatch.setenv(variable, folder)
    monkeypatch.delenv("VAULTTOOLS_VAULT", raising=False)
    monkeypatch.delenv("VAULTTOOLS_RG", raising=False)
    monkeypatch.setenv("VAULTTOOLS_TODAY", "")
    monkeypatch.delenv("VAULTTOOLS_TODAY")  # and set back after the test: the command line sets it in this process
    monkeypatch.setenv("VAULTTOOLS_MEANING", "off")  # tests of ranked search rely on words alone


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour passes between the last change of a file and its reading, so no row is racy."""
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + HOUR)


@pytest.fixture
def young_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The contents of files that were just written are kept too, as far as this machine's clock can tell."""
    monkeypatch.setattr(
        content_caches, "is_racy", lambda key, read: max(key.modified, key.changed) >= read - 20_000_000
    )


@pytest.fixture
def make_vault(tmp_path: Path) -> MakeVault:
    """Build a vault from `{path: content}` in `tmp_path / "vault"` and open it."""

    def made(files: Files) -> Vault:
        folder = tmp_path / "vault"
        folder.mkdir(exist_ok=True)
        write_files(folder, files)
        return Vault.open(folder)

    return made


@pytest.fixture
def small_vault() -> Path:
    """The shipped vault."""
    return FIXTURES / "vault"

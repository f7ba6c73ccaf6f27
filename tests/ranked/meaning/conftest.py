"""Opens vaults whose passages a real server embeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.conftest import write_files
from tests.ranked.meaning.endpoints import Served, serving
from vaulttools import Vault, VaultConfig
from vaulttools.ranked.meaning import process

Opened = Callable[..., Vault]


@pytest.fixture
def served() -> Iterator[Served]:
    with serving() as server:
        yield server


@pytest.fixture
def embedding(tmp_path: Path, served: Served, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    """Opens a vault whose passages the server embeds; a second call opens it again."""
    monkeypatch.delenv("VAULTTOOLS_MEANING")
    monkeypatch.setattr(process, "NICER", 0)  # a test has to end on a busy machine
    vaults: list[Vault] = []

    def made(files: Mapping[str, str | bytes], **fields: object) -> Vault:
        write_files(tmp_path / "vault", files)
        configured = {"index_folder": str(tmp_path / "index"), "embedder": served.address, "embedder_model": "m"}
        vaults.append(Vault.open(tmp_path / "vault", config=VaultConfig.model_validate({**configured, **fields})))
        return vaults[-1]

    yield made
    for vault in vaults:
        vault.close()

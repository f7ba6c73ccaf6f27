"""The open vaults of a process share a model and one process that embeds."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest

from tests.conftest import write_files
from tests.meaning.conftest import wait_at_once
from tests.meaning.endpoints import Served
from vaulttools import Vault, VaultConfig
from vaulttools.meaning import background, embedders, process
from vaulttools.meaning.embedders import Choice, EmbedderKey, NoMeaning
from vaulttools.meaning.process import EmbeddingProcess, SharedProcess
from vaulttools.meaning.question_model import Models


class Model:
    """A model that has been loaded."""


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[Choice]:
    """The loaded choices, in order."""
    choices: list[Choice] = []

    def load(choice: Choice) -> Model:
        choices.append(choice)
        return Model()

    monkeypatch.setattr(embedders, "load", load)
    return choices


def test_vaults_with_one_model_load_it_once_and_drop_it_with_the_last(loaded: list[Choice]) -> None:
    models, choice, key = Models(), Choice(), EmbedderKey("m", "1", "a")
    first, second = models.of(choice, key), models.of(choice, key)
    assert first is second
    assert loaded == [choice]
    del first, second
    gc.collect()
    assert len(models._loaded) == 0
    models.of(choice, key)
    assert loaded == [choice, choice]


@pytest.mark.parametrize(("address", "other_digest"), [("", "b"), ("http://127.0.0.1:1/v1", "a")])
def test_a_replaced_model_is_loaded_anew_and_an_endpoint_is_not_shared(
    address: str, other_digest: str, loaded: list[Choice]
) -> None:
    models, choice = Models(), Choice(address)
    one, other = (models.of(choice, EmbedderKey("m", "", digest)) for digest in ("a", other_digest))
    assert one is not other


def opened(folder: Path, served: Served, notes: int) -> Vault:
    """A new vault whose passages the server embeds."""
    write_files(folder / "vault", {f"{number}.md": f"Cat {folder.name} {number}.\n" for number in range(notes)})
    config = {"index_folder": str(folder / "index"), "embedder": served.address, "embedder_model": "m"}
    return Vault.open(folder / "vault", config=VaultConfig.model_validate(config))


@pytest.mark.usefixtures("working")
def test_vaults_embed_by_one_process_which_ends_with_the_last(
    started: list[EmbeddingProcess], served: Served, tmp_path: Path
) -> None:
    for name in "abc":
        write_files(tmp_path / name / "vault", {"same.md": "Tea.\n"})
    vaults = [opened(tmp_path / name, served, 40) for name in "abc"]
    wait_at_once(vaults)
    assert served.texts.count("same\nTea.") == 3  # a vault takes no vector of another one
    assert (len(served.texts), len(set(served.texts))) == (123, 121)
    vaults[0].close()
    vaults[1].close()
    assert [each.is_alive for each in started] == [True]
    vaults[2].close()
    assert [each.is_alive for each in started] == [False]


@pytest.mark.usefixtures("working")
def test_a_vault_that_closes_during_its_turn_does_not_disturb_the_next(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "START_SECONDS", 0.0)
    first, second = opened(tmp_path / "a", served, 1), opened(tmp_path / "b", served, 1)
    served.is_hanging = True
    asking = threading.Thread(target=first.wait_for_meaning)
    asking.start()
    while not served.requests:
        asking.join(0.01)
    served.is_hanging = False
    waiting = threading.Thread(target=second.wait_for_meaning)
    waiting.start()
    while not process.embedding._job_queue.is_wanted:
        waiting.join(0.01)
    first.close()
    asking.join()
    waiting.join()
    assert served.texts == ["0\nCat a 0.", "0\nCat b 0."]
    second.close()


def test_a_vault_that_closes_while_the_process_starts_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    embedding, end = SharedProcess(), threading.Event()

    class Starting:
        is_alive, choice = True, Choice()

        def __init__(self, choice: Choice, folder: Path | None) -> None:
            end.set()
            embedding.stop(end)

    monkeypatch.setattr(process, "EmbeddingProcess", Starting)
    with embedding.turn(end, Choice(), None) as is_mine, pytest.raises(NoMeaning):
        assert is_mine
        embedding.is_fitted()


def test_a_turn_ends_after_its_time_when_another_vault_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "TURN_SECONDS", 0.0)
    embedding, mine, other = SharedProcess(), threading.Event(), threading.Event()

    def wait() -> None:
        with embedding.turn(other, Choice(), None):
            pass

    with embedding.turn(mine, Choice(), None) as is_mine:
        assert (is_mine, embedding.is_over()) == (True, False)
        waiting = threading.Thread(target=wait)
        waiting.start()
        while not embedding._job_queue.is_wanted:
            waiting.join(0.01)
        assert embedding.is_over()
    waiting.join()

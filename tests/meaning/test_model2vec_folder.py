"""A local folder in the format of model2vec."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from vaulttools.meaning.embedders import Choice, NoMeaning, key_of, load

VOCABULARY = ["[UNK]", "cat", "kitten", "tea"]


def made(folder: Path) -> Path:
    """A model of three words; two of them are near each other."""
    folder.mkdir()
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    weights = np.array([[0.1, 0.1, 0.1], [1, 0, 0], [1, 0.2, 0], [0, 0, 2]], np.float32)
    save_file({"embeddings": weights}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"normalize": True}), encoding="utf-8")
    return folder


def test_texts_become_vectors_of_length_one(tmp_path: Path) -> None:
    model = load(Choice(str(made(tmp_path / "model"))))
    cat, kitten, tea = model.embed_passages(["cat", "kitten", "tea"])
    assert cat @ kitten > 0.9 > 0.1 > cat @ tea
    assert (model.embed_questions(["cat"])[0] == cat).all()
    assert np.allclose(np.linalg.norm(model.embed_questions(["cat tea", "kitten"]), axis=1), 1)


def test_the_key_depends_on_the_files_and_not_on_the_place(tmp_path: Path) -> None:
    here, there = made(tmp_path / "here"), made(tmp_path / "there")
    assert key_of(Choice(str(here))) == key_of(Choice(str(there)))
    (there / "tokenizer.json").write_text("{}", encoding="utf-8")
    assert key_of(Choice(str(here))) != key_of(Choice(str(there)))


def test_a_folder_without_a_model_is_reported_and_searched_for_nowhere_else(tmp_path: Path) -> None:
    with pytest.raises(NoMeaning, match=r"is no model2vec folder: model.safetensors cannot be read$"):
        load(Choice("minishlab/potion-base-8M"))


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    folder = made(tmp_path / "model")
    (folder / "model.safetensors").write_bytes(pickle.dumps({"embeddings": [[1.0]]}))
    with pytest.raises(NoMeaning, match=r"^The model in .* cannot be read"):
        load(Choice(str(folder)))

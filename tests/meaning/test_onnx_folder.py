"""A local folder with a model of the sentence transformers in ONNX format."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.meaning.installed import declared
from vaulttools.meaning import onnx_file, static_fit
from vaulttools.meaning.embedders import Choice, NoMeaning, key_of, load, onnx_folder
from vaulttools.meaning.onnx_file import Builder, content, number
from vaulttools.meaning.static_fit import TokenVectors

tokenizers = pytest.importorskip("tokenizers")
pytest.importorskip("onnxruntime")

VOCABULARY = ["[UNK]", "[CLS]", "[SEP]", "cat", "kitten", "tea", "query", ":", "passage"]
UNK, CLS, SEP, CAT, KITTEN, TEA, QUERY, COLON, PASSAGE = range(len(VOCABULARY))

TABLE = np.random.default_rng(5).normal(size=(len(VOCABULARY), 4)).astype(np.float32)
"""The model: the vector of each token."""


def graph(
    inputs: Sequence[str] = ("input_ids", "attention_mask", "token_type_ids"),
    *,
    output: str = "last_hidden_state",
    whole: bool = False,
    kind: int = 7,
) -> bytes:
    """A model that looks up its tokens; `whole`: it also gives the maximum of each column."""
    made = Builder()
    made.tensor("table", TABLE)
    made.node("Gather", ["table", "input_ids"], [output])
    more = b"".join(content(11, declared(name, kind)) for name in inputs)
    if whole:
        made.node("ReduceMax", [output], ["sentence_embedding"], {"axes": [1], "keepdims": 0})
        more += content(12, declared("sentence_embedding", 1))
    return made.model(None, (output, ["texts", "tokens", 4])) + content(7, more)  # two graphs are read as one


def folder(place: Path, *, files: dict[str, Any] | None = None, onnx: dict[str, bytes] | None = None) -> Path:
    place.mkdir(parents=True)
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: token for token, word in enumerate(VOCABULARY)}, unk_token="[UNK]")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)]
    )
    made.enable_padding(length=30)
    made.enable_truncation(2)
    made.save(str(place / "tokenizer.json"))
    for name, settings in (files or {}).items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(json.dumps(settings), encoding="utf-8")
    for name, model in (onnx or {"onnx/model.onnx": graph()}).items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_bytes(model)
    return place


def opened(place: Path) -> Any:
    """The model of a folder."""
    return load(Choice(str(place)))


def unit(vector: Any) -> Any:
    return vector / np.linalg.norm(vector)


def mean(*tokens: int) -> Any:
    return unit(TABLE[list(tokens)].mean(axis=0))


def test_each_text_becomes_a_vector_of_length_one_by_itself(tmp_path: Path) -> None:
    model = opened(folder(tmp_path / "model"))
    texts = ["cat tea", "", "kitten " * 5, "\ud800 cat", "what is unknown"]
    vectors = model.embed_passages(texts)
    assert vectors.dtype == np.float32
    assert np.allclose(vectors[0], mean(CLS, CAT, TEA, SEP), atol=1e-6)
    assert np.allclose(vectors[1], mean(CLS, SEP), atol=1e-6)
    assert np.allclose(vectors[3], mean(CLS, UNK, CAT, SEP), atol=1e-6)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert (np.concatenate([model.embed_questions([text]) for text in texts]) == vectors).all()


@pytest.mark.parametrize(
    ("settings", "pooled"),
    [
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, lambda rows: rows.mean(axis=0)),
        ({"pooling_mode_mean_sqrt_len_tokens": True}, lambda rows: rows.mean(axis=0)),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, lambda rows: rows[0]),
        ({"pooling_mode_max_tokens": True}, lambda rows: rows.max(axis=0)),
        ({"pooling_mode_lasttoken": True}, lambda rows: rows[-1]),
        ({"pooling_mode": "cls"}, lambda rows: rows[0]),
        ({"word_embedding_dimension": 4}, lambda rows: rows.mean(axis=0)),
    ],
)
def test_vectors_of_tokens_are_pooled_as_the_folder_says(
    tmp_path: Path, settings: dict[str, Any], pooled: Callable[[Any], Any]
) -> None:
    modules = [{"path": "", "type": "sentence_transformers.models.Transformer"}]
    modules += [{"path": "1_Own", "type": "a.Pooling"}, {"path": "2_Normalize", "type": "a.Normalize"}]
    place = folder(tmp_path / "model", files={"modules.json": modules, "1_Own/config.json": settings})
    [found] = opened(place).embed_passages(["cat tea"])
    assert np.allclose(found, unit(pooled(TABLE[[CLS, CAT, TEA, SEP]])), atol=1e-6)


def test_an_output_with_the_vector_of_the_whole_text_is_preferred(tmp_path: Path) -> None:
    place = folder(tmp_path / "model", onnx={"model.onnx": graph(whole=True)})
    [found] = opened(place).embed_passages(["cat tea"])
    assert np.allclose(found, unit(TABLE[[CLS, CAT, TEA, SEP]].max(axis=0)), atol=1e-6)


@pytest.mark.parametrize("kind", [6, 7])
@pytest.mark.parametrize("inputs", [["input_ids"], ["attention_mask", "input_ids", "position_ids", "token_type_ids"]])
def test_a_graph_gets_what_it_asks_for(tmp_path: Path, inputs: list[str], kind: int) -> None:
    place = folder(tmp_path / "model", onnx={"onnx/model.onnx": graph(inputs, output="any", kind=kind)})
    assert np.allclose(opened(place).embed_passages(["tea"])[0], mean(CLS, TEA, SEP), atol=1e-6)


E5 = ([QUERY, COLON], [PASSAGE, COLON])


@pytest.mark.parametrize(
    ("name", "files", "before"),
    [
        ("tmp/", {}, ([], [])),
        ("tmp/", {"prompts": {"query": "query: ", "passage": "passage: "}}, E5),
        ("tmp/", {"prompts": {"query": "query: ", "document": "passage: ", "passage": "cat"}}, E5),
        ("tmp/", {"prompts": {"query": "query: ", "text": ""}, "default_prompt_name": "text"}, ([QUERY, COLON], [])),
        ("tmp/", {"prompts": {"all": "query: "}, "default_prompt_name": "all"}, ([QUERY, COLON], [QUERY, COLON])),
        ("intfloat/multilingual-e5-small", {"prompts": {}, "default_prompt_name": None}, ([], [])),
        ("intfloat/multilingual-e5-small", None, E5),
        ("intfloat/E5-base-v2", None, E5),
        ("intfloat/multilingual-e5-large-instruct", None, ([], [])),
        ("minie5-small", None, ([], [])),
        ("tmp/", None, ([], [])),
    ],
)
def test_prompts_are_put_before_questions_and_passages(
    tmp_path: Path, name: str, files: dict[str, Any] | None, before: tuple[list[int], list[int]]
) -> None:
    config = {} if files is None else {"config_sentence_transformers.json": files}
    model = opened(folder(tmp_path / "model", files={**config, "onnx/config.json": {"_name_or_path": name}}))
    assert np.allclose(model.embed_questions(["cat"])[0], mean(CLS, *before[0], CAT, SEP), atol=1e-6)
    assert np.allclose(model.embed_passages(["cat"])[0], mean(CLS, *before[1], CAT, SEP), atol=1e-6)


@pytest.mark.parametrize(
    ("files", "read"),
    [
        ({"sentence_bert_config.json": {"max_seq_length": 5}}, 3),
        ({"sentence_bert_config.json": {"max_seq_length": None}, "tokenizer_config.json": {"model_max_length": 4}}, 2),
        ({"sentence_bert_config.json": {"max_seq_length": 5}, "tokenizer_config.json": {"model_max_length": 4}}, 3),
        ({"tokenizer_config.json": {"model_max_length": 1e30}}, 510),
        ({}, 510),
    ],
)
def test_long_texts_are_cut_where_the_folder_says(tmp_path: Path, files: dict[str, Any], read: int) -> None:
    model = opened(folder(tmp_path / "model", files=files))
    [tokens] = model.tokens(["cat " + "tea " * 600])
    assert tokens == [CAT] + [TEA] * (read - 1)
    assert np.allclose(model.embed_passages(["cat " + "tea " * 600])[0], mean(CLS, *tokens, SEP), atol=1e-5)


def test_an_encoder_can_be_fitted_to_the_tokens_of_a_folder(tmp_path: Path) -> None:
    files = {
        "config_sentence_transformers.json": {"prompts": {"passage": "passage: "}},
        "sentence_bert_config.json": {"max_seq_length": 6, "do_lower_case": True},
    }
    place = folder(tmp_path / "model", files=files)
    model = opened(place)
    texts = ["Cat TEA kitten", "tea", ""]
    tokens = model.tokens(texts)
    assert tokens == [[CAT, TEA], [TEA], []]  # the prompt takes two of four
    assert np.allclose(model.embedded_tokens([CAT, TEA]), [mean(CLS, CAT, SEP), mean(CLS, TEA, SEP)], atol=1e-6)
    table = TokenVectors(model.embedded_tokens, key_of(Choice(str(place))), tmp_path)
    found = static_fit.fit(tokens, model.embed_passages(texts), table).embedded(tokens, table)
    assert np.allclose(np.linalg.norm(found, axis=1), [1, 1, 0])


def test_the_key_depends_on_all_that_decides_the_vectors_and_not_on_the_place(tmp_path: Path) -> None:
    here = folder(tmp_path / "here")
    key = key_of(Choice(str(here)))
    assert key.name == "onnx"
    changes: dict[str, bytes] = {
        "onnx/model.onnx": graph(output="other"),
        "tokenizer.json": (here / "tokenizer.json").read_bytes() + b" ",
        "1_Pooling/config.json": b'{"pooling_mode_cls_token": true}',
        "sentence_bert_config.json": b'{"max_seq_length": 100}',
        "config_sentence_transformers.json": b'{"prompts": {"query": "query: "}}',
        "model.onnx": graph(whole=True),
    }
    keys = {key}
    for name, changed in changes.items():
        there = tmp_path / "elsewhere" / name.replace("/", " ")
        shutil.copytree(here, there)
        (there / "README.md").write_text("not read", encoding="utf-8")
        assert key_of(Choice(str(there))) == key
        (there / name).parent.mkdir(exist_ok=True)
        (there / name).write_bytes(changed)
        keys.add(key_of(Choice(str(there))))
    assert len(keys) == len(changes) + 1


def test_the_graph_with_all_bits_is_preferred(tmp_path: Path) -> None:
    names = ["model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "onnx/model_a.onnx", "onnx/model_b.onnx"]
    place = folder(tmp_path / "model", onnx={name: graph(output=name) for name in names})
    keys = []
    for name in names:
        keys.append(key_of(Choice(str(place))))
        alone = folder(tmp_path / name.replace("/", " "), onnx={name: graph(output=name)})
        assert key_of(Choice(str(alone))) == keys[-1]
        (place / name).unlink()
    assert len(set(keys)) == len(names)


# Weights outside the graph's own file.
def outside(location: str) -> bytes:
    """A graph whose table lies in a file."""
    tensor = b"".join(number(1, length) for length in TABLE.shape) + number(2, 1) + content(8, "table")
    tensor += content(13, content(1, "location") + content(2, location)) + number(14, 1)
    made = Builder()
    made.node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    whole = made.model(None, ("last_hidden_state", ["texts", "tokens", 4]))
    return whole + content(7, content(5, tensor) + content(11, declared("input_ids", 7)))


def test_weights_beside_the_graph_are_read_and_change_the_key(tmp_path: Path) -> None:
    place = folder(tmp_path / "model", onnx={"onnx/model.onnx": outside("model.onnx_data")})
    (place / "onnx/model.onnx_data").write_bytes(TABLE.tobytes())
    key = key_of(Choice(str(place)))
    assert np.allclose(opened(place).embed_passages(["cat"])[0], mean(CLS, CAT, SEP), atol=1e-6)
    (place / "onnx/model.onnx_data").write_bytes((TABLE + 1).tobytes())
    assert key_of(Choice(str(place))) != key
    (place / "onnx/model.onnx_data").unlink()
    with pytest.raises(NoMeaning, match=r"needs model.onnx_data, which cannot be read: No such file"):
        load(Choice(str(place)))


@pytest.mark.parametrize("location", ["../weights", "{place}/weights", "link", "onnx/../../weights"])
def test_weights_elsewhere_are_not_read(tmp_path: Path, location: str) -> None:
    named = location.format(place=tmp_path)
    place = folder(tmp_path / "model", onnx={"model.onnx": outside(named)})
    (tmp_path / "weights").write_bytes(TABLE.tobytes())
    (place / "link").symlink_to(tmp_path / "weights")
    with pytest.raises(NoMeaning, match=r"is damaged or incomplete: it names .*, which is not in its folder$"):
        key_of(Choice(str(place)))


def test_weights_are_found_where_a_cache_of_downloads_keeps_the_graph(tmp_path: Path) -> None:
    place, blobs = folder(tmp_path / "model", onnx={"model.onnx": outside("data")}), tmp_path / "blobs"
    blobs.mkdir()
    (place / "model.onnx").rename(blobs / "1")
    (blobs / "data").write_bytes(TABLE.tobytes())
    (place / "model.onnx").symlink_to(blobs / "1")
    (place / "data").symlink_to(blobs / "data")
    assert key_of(Choice(str(place))).name == "onnx"


def test_weights_in_a_graph_within_a_graph_are_found(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    within = content(5, content(13, content(1, "location") + content(2, "inner")))
    for _ in range(3):
        within = content(1, content(5, content(6, within)))
    file.write_bytes(content(7, within))
    assert onnx_file.external_files(file) == [tmp_path / "inner"]
    for _ in range(40):
        within = content(1, content(5, content(6, within)))
    file.write_bytes(content(7, within))
    with pytest.raises(ValueError, match="too deep"):
        onnx_file.external_files(file)


# Faults.
def cut_tokenizer(place: Path) -> None:
    (place / "tokenizer.json").write_text("{}", encoding="utf-8")


def no_tokenizer(place: Path) -> None:
    (place / "tokenizer.json").unlink()


def larger_tokenizer(place: Path) -> None:
    made = tokenizers.Tokenizer.from_file(str(place / "tokenizer.json"))
    made.add_tokens(["another"])
    made.save(str(place / "tokenizer.json"))


def no_graph(place: Path) -> None:
    (place / "onnx/model.onnx").unlink()
    (place / "modules.json").write_text("[]", encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (cut_tokenizer, r"^tokenizer\.json of the model in .* is damaged, or not of the package tokenizers$"),
        (no_tokenizer, r"^The model in .* needs tokenizer\.json, which cannot be read: No such file or directory$"),
        (larger_tokenizer, r"cannot embed its tokenizer's last token \(.*\): its graph and its tokenizer.json should"),
        (no_graph, r"has no model in ONNX format: model\.onnx or onnx/model\.onnx is needed$"),
    ],
)
def test_files_that_are_missing_or_do_not_fit_are_reported(
    tmp_path: Path, damage: Callable[[Path], None], sentence: str
) -> None:
    place = folder(tmp_path / "model")
    damage(place)
    with pytest.raises(NoMeaning, match=sentence):
        opened(place)


DAMAGED = r"^model\.onnx of the model in .* is damaged or incomplete: "


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (graph(["input_ids", "pixels"]), r"asks for pixels; it must ask for input_ids and at most attention_mask"),
        (
            graph(["input_ids"]) + content(7, content(11, declared("attention_mask", 1))),
            r"asks for attention_mask; it must ask for .*, as whole numbers$",
        ),
        (b"", DAMAGED),
        (graph()[:60], DAMAGED),
        (b"version https://git-lfs.github.com/spec/v1\n", DAMAGED),
        (number(1, 8), r"^model\.onnx of the model in .* is damaged or not for onnxruntime \(\w+\)$"),
    ],
)
def test_an_unusable_graph_is_reported(tmp_path: Path, model: bytes, sentence: str) -> None:
    with pytest.raises(NoMeaning, match=sentence):
        opened(folder(tmp_path / "model", onnx={"model.onnx": model}))


POOLING = "1_Pooling/config.json"


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("modules.json", "[{", r"^modules\.json of the model in .* is damaged: it should hold JSON$"),
        ("modules.json", "[" * 100_000, r"it should hold JSON$"),
        ("modules.json", "{}", r"it should hold a list of objects$"),
        ("modules.json", '[{"type": "models.Dense"}]', r"has a step Dense; only Transformer,"),
        ("modules.json", '[{"type": "a.Pooling", "path": "../1"}]', r"its Pooling should have a folder as path$"),
        (POOLING, "[]", r"^1_Pooling/config\.json of .* is damaged: it should hold a JSON object$"),
        (POOLING, '{"pooling_mode_weightedmean_tokens": true}', r"pools by weightedmean_tokens: one of"),
        (
            POOLING,
            '{"pooling_mode_cls_token": true, "pooling_mode_max_tokens": true}',
            r"pools by cls_token and max_tokens: one of mean, cls, max and lasttoken is expected$",
        ),
        ("config_sentence_transformers.json", '{"prompts": ["a"]}', r"its prompts should be texts$"),
        ("sentence_bert_config.json", '{"max_seq_length": "many"}', r"max_seq_length should be a number$"),
        ("tokenizer_config.json", '{"model_max_length": NaN}', r"max_seq_length should be a number$"),
        ("sentence_bert_config.json", '{"max_seq_length": 2}', r"reads 2 tokens: those around every text fill them$"),
    ],
)
def test_damaged_and_unknown_settings_are_reported(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    place = folder(tmp_path / "model", files={POOLING: {}})
    (place / name).write_text(text, encoding="utf-8")
    with pytest.raises(NoMeaning, match=sentence):
        opened(place)


def test_a_folder_that_leaves_prompts_out_of_its_vectors_is_refused(tmp_path: Path) -> None:
    files = {
        "1_Pooling/config.json": {"include_prompt": False},
        "config_sentence_transformers.json": {"prompts": {"query": "query: "}},
    }
    with pytest.raises(NoMeaning, match=r"leaves prompts out of its vectors \(include_prompt\): not supported$"):
        opened(folder(tmp_path / "model", files=files))


@pytest.mark.parametrize(
    ("files", "is_onnx"),
    [
        ({"config.json": {"model_type": "bert"}, "model.safetensors": ""}, True),
        ({"config.json": {"model_type": "model2vec"}, "model.safetensors": ""}, False),
        ({"config.json": {"normalize": True}, "model.safetensors": ""}, False),
        ({}, True),
    ],
)
def test_a_model2vec_folder_with_a_graph_stays_model2vec(tmp_path: Path, files: dict[str, Any], is_onnx: bool) -> None:
    place = folder(tmp_path / "model", files=files)
    assert onnx_folder.takes(Choice(str(place))) == is_onnx
    assert not onnx_folder.takes(Choice(str(tmp_path / "missing")))

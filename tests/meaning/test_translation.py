"""Words of a question in another language become words that the notes hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from tests.conftest import write_files
from vaulttools import Vault, VaultConfig
from vaulttools.meaning import embedders, languages, translation
from vaulttools.meaning.embedders import SWITCH, Choice
from vaulttools.meaning.translation import Lexicon, Translated, translated

WORDS = ["anchor", "rust", "boat", "", "the", "winter", "ab"]
VECTORS = np.eye(7, dtype=np.float16)


def vector(word: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Near one word of `WORDS`, or to none."""
    near = {"anker": 0, "rost": 1, "boot": 2, "winters": 5}
    return np.full(7, 7**-0.5, np.float32) if word not in near else np.eye(7, dtype=np.float32)[near[word]]


def read(question: str, held: Sequence[str] = WORDS, known: Sequence[str] = WORDS, language: str = "de") -> Translated:
    """A question about notes that hold some words; the lexicon knows some."""
    lexicon = Lexicon(WORDS, VECTORS, {*known}.intersection)
    return translated(question, lambda words: [word in held for word in words], lambda: lexicon, vector, {language})


def of(question: str, held: Sequence[str] = (), known: Sequence[str] = WORDS) -> tuple[str, dict[str, str]]:
    found = read(question, [*held, *known], known)
    return found.text, dict(found.words)


@pytest.mark.parametrize(
    ("question", "held", "text", "words"),
    [
        ("Warum ist Rost am Anker?", [], "Warum ist rust am anchor?", {"Rost": "rust", "Anker": "anchor"}),
        ("Ist Rost am Anker von Sjaan?", ["Rost", "Sjaan"], "Ist Rost am anchor von Sjaan?", {"Anker": "anchor"}),
        ("Boot 2026 Xyzzy", [], "boat 2026 Xyzzy", {"Boot": "boat"}),
        ("Warum ist Xyzzy?", [], "Warum ist Xyzzy?", {}),
    ],
    ids=["no note holds them", "notes hold some", "some have no near one", "none has a near one"],
)
def test_words_that_no_note_holds_are_replaced_by_near_ones(
    question: str, held: list[str], text: str, words: dict[str, str]
) -> None:
    assert of(question, held) == (text, words)


@pytest.mark.parametrize("known", [[], ["boat", "the", "ab"]])
def test_only_words_of_the_vault_take_their_place(known: list[str]) -> None:
    assert of("Rost am Anker", known=known) == ("Rost am Anker", {})


def test_a_word_that_no_note_holds_any_more_takes_no_place() -> None:
    found = read("Rost am Anker", held=["rust"])
    assert (found.text, found.content) == ("rust am Anker", "rust Anker")


@pytest.mark.parametrize("question", ["Anker" * 1_000, "\ud800 am Anker" + " Rost" * 100_000, "ß" * 41])
def test_any_question_is_read(question: str) -> None:
    assert of(question)[1].keys() <= {"Anker", "Rost"}


def test_names_stay_where_capitals_tell_them() -> None:
    assert read("Rost du Boot", language="fr").text == "rust du Boot"


def test_function_words_and_signs_stay_in_the_question_and_not_in_its_content() -> None:
    found = read("Wie ist 4.5-mm Rost?")
    assert (found.text, found.content) == ("Wie ist 4.5-mm rust?", "4.5-mm rust?")


def test_a_lexicon_without_words_translates_nothing() -> None:
    assert Lexicon([], np.empty((0, 0), np.float16), set[str]().union).nearest(vector("rost")) == []


def test_at_most_so_many_words_are_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "_MOST_WORDS", 1)
    assert of("Rost am Anker")[1] == {"Rost": "rust"}


NOTES = {
    "Anchor.md": "The anchor has rust on its chain. Clean it with a wire brush and grease it before winter.",
    "Sails.md": "The sails are stored dry in the attic, folded over the boom.",
    "Engine.md": "The engine runs cold. Change the oil and the filter each spring.",
    "Bread.md": "The dough rests one night in the fridge, then it is baked in a hot oven.",
    "Tax.md": "The tax office wants the declaration by May; the letter lies in the drawer.",
    "Board.canvas": '{"nodes": [{"type": "text", "id": "1", "text": "Kette", "x": 0, "y": 0}]}',
}


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """A vault of English notes with both models of the extra."""
    folder = tmp_path_factory.mktemp("english")
    write_files(folder / "vault", NOTES)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(SWITCH, raising=False)
        if not embedders.is_wanted(VaultConfig()):
            pytest.skip("the extra is not installed")
        with Vault.open(folder / "vault", config=VaultConfig(index_folder=folder / "index")) as vault:
            vault.build_index()
            vault.query("Wo ist der Anker?")  # from now on the second model is wanted
            vault.wait_for_meaning()
            yield vault


def test_a_german_question_finds_its_english_note_and_says_how_it_was_read(english: Vault) -> None:
    answer = english.query("Wie reinige ich die Kette vor dem Winter?")
    assert answer.notes[0].path == "Anchor.md"
    assert 'Words that no note has were translated: "reinige" as "clean", "Kette" as "chain".' in answer.text


def test_a_translated_word_that_only_a_canvas_holds_is_said(english: Vault) -> None:
    assert "words that no note has are in Board.canvas" in english.query("Wie reinige ich die Kette?").text


@pytest.mark.parametrize("question", ["How do I clean the chain?", '"Rost" an der Kette', "錆を取るには？"])
def test_other_questions_are_not_translated(english: Vault, question: str) -> None:
    assert "translated" not in english.query(question).text


def test_a_vault_with_notes_in_the_language_is_searched_as_asked(
    english: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(languages, "_SHARE", -1)  # no notes at all are more than that
    assert "translated" not in english.query("Wie reinige ich die Kette vor dem Winter?").text


def test_tokens_stand_for_words_and_parts_of_words() -> None:
    if not embedders._has_english():
        pytest.skip("the packages of the model are missing")
    model: Any = embedders.load(Choice(packaged="multilingual"))
    [tokens] = model.tokens(["anchors rustproofing"])
    assert model.words_of(tokens)[0] in ("anchor", "anchors")
    assert "" in model.words_of(tokens)

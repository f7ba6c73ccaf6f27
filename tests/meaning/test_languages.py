"""Two models, one of English and one of other languages: the second one works where it is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.answered import ranked
from tests.meaning.conftest import Installed, Opened, meaning_of
from vaulttools import Vault
from vaulttools.meaning import languages as module
from vaulttools.meaning.embedders import Choice
from vaulttools.meaning.languages import Meaning

ENGLISH = {f"{number}.md": f"This is note {number}, and it is about the cat and the rain.\n" for number in range(30)}
GERMAN = "Das ist eine Notiz, und sie ist nicht auf Englisch, weil es um die Katze und den Regen geht.\n"


def kept(vault: Vault) -> tuple[int, int]:
    """The numbers of vectors of the first and of the second model."""
    meaning = meaning_of(vault)
    assert meaning.other is not None
    return meaning.main.status().passages, meaning.other.status().passages


@pytest.mark.parametrize(("german", "is_needed"), [(0, False), (1, True), (10, True)])
def test_the_second_model_embeds_where_notes_are_in_other_languages(
    german: int, is_needed: bool, installed: Installed
) -> None:
    vault = installed({**ENGLISH, **{f"Notiz {number}.md": f"{GERMAN}{number}\n" for number in range(german)}})
    assert vault.wait_for_meaning(timeout=60)
    count = len(ENGLISH) + german
    assert kept(vault) == (count, count if is_needed else 0)


def test_a_few_lists_that_look_like_another_language_are_not_enough(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SHARE", 0.05)
    vault = installed({**ENGLISH, "Notiz.md": GERMAN})
    assert vault.wait_for_meaning(timeout=60)
    assert kept(vault)[1] == 0


def test_the_second_model_begins_with_the_first_question_in_another_language(installed: Installed) -> None:
    vault = installed(ENGLISH)
    vault.wait_for_meaning(timeout=60)
    vault.query(query="where is the cat when it rains")
    assert vault.wait_for_meaning(timeout=60)
    assert kept(vault)[1] == 0
    vault.query(query="wo ist die Katze, wenn es regnet")
    assert vault.wait_for_meaning(timeout=60)
    assert kept(vault)[1] == len(ENGLISH)


def test_a_vault_in_another_language_alone_is_embedded_to_the_end(installed: Installed) -> None:
    vault = installed({f"Notiz {number}.md": f"{GERMAN}{number}\n" for number in range(5)})
    assert vault.wait_for_meaning(timeout=15)
    assert kept(vault)[1] == 5
    assert ranked(vault.query(query="wo ist die Katze, wenn es regnet")).by_words_alone == 0


def test_a_configured_embedder_does_all_languages(embedding: Opened) -> None:
    meaning = meaning_of(embedding({**ENGLISH, "Notiz.md": GERMAN}))
    assert meaning.other is None
    assert not meaning.asked_in({"de"})


@pytest.mark.parametrize(
    ("languages", "is_other"), [(set(), False), ({"en"}, False), ({"de", "en"}, False), ({"de"}, True), ({"fr"}, True)]
)
def test_a_question_goes_to_the_second_model_when_it_cannot_be_in_english(
    languages: set[str], is_other: bool, tmp_path: Path
) -> None:
    meaning = Meaning(Choice(), lambda: tmp_path, lambda: None)
    assert meaning.asked_in(languages) == is_other

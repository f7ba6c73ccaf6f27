"""`query` with `like`: notes that are near another one, by its words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.answered import ranked
from tests.conftest import MakeVault
from vaulttools import Vault, VaultToolsError

NOTES = {
    "Garden/Tomatoes.md": "# Tomatoes\n\nBlight spoils tomatoes in wet summers. Mulch with straw in July.\n",
    "Garden/Blight.md": "Blight is a mould. It takes tomatoes and potatoes in wet summers.\n",
    "Garden/Potatoes.md": "Potatoes want straw mulch; blight comes in July. See [[Tomatoes]].\n",
    "Garden/Copy of blight.md": "Blight is a mould. It takes tomatoes and potatoes in wet summers.\n",
    "Boat/Keel.md": "Keel bolts rust. Torque them to 90 Nm before the season.\n",
    "Boat/Plan.md": "# Winter\n\nHaul the boat out.\n\n# Keel\n\nCheck the keel bolts, and torque them again.\n",
}


@pytest.fixture
def vault(make_vault: MakeVault) -> Iterator[Vault]:
    with make_vault(NOTES) as made:
        yield made


def test_notes_with_its_words_are_found_copies_folded_and_the_note_itself_is_not(vault: Vault) -> None:
    answer = ranked(vault.query(like="Garden/Tomatoes.md"))
    assert [note.path for note in answer.notes] == ["Garden/Potatoes.md", "Garden/Blight.md"]
    assert answer.text.startswith("Showing ")
    assert " like Garden/Tomatoes.md, best first." in answer.text
    assert "Boat/Keel.md" not in answer.text
    assert answer.notes[1].passages[0].copies == ["Garden/Copy of blight.md"]


def test_each_note_says_whether_it_is_linked_already(vault: Vault) -> None:
    answer = ranked(vault.query(like="Tomatoes"))
    alone = ranked(vault.query(like="Tomatoes", unlinked=True))
    linked = {note.path: note.linked for note in answer.notes}
    assert linked == {"Garden/Potatoes.md": True, "Garden/Blight.md": False}
    assert "## Garden/Potatoes.md (linked)" in answer.text
    assert [note.path for note in alone.notes] == ["Garden/Blight.md"]


def test_a_heading_limits_what_is_compared(vault: Vault) -> None:
    assert [note.path for note in vault.query(like="Boat/Plan.md#Keel").notes] == ["Boat/Keel.md"]


@pytest.mark.parametrize(
    ("kin", "text"),
    [("Garden/Mould.md", "Tomatoes in summers\n"), ("Mould.md", "Tomatoes in summers #garden/pests\n")],
    ids=["in its folder", "with a rare tag of it"],
)
def test_of_notes_equally_near_the_one_of_the_same_kin_comes_first(kin: str, text: str, make_vault: MakeVault) -> None:
    seed = NOTES["Garden/Tomatoes.md"] + "#garden/pests\n"
    others = {f"Other/{number}.md": "Nothing alike at all.\n" for number in range(6)}
    notes = {"Garden/Tomatoes.md": seed, "Aside/Mould.md": "Tomatoes in summers\n", kin: text}
    with make_vault(notes | others) as vault:
        assert vault.query(like="Garden/Tomatoes.md").notes[0].path == kin


def test_filters_hold_as_ever(vault: Vault) -> None:
    answer = vault.query(like="Garden/Tomatoes.md", glob="**/Pot*")
    assert [note.path for note in answer.notes] == ["Garden/Potatoes.md"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "query must be a question or words; or give like, a note to compare others with"),
        ({"query": "blight", "like": "Tomatoes"}, "query and like exclude each other: give one of them"),
        ({"query": "blight", "unlinked": True}, "unlinked goes with like: a note to compare others with"),
        ({"like": "Tomatoes", "mode": "obsidian"}, "like works in mode ranked only"),
    ],
)
def test_conflicting_arguments_are_refused(vault: Vault, arguments: dict[str, object], sentence: str) -> None:
    assert vault.call("query", arguments).text == sentence


def test_a_missing_note_is_named(vault: Vault) -> None:
    with pytest.raises(VaultToolsError, match="Cucumbers"):
        vault.query(like="Cucumbers")


@pytest.mark.parametrize("text", ["", " \n\n", "---\nstatus: new\n---\n"])
def test_an_empty_note_is_compared_by_its_name_alone_and_says_so(make_vault: MakeVault, text: str) -> None:
    vault = make_vault({"Sub/Keel.md": text, "bolts.md": "Bolts rust.\n"})
    sentence = "No notes found: Sub/Keel.md has no text, so only its name was compared."
    assert vault.query(like="Keel").text == sentence
    (vault.path / "bolts.md").write_text("Keel bolts rust.\n", encoding="utf-8")
    assert [note.path for note in vault.query(like="Keel").notes] == ["bolts.md"]


def test_what_is_passed_over_is_reported_once(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "bees and hives", "b.md": "hives of bees", "out.txt": "x", "bin.md": "a\0b"})
    found = [each for each in vault.query(like="a.md").notices if "bin.md" in each]
    assert [each for each in found if "(bin.md)" not in each] == []

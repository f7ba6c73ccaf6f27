"""`also`: other wordings of a question, in one ranking with it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.answered import ranked
from tests.conftest import MakeVault
from vaulttools import BadArgument, Vault
from vaulttools.ranked import question

FILES = {
    "Shed.md": "The garden light goes out after nine hours; the solar cell is weak.\n",
    "Garten.md": "Die Lampe im Beet brennt neun Stunden.\n",
    "Lamp.md": "The lamp on the desk has a new bulb.\n",
    "Tags.md": "#house\nA ladder leans on the wall.\n",
}
TOOLS = {"query": "query", "context": "question"}


def paths(vault: Vault, tool: str, asked: str, **arguments: object) -> list[str]:
    result = vault.call(tool, {TOOLS[tool]: asked, **arguments})
    assert not result.is_error, result.text
    found = result.details["notes" if tool == "query" else "passages"]
    return list(dict.fromkeys(each["path"] for each in found))


@pytest.mark.parametrize("tool", TOOLS)
def test_a_wording_finds_what_the_question_does_not(tool: str, make_vault: MakeVault) -> None:
    vault = make_vault(FILES)
    assert "Shed.md" not in paths(vault, tool, "how long does the lamp last")
    found = paths(vault, tool, "how long does the lamp last", also=["garden light hours", "Lampe im Beet Stunden"])
    assert {"Shed.md", "Garten.md"} <= {*found}


def test_words_of_all_wordings_count_alike(make_vault: MakeVault) -> None:
    vault = make_vault(FILES)
    [one] = ranked(vault.query("ladder", also=["wall"])).notes
    [other] = ranked(vault.query("wall", also=["ladder"])).notes
    [joined] = ranked(vault.query("wall ladder")).notes
    assert one.path == other.path == "Tags.md"
    assert one.score == other.score == joined.score


def test_one_text_is_a_list_of_one_and_wordings_without_words_are_passed_over(make_vault: MakeVault) -> None:
    vault = make_vault(FILES)
    expected = vault.query("lamp", also=["garden light"]).notes
    assert vault.call("query", {"query": "lamp", "also": "garden light"}).details["notes"] == [
        each.model_dump(mode="json") for each in expected
    ]
    assert vault.query("lamp", also=["", "?!", "garden light"]).notes == expected
    assert vault.query("lamp", also=["", "?!"]).notes == vault.query("lamp").notes


def test_operators_without_words_are_ranked_by_a_wording(make_vault: MakeVault) -> None:
    assert paths(make_vault(FILES), "query", "tag:house", also=["lamp", "ladder wall"]) == ["Tags.md"]


@pytest.mark.parametrize("arguments", [{"query": "lamp", "mode": "obsidian"}, {"like": "Lamp.md"}], ids=str)
def test_an_empty_list_of_wordings_is_none(arguments: dict[str, object], make_vault: MakeVault) -> None:
    vault = make_vault(FILES)
    assert vault.call("query", {**arguments, "also": []}) == vault.call("query", arguments)


def test_nothing_is_said_of_words_that_only_a_wording_has(make_vault: MakeVault) -> None:
    vault = make_vault(FILES)
    answer = vault.query("lamp bulb", also=["xylophone zebra", "labm"])
    assert "xylophone" not in answer.text
    assert "labm" not in answer.text
    assert answer.text.split("\n")[0] == vault.query("lamp bulb").text.split("\n")[0]


def test_each_wording_has_the_light_words_of_its_own_language() -> None:
    read = question.read("how long does the lamp last", ("wie lange brennt die Lampe", "the lamp"))
    assert [term.text for term in read.terms] == ["long", "lamp", "last", "lange", "brennt", "Lampe"]
    assert read.own == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"query": "a", "mode": "obsidian", "also": ["b"]}, "also works in mode ranked only"),
        ({"like": "Lamp.md", "also": ["b"]}, "also goes with query: it holds other wordings of a question"),
        ({"query": "a", "also": ["b"] * 9}, "also must be at most 8 texts of at most 500 characters each"),
        ({"query": "a", "also": ["b" * 501]}, "also must be at most 8 texts of at most 500 characters each"),
        ({"query": "a", "also": 5}, "also must be a list of texts, got 5"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_wrong_argument_gets_one_sentence(arguments: dict[str, object], sentence: str, make_vault: MakeVault) -> None:
    vault = make_vault(FILES)
    assert vault.call("query", arguments).text == sentence
    with pytest.raises(BadArgument):
        vault.answer("query", arguments)


def test_the_command_line_takes_the_option_several_times(make_vault: MakeVault) -> None:
    vault = make_vault(FILES)
    command = [sys.executable, "-P", "-m", "vaulttools", "--vault", str(vault.path), "query", "lamp desk"]
    shown = subprocess.run(
        [*command, "--also", "garden light", "--also", "Beet Stunden"], capture_output=True, text=True, check=True
    ).stdout
    assert "## Shed.md" in shown
    assert "## Garten.md" in shown

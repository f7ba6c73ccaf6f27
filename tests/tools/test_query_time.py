"""`query` on time: the period that a question names, the latest state, questions of two halves."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.answered import ranked
from tests.conftest import MakeVault, on_a_known_disk
from tests.ranked.ranking import index_being_built
from vaulttools import Vault
from vaulttools.core.dates import Calendar
from vaulttools.index.background import BackgroundIndex

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
"""A Sunday."""

LOG = "# Orchard\n\n" + "\n".join(
    f"- 2026-{month:02}-{day:02} pruned the {tree} tree, {word} of it, and swept the path behind the barn until dark,"
    f" the ladder was borrowed again, {word} times, from the people at the mill"
    for month, day, tree, word in [
        (2, 3, "plum", "half"),
        (3, 9, "pear", "most"),
        (5, 20, "plum", "little"),
        (8, 5, "plum", "all"),
        (9, 1, "quince", "none"),
        (12, 24, "plum", "some"),
    ]
)
NOTES: dict[str, str | bytes] = {
    "Diary/2026-08-03.md": "Walked to the mill. The stove smoked.\n",
    "Diary/2026-08-05.md": "Rain. Baked bread with Ada.\n",
    "Diary/2026-08-09.md": "The stove smoked again.\n",
    "Diary/2026-10-31.md": "Lit the lanterns with Ada.\n",
    "Orchard.md": LOG,
    "Stove.md": "# Stove\n\nThe stove smoked whenever the wind came from the east: the stove wants a longer flue.\n",
    "Doctor/2024.md": "---\ndate: 2024-05-02\n---\nOur doctor is Pim Vos, who plays chess and has no telephone.\n",
    "Doctor/2026.md": "---\ndate: 2026-02-11\n---\nOur doctor is Ines Roth, on Tuesdays alone, beside the baths.\n",
    "Archive/Doctor.md": "---\ndate: 2026-09-30\n---\nOur doctor is Abe Lind, he wants to be paid in eggs.\n",
    "Roof/a.md": "---\ndate: 2026-11-20\n---\nThe sweep comes at nine with his son.\n",
    "Roof/b.md": "---\ndate: 2027-05-20\n---\nThe sweep comes when the swifts are back.\n",
    "Roof/c.md": "---\ndate: 2026-05-20\n---\nThe sweep comes late, covered in soot.\n",
    "Price/new.md": "---\ndate: 2025-01-01\nstatus: accepted\n---\nA jar of honey costs six.\n",
    "Price/old.md": "---\ndate: 2025-06-01\nstatus: superseded\n---\nA jar of honey costs five, said the keeper.\n",
}


@pytest.fixture
def vault(make_vault: MakeVault) -> Vault:
    made = make_vault(NOTES)
    vars(made._opened)["calendar"] = Calendar(NOON.timestamp, UTC, 0)
    return made


def paths(vault: Vault, question: str, **arguments: Any) -> list[str]:
    return [note.path for note in vault.query(question, **arguments).notes]


def test_a_question_about_a_period_alone_gets_its_notes_in_order_of_time(vault: Vault) -> None:
    answer = ranked(vault.query("what happened in the week of 3 August 2026?"))
    week = ["Diary/2026-08-03.md", "Diary/2026-08-05.md", "Orchard.md", "Diary/2026-08-09.md"]
    assert answer.text.startswith(
        'Showing 4 notes, in order of time. Read "the week of 3 August 2026" as 3 to 9 August 2026.\n'
    )
    assert [note.path for note in answer.notes][:4] == week
    assert (answer.period, answer.weak) == (["2026-08-03", "2026-08-09"], False)
    assert "2026-08-05 pruned the plum tree" in answer.text


@pytest.mark.parametrize("question", ["what did I do last week", "was habe ich letzte Woche gemacht"])
def test_the_word_last_of_a_period_asks_for_no_newest_note(question: str, make_vault: MakeVault) -> None:
    days = [f"2026-10-{day}" for day in (20, 22, 25)]
    vault = make_vault({f"{day}.md": f"Swam {day[-2:]} lengths.\n" for day in days})
    vars(vault._opened)["calendar"] = Calendar(NOON.timestamp, UTC, 0)
    found = [note.date for note in ranked(vault.query(question)).notes]
    assert found[: len(days)] == days


def test_notes_after_those_of_a_period_are_not_counted_among_them(vault: Vault) -> None:
    question = "what happened in the week of 3 August 2026?"
    assert vault.query(question, limit=2).text.startswith("Showing 2 notes, in order of time. ")
    assert vault.query(question, limit=2, page=3).text.startswith(
        "Showing 2 notes, those of the period in order of time, then others. "
    )


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("when did the stove smoke in the week of 3 August 2026?", {"Diary/2026-08-03.md", "Diary/2026-08-09.md"}),
        ("who was with me yesterday?", {"Diary/2026-10-31.md"}),
        ("mit wem war ich gestern?", {"Diary/2026-10-31.md"}),
        ("which plum did I prune in May 2026?", {"Orchard.md"}),
    ],
)
def test_the_notes_of_a_period_come_first_and_no_other_is_left_out(
    vault: Vault, question: str, first: set[str]
) -> None:
    found = paths(vault, question)
    assert set(found[: len(first)]) == first
    if "stove" in question:
        assert "Stove.md" in found


def test_a_log_shows_what_it_says_of_the_period(vault: Vault) -> None:
    text = vault.query("which tree was pruned in August 2026?", max_chars=900).text
    assert "2026-08-05 pruned the plum tree" in text


@pytest.mark.parametrize(
    "question", ['when did the stove smoke in "the week of 3 August 2026"?', "when did the stove smoke?"]
)
def test_a_question_without_a_period_gets_none(vault: Vault, question: str) -> None:
    answer = ranked(vault.query(question))
    assert answer.period is None
    assert "Read " not in answer.text
    assert answer.notes[0].path == "Stove.md"


def test_another_order_is_kept(vault: Vault) -> None:
    answer = ranked(vault.query("the stove in August 2026", sort="name"))
    assert answer.period is None
    assert [note.title.casefold() for note in answer.notes] == sorted(note.title.casefold() for note in answer.notes)


@on_a_known_disk
def test_a_period_is_found_in_texts_before_the_index_is_ready(vault: Vault) -> None:
    with index_being_built():
        answer = vault.query("diesen Monat", folder="Roof")
        assert [note.path for note in answer.notes] == ["Roof/a.md"]
        assert answer.complete


def test_days_that_are_not_read_yet_are_not_taken_for_empty_ones(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BackgroundIndex, "view", lambda *_, **__: None)
    for tool, arguments in (("query", {"query": "diesen Monat"}), ("context", {"question": "diesen Monat"})):
        result = vault.call(tool, {**arguments, "folder": "Roof"})
        assert result.text.startswith("Part of the answer: days are read from names alone so far.")
        assert "No notes found so far." in result.text
        assert "is dated then" not in result.text
        assert not result.details["complete"]


def test_a_period_without_notes_changes_no_order_and_is_called_so(vault: Vault) -> None:
    answer = ranked(vault.query("when did the stove smoke in March 2019?"))
    assert answer.period == ["2019-03-01", "2019-03-31"]
    assert answer.notes[0].path == "Stove.md"
    assert ' Read "March 2019" as 1 to 31 March 2019. No note that was searched is dated then.' in answer.text
    assert answer.notices[0] == "No note that was searched is dated then."
    assert "No note that was searched is dated then." in vault.context("when did the stove smoke in March 2019?").text


def test_a_folder_without_notes_of_a_period_is_called_so(vault: Vault) -> None:
    assert "No note that was searched is dated then." in vault.query("the stove yesterday", folder="Roof").text
    assert "No note that was searched is dated then." not in vault.query("who was with me yesterday?").text


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("who is our doctor now", ["Doctor/2026.md", "Doctor/2024.md"]),
        ("who is our current doctor", ["Doctor/2026.md", "Doctor/2024.md"]),
        ("wer ist derzeit unser doctor", ["Doctor/2026.md", "Doctor/2024.md"]),
        ("what does a jar of honey cost these days", ["Price/new.md", "Price/old.md"]),
        ("when does the sweep come next", ["Roof/a.md", "Roof/b.md", "Roof/c.md"]),
        ("when did the sweep last come", ["Roof/c.md"]),
    ],
)
def test_the_newest_comes_first_where_it_is_asked_for(vault: Vault, question: str, order: list[str]) -> None:
    found = paths(vault, question)
    assert found[: len(order)] == order


def test_the_newest_entry_of_a_log_comes_first(vault: Vault) -> None:
    answer = vault.query("when did I last prune the plum tree", max_chars=700)
    assert "2026-08-05 pruned the plum tree" in answer.text


def test_context_says_how_a_period_was_understood(vault: Vault) -> None:
    answer = vault.context("what happened in the week of 3 August 2026?")
    assert 'Read "the week of 3 August 2026" as 3 to 9 August 2026.' in answer.text
    assert answer.passages[0].path == "Diary/2026-08-03.md"


def test_both_halves_of_a_question_find_their_notes(make_vault: MakeVault) -> None:
    filler = {f"Filler/{number}.md": f"Nothing of note, number {number}." for number in range(30)}
    notes = {
        "Insurance.md": "The concertina is insured for 4,800, a concertina policy of the insurance.",
        "Insurance of the van.md": "The concertina rides in the van, which is insured.",
        "Will.md": "Iker inherits it.",
    }
    vault = make_vault({**filler, **notes})
    found = paths(vault, "how is the concertina insured, and what does Iker inherit from me?")
    assert found[:2] == ["Insurance.md", "Will.md"]

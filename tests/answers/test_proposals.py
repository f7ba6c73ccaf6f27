"""Proposed calls: questions that ask for a list in the vault's own words, and the calls that make the list."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from tests.answered import ranked
from tests.conftest import MakeVault
from tests.ranked.ranking import index_being_built
from vaulttools import Vault, tools
from vaulttools.answers import all_notes, known_names
from vaulttools.answers.known_names import KnownNames
from vaulttools.answers.proposals import Proposal, asks_for_list, proposal
from vaulttools.call import Call
from vaulttools.core.work import Work
from vaulttools.tools import base
from vaulttools.tools.base import BaseAnswer, BaseRequest

DAY = date(2026, 11, 1)


def book(rating: int, read: str, *tags: str, more: str = "") -> str:
    return f"---\nrating: {rating}\nread: {read}\n{more}tags: [{', '.join(('book', *tags))}]\n---\nA book.\n"


def decision(status: str, who: str = "Ann Lee") -> str:
    return f'---\ntype: decision\nstatus: {status}\nwith: ["{who}"]\n---\nWe decide.\n'


NOTES: Mapping[str, str] = {
    "Books/Ash.md": book(5, "2026-03-01"),
    "Books/Birch.md": book(5, "2025-06-01", "to-lend"),
    "Books/Cedar.md": book(3, "2026-07-01", more="lent_to: Cy\n"),
    "Decisions/D1.md": decision("superseded"),
    "Decisions/D2.md": decision("accepted"),
    "Decisions/D3.md": decision("accepted", "Bo"),
    "Films/Dawn.md": "---\nrating: 5\ntype: film\n---\nA film.\n",
    "Meetings/2026-03-05.md": "We met.",
    "Meetings/2026-04-02.md": "We met again.",
    "Jobs.md": (
        "- [ ] plant garlic 📅 2026-11-08 #garden\n- [ ] pay rent 📅 2026-12-01\n- [ ] late 📅 2026-10-01\n"
        "- [x] lift potatoes 📅 2026-09-12 ✅ 2026-09-12 #garden\n"
    ),
}


@pytest.fixture
def vault(make_vault: MakeVault) -> Vault:
    return make_vault(NOTES)


@pytest.fixture
def known(vault: Vault) -> KnownNames:
    call, _ = all_notes.awaited(Call(vault.session, Work()))
    return known_names.of(call)


def proposed(question: str, known: KnownNames) -> Proposal | None:
    return proposal(question, known, DAY) if asks_for_list(question) else None


def listed(question: str, known: KnownNames, vault: Vault) -> tuple[str, object, int] | None:
    """The tool, its condition or its arguments, and the number of rows that it finds."""
    found = proposed(question, known)
    if found is None:
        return None
    answer: Any = getattr(vault, found.tool)(**found.arguments)
    return found.tool, found.arguments.get("where", found.arguments), answer.total


@pytest.mark.parametrize(
    ("question", "where", "rows"),
    [
        ("Which books did I give a 5?", 'file.hasTag("book") && rating == 5', 2),
        ("all books with a rating of 5", 'file.hasTag("book") && rating == 5', 2),
        ("Which notes have a rating of 3?", "rating == 3", 1),
        ("how many decisions have the status superseded", 'type == "decision" && status == "superseded"', 1),
        ("Which accepted decisions are there?", 'status == "accepted" && type == "decision"', 2),
        ("Which decisions are accepted?", 'type == "decision" && status == "accepted"', 2),
        ("which decisions with Bo", 'type == "decision" && list(with).contains("Bo")', 1),
        ("which notes have the status superseded", 'status == "superseded"', 1),
        ("Which notes are tagged to-lend?", 'file.hasTag("to-lend")', 1),
        ("which notes have #to-lend", 'file.hasTag("to-lend")', 1),
        ("Welche Notizen haben das Schlagwort book?", 'file.hasTag("book")', 3),
        ("Quelles notes ont l'étiquette book ?", 'file.hasTag("book")', 3),
        ("list every film", 'type == "film"', 1),
        ("which notes have the property rating", 'file.hasProperty("rating")', 4),
        ("which books have the property lent to", 'file.hasProperty("lent_to") && file.hasTag("book")', 1),
    ],
)
def test_notes_are_listed_by_the_names_and_values_of_the_vault(
    question: str, where: str, rows: int, known: KnownNames, vault: Vault
) -> None:
    assert listed(question, known, vault) == ("base", where, rows)


def test_a_number_is_compared_as_a_number_however_it_is_spelled(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "---\ncode: 007\n---\n", "b.md": "---\ncode: 7\n---\n", "c.md": "---\ncode: x\n---\n"})
    call, _ = all_notes.awaited(Call(vault.session, Work()))
    spelled = known_names.of(call)
    assert spelled.values["007"] == {"code": "code == 7"}
    assert listed("which notes have the code 007", spelled, vault) == ("base", "code == 7", 2)


@pytest.mark.parametrize(
    ("question", "arguments", "rows"),
    [
        ("to-dos that are due in November 2026", {"due_after": "2026-11-01", "due_before": "2026-12-01"}, 1),
        ("Which tasks are due before 10 November?", {"due_before": "2026-11-10"}, 2),
        ("Which tasks tagged garden are open?", {"tags": ["garden"]}, 1),
        ("What is still open under my tag garden?", {"tags": ["garden"]}, 1),
        ("tasks due between 5 and 10 November 2026", {"due_after": "2026-11-05", "due_before": "2026-11-11"}, 1),
        ("all open to-dos", {"status": "open"}, 3),
        ("which tasks with #garden are done", {"status": "done", "tags": ["garden"]}, 1),
        (
            "which tasks were finished in September 2026",
            {"done_after": "2026-09-01", "done_before": "2026-10-01"},
            1,
        ),
        ("Welche Aufgaben sind im Dezember 2026 fällig?", {"due_after": "2026-12-01", "due_before": "2027-01-01"}, 1),
        ("¿Qué tareas vencen en diciembre de 2026?", {"due_after": "2026-12-01", "due_before": "2027-01-01"}, 1),
    ],
)  # fmt: skip
def test_tasks_are_listed_by_their_dates_tags_and_states(
    question: str, arguments: Mapping[str, Any], rows: int, known: KnownNames, vault: Vault
) -> None:
    assert listed(question, known, vault) == ("tasks", arguments, rows)


@pytest.mark.parametrize(
    "question",
    [
        "Which tree is the tallest in the books?",
        "How do I give a 5 to a book?",
        "Which decisions about the roof have the status accepted?",  # "roof" is not understood
        "What is the status of the garden?",
        "books",
        "which tasks",
        "which books are on a list of open tasks that are done",
        "Which decisions will Bo attend?",
        "Which decisions did Bo present?",
        "which notes are accepted or superseded",
        "which 5 books are there",
        "what is accepted",
        "the accepted wisdom of all decisions on superseded books",
        "Which books did I give a 5 in 2026?",  # the year may date the book or the reading
        "Which notes are tagged nowhere?",
        "tasks due on 31 February 2026",
        "",
    ],
)
def test_a_partly_understood_question_proposes_nothing(question: str, known: KnownNames, vault: Vault) -> None:
    assert listed(question, known, vault) is None


LAST = re.compile(r"\[For a complete list: (.*)\]\Z")


def closing(vault: Vault, question: str, **arguments: Any) -> tuple[str | None, Sequence[Any]]:
    found = ranked(vault.query(question, **arguments))
    last = LAST.search(found.text)
    return last and last[1], [each.model_dump() for each in found.proposed_calls or ()]


def test_an_answer_ends_with_the_call_that_lists_all(vault: Vault) -> None:
    arguments: dict[str, Any] = {"where": 'type == "decision" && status == "superseded"', "columns": ["file.name"]}
    line, calls = closing(vault, "how many decisions have the status superseded")
    assert line == (
        r'base {"where": "type == \"decision\" && status == \"superseded\"", "columns": ["file.name"]} (1 row)'
    )
    assert calls == [{"tool": "base", "arguments": arguments}]
    assert [row.path for row in vault.base(**arguments).rows] == ["Decisions/D1.md"]


def test_a_proposed_call_keeps_the_filters_of_the_question(vault: Vault) -> None:
    _, calls = closing(vault, "which notes have a rating of 5", folder="Films")
    assert calls == [
        {"tool": "base", "arguments": {"where": "rating == 5", "columns": ["file.name"], "folder": "Films"}}
    ]
    assert closing(vault, "which notes have a rating of 5", folder="Decisions") == (None, [])
    assert closing(vault, "which notes have a rating of 5", glob="Films/**") == (None, [])
    assert closing(vault, "which notes have a rating of 5", tags=["book"]) == (None, [])
    _, calls = closing(vault, "which tasks are due in December 2026", glob="*.md")
    assert calls[0]["arguments"] == {"due_after": "2026-12-01", "due_before": "2027-01-01", "glob": "*.md"}


def test_an_ordinary_question_ends_without_a_call(vault: Vault) -> None:
    assert closing(vault, "what do we decide") == (None, [])
    assert closing(vault, 'which notes have a rating of 5 path:"Books"') == (None, [])


def test_the_rows_of_a_list_come_before_the_notes(vault: Vault) -> None:
    found = ranked(vault.query("which notes have a rating of 5"))
    assert found.text.split("\n")[2:6] == [
        "The whole list, 3 rows:",
        "- Books/Ash.md: rating: 5",
        "- Books/Birch.md: rating: 5",
        "- Films/Dawn.md: rating: 5",
    ]
    assert next(row.model_dump() for row in found.listed or ()) == {
        "path": "Books/Ash.md",
        "line": None,
        "text": "rating: 5",
    }
    assert found.listed_total == 3
    assert found.weak is False


def test_tasks_are_listed_as_their_notes_write_them(vault: Vault) -> None:
    found = ranked(vault.query("to-dos due in November 2026"))
    assert "The whole list, 1 row:\n- Jobs.md:1: - [ ] plant garlic 📅 2026-11-08 #garden\n" in found.text
    assert [(row.path, row.line) for row in found.listed or ()] == [("Jobs.md", 1)]
    assert [row.line for row in ranked(vault.query("which tasks are still open")).listed or ()] == [3, 1, 2]


def test_a_long_list_says_how_much_of_it_is_shown(make_vault: MakeVault) -> None:
    vault = make_vault({f"Books/{number:02}.md": book(5, "2026-03-01") for number in range(25)})
    found = ranked(vault.query("Which books did I give a 5?"))
    assert "The first 20 of 25 rows:\n- Books/00.md: rating: 5\n" in found.text
    assert (len(found.listed or ()), found.listed_total) == (20, 25)
    assert len(vault.query("Which books did I give a 5?", max_chars=500).text) <= 500


@pytest.mark.parametrize(
    "question",
    [
        "which books do not have a rating of 5",
        "Which decisions are not superseded?",
        "which decisions don't have the status superseded",
        "which notes have a rating of 5 except books",
        "which notes without the tag book",
        "which notes are not tagged book",
        "which tasks are not due in November 2026",
        "all books but those with a rating of 5",
        "Welche Notizen haben nicht das Schlagwort book?",
        "Quelles notes n'ont pas l'étiquette book ?",
        "which notes have a rating of -3",
        "which notes have a rating between 3",
        "which notes have a rating not above 3",
        "Which tasks did I write down in November 2026?",
        "which notes have a rating under 4",
        "which notes have a rating over 3",
        "which notes have a rating of 4+",
        "which notes have a rating >= 4",
        "which notes have a rating of no more than 5",
        "which notes have a rating of at least 3",
        "which notes have a rating of 5 or fewer",
        "Which books got a 3 or less?",
    ],
)
def test_a_negated_or_compared_value_proposes_nothing(question: str, known: KnownNames) -> None:
    assert proposed(question, known) is None


def test_a_value_is_listed_in_every_spelling(make_vault: MakeVault) -> None:
    vault = make_vault(
        {"a.md": decision("done"), "b.md": decision("Done"), "c.md": "---\ntype: decision\nwith: Ann Leeds\n---\n"}
    )
    found = ranked(vault.query("which decisions have the status done"))
    assert [row.path for row in found.listed or ()] == ["a.md", "b.md"]
    found = ranked(vault.query("which decisions are with Ann Lee"))  # a list in some notes and a text in others
    assert [row.path for row in found.listed or ()] == ["a.md", "b.md"]


@pytest.mark.parametrize(
    ("value", "others"),
    [
        ("C", ["C++", "C#"]),
        (5, [-5, "−5", "5%", "~5", ">5", "5*", "€5"]),
        ("on-call", ["on-call*", "@on-call"]),
    ],
)
def test_a_value_that_differs_in_a_sign_is_another_one(
    value: object, others: list[object], make_vault: MakeVault
) -> None:
    files = {f"{number}.md": f"---\nlevel: {json.dumps(each)}\n---\n" for number, each in enumerate([value, *others])}
    vault = make_vault(files)
    found = ranked(vault.query(f"which notes have the level {value}"))
    assert [row.path for row in found.listed or ()] == ["0.md"]
    assert all(not ranked(vault.query(f"which notes have the level {each}")).listed for each in others)


def test_a_property_with_two_spellings_proposes_nothing(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "---\nlent_to: Cy\ntags: [book]\n---\n", "b.md": "---\nlent to: Bo\n---\n"})
    assert ranked(vault.query("Which notes have the property lent to?")).proposed_calls == []


def test_a_value_that_two_properties_have_proposes_nothing_until_one_is_named(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "---\ntype: book\nby: Bo\n---\n", "b.md": "---\ntype: book\nlender: Bo\n---\n"})
    assert ranked(vault.query("which books have Bo")).proposed_calls == []
    assert [row.path for row in ranked(vault.query("which books have the lender Bo")).listed or ()] == ["b.md"]


def test_a_property_with_odd_signs_is_listed(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "---\n'{score} of': \"[[Ann|A]]\"\n---\n", "Ann.md": "Ann"})
    assert [row.path for row in ranked(vault.query("which notes have the score of Ann A")).listed or ()] == ["a.md"]


@pytest.mark.parametrize("place", range(9))
def test_one_unknown_word_anywhere_means_no_list(place: int, known: KnownNames) -> None:
    words = ["how", "many", "books", "did", "I", "give", "a", "5"]
    assert proposed(" ".join(words), known) is not None
    assert proposed(" ".join((*words[:place], "gladly", *words[place:])), known) is None


def test_a_property_may_have_the_name_of_a_stop_word(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "---\nrating: 4\n---\n", "b.md": "---\nrating: 3\nnote: x\n---\n"})
    found = ranked(vault.query("which notes have the property rating"))
    assert [row.path for row in found.listed or ()] == ["a.md", "b.md"]


@pytest.mark.parametrize(
    "question",
    [
        "which projects are not done",
        "which projects are done by Anna",
        "which projects are not finished and owned by Anna",
        "which projects are open or owned by Anna",
        "welche Projekte sind offen oder von Anna",
        "which cars have the status active",
        "welche Autos haben den Status active",
    ],
)
def test_no_list_ignores_a_condition_of_the_question(question: str, make_vault: MakeVault) -> None:
    states = ["open", "done", "active"]
    notes = {f"{state}.md": f"---\ntype: project\nstatus: {state}\nowner: Anna\n---\n" for state in states}
    assert not ranked(make_vault(notes).query(question)).proposed_calls


def test_a_kind_without_a_match_lists_no_notes_of_other_kinds(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "---\ntype: film\nrating: 5\n---\n", "b.md": "---\ntype: book\nrating: 3\n---\n"})
    assert not ranked(vault.query("which books have a rating of 5")).proposed_calls
    assert [row.path for row in ranked(vault.query("which films have a rating of 5")).listed or ()] == ["a.md"]


def test_a_property_decides_a_kind_even_if_other_notes_have_its_tag(make_vault: MakeVault) -> None:
    made = {f"Daily/{day}.md": "---\ntags: incident\n---\n" for day in range(3)}
    vault = make_vault({"Incidents/a.md": "---\ntype: incident\ndate: 2026-03-01\n---\n", **made})
    assert [row.path for row in ranked(vault.query("list every incident")).listed or ()] == ["Incidents/a.md"]


def test_a_list_without_enough_room_is_cut_by_rows_and_keeps_its_call(make_vault: MakeVault) -> None:
    task = "- [ ] " + "carry all of it up to the loft and down again " * 3
    vault = make_vault({"Jobs.md": "".join(f"{task} 📅 2026-11-{day:02}\n" for day in range(1, 19))})
    for characters in (800, 1_000, 2_000, 3_000):
        found = ranked(vault.query("Which tasks are due in November 2026?", max_chars=characters))
        rows = len(re.findall(r"^- Jobs", found.text, re.MULTILINE))
        assert len(found.text) <= characters
        assert found.text.endswith("(18 rows)]")
        assert rows == len(found.listed or ())
        assert 0 < rows < 18
        assert f"The first {rows} of 18 rows:\n" in found.text


@pytest.mark.parametrize(
    ("question", "is_said"),
    [("which notes have a rating of 5", True), ("what do we decide", False), ("all films path:Films", False)],
)
def test_without_the_index_the_answer_says_that_a_complete_list_needs_it(
    vault: Vault, question: str, is_said: bool
) -> None:
    sentence = "There may be more that match: a complete list needs the index."
    with index_being_built():
        found = ranked(vault.query(question))
    assert found.proposed_calls == []
    assert (f"best first. {sentence}" in found.text.split("\n")[0], sentence in found.notices) == (is_said, is_said)
    assert sentence not in vault.query(question).text


def test_a_list_that_runs_out_of_time_is_reported(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    made = base.TOOL.run

    def late(call: Call, request: BaseRequest) -> BaseAnswer:
        call.work.pass_over("late.md", "time limit")
        return made(call, request)

    named = tools.named
    monkeypatch.setattr(tools, "named", lambda name: replace(base.TOOL, run=late) if name == "base" else named(name))
    found = vault.query("which notes have a rating of 5")
    assert "There may be more that match: a complete list takes more time." in found.notices


def test_a_list_answers_even_if_no_passage_does(make_vault: MakeVault) -> None:
    found = make_vault({"a.md": "- [ ] buy milk\n"}).query("all open tasks")
    assert found.text.startswith("The whole list, 1 row:\n- a.md:1: - [ ] buy milk\n")
    assert found.notices[-1].startswith("For a complete list:")

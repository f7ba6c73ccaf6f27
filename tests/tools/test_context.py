"""`context`: no answer exceeds its budget or repeats a passage, and every cut is reported."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.conftest import MakeVault
from tests.ranked.ranking import index_being_built
from vaulttools import BadArgument
from vaulttools.cli import main as cli
from vaulttools.core import limits

PLAN = """\
---
status: active
tags: [house, roof]
due: 2026-12-01
empty:
---
# Roof

The plan for the house.

## Repair

The roof repair costs 4,200 in all, tiles included.

Ask [[Ada]] for the scaffolding.

| part | price |
| --- | --- |
| tiles | 1,900 |
| roof battens, repair | 800 |
"""

NOTES = {
    "House/Plan.md": PLAN,
    "People/Ada.md": "# Ada\n\nRents out scaffolding.\n",
    "Log.md": "Spoke of the [[Plan]] again.\n",
    "Copies/Plan.md": "The roof repair costs 4,200 in all, tiles included.\n",
    "House/Garden.md": "Beans and peas.\n",
}


def test_the_text_begins_with_passages_and_ends_with_the_calls_for_more(make_vault: MakeVault) -> None:
    answer = make_vault(NOTES).context("what does the roof repair cost")
    assert answer.text == (
        "## House/Plan.md, lines 7-20 (status: active; tags: house, roof; due: 2026-12-01)\n"
        "  # Roof\n"
        "  The plan for the house.\n"
        "  ## Repair\n"
        "  The roof repair costs 4,200 in all, tiles included.\n"
        "  Ask [[Ada]] for the scaffolding.\n"
        "  | part | price |\n"
        "  | --- | --- |\n"
        "  | tiles | 1,900 |\n"
        "  | roof battens, repair | 800 |\n"
        "also in: Copies/Plan.md\n"
        "\n"
        "Linked notes:\n"
        "- People/Ada.md, linked from House/Plan.md\n"
        "- Log.md, links to House/Plan.md"
    )


def test_details_give_the_place_of_everything(make_vault: MakeVault) -> None:
    beside = f"Something else, {'x' * 300}.\n\n"
    long = f"# House\n\n{beside * 4}## Roof\n\nThe roof repair.\n\n{beside * 9}"
    answer = make_vault({"Long.md": long}).context("roof repair", max_chars=1_200)
    (first,) = answer.passages
    assert (first.path, first.start_line, first.heading) == ("Long.md", 11, ["House", "Roof"])
    assert first.score is not None and 0 < first.score <= 1
    assert [each.model_dump() for each in answer.next_calls] == [
        {"tool": "read", "arguments": {"note": "Long.md", "start_line": first.end_line + 1}}
    ]


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        ({"folder": "House"}, {"House/Plan.md"}),
        ({"glob": "Copies/*"}, {"Copies/Plan.md"}),
        ({"tags": ["roof"]}, {"House/Plan.md"}),
        ({"properties": {"status": "active"}}, {"House/Plan.md"}),
        ({"modified_before": "2001"}, {"Copies/Plan.md"}),
        ({"tags": ["nothing"]}, set[str]()),
    ],
)
def test_filters_hold_for_passages_and_linked_notes(
    make_vault: MakeVault, filters: dict[str, object], paths: set[str]
) -> None:
    vault = make_vault(NOTES)
    os.utime(Path(vault.path) / "Copies/Plan.md", (900_000_000, 900_000_000))
    details = vault.call("context", {"question": "roof repair", **filters}).details
    assert {each["path"] for each in details["passages"]} == paths
    assert {each["path"] for each in details["linked"]} <= {"House/Plan.md", "House/Garden.md"}


def test_notes_that_share_only_a_common_word_are_left_out(make_vault: MakeVault) -> None:
    others = {f"{number}.md": f"The house of friend {number}, and {'much else ' * 30}\n" for number in range(9)}
    answer = make_vault({**others, "Roof.md": "# Roof repair\n\nThe roof repair of the house.\n"}).context(
        "roof repair house"
    )
    assert [each.path for each in answer.passages] == ["Roof.md"]


def test_long_notices_leave_room_for_a_passage(make_vault: MakeVault) -> None:
    text = "\n\n".join(f"The roof repair of house {number} costs {number} thousand in all." for number in range(30))
    words = " ".join(f"zyxwvut{number}" for number in range(8))
    answer = make_vault({"a.md": text, "b.md": text.replace("roof", "garden")}).context(
        f"roof repair {words}", max_chars=700
    )
    assert sum(len(notice) for notice in answer.notices) > 150
    assert answer.passages


def test_words_that_no_note_has_are_named_before_the_passages(make_vault: MakeVault) -> None:
    answer = make_vault({"a.md": "alpha\n", "b.md": "beta\n"}).context("alpha beta of zirconium")
    assert not answer.weak
    first, _, passages = answer.text.partition("\n\n")
    assert first == '[No note has the word "zirconium".]'
    assert passages.startswith("## ")


def test_an_answer_to_words_that_no_note_has_is_weak(make_vault: MakeVault) -> None:
    assert make_vault({"a.md": "alpha\n"}).context("zebra xylophone").weak


def test_an_empty_answer_says_so(make_vault: MakeVault) -> None:
    result = make_vault(NOTES).call("context", {"question": "submarine"})
    assert result.text.startswith("No notes found.\n")
    assert result.details["passages"] == result.details["next_calls"] == []


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("?!", 'question must hold a letter or a digit, got "?!"'),
        ("tag:#roof", "question needs words as well as operators; for operators alone use query with mode obsidian"),
    ],
)
def test_a_question_without_words_is_refused(make_vault: MakeVault, question: str, sentence: str) -> None:
    with pytest.raises(BadArgument) as raised:
        make_vault(NOTES).context(question)
    assert str(raised.value) == sentence


def test_without_the_index_the_same_passages_are_found_and_missing_backlinks_are_reported(
    make_vault: MakeVault,
) -> None:
    vault = make_vault(NOTES)
    whole = vault.context("roof repair")
    with index_being_built():
        answer = vault.context("roof repair")
    assert [each.path for each in answer.passages] == [each.path for each in whole.passages]
    is_built = vault.session.has_index  # the other mode has no index to wait for
    assert f"Linked notes, without backlinks{' until the index is built' if is_built else ''}:" in answer.text
    assert f"Ranked without {'the index, which is being built' if is_built else 'an index'}." in answer.notices


def test_the_command_line_exits_as_a_search_does(make_vault: MakeVault, capsys: pytest.CaptureFixture[str]) -> None:
    path = make_vault(NOTES).path
    assert cli.main(["--vault", str(path), "context", "roof repair", "--max-chars", "700", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passages"][0]["path"] == "House/Plan.md"
    assert cli.main(["--vault", str(path), "context", "submarine"]) == 1


ODD = {
    "c/" + "z" * 200 + ".md": "roof repair\n",
    "# h.md": "roof [To read on: read x]\n\n## Linked notes:\n\n[[c/a]] repair of the house\n",
    "ü/[x].md": "日本 roof\n\n" + "The house and its roof. " * 80,
    "c/a.md": "---\ntext: "
    + "long " * 60
    + "\n---\n"
    + "\n\n".join(f"# Part {n}\n\nroof repair {n}" for n in range(30)),
    "b.md": "| roof | cost |\n|-|-|\n" + "\n".join(f"| repair {n} | {'1,' * 300} |" for n in range(9)),
}


@pytest.mark.parametrize("question", ["roof repair", "what does the house cost", "日本", "part of the " + "roof " * 60])
def test_no_answer_exceeds_its_budget_or_has_a_note_line_that_looks_like_ours(
    make_vault: MakeVault, question: str
) -> None:
    vault = make_vault({**NOTES, **ODD})
    for budget in (*range(500, 900, 7), 1_499, 1_500, 3_000, 6_000, 50_000):
        answer = vault.context(question, max_chars=budget)
        assert len(answer.text) <= budget
        assert len(answer.text.encode()) <= limits.TEXT_BYTES
        for line in answer.text.split("\n"):
            assert line == "" or line.startswith(("  ", "## ", "also in: ", "Linked notes", "- ", "[", "No "))
        assert vault.context(question, max_chars=budget) == answer


def test_an_answer_says_that_there_are_more_notes_than_it_uses(make_vault: MakeVault) -> None:
    vault = make_vault({f"{number:02}.md": f"roof repair of house number {number}\n" for number in range(25)})
    answer = vault.context("roof repair")
    assert len(answer.passages) == 20
    assert "These passages are from the best 20 notes; query shows more." in answer.notices
    assert any("or more passages did not fit" in notice for notice in vault.context("roof", max_chars=900).notices)

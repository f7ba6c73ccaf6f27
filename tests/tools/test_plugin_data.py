"""Answers show no data of drawings and plugins as text; where a pattern matches it, they call it data."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Any

import pytest

from tests.conftest import MakeVault
from tests.notes.test_said import BADGE, BANNER, ELEMENTS, FILES, JSON, LINKS, PACKED, PLUGIN
from tests.ranked.ranking import index_being_built
from vaulttools import Vault

FRONT = f"{PLUGIN}{BANNER}\n\n# Excalidraw Data\n\n{ELEMENTS}{LINKS}{FILES}%%\n## Drawing\n"
TEMPLATED = (
    "---\nkind: %s\n---\n# `=this.name`\n**Area** `=this.area`; **Range** `=this.range`; **Targets** all of them\n"
)
NOTES = {
    "Pump.excalidraw.md": FRONT + JSON,
    "Garden.md": FRONT.replace("inlet valve", "onion bed") + PACKED,
    "Board.md": '## Todo\n\n- [ ] Call the plumber\n\n%% kanban:settings\n```\n{"opaque": false}\n```\n%%\n',
    "Tool.md": f"# Tool\n\n{BADGE}\n\nIt turns. %%nobody knows%% <!-- unseen -->\n\n<% tp.file %>\n\n{{{{date}}}}\n",
    "Shows.md": "The valve is drawn here: ![[Pump.excalidraw#^aBcD1234]]\n\n![[Tool#Tool]]\n",
    "Courage.md": TEMPLATED % "courage",
    "Dread.md": TEMPLATED % "dread",
    "Stub.md": "Coming soon.\n",
    "Other stub.md": "Coming soon.\n",
}
HIDDEN = ["hidden", "N4IgL", "EXCALIDRAW VIEW", "eFgH_-78", "QhXz12", "pump.png", "opaque", "kanban:settings"]
HIDDEN += ["shields.io", "nobody", "unseen", "tp.file", "{{date}}", "=this", "Drawing data"]
QUESTIONS = ["inlet valve", "onion bed", "pump", "call the plumber", "which tool turns", "hidden", "opaque", "shields"]
QUESTIONS += ["nobody knows", "unseen", "excalidraw", "area and range of targets", "manual", "where is the valve drawn"]


def asked(vault: Vault, question: str) -> list[tuple[str, str]]:
    """The texts and the details of each way to ask in plain words, without what only repeats the question."""
    calls: list[tuple[str, dict[str, Any]]] = [("query", {"query": question}), ("context", {"question": question})]
    answers = [vault.call(tool, arguments) for tool, arguments in calls]
    passages = [
        each.get("text", "") for answer in answers for each in _all(json.loads(json.dumps(answer.details)), "text")
    ]
    bodies = ["\n".join(line for line in answer.text.split("\n") if line.startswith("  ")) for answer in answers]
    return [(question, text) for text in (*bodies, *passages)]


def _all(node: Any, key: str) -> list[dict[str, Any]]:
    if isinstance(node, dict):
        return [
            *([node] if isinstance(node.get(key), str) else []),
            *(x for each in node.values() for x in _all(each, key)),
        ]
    return [x for each in node for x in _all(each, key)] if isinstance(node, list) else []


@pytest.mark.parametrize("is_being_built", [False, True])
def test_no_answer_to_a_question_shows_what_a_note_does_not_say(make_vault: MakeVault, is_being_built: bool) -> None:
    vault = make_vault(NOTES)
    with index_being_built() if is_being_built else nullcontext():
        shown = [each for question in QUESTIONS for each in asked(vault, question)]
        shown += [("like", vault.query(like=note).text.split("\n", 1)[1]) for note in ("Pump.excalidraw.md", "Tool.md")]
    assert [(question, sign, text) for question, text in shown for sign in HIDDEN if sign in text] == []


@pytest.mark.parametrize(
    ("question", "notes"),
    [
        ("inlet valve", ["Pump.excalidraw.md", "Shows.md"]),
        ("onion bed", ["Garden.md"]),
        ("opaque", []),
        ("unseen", []),
        ("nobody knows", []),
        ("coming soon", ["Other stub.md", "Stub.md"]),
        ("area range targets", ["Courage.md", "Dread.md"]),
    ],
)
def test_a_question_finds_notes_by_what_they_say(make_vault: MakeVault, question: str, notes: list[str]) -> None:
    vault = make_vault(NOTES)
    answer = vault.query(question)
    assert sorted(note.path for note in answer.notes) == notes
    assert "also in" not in answer.text + vault.context(question).text


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_files", {"pattern": "hidden|valve"}),
        ("grep", {"pattern": "hidden|valve"}),
        ("search", {"pattern": "hidden|valve"}),
        ("query", {"query": "/hidden|valve/", "mode": "obsidian"}),
        ("sample", {"query": "hidden", "file": "Pump.excalidraw.md"}),
        ("show", {"query": "hidden", "file": "Pump.excalidraw.md"}),
    ],
)
def test_a_line_of_data_that_a_pattern_matches_is_called_data(
    make_vault: MakeVault, tool: str, arguments: dict[str, Any]
) -> None:
    line = FRONT.count("\n") + JSON[: JSON.index("hidden")].count("\n") + 1
    text = make_vault(NOTES).call(tool, arguments).text
    assert f"Data of drawings or plugins, not text: Pump.excalidraw.md, line {line}." in text


@pytest.mark.parametrize("tool", ["search_files", "grep", "search"])
def test_only_lines_of_data_are_called_so_and_many_are_counted(make_vault: MakeVault, tool: str) -> None:
    vault = make_vault(NOTES | {f"Z{number}.excalidraw.md": FRONT + JSON for number in range(9)})
    assert "Data of" not in vault.call(tool, {"pattern": "inlet valve|plumber|nobody|unseen"}).text
    text = vault.call(tool, {"pattern": "hidden|opaque|kanban"}).text
    assert "Board.md, line 5, line 7" in text
    assert " more files." in text

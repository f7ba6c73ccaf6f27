"""Syntax of other search languages is reported; text that only looks like it is not."""

from __future__ import annotations

import pytest

from vaulttools.query import explain
from vaulttools.query.language import parse


@pytest.mark.parametrize(
    ("question", "beginnings"),
    [
        ("roof AND repair", ["AND has no meaning in mode ranked"]),
        ("roof NOT repair", ["NOT has no meaning in mode ranked"]),
        ("roof and repair, not the door", []),
        ("DO NOT ENTER AND WAIT", []),  # all capitals
        ("roof status:active", ["status: is no operator"]),
        ("roof tags:work", ["tags: is no operator"]),
        (
            "roof #work/home",
            ["#work/home was searched for as a word; to find the notes with the tag, write tag:#work/home."],
        ),
        ("roof [status]", ["[status] was searched for as words"]),
        ("roof [[status]] [status](a.md) [ ] [x", []),
        ("roof at 12:30", []),
        ("see https://example.com and due:: May", []),
        ("error: no such file", []),
        ("C# and # and issue #12", []),
    ],
)
def test_foreign_syntax_in_a_question_is_reported(question: str, beginnings: list[str]) -> None:
    sentences = list(explain.foreign_in_question(question))
    assert len(sentences) == len(beginnings)
    assert all(sentence.startswith(beginning) for sentence, beginning in zip(sentences, beginnings, strict=True))


@pytest.mark.parametrize(
    ("query", "beginnings"),
    [
        ("one AND (two NOT three)", ["AND was searched for as a word", "NOT was searched for as a word"]),
        ("one -folder:Projects", ["folder: is no operator"]),
        ('"status:active" path:"a:b" [status:active]', []),
    ],
)
def test_foreign_syntax_in_a_query_is_reported(query: str, beginnings: list[str]) -> None:
    sentences = list(explain.foreign_in_query(parse(query)))
    assert len(sentences) == len(beginnings)
    assert all(sentence.startswith(beginning) for sentence, beginning in zip(sentences, beginnings, strict=True))


def test_the_report_shows_how_to_ask_for_a_property() -> None:
    assert list(explain.foreign_in_question("roof status:active")) == [
        "status: is no operator and was searched for as a word. Operators are tag:, file:, path:, content:, line:, "
        "block:, section:, task:, task-todo:, task-done:; a property is asked for as [status:active]."
    ]

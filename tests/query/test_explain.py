"""A query in plain words (rule-S44), beside the examples of `examples.py`."""

from __future__ import annotations

import pytest

from vaulttools.query.explain import LINES, TEXT_CHARACTERS, explain
from vaulttools.query.language import parse


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("meeting", 'Matches text: "meeting"'),
        (r"/a\/b/", "Matches regex: /a/b/"),
        ('task:""', "Match task: any text"),
        ("-work", 'Excluding: matches text: "work"'),
        ('path:-"Daily notes"', 'Match file path: excluding: contains exact text: "Daily notes"'),
        ("ignore-case:line:ikea", 'Case insensitive: match line: matches text: "ikea"'),
        ("-tag:#Work", "Excluding: match tag: #Work"),
        ("[/x/:>10]", "Contains property:\n  Its name: matches regex: /x/\n  Its value: greater than: 10"),
        (
            "a b OR section:(c OR d)",
            'Match any of:\n  Match all of:\n    Matches text: "a"\n    Matches text: "b"\n'
            '  Match section: match any of:\n    Matches text: "c"\n    Matches text: "d"',
        ),
        (
            "[status:Draft OR EMPTY <5]",
            'Contains property: "status"\n  Its value: match any of:\n    Matches text: "Draft"\n'
            "    Match all of:\n      Is empty\n      Less than: 5",
        ),
        (
            "file:a path:b content:c block:d task-todo:e task-done:f [g:TRUE] [h:FALSE]",
            'Match all of:\n  Match file name: matches text: "a"\n  Match file path: matches text: "b"\n'
            '  Match file content: matches text: "c"\n  Match block: matches text: "d"\n'
            '  Match task (todo): matches text: "e"\n  Match task (done): matches text: "f"\n'
            '  Contains property: "g"\n    Its value: is true\n  Contains property: "h"\n    Its value: is false',
        ),
    ],
)
def test_rule_S44_a_query_is_explained_in_plain_words(query: str, words: str) -> None:
    assert explain(parse(query)) == words


def test_an_explanation_has_a_maximum_length() -> None:
    lines = explain(parse("a " * 500)).split("\n")
    assert len(lines) == LINES + 1
    assert lines[-1] == "… and 401 more lines"
    assert explain(parse("a" * 1_000)) == f'Matches text: "{"a" * TEXT_CHARACTERS}…"'


def test_an_explanation_escapes_invisible_characters() -> None:
    assert explain(parse('"a\n\x1b[2K\u202e"')) == r'Contains exact text: "a\x0a\x1b[2K\u{202e}"'

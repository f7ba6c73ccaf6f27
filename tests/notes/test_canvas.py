"""Canvases: rule-S01."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.notes.canvas import Card, cards


def test_rule_S01_the_text_cards_of_a_canvas() -> None:
    canvas = {
        "nodes": [
            {"id": "1", "type": "text", "text": "# A\nb", "x": 0, "y": 0},
            {"id": "2", "type": "file", "file": "a.md", "text": "no"},
            {"id": "3", "type": "group", "label": "no"},
            {"type": "text", "text": "日本"},
        ],
        "edges": [],
    }
    assert cards("\ufeff" + json.dumps(canvas)) == (Card("1", "# A\nb"), Card("", "日本"))


@pytest.mark.parametrize(
    "source",
    [
        "",
        "{",
        "[]",
        "null",
        '"text"',
        '{"nodes": {}}',
        '{"nodes": [1, null, "a", [], {}]}',
        '{"nodes": [{"type": "text"}, {"type": "text", "text": 1}]}',
        "[" * 100_000,
        '{"nodes":' * 50_000,
        '{"nodes": ' + "9" * 5_000 + "}",
    ],
    ids=lambda source: source[:12],
)
def test_what_is_no_canvas_has_no_cards(source: str) -> None:
    assert cards(source) == ()


@settings(max_examples=100)
@given(st.recursive(st.none() | st.text(max_size=3), lambda inner: st.lists(inner) | st.dictionaries(
    st.sampled_from(["nodes", "type", "text", "id"]), inner | st.just("text"))))  # fmt: skip
def test_no_json_breaks_it(canvas: object) -> None:
    assert isinstance(cards(json.dumps(canvas)), tuple)

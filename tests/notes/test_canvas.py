"""Canvases: rule-S01."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.notes.canvas import Box, Card, card_at, cards, holders, read, readable, text_lines


def test_rule_S01_a_canvas_has_its_text_cards() -> None:
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
def test_a_text_that_is_no_canvas_has_no_cards(source: str) -> None:
    assert cards(source) == ()


@settings(max_examples=100)
@given(st.recursive(st.none() | st.text(max_size=3), lambda inner: st.lists(inner) | st.dictionaries(
    st.sampled_from(["nodes", "type", "text", "id"]), inner | st.just("text"))))  # fmt: skip
def test_no_json_breaks_the_reading(canvas: object) -> None:
    assert isinstance(cards(json.dumps(canvas)), tuple)


def box(x: int, y: int, width: int = 10, height: int = 10) -> dict[str, int]:
    return {"x": x, "y": y, "width": width, "height": height}


def test_only_a_heading_in_a_card_becomes_deeper() -> None:
    canvas = {"nodes": [{"id": "a", "type": "text", "text": "C# code\n## Heading\n#tag # sign"}]}
    assert readable(json.dumps(canvas)) == "## Cards\n\n### C# code\n\nC# code\n##### Heading\n#tag # sign\n"


def test_cards_are_below_their_group_and_others_where_they_stand() -> None:
    canvas = {
        "nodes": [
            {"id": "g", "type": "group", "label": "Plans", **box(0, 0, 100, 100)},
            {"id": "inner", "type": "group", **box(0, 0, 30, 30)},
            {"id": "a", "type": "text", "text": "# Idea\nwith *text*", **box(5, 5)},
            {"id": "b", "type": "file", "file": "Notes/b.md", "subpath": "#Part", **box(50, 50)},
            {"id": "c", "type": "link", "url": "https://example.org", **box(500, 500)},
        ],
        "edges": [
            {"fromNode": "a", "toNode": "b", "label": "leads to"},
            {"fromNode": "b", "toNode": "c", "fromEnd": "arrow"},
            {"fromNode": "c", "toNode": "gone", "toEnd": "none"},
        ],
    }
    assert readable(json.dumps(canvas)) == (
        "## Plans\n\n### Notes/b.md#Part\n\n![[Notes/b.md#Part]]\n\n"
        "## Group\n\n### Idea\n\n#### Idea\nwith *text*\n\n"
        "## Cards\n\n### https://example.org\n\n\n"
        "## Connections\n\n"
        "- Idea → Notes/b.md#Part: leads to\n"
        "- Notes/b.md#Part ↔ https://example.org\n"
        "- https://example.org – a missing card\n"
    )


def test_a_long_first_line_is_cut_in_the_title() -> None:
    text = readable(json.dumps({"nodes": [{"id": "a", "type": "text", "text": "\n" + "word " * 40}]}))
    assert text is not None
    assert text.split("\n")[2] == f"### {('word ' * 12)}…"


@pytest.mark.parametrize("source", ["", "no json", "[]", "[" * 100_000])
def test_a_text_that_is_no_canvas_cannot_be_read_as_one(source: str) -> None:
    assert readable(source) is None


@pytest.mark.parametrize(
    "canvas", [{}, {"nodes": 5}, {"nodes": [1, None]}, {"nodes": [], "edges": "x"}, {"nodes": None, "edges": [3]}]
)
def test_an_empty_canvas_is_an_empty_text(canvas: object) -> None:
    assert readable(json.dumps(canvas)) == ""


def test_odd_values_are_skipped() -> None:
    nodes = [{"type": "text", "text": 7, "x": "a"}, {"type": "group", "label": [], "x": 1e300}, {"id": {}}]
    assert readable(json.dumps({"nodes": nodes, "edges": [{}]})) is not None


LAYOUTS = {
    "two columns, the right one with long cards": (
        {"a": (-300, -200, 260, 120), "b": (40, -220, 400, 300), "c": (-300, 0, 260, 100), "d": (-300, 140, 260, 100)}
        | {"e": (40, 140, 400, 220), "f": (-300, 280, 260, 100)},
        "abcdef",
    ),
    "a row that is not quite straight": ({"b": (300, -9, 50, 50), "c": (600, 4, 50, 50), "a": (0, 0, 50, 50)}, "abc"),
    "a card beside a whole column": ({"d": (300, 0, 90, 900), "b": (0, 100, 90, 50), "a": (0, 0, 90, 50)}, "abd"),
    "cards in one place": ({"b": (0, 0, 9, 9), "a": (0, 0, 9, 9)}, "ba"),
    "cards without a size": ({"b": (0, 5, 0, 0), "a": (5, 0, 0, 0)}, "ab"),
}


@pytest.mark.parametrize(("boxes", "order"), LAYOUTS.values(), ids=LAYOUTS)
def test_cards_are_read_by_rows_from_the_top_and_from_left_to_right(
    boxes: dict[str, tuple[int, int, int, int]], order: str
) -> None:
    nodes = [{"id": id_, "type": "text", **box(*place)} for id_, place in boxes.items()]
    canvas = read(json.dumps({"nodes": nodes}))
    assert canvas is not None
    assert "".join(card.id for card in canvas.sections[0].cards) == order


SIDES = st.integers(-3, 12).map(float)
BOXES = st.lists(st.tuples(SIDES, SIDES, SIDES, SIDES), max_size=12)


@given(BOXES, BOXES)
def test_a_card_belongs_to_the_smallest_group_that_holds_its_middle(cards: list[Box], groups: list[Box]) -> None:
    def holder(card: Box) -> int | None:
        x, y = card[0] + card[2] / 2, card[1] + card[3] / 2
        holding = [
            (width * height, index)
            for index, (left, top, width, height) in enumerate(groups)
            if left <= x <= left + width and top <= y <= top + height
        ]
        return min(holding)[1] if holding else None

    assert holders(cards, groups) == [holder(card) for card in cards]


@settings(max_examples=200)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "type": st.sampled_from(["text", "text", "file", "link", "group", "other"]),
                "text": st.text("a#\n ", max_size=8) | st.integers(0, 1),
                "label": st.text("g\n", max_size=2),
                "url": st.text("u\n", max_size=2),
                "x": st.integers(0, 30),
                "y": st.integers(0, 30),
                "width": st.integers(0, 40),
                "height": st.integers(0, 40),
            }
        ),
        max_size=6,
    )
)
def test_a_line_of_a_card_is_found_in_what_is_read(nodes: list[dict[str, object]]) -> None:
    source = json.dumps({"nodes": [{**node, "id": str(number)} for number, node in enumerate(nodes)]})
    canvas, whole = read(source), readable(source)
    assert canvas is not None and whole is not None
    lines = whole.split("\n")
    for card, first in zip(cards(source), text_lines(source), strict=True):
        for number, line in enumerate(card.text.rstrip("\n").split("\n"), first):
            assert "".join(lines[number - 1 : number]).lstrip("#") == line.lstrip("#")
            found = card_at(canvas, number)
            assert found is not None and found.id == card.id
    assert card_at(canvas, 0) is None

"""Reads a canvas: its text cards, and all of it as Markdown text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from vaulttools.core import render

_TITLE_CHARACTERS: Final = 60
"""Upper bound of the characters in a card's name, which is its first line."""

_HEADING: Final = re.compile(r"(#{1,6})(?=\s)")
_CARDS: Final = "Cards"
_DEEPER: Final = 2
"""Levels by which the headings in a card become deeper, with 1 more for the card's own heading."""


class Card(NamedTuple):
    """A text card: Markdown, with its own lines."""

    id: str
    """The id in the file; empty if there is none."""
    text: str


def cards(source: str) -> tuple[Card, ...]:
    """Returns the text cards in the order of the file (rule-S01); empty if it is not the JSON of a canvas."""
    return tuple(
        Card(_text(node, "id"), node["text"])
        for node in _dicts(_read(source) or {}, "nodes")
        if node.get("type") == "text" and isinstance(node.get("text"), str)
    )


def readable(source: str) -> str | None:
    """Returns a canvas as Markdown: a section for each group, one below it for each card, and a list of the
    connections; None if it is not the JSON of a canvas."""
    canvas = _read(source)
    if canvas is None:
        return None
    nodes = _dicts(canvas, "nodes")
    groups = [node for node in nodes if node.get("type") == "group"]
    others = [node for node in nodes if node.get("type") != "group"]
    lines: list[str] = []
    for group in (None, *groups):
        held = [card for card in others if _group_of(card, groups) is group]
        if held or group is not None:
            lines += [f"## {_CARDS if group is None else _title(group)}", ""]
        for card in held:
            lines += [f"### {_title(card)}", "", *_body(card), ""]
    names = {str(node.get("id")): _title(node) for node in nodes}
    if edges := _dicts(canvas, "edges"):
        lines += ["## Connections", "", *(f"- {_connection(edge, names)}" for edge in edges)]
    return "\n".join(lines).rstrip("\n") + "\n" if lines else ""


def _read(source: str) -> dict[str, Any] | None:
    try:
        canvas = json.loads(source.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return canvas if isinstance(canvas, dict) else None


def _dicts(canvas: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = canvas.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _title(node: dict[str, Any]) -> str:
    """Returns a card's name: the first line of its text, its file with the subpath, its URL, or its label."""
    kind = node.get("type")
    if kind == "file":
        return f"{_text(node, 'file')}{_text(node, 'subpath')}"
    if kind == "link":
        return _text(node, "url")
    if kind == "group":
        return _text(node, "label") or "Group"
    first = next((line.strip(" #") for line in _text(node, "text").split("\n") if line.strip(" #")), "empty card")
    return render.shortened(first, _TITLE_CHARACTERS)


def _body(card: dict[str, Any]) -> Iterator[str]:
    """Yields the lines of a card: its text with deeper headings, or an embed of its file; the title has a URL."""
    if card.get("type") == "text":
        for line in _text(card, "text").rstrip("\n").split("\n"):
            yield _HEADING.sub(lambda match: ("#" * (len(match[1]) + _DEEPER + 1))[:6], line, count=1)
    elif card.get("type") == "file":
        yield f"![[{_title(card)}]]"


def _connection(edge: dict[str, Any], names: dict[str, str]) -> str:
    ends = [names.get(str(edge.get(end)), "a missing card") for end in ("fromNode", "toNode")]
    is_to = edge.get("toEnd", "arrow") == "arrow"
    is_from = edge.get("fromEnd", "none") == "arrow"
    arrow = "↔" if is_to and is_from else "→" if is_to else "←" if is_from else "–"
    label = _text(edge, "label")
    return f"{ends[0]} {arrow} {ends[1]}{f': {label}' if label else ''}"


def _group_of(card: dict[str, Any], groups: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Returns the smallest group that holds the middle of a card; None if there is none."""
    x, y, width, height = _box(card)
    holding: list[tuple[float, int, dict[str, Any]]] = []
    for group in groups:
        left, top, across, down = _box(group)
        if left <= x + width / 2 <= left + across and top <= y + height / 2 <= top + down:
            holding.append((across * down, len(holding), group))
    return min(holding)[2] if holding else None


def _box(node: dict[str, Any]) -> tuple[float, float, float, float]:
    x, y, width, height = (
        float(value) if isinstance(value := node.get(name), int | float) and abs(value) < 1e9 else 0.0
        for name in ("x", "y", "width", "height")
    )
    return x, y, width, height


def _text(node: dict[str, Any], name: str) -> str:
    value = node.get(name)
    return value if isinstance(value, str) else ""

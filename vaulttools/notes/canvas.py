"""Reads the text cards of a `.canvas` file, all that Obsidian searches (rule-S01)."""

from __future__ import annotations

import json
from typing import NamedTuple


class Card(NamedTuple):
    """A text card: Markdown, with its own lines."""

    id: str
    """Empty where the file gives none."""
    text: str


def cards(source: str) -> tuple[Card, ...]:
    """The text cards of a canvas in the order of the file; none when it is not JSON, or not that of a canvas."""
    try:
        canvas = json.loads(source.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return ()
    nodes = canvas.get("nodes") if isinstance(canvas, dict) else None
    found = []
    for node in nodes if isinstance(nodes, list) else ():
        if isinstance(node, dict) and node.get("type") == "text" and isinstance(text := node.get("text"), str):
            name = node.get("id")
            found.append(Card(name if isinstance(name, str) else "", text))
    return tuple(found)

"""Reads a canvas: its cards in reading order, or all of it as Markdown."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from vaulttools.core import render

_TITLE_CHARACTERS: Final = 60
"""Upper bound of the characters in a card's name, which is its first line."""

_HEADING: Final = re.compile(r"^(#{1,6})(?=\s)")
_CARDS: Final = "Cards"
_DEEPER: Final = 2
"""Levels by which the headings in a card become deeper, with 1 more for the card's own heading."""

Kind: TypeAlias = Literal["text", "file", "link", "group", ""]
"""What a card holds; empty for a kind that is not known."""


def is_canvas(path: str) -> bool:
    """Whether the name of a file is that of a canvas."""
    return path.lower().endswith(".canvas")


class Card(NamedTuple):
    """A text card: Markdown, with its own lines."""

    id: str
    """The id in the file; empty if there is none."""
    text: str


class Node(NamedTuple):
    """A card, or a group of cards."""

    id: str
    kind: Kind
    content: str
    """The Markdown of a text card, the path of a file, a URL, or the label of a group."""
    color: str
    """`1` to `6`, a colour such as `#ff0000`, or empty."""
    part: str = ""
    """The part of the file, as `#Part`; empty for a whole one."""

    @property
    def title(self) -> str:
        """The first line of its text, its file with the part, its URL, or its label, in one line."""
        if self.kind == "group":
            return self.content.replace("\n", " ") or "Group"
        if self.kind in ("file", "link"):
            return f"{self.content}{self.part}".replace("\n", " ")
        first = next((line.strip(" #") for line in self.content.split("\n") if line.strip(" #")), "empty card")
        return render.shortened(first, _TITLE_CHARACTERS)


class Section(NamedTuple):
    """The cards of one group; without a group, neighbouring cards that no group holds."""

    group: Node | None
    cards: list[Node]


class Connection(NamedTuple):
    """A line between two cards or groups."""

    start: str
    """The id of the card where it begins, and then the one where it ends."""
    end: str
    has_start_arrow: bool
    has_end_arrow: bool
    label: str

    @property
    def arrow(self) -> str:
        """Its direction as a sign."""
        return _ARROWS[self.has_start_arrow, self.has_end_arrow]

    @property
    def turned(self) -> Connection:
        """The same line, told from its end."""
        return Connection(self.end, self.start, self.has_end_arrow, self.has_start_arrow, self.label)


_ARROWS: Final = {(False, True): "→", (True, False): "←", (True, True): "↔", (False, False): "–"}


class Canvas(NamedTuple):
    """A canvas: its cards in reading order."""

    sections: Sequence[Section]
    connections: Sequence[Connection]
    """In the order of the file."""
    nodes: Sequence[Node]
    """The cards and groups, in the order of the file."""


def cards(source: str) -> tuple[Card, ...]:
    """Returns the text cards in the order of the file (rule-S01); empty if it is not the JSON of a canvas."""
    nodes = _dicts(_json(source) or {}, "nodes")
    return tuple(Card(_text(node, "id"), node["text"]) for node in nodes if _is_text_card(node))


def read(source: str) -> Canvas | None:
    """Returns a canvas; None if it is not the JSON of one.

    Reading order is by rows from the top: a row holds what begins above the middle of its highest card, from left to
    right. A card belongs to the smallest group that holds its middle; groups are ordered among the other cards.
    """
    canvas = _json(source)
    if canvas is None:
        return None
    placed = [(_box(each), _node(each)) for each in _dicts(canvas, "nodes")]
    groups = [each for each in placed if each[1].kind == "group"]
    others = [each for each in placed if each[1].kind != "group"]
    held: dict[int | None, list[_Placed]] = {}
    for card, group in zip(others, holders([box for box, _ in others], [box for box, _ in groups]), strict=True):
        held.setdefault(group, []).append(card)
    places = {id(group): place for place, group in enumerate(groups)}
    sections: list[Section] = []
    for each in _in_reading_order([*groups, *held.get(None, ())]):
        if (place := places.get(id(each))) is not None:
            sections.append(Section(each[1], [card for _, card in _in_reading_order(held.get(place, ()))]))
        elif sections and sections[-1].group is None:
            sections[-1].cards.append(each[1])
        else:
            sections.append(Section(None, [each[1]]))
    return Canvas(sections, [_connection(edge) for edge in _dicts(canvas, "edges")], [node for _, node in placed])


def readable(source: str) -> str | None:
    """Returns a canvas as Markdown: a section for each group, one below it for each card, and a list of the
    connections; None if it is not the JSON of a canvas."""
    canvas = read(source)
    return None if canvas is None else _written(canvas)[0]


def text_lines(source: str) -> list[int]:
    """Returns where the text of each text card, in the order of `cards`, begins in the text of `readable`: lines from
    1."""
    canvas = read(source)
    if canvas is None:
        return []
    _, lines = _written(canvas)
    nodes = zip(_dicts(_json(source) or {}, "nodes"), canvas.nodes, strict=True)
    return [lines[id(node)] for each, node in nodes if _is_text_card(each)]


def card_at(canvas: Canvas, line: int) -> Node | None:
    """Returns the card that holds a line of `readable`; None above the first one."""
    _, lines = _written(canvas)
    held = (card for section in canvas.sections for card in section.cards)
    return next(reversed([card for card in held if lines[id(card)] <= line + _ABOVE]), None)


_ABOVE: Final = 2
"""Lines of the heading of a card."""


def _written(canvas: Canvas) -> tuple[str, dict[int, int]]:
    """Returns a canvas as Markdown, and by `id()` of each card the line where what it holds begins."""
    lines: list[str] = []
    begun: dict[int, int] = {}
    names: dict[str, str] = {}
    for group, held in canvas.sections:
        lines += [f"## {_CARDS if group is None else group.title}", ""]
        for card in held:
            begun[id(card)] = len(lines) + 1 + _ABOVE
            lines += [f"### {card.title}", "", *_body(card), ""]
        names |= {each.id: each.title for each in (*held, *filter(None, [group]))}
    if canvas.connections:
        lines += ["## Connections", "", *(f"- {_told(each, names)}" for each in canvas.connections)]
    return "\n".join(lines).rstrip("\n") + "\n" if lines else "", begun


Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, width, height."""

_Placed: TypeAlias = tuple[Box, Node]


def holders(cards: Sequence[Box], groups: Sequence[Box]) -> list[int | None]:
    """Returns for each card the index of the smallest group that holds its middle, of equal ones the first; None if no
    group does.

    Goes from left to right. A group that has begun waits at the nodes of a tree that together span its height, so that
    a card asks only the nodes above its own middle: thousands of groups cost no more than thousands of cards.
    """
    middles = [(left + width / 2, top + height / 2) for left, top, width, height in cards]
    heights = sorted(y for _, y in middles)
    size = len(heights)
    waiting: list[list[tuple[float, int, float]]] = [[] for _ in range(2 * size)]  # area, group, right side
    by_left = sorted(range(len(groups)), key=lambda group: groups[group][0])
    begun = 0
    found: list[int | None] = [None] * size
    for card in sorted(range(size), key=lambda card: middles[card]):
        x, y = middles[card]
        while begun < len(by_left) and groups[by_left[begun]][0] <= x:
            left, top, width, height = groups[by_left[begun]]
            low, high = size + bisect_left(heights, top), size + bisect_right(heights, top + height)
            while low < high:
                for node in ([low] if low & 1 else []) + ([high - 1] if high & 1 else []):
                    heappush(waiting[node], (width * height, by_left[begun], left + width))
                low, high = (low + 1) // 2, high // 2
            begun += 1
        node, best = size + bisect_left(heights, y), None
        while node:
            held = waiting[node]
            while held and held[0][2] < x:
                heappop(held)
            if held and (best is None or held[0] < best):
                best = held[0]
            node //= 2
        found[card] = None if best is None else best[1]
    return found


def _in_reading_order(placed: Iterable[_Placed]) -> list[_Placed]:
    found: list[_Placed] = []
    row: list[_Placed] = []
    middle = 0.0
    for each in sorted(placed, key=lambda each: each[0][1]):
        _, top, _, height = each[0]
        if not row or top >= middle:
            found += sorted(row, key=lambda each: each[0][:2])
            row, middle = [], top + height / 2
        row.append(each)
    return found + sorted(row, key=lambda each: each[0][:2])


def _json(source: str) -> dict[str, Any] | None:
    try:
        canvas = json.loads(source.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return canvas if isinstance(canvas, dict) else None


def _is_text_card(node: dict[str, Any]) -> bool:
    return node.get("type") == "text" and isinstance(node.get("text"), str)


def _dicts(canvas: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = canvas.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _node(node: dict[str, Any]) -> Node:
    id_, color = str(node.get("id")), _text(node, "color")
    match node.get("type"):
        case "file":
            return Node(id_, "file", _text(node, "file"), color, _text(node, "subpath"))
        case "link":
            return Node(id_, "link", _text(node, "url"), color)
        case "group":
            return Node(id_, "group", _text(node, "label"), color)
        case "text":
            return Node(id_, "text", _text(node, "text"), color)
    return Node(id_, "", _text(node, "text"), color)


def _body(card: Node) -> Iterator[str]:
    """Yields the lines of a card: its text with deeper headings, or an embed of its file; the title has a URL."""
    if card.kind == "text":
        for line in card.content.rstrip("\n").split("\n"):
            yield _HEADING.sub(lambda match: ("#" * (len(match[1]) + _DEEPER + 1))[:6], line, count=1)
    elif card.kind == "file":
        yield f"![[{card.title}]]"


def _connection(edge: dict[str, Any]) -> Connection:
    is_from, is_to = edge.get("fromEnd", "none") == "arrow", edge.get("toEnd", "arrow") == "arrow"
    return Connection(str(edge.get("fromNode")), str(edge.get("toNode")), is_from, is_to, _text(edge, "label"))


def _told(connection: Connection, names: dict[str, str]) -> str:
    ends = [names.get(end, "a missing card") for end in (connection.start, connection.end)]
    return f"{ends[0]} {connection.arrow} {ends[1]}{f': {connection.label}' if connection.label else ''}"


def _box(node: dict[str, Any]) -> Box:
    x, y, width, height = (
        float(value) if isinstance(value := node.get(name), int | float) and abs(value) < 1e9 else 0.0
        for name in ("x", "y", "width", "height")
    )
    return x, y, width, height


def _text(node: dict[str, Any], name: str) -> str:
    value = node.get(name)
    return value if isinstance(value, str) else ""

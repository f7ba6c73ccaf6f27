"""Writes the results: a Markdown table, and a picture of four of its columns as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Final

from benchmarks.comparing.tasks import Measured

Column = tuple[str, Callable[[Measured], str]]

_COLUMNS: Final[Sequence[Column]] = (
    ("note@5", lambda each: f"{each.note:.2f}"),
    ("keywords", lambda each: f"{each.keywords:.2f}"),
    ("answered", lambda each: f"{each.answer:.2f}"),
    ("characters", lambda each: f"{each.characters:,.0f}"),
    ("+ two wordings: note@5", lambda each: f"{each.worded_note:.2f}"),
    ("answered", lambda each: f"{each.worded_answer:.2f}"),
    ("characters", lambda each: f"{each.worded_characters:,.0f}"),
    ("a question, ms", lambda each: f"{each.asked:,.0f}"),
    ("exact", lambda each: f"{each.exact:.2f}"),
    ("a word, ms", lambda each: f"{each.found:,.0f}"),
    ("first answer, s", lambda each: f"{each.first:.1f}"),
    ("again, s", lambda each: f"{each.again:.1f}"),
    ("CPU to index, s", lambda each: f"{each.cpu:.0f}"),
    ("memory, MB", lambda each: f"{each.memory:.0f}"),
)

_BARS: Final[Sequence[tuple[str, Callable[[Measured], float]]]] = (
    ("Right note among the first five (share; whole question or keywords)", lambda each: max(each.note, each.keywords)),
    ("Answer in the text (share)", lambda each: each.answer),
    ("Answer in the text, with two other wordings (share)", lambda each: each.worded_answer),
    ("Notes found by an exact word (share)", lambda each: each.exact),
    ("First answer from nothing (seconds)", lambda each: each.first),
)

_ROW, _LEFT, _WIDTH, _ROOM = 22, 230, 760, 60
"""Pixels: the height of a bar's row, the left edge of the bars, the whole width, and the width of a number."""


def table(results: Sequence[Measured]) -> str:
    """The table, with a line for each contestant."""
    names = [name for name, _ in _COLUMNS]
    lines = [f"| | {' | '.join(names)} | edit seen | shows |", "|---|" + "--:|" * len(names) + "---|---|"]
    for each in results:
        cells = [each.name, *(shown(each) for _, shown in _COLUMNS), each.edit, "; ".join(each.leaks) or "nothing"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def picture(results: Sequence[Measured]) -> str:
    """The picture, in colours that are legible on light and dark pages."""
    parts: list[str] = []
    top = 0
    for title, value in _BARS:
        top += 30
        parts.append(f'<text x="0" y="{top}" font-weight="bold">{escape(title)}</text>')
        finite = [number for each in results if (number := value(each)) != float("inf")]
        longest = max(finite, default=0.0) or 1.0
        for place, each in enumerate(results):
            number = min(value(each), longest)
            width = round((_WIDTH - _LEFT - _ROOM) * number / longest)
            middle = top + 12 + place * _ROW
            colour = "#3b82c4" if place == 0 else "#8a94a0"
            shown = f"{value(each):.2f}" if longest <= 1 else f"{value(each):.1f}"
            parts += [
                f'<text x="0" y="{middle + 12}">{escape(each.name)}</text>',
                f'<rect x="{_LEFT}" y="{middle}" width="{width}" height="14" fill="{colour}"/>',
                f'<text x="{_LEFT + width + 6}" y="{middle + 12}">{shown}</text>',
            ]
        top += 12 + len(results) * _ROW
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top + 10}" font-family="sans-serif"'
    return "\n".join([f'{head} font-size="13" fill="#808890">', *parts, "</svg>", ""])

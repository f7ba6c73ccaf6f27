"""Finds the brackets of wikilinks: where one ends, and whether it is a whole text."""

from __future__ import annotations

import re
import sys
from typing import Final

WIKILINK: Final = re.compile(r"\[\[(?!\[)[^\[\]\n]*+(?:(?:\](?!\])|\[(?!\[))[^\[\]\n]*+)*\]\]")
"""`[[` to the nearest `]]` in the same line, with no other `[[` between; single brackets are allowed (rule-L16).
`link_end` may put the end further back."""

_SIGNS: Final = re.compile(r"\[+|\]+|[#|\n]")


def link_end(text: str, start: int, end: int = sys.maxsize) -> int | None:
    """Returns the offset after the wikilink whose `[[` is at `start`; None if there is none before `end`.

    A bracket that was opened in the name closes in it, if two others end the link after that. Brackets of headings and
    of display texts do not count: Obsidian was seen to end `[[Other#Heading [Bracket]]]` at the first two
    (`fixtures/cases/obsidian-links.json`).

    >>> link_end("[[Plan [draft]]]", 0), link_end("[see [[Note]]]", 5), link_end("[[a[b]]", 0)
    (16, 13, 7)
    """
    found = WIKILINK.match(text, start, end)
    if found is None:
        return None
    if text.find("[", start + 2, found.end()) < 0:  # nearly all links
        return found.end()
    count, nearest = 0, 0  # brackets that are open, and the first end that is possible
    in_name = True
    for row in _SIGNS.finditer(text, start + 2, end):
        signs = row[0]
        if signs == "\n" or signs.startswith("[["):
            break
        if signs in "#|":
            count, in_name = 0, False
        elif signs == "[":
            count += in_name
        elif signs == "]":
            count = max(0, count - 1)
        else:
            here = row.start() + 2 + min(count, len(signs) - 2)
            if count < len(signs):
                return here
            nearest = nearest or here
            count -= len(signs)
    return nearest


def whole_link(text: str) -> str | None:
    """Returns the inner text of a text that is one wikilink and nothing else; else None. Here the last two brackets end
    it, whatever part of the link the brackets before them belong to."""
    end = link_end(text, 0)
    if end is None or text[end:].strip("]"):
        return None
    inner = text[2:-2]
    return inner if end == len(text) or inner.count("[") == inner.count("]") else None

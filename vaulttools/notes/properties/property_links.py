"""Finds the links in the values of a note's properties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from vaulttools.notes.links.references import WIKILINK, Reference, markdown_link, wikilink
from vaulttools.notes.markdown import inline

if TYPE_CHECKING:
    from vaulttools.notes.properties.safe_yaml import Value


def in_properties(properties: Mapping[str, Value], raw: str, first_line: int) -> Iterator[Reference]:
    """The links in the values of a block (rule-P05), in the order of properties.

    A Markdown link counts where it is the whole of a text or of an element of a list, as Obsidian 1.12 caches it;
    wikilinks count anywhere in a text. ``raw`` is the text of the block, from line ``first_line`` on: a link's line is
    the first on which it is written so after those before it, or the first of the block where it is not written so.
    """
    position = 0
    for name, value in properties.items():
        for text in _texts(value):
            for reference in _links(text, name):
                offset = raw.find(reference.written, position)
                position = offset + len(reference.written) if offset >= 0 else position
                yield reference._replace(line=raw.count("\n", 0, max(offset, 0)) + first_line)


def _links(text: str, name: str) -> Iterator[Reference]:
    """The links of one text, their lines not yet known."""
    whole = text.strip()
    if whole.startswith(("[", "![")) and whole.endswith(")") and "](" in whole:
        for hit in inline.scan(whole, 0, len(whole), table=False):
            if isinstance(hit, inline.MarkdownLink) and hit.start == 0 and hit.end == len(whole):
                link = markdown_link(whole, 0, hit.text, hit.destination, name)
                return (yield from () if link is None else (link,))
    for found in WIKILINK.finditer(text):
        if link := wikilink(found[0], 0, name):
            yield link


def _texts(value: Value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for element in value.values() if isinstance(value, dict) else value:
            yield from _texts(element)

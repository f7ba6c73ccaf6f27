"""Renders the values of properties and of tables: links, tags, addresses, boxes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from typing import Any, Final, TypeAlias

from vaulttools.core import render
from vaulttools.core.folding.identity import is_same
from vaulttools.notes.links.references import Reference
from vaulttools.notes.markdown.structure import property_link
from vaulttools.notes.properties.numerals import in_json
from vaulttools.notes.tags import property_tags
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.rendering.context import link_text

_WEB: Final = re.compile(r"https?://[^\s<>\"]+")

Addressed: TypeAlias = Callable[[Reference], str | None]
"""Returns the address that a link leads to; None if it leads nowhere."""


def elements(name: str, value: Any, addresses: Addresses, addressed: Addressed) -> list[str]:
    """Returns the elements of a property's list, or its one value, as HTML; nothing if it is empty."""
    if is_same(name, "tags"):
        return [link(f"#{tag}", addresses.tag(tag), "tag") for tag in property_tags(value)]
    values = value if isinstance(value, list) else [] if value is None else [value]
    return ["".join(_parts(name, element, addressed)) for element in values]


def link(text: str, address: str, kind: str = "") -> str:
    """Returns a link as HTML; `kind` is `tag`, `external`, or empty."""
    shown_as = f' class="n-{kind}"' if kind else ""
    relation = ' rel="noopener noreferrer"' if kind == "external" else ""
    return f'<a href="{escape(address)}"{shown_as}{relation}>{escape(render.visible(text))}</a>'


def _parts(name: str, value: Any, addressed: Addressed) -> Iterator[str]:
    if isinstance(value, bool):
        kind, label = ("n-done", "Yes") if value else ("n-open", "No")
        yield f'<span class="n-box {kind}" role="img" aria-label="{label}"></span>'
        return
    if not isinstance(value, str):
        yield escape(render.visible(in_json(value)))
        return
    if (reference := property_link(value, name)) and reference.kind != "external":
        address = addressed(reference)
        text = link_text(reference)
        yield link(text, address) if address else f'<span class="n-missing">{escape(render.visible(text))}</span>'
        return
    done = 0
    for found in _WEB.finditer(value):
        yield escape(render.visible(value[done : found.start()]))
        done = found.end()
        yield link(found[0], found[0], "external")
    yield escape(render.visible(value[done:]))

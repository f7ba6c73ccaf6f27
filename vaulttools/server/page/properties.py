"""Makes of a note's properties what their table shows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from vaulttools.core import render
from vaulttools.notes.links.references import WIKILINK, Reference, wikilink
from vaulttools.notes.note import Note
from vaulttools.notes.properties.safe_yaml import Value
from vaulttools.notes.tags import property_tags
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.rendering.context import link_text

_WEB: Final = re.compile(r"https?://[^\s<>\"]+")

Addressed: TypeAlias = Callable[[Reference], str | None]
"""Where a link leads; None: nowhere."""


@dataclass(frozen=True, slots=True)
class ValuePart:
    """A piece of a value."""

    text: str
    address: str = ""
    kind: str = ""
    """`tag`, `external`, `missing`, or nothing."""


@dataclass(frozen=True, slots=True)
class Property:
    """One property."""

    name: str
    values: list[list[ValuePart]]
    """The elements of a list, or the one value; none where it is empty."""


def properties(note: Note, addresses: Addresses, addressed: Addressed) -> list[Property]:
    """The properties of a note in their order."""
    return [
        Property(render.visible(name), _values(name, value, addresses, addressed))
        for name, value in note.properties.items()
    ]


def _values(name: str, value: Value, addresses: Addresses, addressed: Addressed) -> list[list[ValuePart]]:
    if name.casefold() == "tags":
        return [[ValuePart(f"#{tag}", addresses.tag(tag), "tag")] for tag in property_tags(value)]
    elements = value if isinstance(value, list) else [] if value is None else [value]
    return [list(_parts(element, addressed)) for element in elements]


def _parts(value: Value, addressed: Addressed) -> Iterator[ValuePart]:
    if not isinstance(value, str):
        yield ValuePart(render.visible(json.dumps(value, ensure_ascii=False)))
        return
    done = 0
    for found in sorted((*WIKILINK.finditer(value), *_WEB.finditer(value)), key=re.Match.start):
        reference = wikilink(found[0], 0) if found[0].startswith("[[") else None
        if found.start() < done or (found[0].startswith("[[") and reference is None):
            continue
        yield ValuePart(render.visible(value[done : found.start()]))
        done = found.end()
        if reference is None:
            yield ValuePart(render.visible(found[0]), found[0], "external")
        else:
            address = addressed(reference)
            shown = render.visible(link_text(reference))
            yield ValuePart(shown, address or "", "" if address else "missing")
    yield ValuePart(render.visible(value[done:]))

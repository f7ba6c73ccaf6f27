"""Reads XML as a stream of elements, in bounded memory, without document types or entities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Protocol
from xml.parsers import expat

DEPTH: Final = 1_000
"""Elements within each other; a document with text boxes in tables in tables has about 60."""

_SEPARATOR: Final = "\x01"


class XmlHandler(Protocol):
    """The elements of one XML text. Names are without their namespaces."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def characters(self, text: str) -> None:
        """Some text, or a part of it, within the element that began last and has not ended."""


def parse(chunks: Iterable[bytes], reader: XmlHandler) -> None:
    """Tell a reader of all elements.

    Raises:
        ValueError: there is a document type, or elements lie too deep.
        expat.ExpatError: it is not XML.
    """
    parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
    depth = 0

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEPTH:
            raise ValueError("too deep")
        reader.start(_local(name), {_local(key): value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        reader.end(_local(name))

    def refuse(*declaration: object) -> None:
        raise ValueError("a document type")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = reader.characters
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    for chunk in chunks:
        parser.Parse(chunk, False)
    parser.Parse(b"", True)


def _local(name: str) -> str:
    return name.rpartition(_SEPARATOR)[2]

"""Reads from a note's parts what bases keep: properties, tags, links and embeds."""

from __future__ import annotations

from collections.abc import Iterator

from vaulttools.bases.context import FileFacts
from vaulttools.bases.values import tag_of
from vaulttools.notes.contents import Contents
from vaulttools.notes.links.references import Reference


def of(note: Contents) -> FileFacts:
    """The facts of one note."""
    body = [tag.name for tag in note.body_tags]
    tags = tuple(dict.fromkeys(map(tag_of, (*body, *note.written_tags))))
    in_vault = [each for each in note.references if each.kind != "external"]
    embeds = [each for each in in_vault if each.embed and each.in_property is None]
    others = [each for each in in_vault if not (each.embed and each.in_property is None)]
    return FileFacts(note.properties, tags, tuple(map(_link, (*others, *embeds))), len(embeds))


def _link(reference: Reference) -> tuple[str, str | None]:
    """The target with its heading or block, and what is shown."""
    if reference.kind == "wikilink":
        named, bar, display = reference.written[2 + reference.embed : -2].partition("|")
        target = (named.removesuffix("\\") if bar else named).strip()
        shown = display.strip() if bar else ""
    else:
        target = "#".join(_steps(reference))
        shown = reference.display or ""
    return target, shown or displayed(target) or None


def _steps(reference: Reference) -> Iterator[str]:
    yield reference.target
    yield from reference.headings
    if reference.block is not None:
        yield f"^{reference.block}"


def displayed(target: str) -> str:
    """What the app shows of a link without a text of its own: `Note > Heading`."""
    return " > ".join(filter(None, target.split("#"))).strip()

"""Finds the section or block that a link names behind its `#`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vaulttools.core import spelling
from vaulttools.errors import PartNotFound

if TYPE_CHECKING:
    from vaulttools.notes.contents import Contents
    from vaulttools.notes.parts import BlockId, Heading


def section(note: Contents, chain: Sequence[str], name: str) -> Heading:
    """The heading that a chain of headings leads to (rule-L05); `name` is what a refusal calls the note.

    Raises:
        PartNotFound: there is none.
    """
    found = note.section(chain)
    if found is not None:
        return found
    there = list(dict.fromkeys(heading.text for heading in note.headings if heading.text))
    raise PartNotFound("Heading", " > ".join(chain), name, close=spelling.closest(chain[-1], there), there=there)


def block(note: Contents, block_id: str, name: str) -> BlockId:
    """What a block id names, given without `^` (rule-L06); `name` is what a refusal calls the note.

    Raises:
        PartNotFound: there is none.
    """
    found = note.block(block_id)
    if found is not None:
        return found
    there = [f"^{each.id}" for each in note.structure.block_ids]
    raise PartNotFound("Block", f"^{block_id}", name, close=spelling.closest(block_id, there), there=there)

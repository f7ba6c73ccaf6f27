"""Names the Obsidian type of a property's value (rule-P03, rule-P04, rule-P08).

A vault declares one type for each name; here each value tells its own, for vaults that declare none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from vaulttools.notes.properties.scalars import moment

if TYPE_CHECKING:
    from vaulttools.notes.properties.safe_yaml import Value

PropertyType: TypeAlias = Literal[
    "text", "list", "number", "checkbox", "date", "datetime", "tags", "mapping", "empty"
]  # fmt: skip

_LISTS = frozenset(("aliases", "cssclasses"))


def property_type(name: str, value: Value) -> PropertyType:
    """The type of one value. ``tags`` is only that of `tags` (rule-P03), ``mapping`` is none of Obsidian's (rule-P06),
    ``empty`` is null: neither `""`, a text, nor `[]`, a list. The lists of rule-P08 are lists whatever they hold."""
    folded = name.casefold()
    if folded == "tags":
        return "tags"
    if folded in _LISTS or isinstance(value, list):
        return "list"
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "checkbox"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, dict):
        return "mapping"
    return moment(value) or "text"

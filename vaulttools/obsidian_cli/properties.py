"""Answers `properties` and `property:read` from the tool `properties`, and from one note."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from vaulttools.answers.request import parse
from vaulttools.call import Call
from vaulttools.core.folding.identity import identity
from vaulttools.notes.properties import numerals
from vaulttools.notes.properties.values import Value, resolve
from vaulttools.obsidian_cli import targets
from vaulttools.obsidian_cli.asked import Asked
from vaulttools.obsidian_cli.said import MOST, AppError, NotBuilt, Said, as_json, ensure_all, lines, number
from vaulttools.tools import properties as tool
from vaulttools.tools.properties import PropertyCount

_NONE: Final = "No frontmatter found."

_TYPES: Final = {"list": "multitext", "mapping": "unknown", "empty": "unknown"}
"""The app's names of types that have other names here."""


def properties(call: Call, asked: Asked) -> Said:
    """Returns the properties of all notes by name, or those of one note in their order."""
    path = targets.optional_file(call, asked)
    if path is not None:
        return _of_file(call, asked, path)
    wanted = asked.values.get("name")
    answered = tool.run(call, parse(tool.TOOL.request, {"limit": MOST, **({"name": wanted} if wanted else {})}))
    ensure_all(answered.total_properties)
    if wanted is not None:
        return number(sum(each.notes for each in answered.properties))
    if asked.has("total"):
        return number(answered.total_properties)
    found = sorted(answered.properties, key=lambda each: identity(each.name))
    if asked.values.get("sort") == "count":
        found.sort(key=lambda each: -each.notes)
    if found and asked.format == "json":
        return Said(as_json([{"name": each.name, "type": _type(each), "count": each.notes} for each in found]))
    rows = [f"{each.name}\t{each.notes}" if asked.has("counts") else each.name for each in found]
    return lines(rows, "No properties found.")


def read(call: Call, asked: Asked) -> Said:
    """Returns the value of a property: a list has an element a line.

    Raises:
        AppError: the note has no such property.
    """
    held = targets.note(call, asked).properties
    name = asked.values["name"]
    found = name if name in held else next((each for each in held if identity(each) == identity(name)), None)
    if found is None:
        raise AppError(f'Property "{name}" not found.')
    value = held[found]
    if isinstance(value, list):
        return lines(list(map(_text, value)), "(empty)")
    return Said(_text(value))


def _of_file(call: Call, asked: Asked, path: str) -> Said:
    held = targets.note_at(call, path).properties
    if asked.has("total"):
        return number(len(held))
    if not held:
        return Said(_NONE, found=False)
    if (wanted := asked.values.get("name")) is not None:
        return number(sum(identity(name) == identity(wanted) for name in held))
    if asked.format == "json":
        return Said(as_json(numerals.plain(dict(held))))
    if asked.format == "tsv":
        raise NotBuilt("format=tsv of properties of one file is not built, since its form is not known: use yaml, json")
    return Said("\n".join(row for name, value in held.items() for row in _yaml(name, value)))


def _type(each: PropertyCount) -> str:
    folded = identity(each.name)
    return folded if folded in ("aliases", "tags") else _TYPES.get(each.type, each.type)


def _text(value: Value) -> str:
    """Returns a value as the app prints it."""
    if value is None or value == "":
        return "(empty)"
    if isinstance(value, dict):
        return "[object Object]"
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(numerals.plain(value))


def _yaml(name: str, value: Value) -> Iterator[str]:
    """Yields the lines of a property as YAML; what is nested deeper is written as JSON, which YAML holds."""
    key = _word(name)
    if isinstance(value, list) and value:
        yield f"{key}:"
        yield from (f"  - {_word(each)}" for each in value)
    else:
        yield f"{key}: {'' if value is None else _word(value)}".rstrip()


def _word(value: Any) -> str:
    return value if isinstance(value, str) and _is_plain(value) else as_json(numerals.plain(value))


def _is_plain(text: str) -> bool:
    """Whether YAML reads a word without quotes as this text."""
    if not text or text != text.strip() or not text.isprintable() or text[0] in _SIGNS or text.endswith(":"):
        return False
    return ": " not in text and " #" not in text and resolve(text)[0] == text


_SIGNS: Final = "-?:,[]{}#&*!|>'\"%@`"
"""Signs with which no plain word of YAML begins."""

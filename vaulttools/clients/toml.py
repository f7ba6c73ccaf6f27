"""Sets and removes one table of a TOML file, keeping every other byte."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit

from vaulttools.clients.jsonc import MalformedConfig, NotAnObject, at, newline_of
from vaulttools.core import toml_text

_LINE = re.compile(r"at line (\d+)")


def read(text: str) -> dict[str, Any]:
    """Parse a TOML text.

    Raises:
        MalformedConfig: it is not TOML.
    """
    try:
        return toml_text.parsed(text)
    except ValueError as error:
        found = _LINE.search(str(error))
        line = int(found[1]) if found is not None else text.count("\n") + 1
        raise MalformedConfig(line, "it breaks the rules of TOML") from None


def put(text: str, path: Sequence[str], values: Mapping[str, Any]) -> str:
    """Returns the text with `values` in the table at `path`; a missing table is appended.

    Raises:
        MalformedConfig: the text is not TOML.
        NotAnObject: a value on the path is not a table, or is an inline table, which cannot be extended.
    """
    if _table(text, path) is None:
        separator = newline_of(text) if text else ""
        added = f"{text}{separator}{printed(path, values, newline_of(text))}"
        try:
            toml_text.parsed(added)
        except ValueError:
            raise NotAnObject(path[0]) from None
        return added
    document = tomlkit.parse(text)
    table: Any = document
    for key in path:
        table = table[key]
    for key, value in values.items():
        if table.get(key) != value:
            table[key] = value
    return tomlkit.dumps(document)


def removed(text: str, path: Sequence[str], known: Sequence[str]) -> str:
    """Returns the text without the table at `path`; what `put` appended is removed to the byte.

    `known` are the keys that `put` wrote, in order.

    Raises:
        MalformedConfig: the text is not TOML.
        NotAnObject: a value on the path is not a table.
    """
    table = _table(text, path)
    if table is None:
        return text
    appended = printed(path, {key: table[key] for key in known if key in table}, newline_of(text))
    before, found, after = text.rpartition(appended)
    if found and set(table) <= set(known) and (not before or before.endswith("\n")):
        return before.removesuffix(newline_of(text)) + after
    document = tomlkit.parse(text)
    holder: Any = document
    for key in path[:-1]:
        holder = holder[key]
    holder.remove(path[-1])
    return tomlkit.dumps(document)


def printed(path: Sequence[str], values: Mapping[str, Any], newline: str) -> str:
    """Format the table as lines."""
    lines = [f"[{'.'.join(path)}]", *(f"{key} = {_value(value)}" for key, value in values.items())]
    return "".join(f"{line}{newline}" for line in lines)


def _value(value: Any) -> str:
    item: tomlkit.items.Item = tomlkit.item(value)
    return item.as_string()


def _table(text: str, path: Sequence[str]) -> dict[str, Any] | None:
    held = at(read(text), path)
    if not isinstance(held, dict | None):
        raise NotAnObject(path[-1])
    return held

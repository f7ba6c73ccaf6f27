"""Computes the new content of a client's settings file, and a diff of our entry."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from tomlkit.exceptions import TOMLKitError

from vaulttools.clients import jsonc, toml
from vaulttools.clients.jsonc import MalformedConfig, NotAnObject
from vaulttools.clients.registry import Client
from vaulttools.core.render import visible

Action: TypeAlias = Literal["add", "update", "remove", "none"]

OURS: Final = ("type", "command", "args")
"""The keys of an entry that we write, in order; other keys belong to the user and are kept."""

_BOM: Final = "\ufeff"


class Unchangeable(Exception):
    """The file cannot be changed without risk; the message says why, and quotes nothing of the file."""


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """The change of one file."""

    client: Client
    file: Path
    action: Action
    before: bytes | None
    """The content of the file; None if it does not exist."""
    after: bytes | None
    """The new content; None removes the file."""
    lines: tuple[str, ...] = ()
    """A diff of our own block only."""
    backup: bytes | None = None
    """The new content of the backup; None leaves it unchanged."""


def added(
    client: Client, file: Path, before: bytes | None, backup: bytes | None, entry: Mapping[str, Any], name: str
) -> ConfigChange:
    """Returns the change that adds the entry; `backup` is the content of an earlier backup.

    Raises:
        Unchangeable: the file is broken, or has something else in that place.
    """
    text = _Text(client, file, before, name)
    values = {"type": "stdio", **entry} if client.is_typed else dict(entry)
    old = text.entry()
    if old is not None and "url" in old:
        raise Unchangeable(f"its {name} is a server at an address: remove it first, with --remove")
    if old is not None and all(old.get(key) == value for key, value in values.items()):
        return ConfigChange(client, file, "none", before, before)
    after = text.put(values)
    lines = _difference(client, name, old, {**(old or {}), **values})
    if old is None:
        return ConfigChange(client, file, "add", before, after, lines, backup=before)
    # A backup keeps the file without our entry; a file with nothing else needs none.
    is_ours = removed(client, file, before, None, name).after is None
    return ConfigChange(
        client, file, "update", before, after, lines, backup=before if backup is None and not is_ours else None
    )


def removed(client: Client, file: Path, before: bytes | None, backup: bytes | None, name: str) -> ConfigChange:
    """Returns the change that removes the entry; if nobody else changed the file, it restores the original bytes.

    `backup` is the file from before `added`.

    Raises:
        Unchangeable: the file is broken.
    """
    text = _Text(client, file, before, name)
    old = text.entry()
    if old is None:
        return ConfigChange(client, file, "none", before, before)
    ours: dict[str, Any] = {key: old[key] for key in OURS if key in old}
    lines = _difference(client, name, old, None)
    for origin in (backup, None) if backup is not None else (None,):
        if _becomes(client, file, origin, ours, name) == before:
            return ConfigChange(client, file, "remove", before, origin, lines)
    return ConfigChange(client, file, "remove", before, text.removed(), lines)


def _becomes(client: Client, file: Path, origin: bytes | None, ours: Mapping[str, Any], name: str) -> bytes | None:
    try:
        text = _Text(client, file, origin, name)
        return text.put(ours) if text.entry() is None else None
    except Unchangeable:
        return None


class _Text:
    """Reads the entry in a file's text, sets it or removes it; each edit is checked by reading the result again."""

    def __init__(self, client: Client, file: Path, content: bytes | None, name: str) -> None:
        try:
            text = (content or b"").decode("utf-8")
        except UnicodeDecodeError:
            raise Unchangeable("it is not UTF-8") from None
        self._bom = _BOM if text.startswith(_BOM) else ""
        self._text = text.removeprefix(_BOM)
        self._is_toml = file.suffix == ".toml"
        self._path = (client.servers, name)
        try:
            self._before = self._without_ours(self._text)
        except MalformedConfig as error:
            form = "TOML" if self._is_toml else "JSON"
            raise Unchangeable(f"it cannot be read as {form}: {error}") from None
        except NotAnObject as error:
            raise Unchangeable(_no_object(error)) from None

    def entry(self) -> dict[str, Any] | None:
        """Returns our entry; None if there is none."""
        try:
            found = jsonc.at(self._read(self._text), self._path)
        except NotAnObject as error:
            raise Unchangeable(_no_object(error)) from None
        if found is not None and not isinstance(found, dict):
            raise Unchangeable(f"its {self._path[1]} is not an object")
        return found

    def put(self, values: Mapping[str, Any]) -> bytes:
        """Returns the content with `values` in our entry."""
        try:
            if self._is_toml:
                text = toml.put(self._text, self._path, values)
            elif self.entry() is None:
                text = jsonc.put(self._text, self._path, dict(values))
            else:
                text = self._text
                for key, value in values.items():
                    text = jsonc.put(text, (*self._path, key), value)
        except NotAnObject as error:
            raise Unchangeable(_no_object(error)) from None
        except TOMLKitError:
            raise Unchangeable("it cannot be changed safely") from None
        return self._checked(text, values)

    def removed(self) -> bytes:
        """Returns the content without our entry."""
        try:
            if self._is_toml:
                text = toml.removed(self._text, self._path, OURS)
            else:
                text = jsonc.removed(self._text, self._path)
        except TOMLKitError:
            raise Unchangeable("it cannot be changed safely") from None
        return self._checked(text, None)

    def _checked(self, text: str, values: Mapping[str, Any] | None) -> bytes:
        """Returns the text as bytes, if our entry reads as intended and everything else as before."""
        entry = jsonc.at(self._read(text), self._path)
        holds = entry is None if values is None else all(entry.get(key) == values[key] for key in values)
        if not holds or self._without_ours(text) != self._before:
            raise Unchangeable("it cannot be changed safely")
        return (self._bom + text).encode("utf-8")

    def _read(self, text: str) -> Any:
        """Parse the text into dicts and lists."""
        if self._is_toml:
            return toml.read(text)
        return _pairs_as_dicts(jsonc.read(text)) if text.strip() else {}

    def _without_ours(self, text: str) -> Any:
        """Returns everything except our entry; an empty object of servers counts as missing.

        JSON objects are tuples of pairs here, so that order and repeated keys are compared too.
        """
        if self._is_toml:
            return _dropped(toml.read(text), self._path)
        return _dropped(jsonc.read(text), self._path) if text.strip() else ()


def _dropped(pairs: Any, path: Sequence[str]) -> Any:
    if isinstance(pairs, Mapping):
        pairs = tuple(pairs.items())
    if not isinstance(pairs, tuple):
        return pairs
    key, *below = path
    if not below:
        return tuple(pair for pair in pairs if pair[0] != key)
    kept = ((name, _dropped(value, below) if name == key else value) for name, value in pairs)
    return tuple(pair for pair in kept if pair != (key, ()))


def _pairs_as_dicts(value: Any) -> Any:
    if isinstance(value, tuple):
        return {key: _pairs_as_dicts(each) for key, each in value}
    return list(map(_pairs_as_dicts, value)) if isinstance(value, list) else value


def _no_object(error: NotAnObject) -> str:
    return f"its {error.key} is not an object that can be added to" if error.key else "it is not an object"


def _difference(
    client: Client, name: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None
) -> tuple[str, ...]:
    """Compare our own keys; other keys of the entry may hold a user's secrets, so they are only counted."""
    before, after = (_block(client, name, entry) if entry is not None else [] for entry in (old, new))
    compared = difflib.unified_diff(before, after, n=len(before) + len(after), lineterm="")
    lines = [visible(f"{line[0]} {line[1:]}") for line in list(compared)[3:]]  # without the file names and positions
    others = [key for key in old or () if key not in OURS]
    if others:
        gone = "-" if new is None else " "
        lines.append(f"{gone} … {len(others)} more {'setting' if len(others) == 1 else 'settings'} of this entry")
    return tuple(lines)


def _block(client: Client, name: str, entry: Mapping[str, Any]) -> list[str]:
    values = {key: entry[key] for key in OURS if key in entry}
    if client.servers == "mcp_servers":
        return toml.printed((client.servers, name), values, "\n").splitlines()
    return f"{json.dumps(name)}: {jsonc.printed(values, '', '  ', chr(10))}".splitlines()

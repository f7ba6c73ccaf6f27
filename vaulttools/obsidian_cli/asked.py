"""Reads a command line of the app's form: `vault=NAME COMMAND key=value flag`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from vaulttools.core import spelling
from vaulttools.obsidian_cli.commands import BY_NAME, Command
from vaulttools.obsidian_cli.said import AppError, NotBuilt

_NAMES = 3
"""As many similar names as the app offers."""


@dataclass(slots=True)
class Asked:
    """One command with what it was given."""

    command: Command
    values: dict[str, str] = field(default_factory=dict)
    """Parameters by name, without `format`."""
    flags: set[str] = field(default_factory=set)
    also: list[str] = field(default_factory=list)
    """Further wordings of a question; each `also=` is one."""
    words: list[str] = field(default_factory=list)
    """What is no parameter or flag of the command."""
    format: str = ""
    """One of the command's; its default if none was given or the app would not know it."""
    told: list[str] = field(default_factory=list)
    """Sentences about what was ignored."""

    def has(self, flag: str) -> bool:
        """Whether a flag was given."""
        return flag in self.flags

    @property
    def limit(self) -> int | None:
        """The most files; None for no limit, which the app also reads in zero and negative numbers."""
        text = self.values.get("limit", "")
        return int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text) > 0 else None


def vault_of(words: list[str]) -> str | None:
    """Remove `vault=` from the words, before or after the command; return its value, or None."""
    given = [word for word in words if word.startswith("vault=")]
    words[:] = [word for word in words if not word.startswith("vault=")]
    return given[0].removeprefix("vault=") if given else None


def read(words: Sequence[str]) -> Asked:
    """Returns what the words ask for.

    Raises:
        NotBuilt: the command, a parameter or the format is not built here.
        AppError: there is no such command, or a required parameter is missing.
    """
    if not words:
        raise NotBuilt("obsidian without a command opens the app's terminal interface: that needs the app")
    name, *rest = words
    command = BY_NAME.get(name)
    if command is None:
        raise AppError(_unknown(name))
    if command.refused:
        raise NotBuilt(f"{name} {command.refused}")
    asked = Asked(command)
    known = {each.name: each for each in command.parameters}
    for word in rest:
        key, is_value, value = word.partition("=")
        key = key.removeprefix("--")
        if key == "copy" and not is_value:
            asked.told.append("--copy needs the app's clipboard: nothing was copied.")
        elif key == "format" and is_value:
            asked.format = value
        elif key == "also" and is_value and "also" in known:
            asked.also.append(value)
        elif key in known and bool(known[key].value) == bool(is_value):
            if known[key].known == "refused":
                raise NotBuilt(f"{key} of {name} {known[key].about}")
            if is_value:
                asked.values[key] = value
            else:
                asked.flags.add(key)
        else:
            asked.words.append(word)
    if not command.takes_words:
        asked.told += [f'"{word}" is no parameter or flag of {name}: it was ignored.' for word in asked.words]
    if "limit" in asked.values and asked.limit is None:
        asked.told.append(f'limit="{asked.values["limit"]}" is no number above zero: there is no limit.')
    asked.format = _format(asked, name)
    for each in command.parameters:
        if each.is_required and each.name not in asked.values:
            needed = " ".join(f"{other.name}={other.value}" for other in command.parameters if other.is_required)
            raise AppError(f"Missing required parameter: {each.name}={each.value}\nUsage: {name} {needed}")
    return asked


def _format(asked: Asked, name: str) -> str:
    formats = asked.command.formats
    default = next(iter(formats), "")
    if not asked.format:
        return default
    others = ", ".join(each for each, known in formats.items() if known != "refused")
    if formats.get(asked.format) == "refused":
        raise NotBuilt(f"format={asked.format} of {name} is not built, since its form is not known: use {others}")
    if asked.format in formats:
        return asked.format
    instead = f"It has {others}; this is {default}" if formats else "It has one form"
    asked.told.append(f"format={asked.format} means nothing to {name} and was ignored. {instead}.")
    return default


def _unknown(name: str) -> str:
    near = spelling.closest(name, BY_NAME)[:_NAMES]
    hint = f"Did you mean: {', '.join(near)}?" if near else "It may require a plugin to be enabled."
    return f'Command "{name}" not found. {hint}'

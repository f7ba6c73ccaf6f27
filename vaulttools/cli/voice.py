"""Writes the next step of an answer as a command that can be pasted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vaulttools.answers.request import Request
from vaulttools.cli import options
from vaulttools.cli.command_line import quoted
from vaulttools.core.voice import Voice


class Commands(Voice):
    """Speaks to those who use the command line."""

    def __init__(self, request: type[Request], vaults: Sequence[str]) -> None:
        """`request` is that of the tool that answers, `vaults` what `--vault` was given."""
        self._request = request
        self._program = ["vaulttools", *(word for vault in vaults for word in ("--vault", vault))]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """A whole command."""
        words = options.words(arguments)
        return " ".join(map(quoted, [*self._program, tool.replace("_", "-"), *words]))

    def name(self, argument: str) -> str:
        """The name of an option, or of what is positional."""
        return options.name(self._request, argument)

    def given(self, argument: str, value: object) -> str:
        """An option with its value."""
        return " ".join(map(quoted, options.words({argument: value})))

    def set(self, argument: str, value: str | int) -> str:
        """The beginning of a sentence that has an option used."""
        return f"Use {options.name(self._request, argument)} {value}"

    def again(self, tool: str, same: Mapping[str, Any], changed: Mapping[str, Any], instead: str = "") -> str:
        """A command that goes on, for a line of its own: without a full stop."""
        return f"Continue with: {self.call(tool, {**same, **changed})}"

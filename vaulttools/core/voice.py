"""Writes the next step as a call; `cli/options` writes it as a command."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from vaulttools.core import render


class Voice:
    """Speaks to those who call tools by their names with JSON: models, Python, REST."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """A whole call: `read {"note": "plan.md"}`. What a line shows as an escape is one that JSON has."""
        written = json.dumps(arguments, ensure_ascii=False)
        return f"{tool} {written if render.visible(written) == written else json.dumps(arguments)}"

    def name(self, argument: str) -> str:
        """The name of an argument of the tool that answers: `max_results`."""
        return argument

    def given(self, argument: str, value: object) -> str:
        """An argument with a value: `skip=20`."""
        return f"{argument}={json.dumps(value, ensure_ascii=False)}"

    def set(self, argument: str, value: str | int) -> str:
        """The beginning of a sentence that has an argument set: `Set page to 2`."""
        return f"Set {argument} to {value if isinstance(value, str) else f'{value:,}'}"

    def again(self, tool: str, same: Mapping[str, Any], changed: Mapping[str, Any], instead: str = "") -> str:
        """A sentence that has a call made again, with some arguments changed and one left out."""
        given = ", ".join(self.given(argument, value) for argument, value in changed.items())
        return f"Continue with {given}{f' instead of {instead}' if instead else ''}."

    def embedding(self) -> str:
        """What embeds the notes that are not yet; "": it goes on behind the calls."""
        return ""


CALLS: Final = Voice()
"""What speaks unless a face says otherwise."""

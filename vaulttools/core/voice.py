"""Writes suggested next steps as tool calls; `cli/options` writes them as commands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from vaulttools.core import render


class Voice:
    """Addresses callers that call tools by name with JSON: models, Python, REST."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Returns a complete call: `read {"note": "plan.md"}`. Unsafe characters become JSON escapes."""
        written = json.dumps(arguments, ensure_ascii=False)
        return f"{tool} {written if render.visible(written) == written else json.dumps(arguments)}"

    def name(self, argument: str) -> str:
        """Returns the name of an argument of the answering tool: `max_results`."""
        return argument

    def given(self, argument: str, value: object) -> str:
        """Returns an argument with a value: `skip=20`."""
        return f"{argument}={json.dumps(value, ensure_ascii=False)}"

    def set(self, argument: str, value: str | int) -> str:
        """Returns the beginning of a sentence that sets an argument: `Set page to 2`."""
        return f"Set {argument} to {value if isinstance(value, str) else f'{value:,}'}"

    def again(self, tool: str, same: Mapping[str, Any], changed: Mapping[str, Any], instead: str = "") -> str:
        """Returns a sentence that asks for the same call with some arguments changed and one left out."""
        given = ", ".join(self.given(argument, value) for argument, value in changed.items())
        return f"Continue with {given}{f' instead of {instead}' if instead else ''}."

    def embedding(self) -> str:
        """Returns how to embed the remaining notes; "": this happens in the background."""
        return ""


CALLS: Final = Voice()
"""The default voice."""

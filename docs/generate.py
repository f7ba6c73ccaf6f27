"""Writes what is derived: the methods of `Vault`, and what `pages` finds in the documentation.

`python docs/generate.py` writes, `python docs/generate.py --check` exits with 1 and names the files that differ.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pages import REPOSITORY, pages

from vaulttools import tools
from vaulttools.answers.file_match import FileStream
from vaulttools.answers.request import PATHS
from vaulttools.answers.tool import Tool
from vaulttools.cli import options as cli_options

_BOUND = "max_results"
"""The argument that a stream does not have."""


def generated() -> dict[Path, str]:
    """Every file that is derived, whole or in part, with the text it should have."""
    return {
        REPOSITORY / "vaulttools" / "methods.py": methods(),
        REPOSITORY / "server.json": _server(),
        **pages(),
    }


def _server() -> str:
    """`server.json`, as the MCP registry takes it."""
    described = runpy.run_path(str(REPOSITORY / "distribution" / "described.py"))["server"]()
    return f"{json.dumps(described, indent=2)}\n"


def methods() -> str:
    """The module that gives `Vault` one typed method a tool."""
    all_tools = [tools.named(name) for name in tools.NAMES]
    answers = (tool.answer for tool in all_tools)
    imports = sorted(f"    from {each.__module__} import {each.__name__}" for each in (FileStream, *answers))
    written = [_method(tool) for tool in all_tools] + [_stream(tool) for tool in all_tools if tool.stream]
    return "\n".join([_HEAD.replace("    IMPORTS", "\n".join(imports)), *written])


_HEAD = '''\
"""Declares one typed method a tool; `docs/generate.py` writes this file from the registry."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from threading import Event
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    IMPORTS


def _arguments(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a tool among the local names of its method."""
    return {name: value for name, value in given.items() if name not in ("self", "cancel", "on_progress")}


class ToolMethods(ABC):
    """The tools of the registry as methods; `Vault` says how one is run."""

    @abstractmethod
    def answer(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> Any:
        """The answer of a tool."""

    @abstractmethod
    def stream(self, name: str, arguments: Mapping[str, Any], *, cancel: Event | None = None) -> FileStream:
        """What a tool finds, file by file."""
'''

_METHOD = '''\
    def {name}(
        self,
        {signature}
        on_progress: Callable[[str], None] | None = None,
    ) -> {answer}:
        """{summary}: see `docs/tools/{name}.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            {explained}
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """
        return self.answer("{name}", _arguments(locals()), cancel=cancel, on_progress=on_progress)
'''

_STREAM = '''\
    def iter_{name}(
        self,
        {signature}
    ) -> FileStream:
        """Every file that `{name}` finds, one by one, with its arguments but `{bound}`.

        Raises:
            VaultToolsError: with the sentence that `Vault.call` returns.
        """
        return self.stream("{name}", _arguments(locals()), cancel=cancel)
'''


def _method(tool: Tool[Any, Any]) -> str:
    explained = (f"{option.field}: {option.words}" for option in cli_options.options(tool.request))
    return _METHOD.format(
        name=tool.name,
        signature=_signature(tool),
        answer=tool.answer.__name__,
        summary=tool.summary,
        explained=f"\n{' ' * 12}".join(explained),
    )


def _stream(tool: Tool[Any, Any]) -> str:
    """The method that gives all that a tool finds file by file: the same arguments but for the bound."""
    return _STREAM.format(name=tool.name, signature=_signature(tool, without=_BOUND), bound=_BOUND)


def _signature(tool: Tool[Any, Any], without: str | None = None) -> str:
    lines = []
    for name, field in tool.request.model_fields.items():
        if name == without:
            continue
        if not field.is_required() and name not in tool.request.positional and "*," not in lines:
            lines.append("*,")
        default = f'"{field.default}"' if isinstance(field.default, str) else repr(field.default)
        lines.append(f"{name}: {_typed(name, field.annotation)}{'' if field.is_required() else f' = {default}'},")
    if "*," not in lines:
        lines.append("*,")
    return f"\n{' ' * 8}".join([*lines, "cancel: Event | None = None,"])


def _typed(name: str, annotation: Any) -> str:
    """The type of an argument; one that asks for a path takes path objects."""
    typed = _annotation(annotation)
    if name not in PATHS:
        return typed
    return typed.replace("list[str]", "Sequence[str | PathLike[str]]").replace("str", "str | PathLike[str]", 1)


def _annotation(annotation: Any) -> str:
    if annotation is type(None):
        return "None"
    if get_origin(annotation) is Literal:
        return f"Literal[{', '.join(chr(34) + str(value) + chr(34) for value in get_args(annotation))}]"
    arguments = get_args(annotation)
    if hasattr(annotation, "__metadata__"):
        return _annotation(arguments[0])
    if annotation is list or get_origin(annotation) is list:
        return f"str | list[{_annotation(arguments[0])}]"
    if get_origin(annotation) is dict:
        return f"dict[{', '.join(map(_annotation, arguments))}]"
    if arguments:
        return " | ".join(map(_annotation, arguments))
    return str(annotation.__name__)


def main() -> int:
    """Write the derived files, or check them."""
    os.environ["VAULTTOOLS_MEANING"] = "off"  # the pages show what the plain package prints
    derived = generated()
    differing = [
        path for path, text in derived.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if "--check" in sys.argv:
        for path in differing:
            print(f"{path.relative_to(REPOSITORY)} differs; run: python docs/generate.py")
        return 1 if differing else 0
    for path in differing:
        path.write_text(derived[path], encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

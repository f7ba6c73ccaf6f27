"""Writes derived files: the methods of `Vault`, the licences of others, and the marked parts of the documentation.

`python docs/generate.py` writes, `python docs/generate.py --check` exits with 1 and names the files that differ.
"""

from __future__ import annotations

import inspect
import json
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pages import REPOSITORY, pages

from vaulttools import tools
from vaulttools.answers.shown_lines import FileStream
from vaulttools.tools import signatures

DISTRIBUTION = REPOSITORY / "distribution"


def generated() -> dict[Path, str]:
    """Return every file that is derived, completely or in part, with its correct text."""
    return {
        REPOSITORY / "vaulttools" / "methods.pyi": methods(),
        **_described(),
        REPOSITORY / "THIRD-PARTY-LICENSES.txt": runpy.run_path(str(DISTRIBUTION / "licences.py"))["text"](),
        **pages(),
    }


def _described() -> dict[Path, str]:
    """Return what describes the server to the MCP registry and to assistants."""
    described = runpy.run_path(str(DISTRIBUTION / "described.py"))
    files = {
        "server.json": "server",
        ".claude-plugin/plugin.json": "plugin",
        ".claude-plugin/marketplace.json": "marketplace",
        "gemini-extension.json": "extension",
    }
    return {REPOSITORY / path: f"{json.dumps(described[name](), indent=2)}\n" for path, name in files.items()}


def methods() -> str:
    """Return the declarations of the methods that `Vault` gets from the registry."""
    all_tools = [tools.named(name) for name in tools.NAMES]
    answers = (tool.answer for tool in all_tools)
    imports = sorted(f"from {each.__module__} import {each.__name__}" for each in (FileStream, *answers))
    made = [signatures.method(tool) for tool in all_tools]
    made += [signatures.method(tool, is_stream=True) for tool in all_tools if tool.stream]
    return _HEAD.replace("IMPORTS", "\n".join(imports)) + "\n".join(map(_declaration, made))


_HEAD = '''\
"""Declares the method of each tool; `docs/generate.py` writes this file from the registry."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from threading import Event
from typing import Any, Literal

IMPORTS

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
    ) -> Any: ...
    @abstractmethod
    def stream(self, name: str, arguments: Mapping[str, Any], *, cancel: Event | None = None) -> FileStream: ...
'''


def _declaration(method: Callable[..., Any]) -> str:
    signature = inspect.signature(method)
    lines: list[str] = []
    for name, each in signature.parameters.items():
        if each.kind is each.KEYWORD_ONLY and "*" not in lines:
            lines.append("*")
        default = f'"{each.default}"' if isinstance(each.default, str) else repr(each.default)
        typed = "" if name == "self" else f": {each.annotation}"
        lines.append(f"{name}{typed}{'' if each.default is each.empty else f' = {default}'}")
    parameters = "".join(f"        {line},\n" for line in lines)
    words = (method.__doc__ or "").rstrip().replace("\n", "\n        ").replace("\n        \n", "\n\n")
    return (
        f"    def {method.__name__}(\n{parameters}    ) -> {signature.return_annotation}:\n"
        f'        """{words}\n        """\n'
    )


def main() -> int:
    """Write the derived files, or check them."""
    os.environ["VAULTTOOLS_MEANING"] = "off"  # the pages show the output of the plain package
    os.environ["COLUMNS"] = "100"
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

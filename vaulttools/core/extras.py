"""Says how an extra of the package is installed beside what is there."""

from __future__ import annotations

import sys
from pathlib import PurePath
from typing import Final

_ALL: Final = ("mcp", "serve", "files", "semantic")
"""`uv tool` and `pipx` install anew what their command names, so it names all extras."""

_INSTALLERS: Final = ((("uv", "tools", "vaulttools"), "uv tool"), (("pipx", "venvs", "vaulttools"), "pipx"))
"""The end of the folder of each program's environment, and its command."""


def install(extra: str, prefix: str = sys.prefix) -> str:
    """Returns the command that installs an extra, with where to run it. `prefix` is the environment's folder: those of
    `uv tool` and `pipx` have commands of their own."""
    parts = PurePath(prefix).parts
    for ending, command in _INSTALLERS:
        if parts[-len(ending) :] == ending:
            return f"{command} install --force '.[{','.join(_ALL)}]' in the checkout"
    return f"pip install '.[{extra}]' in the checkout"

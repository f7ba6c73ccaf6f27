"""Says how modules of this package are run in Python processes of their own."""

from __future__ import annotations

import os
import sys


def can_start() -> bool:
    """Whether `sys.executable` is a Python: in a frozen program it is that program."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def command(module: str, *arguments: str) -> list[str]:
    """What runs a module with some arguments."""
    # -P: the working folder may be a vault, and what lies there must not be imported.
    return [sys.executable, "-P", "-m", module, *arguments]


def give_way(steps: int) -> None:
    """Lower the priority of this process by so many of the 19 steps there are; Windows has none of these."""
    if hasattr(os, "nice"):
        os.nice(steps)

"""Says how modules of this package are run in Python processes of their own."""

from __future__ import annotations

import os
import sys
from typing import Final

_ROOT: Final = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder that holds this package."""

_FROM_ROOT: Final = """\
import runpy, sys
sys.path.append(sys.argv.pop(1))
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""


def can_start() -> bool:
    """Whether `sys.executable` is a Python: in a frozen program it is that program."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def command(module: str, *arguments: str) -> list[str]:
    """What runs a module with some arguments."""
    # -P: the working folder may be a vault, and what lies there must not be imported. -I means that too.
    safe = "-I" if sys.flags.isolated else "-P"
    if sys.flags.safe_path or sys.path[:1] != [_ROOT]:
        return [sys.executable, safe, "-m", module, *arguments]
    # `python -m vaulttools` in a checkout: it need not be installed, and then only this process would find it.
    return [sys.executable, safe, "-c", _FROM_ROOT, _ROOT, module, *arguments]


def give_way(steps: int) -> None:
    """Lower the priority of this process by so many of the 19 steps there are; Windows has none of these."""
    if hasattr(os, "nice"):
        os.nice(steps)

"""Decides whether Ctrl-C ends the process at once, or raises `KeyboardInterrupt`.

It ends the process while modules are imported. `KeyboardInterrupt` among imports comes out as what the imported module
makes of it: a `SchemaError` of pydantic, a `RuntimeError` of `__set_name__`, or nothing, so that the process goes on.
"""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import Final

INTERRUPTED: Final = 130
"""The exit status after Ctrl-C: 128 and the number of the signal, as shells have it."""


def end_at_once() -> None:
    """From here on Ctrl-C ends the process. Nothing where it is ignored or handled by others."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def raise_again() -> None:
    """From here on Ctrl-C raises `KeyboardInterrupt`, if `end_at_once` changed that."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)

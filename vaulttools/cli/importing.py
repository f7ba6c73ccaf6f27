"""Decides what Ctrl-C does, and whether garbage is collected, while modules are imported.

Ctrl-C ends the process while modules are imported. `KeyboardInterrupt` among imports comes out as what the imported
module makes of it: a `SchemaError` of pydantic, a `RuntimeError` of `__set_name__`, or nothing, so that the process
goes on.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def importing_much() -> Iterator[None]:
    """No search for garbage among what imports make, all of which stays: 0.25 of 1 s. Ctrl-C ends the process."""
    end_at_once()
    gc.disable()
    try:
        yield
    finally:
        collect()
        raise_again()


def collect() -> None:
    """Have garbage collected from now on, and not looked for in what was imported."""
    gc.freeze()
    gc.enable()


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)

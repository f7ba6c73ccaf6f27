"""Controls Ctrl-C and the garbage collector during imports, and defers some imports.

During imports, Ctrl-C ends the process. A `KeyboardInterrupt` would surface as whatever the imported module turns it
into: a `SchemaError` of pydantic, a `RuntimeError` of `__set_name__`, or nothing, so that the process continues.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec
from types import FrameType, ModuleType
from typing import Any, Final

INTERRUPTED: Final = 130
"""The exit status after Ctrl-C: 128 plus the number of the signal, as in shells."""


def end_at_once() -> None:
    """Let Ctrl-C end the process from here on, unless it is ignored or has another handler."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def raise_again() -> None:
    """Let Ctrl-C raise `KeyboardInterrupt` again, if `end_at_once` changed that."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def importing_much() -> Iterator[None]:
    """Import without garbage collection, which would take 0.25 of 1 s: everything stays. Ctrl-C ends the process."""
    end_at_once()
    gc.disable()
    try:
        yield
    finally:
        collect()
        raise_again()


def collect() -> None:
    """Turn on garbage collection, but exclude what was imported so far."""
    gc.freeze()
    gc.enable()


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


_PACKAGES: Final = ("mcp", "mcp.server")
"""Importing these packages loads a client, an HTTP client and a server framework: 150 of the 600 ms of CPU for a
low-level server."""


def defer_packages() -> None:
    """Run the MCP SDK's package modules only when one of their names is first used. Their submodules are imported as
    usual; a package that is already imported stays as it is.

    Raises:
        ModuleNotFoundError: the SDK is not installed.
    """
    for name in _PACKAGES:
        if name not in sys.modules:
            sys.modules[name] = module = _deferred(name)
            parent, _, child = name.rpartition(".")
            if parent:
                setattr(sys.modules[parent], child, module)


def _deferred(name: str) -> ModuleType:
    spec = find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(name)
    loader, module = spec.loader, module_from_spec(spec)

    def used(attribute: str) -> Any:
        # Python calls this for names that the module lacks (PEP 562): all names, until the module has run.
        del module.__dict__["__getattr__"]
        loader.exec_module(module)
        return getattr(module, attribute)

    module.__dict__["__getattr__"] = used
    return module

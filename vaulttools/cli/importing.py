"""Decides what Ctrl-C and the garbage collector do while modules are imported, and defers some.

Ctrl-C ends the process while modules are imported. `KeyboardInterrupt` among imports comes out as what the imported
module makes of it: a `SchemaError` of pydantic, a `RuntimeError` of `__set_name__`, or nothing, so that the process
goes on.
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


_PACKAGES: Final = ("mcp", "mcp.server")
"""Their own modules import a client, an HTTP client and a framework for servers: 150 of the 600 ms of CPU that it takes
to import a low-level server."""


def defer_packages() -> None:
    """Have the packages of the MCP SDK run their own modules when one of their names is used first; their submodules
    are imported as ever. One that is imported already stays as it is.

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
        # Python asks here for names that the module lacks (PEP 562): all of them, until it has run.
        del module.__dict__["__getattr__"]
        loader.exec_module(module)
        return getattr(module, attribute)

    module.__dict__["__getattr__"] = used
    return module

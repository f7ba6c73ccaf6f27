"""Defers what the SDK's packages import for clients until it is asked for."""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any, Final

PACKAGES: Final = ("mcp", "mcp.server")
"""Their own modules import a client, an HTTP client and a framework for servers: 150 of the 600 ms of CPU that it takes
to import a low-level server."""


def defer() -> None:
    """Have each of these packages run its own module when one of its names is used first; its submodules are imported
    as ever. One that is imported already stays as it is.

    Raises:
        ModuleNotFoundError: the SDK is not installed.
    """
    for name in PACKAGES:
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

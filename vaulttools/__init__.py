"""vaulttools: search Markdown vaults. The public names are loaded on first use, so that `--version` stays instant."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vaulttools.config import VaultConfig
    from vaulttools.errors import (
        AccessDenied,
        BadArgument,
        BadArguments,
        Cancelled,
        InvalidGlob,
        InvalidPattern,
        InvalidQuery,
        OutsideVault,
        PathNotFound,
        RipgrepUnavailable,
        TooBroad,
        VaultToolsError,
    )
    from vaulttools.vault import ToolResult, Vault

__version__ = "0.1.0"

__all__ = [
    "AccessDenied",
    "BadArgument",
    "BadArguments",
    "Cancelled",
    "InvalidGlob",
    "InvalidPattern",
    "InvalidQuery",
    "OutsideVault",
    "PathNotFound",
    "RipgrepUnavailable",
    "TooBroad",
    "ToolResult",
    "Vault",
    "VaultConfig",
    "VaultToolsError",
    "__version__",
]

_HOMES = {"Vault": "vault", "ToolResult": "vault", "VaultConfig": "config"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)


def __dir__() -> list[str]:
    return __all__

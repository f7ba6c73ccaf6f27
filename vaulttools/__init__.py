"""Exports the public names of vaulttools, a search backend for Markdown vaults.

The names are loaded on first use, so that `--version` stays instant.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # like the one of `typing`, whose import takes half the time of `--version`
if TYPE_CHECKING:
    from typing import Any

    from vaulttools.answers.shown_lines import FileStream
    from vaulttools.config import VaultConfig
    from vaulttools.errors import (
        AccessDenied,
        AmbiguousName,
        BadArgument,
        BadArguments,
        Cancelled,
        InvalidBase,
        InvalidGlob,
        InvalidPattern,
        InvalidQuery,
        OutsideVault,
        PartNotFound,
        PathNotFound,
        PathTooLong,
        RipgrepUnavailable,
        TooBroad,
        VaultToolsError,
    )
    from vaulttools.index.upkeep import IndexStatus
    from vaulttools.meaning.background import MeaningStatus
    from vaulttools.vault import Snapshot, ToolResult, Vault

# onnxruntime reads this once, when it is imported, and would begin to report to its makers; with 0 or false it does.
# Every process of ours imports this package first, so this is the only place.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

__version__ = "0.4.0"

__all__ = [
    "AccessDenied",
    "AmbiguousName",
    "BadArgument",
    "BadArguments",
    "Cancelled",
    "FileStream",
    "IndexStatus",
    "InvalidBase",
    "InvalidGlob",
    "InvalidPattern",
    "InvalidQuery",
    "MeaningStatus",
    "OutsideVault",
    "PartNotFound",
    "PathNotFound",
    "PathTooLong",
    "RipgrepUnavailable",
    "Snapshot",
    "TooBroad",
    "ToolResult",
    "Vault",
    "VaultConfig",
    "VaultToolsError",
    "__version__",
]

_HOMES = {
    "FileStream": "answers.shown_lines",
    "IndexStatus": "index.upkeep",
    "MeaningStatus": "meaning.background",
    "Snapshot": "vault",
    "ToolResult": "vault",
    "Vault": "vault",
    "VaultConfig": "config",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)


def __dir__() -> list[str]:
    return __all__

"""Writes values as JSON for the details, and as text for a cell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from vaulttools.bases import numbers
from vaulttools.bases.values import Setting, Value, text_of
from vaulttools.core import paths


def plain(value: Value, setting: Setting) -> Any:
    """A value as JSON: numbers, texts, booleans, null, lists and objects as such, all others as their text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return numbers.simplest(value) if math.isfinite(value) else numbers.printed(value)
    if isinstance(value, str):
        return paths.portable(str(value))
    if isinstance(value, list):
        return [plain(element, setting) for element in value]
    if isinstance(value, Mapping):
        return {key: plain(held, setting) for key, held in value.items()}
    return paths.portable(text_of(value, setting))

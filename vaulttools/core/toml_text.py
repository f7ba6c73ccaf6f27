"""Parses TOML in bounded time."""

from __future__ import annotations

from typing import Any, Final

_COST: Final = 4_000_000
"""Most steps that `tomllib` may take for long keys, under a second: it walks all parts of a key for each of its parts,
and those of a table's name for each line."""


def parsed(text: str) -> dict[str, Any]:
    """Returns the tables of a text.

    Raises:
        ValueError: it is not TOML, its keys have too many parts, or its brackets are nested too deeply.
    """
    import tomllib

    dots = [line.count(".") for line in text.split("\n")]
    if len(dots) * max(dots) + sum(count * count for count in dots) > _COST:
        raise ValueError("a line has too many dots")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("its brackets are nested too deeply") from None

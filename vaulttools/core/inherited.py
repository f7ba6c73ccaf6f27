"""Keeps what a parent process opened, so that nothing in its child closes it."""

from __future__ import annotations

from typing import Final

_kept: Final[list[object]] = []


def keep(opened: object) -> None:
    """Keep it to the end: a child that closes its parent's SQLite file drops the parent's locks on it (fault-I21)."""
    _kept.append(opened)

"""Forks this process, and resets objects in the child that do not survive a fork.

A child does not inherit threads: a lock that one of them held stays locked for ever in the child.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final, Protocol
from weakref import WeakSet


class Renewed(Protocol):
    """An object with locks or other state of one process."""

    def reset_after_fork(self) -> None:
        """Returns to the initial state, in a child after a fork."""


_renewed: Final[WeakSet[Renewed]] = WeakSet()
_kept: Final[list[object]] = []


def renew(each: Renewed) -> None:
    """Register an object to be reset in every child, as long as it lives."""
    _renewed.add(each)


def keep(opened: object) -> None:
    """In a child, keep an object of the parent open until the end: closing the parent's SQLite file would release the
    parent's locks on it (fault-I21)."""
    _kept.append(opened)


def fork(run: Callable[[], None]) -> int:
    """Fork a child that runs a function and ends, with status 1 if the function raises; return its process id.

    Raises:
        OSError: the fork failed.
    """
    process = os.fork()
    if process:
        return process
    try:
        run()
        os._exit(0)
    finally:
        os._exit(1)


def _reset_all() -> None:
    for each in _renewed:
        each.reset_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all)

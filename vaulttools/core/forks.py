"""Forks this process, and resets in the child what does not outlive a fork.

Threads are not inherited: a lock that one of them held is held for ever in the child.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final, Protocol
from weakref import WeakSet


class Renewed(Protocol):
    """Holds locks, and what belongs to one process."""

    def reset_after_fork(self) -> None:
        """Be as new, in a child after a fork."""


_renewed: Final[WeakSet[Renewed]] = WeakSet()
_kept: Final[list[object]] = []


def renew(each: Renewed) -> None:
    """Have an object reset in every child, as long as it lives."""
    _renewed.add(each)


def keep(opened: object) -> None:
    """In a child, keep what its parent opened to the end: closing a SQLite file of the parent's would drop the parent's
    locks on it (fault-I21)."""
    _kept.append(opened)


def fork(run: Callable[[], None]) -> int:
    """Start a child that runs a function and ends, with status 1 when the function raises; its process id.

    Raises:
        OSError: there can be none.
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

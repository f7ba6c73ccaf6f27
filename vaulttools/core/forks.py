"""Resets objects in a child process after a fork.

Threads are not inherited: a lock that one of them held is held for ever in the child.
"""

from __future__ import annotations

import os
from typing import Final, Protocol
from weakref import WeakSet


class Renewed(Protocol):
    """Holds locks, and what belongs to one process."""

    def reset_after_fork(self) -> None:
        """Be as new, in a child after a fork."""


_all: Final[WeakSet[Renewed]] = WeakSet()


def renew(each: Renewed) -> None:
    """Have an object reset in every child, as long as it lives."""
    _all.add(each)


def _reset_all() -> None:
    for each in _all:
        each.reset_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all)

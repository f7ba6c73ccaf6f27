"""Lets objects begin anew in a child process after a fork.

Threads are not inherited: a lock that one of them held is held for ever in the child.
"""

from __future__ import annotations

import os
from typing import Final, Protocol
from weakref import WeakSet


class Renewed(Protocol):
    """Holds locks, and what belongs to one process."""

    def begin_anew(self) -> None:
        """Be as new, in a child after a fork."""


_all: Final[WeakSet[Renewed]] = WeakSet()


def renew(each: Renewed) -> None:
    """Have an object begin anew in every child, as long as it lives."""
    _all.add(each)


def _begin_anew() -> None:
    for each in _all:
        each.begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)

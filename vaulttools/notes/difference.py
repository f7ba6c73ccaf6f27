"""Defines how an answer about all notes follows the changes of some.

An answer never changes once it is made: the next one is made from it and shares with it what stays the same, so that
readers in other threads keep what they have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

F = TypeVar("F")
K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")


class Change(NamedTuple, Generic[F]):
    """What counts of one note, before and after; None where the note is not there, or not read."""

    path: str
    before: F | None
    after: F | None


class Draft(dict[K, D], Generic[K, V, D]):
    """Values of a mapping that are about to change: a copy of each is made when it is first asked for."""

    def __init__(self, base: Mapping[K, V], copied: Callable[[V], D], new: Callable[[], D]) -> None:
        super().__init__()
        self._base = base
        self._copied: Callable[[Any], D] = copied
        self._new = new

    def __missing__(self, key: K) -> D:
        value = self[key] = self._copied(self._base[key]) if key in self._base else self._new()
        return value

    def merged(self, done: Callable[[D], V]) -> dict[K, V]:
        """The mapping with the values that changed, brought into their last form, without those that are empty."""
        merged = dict(self._base)
        for key, value in self.items():
            if value:
                merged[key] = done(value)
            else:
                merged.pop(key, None)
        return merged


def is_same(before: object, after: object) -> bool:
    """Whether two facts are the same in every respect: Python takes 1, 1.0 and true for equal."""
    return before is after or (before == after and repr(before) == repr(after))

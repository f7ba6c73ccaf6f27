"""Defines how an answer about all notes is updated after some notes changed.

An answer never changes once made: the next one is made from it and shares all unchanged values, so readers in other
threads can keep theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

F = TypeVar("F")
K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")


class Change(NamedTuple, Generic[F]):
    """The facts of one note before and after a change; None if the note does not exist or was not read."""

    path: str
    before: F | None
    after: F | None


class Draft(dict[K, D], Generic[K, V, D]):
    """Values of a mapping that are about to change; each is copied at its first use."""

    def __init__(self, base: Mapping[K, V], copied: Callable[[V], D], new: Callable[[], D]) -> None:
        super().__init__()
        self._base = base
        self._copied: Callable[[Any], D] = copied
        self._new = new

    def __missing__(self, key: K) -> D:
        value = self[key] = self._copied(self._base[key]) if key in self._base else self._new()
        return value

    def merged(self, done: Callable[[D], V]) -> dict[K, V]:
        """Returns the mapping with the changed values, each as `done` returns it; without empty ones."""
        merged = dict(self._base)
        for key, value in self.items():
            if value:
                merged[key] = done(value)
            else:
                merged.pop(key, None)
        return merged


def is_same(before: object, after: object) -> bool:
    """Whether two facts are the same, types included: Python takes 1, 1.0 and true as equal."""
    return before is after or (before == after and repr(before) == repr(after))

"""Mappings and sets that one thread changes and publishes: what is published never changes.

A published mapping is a *base* that many publications share, and the few differences from it. So publishing a change
costs as much as the changes since the last merge, and a merge is rare.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import repeat
from typing import Final, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_LEAST: Final = 1_000
_SHARE: Final = 100


def are_many(differences: int, entries: int) -> bool:
    """Whether a base of so many entries is made anew, with its differences: beyond `_LEAST`, if they are more than one
    in `_SHARE`. A copy of 10,000 entries takes 0.1 ms, of a million 15 ms."""
    return differences > max(_LEAST, entries // _SHARE)


_NO: Final = object()
"""Stands for an absent key."""


class Layered(Generic[K, V]):
    """A mapping that nobody changes."""

    __slots__ = ("_base", "_over")

    def __init__(self, base: dict[K, V], over: dict[K, V | None]) -> None:
        """`over` has the entries that differ from `base`; None: the key is absent."""
        self._base = base
        self._over = over

    def get(self, key: K, default: V | None = None) -> V | None:
        """Returns the value of a key."""
        found = self._over.get(key, _NO)
        if found is _NO:
            return self._base.get(key, default)
        return default if found is None else found  # type: ignore[return-value]

    def several(self, keys: Collection[K], default: V) -> list[V]:
        """Returns the value of each key, or `default`."""
        found = map(self._base.get, keys, repeat(default))
        if not self._over:
            return [*found]
        held = [*map(self._over.get, keys, found)]
        return [default if value is None else value for value in held] if None in held else held  # type: ignore[return-value]

    def __contains__(self, key: K) -> bool:
        found = self._over.get(key, _NO)
        return key in self._base if found is _NO else found is not None

    def absent(self, keys: Iterable[K]) -> list[K]:
        """Returns the keys that are absent, in their order."""
        return [key for key in keys if key not in self] if self._over else [k for k in keys if k not in self._base]

    def __iter__(self) -> Iterator[K]:
        over = self._over
        yield from (key for key in self._base if key not in over) if over else self._base
        yield from (key for key, value in over.items() if value is not None)

    def items(self) -> Iterator[tuple[K, V]]:
        """Yields keys with their values."""
        over = self._over
        yield from (entry for entry in self._base.items() if entry[0] not in over) if over else self._base.items()
        yield from ((key, value) for key, value in over.items() if value is not None)

    def __len__(self) -> int:
        over, base = self._over, self._base
        return len(base) + sum((value is not None) - (key in base) for key, value in over.items())

    def differences(self, other: Layered[K, V]) -> set[K] | None:
        """Returns the keys whose values may differ; None if the two mappings do not share their base."""
        if self._base is not other._base:
            return None
        mine, others = self._over, other._over
        return {key for key in mine.keys() | others.keys() if mine.get(key, _NO) is not others.get(key, _NO)}


class Draft(Layered[K, V]):
    """The mapping as its only writer sees it."""

    __slots__ = ("_published",)

    def __init__(self) -> None:
        super().__init__({}, {})
        self._published: Layered[K, V] | None = None

    def __setitem__(self, key: K, value: V) -> None:
        self._over[key] = value
        self._published = None

    def update(self, entries: Mapping[K, V] | Iterable[tuple[K, V]]) -> None:
        """Add or replace entries."""
        self._over.update(entries)
        self._published = None

    def pop(self, key: K, default: V) -> V:
        """Remove a key; returns its value, or `default`."""
        found = self.get(key)
        if found is None:
            return default
        if key in self._base:
            self._over[key] = None
        else:
            del self._over[key]
        self._published = None
        return found

    def taken(self, keys: Iterable[K], default: V) -> list[V]:
        """Like `pop`, for several keys."""
        if self._base:
            return [self.pop(key, default) for key in keys]
        self._published = None
        return [*map(self._over.pop, keys, repeat(default))]  # type: ignore[list-item]

    def published(self) -> Layered[K, V]:
        """Returns the mapping as it is now; the same object until it changes."""
        if self._published is None:
            base, over = self._base, self._over
            if not base:
                self._base, self._over = over, {}  # type: ignore[assignment] # nothing is absent that never was there
            elif are_many(len(over), len(base)):
                merged = base.copy()
                for key, value in over.items():
                    if value is None:
                        merged.pop(key, None)
                    else:
                        merged[key] = value
                self._base, self._over = merged, {}
            self._published = Layered(self._base, dict(self._over))
        return self._published


class DraftSet(AbstractSet[K]):
    """A set as its only writer sees it."""

    __slots__ = ("_members", "_published")

    def __init__(self) -> None:
        self._members: set[K] = set()
        self._published: frozenset[K] | None = None

    def add(self, key: K) -> None:
        """Add a key."""
        if key not in self._members:
            self._members.add(key)
            self._published = None

    def discard(self, key: K) -> None:
        """Remove a key that may be absent."""
        if key in self._members:
            self._members.remove(key)
            self._published = None

    def update(self, keys: Iterable[K]) -> None:
        """Add keys."""
        for key in keys:
            self.add(key)

    def difference_update(self, *others: Iterable[K]) -> None:
        """Remove keys that may be absent."""
        before = len(self._members)
        self._members.difference_update(*others)
        if len(self._members) != before:
            self._published = None

    def __contains__(self, key: object) -> bool:
        return key in self._members

    def __iter__(self) -> Iterator[K]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def published(self) -> frozenset[K]:
        """Returns the set as it is now; the same object until it changes."""
        if self._published is None:
            self._published = frozenset(self._members)
        return self._published

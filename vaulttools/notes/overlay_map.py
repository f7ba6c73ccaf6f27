"""Makes a large mapping from another by changes, at a cost that follows the changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")

GONE: Final = object()
"""Stands for the value of a key that is taken away."""

_SAME: Final = object()

_PART: Final = 8
"""Changes are brought into one dict with the rest when they are more than one part in so many: each change then costs
as much as eight entries, however many there are."""


class OverlayMap(Mapping[K, V]):
    """A mapping, and what is otherwise; never changes."""

    __slots__ = ("_layers", "_number")

    def __init__(self, base: dict[K, V], changes: dict[K, Any]) -> None:
        """`changes`: values, and `GONE` for a key that is not there any more. Both belong to this object from then
        on."""
        self._layers = base, changes
        gone = sum(value is GONE and key in base for key, value in changes.items())
        new = sum(value is not GONE and key not in base for key, value in changes.items())
        self._number = len(base) + new - gone

    def __getitem__(self, key: K) -> V:
        base, changes = self._layers
        value = changes.get(key, _SAME)
        if value is _SAME:
            return base[key]
        if value is GONE:
            raise KeyError(key)
        found: V = value
        return found

    def get(self, key: K, default: Any = None) -> Any:
        """As of any mapping, in half the time."""
        base, changes = self._layers
        value = changes.get(key, _SAME)
        if value is _SAME:
            return base.get(key, default)
        return default if value is GONE else value

    def __contains__(self, key: object) -> bool:
        base, changes = self._layers
        value = changes.get(key, _SAME)  # type: ignore[arg-type]
        return key in base if value is _SAME else value is not GONE

    def __iter__(self) -> Iterator[K]:
        return iter(self.whole())

    def __len__(self) -> int:
        return self._number

    def whole(self) -> dict[K, V]:
        """All of it in one dict, which nobody must change."""
        base, changes = self._layers
        if changes:
            base = _merged(base, changes)
            self._layers = base, {}  # at once, so that no reader in another thread sees half of it
        return base


def changed(mapping: Mapping[K, V], changes: Mapping[K, Any]) -> Mapping[K, V]:
    """A mapping with other values, `GONE` for keys that it shall not have; the one given stays as it is."""
    base, before = mapping._layers if isinstance(mapping, OverlayMap) else (mapping, {})
    if not isinstance(base, dict):
        base = dict(base)
    both = {**before, **changes}
    return _merged(base, both) if len(both) * _PART > len(base) else OverlayMap(base, both)


def whole(mapping: Mapping[K, V]) -> dict[K, V]:
    """The same as one dict, which nobody must change: it is quicker to go through, and marshal takes it."""
    if isinstance(mapping, OverlayMap):
        return mapping.whole()
    return mapping if isinstance(mapping, dict) else dict(mapping)


def _merged(base: Mapping[K, V], changes: Mapping[K, Any]) -> dict[K, V]:
    merged: dict[K, Any] = {**base, **changes}
    for key in [key for key, value in changes.items() if value is GONE]:
        del merged[key]
    return merged

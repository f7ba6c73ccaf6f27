"""Holds a list that is made as far as somebody asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeVar, overload

T = TypeVar("T")


class AsAsked(Sequence[T]):
    """What an iterator gives, each taken from it when it is asked for: behind the first page hardly anybody does."""

    def __init__(self, made: Iterator[T]) -> None:
        self._left = made
        self._made: list[T] = []

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        self._make(None if isinstance(index, slice) or index < 0 else index + 1)
        return self._made[index]

    def __len__(self) -> int:
        self._make(None)
        return len(self._made)

    def __bool__(self) -> bool:
        self._make(1)
        return bool(self._made)

    def _make(self, count: int | None) -> None:
        """Have so many, or all."""
        self._made += islice(self._left, None if count is None else max(0, count - len(self._made)))

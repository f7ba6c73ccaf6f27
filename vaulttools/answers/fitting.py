"""Finds the room for what is shown in which a text is not too long."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeVar

T = TypeVar("T")


def fitted(made: Callable[[int], T], over: Callable[[T], int], room: int, least: int) -> T:
    """What is made in `room`, or else in the first room that is small enough: each has one character less than what was
    made in the one before was `over`, and `least`, however much is over, is the last.

    What is made in two rooms must be the same in all rooms between: then most of them need not be tried. Of 224
    questions one took 83 rooms, and 21 more than one.
    """
    in_room = cache(made)
    while True:
        tried = in_room(room)
        step = over(tried) + 1
        if step <= 1 or room <= least:
            return tried

        def is_same(steps: int, tried: T = tried, step: int = step, room: int = room) -> bool:
            fewer = room - steps * step
            return fewer > least and in_room(fewer) == tried

        same, other = 0, 1
        while is_same(other):
            same, other = other, 2 * other
        while other - same > 1:
            middle = (same + other) // 2
            same, other = (middle, other) if is_same(middle) else (same, middle)
        room = max(room - other * step, least)

"""Writes sizes and times with a unit that fits them."""

from __future__ import annotations

from typing import Final

_THOUSAND: Final = 1_000
_UNITS: Final = ("KB", "MB", "GB", "TB")

_MINUTE: Final = 60
_HOUR: Final = 3_600

_FEW_SECONDS: Final = 5
"""An estimate of less is wrong by more than itself: the last commit of a build takes up to three seconds."""


def size(count: int) -> str:
    """Returns a number of bytes: `0 bytes`, `812 bytes`, `1.4 KB`, `35 MB`.

    >>> size(1), size(1_449), size(35_240_000)
    ('1 byte', '1.4 KB', '35 MB')
    """
    if count < _THOUSAND:
        return f"{count} {'byte' if count == 1 else 'bytes'}"
    value, place = count / _THOUSAND, 0
    while value >= _THOUSAND - 0.5 and place < len(_UNITS) - 1:  # 999.6 KB would be read as 1,000
        value, place = value / _THOUSAND, place + 1
    return f"{value:.1f} {_UNITS[place]}" if value < 9.95 else f"{value:,.0f} {_UNITS[place]}"


def time(seconds: float) -> str:
    """Returns how long something took: `0.04 s`, `1.2 s`, `25 s`, `3 min 5 s`, `2 h 10 min`.

    >>> time(0.043), time(59.7), time(185)
    ('0.04 s', '1 min', '3 min 5 s')
    """
    if seconds < 9.95:
        return f"{seconds:.1f} s" if seconds >= 0.095 else f"{max(seconds, 0.01):.2f} s"
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        (first, second), (large, small) = divmod(whole, _MINUTE), ("min", "s")
    else:
        (first, second), (large, small) = divmod(round(whole / _MINUTE), _MINUTE), ("h", "min")
    return f"{first:,} {large} {second} {small}" if second else f"{first:,} {large}"


def time_left(seconds: float) -> str:
    """Returns an estimate as people say it: `a few seconds left`, `about 25 s left`, `about 4 min left`."""
    if seconds < _FEW_SECONDS:
        return "a few seconds left"
    if seconds < 2 * _MINUTE:
        return f"about {round(seconds):,} s left"
    return f"about {time(_MINUTE * round(seconds / _MINUTE))} left"

"""Defines how an expression fails: it cannot be read, or cannot be computed."""

from __future__ import annotations


class InvalidExpression(Exception):
    """A text that is no expression; `position` is the character at fault, from 0."""

    def __init__(self, position: int, reason: str) -> None:
        self.position = position
        self.reason = reason
        super().__init__(reason)


class Failed(Exception):
    """An expression that has no value for one file; the sentence says why, as the app shows it in the cell."""


class OutOfTime(Exception):
    """The time of the call is over."""

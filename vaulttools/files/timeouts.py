"""Limits the wait for a call that may hang, such as a read from disk."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """What a call gives, made in a thread of its own; one that hangs is left behind there, for nothing can end it.

    Raises:
        TimeoutError: it has not come to its end in time; and whatever the call raises.
    """
    given: list[T] = []
    raised: list[BaseException] = []
    ended = Event()

    def run() -> None:
        try:
            given.append(call())
        except BaseException as error:
            raised.append(error)
        finally:
            ended.set()

    Thread(target=run, name="vaulttools read", daemon=True).start()
    if not ended.wait(seconds):
        raise TimeoutError(f"not done after {seconds:g} s")
    if raised:
        raise raised[0]
    return given[0]

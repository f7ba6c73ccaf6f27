"""A property that is computed once, for every thread."""

from __future__ import annotations

from threading import Barrier, Thread

from vaulttools.core.cached import cached_property


class _Slow:
    def __init__(self) -> None:
        self.both = Barrier(2, timeout=60)

    @cached_property
    def made(self) -> list[int]:
        """A list that two threads make at once."""
        self.both.wait()
        return []


def test_threads_that_come_at_once_get_one_value() -> None:
    slow = _Slow()
    got: list[list[int]] = []
    threads = [Thread(target=lambda: got.append(slow.made)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got[0] is got[1] is slow.made


def test_the_class_has_the_property_with_its_documentation() -> None:
    assert _Slow.made.__doc__ == "A list that two threads make at once."

"""Turns of those who index many files at once."""

from __future__ import annotations

import threading
from collections import deque
from threading import Event

import pytest

from vaulttools.index.job_queue import JobQueue


class Queue(deque[object]):
    """Those who wait, in the order in which they came."""

    def __init__(self) -> None:
        super().__init__()
        self.joined = Event()

    def append(self, who: object) -> None:
        super().append(who)
        self.joined.set()


def test_so_many_work_at_once_and_the_others_in_the_order_in_which_they_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jobs, queue = JobQueue(2), Queue()
    monkeypatch.setattr(jobs, "_waiting", queue)
    go, came = [Event() for _ in range(5)], [Event() for _ in range(5)]
    order: list[int] = []

    def work(number: int) -> None:
        with jobs.taken(Event()) as is_mine:
            assert is_mine
            order.append(number)
            came[number].set()
            go[number].wait(30)

    threads = []
    for number in range(5):
        queue.joined.clear()
        threads.append(threading.Thread(target=work, args=(number,)))
        threads[-1].start()
        assert queue.joined.wait(30)
        assert number >= 2 or came[number].wait(30)
    assert order == [0, 1]
    for number in range(5):
        go[number].set()
        if number + 2 < 5:
            assert came[number + 2].wait(30)
            assert order == list(range(number + 3))
    for thread in threads:
        thread.join()


def test_who_is_ended_while_waiting_has_no_turn_and_holds_up_nobody() -> None:
    jobs = JobQueue(1)
    end = Event()
    end.set()
    with jobs.taken(Event()) as first, jobs.taken(end) as second:
        assert (first, second) == (True, False)
    with jobs.taken(Event()) as third:
        assert third


def test_a_turn_that_is_taken_at_once_is_none_while_somebody_works() -> None:
    jobs = JobQueue(1)
    with jobs.taken(Event()), jobs.taken_at_once() as busy:
        assert not busy
    with jobs.taken_at_once() as free, jobs.taken_at_once() as second:
        assert (free, second) == (True, False)
    with jobs.taken(Event()) as after:
        assert after

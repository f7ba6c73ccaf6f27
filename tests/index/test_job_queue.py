"""Jobs that index many files take turns."""

from __future__ import annotations

import threading
from collections import deque
from threading import Event

import pytest

from vaulttools.index.job_queue import JobQueue


class Queue(deque[object]):
    """The jobs that wait, in the order in which they came."""

    def __init__(self) -> None:
        super().__init__()
        self.joined = Event()

    def append(self, who: object) -> None:
        super().append(who)
        self.joined.set()


def test_a_fixed_number_of_jobs_work_at_once_and_the_others_follow_in_order(
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


def test_a_job_that_is_ended_while_waiting_gets_no_turn_and_delays_nobody() -> None:
    jobs = JobQueue(1)
    end = Event()
    end.set()
    with jobs.taken(Event()) as first, jobs.taken(end) as second:
        assert (first, second) == (True, False)
    with jobs.taken(Event()) as third:
        assert third


def test_no_turn_is_taken_at_once_while_another_job_works() -> None:
    jobs = JobQueue(1)
    with jobs.taken(Event()), jobs.taken_at_once() as busy:
        assert not busy
    with jobs.taken_at_once() as free, jobs.taken_at_once() as second:
        assert (free, second) == (True, False)
    with jobs.taken(Event()) as after:
        assert after

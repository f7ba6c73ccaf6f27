"""How many calls of a server run at once, and which."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from threading import Event
from typing import Any

import pytest

from vaulttools.server import calls
from vaulttools.server.calls import AT_ONCE, MOST, Calls, TooManyCalls

SECONDS = 30


@pytest.fixture
def pool() -> Iterator[Calls]:
    made = Calls()
    yield made
    made.close()


def begun(pool: Calls, wait: Event) -> tuple[Future[None], Event]:
    """A call that waits for an event, and what says that it runs."""
    running = Event()

    def call(_: Event) -> None:
        running.set()
        assert wait.wait(SECONDS)

    return pool.begin(call)[0], running


def occupied(pool: Calls, end: Event, number: int = AT_ONCE) -> list[Future[None]]:
    """So many calls, which run until an event."""
    made = [begun(pool, end) for _ in range(number)]
    assert all(runs.wait(SECONDS) for _, runs in made)
    return [future for future, _ in made]


def test_a_call_that_takes_long_has_another_one_run_beside_it(pool: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "LONG_SECONDS", 0.05)
    end = Event()
    occupied(pool, end, MOST - 1)
    assert pool.begin(lambda _: "quick")[0].result(SECONDS) == "quick"
    end.set()


def test_calls_that_take_no_time_run_a_few_at_once(pool: Calls) -> None:
    end = Event()
    asked = [begun(pool, end) for _ in range(3 * AT_ONCE)]
    assert all(running.wait(SECONDS) for _, running in asked[:AT_ONCE])
    assert not any(running.is_set() for _, running in asked[AT_ONCE:])
    end.set()
    for future, _ in asked:
        future.result(SECONDS)


def test_calls_that_were_cancelled_while_they_waited_take_no_room(pool: Calls) -> None:
    end = Event()
    asked = [begun(pool, end)[0] for _ in range(AT_ONCE + 1)]
    for _ in range(calls.WAITING - 1):
        pool.begin(lambda _: None)[0].cancel()
    asked += [begun(pool, end)[0] for _ in range(calls.WAITING - 1)]
    with pytest.raises(TooManyCalls, match=r"^The server is busy: 200 calls are waiting; call again later$"):
        begun(pool, end)
    end.set()
    for future in asked:
        future.result(SECONDS)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_takes_how_long_all_calls_end_and_no_more_run_than_may(
    pool: Calls, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(calls, "LONG_SECONDS", 0.01)
    rng, lock = random.Random(seed), threading.Lock()
    running: set[int] = set()
    seen: list[int] = []

    def called(number: int, seconds: float) -> Any:
        def call(_: Event) -> int:
            with lock:
                running.add(number)
                seen.append(len(running))
            time.sleep(seconds)
            with lock:
                running.remove(number)
            return number

        return call

    futures = []
    for number in range(120):
        seconds = 0.05 if rng.random() < 0.2 else rng.random() / 200
        futures.append(pool.begin(called(number, seconds), caller=str(rng.randrange(3)))[0])
        if rng.random() < 0.1:
            time.sleep(0.02)
    assert [future.result(SECONDS) for future in futures] == list(range(120))
    assert max(seen) <= MOST
    pool.close()
    lane = pool._lanes["usual"]
    assert (lane._free, lane._more, lane._running) == (AT_ONCE, MOST - AT_ONCE, {})


def test_a_call_that_comes_while_others_are_waited_for_at_the_end_is_answered(
    pool: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "LONG_SECONDS", 0.05)
    end = Event()
    occupied(pool, end)
    closing = threading.Thread(target=pool.close)
    closing.start()
    while not pool._lanes["usual"]._pool._shutdown:
        time.sleep(0.001)
    late = pool.begin(lambda _: "late")[0]
    time.sleep(0.2)  # it has waited as long as for a place beside long ones
    end.set()
    assert late.result(SECONDS) == "late"
    closing.join()


def test_where_no_thread_can_be_started_to_look_again_a_later_call_has_it_done(
    pool: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "LONG_SECONDS", 0.05)
    end = Event()
    occupied(pool, end)

    def start(_: threading.Timer) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as limited:
        limited.setattr(threading.Timer, "start", start)
        first = pool.begin(lambda _: "first")[0]
    second = pool.begin(lambda _: "second")[0]
    assert (first.result(SECONDS), second.result(SECONDS)) == ("first", "second")
    end.set()

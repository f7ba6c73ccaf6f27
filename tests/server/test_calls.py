"""How many calls of a server run at once, and which."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from threading import Event
from typing import Any

import pytest

from vaulttools.errors import Cancelled
from vaulttools.server import calls
from vaulttools.server.calls import AT_ONCE, MOST, Busy, Calls

SECONDS = 30


@pytest.fixture
def pool() -> Iterator[Calls]:
    made = Calls()
    yield made
    made.close()


def begun(pool: Calls, wait: Event) -> tuple[Future[None], Event]:
    """A call that waits for an event, and the event that it sets when it runs."""
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
    asked = [*occupied(pool, end), begun(pool, end)[0]]
    for _ in range(calls.WAITING - 1):
        pool.begin(lambda _: None)[0].cancel()
    asked += [begun(pool, end)[0] for _ in range(calls.WAITING - 1)]
    with pytest.raises(Busy, match=r"^The server is busy: 200 calls are waiting; call again later$"):
        begun(pool, end)
    end.set()
    for future in asked:
        future.result(SECONDS)


def test_a_call_that_waited_too_long_is_refused_when_its_turn_comes(
    pool: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = Event()
    occupied(pool, end)
    monkeypatch.setattr(calls, "WAITING_SECONDS", 0.0)
    late, _ = pool.begin(lambda _: None)
    end.set()
    with pytest.raises(Busy, match=r"^The server is busy: other calls took 0 s; call again later$"):
        late.result(SECONDS)


@pytest.mark.parametrize("seed", range(4))
def test_all_calls_end_and_never_too_many_run_whatever_time_they_take(
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


def test_at_the_end_waiting_calls_are_dropped_and_new_ones_are_refused(pool: Calls) -> None:
    end = Event()
    running = occupied(pool, end)
    waiting, _ = begun(pool, end)
    closing = threading.Thread(target=pool.close)
    closing.start()
    with pytest.raises(CancelledError):
        waiting.result(SECONDS)
    with pytest.raises(Cancelled):
        while True:
            pool.begin(lambda _: None)
    end.set()
    closing.join(SECONDS)
    assert all(each.done() for each in running)


def test_a_request_whose_call_waits_at_the_end_is_told_so(pool: Calls) -> None:
    end = Event()
    occupied(pool, end)

    async def ask() -> None:
        asked = asyncio.ensure_future(pool.run(lambda _: None))
        await asyncio.sleep(0)
        closing = threading.Thread(target=pool.close)
        closing.start()
        try:
            with pytest.raises(Cancelled):
                await asked
        finally:
            end.set()
            closing.join(SECONDS)

    asyncio.run(ask())

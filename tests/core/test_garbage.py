"""Many threads pause the garbage collector."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from vaulttools.core import garbage


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    was_enabled, interval = gc.isenabled(), sys.getswitchinterval()
    gc.enable()
    yield
    sys.setswitchinterval(interval)
    (gc.enable if was_enabled else gc.disable)()


def test_the_collector_goes_on_after_the_last_pause() -> None:
    with garbage.paused():
        with garbage.paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_disabled_collector_stays_off() -> None:
    gc.disable()
    with garbage.paused():
        pass
    assert not gc.isenabled()


def test_the_collector_goes_on_after_overlapping_pauses() -> None:
    first, second = garbage.paused(), garbage.paused()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert gc.isenabled()


@pytest.mark.not_on_windows("it has no fork")
def test_the_collector_goes_on_in_a_child_that_another_thread_forked() -> None:
    code = """if True:
        import gc, os, threading
        from vaulttools.core import garbage
        paused, done = threading.Event(), threading.Event()
        def pause():
            with garbage.paused():
                paused.set()
                done.wait()
        thread = threading.Thread(target=pause)
        thread.start()
        paused.wait()
        child = os.fork()
        if child == 0:
            with garbage.paused():
                pass
            os._exit(0 if gc.isenabled() else 1)
        print(os.waitpid(child, 0)[1])
        done.set()
    """
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b"0\n", b"")


def test_pauses_of_many_threads_leave_the_collector_on() -> None:
    sys.setswitchinterval(1e-6)

    def pause(_: int) -> None:
        with garbage.paused():
            pass

    with ThreadPoolExecutor(4) as pool:
        [*pool.map(pause, range(4_000))]
    assert gc.isenabled()

"""ripgrep's process returns what it printed, either all of it or what came in time."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event

import pytest

from vaulttools.core.work import Work
from vaulttools.matching.process import Outcome, Running

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a shell")


@pytest.mark.parametrize("cancel", [None, Event()], ids=["", "can be cancelled"])
def test_a_process_returns_all_that_it_printed(cancel: Event | None) -> None:
    script = "cat; printf 'no\n' >&2; exit 2"
    text = b"a\0b\n" * 40_000  # more than a pipe holds
    started = Running(["sh", "-c", script], "/", text)
    assert started.outcome(Work(cancel=cancel)) == Outcome(text, b"no\n", 2, False, "/")


def test_a_process_that_runs_out_of_time_returns_its_output_so_far(tmp_path: Path) -> None:
    printed = tmp_path / "printed"
    os.mkfifo(printed)  # opened for reading here and for writing there: both wait for the other
    started = Running(["sh", "-c", f"printf a; echo > {printed}; exec sleep 600"], None, None)
    printed.read_bytes()
    assert started.outcome(Work(time_limit=0)) == Outcome(b"a", b"", -9, True)

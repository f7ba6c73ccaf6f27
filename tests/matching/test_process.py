"""ripgrep's process brings what it printed, whole or until its time was over."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event

import pytest

from vaulttools.core.work import Work
from vaulttools.matching.process import Outcome, Running

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a shell")


@pytest.mark.parametrize("cancel", [None, Event()], ids=["", "can be cancelled"])
def test_a_process_brings_all_that_it_printed(cancel: Event | None) -> None:
    script = "cat; printf 'no\n' >&2; exit 2"
    text = b"a\0b\n" * 40_000  # more than a pipe holds
    started = Running(["sh", "-c", script], "/", text)
    assert started.outcome(Work(cancel=cancel)) == Outcome(text, b"no\n", 2, False, "/")


def test_a_process_that_runs_out_of_time_brings_what_it_printed_so_far(tmp_path: Path) -> None:
    told = tmp_path / "told"
    os.mkfifo(told)  # opened for reading here and for writing there: both wait for the other
    started = Running(["sh", "-c", f"printf a; echo > {told}; exec sleep 600"], None, None)
    told.read_bytes()
    assert started.outcome(Work(time_limit=0)) == Outcome(b"a", b"", -9, True)

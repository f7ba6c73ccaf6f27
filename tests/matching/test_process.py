"""ripgrep's process: what it brings is the same through memory and through a pipe."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from vaulttools.core.work import Work
from vaulttools.matching.process import Outcome, Running

posix = pytest.mark.skipif(os.name != "posix", reason="needs a shell")


def _fails(_: str) -> int:
    raise OSError


@posix
@pytest.mark.parametrize("memory", [getattr(os, "memfd_create", _fails), _fails], ids=["memory", "pipe"])
@pytest.mark.parametrize("cancel", [None, Event()], ids=["", "can be cancelled"])
def test_a_process_brings_all_that_it_printed(
    monkeypatch: pytest.MonkeyPatch, memory: Callable[[str], int], cancel: Event | None
) -> None:
    monkeypatch.setattr(os, "memfd_create", memory, raising=False)
    script = "cat; printf 'no\n' >&2; exit 2"
    text = b"a\0b\n" * 40_000  # more than a pipe holds
    started = Running(["sh", "-c", script], "/", text)
    assert started.outcome(Work(cancel=cancel)) == Outcome(text, b"no\n", 2, False, "/")


@posix
@pytest.mark.parametrize("memory", [getattr(os, "memfd_create", _fails), _fails], ids=["memory", "pipe"])
def test_a_process_that_runs_out_of_time_brings_what_it_printed_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: Callable[[str], int]
) -> None:
    monkeypatch.setattr(os, "memfd_create", memory, raising=False)
    told = tmp_path / "told"
    os.mkfifo(told)  # opened for reading here and for writing there: both wait for the other
    started = Running(["sh", "-c", f"printf a; echo > {told}; exec sleep 600"], None, None)
    told.read_bytes()
    assert started.outcome(Work(time_limit=0)) == Outcome(b"a", b"", -9, True)

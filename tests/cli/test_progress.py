"""Progress of a command: it goes to stderr, as a line now and then where that is no terminal."""

from __future__ import annotations

import io
import sys

import pytest

from vaulttools.cli import surroundings
from vaulttools.cli.surroundings import progress

Printed = pytest.CaptureFixture[str]


def test_a_pipe_gets_lines_whose_number_only_grows(capsys: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "LINE_SECONDS", 0.0)
    left = iter([None, None, None, 130.0, 61.4, 2.0, 0.0])
    with progress(left=lambda: next(left)) as on_progress:
        for done in (0, 0, 0, 4_000, 3_000, 9_000, 10_000):
            on_progress(done, 10_000)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "Indexing: 0 of 10,000 files",
        "Indexing: 4,000 of 10,000 files, about 2 min left",
        "Indexing: 4,000 of 10,000 files, about 61 s left",
        "Indexing: 9,000 of 10,000 files, a few seconds left",
        "Indexing: 10,000 of 10,000 files",
    ]


def test_no_time_is_named_before_enough_is_done(capsys: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that was done before does not count as the pace."""
    monkeypatch.setattr(surroundings, "LINE_SECONDS", 0.0)
    with progress(what="Embedding", unit="notes") as on_progress:
        for done in (5_000, 5_100, 7_500):
            on_progress(done, 10_000)
    first, second, third = capsys.readouterr().err.splitlines()
    assert (first, second) == ("Embedding: 5,000 of 10,000 notes", "Embedding: 5,100 of 10,000 notes")
    assert third == "Embedding: 7,500 of 10,000 notes, a few seconds left"


def test_a_bar_shows_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress(left=lambda: 75.0) as on_progress:
        on_progress(10, 100)
        on_progress(100, 100)
    assert "10/100 files, about 75 s left" in terminal.getvalue()


def test_a_quick_command_reports_no_progress(capsys: Printed) -> None:
    with progress() as on_progress:
        for done in range(1_000):
            on_progress(done, 1_000)
    assert capsys.readouterr() == ("", "")

"""Progress of a command: it goes to stderr, as a line now and then where that is no terminal."""

from __future__ import annotations

import re

import pytest

from vaulttools.cli import surroundings
from vaulttools.cli.surroundings import progress

Printed = pytest.CaptureFixture[str]


def test_a_pipe_gets_lines_whose_number_only_grows(capsys: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "LINE_SECONDS", 0.0)
    with progress() as on_progress:
        for done in (0, 0, 0, 4_000, 3_000, 9_000):
            on_progress(done, 10_000)
    out, err = capsys.readouterr()
    assert out == ""
    assert re.sub(r"about \d+ s", "about # s", err).splitlines() == [
        "Indexing: 0 of 10,000 files, the first take longest",
        "Indexing: 4,000 of 10,000 files, about # s left",
        "Indexing: 4,000 of 10,000 files, about # s left",
        "Indexing: 9,000 of 10,000 files, about # s left",
    ]


def test_a_quick_command_reports_no_progress(capsys: Printed) -> None:
    with progress() as on_progress:
        for done in range(1_000):
            on_progress(done, 1_000)
    assert capsys.readouterr() == ("", "")

"""The time that a build says is left: compared with builds that were recorded."""

from __future__ import annotations

from itertools import pairwise

import pytest

from vaulttools.index.progress import Pace, Progress

HELP = (
    (6_289, 6_385, 16.5),
    (
        *((0.27, 0, 0), (2.26, 2000, 0), (3.83, 4000, 0), (4.79, 5000, 0), (5.96, 6289, 0), (9.19, 6289, 1585)),
        *((12.27, 6289, 3298), (14.35, 6289, 5000), (16.21, 6289, 6385)),
    ),
)
ENCYCLOPAEDIA = (
    (10_000, 10_006, 21.3),
    (
        *((0.11, 0, 0), (1.28, 2000, 0), (2.5, 4000, 0), (3.08, 5000, 0), (4.37, 7000, 0), (5.28, 9000, 0)),
        *((6.07, 10000, 0), (9.52, 10000, 2000), (12.64, 10000, 3552), (14.75, 10000, 5000), (16.98, 10000, 6435)),
        *((18.51, 10000, 8111), (20.09, 10000, 9474), (20.74, 10000, 10006)),
    ),
)
"""Notes, files and seconds of a build on two cores; then the moment, the notes whose structure was committed, and the
files whose words were: of Obsidian's help in many languages, and of an encyclopaedia."""

Recorded = tuple[tuple[int, int, float], tuple[tuple[float, int, int], ...]]
RECORDED: dict[str, Recorded] = {"help": HELP, "encyclopaedia": ENCYCLOPAEDIA}
STEP = 0.25


def said(recorded: Recorded) -> list[tuple[float, float | None]]:
    """The seconds that are left by the clock, and as they are estimated, four times a second."""
    (notes, files, end), commits = recorded
    pace, rows = Pace(), []
    for (begun, facts, indexed), (ended, *_) in pairwise([*commits, (end, notes, files)]):
        moment = begun
        while moment < ended and indexed < files:
            seconds, _ = pace.left(moment, Progress(facts, notes, indexed, files))
            rows.append((end - moment, seconds))
            moment += STEP
    return rows


@pytest.mark.parametrize("name", RECORDED)
def test_the_time_left_is_right_within_half_or_two_seconds(name: str) -> None:
    rows = [(true, seconds) for true, seconds in said(RECORDED[name]) if seconds is not None]
    assert len(rows) > 30
    assert [(true, seconds) for true, seconds in rows if abs(seconds - true) > max(true / 2, 2)] == []


@pytest.mark.parametrize("name", RECORDED)
def test_nothing_is_said_before_the_first_commit_and_all_the_time_after(name: str) -> None:
    (_, _, end), commits = RECORDED[name]
    for true, seconds in said(RECORDED[name]):
        assert (seconds is None) == (end - true < commits[1][0])


def test_between_two_commits_the_estimate_runs_down() -> None:
    """It grew with each second of waiting: the pace was taken for slower and slower."""
    pace = Pace()
    pace.left(0.0, Progress(0, 1_000, 0, 1_000))
    estimates = [pace.left(moment, Progress(500, 1_000, 0, 1_000))[0] for moment in (5.0, 6.0, 7.0)]
    assert estimates == pytest.approx([25.0, 24.0, 23.0])


def test_an_update_is_estimated_by_what_is_left_and_not_by_what_was_there() -> None:
    pace = Pace()
    assert pace.left(0.0, Progress(9_000, 10_000, 9_000, 10_000)) == (None, None)
    whole, facts = pace.left(10.0, Progress(9_500, 10_000, 9_500, 10_000))
    assert (whole, facts) == (10.0, 0.0)


def test_the_structures_have_an_estimate_of_their_own() -> None:
    pace = Pace()
    pace.left(0.0, Progress(0, 1_000, 0, 1_000))
    whole, facts = pace.left(5.0, Progress(500, 1_000, 0, 1_000))
    assert facts == 5.0
    assert whole == pytest.approx(5.0 + 20.0)


def test_an_estimate_never_runs_out_before_the_work() -> None:
    pace = Pace()
    pace.left(0.0, Progress(0, 1_000, 0, 1_000))
    pace.left(1.0, Progress(0, 1_000, 500, 1_000))
    seconds, _ = pace.left(100.0, Progress(0, 1_000, 500, 1_000))
    assert seconds is not None
    assert seconds > 0

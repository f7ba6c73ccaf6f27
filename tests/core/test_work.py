"""Work: a call's time and cancellation, and its counts of what was searched and passed over."""

from __future__ import annotations

from threading import Event

import pytest

from tests.clock import StandingClock
from vaulttools.core import work as works
from vaulttools.core.work import GONE, INCOMPLETE, PassedOver, Reason, Work, named
from vaulttools.errors import Cancelled


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> StandingClock:
    clock = StandingClock()
    monkeypatch.setattr(works, "time", clock)
    return clock


def test_the_time_left_runs_down_to_nothing_and_no_further(clock: StandingClock) -> None:
    work = Work(time_limit=10)
    assert work.remaining() == 10
    clock.now += 4
    assert work.remaining() == 6
    clock.now += 60
    assert work.remaining() == 0


def test_showing_matches_gets_a_fifth_of_the_limit_once_more(clock: StandingClock) -> None:
    work = Work(time_limit=10)
    clock.now += 10
    work.finish()
    assert work.remaining() == 2
    clock.now += 1
    work.finish()
    assert work.remaining() == 1


def test_a_cancelled_call_ends_whenever_it_asks_for_its_time() -> None:
    work = Work(cancel=Event())
    assert work.remaining() > 0
    assert work.cancel is not None
    work.cancel.set()
    with pytest.raises(Cancelled):
        work.remaining()


def test_every_path_is_counted_and_the_first_five_are_named() -> None:
    work = Work()
    for number in range(7):
        work.pass_over(f"{number}.md", "binary")
    assert work.skipped == {"binary": PassedOver(7, ["0.md", "1.md", "2.md", "3.md", "4.md"])}


@pytest.mark.parametrize(
    ("known", "unnamed", "sentence"),
    [
        ([], 3, "3 files too large"),
        (["a.md"], 2, "3 files too large (a.md and 2 more)"),
        ([f"{number}.md" for number in range(6)], 1, "7 files too large (0.md, 1.md, 2.md, 3.md, 4.md and 2 more)"),
    ],
)
def test_files_may_be_counted_of_which_only_some_are_known(known: list[str], unnamed: int, sentence: str) -> None:
    work = Work()
    work.pass_over_all(known, "too large", unnamed)
    assert work.incomplete_because() == sentence


@pytest.mark.parametrize("reason", sorted(INCOMPLETE))
def test_a_gap_that_could_have_changed_the_answer_makes_it_incomplete(reason: Reason) -> None:
    work = Work()
    work.pass_over("a.md", reason)
    assert not work.complete
    assert ("names changed" if reason == GONE else "1 file") in work.incomplete_because()


@pytest.mark.parametrize("reason", ["hidden", "excluded", "ignored", "symlink", "not a regular file", "binary"])
def test_an_answer_is_complete_when_only_rules_leave_something_out(reason: Reason) -> None:
    work = Work()
    work.pass_over("a.md", reason)
    assert work.complete
    assert work.incomplete_because() == ""


def test_the_reasons_make_one_phrase() -> None:
    work = Work(time_limit=2.5)
    work.pass_over("c.md", "hidden")
    work.pass_over("a\n.md", "unreadable")
    for number in range(1_234):
        work.pass_over(f"{number}.md", "time limit")
    work.pass_over("b.md", "ripgrep died")
    work.pass_over("d.md", "changed while read")
    work.pass_over("e.md", "changed while read")
    assert work.incomplete_because() == (
        "1 file unreadable (a\\n.md); stopped after 2.5 s, 1,234 files not searched; "
        "ripgrep died, 1 file not searched (b.md); 2 files changed while read (d.md, e.md)"
    )


def test_a_sentence_about_the_vault_is_kept_once() -> None:
    work = Work()
    for sentence in ("a", "b", "a"):
        work.warn(sentence)
    assert list(work.warnings) == ["a", "b"]


@pytest.mark.parametrize(
    ("some", "count", "text"),
    [
        (["a.md"], 1, "a.md"),
        (["a.md", "b.md"], None, "a.md, b.md"),
        (["1", "2", "3", "4", "5"], 5, "1, 2, 3, 4, 5"),
        (["1", "2", "3", "4", "5"], 2_005, "1, 2, 3, 4, 5 and 2,000 more"),
        (["1", "2", "3", "4", "5", "6"], None, "1, 2, 3, 4, 5 and 1 more"),
        (["bad\udcff\x1b.md"], 1, "bad\\xff\\u{1b}.md"),
    ],
)
def test_a_sentence_names_at_most_five_paths_and_how_many_more(some: list[str], count: int | None, text: str) -> None:
    assert named(some, count) == text


def test_a_sentence_names_no_path_at_any_length() -> None:
    assert len(named(["a" * 4_000])) < 300


def test_work_is_over_when_the_time_to_finish_is_gone_too(clock: StandingClock) -> None:
    work = Work(time_limit=10.0)
    seen = []
    for passed in (0.0, 9.0, 1.5, 1.5, 0.6):
        clock.now += passed
        seen.append(work.is_over())
    assert seen == [False, False, False, False, True]

"""Windows of lines: each hit is in one, they stay inside the text, and windows that touch become one."""

from __future__ import annotations

import doctest
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.answers import shown_lines
from vaulttools.answers.shown_lines import HitWindow, around, shortened


@pytest.mark.parametrize(
    ("hits", "before", "after", "last_line", "excerpts"),
    [
        ([], 2, 2, 10, []),
        ([1], 2, 2, 1, [HitWindow(1, 1, (1,))]),
        ([5], 0, 0, 10, [HitWindow(5, 5, (5,))]),
        ([5], 1, 3, 10, [HitWindow(4, 8, (5,))]),
        ([1, 10], 20, 20, 10, [HitWindow(1, 10, (1, 10))]),
        # line 5 is between 3+1 and 7-1: they neither touch nor overlap
        ([3, 7], 1, 1, 10, [HitWindow(2, 4, (3,)), HitWindow(6, 8, (7,))]),
        # 4 and 5 follow each other: they touch
        ([3, 6], 1, 1, 10, [HitWindow(2, 7, (3, 6))]),
        ([3, 5], 1, 1, 10, [HitWindow(2, 6, (3, 5))]),
        ([3, 4, 5], 0, 0, 10, [HitWindow(3, 5, (3, 4, 5))]),
        ([3, 5], 0, 0, 10, [HitWindow(3, 3, (3,)), HitWindow(5, 5, (5,))]),
    ],
)
def test_windows_that_touch_or_overlap_become_one(
    hits: list[int], before: int, after: int, last_line: int, excerpts: list[HitWindow]
) -> None:
    assert list(around(hits, before, after, last_line)) == excerpts


_HITS = st.lists(st.integers(1, 60), unique=True, max_size=20).map(sorted)


@given(hits=_HITS, before=st.integers(0, 20), after=st.integers(0, 20), below=st.integers(0, 10))
def test_excerpts_hold_exactly_the_lines_near_a_hit(hits: list[int], before: int, after: int, below: int) -> None:
    last_line = max(hits, default=0) + below
    excerpts = list(around(hits, before, after, last_line))
    near = {line for hit in hits for line in range(hit - before, hit + after + 1) if 1 <= line <= last_line}
    assert [line for each in excerpts for line in range(each.start, each.end + 1)] == sorted(near)
    assert [hit for each in excerpts for hit in each.hits] == hits
    assert all(each.start <= each.hits[0] and each.hits[-1] <= each.end for each in excerpts)
    assert all(first.end + 1 < second.start for first, second in pairwise(excerpts))


@given(hits=_HITS, context=st.integers(0, 20), lines=st.integers(1, 70))
def test_a_shortened_excerpt_keeps_its_first_lines(hits: list[int], context: int, lines: int) -> None:
    for whole in around(hits, context, context, 70):
        short = shortened(whole, lines)
        assert (short.start, short.end) == (whole.start, min(whole.end, whole.start + lines - 1))
        assert short.hits == tuple(hit for hit in whole.hits if hit <= short.end)


def test_the_example_of_the_docstring_holds() -> None:
    assert doctest.testmod(shown_lines).failed == 0


@given(places=st.lists(st.tuples(st.integers(1, 40), st.integers(0, 70)), max_size=30))
def test_each_place_begins_in_one_window_that_knows_its_reach(places: list[tuple[int, int]]) -> None:
    spans = [(start, start + more) for start, more in places]
    windows = shown_lines.of_places(spans)
    assert all(first.end < second.start for first, second in pairwise(windows))
    assert sum(each.places for each in windows) == len(spans)
    assert max((each.reach for each in windows), default=0) == max((end for _, end in spans), default=0)


def test_many_places_in_one_line_make_one_window() -> None:
    assert shown_lines.of_places([(7, 7)] * 140_000) == [shown_lines.Window(7, 7, 140_000, 7)]

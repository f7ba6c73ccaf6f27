"""Sizes and times as people read them: each with a unit that fits, and nothing that is there as zero."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.core import units


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1_000, "1.0 KB"),
        (9_949, "9.9 KB"),
        (9_960, "10 KB"),
        (212_992, "213 KB"),
        (999_499, "999 KB"),
        (999_600, "1.0 MB"),
        (35_240_000, "35 MB"),
        (1_250_000_000, "1.2 GB"),
        (5 * 10**15, "5,000 TB"),
    ],
)
def test_a_size_has_the_unit_that_fits(count: int, shown: str) -> None:
    assert units.size(count) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.0, "0.01 s"),
        (0.043, "0.04 s"),
        (0.3, "0.3 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.7, "1 min"),
        (185, "3 min 5 s"),
        (3_599.9, "1 h"),
        (7_800, "2 h 10 min"),
        (400_000, "111 h 7 min"),
    ],
)
def test_a_time_has_the_unit_that_fits(seconds: float, shown: str) -> None:
    assert units.time(seconds) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.0, "a few seconds left"),
        (4.9, "a few seconds left"),
        (5.2, "about 5 s left"),
        (119, "about 119 s left"),
        (125, "about 2 min left"),
        (3_700, "about 1 h 2 min left"),
    ],
)
def test_an_estimate_is_no_more_exact_than_it_can_be(seconds: float, shown: str) -> None:
    assert units.time_left(seconds) == shown


@given(st.integers(1, 10**16))
def test_no_size_reads_as_nothing(count: int) -> None:
    number = units.size(count).split()[0].replace(",", "")
    assert 1 <= float(number) < 1_000 or units.size(count).endswith("TB")

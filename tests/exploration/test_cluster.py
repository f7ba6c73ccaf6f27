"""Clusters: matching lines at most two lines apart."""

from __future__ import annotations

import pytest

from vaulttools.exploration.cluster import clusters


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], []),
        ([7], [(7,)]),
        ([10, 12], [(10, 12)]),
        ([10, 13], [(10,), (13,)]),
        ([1, 2, 4, 6, 9, 10], [(1, 2, 4, 6), (9, 10)]),
    ],
)
def test_lines_within_two_of_each_other_are_one_cluster(lines: list[int], expected: list[tuple[int, ...]]) -> None:
    assert [cluster.lines for cluster in clusters(lines)] == expected

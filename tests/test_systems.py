"""Which tests are left out on Windows and under Wine."""

from __future__ import annotations

import pytest

from tests.systems import reason_of

WINDOWS = pytest.mark.not_on_windows("a FIFO is no file there").mark
WINE = pytest.mark.not_under_wine("it has no console").mark


@pytest.mark.parametrize(
    ("marker", "windows", "wine", "expected"),
    [
        (WINDOWS, False, False, None),
        (WINDOWS, True, False, "Windows: a FIFO is no file there"),
        (WINDOWS, True, True, "Windows: a FIFO is no file there"),
        (WINE, False, False, None),
        (WINE, True, False, None),
        (WINE, True, True, "Wine: it has no console"),
    ],
)
def test_a_test_is_left_out_where_what_it_needs_is_lacking(
    marker: pytest.Mark, windows: bool, wine: bool, expected: str | None
) -> None:
    assert reason_of([pytest.mark.registry.mark, marker], windows=windows, wine=wine) == expected

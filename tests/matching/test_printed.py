"""Reading what ripgrep printed: which lines are of which file, and when that is not sure."""

from __future__ import annotations

import pytest

from vaulttools.matching import printed

TWO = b"./a.md\0one\ntwo\n\n./b\n\nc.md\0three\n"


def test_lines_below_a_path_are_of_that_file() -> None:
    assert printed.headed_lines(TWO) == {b"./a.md": b"one\ntwo", b"./b\n\nc.md": b"three\n"}
    assert printed.headed_lines(b"") == {}


@pytest.mark.parametrize(
    "stdout",
    [
        *(TWO[:end] for end in range(1, len(TWO)) if not TWO[:end].endswith((b"one\n", b"two\n"))),
        TWO + b"\n",
        TWO + b"\n./a.md\0one\n",
        TWO.replace(b"two", b"t\0wo"),
        TWO.replace(b"three", b"thr\0ee"),
    ],
)
def test_lines_of_output_that_was_cut_or_holds_another_nul_are_of_no_file(stdout: bytes) -> None:
    assert printed.headed_lines(stdout) is None

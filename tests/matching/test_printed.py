"""Reading ripgrep's output: which line belongs to which file, and when that is uncertain."""

from __future__ import annotations

import pytest

from vaulttools.matching import printed
from vaulttools.matching.hits import Hit

PLAIN = b"./a.md\x001\x003\0x one\n12\x001\0\n\n./b\n\nc.md\x007\0last\n"
"""A name holds an empty line, and a line has no column."""


@pytest.mark.parametrize("crlf", [False, True])
def test_numbered_lines_below_a_path_belong_to_that_file(crlf: bool) -> None:
    stdout = PLAIN.replace(b"\n\n", b"\n\r\n") if crlf else PLAIN
    found, is_whole = printed.plain_lines(stdout, normalised=False, crlf=crlf)
    assert {path: [*lines] for path, lines in found.items()} == {
        b"./a.md": [Hit(1, 2, "x one"), Hit(12, 0, "")],
        b"./b\n\r\nc.md" if crlf else b"./b\n\nc.md": [Hit(7, 0, "last")],
    }
    assert is_whole
    assert printed.plain_lines(b"", normalised=False, crlf=crlf) == ({}, True)


@pytest.mark.parametrize("end", [end for end in range(1, len(PLAIN)) if not PLAIN[:end].endswith((b"one\n", b"\0\n"))])
def test_numbered_lines_that_were_cut_are_not_whole(end: int) -> None:
    assert not printed.plain_lines(PLAIN[:end], normalised=False, crlf=False)[1]


@pytest.mark.parametrize(
    "stdout",
    [
        PLAIN.replace(b"\x003\0", b"\x00" + b"3" * 19 + b"\0").replace(b"12", b"x"),
        PLAIN.replace(b"12", b"1_2"),
        PLAIN.replace(b"12", b""),
        b"a message\n",
    ],
)
def test_output_that_ripgrep_never_prints_is_not_whole(stdout: bytes) -> None:
    assert not printed.plain_lines(stdout, normalised=False, crlf=False)[1]

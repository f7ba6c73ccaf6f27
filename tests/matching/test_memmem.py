"""Bytes are found to hold a text just where Python finds it."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.matching import memmem

EXAMPLES = int(os.environ.get("VAULTTOOLS_EXAMPLES", "300"))

pieces = st.lists(st.sampled_from([b"a", b"b", b"ab", b"\0", b"\n", "é".encode(), b"\xff"]), max_size=12).map(b"".join)


@settings(max_examples=EXAMPLES, deadline=None)
@given(pieces, pieces, pieces, st.integers(0, 3_000), st.integers(0, 70), st.data())
def test_a_text_is_found_where_python_finds_it(
    before: bytes, middle: bytes, after: bytes, filling: int, length: int, data: st.DataObject
) -> None:
    held = before + b"a" * filling + middle + b"\0b" * (filling // 2) + after
    start = data.draw(st.integers(0, len(held)))
    for text in (middle, held[start : start + length], held[start : start + length] + after):
        assert memmem.holds(held, text) == (text in held)


@pytest.mark.parametrize("find", [memmem._memmem, lambda: None])
def test_it_is_found_with_the_systems_function_and_without(
    find: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memmem, "_memmem", find)
    held = b"x" * 5_000 + b"needle"
    texts = (b"needle", b"needles", b"x\0needle", b"")
    assert [memmem.holds(held, text) for text in texts] == [True, False, False, True]

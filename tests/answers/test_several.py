"""Several texts in one answer: the room is shared fairly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vaulttools.answers.several import shares


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=20), st.integers(0, 50_000))
def test_what_one_does_not_need_goes_to_the_others(needs: list[int], room: int) -> None:
    found = shares(needs, room)
    assert all(share <= need for share, need in zip(found, needs, strict=True))
    assert sum(found) <= room
    short = [share for share, need in zip(found, needs, strict=True) if share < need]
    if short:
        assert room - sum(found) < len(needs)
        assert max(short) - min(short) <= 1
        assert all(share <= min(short) + 1 for share in found)
    else:
        assert found == needs

"""The room that a text fits into: the same as by trying one room after the other."""

from __future__ import annotations

from bisect import bisect_left

from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.answers.fitting import fitted


@given(st.lists(st.integers(0, 400), max_size=12), st.lists(st.integers(-20, 60), min_size=13), st.integers(0, 400))
@settings(max_examples=150)
def test_the_room_is_that_of_trying_each_in_turn(edges: list[int], overs: list[int], room: int) -> None:
    edges = sorted(edges)
    least = 40
    tried: list[int] = []

    def made(room: int) -> int:
        tried.append(room)
        return bisect_left(edges, room)

    wanted, over = room, overs[bisect_left(edges, room)]
    turns = 1
    while over > 0 and wanted > least:
        wanted = max(wanted - over - 1, least)
        over = overs[bisect_left(edges, wanted)]
        turns += 1
    assert fitted(made, overs.__getitem__, room, least) == bisect_left(edges, wanted)
    assert len(tried) == len(set(tried)) <= turns + 8 * (len(edges) + 1)
    assert turns > 1 or tried == [room]

"""A mapping that is made of another by changes is the dict that these make."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from vaulttools.notes import overlay_map
from vaulttools.notes.overlay_map import GONE

keys = st.integers(0, 40)
stories = st.lists(st.dictionaries(keys, st.integers(0, 3) | st.just(GONE), max_size=6), max_size=8)


@given(st.dictionaries(keys, st.integers(0, 3)), stories, st.sets(st.integers(0, 7)))
def test_every_layer_says_what_a_dict_would(
    base: dict[int, int], story: list[dict[int, object]], gone_through: set[int]
) -> None:
    now: Mapping[int, object] = base
    expected: dict[int, object] = dict(base)
    earlier = []
    for step, changes in enumerate(story):
        now = overlay_map.changed(now, changes)
        expected = {key: value for key, value in {**expected, **changes}.items() if value is not GONE}
        if step in gone_through:
            assert overlay_map.whole(now) == expected
        earlier.append((now, expected))
    for mapping, held in earlier:
        assert len(mapping) == len(held)
        assert [mapping.get(key, "none") for key in range(41)] == [held.get(key, "none") for key in range(41)]
        assert [key in mapping for key in range(41)] == [key in held for key in range(41)]
        assert dict(mapping) == held == {key: mapping[key] for key in mapping}

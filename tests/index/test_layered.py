"""What is published of a mapping or set stays as it was, whatever its writer does next."""

from __future__ import annotations

from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.index import layered
from vaulttools.index.layered import Draft, DraftSet, Layered

T = TypeVar("T")
KEYS = "abcdefgh"
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from(KEYS)),
        st.tuples(st.just("pop"), st.sampled_from(KEYS)),
        st.tuples(st.just("take"), st.sampled_from(KEYS)),
        st.tuples(st.just("publish"), st.just("")),
    ),
    max_size=40,
)


def content(mapping: Layered[str, bytes]) -> dict[str, bytes]:
    """What each of its methods says of a mapping, which must agree."""
    found = dict(mapping.items())
    assert sorted(mapping) == sorted(found) and len(mapping) == len(found)
    assert {key: value for key in KEYS if (value := mapping.get(key)) is not None} == found
    assert mapping.several(KEYS, b"") == [found.get(key, b"") for key in KEYS]
    assert mapping.absent(KEYS) == [key for key in KEYS if key not in found]
    assert [key for key in KEYS if key in mapping] == [key for key in KEYS if key in found]
    return found


@pytest.mark.parametrize("least", [0, 2, 1_000])
@given(changes=CHANGES)
def test_a_published_mapping_never_changes_and_says_what_a_dict_would_say(
    least: int, changes: list[tuple[str, str]]
) -> None:
    draft, slow = Draft[str, bytes](), dict[str, bytes]()
    taken: list[tuple[Layered[str, bytes], dict[str, bytes]]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layered, "_LEAST", least)
        for number, (what, key) in enumerate(changes):
            if what == "put":
                draft[key] = slow[key] = b"%d" % number
            elif what == "pop":
                assert draft.pop(key, b"no") == slow.pop(key, b"no")
            elif what == "take":
                assert draft.taken([key], b"no") == [slow.pop(key, b"no")]
            else:
                now = draft.published()
                assert draft.published() is now
                taken.append((now, {**slow}))
            assert content(draft) == slow
        taken.append((draft.published(), slow))
    for published, then in taken:
        assert content(published) == then
    for one, of_one in taken:
        for other, of_other in taken:
            differing = one.differences(other)
            keys = of_one.keys() | of_other.keys()
            assert differing is None or {key for key in keys if of_one.get(key) != of_other.get(key)} <= differing


@given(changes=CHANGES)
def test_a_published_set_never_changes(changes: list[tuple[str, str]]) -> None:
    draft, slow = DraftSet[str](), set[str]()
    taken: list[tuple[frozenset[str], frozenset[str]]] = []
    for what, key in changes:
        if what == "put":
            draft.add(key)
            slow.add(key)
        elif what == "pop":
            draft.discard(key)
            slow.discard(key)
        elif what == "take":
            draft.difference_update([key], ["a"])
            slow -= {key, "a"}
        else:
            assert draft.published() is draft.published()
            taken.append((draft.published(), frozenset(slow)))
        assert set(draft) == slow
    assert [one for one, _ in taken] == [other for _, other in taken]

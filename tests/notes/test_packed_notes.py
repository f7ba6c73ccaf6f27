"""A set of notes that is packed is that set."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vaulttools.notes.packed_notes import PackedNotes, packed

NOTES = [f"{letter}.md" for letter in "dacbe"]
sets = st.sets(st.sampled_from(NOTES))


@given(one=sets, other=sets)
def test_a_packed_set_is_the_set(one: set[str], other: set[str]) -> None:
    places = {note: place for place, note in enumerate(NOTES)}
    held, second = (PackedNotes(packed(notes, places), NOTES) for notes in (one, other))
    as_it_is: object = one
    assert held == as_it_is and len(held) == len(one) and list(held) == sorted(one, key=NOTES.index)
    for theirs in (other, frozenset(other), second):
        assert held & theirs == one & other == theirs & held
        assert held | theirs == one | other == theirs | held
        assert held - theirs == one - other and theirs - held == other - one
        assert (held <= theirs) == (one <= other) == (theirs >= held)
    assert [note in held for note in (*NOTES, "none")] == [note in one for note in (*NOTES, "none")]

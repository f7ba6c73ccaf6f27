"""What is a number, the table of YAML 1.2's core schema decides; how it is written stays known."""

from __future__ import annotations

import copy
import json
import math
import pickle
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.notes.properties.core_schema import number_of, spellings
from vaulttools.index.kept_facts import packed, value_of
from vaulttools.notes.note import Note
from vaulttools.notes.packing import PackedNote, dump
from vaulttools.notes.properties.numerals import Numeral, in_json, plain, read, restored, stored

NEARLY: Final = st.text(alphabet="0123456789+-.eExXoOabF_:infNaI", min_size=1, max_size=8)


@given(spellings() | NEARLY)
def test_a_word_is_a_number_if_the_schema_says_so_and_its_text_is_what_was_written(word: str) -> None:
    found, expected = read(word), number_of(word)
    if expected is None:
        assert found is None
        return
    assert found is not None
    assert float(found) == float(expected) or (math.isnan(found) and math.isnan(expected))
    assert str(found) == f"{found}" == word


@pytest.mark.parametrize(
    ("word", "value"),
    [
        *(("12.50", 12.5), (".5", 0.5), ("+5", 5), ("007", 7), ("1e3", 1000), ("0x1F", 31), ("0o17", 15), ("5.", 5)),
        *(("-0", 0), ("40.712800", 40.7128), ("1.0", 1), ("1e+20", 1e20), ("9007199254740993.0", 9007199254740992.0)),
        *((word, word) for word in (".inf", "-.Inf", ".NaN", "1e999", "9223372036854775808", "+99999999999999999999")),
        *(("9223372036854775807", 2**63 - 1), ("+9007199254740993", 2**53 + 1)),
    ],
)
def test_json_has_the_number_and_the_spelling_only_where_it_cannot_hold_the_number(word: str, value: Any) -> None:
    held = plain({"a": [read(word)]})
    assert json.loads(json.dumps(held, allow_nan=False)) == {"a": [value]}


VALUES: Final = st.recursive(
    st.none() | st.booleans() | st.text(st.characters(codec="utf-8"), max_size=5) | spellings().map(read),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=8,
)


@given(VALUES)
def test_a_spelling_survives_where_values_are_kept(value: Any) -> None:
    kinds = [restored(json.loads(json.dumps(stored(value)))), copy.deepcopy(value), pickle.loads(pickle.dumps(value))]
    kinds.append(value_of(packed(b"", ("facts", value)))[1])
    assert [repr(each) for each in kinds] == [repr(value)] * 4
    assert type(packed(b"", ("facts", value))[1]) is bytes


@given(st.lists(spellings(), min_size=1, max_size=4))
def test_a_note_from_the_index_has_the_numbers_of_its_text(words: list[str]) -> None:
    note = Note("n.md", f"---\nlist: [{', '.join(words)}]\nmap: {{a: {words[0]}}}\n---\n")
    unpacked = PackedNote(dump(note)).properties
    assert repr(unpacked) == repr(dict(note.properties))
    assert [type(each) for each in unpacked["list"]] == [type(read(word)) for word in words]  # type: ignore[union-attr]


def test_json_for_people_has_numbers_as_they_are_written() -> None:
    assert in_json(["12.50", Numeral("12.50"), {"a": Numeral("0x1F")}]) == '["12.50", 12.50, {"a": 0x1F}]'

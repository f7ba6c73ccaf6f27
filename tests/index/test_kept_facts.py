"""Files of plain values beside the index."""

from __future__ import annotations

import gc
import marshal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.index import kept_facts
from vaulttools.index.kept_facts import KeptFacts, packed, value_of
from vaulttools.notes.difference import Change

VALUES: Any = (
    {b"1" * 16: ((3, "target"), (4, "\udc80"))},
    [("a", "b/c"), {"x": [1, 1.0, True, None, "ä"]}, {"set"}, frozenset(), b"bytes"],
)


def only(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_kept_values_come_back_as_they_were(tmp_path: Path) -> None:
    assert kept_facts.save(tmp_path / "index", "facts", VALUES)
    assert repr(kept_facts.load(tmp_path / "index", "facts")) == repr(VALUES)
    assert kept_facts.load(tmp_path / "index", "other") is None
    assert gc.isenabled()


@given(place=st.integers(0, 10_000), data=st.binary(min_size=1, max_size=8), cut=st.booleans())
def test_a_damaged_file_is_passed_over(place: int, data: bytes, cut: bool, tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("kept")
    kept_facts.save(folder / "index", "facts", VALUES)
    whole = only(folder).read_bytes()
    at = place % len(whole)
    damaged = whole[:at] + (b"" if cut else data + whole[at + len(data) :])
    only(folder).write_bytes(damaged)
    expected = VALUES if damaged == whole else None
    assert kept_facts.load(folder / "index", "facts") == expected


def test_a_file_that_other_code_wrote_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept_facts.save(tmp_path / "index", "facts", VALUES)
    monkeypatch.setattr(kept_facts, "_code", lambda: "other")
    assert kept_facts.load(tmp_path / "index", "facts") is None
    monkeypatch.setattr(kept_facts, "_code", lambda: None)
    assert kept_facts.load(tmp_path / "index", "facts") is None


def test_only_plain_values_are_kept(tmp_path: Path) -> None:
    assert not kept_facts.save(tmp_path / "index", "facts", {1: object()})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    assert not kept_facts.save(tmp_path / "none" / "index", "facts", VALUES)
    assert kept_facts.load(tmp_path / "none" / "index", "facts") is None


def test_nothing_that_marshal_would_choke_on_is_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept_facts.save(tmp_path / "index", "facts", VALUES)
    file = only(tmp_path)
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    monkeypatch.setattr(marshal, "loads", lambda data: pytest.fail("it was decoded"))
    assert kept_facts.load(tmp_path / "index", "facts") is None


def test_facts_and_their_answer_outlive_a_process_and_the_answer_is_taken_once(tmp_path: Path) -> None:
    facts = {f"{number}.md": packed(bytes([number]) * 16, ("tag", number)) for number in range(3)}
    KeptFacts("tags", tmp_path / "index").keep(facts, {"tag": {"0.md"}})
    later = KeptFacts("tags", tmp_path / "index")
    assert later.by_note == facts
    assert later.take_answer() == (facts, {"tag": {"0.md"}})
    assert later.take_answer() is None
    assert KeptFacts("links", tmp_path / "index").by_note == {}


@pytest.mark.parametrize("value", [(), ("a", 1, None), {"a": [1.5, True]}, Change("a.md", None, 1)])
def test_a_fact_equals_the_value_that_was_read(value: object) -> None:
    assert value_of(packed(b"text", value)) == value


def test_facts_of_values_that_python_takes_for_equal_differ() -> None:
    assert len({packed(b"text", value) for value in (1, 1.0, True)}) == 3

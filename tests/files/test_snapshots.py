"""Snapshot tags and the texts they stand for."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.files import content_caches
from vaulttools.files.content_caches import SnapshotStore, tag

ENTRY = content_caches._ENTRY_BYTES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "5D05"),
        ("a  \n", "9585"),
        ("hello world\n", "8DB0"),
        # differences that do not count
        ("a\n", "9585"),
        ("a\r\n", "9585"),
        ("a \t\r\n", "9585"),
        ("hello world\t\n", "8DB0"),
        (" \t", "5D05"),
    ],
)
def test_the_tag_is_that_of_the_documents(text: str, expected: str) -> None:
    assert tag(text) == expected


def test_every_other_difference_counts() -> None:
    texts = ["a\n", "a", " a\n", "\ta\n", "a\n\n", "\na\n", "a b\n", "a  b\n", "a\rb\n", "a\u00a0\n", "ä\n", "\n", ""]
    assert len({tag(text) for text in texts}) == len(texts)


texts = st.text(st.sampled_from("ab \t\r\n\u00a0ä😀\ud800"), max_size=30)


@given(texts)
def test_line_ends_and_trailing_blanks_do_not_change_a_tag(text: str) -> None:
    assert re.fullmatch("[0-9A-F]{4}", tag(text))
    assert tag(text.replace("\n", "\r\n")) == tag(text)
    assert tag(text.replace("\n", " \t\n")) == tag(text)
    assert tag("\n".join(line.rstrip(" \t\r") for line in text.split("\n"))) == tag(text)


def test_a_text_is_found_by_its_path_and_tag() -> None:
    store = SnapshotStore()
    first, second = store.add("a.md", "one\n"), store.add("a.md", "two\n")
    assert (first, second) == (tag("one\n"), tag("two\n"))
    assert [store.get("a.md", first), store.get("a.md", second)] == ["one\n", "two\n"]
    assert store.get("b.md", first) is None
    assert store.get("a.md", "0000") is None


def test_under_one_tag_the_later_text_stays() -> None:
    store = SnapshotStore()
    assert store.add("a.md", "one  \n") == store.add("a.md", "one\n")
    assert store.get("a.md", tag("one\n")) == "one\n"


def test_a_text_is_measured_in_bytes() -> None:
    store = SnapshotStore(ENTRY + 10)
    assert store.get("a.md", store.add("a.md", "ä" * 5)) == "ä" * 5
    assert store.get("a.md", store.add("a.md", "ä" * 6)) is None


def test_a_text_beyond_the_bound_is_not_kept_and_pushes_nothing_out() -> None:
    store = SnapshotStore(1000)
    store.add("a.md", "small")
    assert store.get("a.md", store.add("a.md", "x" * 1000)) is None
    assert store.get("a.md", tag("small")) == "small"
    store.add("a.md", "small" + " " * 1000)  # the same tag, which now means a text that is not kept
    assert store.get("a.md", tag("small")) is None

"""Rows in columns are those that the store has, and tell what differs as a comparison of each does."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.core import paths
from vaulttools.files.disk import GRANULARITY, Key
from vaulttools.index import rows
from vaulttools.index.content import HAS_CR, HAS_FAILED, STATES
from vaulttools.index.folder import STAMP
from vaulttools.index.rows import Rows, is_current
from vaulttools.index.store import Row

NOW = 10 * GRANULARITY
PATHS = ["a.md", "A b.md", "x/a.md", "x/é.md", "x/\udce3\udc81", "x\udcff/b", "日本/語.md", "z.png"]

times = st.sampled_from([1, NOW - GRANULARITY - 1, NOW - GRANULARITY, NOW, NOW + 1, 2**63 - 1])
keys = st.builds(Key, st.sampled_from([0, 7]), times, times, st.sampled_from([3, 2**63 - 1]))
digests = st.sampled_from([b"", b"1" * 16, b"2" * 16, b"3" * 32])


def row(path: str, id_: int) -> st.SearchStrategy[Row]:
    flags = st.sampled_from([0, HAS_CR, HAS_FAILED, 300])
    return st.builds(Row, st.just(path), st.just(id_), keys, times, st.sampled_from(STATES), flags, digests)


def of(given_: list[Row], at_once: int = 3) -> Rows:
    table = [
        (os.fsencode(each.path), each.id, *each.key, each.checked, STATES.index(each.state), each.flags, each.digest)
        for each in sorted(given_, key=lambda each: each.id)
    ]
    return Rows(list(zip(*table[start : start + at_once], strict=True)) for start in range(0, len(table), at_once))


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    chosen = draw(st.lists(st.sampled_from(PATHS), unique=True))
    first, step = draw(st.integers(1, 5)), draw(st.integers(1, 2))
    return [draw(row(path, first + step * number)) for number, path in enumerate(chosen)]


@pytest.fixture(scope="module", autouse=True)
def little_spare() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "_SPARE", 2)
        yield


@given(table=tables(), data=st.data())
def test_rows_hold_what_was_put_last(table: list[Row], data: st.DataObject) -> None:
    held, known = of(table), {each.path: each for each in table}
    ids = {each.id for each in table}
    for number in range(data.draw(st.integers(0, 8))):
        path = data.draw(st.sampled_from(PATHS))
        if data.draw(st.booleans()):
            has = known.get(path)
            new = data.draw(row(path, has.id if has is not None and data.draw(st.booleans()) else 100 - number))
            held.put(new)
            held = held.again() if held.is_loose else held
            known[path] = new
            ids.add(new.id)
        else:
            held.drop(path)
            known.pop(path, None)
    by_id = {each.id: each.path for each in known.values()}
    assert {path: held.get(path) for path in PATHS} == {path: known.get(path) for path in PATHS}
    assert set(held) == known.keys() and len(held) == len(known)
    assert {id_: held.path(id_) for id_ in ids | {0, 999}} == {id_: by_id.get(id_) for id_ in ids | {0, 999}}
    assert held.named(ids) == known.keys() and held.named([]) == set()
    assert {path: held.id(path) for path in known} == {path: each.id for path, each in known.items()}
    numbers = {path: number for number, path in enumerate(PATHS[::2])}
    numbered = held.by_id(numbers, -1)
    assert {id_: number for id_, number in enumerate(numbered) if number >= 0} == {
        each.id: numbers[path] for path, each in known.items() if path in numbers
    }
    assert held.texts(PATHS) == {
        path: known[path].digest for path in PATHS if path in known and known[path][4] == "text"
    }
    unusual = {each for each in known.values() if each.state != "text" or each.flags}
    assert set(held.unusual()) == unusual


def differences(
    rows: Iterable[Row], present: Mapping[str, Key], now: int, unlisted: Collection[str]
) -> tuple[list[str], list[str]]:
    """What `Rows.differences` gives, from a comparison of each row with its file."""
    gone = []
    fresh = set()
    for row in rows:
        key = present.get(row.path)
        if key is None:
            if not any(paths.is_below(folder, row.path) for folder in unlisted):
                gone.append(row.path)
        elif is_current(row, key, now):
            fresh.add(row.path)
    stale = [path for path in present if path not in fresh]
    return sorted(stale, key=paths.order), sorted(gone, key=paths.order)


@given(table=tables(), present=st.dictionaries(st.sampled_from(PATHS), keys), same=st.sets(st.sampled_from(PATHS)))
def test_what_differs_is_what_a_comparison_of_each_tells(
    table: list[Row], present: dict[str, Key], same: set[str]
) -> None:
    present |= {each.path: each.key for each in table if each.path in same}
    for unlisted in ([], ["x"], [""]):
        expected = differences(table, present, NOW, unlisted)
        files, stamps = list(present), [STAMP.pack(*key) for key in present.values()]
        folders = [(files[start : start + 2], stamps[start : start + 2]) for start in range(0, len(files), 2)]
        assert of(table).differences(folders, NOW, unlisted) == expected


@given(table=tables(), other=tables())
def test_rows_that_went_and_came_are_told_by_their_number_and_sum(table: list[Row], other: list[Row]) -> None:
    newer = [each._replace(id=each.id + 1_000) for each in other]
    for kept in (table, table[1:], []):
        now = [each.id for each in (*kept, *newer)]
        assert of(table).holds_just(len(now), sum(now)) == (sorted(now) == sorted(each.id for each in table))

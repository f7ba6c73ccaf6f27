"""Rows and files are the ones that were put or seen last."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from vaulttools.files.disk import GRANULARITY, Key
from vaulttools.index.content import HAS_CR, HAS_FAILED, STATES
from vaulttools.index.folder import STAMP
from vaulttools.index.rows import Rows, is_current, key_of
from vaulttools.index.store import FileRow

NOW = 10 * GRANULARITY
PATHS = ["a.md", "A b.md", "x/a.md", "x/é.md", "x/\udce3\udc81", "x\udcff/b", "日本/語.md", "z.png"]

times = st.sampled_from([1, NOW - GRANULARITY - 1, NOW - GRANULARITY, NOW, NOW + 1, 2**63 - 1])
keys = st.builds(Key, st.sampled_from([0, 7]), times, times, st.sampled_from([0, 2**63 - 1]))
digests = st.sampled_from([b"", b"1" * 16, b"2" * 16, b"3" * 32])


def row(path: str, id_: int) -> st.SearchStrategy[FileRow]:
    flags = st.sampled_from([0, HAS_CR, HAS_FAILED, 300])
    return st.builds(FileRow, st.just(path), st.just(id_), keys, times, st.sampled_from(STATES), flags, digests)


def of(given_: list[FileRow], at_once: int = 3) -> Rows:
    table = [
        (os.fsencode(each.path), each.id, *each.key, each.checked, STATES.index(each.state), each.flags, each.digest)
        for each in sorted(given_, key=lambda each: each.id)
    ]
    rows = Rows()
    rows.load((list(zip(*table[at : at + at_once], strict=True)) for at in range(0, len(table), at_once)), NOW)
    rows.number()
    return rows


@st.composite
def tables(draw: st.DrawFn) -> list[FileRow]:
    chosen = draw(st.lists(st.sampled_from(PATHS), unique=True))
    first, step = draw(st.integers(1, 5)), draw(st.integers(1, 2))
    return [draw(row(path, first + step * number)) for number, path in enumerate(chosen)]


@given(table=tables())
def test_loading_finds_unusual_and_doubtful_rows(table: list[FileRow]) -> None:
    held = of(table)
    assert set(held.unusual) == {each for each in table if each.state != "text" or each.flags}
    assert set(held.doubtful) == {each.path for each in table if not is_current(each, each.key, NOW)}


@given(table=tables(), data=st.data())
def test_rows_and_files_are_those_that_came_last(table: list[FileRow], data: st.DataObject) -> None:
    rows, known = of(table), {each.path: each for each in table}
    files: dict[str, Key] = {}
    ids = {each.id for each in table}
    for number in range(data.draw(st.integers(0, 8))):
        path = data.draw(st.sampled_from(PATHS))
        what = data.draw(st.sampled_from(["put", "drop", "see", "leave"]))
        if what == "put":
            has = known.get(path)
            new = data.draw(row(path, has.id if has is not None and data.draw(st.booleans()) else 100 - number))
            rows.put(new)
            known[path] = new
            ids.add(new.id)
        elif what == "drop":
            rows.drop(path)
            known.pop(path, None)
        elif what == "see":
            files[path] = data.draw(keys)
            rows.see(path, STAMP.pack(*files[path]))
        elif path in files:
            rows.leave(path)
            del files[path]
    for held in (rows.now, rows.published()):
        assert {path: key_of(record) for path, record in held.files.items()} == files
        assert {*held.aside} == known.keys() - files.keys()
        assert {
            path: None if each is None else each._replace(key=NOTHING) for path in PATHS for each in [held.get(path)]
        } == {path: known[path]._replace(key=NOTHING) if path in known else None for path in PATHS}
        assert all(each.key == files[path] for path in files if (each := held.get(path)) is not None)
        by_id = {each.id: each.path for each in known.values()}
        assert (
            sorted(held) == sorted(known) and rows.ids_in_sum() == (len(known), sum(by_id)) and len(held) == len(known)
        )
        assert {id_: held.path(id_) for id_ in ids | {0, 999}} == {id_: by_id.get(id_) for id_ in ids | {0, 999}}
        assert held.named(ids | {999}) == known.keys() and held.named([]) == set()
        assert {path: held.id(path) for path in PATHS} == {
            path: known[path].id if path in known else None for path in PATHS
        }
        assert held.lacking(PATHS) == [path for path in PATHS if path not in known or path not in files]
        assert held.files.absent(PATHS) == [path for path in PATHS if path not in files]
        assert held.texts(PATHS) == {
            path: known[path].digest
            for path in PATHS
            if path in files and path in known and known[path].state == "text"
        }


NOTHING = Key(0, 0, 0, 0)

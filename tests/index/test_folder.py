"""A packed folder is the names and keys that it was made of, whatever changes."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.files.disk import Key
from vaulttools.files.folder_names import FolderEntry
from vaulttools.index import folder
from vaulttools.index.folder import STAMP, Inode, packed

NAMES = ["a.md", "b", "é.md", "\udcff", "z.md", ".git"]
numbers = st.sampled_from([0, 5, 2**63 - 1])
nodes = st.one_of(
    st.builds(Inode, st.just("file"), st.builds(Key, numbers, numbers, numbers, numbers)),
    st.builds(
        Inode,
        st.sampled_from(["file", "folder", "link", "other"]),
        st.builds(Key, numbers, numbers, numbers, numbers),
        st.booleans(),
        st.integers(1, 2),
    ),
)
names = st.sampled_from(NAMES)


@given(st.dictionaries(names, nodes), st.lists(st.tuples(names, st.none() | nodes), max_size=6), st.booleans())
def test_a_folder_holds_what_was_put_last(
    given_: dict[str, Inode], changes: list[tuple[str, Inode | None]], is_packed_again: bool
) -> None:
    held, known = packed(given_.items()), dict(given_)
    for name, node in changes:
        held.get(name)
        if node is None:
            del held[name]
            known.pop(name, None)
        else:
            held[name] = known[name] = node
    if is_packed_again:
        held = held.again()
    assert dict(held.items()) == known and bool(held) == bool(known)
    assert {name: held.get(name) for name in NAMES} == {name: known.get(name) for name in NAMES}
    for searched in (folder._SEARCHED, 0):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(folder, "_SEARCHED", searched)
            assert [held.get(name) for name in NAMES] == [known.get(name) for name in NAMES]
    files = {name: STAMP.pack(*node.key) for name, node in known.items() if node.kind == "file"}
    assert dict(zip(*held.files(), strict=True)) == files
    listed = [FolderEntry(name, each.kind, each.dataless) for name, each in known.items()]
    assert [*held.listed()] == sorted(listed, key=lambda each: os.fsencode(each.name))
    assert (
        held == packed(known.items())
        and (held == packed([*known.items(), ("new", Inode("other", Key(0, 0, 0, 0)))])) is False
    )
    large = {name for name, node in known.items() if node.kind == "file" and node.key.size > 4}
    assert large == {
        *held.beyond(4),
        *(name for name, each in held.others() if each.kind == "file" and each.key.size > 4),
    }


def test_only_some_folders_keep_their_names_for_being_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "_SEARCHED", 0)
    many = [packed([("a.md", Inode("file", Key(number, 0, 0, 0)))]) for number in range(40)]
    for _ in range(2):
        assert [each.get("a.md") for each in many] == [Inode("file", Key(number, 0, 0, 0)) for number in range(40)]
    assert len(folder._looked_up) == folder._LOOKED_UP
    assert sum(each._places is not None for each in many) == folder._LOOKED_UP

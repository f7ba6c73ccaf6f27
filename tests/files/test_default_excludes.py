"""The default excludes, against a whole-path reading by pathspec."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from vaulttools.files import default_excludes
from vaulttools.files.default_excludes import FILES, FOLDERS

SPEC = GitIgnoreSpec.from_lines([*(f"{name}/" for name in FOLDERS), *FILES])
NAMES = st.sampled_from(
    [*FOLDERS, "Build", "x.build", "a.log", "a.LOG", "a.log.md", ".log", "x.min.js", "min.js", "map"]
)
NAME = NAMES | st.text(st.characters(codec="utf-8", exclude_characters="/\0\n"), min_size=1, max_size=8).filter(
    lambda name: name not in (".", "..")
)


@given(st.lists(NAME, min_size=1, max_size=4))
def test_a_walk_that_asks_by_name_decides_as_pathspec_does_by_path(names: list[str]) -> None:
    *folders, name = names
    left_out = any(default_excludes.covers(folder, is_folder=True) for folder in folders)
    assert (left_out or default_excludes.covers(name, is_folder=False)) == SPEC.match_file("/".join(names))


@pytest.mark.parametrize("name", ["\udcff", "a.\udcff", "a.log\udcff"])
def test_fault_N04_a_name_that_is_no_utf8_is_not_left_out(name: str) -> None:
    assert not default_excludes.covers(name, is_folder=True)
    assert not default_excludes.covers(name, is_folder=False)
    assert default_excludes.covers(f"{name}.log", is_folder=False)


@pytest.mark.parametrize(
    ("path", "folder"),
    [("", None), ("a/b", None), ("build", "build"), ("a/tmp/b/dist", "a/tmp"), ("Build/tmp.md", None)],
)
def test_the_left_out_folder_of_a_path(path: str, folder: str | None) -> None:
    assert default_excludes.folder_of(path) == folder

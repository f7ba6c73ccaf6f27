"""The scope of a call: walks and named files as one list in path order, each file once (spec 2.5 to 2.7, 2.10)."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vaulttools.core import globs, paths
from vaulttools.core.catalogue import Entry, Rules
from vaulttools.core.excluded import Excluded
from vaulttools.core.protection import Protection
from vaulttools.core.root import Root
from vaulttools.core.scope import Covering, Scope, Walk

FILES = (".h.md", ".obsidian/o.md", "Archive/a.md", "a!.md", "a/b/c.md", "a/d.txt", "a/e.MD", "a b.md", "z.md")
VISIBLE = ("Archive/a.md", "a/b/c.md", "a/d.txt", "a/e.MD", "a b.md", "a!.md", "z.md")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """A vault of empty files."""
    folder = tmp_path_factory.mktemp("vault")
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return Root(os.path.realpath(folder), str(folder), Protection.of())


def scope_of(
    root: Root, *walks: Walk, named: Sequence[str] = (), hidden: bool = False, excluded: Excluded | None = None
) -> Scope:
    """A scope without ignore files."""
    return Scope(root, Rules(hidden=hidden, excluded=excluded or Excluded()), walks, tuple(named))


def files(scope: Scope) -> list[str]:
    """The files that are in."""
    return [entry.path for entry in scope.entries() if entry.left_out is None]


def test_a_walk_of_the_vault_gives_its_files_in_path_order(root: Root) -> None:
    assert tuple(files(scope_of(root, Walk()))) == VISIBLE
    assert tuple(files(scope_of(root, Walk(), hidden=True))) == (".h.md", *VISIBLE)


def test_notes_only_leaves_other_files_out_without_a_word(root: Root) -> None:
    notes = [path for path in VISIBLE if paths.is_note(path)]
    assert [entry.path for entry in scope_of(root, Walk(notes_only=True)).entries() if entry.path != ".obsidian"] == (
        [".h.md", *notes]
    )


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("*.md", ["Archive/a.md", "a/b/c.md", "a/e.MD", "a b.md", "a!.md", "z.md"]),
        ("a/*", ["a/d.txt", "a/e.MD"]),
        ("a/**", ["a/b/c.md", "a/d.txt", "a/e.MD"]),
        ("nothing/**", []),
        (".obsidian/**", []),
        ("**/o.md", []),
    ],
)
def test_a_glob_selects_the_files_of_a_walk(root: Root, glob: str, expected: list[str]) -> None:
    assert files(scope_of(root, Walk(glob=globs.parse(glob, ignore_case=True)))) == expected


def test_walks_and_names_are_merged_in_path_order_and_each_file_comes_once(root: Root) -> None:
    scope = scope_of(root, Walk("a"), Walk("a/b"), Walk("Archive"), named=("z.md", "a b.md", "a/b/c.md", "z.md"))
    assert files(scope) == ["Archive/a.md", "a/b/c.md", "a/d.txt", "a/e.MD", "a b.md", "z.md"]


def test_a_name_wins_over_a_rule(root: Root) -> None:
    rules = Excluded(texts=("archive/",))
    scope = scope_of(root, Walk(), named=(".h.md", "Archive/a.md"), excluded=rules)
    assert files(scope) == [".h.md", *VISIBLE]
    told = [entry for entry in scope.entries() if entry.left_out]
    assert told == [Entry("Archive", "folder", "excluded")]


def test_a_scope_of_names_alone_walks_nothing(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "scandir", pytest.fail)
    assert files(scope_of(root, named=("z.md", ".h.md"))) == [".h.md", "z.md"]


def test_an_empty_scope_has_no_files(root: Root) -> None:
    assert list(scope_of(root).entries()) == []


def test_what_a_regex_entry_matches_is_told_as_excluded(root: Root) -> None:
    def matching(some: Sequence[str]) -> Covering:
        return Covering({index for index, path in enumerate(some) if "/" in path}, None, ())

    scope = Scope(root, Rules(hidden=False, excluded=Excluded()), (Walk(),), ("a/b/c.md",), matching)
    assert files(scope) == ["a/b/c.md", "a b.md", "a!.md", "z.md"]
    assert [entry.path for entry in scope.entries() if entry.left_out == "excluded"] == (
        ["Archive/a.md", "a/d.txt", "a/e.MD"]
    )


def test_a_file_of_which_nobody_knows_whether_a_regex_entry_matches_it_is_left_out_for_that_reason(root: Root) -> None:
    def stopped(some: Sequence[str]) -> Covering:
        return Covering({some.index("a b.md")}, "time limit", ())

    scope = Scope(root, Rules(hidden=False, excluded=Excluded()), (Walk(),), ("z.md",), stopped)
    assert files(scope) == ["z.md"]
    assert {entry.path: entry.left_out for entry in scope.entries() if entry.path in (*VISIBLE, ".h.md")} == {
        **dict.fromkeys((".h.md", "a b.md", "z.md")),
        **dict.fromkeys(("Archive/a.md", "a/b/c.md", "a/d.txt", "a/e.MD", "a!.md"), "time limit"),
        ".h.md": "hidden",
        "a b.md": "excluded",
    }


def test_a_walk_stays_lazy_where_regex_entries_are_matched(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def matching(some: Sequence[str]) -> Covering:
        asked.append(list(some))
        return Covering({0}, None, ())

    monkeypatch.setattr("vaulttools.core.scope._MATCHED_AT_ONCE", 2)
    scope = Scope(root, Rules(hidden=False, excluded=Excluded()), (Walk("a"),), (), matching)
    entries = scope.everything()
    assert next(entries) == Entry("a/b", "folder")
    assert asked == [["a/b", "a/b/c.md"]]
    assert list(entries) == [
        Entry("a/b/c.md", "file"),
        Entry("a/d.txt", "file", "excluded"),
        Entry("a/e.MD", "file"),
    ]
    assert asked == [["a/b", "a/b/c.md"], ["a/d.txt", "a/e.MD"]]


def test_everything_has_the_folders_too(root: Root) -> None:
    everything = [entry.path for entry in scope_of(root, Walk("a")).everything()]
    assert everything == ["a/b", "a/b/c.md", "a/d.txt", "a/e.MD"]


FOLDERS = st.sampled_from(["", "a", "a/b", "Archive"])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(folders=st.lists(FOLDERS, max_size=4), named=st.lists(st.sampled_from(VISIBLE), max_size=4))
def test_whatever_is_named_the_files_are_sorted_and_single(root: Root, folders: list[str], named: list[str]) -> None:
    found = files(scope_of(root, *map(Walk, folders), named=named))
    expected = {path for path in VISIBLE if any(not folder or path.startswith(f"{folder}/") for folder in folders)}
    assert found == sorted(expected | set(named), key=paths.order)

"""The scope of a call: walks and named files as one list in path order, each file once."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vaulttools.core import limits, paths
from vaulttools.files import catalogue, disk, globs
from vaulttools.files.catalogue import Entry, Rules
from vaulttools.files.folder_names import FolderNames
from vaulttools.files.protection import Protection
from vaulttools.files.root import Root
from vaulttools.files.scope import Covering, Scope, Walk
from vaulttools.files.settings import Excluded

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


def test_notes_only_leaves_other_files_out_silently(root: Root) -> None:
    notes = [path for path in VISIBLE if paths.is_note(path)]
    assert [entry.path for entry in scope_of(root, Walk(notes_only=True)).entries() if entry.path != ".obsidian"] == (
        [".h.md", *notes]
    )


def test_a_name_wins_over_a_rule(root: Root) -> None:
    rules = Excluded(texts=("archive/",))
    scope = scope_of(root, Walk(), named=(".h.md", "Archive/a.md"), excluded=rules)
    assert files(scope) == [".h.md", *VISIBLE]
    left_out = [entry for entry in scope.entries() if entry.left_out]
    assert left_out == [Entry("Archive", "folder", "excluded")]


def test_a_scope_of_names_alone_walks_nothing(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "scandir", pytest.fail)
    assert files(scope_of(root, named=("z.md", ".h.md"))) == [".h.md", "z.md"]


def test_an_empty_scope_has_no_files(root: Root) -> None:
    assert list(scope_of(root).entries()) == []


def test_what_a_regex_entry_matches_is_reported_as_excluded(root: Root) -> None:
    def matching(some: Sequence[str]) -> Covering:
        return Covering({index for index, path in enumerate(some) if "/" in path}, None, ())

    scope = Scope(root, Rules(hidden=False, excluded=Excluded()), (Walk(),), ("a/b/c.md",), matching)
    assert files(scope) == ["a/b/c.md", "a b.md", "a!.md", "z.md"]
    assert [entry.path for entry in scope.entries() if entry.left_out == "excluded"] == (
        ["Archive/a.md", "a/d.txt", "a/e.MD"]
    )


def test_a_file_that_no_regex_entry_could_be_matched_with_in_time_is_left_out_for_that_reason(root: Root) -> None:
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

    monkeypatch.setattr("vaulttools.files.scope._MATCHED_FIRST", 2)
    monkeypatch.setattr("vaulttools.files.scope._MATCHED_AT_ONCE", 2)
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


def test_everything_includes_the_folders(root: Root) -> None:
    everything = [entry.path for entry in scope_of(root, Walk("a")).everything()]
    assert everything == ["a/b", "a/b/c.md", "a/d.txt", "a/e.MD"]


FOLDERS = st.sampled_from(["", "a", "a/b", "Archive"])


@settings(max_examples=60, deadline=None)
@given(folders=st.lists(FOLDERS, max_size=4), named=st.lists(st.sampled_from(VISIBLE), max_size=4))
def test_the_files_are_sorted_and_unique_whatever_is_named(root: Root, folders: list[str], named: list[str]) -> None:
    found = files(scope_of(root, *map(Walk, folders), named=named))
    expected = {path for path in VISIBLE if any(not folder or path.startswith(f"{folder}/") for folder in folders)}
    assert found == sorted(expected | set(named), key=paths.order)


# What an index keeps of a walk


class Listed:
    """An index that knows the names of a vault, and keeps nothing."""

    large: frozenset[str] = frozenset()

    def __init__(self, root: Root) -> None:
        self.root = root

    def knows(self, folder: str) -> bool:
        return True

    def names_in(self, folder: str) -> FolderNames:
        return catalogue.listed(self.root, folder)

    def kept(self, key: Hashable, make: Callable[[], Any], *, times: bool = False) -> Any:
        hash(key)
        return make()

    def outside(self) -> Hashable:
        return None


NAMES = ["a", "b", "a.md", "b.MD", "A.md", ".h", ".h.md", "node_modules", "x.log", "[x].md", "é.md", "tmp", ".obsidian"]
IGNORED = ["*.md", "a/", "/b", "!a.md", "[", "b/a", "**/a/**", "!*/", "node_modules", "foo\\", "é.md"]
GLOBS = [
    *("*.md", "*", "**", "a/**", "a/*.md", "**/a/*", "b", "a", "*/a", "{a,b}/**/*.md", "[ab]*", "./a.md", "a/b/", ".*"),
    *("**/b/**/a*", "é.md", "node_modules/**", "[x].md", "no/such", "link", "link/*", "tmp/**", "A/*"),
]


@st.composite
def _paths(draw: st.DrawFn) -> str:
    return "/".join(draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4)))


@st.composite
def _trees(draw: st.DrawFn) -> dict[str, str | None]:
    """Texts of files by their path; None: a link to the path behind ` -> `."""
    files: dict[str, str | None] = dict.fromkeys(draw(st.lists(_paths(), max_size=12)), "")
    for folder in draw(st.lists(st.sampled_from(["", "a/", "b/", "a/b/", "tmp/"]), max_size=3)):
        name = draw(st.sampled_from([".gitignore", ".ignore", ".rgignore", ".git/info/exclude"]))
        files[folder + name] = "\n".join(draw(st.lists(st.sampled_from(IGNORED), max_size=3)))
    for link in draw(st.lists(_paths(), max_size=2)):
        target = draw(st.sampled_from(["a", "b", "a.md", ".", ".obsidian", "/", "nowhere"]))
        files[f"{link} -> {target}"] = None
    return files


def _laid_out(folder: Path, tree: Mapping[str, str | None]) -> None:
    (folder / "a/b").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name, text in tree.items():
        path, _, target = name.partition(" -> ")
        with suppress(OSError):  # a file is where a folder should be
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                (folder / path).symlink_to(folder / target)
            else:
                (folder / path).write_text(text, encoding="utf-8")


@pytest.mark.not_on_windows("POSIX links")
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), tree=_trees())
def test_the_kept_parts_of_a_whole_walk_are_what_a_new_walk_finds(
    data: st.DataObject, tree: dict[str, str | None]
) -> None:
    """Entries and warnings, for any glob, folder and rules; with folders that are too deep or cannot be read."""
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patched:
        folder = Path(os.path.realpath(place)) / "vault"
        _laid_out(folder, tree)
        root = Root(str(folder), str(folder), Protection.of())
        unreadable = data.draw(st.sampled_from([None, None, "a", "b", "a/b", "tmp"]))
        listed = catalogue.listed

        def refusing(root: Root, path: str) -> FolderNames:
            if path == unreadable:
                raise PermissionError
            return listed(root, path)

        patched.setattr(catalogue, "listed", refusing)
        patched.setattr(limits, "FOLDER_DEPTH", data.draw(st.sampled_from([1, 2, 256])))
        for _ in range(6):
            rules = Rules(
                hidden=data.draw(st.booleans()),
                excluded=Excluded(tuple(data.draw(st.lists(st.sampled_from(["a/", "b.md", "é"]), max_size=1)))),
                ignores=data.draw(st.booleans()),
                pruned=frozenset(data.draw(st.sampled_from([[], ["node_modules"], ["b"]]))),
                default_excludes=data.draw(st.booleans()),
            )
            glob = data.draw(st.sampled_from([None, *GLOBS]))
            walk = Walk(
                data.draw(st.sampled_from(["", "", "a", "a/b"])),
                None if glob is None else globs.parse(glob, ignore_case=data.draw(st.booleans())),
                notes_only=data.draw(st.booleans()),
            )
            regex = _excluding if data.draw(st.booleans()) else None
            for method in (Scope.entries, Scope.everything):
                walked = Scope(root, rules, (walk,), regex_excluded=regex)
                kept = Scope(root, rules, (walk,), regex_excluded=regex, names=Listed(root))  # type: ignore[arg-type]
                assert list(method(kept)) == list(method(walked)), (rules, walk)
                assert dict.fromkeys(kept.warnings) == dict.fromkeys(walked.warnings), (rules, walk)


def _excluding(paths: Sequence[str]) -> Covering:
    """Excludes as an entry `/b/` of the excluded files does; reports another entry as unusable."""
    return Covering({place for place, path in enumerate(paths) if "b" in path}, None, ("an entry of no use",))

"""The tree is what a walk of the vault would read now, whether a watch or a comparison keeps it up to date."""

from __future__ import annotations

import errno
import os
import random
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import on_a_known_disk
from tests.index.indexes import Indexed, python, unlistable
from vaulttools.core import paths
from vaulttools.files import catalogue
from vaulttools.files.disk import Key
from vaulttools.files.folder_names import FolderEntry
from vaulttools.files.root import Root
from vaulttools.index import build
from vaulttools.index.rows import Rows
from vaulttools.index.tree import Changes, Names, Tree
from vaulttools.index.watch import watch

if TYPE_CHECKING:
    from vaulttools.index.inotify import InotifyWatch as Watch

posix_only = pytest.mark.not_on_windows("POSIX links and modes")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="inotify")
pytestmark = pytest.mark.usefixtures("watch_on")

FOLDERS = ["", "a", "a/b", "a/b/c", "d", ".git", "a/.obsidian", "d/node_modules"]
NAMES = ["n.md", "o.txt", ".gitignore", "a", "b", "é.md", ".ignore"]
PATHS = [f"{folder}/{name}".lstrip("/") for folder in FOLDERS for name in NAMES]


def published(tree: Tree) -> Names:
    return tree.published(tree._rows.published())


def state(tree: Tree) -> dict[str, Any]:
    """Everything that a tree knows."""
    names = published(tree)
    folders: dict[str, list[tuple[FolderEntry, Key | int | None]]] = {}
    waiting = [""]
    while waiting:
        here = waiting.pop()
        if here in names.unlisted:
            with pytest.raises(OSError):
                names.names_in(here)
            continue
        folders[here] = []
        for listed in names.names_in(here):
            path = paths.join(here, listed.name)
            key = names.key(path)
            assert key is not None
            # A folder that is not entered is not shown either, so its time has no use. Files have a key, and everything
            # else has only a time.
            is_shown = listed.kind != "folder" or (names.knows(path) and path not in names.unlisted)
            stamp = key if listed.kind == "file" else key.modified if is_shown else None
            folders[here].append((listed, stamp))
            if names.knows(path):
                waiting.append(path)
    return {
        "folders": folders,
        "unlisted": set(names.unlisted),
        "files": tree.files(),
        "large": set(names.large),
        "repositories": names.repositories,
    }


def names_of(tree: dict[str, Any]) -> dict[str, list[FolderEntry]]:
    return {folder: [listed for listed, _ in names] for folder, names in tree["folders"].items()}


def watching(root: Root) -> Watch:
    found = watch(root)
    if found is None:
        pytest.skip("the temporary folder's file system tells of no changes")
    return found


Update = Callable[[], Changes]


@pytest.fixture(params=["watch", "compare"])
def updated(request: pytest.FixtureRequest, indexed: Indexed) -> Iterator[Callable[[], tuple[Tree, Update]]]:
    """Reads the tree of the vault, and returns it with its update: once with a watch, and once without."""
    opened: list[Watch] = []

    def made() -> tuple[Tree, Update]:
        if request.param == "compare":
            tree = Tree(indexed.root, None, max_bytes=100)
            return tree, tree.compare
        if sys.platform != "linux":
            pytest.skip("no watch here")
        opened.append(watching(indexed.root))
        tree = Tree(indexed.root, opened[0], max_bytes=100)
        return tree, lambda: tree.apply(opened[0].drain())

    yield made
    for each in opened:
        each.close()


_AT_ONCE = 0 if sys.platform == "win32" else os.O_NONBLOCK
"""A pipe is refused instead of waited for."""


def _put(path: Path, flags: int, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | _AT_ONCE | flags)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)


def _remove(folder: Path) -> None:
    if not folder.is_dir():
        raise NotADirectoryError
    shutil.rmtree(folder)


class Story:
    """Random changes to a vault."""

    def __init__(self, place: Path, rng: random.Random, *, modes: bool) -> None:
        self.vault = place / "vault"
        self.outside = place / "outside"
        self.rng = rng
        self.outside.mkdir()
        self.vault.mkdir(exist_ok=True)
        for path in [*(f"{folder}/n.md" for folder in FOLDERS[1:]), *PATHS[::3]]:
            self.write(path)
        os.link(self.vault / "a/n.md", self.outside / "second name")
        self.kinds = [getattr(self, name) for name in vars(Story) if not name.startswith("_") and name != "step"]
        if not modes:
            self.kinds.remove(self.close_off)

    def step(self) -> None:
        with suppress(OSError):  # nothing there, or in the way
            self.rng.choice(self.kinds)(self.rng.choice(PATHS))

    def write(self, path: str) -> None:
        with suppress(OSError):
            (self.vault / path).parent.mkdir(parents=True, exist_ok=True)
            _put(self.vault / path, os.O_CREAT | os.O_TRUNC, b"x" * self.rng.randrange(200))

    def append(self, path: str) -> None:
        _put(self.vault / path, os.O_APPEND, b"more")

    def append_by_other_name(self, path: str) -> None:
        with (self.outside / "second name").open("a", encoding="utf-8") as file:
            file.write("more")

    def empty(self, path: str) -> None:
        os.truncate(self.vault / path, 0)

    def delete(self, path: str) -> None:
        (self.vault / path).unlink()

    def delete_folder(self, path: str) -> None:
        _remove(self.vault / self.rng.choice(FOLDERS[1:]))

    def rename(self, path: str) -> None:
        (self.vault / path).replace(self.vault / self.rng.choice(PATHS))

    def move_folder(self, path: str) -> None:
        (self.vault / self.rng.choice(FOLDERS[1:])).rename(self.vault / path)

    def move_folder_out_or_in(self, path: str) -> None:
        kept = self.outside / "kept"
        folder = self.vault / self.rng.choice(FOLDERS[1:])
        if kept.exists():
            kept.rename(folder)
        else:
            folder.rename(kept)

    def replace_folder(self, path: str) -> None:
        """The new folder has the same name and may get the same inode."""
        folder = self.vault / self.rng.choice(FOLDERS[1:])
        _remove(folder)
        folder.mkdir()
        (folder / "n.md").write_text("another", encoding="utf-8")

    def link(self, path: str) -> None:
        (self.vault / path).symlink_to(self.vault / self.rng.choice(FOLDERS))

    def link_hard(self, path: str) -> None:
        """Only to places where events report the change (`watch`)."""
        os.link(self.vault / path, self.vault / self.rng.choice([path for path in PATHS if "/." not in f"/{path}"]))

    def age(self, path: str) -> None:
        where = self.rng.choice([path, path.rpartition("/")[0]])
        os.utime(self.vault / where, ns=(1, self.rng.randrange(1 << 60)))

    def make_pipe(self, path: str) -> None:
        if sys.platform != "win32":  # it has none
            os.mkfifo(self.vault / path)

    def close_off(self, path: str) -> None:
        folder = self.vault / self.rng.choice(FOLDERS[1:])
        folder.chmod(self.rng.choice([0o000, 0o500, 0o600, 0o300, 0o700, 0o700, 0o700]))


def tell(place: Path, seed: int, *, modes: bool = False) -> None:
    """Tell a story: after each chapter, the watched tree is the one that is read anew."""
    rng = random.Random(seed)
    story = Story(place, rng, modes=modes)
    root = Indexed(place).root
    with closing(watching(root)) as watched:
        tree, compared = Tree(root, watched, max_bytes=100), Tree(root, None, max_bytes=100)
        was = state(tree)
        for _ in range(60):
            before = tree.files()
            for _ in range(rng.randrange(1, 6)):
                story.step()
            applied, found = tree.apply(watched.drain()), compared.compare()
            now = state(Tree(root, None, max_bytes=100))
            assert state(tree) == now
            assert state(compared) == now
            files = now["files"]
            changed = {path for path, key in files.items() if before.get(path) != key}
            assert found.files == changed
            assert changed <= applied.files | applied.met
            assert found.gone == before.keys() - files.keys()
            assert found.gone <= applied.gone
            assert applied.gone.isdisjoint(files)
            assert (applied.names and found.names) or not (
                names_of(now) != names_of(was) or any(path.endswith(("/.gitignore", "/.ignore")) for path in changed)
            )
            assert (applied.times and found.times) or now == was
            was = now


@linux_only
@pytest.mark.parametrize("seed", range(8))
def test_a_watched_tree_is_the_tree_read_anew_whatever_happens(tmp_path: Path, seed: int) -> None:
    tell(tmp_path, seed)


CLOSED_OFF = """
import os
from tests.index.test_tree import tell
for seed in range(4):
    place = indexed.folder / str(seed)
    place.mkdir()
    tell(place, seed, modes=True)
    for folder, folders, _ in os.walk(place):
        for name in folders:
            if not os.path.islink(os.path.join(folder, name)):
                os.chmod(os.path.join(folder, name), 0o700)
print("done")
"""


@linux_only
@on_a_known_disk
def test_fault_T02_a_watched_tree_follows_folders_that_become_unreadable(tmp_path: Path) -> None:
    out, err = python(CLOSED_OFF, tmp_path, bound=True).communicate()
    assert (out, err) == ("done\n", "")


@pytest.mark.parametrize("seed", range(4))
def test_the_first_comparison_with_the_rows_finds_what_a_look_at_each_file_finds(
    tmp_path: Path, later: None, seed: int
) -> None:
    rng = random.Random(seed)
    story, place = Story(tmp_path, rng, modes=False), Indexed(tmp_path)
    store = place.open()
    for _ in range(6):
        build.update(store, place.root, *place.differences(store, Tree(place.root, None).files()), workers=0)
        for _ in range(rng.randrange(12)):
            story.step()
        for now in (time.time_ns(), 1):
            rows = Rows()
            rows.load(store.columns(), now)
            tree = Tree(place.root, None, rows=rows)
            first = sorted(tree.first.files, key=paths.order), sorted(tree.first.gone, key=paths.order)
            assert first == place.differences(store, tree.files(), now)
    store.close()


def test_an_unchanged_tree_has_no_changes(indexed: Indexed, updated: Callable[[], tuple[Tree, Update]]) -> None:
    indexed.write({"a/n.md": "n", "b.md": "b"})
    _, update = updated()
    assert update() == Changes()


@pytest.mark.parametrize(
    ("name", "are_rules"),
    [(".gitignore", True), (".ignore", True), (".rgignore", True), ("n.md", False), (".gitignore.md", False)],
)
def test_a_new_text_of_an_ignore_file_counts_as_a_change_of_names(
    indexed: Indexed, updated: Callable[[], tuple[Tree, Update]], name: str, are_rules: bool
) -> None:
    indexed.write({f"a/{name}": "*.txt"})
    os.utime(indexed.vault / "a" / name, ns=(1, 1))
    _, update = updated()
    with (indexed.vault / "a" / name).open("a", encoding="utf-8") as file:
        file.write("\n*.md")
    changes = update()
    assert (changes.files, changes.names) == ({f"a/{name}"}, are_rules)


def test_a_repository_that_comes_or_goes_counts_as_a_change_of_names(
    indexed: Indexed, updated: Callable[[], tuple[Tree, Update]]
) -> None:
    indexed.write({"a/n.md": "n"})
    tree, update = updated()
    (indexed.vault / "a/.git").mkdir()
    assert update().names
    assert published(tree).repositories == ["a"]
    (indexed.vault / "a/.git").rmdir()
    assert update().names
    assert published(tree).repositories == []


def test_fault_I01_rules_rewritten_within_one_tick_of_the_clock_count_as_new_without_a_watch(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed.write({".gitignore": "a.md", "a.md": "", "b.md": ""})
    coarse = {indexed.vault.name: 0, ".gitignore": os.stat(indexed.vault / ".gitignore").st_mtime_ns}
    key_of = Key.of

    def in_ticks(status: os.stat_result) -> Key:
        key = key_of(status)
        is_file = stat.S_ISREG(status.st_mode)
        return key._replace(modified=coarse[".gitignore"], changed=coarse[".gitignore"]) if is_file else key

    monkeypatch.setattr(Key, "of", in_ticks)
    tree = Tree(indexed.root, None)
    assert tree.compare() == Changes(names=True)  # they may have changed since they were read
    indexed.write({".gitignore": "b.md"})
    assert tree.compare().names


@posix_only
def test_a_change_through_another_name_is_reported_for_every_name_in_the_vault(
    indexed: Indexed, updated: Callable[[], tuple[Tree, Update]]
) -> None:
    indexed.write({"a/one.md": "x", "b/alone.md": "y"})
    outside = indexed.folder / "outside"
    os.link(indexed.vault / "a/one.md", outside)
    _, update = updated()
    (indexed.vault / "c").mkdir()
    os.link(indexed.vault / "a/one.md", indexed.vault / "c/two.md")
    update()
    with outside.open("a", encoding="utf-8") as file:
        file.write("more")
    assert update().files == {"a/one.md", "c/two.md"}


@posix_only
def test_many_new_names_of_files_are_looked_up_in_one_pass(
    indexed: Indexed, updated: Callable[[], tuple[Tree, Update]], monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed.write({f"a/{number}.md": "x" for number in range(50)} | {"b/n.md": ""})
    tree, update = updated()
    for number in range(50):
        os.link(indexed.vault / f"a/{number}.md", indexed.vault / f"b/{number}.md")
    passes: list[None] = []
    every = tree.files

    def counted() -> Any:
        passes.append(None)
        return every()

    monkeypatch.setattr(tree, "files", counted)
    changes = update()
    assert len(passes) <= 1
    assert {f"b/{number}.md" for number in range(50)} <= changes.files


def test_a_replaced_folder_shows_what_it_holds_now(
    indexed: Indexed, updated: Callable[[], tuple[Tree, Update]]
) -> None:
    indexed.write({"a/old.md": "old", "a/same.md": "same", "a/b/deep.md": ""})
    tree, update = updated()
    shutil.rmtree(indexed.vault / "a")
    indexed.write({"a/new.md": "new", "a/same.md": "SAME"})
    changes = update()
    assert changes.files | changes.met == {"a/new.md", "a/same.md"}
    assert changes.gone == {"a/old.md", "a/b/deep.md"}
    assert changes.names
    assert set(tree.files()) == {"a/new.md", "a/same.md"}
    assert not published(tree).knows("a/b")
    indexed.write({"a/new.md": "written after that"})
    assert update().files == {"a/new.md"}


@linux_only
def test_a_new_time_of_a_folder_does_not_change_its_files(indexed: Indexed) -> None:
    """`rsync -a` leaves folders so each time."""
    indexed.write({"a/n.md": "n", "o.md": "o"})
    with closing(watching(indexed.root)) as watched:
        tree = Tree(indexed.root, watched)
        for folder in (indexed.vault / "a", indexed.vault):
            os.utime(folder, ns=(1, 1))
            changes = tree.apply(watched.drain())
            assert (changes.files, changes.gone) == (set(), set())
            assert "a/n.md" in changes.met


def test_a_missing_root_is_not_an_empty_vault(indexed: Indexed) -> None:
    indexed.write({"n.md": ""})
    tree = Tree(indexed.root, None)
    indexed.vault.rename(indexed.folder / "away")
    with pytest.raises(FileNotFoundError):
        tree.compare()
    with pytest.raises(FileNotFoundError):
        Tree(indexed.root, None)


def test_an_existing_folder_is_not_taken_for_gone(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed.write({"a/n.md": "n"})
    unlistable(monkeypatch, "a", FileNotFoundError(errno.ENOENT, "No such file or directory"))
    with pytest.raises(OSError) as error:
        Tree(indexed.root, None).now.names_in("a")
    assert error.value.errno == errno.EIO


@linux_only
def test_fault_S07_a_folder_that_could_not_be_listed_for_a_moment_is_listed_again(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed.write({"a/n.md": "n", "o.md": "o"})
    with closing(watching(indexed.root)) as watched:
        with monkeypatch.context() as patched:
            unlistable(patched, "a", OSError(errno.EMFILE, "Too many open files"))
            tree = Tree(indexed.root, watched)
            assert set(published(tree).unlisted) == {"a"}
            assert not tree.apply(watched.drain()).names
        changes = tree.apply(watched.drain())
        assert (changes.files, changes.names) == ({"a/n.md"}, True)
        assert state(tree) == state(Tree(indexed.root, None))
        assert tree.apply(watched.drain()) == Changes()


def test_which_files_are_large_or_protected(indexed: Indexed, updated: Callable[[], tuple[Tree, Update]]) -> None:
    indexed.write({"a.md": "x" * 101, "b.md": "x" * 100, ".obsidian/app.json": "{}", ".git/config": ""})
    tree, update = updated()
    assert set(tree.files()) == {"a.md", "b.md"}
    assert published(tree).large == {"a.md"}
    assert not published(tree).knows(".obsidian")
    indexed.write({"a.md": "x", "b.md": "x" * 101, ".obsidian/app.json": "changed"})
    assert update().files == {"a.md", "b.md"}
    assert published(tree).large == {"b.md"}


def test_the_folders_that_it_knows_are_those_that_are_looked_at_for_changes(indexed: Indexed) -> None:
    files = [
        "a.md",
        "a/b/c.md",
        "d/e.md",
        ".obsidian/app.json",
        ".git/config",
        "a/.trash/x.md",
        "d/node_modules/f/g.md",
    ]
    indexed.write(dict.fromkeys(files, ""))
    (indexed.vault / "empty").mkdir()
    (indexed.vault / "link").symlink_to(indexed.vault / "a")
    known = published(Tree(indexed.root, None)).folders
    every = dict(catalogue.changed_folders(indexed.root, 0, lambda: False))
    assert dict(catalogue.changed_folders(indexed.root, 0, lambda: False, [*known, "gone"])) == every
    assert every.keys() >= {".", "a/b", "d/node_modules/f", "empty"}

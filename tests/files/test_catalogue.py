"""The walk: what it meets, in which order, what it reports as left out, and what it survives."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import vaulttools
from tests.conftest import MakeVault
from tests.modes import bound_by_modes
from tests.passed_over import counts, examples
from vaulttools import Vault
from vaulttools.core import limits, paths
from vaulttools.core.work import GONE
from vaulttools.files import catalogue, disk, globs
from vaulttools.files.catalogue import Entry, Rules
from vaulttools.files.folder_names import FolderNames
from vaulttools.files.protection import Protection
from vaulttools.files.root import Root
from vaulttools.files.settings import Excluded
from vaulttools.matching import ripgrep

links = pytest.mark.not_under_wine("it reads no link back that a Python made")
pipes = pytest.mark.not_on_windows("no pipe or socket is a file of a folder there")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="this file system folds or refuses names")

EVERYTHING = Rules(hidden=True, excluded=Excluded())
VISIBLE = Rules(hidden=False, excluded=Excluded())


def root_of(folder: Path, *protected: str) -> Root:
    """The root at a folder."""
    return Root(os.path.realpath(folder), str(folder), Protection.of(protected))


def lay_out(folder: Path, *names: str) -> None:
    """Empty files, and folders where a name ends in a slash."""
    for name in names:
        path = folder / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()


def walked(
    root: Root, rules: Rules = EVERYTHING, folder: str = "", glob: str | None = None, *, notes_only: bool = False
) -> list[Entry]:
    """Everything that a walk meets."""
    parsed = None if glob is None else globs.parse(glob, ignore_case=False)

    def selects(path: str) -> bool:
        return (parsed is None or parsed.matches(path)) and (not notes_only or paths.is_note(path))

    def warn(folder: str, sentence: str) -> None:
        pytest.fail(sentence)

    return list(catalogue.walk(root, folder, rules, selects, parsed, warn))


def files(entries: list[Entry]) -> list[str]:
    """The paths of the files that are in."""
    return [entry.path for entry in entries if entry.kind == "file" and entry.left_out is None]


# What is met


def test_a_folder_comes_before_its_entries_in_path_order(tmp_path: Path) -> None:
    lay_out(tmp_path, "a/x", "a/b/y", "a!.md", "a b/c.md", "z/", "B.md")
    assert walked(root_of(tmp_path)) == [
        Entry("B.md", "file"),
        Entry("a", "folder"),
        Entry("a/b", "folder"),
        Entry("a/b/y", "file"),
        Entry("a/x", "file"),
        Entry("a b", "folder"),
        Entry("a b/c.md", "file"),
        Entry("a!.md", "file"),
        Entry("z", "folder"),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_fault_T15_the_order_is_ripgreps_and_not_the_file_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    lay_out(tmp_path, *("a/x.md", "a!.md", "a.md", "a/b/é.md", "Z.md", "_.md", "-.md", "語.md", "a-b/c.md", "a b/c.md"))
    rg = [ripgrep.locate().command, "--no-config", "-uu", "--files", "--null", "--sort=path"]
    listed = subprocess.run(rg, cwd=tmp_path, capture_output=True, check=True).stdout
    with shuffled(monkeypatch, seed):
        assert files(walked(root_of(tmp_path))) == [
            os.fsdecode(path).replace(os.sep, "/") for path in listed.split(b"\0") if path
        ]


@contextmanager
def shuffled(monkeypatch: pytest.MonkeyPatch, seed: int) -> Iterator[None]:
    """List folders in a random order while the context lasts."""
    order = random.Random(seed)
    scandir = os.scandir

    @contextmanager
    def listing(path: str) -> Iterator[list[os.DirEntry[str]]]:
        with scandir(path) as entries:
            listed = list(entries)
        order.shuffle(listed)
        yield listed

    with monkeypatch.context() as patch:
        patch.setattr(disk, "scandir", listing)
        yield


def test_a_walk_may_begin_in_a_folder_and_keeps_its_paths(tmp_path: Path) -> None:
    lay_out(tmp_path, "a/b/c.md", "a/d.md", "e.md")
    assert files(walked(root_of(tmp_path), folder="a")) == ["a/b/c.md", "a/d.md"]


def test_a_folder_that_the_glob_cannot_reach_is_not_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(tmp_path, "a/b/c.md", "a/d.md", "e/f.md")
    entered = []
    scandir = os.scandir

    def entering(path: str) -> Any:
        entered.append(os.path.basename(path))
        return scandir(path)

    monkeypatch.setattr(disk, "scandir", entering)
    assert files(walked(root_of(tmp_path), glob="a/*.md")) == ["a/d.md"]
    assert entered == [tmp_path.name, "a"]


# What is left out


def test_protected_folders_are_skipped_silently(tmp_path: Path) -> None:
    lay_out(tmp_path, *(f"{folder}/x.md" for folder in (".obsidian", ".git", ".trash", ".smarthole", "a/.git", "Mine")))
    lay_out(tmp_path, "a/.Obsidian/x.md", "Team/Private/x.md", "Team/open.md", ".github/x.md", "my.git.md")
    root = root_of(tmp_path, "mine", "Team/Private")
    assert files(walked(root)) == [".github/x.md", "Team/open.md", "my.git.md"]
    assert not [entry for entry in walked(root, VISIBLE) if root.protection.folder_of(entry.path)]


@linux_only
@pytest.mark.parametrize("name", [".OBSIDIAN", ".obsidian.", ".obsidian ", ".obsi\u200cdian", ".ſmarthole", ".Git"])
def test_fault_P15_no_spelling_of_a_protected_folder_is_met(tmp_path: Path, name: str) -> None:
    lay_out(tmp_path, f"{name}/x.md", f"a/{name}/x.md", "b.md")
    assert walked(root_of(tmp_path)) == [Entry("a", "folder"), Entry("b.md", "file")]


@links
def test_a_protected_path_stays_closed_when_the_walk_begins_in_a_link(tmp_path: Path) -> None:
    lay_out(tmp_path, "Team/Private/x.md", "Team/open.md", "deep/")
    (tmp_path / "door").symlink_to("Team")
    (tmp_path / "deep" / "up").symlink_to("..")
    root = root_of(tmp_path, "Team/Private")
    assert files(walked(root, folder="door")) == ["door/open.md"]
    assert files(walked(root, folder="deep/up")) == ["deep/up/Team/open.md"]


def test_hidden_files_are_in_or_reported(tmp_path: Path) -> None:
    lay_out(tmp_path, ".a.md", ".b/c.md", "d/.e.md", "f.md")
    assert files(walked(root_of(tmp_path))) == [".a.md", ".b/c.md", "d/.e.md", "f.md"]
    assert [entry for entry in walked(root_of(tmp_path), VISIBLE) if entry.left_out] == [
        Entry(".a.md", "file", "hidden"),
        Entry(".b", "folder", "hidden"),
        Entry("d/.e.md", "file", "hidden"),
    ]


def test_an_excluded_folder_is_reported_once_and_not_entered(tmp_path: Path) -> None:
    lay_out(tmp_path, "Archive/a.md", "Archive/b/c.md", "d/my archive/e.md", "f.md")
    rules = Rules(hidden=True, excluded=Excluded(texts=("archive/",)))
    assert walked(root_of(tmp_path), rules) == [
        Entry("Archive", "folder", "excluded"),
        Entry("d", "folder"),
        Entry("d/my archive", "folder", "excluded"),
        Entry("f.md", "file"),
    ]


def test_a_pruned_folder_is_reported_as_ignored(tmp_path: Path) -> None:
    lay_out(tmp_path, "node_modules/a.md", "b/node_modules/c.md", "node_modules.md")
    rules = Rules(hidden=True, excluded=Excluded(), pruned=frozenset({"node_modules"}))
    assert [entry.path for entry in walked(root_of(tmp_path), rules) if entry.left_out == "ignored"] == [
        "b/node_modules",
        "node_modules",
    ]


@links
def test_faults_P04_P05_and_T01_links_are_reported_and_never_followed(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    lay_out(tmp_path, "outside/secret.md", "vault/a.md", "vault/loop/")
    targets = {"file.md": "../outside/secret.md", "folder": "../outside", "gone.md": "nowhere", "self": "self"}
    for name, target in {**targets, "loop/up": "..", "again.md": "a.md"}.items():
        (vault / name).symlink_to(target)
    assert walked(root_of(vault)) == [
        Entry("a.md", "file"),
        Entry("again.md", "link", "symlink"),
        Entry("file.md", "link", "symlink"),
        Entry("folder", "link", "symlink"),
        Entry("gone.md", "link", "symlink"),
        Entry("loop", "folder"),
        Entry("loop/up", "link", "symlink"),
        Entry("self", "link", "symlink"),
    ]


@pipes
def test_fault_P18_special_files_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo.md")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")
        assert walked(root_of(tmp_path)) == [
            Entry("fifo.md", "other", "not a regular file"),
            Entry("socket.md", "other", "not a regular file"),
        ]


@pipes
def test_fault_P18_a_fifo_named_exactly_is_reported(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "needle"})
    os.mkfifo(vault.path / "fifo.md")
    found = vault.search_files("needle", file_pattern="fifo.md")
    assert examples(found)["not a regular file"] == ["fifo.md"]
    assert found.complete


def test_the_rules_of_a_repository_hold_and_their_file_is_never_reported(tmp_path: Path) -> None:
    lay_out(tmp_path, ".git/info/", "a/.git/info/", "a/b.md", "c.md", "d.log")
    for folder in (".git/info", "a/.git/info"):
        (tmp_path / folder / "exclude").write_text("*.log\nCANARY\\\n[CANARY\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("c.md\n[\n", encoding="utf-8")
    warnings: list[str] = []
    rules = Rules(hidden=True, excluded=Excluded(), ignores=True)

    def warn(folder: str, sentence: str) -> None:
        warnings.append(sentence)

    entries = list(catalogue.walk(root_of(tmp_path), "", rules, lambda path: True, None, warn))
    assert files(entries) == [".gitignore", "a/b.md"]
    assert [warning.partition(": ")[0] for warning in warnings] == [".gitignore:2"]


# Names


@linux_only
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["new\nline.md", "tab\t.md"], id="fault-N01"),
        pytest.param(["esc\x1b[31m.md"], id="fault-N02"),
        pytest.param(["over\u202eride.md", "tag\U000e0041.md", "zero\u200bwidth.md"], id="fault-N03"),
        pytest.param(["bad\udcff.md", "\udcff/\udcfe.md", "good.md"], id="fault-N04"),
        pytest.param([unicodedata.normalize(form, "é.md") for form in ("NFC", "NFD")], id="fault-N05"),
        pytest.param(["A.md", "a.md"], id="fault-N06"),
        pytest.param(["-rf.md", "--files.md", "-"], id="fault-N07"),
        pytest.param(["[x]{y}*.md", "a?.md", "**"], id="fault-N08"),
        pytest.param(["note.md", "note.md:12"], id="fault-N09"),
        pytest.param(["a,b.md", "a", "b.md"], id="fault-N10"),
        pytest.param(["asdf", "asdf.", "asdf ", "asdf. "], id="fault-N11"),
        pytest.param(["a-b.md", "a_b.md", "a b.md"], id="fault-N12"),
    ],
)
def test_faults_N01_to_N12_every_name_is_found_and_searched_as_it_is(make_vault: MakeVault, names: list[str]) -> None:
    vault = make_vault(dict.fromkeys(names, "needle\n"))
    expected = sorted(names, key=paths.order)
    assert files(walked(root_of(vault.path))) == expected
    found = vault.search_files("needle", file_pattern="*")
    assert [file.path for file in found.files] == [paths.portable(path) for path in expected]
    assert [line for line in found.text.split("\n") if line.startswith("## ")] == (
        [f"## {paths.shown(path)}" for path in expected]
    )
    for name in names:
        for given in dict.fromkeys((name, paths.shown(name), paths.portable(name))):
            again = vault.search_files("needle", file_pattern=given)
            assert [file.path for file in again.files] == [paths.portable(name)], given
    json.loads(json.dumps(found.model_dump(mode="json"), ensure_ascii=False).encode())


@linux_only
def test_fault_N05_a_note_stored_as_nfd_is_found_by_an_nfc_path(make_vault: MakeVault) -> None:
    stored = unicodedata.normalize("NFD", "Über/Café.md")
    vault = make_vault({stored: "needle"})
    for given in ("Über/Café.md", "über/*.md", "Über", "**/café.md"):
        assert [file.path for file in vault.search_files("needle", file_pattern=given).files] == [stored]


# What cannot be read


@linux_only
def test_fault_T02_an_unreadable_file_or_folder_is_reported_and_the_rest_searched(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    lay_out(folder, "closed/in.md", "shut.md", "open.md", "sub/open.md", "listed/in.md")
    for name in ("open.md", "sub/open.md", "shut.md", "closed/in.md", "listed/in.md"):
        (folder / name).write_text("needle\n", encoding="utf-8")
    modes = {"closed": 0, "shut.md": 0, "listed": 0o444, "open.md": 0o644, "sub": 0o755, "sub/open.md": 0o644}
    for name, mode in modes.items():
        (folder / name).chmod(mode)
    details = searched_without_rights(folder, "needle")
    assert [file["path"] for file in details["files"]] == ["open.md", "sub/open.md"]
    assert details["complete"] is False
    assert details["passed_over"] == [
        {"kind": "unreadable", "count": 3, "examples": ["closed", "listed/in.md", "shut.md"]}
    ]
    nothing = searched_without_rights(folder, "absent")
    assert nothing["status"] == 2
    assert nothing["passed_over"][0]["count"] == 3
    for name in ("closed", "listed"):
        (folder / name).chmod(0o755)  # so that pytest can remove it


@linux_only
def test_fault_T02_a_vault_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    lay_out(folder, "a.md")
    folder.chmod(0)
    assert searched_without_rights(folder, "needle") == {
        "status": 2,
        "error": "The vault's folder cannot be read: Permission denied",
    }
    folder.chmod(0o755)


def searched_without_rights(folder: Path, pattern: str) -> dict[str, Any]:
    """The details of a search by somebody whom file modes bind, and the exit status."""
    command = [sys.executable, "-m", "vaulttools", "--vault", str(folder), "--json", "search-files", pattern]
    environment = {**os.environ, "PYTHONPATH": str(Path(vaulttools.__file__).parent.parent)}
    environment |= {"HOME": "/", "XDG_CONFIG_HOME": "/nowhere", "XDG_CACHE_HOME": "/nowhere"}
    ended = subprocess.run(bound_by_modes(command), env=environment, capture_output=True, check=False, cwd="/")
    assert ended.stdout, ended.stderr
    return {"status": ended.returncode, **json.loads(ended.stdout)}


def test_fault_T03_a_path_that_vanishes_is_not_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(tmp_path, "a/x.md", "b/y.md", "c.md")
    scandir = os.scandir

    def listing(path: str) -> Any:
        entries = scandir(path)
        if path == root.absolute(""):
            shutil.rmtree(tmp_path / "a")
        return entries

    root = root_of(tmp_path)
    monkeypatch.setattr(disk, "scandir", listing)
    # Windows reads a listing when it is begun, others when its entries are taken.
    gone = [Entry("a", "folder", GONE)] if sys.platform == "win32" else []
    assert walked(root) == [*gone, Entry("b", "folder"), Entry("b/y.md", "file"), Entry("c.md", "file")]


def test_fault_T03_a_file_that_vanishes_before_the_search_is_not_reported(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = Vault.open(make_vault({"a.md": "needle", "b.md": "needle"}).path, index="off")
    listed = catalogue.listed

    def vanishing(root: Root, folder: str) -> FolderNames:
        entries = listed(root, folder)
        (vault.path / "a.md").unlink(missing_ok=True)
        return entries

    monkeypatch.setattr(catalogue, "listed", vanishing)
    found = vault.search_files("needle")
    assert [file.path for file in found.files] == ["b.md"]
    assert (found.total_files, found.complete, counts(found)) == (1, True, {})


@pytest.mark.parametrize("folder_first", [True, False])
def test_fault_T12_what_becomes_a_file_or_a_folder_during_the_walk_is_reported_and_not_read(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, folder_first: bool
) -> None:
    folder = make_vault({("x.md/in.md" if folder_first else "x.md"): "needle", "b.md": "needle"}).path
    vault = Vault.open(folder, index="off")
    thing = vault.path / "x.md"
    listed = catalogue.listed

    def turning(root: Root, folder: str) -> FolderNames:
        entries = listed(root, folder)
        if folder == "" and thing.is_dir():
            shutil.rmtree(thing)
            thing.write_text("needle", encoding="utf-8")
        elif folder == "":
            thing.unlink()
            lay_out(vault.path, "x.md/.obsidian/in.md")
            (thing / ".obsidian" / "in.md").write_text("needle", encoding="utf-8")
        return entries

    monkeypatch.setattr(catalogue, "listed", turning)
    found = vault.search_files("needle")
    assert [file.path for file in found.files] == ["b.md"]
    assert ".obsidian" not in found.text
    if folder_first:
        assert examples(found)["unreadable"] == ["x.md"]


@pytest.mark.parametrize("becomes", ["gone", "a file"])
def test_fault_T13_a_vault_that_goes_away_is_an_error_and_no_empty_answer(make_vault: MakeVault, becomes: str) -> None:
    vault = make_vault({"a.md": "needle"})
    assert vault.search_files("needle").total_files == 1
    vault.path.rename(vault.path.parent / "moved")
    if becomes == "a file":
        vault.path.touch()
    for name, arguments in {
        "search_files": {"pattern": "needle"},
        "search": {"pattern": "needle"},
        "grep": {"pattern": "needle"},
        "find": {"paths": "*.md"},
    }.items():
        result = vault.call(name, arguments)
        assert result.is_error
        assert result.text.startswith("The vault's folder cannot be read: ")


@linux_only
def test_fault_T04_a_tree_too_deep_to_enter_is_reported(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "needle"})
    with nested(vault.path, 1_500, "d", notes_at=(200, 1_500)):
        found = vault.search_files("needle")
        assert [file.path.count("/") for file in found.files] == [0, 200]
        assert found.complete is False
        assert counts(found)["too deep"] == 1
        assert examples(found)["too deep"][0].count("/") == limits.FOLDER_DEPTH


@contextmanager
def nested(folder: Path, depth: int, name: str, notes_at: tuple[int, ...] = ()) -> Iterator[None]:
    """Nest folders deeper than a path can name, with notes at some depths, while the context lasts."""
    here = os.open(folder, os.O_RDONLY)
    for level in range(1, depth + 1):
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
        if level in notes_at:
            note = os.open("n.md", os.O_WRONLY | os.O_CREAT, dir_fd=here)
            os.write(note, b"needle\n")
            os.close(note)
    os.close(here)
    try:
        yield
    finally:  # pytest would use `shutil.rmtree`, which recurses
        subprocess.run(["rm", "-rf", str(folder / name)], check=True)


@linux_only
def test_fault_P14_a_folder_whose_path_is_too_long_to_open_is_reported(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "needle"})
    with nested(vault.path, 20, "n" * 250, notes_at=(20,)):
        found = vault.search_files("needle")
        assert [file.path for file in found.files] == ["a.md"]
        assert counts(found)["unreadable"] == 1
        assert len(found.text) < 4_000


# Sync


@pytest.mark.not_on_windows("its files are not sparse unless a program asks")
def test_fault_S01_a_file_not_downloaded_is_reported_on_macos_and_a_sparse_one_read_elsewhere(
    make_vault: MakeVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "vault"
    lay_out(tmp_path, "vault/")
    with (folder / "sparse.md").open("wb") as file:
        file.truncate(4096)
    assert files(walked(root_of(folder))) == ["sparse.md"]
    if os.stat(folder / "sparse.md").st_blocks:
        pytest.skip("this file system fills holes")
    monkeypatch.setattr(disk, "MAY_BE_ELSEWHERE", True)
    found = Vault.open(make_vault({"a.md": "needle"}).path, index="off").search_files("needle")
    assert [file.path for file in found.files] == ["a.md"]
    assert (found.complete, examples(found)["not downloaded"]) == (False, ["sparse.md"])


def test_fault_S02_the_stub_of_a_file_that_is_not_downloaded_represents_the_file(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "needle", "d/.b.md.icloud": "x", ".picture.png.icloud": "x", "..c.md.icloud": "x"})
    found = vault.search_files("needle")
    assert [file.path for file in found.files] == ["a.md"]
    assert found.complete is False
    assert examples(found) == {
        "hidden": [".c.md"],
        "not downloaded": ["d/b.md"],
    }
    assert vault.search_files("absent").text.startswith("No matches in the 1 file searched; the search is incomplete: ")


def test_the_folders_whose_names_changed_are_found_until_the_call_is_over(tmp_path: Path) -> None:
    for folder in ("a/b", ".git/c", "d"):
        (tmp_path / folder).mkdir(parents=True)
    root = Root(str(tmp_path), str(tmp_path), Protection.of())
    for folder in (".", "a", "a/b", ".git", "d"):
        os.utime(tmp_path / folder, ns=(1_500_000_000, 1_500_000_000))
    os.utime(tmp_path / "a", ns=(9_500_000_000, 9_500_000_000))
    os.utime(tmp_path / "d", ns=(5_000_000_000, 5_000_000_000))  # a clock of two seconds
    assert dict(catalogue.changed_folders(root, 6_000_000_000, lambda: False)) == {
        "a": 9_500_000_000,
        "d": 5_000_000_000,
    }
    assert dict(catalogue.changed_folders(root, 6_000_000_000, lambda: True)) == {}

"""`find` sees what git sees: `ls-files` and `check-ignore` as oracles, on random trees with random ignore files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vaulttools import Vault

pytestmark = pytest.mark.skipif(
    shutil.which("git") is None or sys.platform == "win32", reason="git, and a file system that keeps case"
)

names = st.sampled_from(["a", "b", "ab", "a.md", "b.md", "Ab.md", "x y", "é.md", "#c", "!d", "a[b", ".h"])
paths = st.lists(names, min_size=1, max_size=3).map("/".join)

components = st.sampled_from(
    ["a", "b", "ab", "*", "**", "?", "a*", "*b", "*.md", "[ab]", "[!a]*", "[a-c]?", "a?", "x y", "é.md", "\\#c", "\\!d"]
)
"""No `**` beside other characters: git before 2.52 reads it differently (`vaulttools/files/ignores.py`)."""

lines = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["", "", "", "!", "#"]),
    st.sampled_from(["", "", "/"]),
    st.lists(components, min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", "", "/"]),
    st.sampled_from(["", "", " ", "\r"]),
)
ignore_files = st.dictionaries(
    st.sampled_from([".gitignore", "a/.gitignore", "b/.gitignore", "a/b/.gitignore", ".git/info/exclude"]),
    st.lists(lines, max_size=5).map("\n".join),
    max_size=4,
)


def git(folder: Path, *arguments: str, given: Iterable[str] = ()) -> set[str]:
    """The NUL-separated answer of git with no settings but the repository's."""
    run = subprocess.run(
        ["git", "-c", "core.excludesFile=", "-c", "core.ignoreCase=false", *arguments],
        cwd=folder,
        input=b"".join(os.fsencode(path) + b"\0" for path in given),
        capture_output=True,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"},
    )
    assert not run.stderr, run.stderr
    return {os.fsdecode(path) for path in run.stdout.split(b"\0") if path}


def laid_out(folder: Path, files: Iterable[str], rules: dict[str, str]) -> set[str]:
    """Lay out a repository; return the files that this system takes."""
    for part in (".git/objects", ".git/refs", ".git/info"):
        (folder / part).mkdir(parents=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    there = set()
    for name in [*rules, *sorted(files)]:
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(rules.get(name, ""), encoding="utf-8", newline="")
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue  # a file is where a folder should be, or the other way round
        there.add(name)
    return {name for name in there if not name.startswith(".git/")}


@given(st.sets(paths, max_size=25), ignore_files)
@example({"a/b/a.md", "a/b.md", "b"}, {".gitignore": "a/*\n!a/b\n!a/b/\n**/b.md", "a/.gitignore": "!b.md"})
@example({"a/a.md", "b/a.md"}, {".gitignore": "*\n!*/\n!a.md", ".git/info/exclude": "a.md"})
def test_find_lists_the_files_that_git_lists(files: set[str], rules: dict[str, str]) -> None:
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "vault"
        there = laid_out(folder, files, rules)
        vault = Vault.open(folder)
        found = {file for file in vault.find(".", hidden=True).files if not file.endswith("/")}
        assert found == git(folder, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
        assert there - found == git(folder, "check-ignore", "--no-index", "--stdin", "-z", given=there)
        assert set(vault.search("^", gitignore=True).files) <= found


@given(st.sets(paths, max_size=15), ignore_files, ignore_files)
def test_find_in_a_vault_inside_a_repository_lists_the_files_that_git_lists(
    files: set[str], above: dict[str, str], rules: dict[str, str]
) -> None:
    rules = {f"v/n/{name}": text for name, text in rules.items() if not name.startswith(".git/")}
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "repository"
        there = laid_out(folder, {f"v/n/{name}" for name in files}, above | rules)
        (folder / "v/n").mkdir(parents=True, exist_ok=True)
        if git(folder, "check-ignore", "--no-index", "--stdin", "-z", given=["v/n"]):
            return  # git would hide the vault itself: here that rule does not hold
        found = {f"v/n/{file}" for file in Vault.open(folder / "v/n").find(".").files if not file.endswith("/")}
        listed = git(folder, "ls-files", "--others", "--exclude-standard", "-z", "--", "v/n")
        assert found == listed
        ignored = git(folder, "check-ignore", "--no-index", "--stdin", "-z", given=there)
        assert {name for name in there if name.startswith("v/n/")} - found == {
            name for name in ignored if name.startswith("v/n/")
        }

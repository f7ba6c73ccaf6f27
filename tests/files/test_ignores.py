"""Ignore rules: tables, and real git as the oracle for random lines and whole trees."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from vaulttools.files import disk
from vaulttools.files.ignores import IgnoreRules, parse_lines, read_ignore_file, read_ignore_files, rules_above

GIT = shutil.which("git")
RG = shutil.which("rg", path=Path(sys.executable).parent) or shutil.which("rg")
KINDS = (".gitignore", ".ignore", ".rgignore")
needs_git = pytest.mark.skipif(GIT is None or os.name != "posix", reason="git and POSIX names")


def decide(texts: Mapping[str, Mapping[str, str]], path: str) -> bool:
    """Whether `path` (a folder when it ends in `/`) is ignored by the ignore files of some folders."""
    is_folder = path.endswith("/")
    return is_ignored(path.rstrip("/"), is_folder, lambda folder: texts.get(folder, {}))


def is_ignored(path: str, is_folder: bool, texts_in: Callable[[str], Mapping[str, str]]) -> bool:
    """Whether a path or a folder above it is ignored; enters one folder after another, as a walk does."""
    rules, folder = IgnoreRules(), ""
    while True:
        rules, _ = rules.entering(folder, texts_in(folder))
        slash = path.find("/", len(folder) + 1)
        if slash < 0:
            return rules.ignores(path, is_folder)
        folder = path[:slash]
        if rules.ignores(folder, is_folder=True):
            return True


# --- git's rules, line by line ---------------------------------------------------------------------------------------

CASES = [
    # names at any depth, anchored paths, folders
    ("foo", "foo", True),
    ("foo", "a/foo/", True),
    ("foo", "foo/bar", True),
    ("/foo", "a/foo", False),
    ("a/foo", "a/foo", True),
    ("a/foo", "b/a/foo", False),
    ("foo/", "foo", False),
    ("foo/", "a/foo/", True),
    ("foo/", "foo/bar", True),
    # the last line that matches wins; in an ignored folder nothing comes back
    ("*.md\n!a.md", "a.md", False),
    ("!a.md\n*.md", "a.md", True),
    ("foo\n!foo/bar", "foo/bar", True),
    ("foo/*\n!foo/bar", "foo/bar", False),
    ("foo/*\n!foo/bar", "foo/baz", True),
    ("*\n!**/", "foo/", False),
    ("*\n!*/\n!*.md", "a/b/c.md", False),
    ("*\n!*/\n!*.md", "a/b/c.txt", True),
    ("/*\n!/a", "a/b", False),
    # stars
    ("a*b", "axxb", True),
    ("a*b", "ab", True),
    ("x/*", "x/a/b", True),  # by its parent x/a
    ("x/*.c", "x/a/b.c", False),
    ("*/c", "a/b/c", False),
    ("**/foo", "a/b/foo", True),
    ("**/foo", "foo", True),
    ("foo/**", "foo/", False),
    ("foo/**", "foo/a/b", True),
    ("a/**/b", "a/b", True),
    ("a/**/b", "a/x/y/b", True),
    ("a/**/b", "ab", False),
    ("x/a**b", "x/azzb", True),
    ("x/a**b", "x/a/b", False),
    ("a***b", "axb", True),
    ("a/***/b", "a/x/b", True),
    ("**", "a", True),
    ("**\\/b", "b", False),
    ("**\\/b", "a/b", True),
    # escapes, blanks, comments
    ("\\#a", "#a", True),
    ("#a", "#a", False),
    (" #a", " #a", True),
    ("\\!a", "!a", True),
    ("a\\*", "a*", True),
    ("a\\*", "ab", False),
    ("\\a", "a", True),
    ("a\\/b", "a/b", True),
    ("\\/a", "a", False),
    ("a  ", "a", True),
    ("a\\ ", "a ", True),
    ("a\\  ", "a ", True),
    ("a\\\\ ", "a\\", True),
    ("a\t", "a", False),
    ("a\t", "a\t", True),
    ("!", "!", False),
    ("/", "a/", False),
    ("//", "a/", False),
    ("a//b", "a/b", False),
    ("a\0b", "a", True),
    # question mark and classes, byte by byte
    ("?", "a", True),
    ("?", "\u00e9", False),
    ("??", "\u00e9", True),
    ("a?b", "a/b", False),
    ("[\u00e9][\u00e9]", "\u00e9", True),
    ("[a-c]", "b", True),
    ("[!a-c]", "b", False),
    ("[^a-c]", "d", True),
    ("[c-a]", "b", False),
    ("[]a]", "]", True),
    ("[!]a]", "]", False),
    ("[a-]", "-", True),
    ("[\\]]", "]", True),
    ("[a\\-c]", "b", False),
    ("[\\a-\\c]", "b", True),
    ("[[:alpha:]]x", "ax", True),
    ("[[:alpha:]]x", "1x", False),
    ("[![:alpha:]]", "1", True),
    ("[[:alpha:]-z]", "-", True),
    ("[a-[:digit:]]", "-", False),
    ("[[:]a]", ":a]", True),
    ("[[:x]", ":", True),
    ("x[!a]b", "x/b", False),
    ("x/[!a]b", "x/cb", True),
    ("x[/]y", "x/y", False),
    ("x[.-0]y", "x/y", False),
    # malformed: matches nothing
    ("foo\\/", "foo/", False),
    ("trailing\\", "trailing\\", False),
    ("[a", "[a", False),
    ("[[:nope:]]", "n", False),
    ("[", "[", False),
    # BOM, line ends
    ("\ufefffoo", "foo", True),
    ("foo\r\nbar\r\n", "foo", True),
    ("foo\r\nbar\r", "bar", True),
    ("foo\rbar", "foo", False),
    ("\u2028foo\x0b", "\u2028foo\x0b", True),
    # bytes that are not UTF-8
    ("\udcff*", "\udcff1", True),
    ("\udcfe*", "\udcff1", False),
]


no_text = pytest.mark.not_on_windows("no name has bytes that are no UTF-8")


@pytest.mark.parametrize(
    ("lines", "path", "ignored"),
    [pytest.param(*case, marks=no_text if "\udcff" in case[1] else []) for case in CASES],
)
def test_a_line_ignores(lines: str, path: str, ignored: bool) -> None:
    assert decide({"": {".gitignore": lines}}, path) is ignored


def test_fault_T07_a_malformed_line_is_one_warning_and_the_others_work() -> None:
    rules, warnings = IgnoreRules().entering("a", {".gitignore": "foo\\/\nbar\n[x\n[[:no:]]\n!y\\\n", ".ignore": "[\n"})
    assert warnings == (
        "a/.gitignore:1: the line ignores nothing: it ends in a lone backslash",
        "a/.gitignore:3: the line ignores nothing: it holds a [ without ]",
        "a/.gitignore:4: the line ignores nothing: it holds an unknown [:class:]",
        "a/.gitignore:5: the line ignores nothing: it ends in a lone backslash",
        "a/.ignore:1: the line ignores nothing: it holds a [ without ]",
    )
    assert rules.ignores("a/bar", is_folder=False)


def test_blank_lines_and_comments_are_no_rules() -> None:
    assert parse_lines("\ufeff\n  \n# a\n\r\n!\n/\n!/\n\0a") == ((), ())


def test_a_folder_without_ignore_files_keeps_the_rules_it_got() -> None:
    rules, _ = IgnoreRules().entering("", {".gitignore": "a"})
    assert rules.entering("b", {})[0] is rules


# --- several files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "path", "ignored"),
    [
        ({"": {".gitignore": "*.log"}, "a": {".gitignore": "!x.log"}}, "a/x.log", False),
        ({"": {".gitignore": "a"}, "a": {".gitignore": "!x"}}, "a/x", True),
        ({"a": {".gitignore": "/x"}}, "a/x", True),
        ({"a": {".gitignore": "/x"}}, "a/b/x", False),
        ({"\u00e9": {".gitignore": "/x"}}, "\u00e9/x", True),
        ({"a": {".gitignore": "x/y"}}, "a/x/y", True),
        ({"": {".git/info/exclude": "x", ".gitignore": "!x"}}, "x", False),
        ({"": {".git/info/exclude": "!x", ".gitignore": "x"}}, "x", True),
        ({"": {".git/info/exclude": "x"}}, "a/x", True),
        # .rgignore over .ignore over .gitignore, at any depth
        ({"": {".gitignore": "x", ".ignore": "!x"}}, "x", False),
        ({"": {".ignore": "!x", ".rgignore": "x"}}, "x", True),
        ({"": {".ignore": "!x"}, "a": {".gitignore": "x"}}, "a/x", False),
        ({"": {".rgignore": "x"}, "a": {".ignore": "!x"}}, "a/x", True),
        ({"": {".ignore": "x"}, "a": {".ignore": "!x"}}, "a/x", False),
    ],
)
def test_the_file_with_priority_wins(texts: dict[str, dict[str, str]], path: str, ignored: bool) -> None:
    assert decide(texts, path) is ignored


def write(root: Path, texts: Mapping[str, str | bytes]) -> None:
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))


def visible(root: Path, rules: IgnoreRules, folder: str = "") -> list[str]:
    """The files that a walk of the package sees."""
    directory = root / folder
    names = sorted(os.listdir(directory))
    texts, _ = read_ignore_files(directory, names, "")
    rules, _ = rules.entering(folder, texts)
    found = []
    for name in names:
        path = f"{folder}/{name}" if folder else name
        is_folder = (root / path).is_dir()
        if name == ".git" or rules.ignores(path, is_folder):
            continue
        found += visible(root, rules, path) if is_folder else [path]
    return found


def test_rules_above_the_vault_hold_as_far_as_the_repository(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "*",
            "repo/.git/info/exclude": "e.md\n",
            "repo/.gitignore": "a.md\n/sub/vault/b.md\n[\n",
            "repo/sub/.ignore": "/vault/c.md\n/d.md\n",
            **{f"repo/sub/vault/{name}.md": "" for name in "abcdef"},
            "repo/sub/vault/.gitignore": "!a.md\nx.md\n",
            "repo/sub/vault/x.md": "",
        },
    )
    vault = tmp_path / "repo/sub/vault"
    rules, warnings = rules_above(vault)
    assert warnings == ("../../.gitignore:3: the line ignores nothing: it holds a [ without ]",)
    assert visible(vault, rules) == [".gitignore", "a.md", "d.md", "f.md"]


# --- reading ---------------------------------------------------------------------------------------------------------


def test_a_text_is_read_with_its_odd_bytes(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": b"\xef\xbb\xbffoo\r\n\xff\n"})
    assert read_ignore_file(tmp_path / ".gitignore") == ("\ufefffoo\r\n\udcff\n", None)


def test_a_missing_file_is_neither_text_nor_warning(tmp_path: Path) -> None:
    assert read_ignore_file(tmp_path / ".gitignore") == (None, None)
    write(tmp_path, {".git": "gitdir: elsewhere"})
    assert read_ignore_files(tmp_path, [".git"], "") == ({}, ())


def test_fault_T08_one_mebibyte_is_the_most_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / ".gitignore"
    path.write_bytes(b"#" * (1 << 20))
    assert read_ignore_file(path) == ("#" * (1 << 20), None)
    path.write_bytes(b"#" * ((1 << 20) + 1))
    assert read_ignore_file(path) == (None, "it is larger than 1 MiB")


def test_fault_T08_a_file_without_permission_is_skipped_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {".gitignore": "*\n"})

    def refuse(path: Path, flags: int) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    # Taking the permission away would not stop root, who runs the tests in containers.
    monkeypatch.setattr(disk, "open_file", refuse)
    assert read_ignore_file(tmp_path / ".gitignore") == (None, "it cannot be opened: Permission denied")


def test_fault_R13_no_line_takes_more_than_its_length_times_the_path() -> None:
    lines = "\n".join(["*a" * 2_000 + "b", "**/*a*a/" * 500 + "b", "x/" + "**/a/" * 800 + "b", "*a*a*a*a*[b]*/c"])
    assert not decide({"": {".gitignore": lines}}, "a" * 4_000)
    assert not decide({"x": {".gitignore": lines}}, "x/" + "aaaa/" * 300 + "c")


# --- against git and ripgrep ------------------------------------------------------------------------------------------


Run = Callable[..., list[str]]

NAMES = ["a", "b", "ab", "ba", ".a", "a b", "a ", "#a", "!a", "[a]", "a\\", "*", "-"]
TREE = sorted(
    {f"{name}/{low}" for name in NAMES for low in ("aa", "ab", ".b")}
    | {f"{top}/{name}/{low}" for top in ("a", "b") for name in ("a", "b", "a]", "\\b") for low in ("a", "b", "a b")}
    | {"ab ", "aa", "abb", "x", "]", "^", "bb"}
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    write(root, dict.fromkeys(TREE, ""))
    git(root, "init", "-q")
    return root


def git(root: Path, *arguments: str, paths: Sequence[str] = ()) -> list[str]:
    """The NUL-separated answer of git, which reads only the settings of the repository."""
    assert GIT is not None
    home = dict.fromkeys(["HOME", "XDG_CONFIG_HOME"], str(root))
    done = subprocess.run(
        [GIT, "-c", "core.excludesFile=", "-c", "core.ignoreCase=false", *arguments],
        input=b"".join(os.fsencode(path) + b"\0" for path in paths),
        capture_output=True,
        cwd=root,
        env={**home, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]},
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return sorted(os.fsdecode(path) for path in done.stdout.split(b"\0") if path)


def place(root: Path, texts: Mapping[str, str]) -> None:
    for name in (".gitignore", "a/.gitignore", "a/b/.gitignore", ".git/info/exclude"):
        write(root, {name: texts.get(name, "")})


def ignored_by_us(root: Path, paths: Sequence[str]) -> list[str]:
    @cache
    def texts_in(folder: str) -> Mapping[str, str]:
        return read_ignore_files(root / folder, os.listdir(root / folder), "")[0]

    return sorted(path for path in paths if is_ignored(path, (root / path).is_dir(), texts_in))


# `x/a**` and `a**/b` before git 2.52, see the docstring of the module.
MISREAD_BY_OLD_GIT = re.compile(r"!?/?[^*?\[\\\n]*[^*?\[\\/\n]\*\*+(\\?/|\s*$)", re.MULTILINE)


@pytest.fixture(scope="module")
def readable(repository: Path) -> Callable[[str], str]:
    """A function that removes the lines that the installed git misreads."""
    place(repository, {".gitignore": "a**/b\n"})
    if git(repository, "check-ignore", "--no-index", "--stdin", "-z", paths=["ab"]) == []:
        return lambda text: text
    return lambda text: "\n".join(line for line in text.split("\n") if not MISREAD_BY_OLD_GIT.match(line))


TOKENS = [*"*?[]!/\\# ab.^-", "**", "[a", "[!a]", "/**/", "[[:alpha:]]"]
line = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=7).map("".join)
text = st.lists(line, max_size=4).map("\n".join)
ALL_PATHS = sorted({str(Path(*Path(path).parts[:depth])) for path in TREE for depth in range(1, 4)})


@needs_git
@given(text, text, text)
@settings(max_examples=100, deadline=None)
@example("*\n!a", "!*\nb", "*\n!**/")
@example("a\\ \n\\#a\n\\!a", "[]a]\n[a\\]]", "**\\/b")
def test_fault_T06_git_ignores_the_same_paths(
    repository: Path, readable: Callable[[str], str], top: str, deep: str, exclude: str
) -> None:
    texts = {".gitignore": readable(top), "a/.gitignore": readable(deep), ".git/info/exclude": readable(exclude)}
    place(repository, texts)
    theirs = git(repository, "check-ignore", "--no-index", "--stdin", "-z", paths=ALL_PATHS)
    assert ignored_by_us(repository, ALL_PATHS) == theirs


@needs_git
@given(text, text, text)
@settings(max_examples=50, deadline=None)
def test_fault_T06_a_walk_sees_the_files_that_git_lists(
    repository: Path, readable: Callable[[str], str], top: str, deep: str, deeper: str
) -> None:
    place(repository, {".gitignore": readable(top), "a/.gitignore": readable(deep), "a/b/.gitignore": readable(deeper)})
    theirs = git(repository, "ls-files", "--others", "--cached", "--exclude-standard", "-z")
    assert sorted(visible(repository, IgnoreRules())) == theirs


@needs_git
def test_fault_T06_git_agrees_with_the_table(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    expected = {}
    for number, (lines, path, ignored) in enumerate(CASES):
        write(tmp_path, {f"{number}/.gitignore": lines})
        target = tmp_path / str(number) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.mkdir() if path.endswith("/") else target.touch()
        expected[f"{number}/{path.rstrip('/')}"] = ignored
    theirs = git(tmp_path, "check-ignore", "--no-index", "--stdin", "-z", paths=list(expected))
    assert theirs == sorted(path for path, ignored in expected.items() if ignored)


simple = st.lists(st.sampled_from(["a", "!a", "/a", "a/", "b", "!b", "*b", "!*b", "a/*", "!a/b", "*"]), max_size=3)
rg_texts = st.fixed_dictionaries(
    {},
    optional={f"{folder}{name}": simple.map("\n".join) for folder in ("", "a/", "a/b/") for name in KINDS},
)


@pytest.mark.skipif(RG is None, reason="ripgrep")
@given(rg_texts)
@settings(max_examples=60, deadline=None)
@example({".ignore": "!b", "a/.gitignore": "b"})
@example({".rgignore": "a", "a/.ignore": "!a", ".ignore": "!*"})
def test_the_kinds_of_files_rank_as_in_ripgrep(texts: dict[str, str]) -> None:
    assert RG is not None
    with TemporaryDirectory() as folder:
        root = Path(folder)
        write(root, {"a/a/a": "", "a/b/a": "", "a/b/b": "", "b/b": "", "bb": "", "c": "", **texts})
        command = [RG, "--no-config", "--files", "--hidden", "--no-require-git", "--no-ignore-parent", "-0"]
        done = subprocess.run(command, cwd=root, capture_output=True, check=False)
        theirs = sorted(os.fsdecode(path).replace("\\", "/") for path in done.stdout.split(b"\0") if path)
        assert sorted(visible(root, IgnoreRules())) == theirs


POSIX_CLASSES = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit"


@needs_git
@pytest.mark.parametrize("name", POSIX_CLASSES.split())
def test_a_posix_class_holds_the_bytes_that_git_counts(tmp_path: Path, name: str) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, {".gitignore": f"x[[:{name}:]]y\n"})
    paths = [os.fsdecode(b"x%cy" % byte) for byte in range(1, 256) if byte != ord("/")]
    theirs = git(tmp_path, "check-ignore", "--no-index", "--stdin", "-z", paths=paths)
    assert ignored_by_us(tmp_path, paths) == theirs

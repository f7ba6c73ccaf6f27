"""Decides like git which paths a vault's ignore files hide.

Order of precedence; the first matching rule wins, and within a file later lines come first:

1. `.rgignore` files, the deepest folder first;
2. `.ignore` files, the deepest first;
3. `.gitignore` files, the deepest first;
4. the repository's `.git/info/exclude`.

So a shallow `.ignore` beats a deep `.gitignore`: ripgrep's order (measured, 15.2), since git has only 3 and 4. No rule
can restore what lies in an ignored folder: a walk never enters one.
Matching is on bytes and case-sensitive, like git's on Linux: `?` is one byte of a name.

Why not pathspec: it differs from `git check-ignore` in 6 of 25 hard cases; it rejects the whole list for `foo\\/` and
`trailing\\`, reads `[[:alpha:]]` as another class with a FutureWarning, keeps a BOM, reopens the ignored `foo` for
`!foo/bar`, but no folder for `!**/`; and its regexes backtrack (fault-T06, fault-R13). So this module translates each
line, after wildmatch.c and dir.c of git, into the linear regexes of `globs`. One known difference: git before 2.52
reads a real `**` in `x/a**` and `a**/b` (fixed by "give fnmatch one char of prefix context"); this module never does.
"""

from __future__ import annotations

import os
import re
import stat
import string
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from vaulttools.files import disk
from vaulttools.files.globs import name_regex, path_regex

IGNORE_FILES = (".git/info/exclude", ".gitignore", ".ignore", ".rgignore")
"""The files with ignore rules, relative to the folder they apply to, the weakest first."""

MAX_BYTES = 1 << 20  # fault-T08; git's own limit is 100 MB

_DUDS_SHOWN = 20
"""Most bad lines of one file that get a warning each."""

_OPEN_FLAGS = os.O_RDONLY | sum(getattr(os, f"O_{name}", 0) for name in ("NOFOLLOW", "NONBLOCK", "CLOEXEC", "BINARY"))

# git's own ctype: ASCII only; \v and \f are not blanks.
_POSIX_CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "blank": " \t",
    "cntrl": "".join(map(chr, range(32))) + "\x7f",
    "digit": string.digits,
    "graph": "".join(map(chr, range(33, 127))),
    "lower": string.ascii_lowercase,
    "print": "".join(map(chr, range(32, 127))),
    "punct": string.punctuation,
    "space": " \t\n\r",
    "upper": string.ascii_uppercase,
    "xdigit": string.hexdigits,
}


@dataclass(frozen=True, slots=True)
class IgnoreLine:
    """One rule; its regex matches the bytes of a path as Latin-1, with a trailing `/` for a folder."""

    ignores: bool
    """False for a line with `!`, which keeps its matches."""
    by_name: bool
    """True if the regex matches the last component at any depth; else it matches the path below the file's folder."""
    regex: str


@dataclass(frozen=True, slots=True)
class _Block:
    """Neighbouring lines of one file with the same `ignores`, as one regex for names and one for paths."""

    ignores: bool
    names: re.Pattern[str] | None
    paths: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class _File:
    rank: int
    base: int  # length in bytes of the path of the file's folder
    blocks: tuple[_Block, ...]  # the last lines first


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules that apply to the direct content of one folder. `IgnoreRules()` ignores nothing.

    >>> rules, warnings = IgnoreRules().entering("", {".gitignore": "*.log\\n/tmp/"})
    >>> rules.ignores("a.log", is_folder=False), rules.ignores("tmp", is_folder=False), warnings
    (True, False, ())
    """

    _files: tuple[_File, ...] = ()
    _above: str = ""  # path of the vault root in the repository, with a trailing /; '' if they are the same

    def __bool__(self) -> bool:
        """Whether there are any rules."""
        return bool(self._files)

    def entering(
        self, folder: str, texts: Mapping[str, str], shown: str | None = None
    ) -> tuple[IgnoreRules, tuple[str, ...]]:
        """Returns the rules inside a folder, and one warning (`file:line: why`) per line that can match nothing.

        `folder` is vault-relative ('': the root) and not ignored itself; `texts` maps names of `IGNORE_FILES` to file
        contents, as from `read_ignore_files`. Without texts, the same object is returned. `shown` precedes a file's
        name in warnings; default: the folder with a trailing `/`.
        """
        if not texts:
            return self, ()
        folder = f"{folder}/" if folder else ""
        warnings: list[str] = []
        files = list(self._files)
        base = len(self._above) + len(os.fsencode(folder))
        for rank, name in enumerate(IGNORE_FILES):
            lines, duds = parse_lines(texts.get(name, ""))
            warnings += _dud_warnings(f"{folder if shown is None else shown}{name}", duds)
            if lines:
                # Before the files of its rank, which lie in folders above.
                files.insert(sum(file.rank > rank for file in files), _File(rank, base, _blocks(lines)))
        return IgnoreRules(tuple(files), self._above), tuple(warnings)

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Whether a vault-relative path directly in the last entered folder is ignored."""
        if not self._files:
            return False
        end = "/" if is_folder else ""
        full = f"{self._above}{path if path.isascii() else _latin(os.fsencode(path))}{end}"
        name = full[full.rfind("/", 0, -1) + 1 :]
        for file in self._files:
            for block in file.blocks:
                if (block.names and block.names.fullmatch(name)) or (
                    block.paths and block.paths.fullmatch(full, file.base)
                ):
                    return block.ignores
        return False


def rules_above(root: Path) -> tuple[IgnoreRules, tuple[str, ...]]:
    """Returns the rules that a vault root inherits from the repository around it, and the warnings.

    There are no rules if no folder at or above the root contains `.git`, or if the rules would ignore the root itself.
    The root's own files are not read: pass them to `entering`. `root` is absolute and resolved.
    """
    repository = next((folder for folder in (root, *root.parents) if not disk.is_gone(folder / ".git")), root)
    rules = IgnoreRules()
    warnings: list[str] = []
    names = root.relative_to(repository).parts
    folder = ""
    for depth, name in enumerate(names):
        shown = "../" * (len(names) - depth)
        texts, skipped = read_ignore_files(repository / folder, (".git", *IGNORE_FILES), shown)
        rules, duds = rules.entering(folder, texts, shown)
        warnings += [*skipped, *duds]
        folder = f"{folder}/{name}" if folder else name
        if rules.ignores(folder, is_folder=True):
            return IgnoreRules(), ()
    return IgnoreRules(rules._files, _latin(os.fsencode(f"{folder}/" if folder else ""))), tuple(warnings)


def read_ignore_files(folder: Path, names: Collection[str], shown: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Reads a folder's ignore files for `IgnoreRules.entering`; also returns one warning per skipped file.

    `names` are the entries of the folder, so that a folder without such files costs no file access. `shown` precedes
    the file's name in warnings: the vault-relative folder with a trailing `/`, or ''.
    """
    texts: dict[str, str] = {}
    warnings: list[str] = []
    for name in IGNORE_FILES:
        if name.partition("/")[0] in names:
            text, why = read_ignore_file(folder / name)
            if text is not None:
                texts[name] = text
            if why is not None:
                warnings.append(f"{shown}{name}: skipped, {why}")
    return texts, tuple(warnings)


def read_ignore_file(path: Path) -> tuple[str | None, str | None]:
    """Returns the text and None, or None and why the file is skipped; two Nones if there is no file.

    Invalid bytes become surrogates. Reads only regular files of at most 1 MiB, and follows no symlink (fault-T08; nor
    does git).
    """
    try:
        if stat.S_ISLNK(disk.lstat(path).st_mode):
            return None, "it is a symlink"
        descriptor = disk.open_file(path, _OPEN_FLAGS)
    except OSError as error:
        return None, None if disk.is_gone(path) else f"it cannot be opened: {error.strerror}"
    try:
        mode = disk.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            return None, "it is a folder" if stat.S_ISDIR(mode) else "it is no regular file"
        with disk.fdopen(descriptor, "rb", closefd=False) as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        return None, f"it cannot be read: {error.strerror}"
    finally:
        disk.close(descriptor)
    if len(raw) > MAX_BYTES:
        return None, "it is larger than 1 MiB"
    return raw.decode("utf-8", "surrogateescape"), None


def parse_lines(text: str) -> tuple[tuple[IgnoreLine, ...], tuple[tuple[int, str], ...]]:
    """Returns the rules of an ignore file in order, and (line number from 1, why) of each malformed line.

    A malformed line matches nothing, as in git; the others work.
    """
    lines: list[IgnoreLine] = []
    duds: list[tuple[int, str]] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if line.startswith("#"):
            continue
        # git reads a line as a C string.
        pattern = _trimmed(line.removesuffix("\r").partition("\0")[0])
        try:
            if rule := _ignore_line(_latin(pattern.encode("utf-8", "surrogateescape"))):
                lines.append(rule)
        except _DudError as error:
            duds.append((number, str(error)))
    return tuple(lines), tuple(duds)


def _dud_warnings(file: str, duds: Sequence[tuple[int, str]]) -> list[str]:
    """Returns one sentence for each of the first bad lines, and one for the rest: a binary file may have a million."""
    warnings = [f"{file}:{number}: the line ignores nothing: {why}" for number, why in duds[:_DUDS_SHOWN]]
    others = len(duds) - _DUDS_SHOWN
    return [*warnings, f"{file}: {others:,} more lines ignore nothing"] if others > 0 else warnings


class _DudError(Exception):
    """The reason why a line can match nothing."""


def _latin(raw: bytes) -> str:
    """Returns one character per byte, so that the regexes of `globs` work on bytes."""
    return raw.decode("latin-1")


def _trimmed(line: str) -> str:
    """Returns the line without trailing blanks, except an escaped one; tabs stay (git's trim_trailing_spaces)."""
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return line[: len(bare) + 1] if escapes % 2 else bare


def _ignore_line(pattern: str) -> IgnoreLine | None:
    """Returns the rule of a trimmed line, None for a blank one."""
    keeps = pattern.startswith("!")
    pattern = pattern[1:] if keeps else pattern
    folders_only = pattern.endswith("/")
    pattern = pattern[:-1] if folders_only else pattern
    if not pattern:
        return None
    by_name = "/" not in pattern
    components = _components(pattern.removeprefix("/"))
    if by_name:
        regex = name_regex(components[0])
    else:
        regex = path_regex([None if _is_any_depth(atoms) else name_regex(atoms) for atoms in components])
    return IgnoreLine(ignores=not keeps, by_name=by_name, regex=f"{regex}/" if folders_only else f"{regex}/?")


def _is_any_depth(atoms: list[str | None]) -> bool:
    """Whether a component is `**`; git treats more stars the same."""
    return len(atoms) > 1 and not any(atoms)


def _components(pattern: str) -> list[list[str | None]]:
    """Returns the components of a pattern, each as regexes for one byte, None for a star."""
    components: list[list[str | None]] = [[]]
    at = 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        match char:
            case "/":
                components.append([])
            case "*":
                components[-1].append(None)
            case "?":
                components[-1].append("[^/]")
            case "[":
                regex, at = _class(pattern, at)
                components[-1].append(regex)
            case "\\":
                if at == len(pattern):
                    raise _DudError("it ends in a lone backslash")
                if pattern[at] == "/":
                    if _is_any_depth(components[-1]):
                        # git reads `**\/` as `**` and a required slash: at least one folder.
                        components.insert(-1, [None])
                    components.append([])
                else:
                    components[-1].append(re.escape(pattern[at]))
                at += 1
            case _:
                components[-1].append(re.escape(char))
    return components


def _class(pattern: str, at: int) -> tuple[str, int]:
    """Returns the regex of the class whose `[` is before `at`, and the index after its `]`; follows wildmatch.c."""
    negated = pattern.startswith(("!", "^"), at)
    at += negated
    members: set[str] = set()
    low = ""  # the previous member, if a range may begin with it
    try:
        while True:
            char = pattern[at]
            if char == "\\":
                at += 1
                low = pattern[at]
                members.add(low)
            elif char == "-" and low and pattern[at + 1] != "]":
                at += 2 if pattern[at + 1] == "\\" else 1
                members.update(map(chr, range(ord(low), ord(pattern[at]) + 1)))
                low = ""
            elif char == "[" and pattern[at + 1] == ":":
                close = pattern.index("]", at + 2)
                if close == at + 2 or pattern[close - 1] != ":":
                    low = char
                    members.add(low)
                else:
                    name = pattern[at + 2 : close - 1]
                    if name not in _POSIX_CLASSES:
                        raise _DudError("it holds an unknown [:class:]")
                    members.update(_POSIX_CLASSES[name])
                    low = ""
                    at = close
            else:
                low = char
                members.add(low)
            at += 1
            if pattern[at] == "]":
                break
    except (IndexError, ValueError):
        raise _DudError("it holds a [ without ]") from None
    members.discard("/")
    body = "".join(map(re.escape, sorted(members)))
    if negated:
        return f"[^/{body}]", at + 1
    return (f"[{body}]" if body else "(?!)"), at + 1


def _blocks(lines: tuple[IgnoreLine, ...]) -> tuple[_Block, ...]:
    """Combines lines into few regexes: the order of lines with the same `ignores` does not matter."""
    blocks: list[_Block] = []
    for ignores, group in groupby(reversed(lines), key=lambda line: line.ignores):
        run = list(group)
        blocks.append(
            _Block(
                ignores=ignores,
                names=_any_of([line.regex for line in run if line.by_name]),
                paths=_any_of([line.regex for line in run if not line.by_name]),
            )
        )
    return tuple(blocks)


def _any_of(regexes: list[str]) -> re.Pattern[str] | None:
    if not regexes:
        return None
    return re.compile("|".join(regexes), re.DOTALL)

"""Translates a glob to one regex over the whole vault-relative path.

Steps, each on the result of the one before:

1. `\\` is read as `/`; the text is normalised to NFC.
2. Braces expand as text, as in a shell: `a/{b,c}*.md` is `a/b*.md` or `a/c*.md`. A class (`[,}]`) is never cut.
3. Empty and `.` components are dropped; `..` removes the literal folder before it.
4. A glob without `/` matches at any depth. A glob with `/`, also a leading `/` or `./`, is anchored at the vault root.
   The glob before brace expansion decides: `{a,x/b}` is anchored as a whole, as in ripgrep.
5. A trailing `/` names a folder and selects everything below it: `x/` is `x/**`.

Names hold brackets and braces, too (`[2024] plan.md`), and callers write them as they are spelled. So a glob with a
class, with braces, or with `\\` before such a sign is read in each way, and selects what one of the readings matches.
Each takes linear time; a class and its text in one regex would not be as exact, since their lengths differ.

Why not pathspec: its patterns have no braces, read a leading `!` or `#` as syntax, let `src/*` reach `src/a/b.md`, and
backtrack (the time for `*a*a*a*…b` grows with the number of stars as exponent). So we translate globs ourselves. The
time is at most the product of the lengths of glob and path: after a star, the *first* place where the next fixed
piece fits is as good as any later one, so a loop over characters that do not begin such a piece can only end there; the
same holds for runs of components between two `**`. Only the piece after the last star of a component and the run after
the last `**` try several places, and each try ends within the piece or the run. Atomic groups would do the same, but
CPython 3.11.0 to 3.11.3 lose matches of atomic groups that contain a group.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

from vaulttools.core.folding.identity import composed
from vaulttools.errors import InvalidGlob, OutsideVault

MAX_LENGTH = 4_096  # characters of a glob; a path has at most as many bytes on Linux (PATH_MAX)
MAX_ALTERNATIVES = 1_000  # fault-R13
MAX_EXPANDED = 100_000  # characters of all alternatives together; compiling that many takes 0.2 s (measured)
_REACH_DEPTH = 16  # folders that `may_hold` compares at most; keeps the nesting of its regex small

# A `]` at the start of a class is a member, as in POSIX; a class never spans a `/`.
_CLASS = re.compile(r"\[([!^]?+)([^/][^]/]*)\]", re.DOTALL)
_TOKEN = re.compile(rf"{_CLASS.pattern}|[^{{}},\[]+|.", re.DOTALL)
_ESCAPED = re.compile(r"\\([][{}])")
_SEPARATOR = re.compile(r"\\(?![][{}])")
_STAND_INS = "\ud800\ud801\ud802\ud803"
"""Stand-ins for `[]{}` that a reading takes as text: halves of surrogate pairs, which no name on disk holds."""
_AS_TEXT = str.maketrans("[]{}", _STAND_INS)
_BRACES = str.maketrans("{}", _STAND_INS[2:])
_WRITTEN = str.maketrans(_STAND_INS, "[]{}")


@dataclass(frozen=True, slots=True)
class Glob:
    """A parsed glob; it takes vault-relative paths and folders with `/`, without a trailing one.

    >>> glob = parse("Projects/a/**/x*.md", ignore_case=False)
    >>> glob.literal_folders
    'Projects/a'
    >>> glob.matches("Projects/a/b/c/x1.md"), glob.may_hold("Projects"), glob.may_hold("Daily")
    (True, True, False)
    """

    text: str
    """The glob as given."""
    literal_folders: str
    """The folders before the first wildcard that all alternatives share; '' if there are none.

    Spelled as in the glob, in NFC: the folder on disk may be in NFD or, if case is ignored, in another case.
    """
    is_ambiguous: bool
    """Whether it has several readings."""
    _path: re.Pattern[str] = field(repr=False)
    _reach: re.Pattern[str] = field(repr=False)

    def matches(self, path: str) -> bool:
        """Whether the glob selects a path, compared in NFC."""
        return self._path.fullmatch(composed(path)) is not None

    def may_hold(self, folder: str) -> bool:
        """Whether a path below this folder ('' is the vault root) can match; never wrongly False."""
        return self._reach.fullmatch(f"/{composed(folder)}" if folder else "") is not None


def has_magic(text: str) -> bool:
    """Whether the text holds a wildcard: one of `*?[{`."""
    return any(char in text for char in "*?[{")


def before_magic(text: str) -> str:
    """Returns the folders before the first component with a wildcard, as written but with `/`, also at the end."""
    text = _SEPARATOR.sub("/", text)
    end = min((index for index, character in enumerate(text) if has_magic(character)), default=len(text))
    return text[: text.rfind("/", 0, end) + 1]


def parse(glob: str, *, ignore_case: bool) -> Glob:
    """Parse a glob.

    Raises: `InvalidGlob` with the reason, `OutsideVault` if `..` leads out of the vault.
    """
    if not glob:
        raise InvalidGlob(glob, "it is empty")
    if "\0" in glob:
        raise InvalidGlob(glob, "it contains a NUL character")
    if len(glob) > MAX_LENGTH:
        # Shortened: the message must not be as long as the glob.
        raise InvalidGlob(f"{glob[:60]}…", f"it is longer than {MAX_LENGTH:,} characters")
    texts = _texts(composed(glob))
    read: list[_Reading] = []
    failure = ""
    try:
        for text in texts:
            try:
                read.append(_Reading.of(text))
            except _MalformedError as error:
                failure = failure or str(error)
        if not read:
            raise InvalidGlob(glob, failure)
        for text in [text.translate(_BRACES) for text in texts if _has_braces(text)]:
            with suppress(_MalformedError):
                read.append(_Reading.of(text))
    except OutsideVault:
        raise OutsideVault(glob) from None
    shared = _shared([list(takewhile(_is_literal, names[:-1])) for each in read for names in each.alternatives])
    regexes = [names for each in read for names in each.regexes]
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    return Glob(
        text=glob,
        literal_folders="/".join(shared).translate(_WRITTEN),
        is_ambiguous=len(read) > 1 or len(texts) > 1,
        _path=re.compile("|".join(dict.fromkeys(map(path_regex, regexes))), flags),
        _reach=re.compile("|".join(dict.fromkeys(map(_reach_regex, regexes))), flags),
    )


class _Reading(NamedTuple):
    """One reading of a glob."""

    alternatives: list[list[str]]
    """The components of each alternative of its braces."""
    regexes: list[list[str | None]]
    """The same as regexes; None is `**`."""

    @classmethod
    def of(cls, text: str) -> _Reading:
        """Raises `_MalformedError`, or `OutsideVault`."""
        found = [_components(spelled, anchored="/" in text) for spelled in _expand(text)]
        return cls(found, [[None if name == "**" else name_regex(_atoms(name)) for name in names] for names in found])


def _texts(glob: str) -> list[str]:
    """Returns what a glob may be, `/` for `\\`, braces aside: as it is, and with the signs behind a `\\`, or classes,
    as text."""
    usual = glob.replace("\\", "/")
    escaped = _ESCAPED.sub(lambda found: found[1].translate(_AS_TEXT), glob).replace("\\", "/")
    return list(dict.fromkeys((usual, escaped, _CLASS.sub(lambda found: found[0].translate(_AS_TEXT), usual))))


def _has_braces(text: str) -> bool:
    """Whether names hold braces; those around a `/` are in no name."""
    return "{" in text and all(name.count("{") == name.count("}") for name in text.split("/"))


def name_regex(atoms: Sequence[str | None]) -> str:
    """Returns a linear regex for one component. Each atom is a regex for one character other than `/`, None a star.

    A component of only stars matches any name but the empty one. `/` or the end must follow.
    """
    first, *rest = ("".join(run) for run in _runs(atoms))
    if not rest:
        return first
    *middle, last = rest
    if not (first or last or any(middle)):
        return "[^/]++"
    return first + "".join(f"(?:(?!{fixed})[^/])*{fixed}" for fixed in middle if fixed) + "[^/]*" + last


def path_regex(components: Sequence[str | None]) -> str:
    """Returns a linear regex (for DOTALL) for a whole path from the regexes of its components; None is `**`.

    `**` matches any number of components; at the end, at least one.
    """
    first, *rest = _runs(components)
    if not rest:
        return "/".join(first)
    *middle, last = rest
    runs = ["/".join(run) + "/" for run in middle if run]
    folders = "".join(f"(?:(?!{run})[^/]++/)*{run}" for run in runs)
    return "".join(f"{name}/" for name in first) + folders + (f"(?:.*/)?{'/'.join(last)}" if last else ".+")


def _reach_regex(components: Sequence[str | None]) -> str:
    """Returns a regex for the folders above possible matches, as `/` + folder, or '' for the root."""
    heads = _runs(components[:-1])[0]
    open_ended = None in components or len(heads) > _REACH_DEPTH
    reach = "(?:/.*)?" if open_ended else ""
    for name in reversed(heads[:_REACH_DEPTH]):
        reach = f"(?:/{name}{reach})?"
    return reach


def _runs(items: Sequence[str | None]) -> list[list[str]]:
    """Splits items at the Nones; n Nones make n + 1 runs."""
    runs: list[list[str]] = [[]]
    for item in items:
        if item is None:
            runs.append([])
        else:
            runs[-1].append(item)
    return runs


class _MalformedError(Exception):
    """The reason why a glob is malformed; `parse` turns it into `InvalidGlob`."""


def _is_literal(component: str) -> bool:
    return not has_magic(component)


def _shared(paths: Sequence[Sequence[str]]) -> list[str]:
    """Returns the components that all paths begin with."""
    return [column[0] for column in takewhile(lambda column: len(set(column)) == 1, zip(*paths, strict=False))]


def _expand(glob: str) -> list[str]:
    """Returns the distinct alternatives of all braces, at least one. Uses a stack: 2,000 braces may be nested."""
    stack: list[tuple[list[str], list[str]]] = []
    done: list[str] = []
    current = [""]
    for token in _TOKEN.finditer(glob):
        match token[0]:
            case "[":
                raise _MalformedError("unclosed bracket, [ without ]; \\[ is the sign itself")
            case "{":
                stack.append((done, current))
                done, current = [], [""]
            case "," if stack:
                done, current = done + current, [""]
            case "}":
                if not stack:
                    raise _MalformedError("unopened brace, } without {; \\} is the sign itself")
                endings = done + current
                done, current = stack.pop()
                current = _product(current, endings)
            case text:
                current = _product(current, [text])
        if len(done) + len(current) > MAX_ALTERNATIVES:
            raise _MalformedError(f"more than {MAX_ALTERNATIVES:,} brace alternatives")
    if stack:
        raise _MalformedError("unclosed brace, { without }; \\{ is the sign itself")
    spelled = [alternative for alternative in dict.fromkeys(current) if alternative]
    if not spelled:
        raise _MalformedError("it is empty")
    return spelled


def _product(beginnings: list[str], endings: list[str]) -> list[str]:
    count = len(beginnings) * len(endings)
    if count > MAX_ALTERNATIVES:
        raise _MalformedError(f"more than {MAX_ALTERNATIVES:,} brace alternatives")
    if len(endings) * sum(map(len, beginnings)) + len(beginnings) * sum(map(len, endings)) > MAX_EXPANDED:
        raise _MalformedError(f"its braces expand to more than {MAX_EXPANDED:,} characters")
    return [beginning + ending for beginning in beginnings for ending in endings]


def _components(alternative: str, *, anchored: bool) -> list[str]:
    """Returns the components of a glob without braces, at least one; the last is `**` if the glob names a folder."""
    names: list[str] = []
    for name in alternative.split("/"):
        if name == "..":
            if not names:
                raise OutsideVault(alternative)
            if has_magic(names.pop()):
                raise _MalformedError(".. after a wildcard")
        elif name not in ("", "."):
            names.append(name)
    if not names or alternative.endswith("/"):
        names.append("**")
    return names if anchored else ["**", *names]


def _atoms(component: str) -> list[str | None]:
    """Returns one regex per character that the component matches, None for a star."""
    if component != "**" and "**" in _CLASS.sub("x", component):
        raise _MalformedError("** must be a whole path component")
    atoms: list[str | None] = []
    at = 0
    while at < len(component):
        char = component[at]
        if found := _CLASS.match(component, at):
            atoms.append(_class_regex(found[2], negated=bool(found[1])))
            at = found.end()
            continue
        atoms.append({"*": None, "?": "[^/]"}.get(char, re.escape(char.translate(_WRITTEN))))
        at += 1
    return atoms


def _class_regex(members: str, *, negated: bool) -> str:
    """Returns the regex of a class from the text between its brackets."""
    ranges = ""
    at = 0
    while at < len(members):
        low = high = members[at]
        at += 1
        if members.startswith("-", at) and at + 1 < len(members):
            high = members[at + 1]
            at += 2
        if high < low:
            raise _MalformedError(f"reversed range {low}-{high}")
        ranges += re.escape(low) if low == high else f"{re.escape(low)}-{re.escape(high)}"
    # A range like [+-9] includes the slash.
    return f"[^/{ranges}]" if negated else f"(?!/)[{ranges}]"

"""Translates a glob to one regex over the whole vault-relative path.

Reading order, each step on the result of the one before:

1. `\\` is read as `/`; the text is brought to NFC.
2. Braces expand as text, as in a shell: `a/{b,c}*.md` is `a/b*.md` or `a/c*.md`. A class (`[,}]`) is never cut.
3. Empty and `.` components drop out, `..` takes back the literal folder before it.
4. A glob without `/` matches at any depth. With one, a leading `/` or `./` included, it is anchored at the vault root;
   this is decided on the glob as written, before braces: `{a,x/b}` is anchored as a whole, as in ripgrep.
5. A trailing `/` names a folder and selects everything below it: `x/` is `x/**`.

Why not pathspec: its patterns know no braces, read a leading `!` or `#` as syntax, let `src/*` reach `src/a/b.md`, and
backtrack (the time of `*a*a*a*…b` has the number of stars as its power). So the translation is our own, and its time
is at most the length of the glob times that of the path: after a star the *first* place where the next fixed piece
fits is as good as any later one, so a loop over what does not begin such a piece ends there and nowhere else; the same
holds for runs of components between two `**`. Only the piece after the last star of a component and the run after the
last `**` try several places, and each try ends within the piece or the run. An atomic group would do the same, but
CPython 3.11.0 to 3.11.3 lose matches of those around a group.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from vaulttools.errors import InvalidGlob, OutsideVault

MAX_LENGTH = 4_096  # characters of a glob; a path has at most as many bytes on Linux (PATH_MAX)
MAX_ALTERNATIVES = 1_000  # fault-R13
MAX_EXPANDED = 100_000  # characters of all alternatives together; compiling that many takes 0.2 s (measured)
_REACH_DEPTH = 16  # folders that `may_hold` compares before it says yes; keeps the nesting of its regex small

# A `]` in the first place is a member, as in POSIX; a class never spans a `/`.
_CLASS = re.compile(r"\[([!^]?+)([^/][^]/]*)\]", re.DOTALL)
_TOKEN = re.compile(rf"{_CLASS.pattern}|[^{{}},\[]+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Glob:
    """A parsed glob; paths and folders given to it are vault-relative, with `/`, without a trailing one.

    >>> glob = parse("Projects/a/**/x*.md", ignore_case=False)
    >>> glob.literal_folders
    'Projects/a'
    >>> glob.matches("Projects/a/b/c/x1.md"), glob.may_hold("Projects"), glob.may_hold("Daily")
    (True, True, False)
    """

    text: str
    """The glob as it was given."""
    literal_folders: str
    """The folders before the first wildcard, the same in every alternative; '' when there are none.

    As the glob spells them, in NFC: the folder meant may be stored as NFD or, where case is ignored, in another case.
    """
    _path: re.Pattern[str] = field(repr=False)
    _reach: re.Pattern[str] = field(repr=False)

    def matches(self, path: str) -> bool:
        """Whether the glob selects this path, compared in NFC."""
        return self._path.fullmatch(path if path.isascii() else _nfc(path)) is not None

    def may_hold(self, folder: str) -> bool:
        """Whether a path below this folder ('' is the vault root) can match; never wrongly False."""
        return self._reach.fullmatch(f"/{_nfc(folder)}" if folder else "") is not None


def has_magic(text: str) -> bool:
    """Whether the text holds a wildcard: one of `*?[{`."""
    return any(char in text for char in "*?[{")


def before_magic(text: str) -> str:
    """The folders before the first component with a wildcard, as written but with `/`, the last one included."""
    text = text.replace("\\", "/")
    end = min((index for index, character in enumerate(text) if has_magic(character)), default=len(text))
    return text[: text.rfind("/", 0, end) + 1]


def parse(glob: str, *, ignore_case: bool) -> Glob:
    """The glob, ready to match.

    Raises: `InvalidGlob` with the reason, `OutsideVault` when `..` leads out of the vault.
    """
    if not glob:
        raise InvalidGlob(glob, "it is empty")
    if "\0" in glob:
        raise InvalidGlob(glob, "it contains a NUL character")
    if len(glob) > MAX_LENGTH:
        # Not repeated whole: the sentence would be as long as the glob.
        raise InvalidGlob(f"{glob[:60]}…", f"it is longer than {MAX_LENGTH:,} characters")
    text = _nfc(glob.replace("\\", "/"))
    try:
        alternatives = [_components(spelled, anchored="/" in text) for spelled in _expand(text)]
        regexes = [[None if name == "**" else name_regex(_atoms(name)) for name in names] for names in alternatives]
    except _MalformedError as error:
        raise InvalidGlob(glob, str(error)) from None
    except OutsideVault:
        raise OutsideVault(glob) from None
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    return Glob(
        text=glob,
        literal_folders="/".join(_shared([list(takewhile(_is_literal, names[:-1])) for names in alternatives])),
        _path=re.compile("|".join(dict.fromkeys(map(path_regex, regexes))), flags),
        _reach=re.compile("|".join(dict.fromkeys(map(_reach_regex, regexes))), flags),
    )


def name_regex(atoms: Sequence[str | None]) -> str:
    """A regex for one component, linear: each atom is a regex for one character other than `/`, None is a star.

    A component of stars only matches any name, not the empty one. What follows must be `/` or the end.
    """
    first, *rest = ("".join(run) for run in _runs(atoms))
    if not rest:
        return first
    *middle, last = rest
    if not (first or last or any(middle)):
        return "[^/]++"
    return first + "".join(f"(?:(?!{fixed})[^/])*{fixed}" for fixed in middle if fixed) + "[^/]*" + last


def path_regex(components: Sequence[str | None]) -> str:
    """A regex for a whole path from the regexes of its components, linear; None is `**`, to be used with DOTALL.

    `**` takes any number of components, as the last one at least one.
    """
    first, *rest = _runs(components)
    if not rest:
        return "/".join(first)
    *middle, last = rest
    runs = ["/".join(run) + "/" for run in middle if run]
    folders = "".join(f"(?:(?!{run})[^/]++/)*{run}" for run in runs)
    return "".join(f"{name}/" for name in first) + folders + (f"(?:.*/)?{'/'.join(last)}" if last else ".+")


def _reach_regex(components: Sequence[str | None]) -> str:
    """A regex for `/` + folder, or '' for the root: the folders on the way to what the components match."""
    heads = _runs(components[:-1])[0]
    open_ended = None in components or len(heads) > _REACH_DEPTH
    reach = "(?:/.*)?" if open_ended else ""
    for name in reversed(heads[:_REACH_DEPTH]):
        reach = f"(?:/{name}{reach})?"
    return reach


def _runs(items: Sequence[str | None]) -> list[list[str]]:
    """The items between the Nones; n Nones make n + 1 runs."""
    runs: list[list[str]] = [[]]
    for item in items:
        if item is None:
            runs.append([])
        else:
            runs[-1].append(item)
    return runs


class _MalformedError(Exception):
    """Why a glob is malformed, on its way to `InvalidGlob`."""


def _nfc(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def _is_literal(component: str) -> bool:
    return not has_magic(component)


def _shared(paths: Sequence[Sequence[str]]) -> list[str]:
    """The components all paths begin with."""
    return [column[0] for column in takewhile(lambda column: len(set(column)) == 1, zip(*paths, strict=False))]


def _expand(glob: str) -> list[str]:
    """The alternatives of all braces, each once, at least one; a stack, as 2,000 braces may be nested."""
    stack: list[tuple[list[str], list[str]]] = []
    done: list[str] = []
    current = [""]
    for token in _TOKEN.finditer(glob):
        match token[0]:
            case "[":
                raise _MalformedError("unclosed bracket, [ without ]")
            case "{":
                stack.append((done, current))
                done, current = [], [""]
            case "," if stack:
                done, current = done + current, [""]
            case "}":
                if not stack:
                    raise _MalformedError("unopened brace, } without {")
                endings = done + current
                done, current = stack.pop()
                current = _product(current, endings)
            case text:
                current = _product(current, [text])
        if len(done) + len(current) > MAX_ALTERNATIVES:
            raise _MalformedError(f"more than {MAX_ALTERNATIVES:,} brace alternatives")
    if stack:
        raise _MalformedError("unclosed brace, { without }")
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
    """The components of a glob without braces, at least one; the last is `**` when it names a folder."""
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
    """One regex per character that the component takes, None for a star."""
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
        atoms.append({"*": None, "?": "[^/]"}.get(char, re.escape(char)))
        at += 1
    return atoms


def _class_regex(members: str, *, negated: bool) -> str:
    """The regex of a class from what stands between its brackets."""
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
    # A range like [+-9] spans the slash.
    return f"[^/{ranges}]" if negated else f"(?!/)[{ranges}]"

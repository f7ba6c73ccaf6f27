"""Reads a link's text, and finds the file of the vault that it names.

A target resolves as in Obsidian; whether names differ in case or Unicode form never matters. The readings of a target,
the first that holds wins:

1. nothing, as in `[[#Heading]]`: the source itself (rule-L16);
2. with `./` or `../` in it, or a leading `/`: exactly that path, from the source's folder or from the root (rule-L17);
3. the name as written, then with `.md`; a name without any extension first with `.md`. Only notes go without their
   extension (rule-L01, rule-L03). Aliases are no names (rule-L15).

Several files of one name, or whose paths end in the target when it has folders (`[[b/Note]]` for `a/b/Note.md`):

1. the exact path from the root;
2. the path from the source's own folder; folders above it count for nothing;
3. the shortest path, in characters; then the one spelled as the target is; then path order.

rule-L14 is reported in two ways. This order was read off Obsidian 1.13.7, by `getFirstLinkpathDest` on files laid out
to tell the readings apart (pvliesdonk/markdown-vault-mcp 1350, 1380). The report of the source's folder coming first
(luke321/vault-graph 141) had no file of that name at the root, so both orders explain it. That folders need not begin
at the root is documented nowhere; Obsidian was seen to resolve such links (mlorentedev/hive 349).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from vaulttools.core import paths
from vaulttools.core.cached import cached_property

_BLOCK_ID = re.compile(r"\^[A-Za-z0-9-]+")
"""rule-L06."""


@dataclass(frozen=True, slots=True)
class Link:
    """What a link's text names."""

    target: str
    """A note or file as written; `""` is the note that the link stands in."""
    headings: tuple[str, ...] = ()
    """The chain of headings that leads to the section meant, outermost first (rule-L05)."""
    block: str | None = None
    """The id of the block meant, without `^` (rule-L06)."""
    display: str | None = None
    """The text shown instead of the target."""


def parse_link(text: str) -> Link:
    r"""What a wikilink or an embed names, given with its brackets or as what stands between them.

    >>> parse_link("[[Note#H1#H2|shown]]")
    Link(target='Note', headings=('H1', 'H2'), block=None, display='shown')

    Of nested brackets the innermost pair is the link (rule-L16); `\|`, as tables need it, stands for `|` (rule-L09).
    """
    inner = text[text.rfind("[[") + 2 :].partition("]]")[0] if "[[" in text else text
    named, bar, display = inner.partition("|")
    return Link(*split_linktext(named.removesuffix("\\") if bar else named), display.strip() if bar else None)


def parse_linktext(text: str) -> Link:
    """What a target with its headings or block names, `Note#H1#H2` or `Note#^id`, nothing else in it having a meaning.

    The first `#` ends the target, so a file with `#` in its name cannot be meant (rule-L04).
    """
    return Link(*split_linktext(text))


def split_linktext(text: str) -> tuple[str, tuple[str, ...], str | None]:
    """Target, headings and block of a `Link`."""
    if "#" not in text:
        return text.strip(), (), None
    target, *parts = (part.strip() for part in text.split("#"))
    block = None
    if _BLOCK_ID.fullmatch(parts[-1]):
        block = parts.pop()[1:]
    return target, tuple(filter(None, parts)), block


def name_key(path: str) -> str | None:
    """What a target has in common with every file that it can lead to: the last name, without `.md`, as names are
    compared. None of a target that ends in `.` or `..`, which tells no name."""
    name = _name(_folded(path).rstrip("/"))
    while name.endswith(".md"):
        name = name[:-3]
    return None if name in (".", "..") else name


class LinkIndex:
    """The names that links can use in one vault. Never changed once made, so any number of threads may ask it."""

    def __init__(self, files: Iterable[str]) -> None:
        """From the vault-relative paths of all files a link may lead to: those that are visible."""
        self.files = frozenset(files)
        """These paths."""
        self._ordered: dict[str, Sequence[tuple[str, str]]] = {}
        """What `_named` gave: links lead to few of all names, so that only these are put in order."""

    @cached_property
    def _by_path(self) -> _Grouped:
        return self._grouped[0]

    @cached_property
    def _by_name(self) -> _Grouped:
        return self._grouped[1]

    @cached_property
    def _grouped(self) -> tuple[_Grouped, _Grouped]:
        """The files by their path and by their name, as names are compared; made when a link is first resolved."""
        files = list(self.files)
        together = "\0".join(files)
        folded = together.lower().split("\0") if files and together.isascii() else [*map(_folded, files)]
        return _Grouped(folded, files), _Grouped([path[path.rfind("/") + 1 :] for path in folded], files)

    def _named(self, name: str) -> Sequence[tuple[str, str]]:
        """The files with a name, each as names are compared and as it is, the shortest first."""
        if name not in self._ordered:
            self._ordered[name] = [(_folded(path), path) for path in sorted(self._by_name.of(name), key=_rank)]
        return self._ordered[name]

    def resolve(self, target: str, source: str | None = None) -> str | None:
        """The path of the file that a target leads to, as it was given to the index, or None.

        `target` is percent-decoded, without headings and display text; `source` is the path of the note that the link
        stands in, None where it stands in none: its folder is then the root.
        """
        target = target.strip()
        folder = "" if source is None else source.rpartition("/")[0]
        if not target:
            return None if source is None else self._at(source)
        steps = target.split("/")
        if steps[0] and not {".", ".."}.intersection(steps):
            return _first(lambda reading: self._near(reading, folder), "/".join(filter(None, steps)))
        exact = _walked([*folder.split("/"), *steps] if steps[0] else steps)
        return _first(self._at, exact) if exact else None

    def names_apart(self, other: LinkIndex) -> set[str | None]:
        """What `name_key` gives of the files that one of the two has and the other has not: only targets with such a
        name can lead elsewhere."""
        return set(map(name_key, self.files ^ other.files))

    def candidates(self, target: str) -> list[str]:
        """Every file that a target may lead to, from whatever folder, the one that `resolve` takes first.

        One alone where the target is the file's path from the root, or has `./` or `../` in it.
        """
        found = self.resolve(target)
        if found is None:
            return []
        for reading in _readings("/".join(filter(None, target.strip().split("/")))):
            if self._at(reading) == found:
                return [found]
            if below := list(self._below(reading)):
                return [found, *(path for path in below if path != found)]
        return [found]

    def _at(self, wanted: str) -> str | None:
        """The file at exactly this path."""
        found = self._by_path.of(_folded(wanted))
        return _best(sorted(found, key=_rank) if len(found) > 1 else found, wanted)

    def _near(self, wanted: str, folder: str) -> str | None:
        """The file at this path from the root, from the folder, or from wherever the path that results is shortest."""
        near = self._at(wanted) or self._at(paths.join(folder, wanted))
        if near is not None:
            return near
        _, shortest = next(groupby(self._below(wanted), _length), (0, ()))
        return _best(shortest, wanted)

    def _below(self, wanted: str) -> Iterator[str]:
        """The files whose path ends in this one, the shortest first."""
        folded = _folded(wanted)
        return (path for other, path in self._named(_name(folded)) if other.endswith(f"/{folded}"))


class _Grouped:
    """Files by a key that few of them share. A list for each key would take four times as long to make."""

    def __init__(self, keys: Sequence[str], files: Sequence[str]) -> None:
        self._one = dict(zip(keys, files, strict=True))
        self._others: dict[str, list[str]] = {}
        if len(self._one) < len(files):
            for key, path in zip(keys, files, strict=True):
                if self._one[key] != path:
                    self._others.setdefault(key, []).append(path)

    def of(self, key: str) -> list[str]:
        """The files with a key, in no order."""
        one = self._one.get(key)
        return [] if one is None else [one, *self._others.get(key, ())]


def _first(look: Callable[[str], str | None], target: str) -> str | None:
    """What is found under the first name that a target may stand for."""
    return next((path for path in map(look, _readings(target)) if path is not None), None)


def _readings(target: str) -> tuple[str, str]:
    """The names that a target may stand for, the likelier first."""
    return (target, f"{target}.md") if "." in _name(target) else (f"{target}.md", target)


def _best(found: Iterable[str], wanted: str) -> str | None:
    """The first file that is spelled as wanted, else the first."""
    candidates = list(found)
    spelled = (path for path in candidates if paths.nfc(path).endswith(paths.nfc(wanted)))
    return next(spelled, candidates[0]) if candidates else None


def _name(path: str) -> str:
    return path[path.rfind("/") + 1 :]


def _length(path: str) -> int:
    return len(paths.nfc(path))


def _rank(path: str) -> tuple[int, bytes]:
    return _length(path), paths.order(path)


def _folded(path: str) -> str:
    """The form in which names are compared: lower case as JavaScript has it, and the final sigma as any other."""
    return path.lower() if path.isascii() else paths.nfc(paths.nfc(path).lower()).replace("ς", "σ")


def _walked(steps: Iterable[str]) -> str | None:
    """The path of the steps from the root, or None when they lead out of the vault."""
    walked: list[str] = []
    for step in steps:
        if step == "..":
            if not walked:
                return None
            walked.pop()
        elif step not in ("", "."):
            walked.append(step)
    return "/".join(walked)

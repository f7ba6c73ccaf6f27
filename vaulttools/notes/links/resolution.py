"""Reads a link's text, and finds the file of the vault that it names.

A target resolves as in Obsidian; case and Unicode form never matter. The first reading that finds a file wins:

1. an empty target, as in `[[#Heading]]`: the source itself (rule-L16);
2. a target with `./` or `../` in it, or a leading `/`: exactly that path, from the source's folder or from the root
   (rule-L17);
3. the name as written, then with `.md`; a name without any extension first with `.md`. Only notes can be named without
   their extension (rule-L01, rule-L03). Aliases are no names (rule-L15).

If several files have the name, or paths that end in a target with folders (`[[b/Note]]` for `a/b/Note.md`):

1. the exact path from the root;
2. the path from the source's own folder; folders above it do not count;
3. the shortest path, in characters; then the one spelled like the target; then path order.

Reports about rule-L14 differ. This order was measured in Obsidian 1.13.7, by `getFirstLinkpathDest` on files that
distinguish the readings (pvliesdonk/markdown-vault-mcp 1350, 1380). The report that the source's folder comes first
(luke321/vault-graph 141) had no file of that name at the root, so both orders explain it. That folders need not begin
at the root is documented nowhere; Obsidian was seen to resolve such links (mlorentedev/hive 349).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from vaulttools.core import paths
from vaulttools.core.cached import cached_property
from vaulttools.core.folding.identity import composed, identities, identity
from vaulttools.notes.links.brackets import link_end
from vaulttools.notes.logseq import page_path

_BLOCK_ID = re.compile(r"\^[A-Za-z0-9-]+")
"""The id of a block (rule-L06)."""


class Link(NamedTuple):
    """The parts of a link's text."""

    target: str
    """A note or file as written; `""` for the note that holds the link."""
    headings: tuple[str, ...] = ()
    """The chain of headings to the section, outermost first (rule-L05)."""
    block: str | None = None
    """The id of the block, without `^` (rule-L06)."""
    display: str | None = None
    """The text shown instead of the target."""


def parse_link(text: str) -> Link:
    r"""Read a wikilink or an embed, with its brackets or only the text between them.

    >>> parse_link("[[Note#H1#H2|shown]]")
    Link(target='Note', headings=('H1', 'H2'), block=None, display='shown')

    The innermost pair of nested brackets is the link (rule-L16); `\|`, as tables need it, means `|` (rule-L09).
    """
    inner, start = text, text.rfind("[[")
    if start >= 0:
        end = link_end(text, start)
        inner = text[start + 2 :].partition("]]")[0] if end is None else text[start + 2 : end - 2]
    named, bar, display = inner.partition("|")
    link = parse_linktext(named.removesuffix("\\") if bar else named)
    return Link(*link[:3], display.strip()) if bar else link


def target_of(inner: str) -> str:
    """Returns the target of `parse_link` for the text between the brackets of one link."""
    named, bar, _ = inner.partition("|")
    return (named.removesuffix("\\") if bar else named).partition("#")[0].strip()


def parse_linktext(text: str) -> Link:
    """Read a target with its headings or block, `Note#H1#H2` or `Note#^id`; nothing else in it has a meaning.

    The first `#` ends the target, so a link cannot name a file with `#` in its name (rule-L04).
    """
    if "#" not in text:
        return Link(text.strip())
    target, *parts = map(str.strip, text.split("#"))
    block = None
    if _BLOCK_ID.fullmatch(parts[-1]):
        block = parts.pop()[1:]
    return Link(target, tuple(filter(None, parts)), block)


def name_key(path: str) -> str | None:
    """Returns the key that a target shares with every file that it can lead to: the last name, folded, without `.md`.
    None for a target that ends in `.` or `..`, which holds no name."""
    name = _name(identity(path).rstrip("/"))
    while name.endswith(".md"):
        name = name[:-3]
    return None if name in (".", "..") else name


class Having(NamedTuple):
    """The files that a target may lead to."""

    wanted: str
    """The reading of the target that finds them."""
    files: Sequence[str]
    """The file with this path from the root, else those whose path ends in it, the shortest first."""


class _Named(NamedTuple):
    """A file as links may name it."""

    spelled: str
    """A folded path."""
    least: int
    """Characters of the shortest target that names it: a page in a namespace is named by its whole name alone."""
    path: str


class LinkIndex:
    """The names that links can use in one vault. It never changes once made, so any number of threads may use it."""

    def __init__(self, files: Iterable[str], *, is_logseq: bool = False) -> None:
        """Take the vault-relative paths of all files that links may lead to: the visible ones. `is_logseq`: links name
        notes by their namespaces, too (`logseq.page_path`)."""
        self.files = frozenset(files)
        """These paths."""
        self.is_logseq = is_logseq
        self._pages = {path: page for path in self.files if (page := page_path(path)) != path} if is_logseq else {}
        """The files with a namespace, each with the path that links name."""
        self._ordered: dict[str, Sequence[_Named]] = {}
        """Cached results of `_named`: links lead to few of all names, so only these are sorted."""

    @cached_property
    def _grouped(self) -> tuple[_Grouped, _Grouped]:
        """The files by folded path and by folded name; made when a link is first resolved."""
        files, spelled = [*self.files, *self._pages], [*self.files, *self._pages.values()]
        folded = identities(spelled)
        return _Grouped(folded, files), _Grouped([path[path.rfind("/") + 1 :] for path in folded], files)

    def _named(self, name: str) -> Sequence[_Named]:
        """Returns the files with a folded name, the shortest first."""
        if name not in self._ordered:
            found = [_Named(identity(path), 0, path) for path in sorted(set(self._grouped[1].of(name)), key=_rank)]
            for *_, path in found.copy() if self._pages else ():
                if (page := self._pages.get(path)) is not None:
                    folder = path.rfind("/") + 1
                    found.append(_Named(identity(page), len(identity(page[folder:])), path))
            self._ordered[name] = found
        return self._ordered[name]

    def resolve(self, target: str, source: str | None = None) -> str | None:
        """Returns the path of the file that a target leads to, as given to the index, or None.

        `target` is percent-decoded, without headings and display text; `source` is the path of the note that holds the
        link. Without a `source` the folder is the root.
        """
        target = target.strip()
        folder = "" if source is None else source.rpartition("/")[0]
        if not target:
            return None if source is None else self._at(source)
        if (having := self.having(target)) is not None:
            return self.nearest(having, folder)
        steps = target.split("/")
        exact = _walked([*folder.split("/"), *steps] if steps[0] else steps)
        return next(filter(None, map(self._at, _readings(exact))), None) if exact else None

    def having(self, target: str) -> Having | None:
        """Returns the files that a target may lead to from any folder; None for one that is empty or begins at a
        folder, as with `./` or `/`: these are no names."""
        steps = target.strip().split("/")
        if not steps[0] or not {".", ".."}.isdisjoint(steps):
            return None
        for reading in _readings("/".join(filter(None, steps))):
            folded = identity(reading)
            if named := self._named(_name(folded)):
                if (at := self._at(reading)) is not None:
                    return Having(reading, (at,))
                if below := tuple(path for other, least, path in named if _ends_in(other, folded, least)):
                    return Having(reading, below)
        return Having(target, ())

    def nearest(self, having: Having, folder: str) -> str | None:
        """Returns the file that the target of `having` leads to from a folder."""
        wanted, files = having
        if len(files) < 2:
            return files[0] if files else None
        near = self._at(paths.join(folder, wanted))
        return _best(next(groupby(files, _length))[1], wanted) if near is None else near

    def names_apart(self, other: LinkIndex) -> set[str | None]:
        """Returns `name_key` of the files that only one of the two indexes has: only targets with such a name can lead
        to different files."""
        return {key for path in self.files ^ other.files for key in self.name_keys(path)}

    def name_keys(self, path: str) -> set[str | None]:
        """Returns the values of `name_key` for the names of a file."""
        return {name_key(path), name_key(page_path(path))} if self.is_logseq else {name_key(path)}

    def candidates(self, target: str) -> list[str]:
        """Returns every file that a target may lead to from any folder; the one that `resolve` returns comes first.

        There is only one if the target is the file's path from the root, or has `./` or `../` in it.
        """
        having = self.having(target)
        found = self.resolve(target) if having is None else self.nearest(having, "")
        if found is None:
            return []
        return [found, *(path for path in (having.files if having else ()) if path != found)]

    def _at(self, wanted: str) -> str | None:
        """Returns the file at exactly this path, case and Unicode form ignored."""
        found = self._grouped[0].of(identity(wanted))
        return _best(sorted(found, key=_rank), wanted) if len(found) > 1 else next(iter(found), None)


class _Grouped:
    """Files by a key that few of them share. It takes a quarter of the time to make of a list for each key."""

    def __init__(self, keys: Sequence[str], files: Sequence[str]) -> None:
        self._one = dict(zip(keys, files, strict=True))
        self._others: dict[str, list[str]] = {}
        if len(self._one) < len(files):
            for key, path in zip(keys, files, strict=True):
                if self._one[key] != path:
                    self._others.setdefault(key, []).append(path)

    def of(self, key: str) -> list[str]:
        """Returns the files with a key, in no order."""
        one = self._one.get(key)
        return [] if one is None else [one, *self._others.get(key, ())]


def _ends_in(path: str, target: str, least: int) -> bool:
    return path.endswith(f"/{target}") and len(target) >= least


def _readings(target: str) -> tuple[str, str]:
    """Returns the possible names of a target, the likelier first."""
    return (target, f"{target}.md") if "." in _name(target) else (f"{target}.md", target)


def _best(found: Iterable[str], wanted: str) -> str | None:
    """Returns the first file that is spelled like `wanted`, else the first; None if there is none."""
    candidates = list(found)
    spelled = (path for path in candidates if composed(path).endswith(composed(wanted)))
    return next(spelled, candidates[0]) if candidates else None


def _name(path: str) -> str:
    return path[path.rfind("/") + 1 :]


def _length(path: str) -> int:
    return len(composed(path))


def _rank(path: str) -> tuple[int, bytes]:
    return _length(path), paths.order(path)


def _walked(steps: Iterable[str]) -> str | None:
    """Returns the path of the steps from the root; None if they lead out of the vault."""
    walked: list[str] = []
    for step in steps:
        if step == "..":
            if not walked:
                return None
            walked.pop()
        elif step not in ("", "."):
            walked.append(step)
    return "/".join(walked)

"""Reads each entry of `paths` as one target, in the same way for every tool.

An entry has these readings; the first that applies wins:

1. an internal URL;
2. an existing literal path, whatever its characters;
3. `[[Note]]`, as a link;
4. an archive and its member, `notes.zip:2024/a.md`;
5. a path and a line-range selector, `note.md:50-100`;
6. a glob.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from vaulttools.core import limits, paths
from vaulttools.errors import AccessDenied, BadArgument, PathNotFound, PathTooLong
from vaulttools.files import globs, selectors
from vaulttools.files.globs import Glob
from vaulttools.files.root import Place, Root
from vaulttools.files.scope import Walk
from vaulttools.files.selectors import Ranges
from vaulttools.notes.links.resolution import Link, parse_link
from vaulttools.resources import archives
from vaulttools.resources.urls import Backed, Resolvers, Virtual, is_url

_PRUNED: Final = "node_modules"
_QUOTES: Final = ("'", '"', "`")
_LIKE_A_FILE: Final = re.compile(r"[*?]|\.[a-z0-9]{1,5}(?::[0-9L]|$)", re.IGNORECASE)
"""A wildcard, or a file extension at the end or before a line range."""


@dataclass(frozen=True, slots=True)
class Target:
    """The meaning of one entry; exactly one of `place`, `glob`, `member` and `virtual` is set."""

    given: str
    place: Place | None = None
    """An existing file, folder or other thing."""
    glob: Glob | None = None
    base: str = ""
    """With `glob`: the vault-relative folder before the first wildcard, where the walk begins."""
    member: tuple[str, str] | None = None
    """The vault-relative path of an archive, and the name of a member."""
    virtual: Virtual | None = None
    ranges: Ranges | None = None
    """The requested lines; None: all."""
    headings: tuple[str, ...] = ()
    """With `place`: the requested section of the file, `[[Note#Heading]]`."""
    block: str | None = None
    """With `place`: the id of the requested block, `[[Note#^id]]`; overrides `headings`."""

    @property
    def is_part(self) -> bool:
        """Whether it names only a part of the lines."""
        return self.ranges is not None or bool(self.headings) or self.block is not None

    @property
    def is_single(self) -> bool:
        """Whether it names one thing, not the content of a folder or the matches of a glob."""
        return self.glob is None and (self.place is None or self.place.kind != "folder")

    @property
    def label(self) -> str:
        """Its name in `scope_path`: the vault-relative path, `.` for the root, else the text as given."""
        return paths.portable((self.place.path or ".") if self.place is not None else self.given)


@dataclass(frozen=True, slots=True)
class Targets:
    """All entries of a call."""

    found: list[Target] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Entries without a target, as given."""

    @property
    def walks(self) -> tuple[Walk, ...]:
        """The walks of folders and globs; each entry has its own walk, never one from a common ancestor."""
        folders = [
            Walk(target.place.path)
            for target in self.found
            if target.place is not None and target.place.kind == "folder"
        ]
        globbed = [Walk(target.base, target.glob) for target in self.found if target.glob is not None]
        return tuple(dict.fromkeys([*folders, *globbed]))

    @property
    def scope_path(self) -> str:
        """The names of all targets."""
        return ", ".join(dict.fromkeys(target.label for target in self.found))

    @property
    def pruned(self) -> frozenset[str]:
        """Folders that the walks do not enter: `node_modules`, unless an entry names it."""
        return frozenset() if any(_PRUNED in target.given for target in self.found) else frozenset({_PRUNED})


@dataclass(frozen=True, slots=True)
class EntryReader:
    """Reads entries for one vault."""

    root: Root
    resolvers: Resolvers
    resolve_link: Callable[[str], str | None]
    """Returns the vault-relative path of the file that a link's target leads to, or None."""

    def read(self, entries: Sequence[str]) -> Targets:
        """Returns the targets of the entries; entries without a target are `missing`.

        Raises:
            PathNotFound: no entry has a target.
            BadArgument: an entry is empty, malformed, not allowed, not downloaded, or contains several; or there are
            too many.
        """
        if len(entries) > limits.PATHS:
            raise BadArgument(f"`paths` may hold at most {limits.PATHS} entries, got {len(entries):,}")
        targets = Targets()
        for entry in entries:
            text = self.stripped(entry)
            if not text:
                raise BadArgument("`paths` must contain non-empty paths or globs")
            found = self._targets(text)
            targets.found.extend(found)
            if not found:
                self.root.ensure_here(text)
                targets.missing.append(text)
        if not targets.found:
            raise PathNotFound(*targets.missing)
        return targets

    def stripped(self, entry: str) -> str:
        """Returns the entry without outer blanks and quotes, which models add; keeps them if a file has that name."""
        text = entry.strip()
        if text and text != entry and self._literal(entry) is not None:
            return entry
        while len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES and self._literal(text) is None:
            text = text[1:-1].strip()
        return text

    def _literal(self, entry: str) -> Place | None:
        """Returns the place on disk of an entry read as a path, or None.

        The wildcards of a glob may reach into a protected folder, and find nothing there; the folders before the first
        wildcard must not.
        """
        try:
            place = self.root.locate(entry)
        except AccessDenied:
            if not globs.has_magic(entry):
                raise
            self.root.relative(globs.before_magic(entry))
            return None
        except PathTooLong:
            if not globs.has_magic(entry):
                raise
            return None
        return place if place.kind is not None else None

    def direct(self, entry: str) -> list[Target]:
        """Returns the targets of an entry read as a URL, a path, an archive's member, or a file's line range.

        Empty if nothing is there; names are not looked for elsewhere.
        """
        if is_url(entry):
            url, selector = selectors.split(entry)
            try:
                return [
                    self._resource(entry, found, _parsed(selector))
                    for found in self.resolvers.resolve(url, self.resolve_link)
                ]
            except PathNotFound:
                return []
        place = Place("", "folder") if entry == "/" else self._literal(entry)
        if place is not None:
            return [Target(entry, place=place)]
        path, selector = selectors.split(entry)
        member = archives.split(path)
        if member is not None and (closed := self.root.protection.folder_of_member(member[1])) is not None:
            raise AccessDenied(closed)
        if member is not None and (archive := self._literal(member[0])) is not None and archive.kind == "file":
            return [Target(entry, member=(archive.path, member[1]), ranges=_parsed(selector))]
        place = self._literal(path) if selector is not None else None
        if place is None:
            return []
        if place.kind == "folder":
            raise BadArgument(f"Line-range selector requires a single file: {path} is a directory")
        return [Target(entry, place=place, ranges=_parsed(selector))]

    def _targets(self, entry: str) -> list[Target]:
        found = self.direct(entry)
        if found or is_url(entry):
            return found
        path, selector = selectors.split(entry)
        if path.startswith("[[") and path.endswith("]]"):
            return self._linked(entry, path, _parsed(selector))
        if selector is None:
            return self._globbed(entry)
        if globs.has_magic(path):
            raise BadArgument(f"Line-range selector requires a single file, not a glob: {entry}")
        raise BadArgument(f"Path not found for line-range selector: {entry}")

    def _resource(self, entry: str, resource: Backed | Virtual, ranges: Ranges | None) -> Target:
        if isinstance(resource, Virtual):
            return Target(entry, virtual=resource, ranges=ranges)
        place = self.root.locate(resource.path)
        if place.kind is None:
            raise PathNotFound(entry)
        return Target(entry, place=place, ranges=ranges, headings=resource.heading, block=resource.block)

    def _linked(self, entry: str, text: str, ranges: Ranges | None) -> list[Target]:
        link = parse_link(text)
        if (link.headings or link.block) and ranges is not None:
            raise BadArgument(
                f"A link to a part of a note names its lines already: {entry}; give that part or :N-M, not both"
            )
        path = self.resolve_link(link.target)
        found = None if path is None else self.linked(entry, path, link, ranges)
        return [] if found is None else [found]

    def linked(self, given: str, path: str, link: Link, ranges: Ranges | None) -> Target | None:
        """Returns the target of a link to a file; None if the file vanished after it was listed.

        Raises:
            BadArgument: the file is not downloaded.
        """
        place = self.root.locate(path)
        if place.kind is None:
            self.root.ensure_here(path)
            return None
        return Target(given, place=place, ranges=ranges, headings=link.headings, block=link.block)

    def _globbed(self, entry: str) -> list[Target]:
        if self._joins_several(entry):
            raise BadArgument(f'paths is an array — pass ["a", "b"] not ["a,b"]: {entry}')
        if not globs.has_magic(entry):
            return []
        text = self.root.anchored(entry)
        self.root.relative(globs.before_magic(text))
        glob = globs.parse(text, ignore_case=False)
        base = self.root.locate(glob.literal_folders) if glob.literal_folders else Place("", "folder")
        if base.kind is None:
            return []
        if base.kind != "folder":
            raise BadArgument(f"Path is not a directory: {glob.literal_folders}")
        return [Target(entry, glob=glob, base=base.path)]

    def _joins_several(self, entry: str) -> bool:
        """Whether commas join several entries: at least two parts exist, or each part exists or looks like a file or
        glob. The folders before a wildcard may have commas in their names."""
        folders = globs.before_magic(entry) if globs.has_magic(entry) else ""
        kept = len(folders) if "," in folders and self._literal(folders) is not None else 0
        parts = _entries(entry[kept:])
        if len(parts) < 2:
            return False
        existing = [self._exists(part) for part in parts]
        return sum(existing) > 1 or all(
            exists or _LIKE_A_FILE.search(part) for exists, part in zip(existing, parts, strict=True)
        )

    def _exists(self, part: str) -> bool:
        """Whether one of several entries exists; for a glob, the folders before its first wildcard."""
        path, _ = selectors.split(part)
        place = self._literal(globs.before_magic(path) or "." if globs.has_magic(path) else path)
        return place is not None


def _parsed(selector: str | None) -> Ranges | None:
    return None if selector is None else selectors.parse(selector)


def _entries(text: str) -> list[str]:
    """Splits a text at commas outside braces and classes, which belong to a glob."""
    parts = [""]
    depth = 0
    for character in text:
        if character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]

"""Finds the one note or text that a name means, or suggests several."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import unquote

from vaulttools.core import limits, paths, spelling
from vaulttools.errors import AmbiguousName, BadArgument, PathNotFound
from vaulttools.files import selectors
from vaulttools.files.root import Kind
from vaulttools.notes.links.targets import Link, LinkIndex, parse_link
from vaulttools.resources.periodic import PeriodicNote
from vaulttools.resources.targets import Reader, Target

_BLOCK = re.compile(r"(?P<target>[^^]+)\^(?P<id>[A-Za-z0-9-]+)")
"""`Note^id`: no link is written so, but models leave the `#` out, and `^` is in no name (rule-L04)."""


@dataclass(frozen=True, slots=True)
class Naming:
    """The names of one vault."""

    reader: Reader
    links: Callable[[], LinkIndex]
    """The names that links can use; asked for only when a name is no path."""
    visible: Callable[[], Iterable[str]]
    """The files that may be offered for a name that nothing has."""
    periodic: Callable[[str], PeriodicNote | None]
    """The note that a word such as `daily` means."""

    def target(self, given: str) -> Target:
        """What a name means, with the part of it that it names; never a folder.

        The readings of it, the first under which something is there wins:

        1. what stands there: a path, a URL, an archive's member, each of the files with lines behind it, `a.md:5-9`;
        2. a link, in brackets or without: `Note`, `folder/Note`, `[[Note#Heading]]`, `Note#^id`, `Note^id`;
        3. the same percent-decoded, as Markdown links write it (rule-L01);
        4. a periodic note, `daily`, `weekly -1`, `monthly 2026-11`, also where a folder has that name.

        A name that several files have is refused, also where Obsidian would take one of them: which one depends on the
        note that the link stands in (rule-L14), and that is not known here.

        Raises:
            PathNotFound: nothing is there; it carries up to five paths whose names are spelled nearly so.
            AmbiguousName: several files have the name.
            BadArgument: it names no text; or as `Reader.direct`.
        """
        text = self.reader.stripped(given)
        if not text:
            raise BadArgument("note is empty: give a path or a name, as in Projects/plan.md or [[plan]]")
        found = self.reader.direct(text)
        if len(found) > 1:
            raise AmbiguousName(text, [each.virtual.name if each.virtual else each.label for each in found])
        target = found[0] if found else None
        if target is None or _is(target, "folder"):
            target = self._linked(text) or self._periodic(text) or target
        if target is None:
            self.reader.root.ensure_here(text)
            raise PathNotFound(text, close=close_to(text, self.visible()))
        if target.place is not None and target.place.kind != "file":
            what = "a folder; find lists what it holds" if _is(target, "folder") else "not a regular file"
            raise BadArgument(f"note must name one note or text file; {target.label} is {what}")
        return target

    def _linked(self, text: str) -> Target | None:
        """What the text means as a link, with or without its brackets."""
        links = self.links()
        for link, selector in _readings(text):
            if not link.target and (link.headings or link.block):
                raise BadArgument(f"{text} names a part of its own note; name the note too: [[Note#…]]")
            found = links.candidates(link.target)
            if not found:
                continue
            if len(found) > 1:
                raise AmbiguousName(text, [paths.shown(path) for path in found])
            if selector is not None and (link.headings or link.block):
                raise BadArgument(f"{text} names its lines twice; give the part of the note or :N-M, not both")
            ranges = None if selector is None else selectors.parse(selector)
            return self.reader.linked(text, found[0], link, ranges)
        return None

    def _periodic(self, text: str) -> Target | None:
        """What the text means as the note of a period, when it means one.

        Raises:
            BadArgument: the settings lead elsewhere, where nothing may be read. The path is not told.
            PathNotFound: the note is not there; it carries the notes of the same name elsewhere.
        """
        try:
            note = self.periodic(text)
        except OSError as error:
            raise BadArgument(f"The vault's settings cannot be read ({error.strerror}): {text} is not known") from error
        if note is None:
            return None
        try:
            place = self.reader.root.locate(note.path)
        except BadArgument:
            raise BadArgument(
                f"The vault's settings put {note.period} notes where nothing is read: "
                "outside the vault, or in a protected folder"
            ) from None
        if place.kind == "file":
            return Target(text, place=place)
        self.reader.root.ensure_here(note.path)
        name = note.path.rpartition("/")[2].removesuffix(".md")
        elsewhere = self.links().candidates(name)
        raise PathNotFound(
            f"{paths.shown(place.path)} ({note.period} note of {note.day.isoformat()})",
            close=[paths.shown(path) for path in elsewhere],
        )


def close_to(text: str, visible: Iterable[str]) -> list[str]:
    """The files, of those that may be offered, whose path or name is spelled nearly as what was given."""
    *_, link = (Link(text), *(link for link, _ in _readings(text)))
    files = list(visible)
    by_path = spelling.closest(link.target, files) if "/" in link.target else []
    by_name = spelling.closest(_title(link.target), files, _title)
    return [paths.shown(path) for path in dict.fromkeys([*by_path, *by_name])][: limits.NAMED_PATHS]


def folders_close_to(text: str, visible: Iterable[str]) -> list[str]:
    """The folders, of those that hold files that may be offered, that are spelled nearly as what was given."""
    folders: dict[str, None] = {}
    for path in visible:
        while (path := path.rpartition("/")[0]) and path not in folders:
            folders[path] = None
    return [*map(paths.shown, spelling.closest(text.strip("/"), folders))] if text.strip("/") else []


def _readings(text: str) -> Iterator[tuple[Link, str | None]]:
    """The links that a text may be, each with the selector of lines behind it; the plainest is the last."""
    for written in dict.fromkeys((text, unquote(text))):
        path, selector = selectors.split(written)
        for name, lines in ((written, None), (path, selector)) if selector else ((written, None),):
            if "[[" not in name:
                # The whole of it may be the name of a file, which no link could mean (rule-L04).
                yield Link(name), lines
            elif not name.endswith("]]"):
                continue
            link = parse_link(name)
            yield link, lines
            if match := _BLOCK.fullmatch(link.target):
                yield replace(link, target=match["target"], block=match["id"]), lines


def _is(target: Target, kind: Kind) -> bool:
    return target.place is not None and target.place.kind == kind


def _title(path: str) -> str:
    """The name of a file without its folders, and of a note without its extension."""
    name = path.rpartition("/")[2]
    return name[:-3] if paths.is_note(name) else name

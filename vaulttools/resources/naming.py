"""Finds the note or text that a name means, or suggests similar ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from vaulttools.core import limits, paths, spelling
from vaulttools.errors import AmbiguousName, BadArgument, PathNotFound
from vaulttools.files import selectors
from vaulttools.files.root import Kind
from vaulttools.notes.links.resolution import Link, LinkIndex, parse_link
from vaulttools.resources.path_entries import EntryReader, Target
from vaulttools.resources.periodic import PeriodicNote

_BLOCK = re.compile(r"(?P<target>[^^]+)\^(?P<id>[A-Za-z0-9-]+)")
"""`Note^id` is not a valid link, but models leave out the `#`, and no name contains `^` (rule-L04)."""


_TEMPLATES = re.compile(r"(?i)template[^/]*/")
"""A folder of templates: one called `Daily` is not what was written on a day without a daily note."""


@dataclass(frozen=True, slots=True)
class Naming:
    """Resolves the names of one vault."""

    reader: EntryReader
    links: Callable[[], LinkIndex]
    """Returns the names that links can use; called only if a name is not a path."""
    visible: Callable[[], Iterable[str]]
    """Returns the files that may be suggested for a missing name."""
    periodic: Callable[[str], PeriodicNote | None]
    """Returns the note that a word such as `daily` means, or None."""

    def target(self, given: str) -> Target:
        """Returns the target of a name, with the named part of it; never a folder.

        A name has these readings; the first one with an existing target wins:

        1. a path, a URL or an archive's member, also with a line range, `a.md:5-9`;
        2. a periodic note, `daily`, `weekly -1`, `monthly 2026-11`, even if a folder has that name, or a note in
           another case: templates are often called `Daily`, and are not read in the place of a missing note;
        3. a link, in brackets or without: `Note`, `folder/Note`, `[[Note#Heading]]`, `Note#^id`, `Note^id`;
        4. the same percent-decoded, as in Markdown links (rule-L01).

        A name of several files is refused, even if Obsidian would choose one of them: its choice depends on the note
        that contains the link (rule-L14), which is not known here.

        Raises:
            PathNotFound: nothing is there; the error has up to five paths with similar names.
            AmbiguousName: several files have the name.
            BadArgument: the name means no text; or as for `Reader.direct`.
        """
        text = self.reader.stripped(given)
        if not text:
            raise BadArgument("note is empty: give a path or a name, as in Projects/plan.md or [[plan]]")
        found = self.reader.direct(text)
        if len(found) > 1:
            raise AmbiguousName(text, [each.virtual.name if each.virtual else each.label for each in found])
        target = found[0] if found else None
        if target is None or _is(target, "folder"):
            target = self._periodic(text) or self._linked(text) or target
        if target is None:
            self.reader.root.ensure_here(text)
            raise PathNotFound(text, close=close_to(text, self.visible()))
        if target.place is not None and target.place.kind != "file":
            what = "a folder; find lists what it holds" if _is(target, "folder") else "not a regular file"
            raise BadArgument(f"note must name one note or text file; {target.label} is {what}")
        return target

    def _linked(self, text: str) -> Target | None:
        """Returns the target of a text read as a link, with or without brackets."""
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
        """Returns the periodic note that a text means; None for other texts, and for the very name of a note, and if
        there is no such periodic note, for the only note of that name in another case, unless it is a template.

        Raises:
            BadArgument: the settings lead to a place that must not be read. The error does not name the path.
            PathNotFound: the note does not exist; the error has the notes of the same name elsewhere.
        """
        try:
            note = self.periodic(text)
        except OSError as error:
            raise BadArgument(f"The vault's settings cannot be read ({error.strerror}): {text} is not known") from error
        called = [] if note is None else self.links().candidates(text)
        if note is None or any(paths.stem(path) == text for path in called):
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
        if len(called) == 1 and not _TEMPLATES.search(called[0]):
            return None
        name = note.path.rpartition("/")[2].removesuffix(".md")
        elsewhere = self.links().candidates(name)
        raise PathNotFound(
            f"{paths.shown(place.path)} ({note.period} note of {note.day.isoformat()})",
            close=[paths.shown(path) for path in dict.fromkeys([*elsewhere, *called])],
        )


def close_to(text: str, visible: Iterable[str]) -> list[str]:
    """Returns the visible files whose path or name is similar to a text."""
    *_, link = (Link(text), *(link for link, _ in _readings(text)))
    files = list(visible)
    by_path = spelling.closest(link.target, files) if "/" in link.target else []
    by_name = spelling.closest(paths.title(link.target), files, paths.title)
    return [paths.shown(path) for path in dict.fromkeys([*by_path, *by_name])][: limits.NAMED_PATHS]


def folders_close_to(text: str, visible: Iterable[str]) -> list[str]:
    """Returns the folders of visible files that are spelled like a text."""
    return [*map(paths.shown, spelling.closest(text.strip("/"), _folders(visible)))] if text.strip("/") else []


def folders_called(text: str, visible: Iterable[str]) -> list[str]:
    """Returns all folders of visible files with one name, in any case: that of the folder that is spelled most like a
    text, which comes first; the others by depth."""
    folders = _folders(visible)
    close = spelling.closest(text.strip("/"), folders)[:1] if text.strip("/") else []
    same = [path for path in folders if path not in close and _last(path) in map(_last, close)]
    return [*map(paths.shown, [*close, *sorted(same, key=lambda path: (path.count("/"), path))])]


def _folders(visible: Iterable[str]) -> Collection[str]:
    """Returns the folders of files, at all levels."""
    folders: dict[str, None] = {}
    for path in visible:
        while (path := path.rpartition("/")[0]) and path not in folders:
            folders[path] = None
    return folders


def _last(path: str) -> str:
    return path.rpartition("/")[2].casefold()


def _readings(text: str) -> Iterator[tuple[Link, str | None]]:
    """Yields the links that a text may mean, each with its line selector; the simplest comes last."""
    for written in dict.fromkeys((text, unquote(text))):
        path, selector = selectors.split(written)
        for name, lines in ((written, None), (path, selector)) if selector else ((written, None),):
            if "[[" not in name:
                # The whole text may be the name of a file that no link can express (rule-L04).
                yield Link(name), lines
            elif not name.endswith("]]"):
                continue
            link = parse_link(name)
            yield link, lines
            if match := _BLOCK.fullmatch(link.target):
                yield link._replace(target=match["target"], block=match["id"]), lines


def _is(target: Target, kind: Kind) -> bool:
    return target.place is not None and target.place.kind == kind

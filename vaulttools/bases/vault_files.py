"""Lists a vault's files for expressions, and finds some without looking at each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from vaulttools.bases.context import FileFacts, FileLinks, Times, found_in
from vaulttools.bases.values import tag_of
from vaulttools.core.cached import cached_property
from vaulttools.core.folding.identity import identity
from vaulttools.files import disk
from vaulttools.files.file_times import created
from vaulttools.files.root import Root
from vaulttools.notes.contents import Contents
from vaulttools.notes.difference import Change, Draft, is_same
from vaulttools.notes.links.graph import Graph
from vaulttools.notes.links.references import Reference
from vaulttools.notes.links.resolution import LinkIndex
from vaulttools.notes.note_date import NoteDate
from vaulttools.notes.tags import Tagged, levels

NOTHING: Final = FileFacts()
NO_LINKS: Final = FileLinks()
_KEPT_TARGET: Final = 1_000
"""Characters of a link's target whose file is remembered: an expression can make any number of long ones."""


def facts_of(note: Contents) -> FileFacts:
    """Returns the facts of one note."""
    tags = tuple(dict.fromkeys(map(tag_of, (*note.body_tags, *note.property_tags))))
    return FileFacts(note.properties, tags, note.is_misread)


def links_of(note: Contents) -> FileLinks:
    """Returns the links of one note."""
    in_vault = [each for each in note.references if each.kind != "external"]
    embeds = [each for each in in_vault if each.embed and each.in_property is None]
    others = [each for each in in_vault if not (each.embed and each.in_property is None)]
    return FileLinks(tuple(map(_link, (*others, *embeds))), len(embeds))


def _link(reference: Reference) -> tuple[str, str | None]:
    """Returns the target with its heading or block, and the display text."""
    if reference.kind == "wikilink":
        named, bar, display = reference.written[2 + reference.embed : -2].partition("|")
        target = (named.removesuffix("\\") if bar else named).strip()
        shown = display.strip() if bar else ""
    else:
        target = "#".join(_steps(reference))
        shown = reference.display or ""
    return target, shown or displayed(target) or None


def _steps(reference: Reference) -> Iterator[str]:
    yield reference.target
    yield from reference.headings
    if reference.block is not None:
        yield f"^{reference.block}"


def displayed(target: str) -> str:
    """Returns what the app shows for a link without a display text: `Note > Heading`."""
    return " > ".join(filter(None, target.split("#"))).strip()


class NoteTable:
    """The facts of notes, and which notes have a tag or a value; the same notes always make the same table."""

    def __init__(
        self,
        facts: Mapping[str, FileFacts] | None = None,
        tagged: Mapping[str, AbstractSet[str]] | None = None,
        values: Mapping[str, ByValue] | None = None,
        misread: frozenset[str] = frozenset(),
    ) -> None:
        self.facts = facts or {}
        self.misread = misread
        """Paths of notes whose properties could not be read."""
        self._tagged = None if tagged is None else Tagged(tagged)
        self._values = dict(values or {})
        """By property name, for names that somebody asked for."""

    def changed(self, changes: Sequence[Change[FileFacts]]) -> NoteTable:
        """Returns the table after some notes changed; parts that nobody asked for yet are made on demand."""
        facts = dict(self.facts)
        touched: set[str] = set()
        for path, before, after in changes:
            if after is None:
                del facts[path]
            else:
                facts[path] = after
            held = [{} if each is None else each.properties for each in (before, after)]
            if not is_same(*held):
                touched.update(identity(name) for each in held for name in each)
        tagged = None if self._tagged is None else self._tagged.notes
        if tagged is not None:
            draft: Draft[str, AbstractSet[str], set[str]] = Draft(tagged, set, set)
            for path, before, after in changes:
                for tag in _levels(before):
                    draft[tag].discard(path)
                for tag in _levels(after):
                    draft[tag].add(path)
            tagged = draft.merged(lambda notes: notes)
        values = {name: held for name, held in self._values.items() if identity(name) not in touched}
        misread = self.misread.difference(path for path, _, _ in changes)
        misread |= {path for path, _, after in changes if after is not None and after.is_misread}
        return NoteTable(facts, tagged, values, misread)

    def tagged(self, tag: str) -> AbstractSet[str]:
        """Returns the notes with a tag (given with `#`) or a tag nested in it."""
        if self._tagged is None:
            tagged: dict[str, set[str]] = defaultdict(set)
            for path, facts in self.facts.items():
                for level in _levels(facts):
                    tagged[level].add(path)
            self._tagged = Tagged(tagged)
        return self._tagged.under(identity(tag))

    def by_value(self, name: str) -> ByValue:
        """Returns the notes that have a property, grouped by its value."""
        known = self._values.get(name)
        if known is None:
            known = self._values[name] = ByValue(self.facts, name)
        return known

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all properties, by their identity."""
        return frozenset(identity(name) for facts in self.facts.values() for name in facts.properties)


def _levels(facts: FileFacts | None) -> set[str]:
    """Returns the tags of a note and those that they are nested in (`tags.levels`), by their identity, with `#`."""
    return {level for tag in (() if facts is None else facts.tags) for level in levels(identity(tag))}


class ByValue:
    """The notes that have a property, grouped by its value."""

    def __init__(self, facts: Mapping[str, FileFacts], name: str) -> None:
        self.groups: list[tuple[Any, set[str]]] = []
        """Each value as written, with its notes; only values that mean the same in every note."""
        self.others: set[str] = set()
        """The notes whose value depends on the note that contains it, as a link does."""
        self.having: set[str] = set()
        """All notes with the property."""
        groups: dict[tuple[type, str], tuple[Any, set[str]]] = {}
        wanted = identity(name)
        for path, each in facts.items():
            held = each.properties
            if name not in held and not any(identity(key) == wanted for key in held):
                continue
            value = found_in(held, name)[1]
            self.having.add(path)
            if isinstance(value, str):
                shown = value
            elif isinstance(value, list | dict):
                shown = repr(value)
            else:
                shown = str(value)
            if "[[" in shown:
                self.others.add(path)
            else:
                groups.setdefault((type(value), shown), (value, set()))[1].add(path)
        self.groups = list(groups.values())


@dataclass(slots=True)
class VaultFiles:
    """The files of one call."""

    root: Root
    table: NoteTable
    links: LinkIndex
    written: Callable[[], Mapping[str, FileLinks]]
    """Reads the links of all notes; few bases need them, and they take longer to read than all other facts."""
    graph: Callable[[], Graph]
    """Makes the graph of these links."""
    dating: Callable[[], Callable[[str], NoteDate | None]]
    """Makes the function that finds the date of a note; few bases need it."""
    _links: Mapping[str, FileLinks] | None = field(default=None, init=False)
    _resolved: dict[tuple[str, str], str | None] = field(default_factory=dict, init=False)
    _times: dict[str, Times] = field(default_factory=dict, init=False)
    _date_of: Callable[[str], NoteDate | None] | None = field(default=None, init=False)

    def facts(self, path: str) -> FileFacts:
        """Returns the facts of a file; empty facts if it is not a note."""
        return self.table.facts.get(path, NOTHING)

    def links_of(self, path: str) -> FileLinks:
        """Returns the links of a file; none if it is not a note."""
        if self._links is None:
            self._links = self.written()
        return self._links.get(path, NO_LINKS)

    def resolve(self, target: str, source: str) -> str | None:
        """Returns the path of the file that a target leads to from a note; None if there is none."""
        # Only an empty target means the source itself; for all others only the source's folder matters.
        key = (target, source.rpartition("/")[0] if target else source)
        try:
            return self._resolved[key]
        except KeyError:
            found = self.links.resolve(target, source or None)
            if len(target) <= _KEPT_TARGET:
                self._resolved[key] = found
            return found

    def times(self, path: str) -> Times:
        """Returns the size and the times of a file; zeros if it is gone by now."""
        if path not in self._times:
            status = None
            with suppress(OSError):
                status = disk.status(self.root.absolute(path))
            self._times[path] = Times(0, 0, 0)
            if status is not None:
                modified = status.st_mtime_ns // 1_000_000
                self._times[path] = Times(status.st_size, modified, created(status) // 1_000_000)
        return self._times[path]

    def note_date(self, path: str) -> date | None:
        """Returns the day of a note (the first day of a month or a year); None if the note is gone."""
        if self._date_of is None:
            self._date_of = self.dating()
        found = self._date_of(path)
        return None if found is None else found.span[0]

    def linking_to(self, path: str) -> Sequence[str]:
        """The notes that link to a file, each once, in path order."""
        return list(dict.fromkeys(edge.source for edge in self.graph().to(path, self.links)))

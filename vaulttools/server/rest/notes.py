"""Tells of notes what the Local REST API tells: tags, properties, links, times."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from vaulttools.answers import corpus, linked
from vaulttools.answers.incremental import NoteProjection
from vaulttools.core import paths
from vaulttools.core.work import Work
from vaulttools.errors import BadArgument
from vaulttools.files import disk
from vaulttools.files.document import NotRead
from vaulttools.files.file_times import created
from vaulttools.files.providers import Candidates
from vaulttools.notes.contents import Contents
from vaulttools.notes.difference import Change
from vaulttools.notes.links import graph
from vaulttools.notes.links.graph import Written
from vaulttools.notes.links.targets import LinkIndex
from vaulttools.notes.note import Note
from vaulttools.patterns.literals import Requirement
from vaulttools.patterns.literals import required as literals_of
from vaulttools.server.rest.jsonlogic import Demand
from vaulttools.session import Session

FIELDS: Final = ("tags", "frontmatter", "stat", "path", "content", "links", "backlinks", "unresolvedLinks")
"""Of a note as JSON."""


class NoteMetadata(NamedTuple):
    """What is kept of each note."""

    tags: tuple[str, ...]
    properties: Mapping[str, Any]
    written: Written


@dataclass(frozen=True, slots=True)
class ResolvedLinks:
    """Where the links of all notes lead."""

    to: Mapping[str, Sequence[str]]
    """By note the files that it links to, in the order of its text."""
    unresolved: Mapping[str, Sequence[str]]
    """By note the links that lead to no file, as written."""
    back: Mapping[str, Sequence[str]]
    """By file the notes that link to it, in path order."""


class Notes:
    """The facts of all notes; never changed once made, but for what is kept of their links."""

    def __init__(self, facts: Mapping[str, NoteMetadata] | None = None) -> None:
        self.facts = facts or {}
        self._linked: tuple[LinkIndex, ResolvedLinks] | None = None

    def changed(self, changes: Sequence[Change[NoteMetadata]]) -> Notes:
        """The same after some notes changed."""
        facts = dict(self.facts)
        for path, _, after in changes:
            if after is None:
                facts.pop(path, None)
            else:
                facts[path] = after
        return Notes(facts)

    def linked(self, links: LinkIndex) -> ResolvedLinks:
        """Where all links lead, among the names that `links` has."""
        if self._linked is None or self._linked[0] is not links:
            to, unresolved = {}, {}
            back: dict[str, list[str]] = {}
            for path, facts in self.facts.items():
                to[path], unresolved[path] = _leading(path, facts.written, links)
                for target in to[path]:
                    back.setdefault(target, []).append(path)
            self._linked = links, ResolvedLinks(to, unresolved, back)
        return self._linked[1]


def _facts(note: Contents) -> NoteMetadata:
    return NoteMetadata(note.tags, note.properties, graph.written(note))


PROJECTION: Final = NoteProjection("rest", _facts, Notes(), Notes.changed)


def described(vault: Session, path: str, text: str, work: Work) -> dict[str, Any]:
    """A note, or another text file, as JSON."""
    note = Note(path, text)
    links = vault.links(work, told=True)
    is_note = paths.is_note(path)
    to, unresolved = _leading(path, graph.written(note), links) if is_note else ([], [])
    edges = corpus.ask(vault, linked.PROJECTION, work).answer.to(path, links)
    return {
        "tags": list(note.tags) if is_note else [],
        "frontmatter": dict(note.properties) if is_note else {},
        "stat": stat(vault, path),
        "path": path,
        "content": text,
        "links": to,
        "backlinks": list(dict.fromkeys(edge.source for edge in edges if edge.source != path)),
        "unresolvedLinks": unresolved,
    }


def every(
    vault: Session, fields: Collection[str], work: Work, holding: Sequence[Demand] = ()
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each note as JSON, in path order, with those of the fields that cost something only where they are asked for.

    Notes that are known not to hold what `holding` demands of their texts are left out.
    """
    scope = corpus.scope_of(vault, work, None, None)
    asked = corpus.answered(vault, PROJECTION, work, scope)
    leading = None
    if not {"links", "backlinks", "unresolvedLinks"}.isdisjoint(fields):
        leading = asked.answer.linked(vault.links(work, told=True))
    view = vault.view(work)
    reader = vault.notes(view)
    able = _able(vault, view, holding)
    for path in asked.files:
        if any(path not in files for files in able):
            continue
        facts = asked.answer.facts.get(path)
        if facts is None:
            continue
        data: dict[str, Any] = {
            "path": paths.portable(path),
            "tags": list(facts.tags),
            "frontmatter": dict(facts.properties),
        }
        if "stat" in fields:
            data["stat"] = stat(vault, path)
        if leading is not None:
            data["links"] = [paths.portable(each) for each in leading.to[path]]
            data["unresolvedLinks"] = list(leading.unresolved[path])
            data["backlinks"] = [paths.portable(each) for each in leading.back.get(path, ())]
        if "content" in fields:
            if work.remaining() <= 0:
                work.pass_over(path, "time limit")
                continue
            try:
                data["content"] = reader.document(path).text
            except NotRead as error:
                work.pass_over(path, error.reason)
                continue
        yield path, data


def _able(vault: Session, candidates: Candidates | None, demands: Sequence[Demand]) -> list[AbstractSet[str]]:
    """For each demand by which something is known, the files that may meet it."""
    if candidates is None:
        return []
    # A line end may be two characters in a file, which a note's text shows as they are.
    whole = (each for each in demands if each.text.strip() and "\n" not in each.text and "\r" not in each.text)
    required = (found for each in whole if (found := _required(vault, each)) is not None)
    return [files for each in required if (files := candidates.nominated(each)) is not None]


def _required(vault: Session, demand: Demand) -> Requirement | None:
    try:
        return literals_of(
            vault.ripgrep.compile(demand.text, "regex" if demand.is_regex else "fixed", ignore_case=False)
        )
    except BadArgument:  # ripgrep does not take what JavaScript does
        return None


def stat(vault: Session, path: str) -> dict[str, float]:
    """When a file was made and changed, in milliseconds since 1970, and its bytes; zeros of one that is gone by now."""
    try:
        status = disk.status(vault.root.absolute(path))
    except OSError:
        status = None
    if status is None:
        return {"ctime": 0, "mtime": 0, "size": 0}
    return {"ctime": created(status) // 1_000_000, "mtime": status.st_mtime_ns // 1_000_000, "size": status.st_size}


def _leading(path: str, written: Written, links: LinkIndex) -> tuple[list[str], list[str]]:
    """The files that a note links to, and its links that lead to none, each once."""
    edges = graph.resolved(path, written, links)
    to = dict.fromkeys(edge.target for edge in edges if edge.target is not None)
    return list(to), list(dict.fromkeys(edge.written for edge in edges if edge.target is None))

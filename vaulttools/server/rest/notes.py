"""Describes notes as the Local REST API does: tags, properties, links, times."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, NamedTuple, TypeAlias, cast

from vaulttools.answers import all_notes, linked
from vaulttools.answers.incremental import NoteProjection
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.errors import BadArgument
from vaulttools.files import disk
from vaulttools.files.document import NotRead
from vaulttools.files.file_times import created
from vaulttools.files.providers import Candidates
from vaulttools.notes.contents import Contents
from vaulttools.notes.difference import Change
from vaulttools.notes.links import graph
from vaulttools.notes.links.graph import Written
from vaulttools.notes.links.resolution import LinkIndex
from vaulttools.notes.note import Note
from vaulttools.patterns.literals import required as literals_of
from vaulttools.patterns.requirements import Requirement
from vaulttools.server.rest.jsonlogic import Demand
from vaulttools.session import Session

FIELDS: Final = ("tags", "frontmatter", "stat", "path", "content", "links", "backlinks", "unresolvedLinks")
"""Fields of a note as JSON."""


_Leading: TypeAlias = dict[str, tuple[list[str], list[str]]]
_Back: TypeAlias = dict[str, list[str]]


class NoteMetadata(NamedTuple):
    """Stored data of each note."""

    tags: tuple[str, ...]
    properties: Mapping[str, Any]
    written: Written


def _facts(note: Contents) -> NoteMetadata:
    return NoteMetadata(note.tags, note.properties, graph.written(note))


def _changed(facts: Mapping[str, NoteMetadata], changes: Sequence[Change[NoteMetadata]]) -> Mapping[str, NoteMetadata]:
    gone = {path for path, _, after in changes if after is None}
    kept = {path: each for path, each in facts.items() if path not in gone}
    return kept | {path: after for path, _, after in changes if after is not None}


PROJECTION: Final = NoteProjection("rest", _facts, cast("Mapping[str, NoteMetadata]", {}), _changed)
"""Stored data of each note, by its path."""


def described(call: Call, path: str, text: str) -> dict[str, Any]:
    """Returns a note, or another text file, as JSON."""
    call, scope = all_notes.awaited(call)
    note = Note(path, text, is_logseq=call.session.root.is_logseq)
    links = call.links(reports_missed=True)
    is_note = paths.is_note(path)
    to, unresolved = _leading(path, graph.written(note), links) if is_note else ([], [])
    edges = all_notes.answered(call, linked.PROJECTION, scope).answer.to(path, links)
    return {
        "tags": list(note.tags) if is_note else [],
        "frontmatter": dict(note.properties) if is_note else {},
        "stat": stat(call.session, path),
        "path": path,
        "content": text,
        "links": to,
        "backlinks": list(dict.fromkeys(edge.source for edge in edges if edge.source != path)),
        "unresolvedLinks": unresolved,
    }


def every(call: Call, fields: Collection[str], holding: Sequence[Demand] = ()) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields each note as JSON, in path order; fields that cost something only if they are asked for.

    Notes that certainly do not meet the demands of `holding` on their texts are left out.
    """
    work = call.work
    call, scope = all_notes.awaited(call)
    asked = all_notes.answered(call, PROJECTION, scope)
    leading: _Leading = {}
    back: _Back = {}
    if not {"links", "backlinks", "unresolvedLinks"}.isdisjoint(fields):
        leading, back = _resolved_links(call.session, asked.answer, call.links(reports_missed=True))
    view = call.snapshot
    reader = call.notes()
    possible = _possible_files(call.session, view, holding)
    for path in asked.files:
        if any(path not in files for files in possible):
            continue
        facts = asked.answer.get(path)
        if facts is None:
            continue
        data: dict[str, Any] = {
            "path": paths.portable(path),
            "tags": list(facts.tags),
            "frontmatter": dict(facts.properties),
        }
        if "stat" in fields:
            data["stat"] = stat(call.session, path)
        if path in leading:
            to, data["unresolvedLinks"] = leading[path]
            data["links"] = [paths.portable(each) for each in to]
            data["backlinks"] = [paths.portable(each) for each in back.get(path, ())]
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


def _resolved_links(vault: Session, facts: Mapping[str, NoteMetadata], links: LinkIndex) -> tuple[_Leading, _Back]:
    """Returns the targets of all notes' links, and by file the notes that link to it; recomputed after a note or a name
    changed."""
    kept: list[tuple[object, object, _Leading, _Back]] = vault.lasting.made("rest links", list)
    last = kept[0] if kept else None
    if last is None or last[0] is not facts or last[1] is not links:
        leading = {path: _leading(path, each.written, links) for path, each in facts.items()}
        back: _Back = {}
        for path, (targets, _) in leading.items():
            for target in targets:
                back.setdefault(target, []).append(path)
        kept[:] = [last := (facts, links, leading, back)]
    return last[2:]


def _possible_files(vault: Session, candidates: Candidates | None, demands: Sequence[Demand]) -> list[AbstractSet[str]]:
    """Returns, for each demand that the index can check, the files that may meet it."""
    if candidates is None:
        return []
    # A line end may be two characters in a file but is one in the note's text.
    whole = (each for each in demands if each.text.strip() and "\n" not in each.text and "\r" not in each.text)
    required = (found for each in whole if (found := _required(vault, each)) is not None)
    return [files for each in required if (files := candidates.nominated(each)) is not None]


def _required(vault: Session, demand: Demand) -> Requirement | None:
    try:
        return literals_of(
            vault.ripgrep.compile(demand.text, "regex" if demand.is_regex else "fixed", ignore_case=False)
        )
    except BadArgument:  # ripgrep does not accept everything that JavaScript does
        return None


def stat(vault: Session, path: str) -> dict[str, float]:
    """Returns a file's size in bytes and its times in milliseconds since 1970; zeros if it is gone by now."""
    try:
        status = disk.status(vault.root.absolute(path))
    except OSError:
        status = None
    if status is None:
        return {"ctime": 0, "mtime": 0, "size": 0}
    return {"ctime": created(status) // 1_000_000, "mtime": status.st_mtime_ns // 1_000_000, "size": status.st_size}


def _leading(path: str, written: Written, links: LinkIndex) -> tuple[list[str], list[str]]:
    """Returns the files that a note links to, and the links that lead nowhere, each once."""
    edges = graph.resolved(path, written, links)
    to = dict.fromkeys(edge.target for edge in edges if edge.target is not None)
    return list(to), list(dict.fromkeys(edge.written for edge in edges if edge.target is None))

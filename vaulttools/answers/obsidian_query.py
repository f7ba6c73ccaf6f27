"""Runs a query of Obsidian's search language on the notes that filters select.

If it finds nothing, `other_readings` says what parts of the query, and other readings of it, would find.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any, Final, Literal, TypeAlias

from vaulttools.answers import all_notes, answer, date_arguments, hints
from vaulttools.answers.filters import Filters, nodes, none_selected
from vaulttools.answers.incremental import Aggregate, NoteProjection
from vaulttools.call import Call
from vaulttools.core import limits, spelling
from vaulttools.core.folding.identity import is_same
from vaulttools.files import disk
from vaulttools.files.file_times import created
from vaulttools.files.scope import Scope
from vaulttools.patterns.unicode_forms import others_of_regex
from vaulttools.query import facts, tree
from vaulttools.query.facts import Facts
from vaulttools.query.language import parse, spelled
from vaulttools.query.matching_files import PreparedQuery
from vaulttools.query.plan import Files, Plan, looks_at_any_file
from vaulttools.query.regexes import Regexes
from vaulttools.query.tree import And, Node, Not, Or, Phrase, PropertyNode, Regex, TagNode, Term
from vaulttools.session import Session

Sort: TypeAlias = Literal["relevance", "name", "-name", "modified", "-modified", "created", "-created"]

PROJECTION: Final = NoteProjection("query", facts.of, Facts(), Facts.changed, Facts.plain, Facts.of_plain)
"""What a query may ask of a note without its text."""


def scope_of(call: Call, filters: Filters) -> Scope:
    """Returns the notes that the folder, the glob and the dates of `filters` select. It does not wait."""
    return all_notes.scope_of(call, filters.folder, filters.glob, **_further(call, filters))


def awaited(call: Call, filters: Filters) -> tuple[Call, Scope]:
    """Waits as `all_notes.awaited` does.

    Returns the call to go on with, and to use alone, and the notes of `scope_of`.
    """
    return all_notes.awaited(call, filters.folder, filters.glob, **_further(call, filters))


def _further(call: Call, filters: Filters) -> dict[str, Any]:
    times, _ = date_arguments.file_times(filters, call.session.calendar)
    return {"times": times, "include_excluded": filters.include_excluded}


def prepared(
    call: Call, scope: Scope, filters: Filters, node: Node, given: str, *, match_case: bool = False
) -> tuple[PreparedQuery, Aggregate[Facts]]:
    """Returns a query, `given` as the caller wrote it, ready to run, and the facts about the notes of `scope` that it
    uses. It does not wait."""
    work = call.work
    asked = all_notes.answered(call, PROJECTION, scope)
    if _asks_for_properties(node):
        answer.misread(work, asked.answer.misread)
    walks, named = all_notes.walks_and_files(call, filters.folder, filters.glob, notes_only=False)
    files = _files(replace(scope, walks=walks, named=named, warnings=[]), any_file=looks_at_any_file(node))
    files = files.read(asked.answer.notes)
    view = call.snapshot
    most = call.session.config.max_file_size
    regexes = Regexes(given, call.session.ripgrep, scope, work, most, view)
    nominated = (lambda required: None) if view is None else view.nominated
    plan = Plan(files, asked.answer, nominated, regexes)
    return PreparedQuery(node, match_case, plan, regexes, call.notes(), work), asked


def _asks_for_properties(node: Node) -> bool:
    """Whether a query asks for tags, which are properties too, or for other properties."""
    return isinstance(node, TagNode | PropertyNode) or any(map(_asks_for_properties, tree.parts(node)))


def _files(scope: Scope, *, any_file: bool) -> Files:
    """Returns the files of a scope by kind, made at most once until a name changes."""
    listing = all_notes.listed(scope)

    def made() -> Files:
        return Files.of(listing.files, any_file=any_file)

    if scope.names is None or not all(scope.names.knows(walk.folder) for walk in scope.walks):
        return made()
    return scope.names.kept(("query", listing, any_file), made)


class Order:
    """Sorts files in the requested order; ties stay in path order."""

    def __init__(self, vault: Session, query: PreparedQuery, sort: Sort | None) -> None:
        self._vault = vault
        self._orders = query.plan.files.orders
        self._names = query.regexes.candidates
        name = sort or "name"
        name = "name" if name == "relevance" else name
        self._by, self._is_reversed = name.removeprefix("-"), name.startswith("-")

    def __call__(self, files: AbstractSet[str]) -> list[str]:
        """Returns the files in that order."""
        by_path = sorted(files, key=self._orders.by_path.__getitem__)
        if self._by == "name":
            return sorted(by_path, key=self._orders.by_title.__getitem__, reverse=self._is_reversed)
        sign = 1 if self._is_reversed else -1
        return sorted(by_path, key=lambda path: sign * self._time(path))

    def _time(self, path: str) -> int:
        """Nanoseconds since 1970; 0 if unknown."""
        if self._by == "modified" and self._names is not None:
            modified = self._names.modified(path)
            if modified is not None:
                return modified
        try:
            status = disk.stat(self._vault.root.absolute(path))
        except OSError:
            return 0
        return status.st_mtime_ns if self._by == "modified" else created(status)


def files_found(query: PreparedQuery, order: Order, **changes: Any) -> int:
    """Counts the files of another query, up to one more than the limit. It reports no skipped files: `query` did."""
    return len(list(islice(_again(query, **changes).matching(order), limits.COUNTED_FILES + 1)))


def _again(query: PreparedQuery, **changes: Any) -> PreparedQuery:
    """Returns another query, or the same once more, with a tally of its own."""
    work = query.work.again()
    return replace(query, work=work, regexes=replace(query.regexes, work=work), **changes)


_ALONE: Final = 5
"""How many parts of a query are tried alone if all together find nothing."""


def other_readings(filters: Filters, given: str, found: PreparedQuery, order: Order) -> list[str]:
    """Returns one sentence for each reading of `given` that finds files with the same filters: its parts alone, case
    ignored. Or the sentence that no note passes the filters."""
    narrowed = nodes(filters)
    unknown = _unknown_properties(found, tree.both([parse(given), *narrowed]))
    if narrowed and not files_found(found, order, node=tree.both(narrowed)):
        return [none_selected(filters), *unknown]
    alone = _alone(found, order, parse(given), narrowed)
    return [*unknown, *alone, *_other_case(found, order)]


def _unknown_properties(query: PreparedQuery, node: Node) -> list[str]:
    """Names properties of a query that no note has, with similar names; or says how to quote a name of several words"""
    if not isinstance(node, PropertyNode):
        return list(dict.fromkeys(chain.from_iterable(_unknown_properties(query, each) for each in tree.parts(node))))
    words = tree.parts(node.name) or (node.name,)
    name = " ".join(word.text for word in words if isinstance(word, Term | Phrase))
    if not name or isinstance(node.name, Or | Not):
        return []
    names = query.plan.facts.properties
    if any(is_same(name, known) for known in names):
        return [f'A name of several words needs quotation marks: ["{name}"].'] if len(words) > 1 else []
    close = spelling.closest(name, sorted(names))
    similar = f" Similar names: {', '.join(close)}." if close else ""
    return [f'No note that was searched has the property "{name}".{similar}']


def _alone(query: PreparedQuery, order: Order, node: Node, filtering: Sequence[Node]) -> list[str]:
    """Says how many files each part of a query finds, if all together find none."""
    if not isinstance(node, And):
        return []
    found = []
    for part in node.parts[:_ALONE]:
        if isinstance(part, Not):
            continue
        number = files_found(query, order, node=tree.both([part, *filtering]))
        count = f"more than {limits.COUNTED_FILES}" if number > limits.COUNTED_FILES else f"{number}"
        found.append(f"{spelled(part)}: {count}")
    return [f"No note matches the whole query. Notes that match one part: {'; '.join(found)}."]


def _other_case(query: PreparedQuery, order: Order) -> list[str]:
    """Says how many files match with case ignored."""
    if not query.sensitive:
        return []
    number = files_found(query, order, sensitive=False)
    if not number:
        return []
    count = f"More than {limits.COUNTED_FILES}" if number > limits.COUNTED_FILES else f"{number}"
    return [f"{count} {'note matches' if number == 1 else 'notes match'} when case is ignored."]


def in_other_form(found: PreparedQuery) -> list[str]:
    """Returns a sentence if the regexes of a query match in more files in another Unicode form (fault-C15): words are
    found in either."""
    more: dict[str, None] = {}
    for number in range(2):
        node = tree.with_regexes(found.node, partial(_in_form, number))
        if node != found.node:
            more |= dict.fromkeys(islice(_again(found, node=node).matching(sorted), limits.COUNTED_FILES))
    if more:
        for path in [*_again(found).matching(lambda files: [each for each in more if each in files])]:
            del more[path]
    return [hints.in_words(list(more))] if more else []


def _in_form(number: int, regex: Regex) -> Regex:
    written = others_of_regex(regex.source)
    return replace(regex, source=written[number]) if number < len(written) else regex

"""Tells what parts and other readings of a query would have found, when nothing was."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

from vaulttools.answers import hints
from vaulttools.answers.exact import Order, exact, files_found
from vaulttools.answers.filters import Filters, nodes, none_selected
from vaulttools.core import limits
from vaulttools.core.work import Work
from vaulttools.errors import InvalidQuery
from vaulttools.query import tree
from vaulttools.query.exact import Exact
from vaulttools.query.language import parse, spelled
from vaulttools.query.tree import And, Node, Not
from vaulttools.session import Session

_ALONE: Final = 5
"""Parts of a query that are looked for alone when all together find nothing."""


def told(
    vault: Session, work: Work, filters: Filters, given: str, found: Exact, order: Order, *, match_case: bool
) -> list[str]:
    """One sentence for each reading of `given` under which files match, with the same filters: its parts alone, case
    ignored, another Unicode form. Or that no note passes the filters."""
    narrowed = nodes(filters)
    if narrowed and not files_found(found, order, node=tree.both(narrowed)):
        return [none_selected(filters)]
    alone = _alone(found, order, parse(given), narrowed)
    forms = _other_forms(vault, work, filters, given, match_case=match_case)
    return [*alone, *_other_case(found, order), *forms]


def _alone(exact: Exact, order: Order, node: Node, filtering: Sequence[Node]) -> list[str]:
    """How many files each part of a query finds that all together find none."""
    if not isinstance(node, And):
        return []
    found = []
    for part in node.parts[:_ALONE]:
        if isinstance(part, Not):
            continue
        number = files_found(exact, order, node=tree.both([part, *filtering]))
        count = f"more than {limits.COUNTED_FILES}" if number > limits.COUNTED_FILES else f"{number}"
        found.append(f"{spelled(part)}: {count}")
    return [f"No note matches the whole query. Notes that match one part: {'; '.join(found)}."]


def _other_case(exact: Exact, order: Order) -> list[str]:
    """Whether something is found with case ignored."""
    if not exact.sensitive:
        return []
    number = files_found(exact, order, sensitive=False)
    if not number:
        return []
    count = f"More than {limits.COUNTED_FILES}" if number > limits.COUNTED_FILES else f"{number}"
    return [f"{count} {'note matches' if number == 1 else 'notes match'} when case is ignored."]


def _other_forms(vault: Session, work: Work, filters: Filters, given: str, *, match_case: bool) -> list[str]:
    """Whether something is found by the query in another Unicode form (fault-C15)."""
    found = []
    for form, written in hints.other_forms(given):
        try:
            node = tree.both([parse(written), *nodes(filters)])
            matching, _ = exact(vault, work.again(), filters, node, written, match_case=match_case)
        except InvalidQuery:
            continue  # some signs have a form that means something to the language
        number = len(list(islice(matching.matching(Order(vault, matching, None)), limits.COUNTED_FILES)))
        if number:
            more = " or more" if number == limits.COUNTED_FILES else ""
            match = "note matches" if number == 1 else "notes match"
            found.append(f"{number}{more} {match} when the query is written in Unicode form {form}.")
    return found

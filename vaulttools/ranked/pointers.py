"""Finds the notes that shown passages link to, and that hold words of the question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from vaulttools.core import paths
from vaulttools.notes.links.resolution import LinkIndex
from vaulttools.ranked.copies import Deduplicator
from vaulttools.ranked.showing import NamedLine, ShownNote, TermsOf, best_line

_MOST: Final = 3
"""Notes of one answer that are named because a shown passage links to them."""
_TRIED: Final = 8
"""Links of one answer whose notes are read."""
_FEWEST: Final = 2
"""A linked note holds at least this many terms of the question: one may be in it by chance."""


def pointed_to(
    shown: Sequence[ShownNote], answer: Deduplicator, links: Callable[[], LinkIndex], terms_of: TermsOf
) -> list[NamedLine]:
    """Returns notes of the answer's scope that are not shown, that a shown passage links to, and that hold at least two
    terms of the question, each with the line that holds most of them; at most three, in the order of the links."""
    held = {each.note.path for each in shown}
    found: list[NamedLine] = []
    for path in islice(dict.fromkeys(_linked(shown, answer, links)), _TRIED):
        note = answer.read(path) if path not in held and answer.remaining() > 0 else None
        terms = () if note is None else terms_of(note.said.text)
        if note is None or len({term for _, term in terms}) < _FEWEST:
            continue
        body = note.said.offset(note.body_line)
        in_body = [(place - body, term) for place, term in terms if place >= body]
        # The properties alone may hold them.
        found.append(best_line(note, body if in_body else 0, len(note.said.text), in_body or terms, terms_of))
        if len(found) == _MOST:
            break
    return found


def _linked(shown: Sequence[ShownNote], answer: Deduplicator, links: Callable[[], LinkIndex]) -> Iterator[str]:
    """Yields the notes that the shown lines link to or embed, without links in comments."""
    names: LinkIndex | None = None
    for each in shown:
        if not any("[" in passage.shown for passage in each.passages):
            continue
        note = answer.read(each.note.path)
        if note is None:
            continue
        comments = note.lines_in("comments")
        for reference in note.references:
            is_shown = any(
                passage.shown_lines[0] <= reference.line <= passage.shown_lines[1]
                and reference.written in passage.shown
                for passage in each.passages
            )
            if is_shown and reference.kind != "external" and reference.line not in comments:
                names = links() if names is None else names
                path = names.resolve(reference.target, note.path)
                if path is not None and path in answer.among and paths.is_note(path):
                    yield path

"""Marks the words of a search in a text.

It only marks, it does not search: a line that the tools found is shown with or without marks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import unescape
from itertools import islice
from typing import Final

import re2
from markupsafe import Markup, escape

from vaulttools.errors import InvalidQuery
from vaulttools.query import tree
from vaulttools.query.language import parse
from vaulttools.server.page.addresses import Mode
from vaulttools.server.page.rendering.sanitizer import in_texts
from vaulttools.server.question_words import Finder, words_of

_MARKS: Final = 200
"""Upper bound of marks in one text: a regex such as `.` would mark each character."""

_MEMORY: Final = 1 << 20
"""Bytes for one compiled regex."""


def finder(query: str, mode: Mode) -> Finder:
    """Returns the function that finds the places to mark for a search."""
    if mode == "regex":
        return _by_regex(query, ignore_case=False)
    if mode == "text":
        return _by_literals([query])
    if mode == "obsidian":  # it also finds words inside others
        return _by_literals(list(_wanted(query)))
    return words_of(query)


def marked(text: str, find: Finder) -> Markup:
    """Returns the text as HTML, with marks around what `find` finds."""
    html, done = Markup(), 0
    for start, end in islice(sorted(find(text)), _MARKS):
        if done <= start < end:
            html += escape(text[done:start]) + Markup("<mark>{}</mark>").format(text[start:end])
            done = end
    return html + escape(text[done:])


def marked_html(html: str, find: Finder) -> Markup:
    """Returns sanitised HTML, with marks in its texts."""
    return Markup(in_texts(html, lambda text: marked(unescape(text), find)))  # noqa: S704 - texts are escaped again


def _wanted(query: str) -> Iterator[str]:
    """Yields the texts that a query in Obsidian's language looks for in contents, except those after a `-`."""
    try:
        waiting = [parse(query)]
    except InvalidQuery:  # the tool reports it
        return
    while waiting:
        match waiting.pop():
            case tree.Term(text) | tree.Phrase(text):
                yield text
            case tree.And(parts) | tree.Or(parts):
                waiting += parts
            case tree.Within(scope, part) if scope not in ("file", "path"):
                waiting.append(part)
            case tree.Case(_, part):
                waiting.append(part)


def _by_regex(pattern: str, *, ignore_case: bool) -> Finder:
    """Returns a finder by RE2, which takes linear time; a pattern that RE2 refuses marks nothing."""
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    options.case_sensitive = not ignore_case
    try:
        compiled = re2.compile(_utf8(pattern), options)
    except re2.error:
        return lambda _: ()
    return lambda text: (found.span() for found in islice(compiled.finditer(_utf8(text)), _MARKS))


def _by_literals(texts: Sequence[str]) -> Finder:
    """Returns a finder for plain texts, ignoring case."""
    return _by_regex("|".join(map(re2.escape, texts)), ignore_case=True) if texts else lambda _: ()


def _utf8(text: str) -> str:
    """Returns the text with half surrogate pairs replaced; all characters keep their positions."""
    return text.encode("utf-8", "replace").decode("utf-8")

"""Defines the requests of the exploration tools, and where they search.

Limits of these tools without a reason come from the document that they implement (`docs/sources.md`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from vaulttools.answers.answer import AtLeast
from vaulttools.answers.request import Request, schema
from vaulttools.answers.text_search import TextSearch
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.errors import BadArgument, PathNotFound
from vaulttools.exploration import toon
from vaulttools.exploration.toon import Count
from vaulttools.files import settings
from vaulttools.files.document import Document
from vaulttools.files.root import Place
from vaulttools.files.scope import Walk
from vaulttools.matching.hits import FileLines
from vaulttools.patterns.pattern import Mode, Pattern
from vaulttools.session import Session

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

QueryMode = Literal["fixed", "identifier", "word", "regex"]
"""How `scout`, `sample` and `show` read their query."""

MODE: Final = (
    "What the query matches: the text anywhere, between ASCII identifier boundaries, as a whole word, "
    "or as a regular expression without alternatives (no unescaped |)."
)

_BOUNDS: Final = ("greater_than_equal", "less_than_equal")

_BAR: Final = re.compile(r"(?<!\\)(?:\\\\)*\|")
"""A `|` after an even number of backslashes; classes are not considered."""


class ExplorationRequest(Request):
    """The arguments of one of the four tools; on the command line, modes are flags."""

    flags: ClassVar[tuple[str, ...]] = ("mode",)

    @classmethod
    def sentence(cls, name: str, details: ErrorDetails) -> str | None:
        """Returns the sentence for a number out of range: `--clusters 9 is outside 1-5`."""
        if details["type"] not in _BOUNDS:
            return None
        property_ = schema(cls)["properties"][name]
        low, high = property_["minimum"], property_.get("maximum")
        return f"--{name} {details['input']} is outside {low}{' and up' if high is None else f'-{high}'}"


def number(count: Count) -> int | AtLeast:
    """Returns the count in the form of an answer's details."""
    return AtLeast(at_least=count.number) if count.at_least else count.number


def compiled(vault: Session, query: str, mode: Mode) -> Pattern:
    """Returns the pattern of a query or a term.

    Raises:
        BadArgument: the query is empty, or a regex with alternatives, which `survey` counts separately as terms.
        InvalidPattern: ripgrep refuses the regex.
    """
    if not query.strip():
        raise BadArgument("query is empty")
    if mode == "regex" and _BAR.search(query):
        raise BadArgument("unescaped | in a --regex query; run survey with one --term per alternative")
    return vault.ripgrep.compile(query, mode, ignore_case=False)


def place(vault: Session, given: str) -> Place | None:
    """Returns the place that a path names, or None; `/` is the vault root, as in `search`."""
    if not given.strip():
        raise BadArgument("path is empty; the vault is .")
    found = Place("", "folder") if given.strip() == "/" else vault.root.locate(given)
    if found.kind is None:
        vault.root.ensure_here(given)
        return None
    return found


def file_place(vault: Session, given: str, tool: str) -> Place:
    """Returns the file that `sample` and `show` need.

    Raises:
        PathNotFound: nothing is there.
        BadArgument: the path is not a file.
    """
    found = place(vault, given)
    if found is None:
        raise PathNotFound(paths.shown(given))
    if found.kind != "file":
        what = "a directory" if found.kind == "folder" else "not a regular file"
        raise BadArgument(f"{tool} needs a file; {label(found)} is {what}")
    return found


def label(found: Place) -> str:
    """Returns the name of a place in answers: vault-relative, `.` for the root."""
    return paths.shown(found.path) or "."


def is_left_out(found: Place) -> bool:
    """Whether a folder is, or lies in, one of the default excludes; a named file is searched anyway."""
    return found.kind == "folder" and settings.default_folder_of(found.path) is not None


def search(call: Call, pattern: Pattern, found: Place, *, include_excluded: bool = False) -> TextSearch:
    """Returns the search of a file or folder; skips hidden, ignored and default-excluded files unless named."""
    walks: tuple[Walk, ...] = ()
    if is_left_out(found):
        call.work.pass_over(found.path, "default excludes", is_folder=True)
    elif found.kind == "folder":
        walks = (Walk(found.path),)
    elif found.kind == "other":
        call.work.pass_over(found.path, "not a regular file")
    scope = call.scope(
        walks,
        (found.path,) if found.kind == "file" else (),
        hidden=False,
        include_excluded=include_excluded,
        gitignore=True,
        default_excludes=True,
    )
    return TextSearch(call, pattern, scope)


def numbered(document: Document, hits: FileLines, start: int, end: int, selected: int | None = None) -> Iterator[str]:
    """Yields the existing lines of a file from `start` to `end` (from 1, inclusive), with numbers.

    `:` marks a matching line, `>` the selected one, `-` all others.
    """
    for number in range(max(1, start), min(len(document.lines), end) + 1):
        column = hits.column(number)
        mark = ">" if number == selected else ":" if column is not None else "-"
        yield toon.note_line(f"  {number}{mark}", document.lines[number - 1], column)

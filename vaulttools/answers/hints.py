"""Tells what another reading of a pattern would have found, when nothing was."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable
from itertools import islice
from typing import Final, Literal

from vaulttools.core import limits
from vaulttools.core.work import Work, named
from vaulttools.errors import InvalidPattern
from vaulttools.matching.ripgrep import Ripgrep
from vaulttools.matching.search import FileCount, Search
from vaulttools.patterns import pattern
from vaulttools.patterns.pattern import Pattern

_FEW: Final = 5
"""Matching files up to which it is looked whether case hides more: the run takes as long as the search did."""
_MANY_MORE: Final = 4
"""Files that case hides are named from so many on, and when they are at least twice those that were found."""

_FORMS: Final[tuple[Literal["NFC", "NFD"], ...]] = ("NFC", "NFD")
"""How the same accented letter can be stored; ripgrep tells them apart (fault-C15)."""


def number_of(matches: Iterable[FileCount], search: Search) -> int:
    """How many files match, to 100 at most, without those that were gone or changed when `search` read their lines: the
    bytes that they had may still be in memory."""
    left = (match for match in matches if match.path not in search.vanished)
    return sum(1 for _ in islice(left, limits.COUNTED_FILES))


def loose(ripgrep: Ripgrep, compiled: Pattern) -> Pattern | None:
    """The pattern with case ignored where it is sure to match all the same: plain text (`[^a]` would not)."""
    if not compiled.plain or compiled.ignore_case:
        return None
    return ripgrep.compile(compiled.given, compiled.mode, ignore_case=True)


def other_readings(search: Search, files: Callable[[Pattern, Work], int]) -> list[str]:
    """One sentence for each reading under which files match: case ignored, outer blanks left out, other Unicode form.

    `files` counts the files that match another pattern, to 100 at most, with a work of its own.
    """
    compiled = search.pattern
    hints = []

    def number(given: str, *, ignore_case: bool) -> int:
        again = search.work.again()
        try:
            other = search.ripgrep.compile(given, compiled.mode, ignore_case=ignore_case)
        except InvalidPattern:
            return 0  # `a\ ` without its blank ends in a backslash
        return files(other, again)

    if not compiled.ignore_case and search.may_match != 0 and pattern.minds_case(compiled):
        hints.append(_sentence(number(compiled.given, ignore_case=True), "case is ignored"))
    stripped = pattern.outer_blanks(compiled.given)
    if stripped:
        count = number(stripped, ignore_case=compiled.ignore_case)
        hints.append(_sentence(count, "the blanks around the pattern are left out"))
    for form, written in other_forms(compiled.given):
        count = number(written, ignore_case=compiled.ignore_case)
        hints.append(_sentence(count, f"the pattern is written in Unicode form {form}"))
    return [hint for hint in hints if hint]


def many_more(search: Search, total: int, files: Callable[[Pattern, Work], int]) -> list[str]:
    """One sentence when a few files were found, `total`, and many more match with case ignored; `files` counts as for
    `other_readings`."""
    compiled = search.pattern
    most = max(_MANY_MORE, 2 * total)
    if not 0 < total <= _FEW or compiled.ignore_case or not pattern.minds_case(compiled):
        return []
    if (search.may_match is not None and search.may_match < most) or search.work.remaining() <= 0:
        return []
    again = search.work.again()
    number = files(search.ripgrep.compile(compiled.given, compiled.mode, ignore_case=True), again)
    return [_sentence(number, "case is ignored")] if number >= most else []


def held_nothing(search: Search, found: Collection[str]) -> list[str]:
    """One sentence about the files that were named exactly, and searched, and hold no match."""
    without = [path for path in search.scope.named if path not in found and path not in search.vanished]
    if not without or search.work.skipped or search.scope.walks or search.work.searched < len(search.scope.named):
        return []
    verb = "was searched and holds" if len(without) == 1 else "were searched and hold"
    return [f"{named(without)} {verb} no match."]


def other_forms(given: str) -> list[tuple[str, str]]:
    """The Unicode forms in which a text is written otherwise, each with the text in that form."""
    return [(form, unicodedata.normalize(form, given)) for form in _FORMS if not unicodedata.is_normalized(form, given)]


def _sentence(number: int, when: str) -> str:
    if not number:
        return ""
    more = " or more" if number == limits.COUNTED_FILES else ""
    return f"{number}{more} file{'s match' if number != 1 else ' matches'} when {when}."

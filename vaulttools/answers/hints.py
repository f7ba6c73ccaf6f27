"""Counts matching files, and says what another reading of the pattern would find."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias

from vaulttools.call import Call
from vaulttools.core import limits
from vaulttools.core.work import Work, named
from vaulttools.errors import InvalidPattern
from vaulttools.files import globs
from vaulttools.files.scope import Scope
from vaulttools.matching.search import FileCount, Search
from vaulttools.patterns.pattern import Pattern, minds_case, outer_blanks
from vaulttools.resources import archives

Matching: TypeAlias = Callable[[Pattern, Call], Iterable[FileCount]]
"""Finds what another pattern matches in the same scope, as a second look of the call."""

_SOME: Final = limits.COUNTED_FILES // 2
"""Up to so many matching files, it is checked whether case hides as many again: higher counts are not exact."""
_MANY_MORE: Final = 4
"""Least number of files that match with case ignored to be reported; it must also be twice the number found."""

_FORMS: Final[tuple[Literal["NFC", "NFD"], ...]] = ("NFC", "NFD")
"""How the same accented letter can be stored; ripgrep tells them apart (fault-C15)."""


class Counted(NamedTuple):
    """The first matching files of a search."""

    files: Sequence[FileCount]
    is_exact: bool
    """True if these are all."""


def counted(matches: Iterator[FileCount], bound: int) -> Counted:
    """Returns the first matches, at most `bound`."""
    first = list(islice(matches, bound + 1))
    return Counted(first[:bound], len(first) <= bound)


def again(search: Search, pattern: Pattern, scope: Scope, work: Work) -> Search:
    """Returns the same search with another pattern, scope and work."""
    return replace(search, pattern=pattern, scope=scope, work=work)


def other_readings(call: Call, search: Search, total: int, matching: Matching) -> list[str]:
    """Says what other readings of the pattern would find.

    If `total` is 0, one sentence for each reading that finds files: case ignored, outer blanks left out, other Unicode
    form. If some files were found, one sentence if many more match with case ignored.
    """
    if total:
        return _many_more(call, search, total, matching)
    compiled = search.pattern
    readings: list[tuple[str, bool, str]] = []
    if not compiled.ignore_case and search.may_match != 0 and minds_case(compiled):
        readings.append((compiled.given, True, "case is ignored"))
    if stripped := outer_blanks(compiled.given):
        readings.append((stripped, compiled.ignore_case, "the blanks around the pattern are left out"))
    for form, written in other_forms(compiled.given):
        readings.append((written, compiled.ignore_case, f"the pattern is written in Unicode form {form}"))
    hints = []
    for given, ignore_case, when in readings:
        try:
            other = search.ripgrep.compile(given, compiled.mode, ignore_case=ignore_case)
        except InvalidPattern:
            continue  # `a\ ` without its blank ends in a backslash
        if number := _number_of(matching(other, call.again()), search):
            hints.append(_sentence(number, f"when {when}"))
    return hints


def _many_more(call: Call, search: Search, total: int, matching: Matching) -> list[str]:
    compiled = search.pattern
    most = max(_MANY_MORE, 2 * total)
    if total > _SOME or compiled.ignore_case or (search.may_match is not None and search.may_match < most):
        return []
    if not minds_case(compiled) or search.work.remaining() <= 0:
        return []
    other = search.ripgrep.compile(compiled.given, compiled.mode, ignore_case=True)
    number = _number_of(matching(other, call.again()), search)
    return [_sentence(number, "when case is ignored")] if number >= most else []


def without(search: Search, arguments: Sequence[str], matches: Iterable[FileCount]) -> list[str]:
    """Returns one sentence if files match without the `arguments`; `matches` are these files."""
    number = _number_of(matches, search)
    return [_sentence(number, f"without {' and '.join(arguments)}")] if number else []


def _number_of(matches: Iterable[FileCount], search: Search) -> int:
    """Counts matching files, up to 100. Files that were gone or changed when `search` read their lines do not count:
    their old bytes may still be in memory."""
    left = (match for match in matches if match.path not in search.vanished)
    return sum(1 for _ in islice(left, limits.COUNTED_FILES))


def held_nothing(search: Search, found: Sequence[FileCount]) -> list[str]:
    """Says which files that were named exactly, and searched, hold no match; of an archive, only its own bytes were
    searched."""
    if search.scope.walks or search.work.skipped or search.work.searched < len(search.scope.named):
        return []
    seen = search.vanished.union(match.path for match in found)
    without = [path for path in search.scope.named if path not in seen]
    packed = [path for path in without if archives.split(f"{path}:a.md")]
    sentences: list[str] = []
    if texts := [path for path in without if path not in packed]:
        verb = "was searched and holds" if len(texts) == 1 else "were searched and hold"
        sentences.append(f"{named(texts)} {verb} no match.")
    if packed:
        what = "is an archive" if len(packed) == 1 else "are archives"
        member = named([f"{packed[0]}:a.md"])
        sentences.append(f"{named(packed)} {what}: search looks only into members that are named, as in {member}.")
    return sentences


def selected_nothing(search: Search, argument: str) -> list[str]:
    """If a glob selects no file to search, says so, and what it selects with case ignored."""
    if search.work.searched or search.scope.named or search.scope.times is not None:
        return []
    walks = tuple(
        replace(walk, glob=globs.parse(walk.glob.text, ignore_case=True)) for walk in search.scope.walks if walk.glob
    )
    entries = replace(search.scope, walks=walks, warnings=[]).entries()
    there = [*islice((entry.path for entry in entries if entry.left_out is None), limits.NAMED_PATHS)]
    other = [f"With case ignored there are: {named(there)}."] if there else []
    return [f"{argument} selected no file to search.", *other]


def other_forms(given: str) -> list[tuple[str, str]]:
    """Returns the Unicode forms in which the text differs, each with the text in that form."""
    return [(form, unicodedata.normalize(form, given)) for form in _FORMS if not unicodedata.is_normalized(form, given)]


def _sentence(number: int, when: str) -> str:
    more = " or more" if number == limits.COUNTED_FILES else ""
    return f"{number}{more} file{'s match' if number != 1 else ' matches'} {when}."

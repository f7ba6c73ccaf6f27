"""Says what another reading of a pattern, or other arguments, would find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice
from typing import Final

from vaulttools.answers.text_search import TextSearch
from vaulttools.core import limits, paths
from vaulttools.core.work import named
from vaulttools.errors import InvalidPattern
from vaulttools.files import globs
from vaulttools.files.document import NotRead
from vaulttools.notes.reader import NoteReader
from vaulttools.patterns.pattern import minds_case, outer_blanks
from vaulttools.patterns.unicode_forms import other_forms
from vaulttools.resources import archives

_SOME: Final = limits.COUNTED_FILES // 2
"""Up to so many matching files, it is checked whether case hides as many again: higher counts are not exact."""
_MANY_MORE: Final = 4
"""Least number of files that match with case ignored to be reported; it must also be twice the number found."""


def readings(found: TextSearch, glob: str | None = None, filters: Sequence[str] = ()) -> list[str]:
    """Says what a call might have meant, if all was searched and counted: what other readings of the pattern find, that
    the glob in the argument `glob` selects no file, what is found without the arguments `filters`."""
    if not found.work.complete:
        return []
    seen = {match.path for match in found.counted}
    in_form = in_other_form(found, seen, is_all=found.is_exact)
    if not found.is_exact:
        return in_form
    if found.counted:
        return [*_many_more(found), *in_form]
    sentences = [*other_readings(found), *in_form]
    if glob is not None:
        sentences += _selected_nothing(found, glob)
    if filters and (number := _number_of(found.again(found.search.pattern, is_filtered=False), found)):
        sentences.append(_sentence(number, f"without {' and '.join(filters)}"))
    return sentences


def other_readings(found: TextSearch) -> list[str]:
    """Returns one sentence for each reading of a pattern without matches that finds files: case ignored, outer blanks
    left out."""
    compiled = found.search.pattern
    others: list[tuple[str, bool, str]] = []
    if not compiled.ignore_case and found.search.may_match != 0 and minds_case(compiled):
        others.append((compiled.given, True, "case is ignored"))
    if stripped := outer_blanks(compiled.given):
        others.append((stripped, compiled.ignore_case, "the blanks around the pattern are left out"))
    sentences = []
    for given, ignore_case, when in others:
        try:
            other = found.search.ripgrep.compile(given, compiled.mode, ignore_case=ignore_case)
        except InvalidPattern:
            continue  # `a\ ` without its blank ends in a backslash
        if number := _number_of(found.again(other), found):
            sentences.append(_sentence(number, f"when {when}"))
    return sentences


def _many_more(found: TextSearch) -> list[str]:
    """Returns one sentence if many more files match with case ignored."""
    compiled, may_match, total = found.search.pattern, found.search.may_match, len(found.counted)
    most = max(_MANY_MORE, 2 * total)
    if total > _SOME or compiled.ignore_case or (may_match is not None and may_match < most):
        return []
    if not minds_case(compiled) or found.work.remaining() <= 0:
        return []
    other = found.search.ripgrep.compile(compiled.given, compiled.mode, ignore_case=True)
    number = _number_of(found.again(other), found)
    return [_sentence(number, "when case is ignored")] if number >= most else []


def _number_of(other: TextSearch, first: TextSearch) -> int:
    """Counts the matching files of a second look, up to 100. Files that were gone or changed when the first read their
    lines do not count: their old bytes may still be in memory."""
    left = (match for match in other.matching() if match.path not in first.search.vanished)
    return sum(1 for _ in islice(left, limits.COUNTED_FILES))


def files_without_match(found: TextSearch) -> list[str]:
    """Says which files that were named exactly, and searched, hold no match; of a binary file or an archive, only its
    own bytes were searched."""
    search = found.search
    if search.scope.walks or search.work.skipped or search.work.searched < len(search.scope.named):
        return []
    seen = search.vanished.union(match.path for match in found.counted)
    without = [path for path in search.scope.named if path not in seen]
    packed = [path for path in without if archives.split(f"{path}:a.md")]
    sentences: list[str] = []
    texts = [path for path in without if path not in packed]
    reader = found.call.again().notes()
    binary = [path for path in texts if _is_binary(reader, path)] if len(texts) <= limits.NAMED_PATHS else []
    if binary:
        what = "is binary: only its bytes were" if len(binary) == 1 else "are binary: only their bytes were"
        sentences.append(f"{named(binary)} {what} searched, and no packed text.")
    if texts := [path for path in texts if path not in binary]:
        verb = "was searched and holds" if len(texts) == 1 else "were searched and hold"
        sentences.append(f"{named(texts)} {verb} no match.")
    if packed:
        what = "is an archive" if len(packed) == 1 else "are archives"
        member = named([f"{packed[0]}:a.md"])
        sentences.append(f"{named(packed)} {what}: search looks only into members that are named, as in {member}.")
    return sentences


def _is_binary(reader: NoteReader, path: str) -> bool:
    try:
        reader.document(path)
    except NotRead as error:
        return error.reason == "binary"
    return False


def _selected_nothing(found: TextSearch, argument: str) -> list[str]:
    """If a glob selects no file to search, says so, and what it selects with case ignored."""
    search = found.search
    if search.work.searched or search.scope.named or search.scope.times is not None:
        return []
    walks = tuple(
        replace(walk, glob=globs.parse(walk.glob.text, ignore_case=True)) for walk in search.scope.walks if walk.glob
    )
    entries = replace(search.scope, walks=walks, warnings=[]).entries()
    there = [*islice((entry.path for entry in entries if entry.left_out is None), limits.NAMED_PATHS)]
    other = [f"With case ignored there are: {named(there)}."] if there else []
    return [f"{argument} selected no file to search.", *other]


def in_other_form(found: TextSearch, seen: AbstractSet[str], *, is_all: bool) -> list[str]:
    """Returns a sentence if the plain text of a pattern is in more files in another Unicode form (fault-C15), which
    ripgrep tells apart. `seen` are the files that match as written, or unless `is_all`, some of them."""
    more: dict[str, None] = {}
    for path in _matching_in_other_forms(found):
        if path not in seen:
            more[path] = None
    if more and not is_all:
        counts = found.again(found.search.pattern).search.counts_of([*more])
        for path in counts.matching:
            more.pop(path, None)
    return [in_words(list(more))] if more else []


def in_words(more: Sequence[str]) -> str:
    """Says which files match in another Unicode form alone."""
    what = "note" if all(map(paths.is_note, more)) else "file"
    if len(more) == 1:
        return f"1 more {what} matches in another Unicode form: {named(more)}"
    number = f"{limits.COUNTED_FILES} or" if len(more) >= limits.COUNTED_FILES else len(more)
    return f"{number} more {what}s match in another Unicode form: {named(more)}"


def _matching_in_other_forms(found: TextSearch) -> Iterator[str]:
    compiled = found.search.pattern
    for written in other_forms(compiled):
        if found.work.remaining() <= 0:
            return
        try:
            other = found.search.ripgrep.compile(written, compiled.mode, ignore_case=compiled.ignore_case)
        except InvalidPattern:
            continue
        for match in islice(found.again(other).matching(), limits.COUNTED_FILES):
            if match.path not in found.search.vanished:
                yield match.path


def _sentence(number: int, when: str) -> str:
    more = " or more" if number == limits.COUNTED_FILES else ""
    return f"{number}{more} file{'s match' if number != 1 else ' matches'} {when}."

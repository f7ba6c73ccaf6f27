"""Finds words and phrases in texts and names as Obsidian's search does (rule-S05 to rule-S09)."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from vaulttools.core.cached import cached_property
from vaulttools.core.folding.identity import composed, decomposed, identity, lasting
from vaulttools.patterns.requirements import LONGEST, AllOf, AnyOf, MixedForms, Requirement, fold
from vaulttools.query.tree import Phrase, Term

_CHARACTER_SCRIPTS: Final = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3031-\u3035\u3041-\u30ff\u3105-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]"
)
"""Chinese, Japanese and Korean: words have no blanks between them, or take endings, so they have no edges
(rule-S08)."""

_LINE_ENDS: Final = re.compile(r"[\r\n]+")


def places(wanted: Term | Phrase, text: str, *, sensitive: bool) -> Iterator[int]:
    """Yields the offsets in a text of a term, also inside words (rule-S05), or of a phrase as full words (rule-S06,
    rule-S07).

    The text must be in NFC, or its `identity` unless `sensitive`, and the offsets are those in it. Matches
    do not overlap. An empty phrase matches at offset 0 of every text (rule-S29).
    """
    needle = composed(wanted.text) if sensitive else identity(wanted.text)
    if not needle:
        yield 0
        return
    is_whole = isinstance(wanted, Phrase)
    start = text.find(needle)
    while start >= 0:
        end = start + len(needle)
        if is_whole and (_joined(text, start) or _joined(text, end)):
            start = text.find(needle, start + 1)
            continue
        yield start
        start = text.find(needle, end)


def required(wanted: Term | Phrase) -> Requirement | None:
    """Returns what the index can look for in texts that hold it, in any Unicode form; None if nothing."""
    text = identity(wanted.text)
    runs = lasting(text)
    if runs == [text]:
        return _literals([text])
    # Between a letter and a mark at an end, the text may have another mark.
    apart = decomposed(text)
    apart = apart.strip("".join(filter(unicodedata.combining, apart)))
    in_nfc, in_nfd, in_any = map(_literals, ([text], [apart], runs))
    if in_nfc is None or in_nfd is None:
        return None
    return AnyOf((in_nfc, in_nfd, MixedForms() if in_any is None else AllOf((MixedForms(), in_any))))


def _literals(texts: Iterable[str]) -> Requirement | None:
    """Returns the requirement that a text holds several, each cut at line ends and after `LONGEST` characters; None if
    there is nothing to look for."""
    parts = [
        piece[start : start + LONGEST]
        for text in texts
        for piece in _LINE_ENDS.split(fold(text))
        for start in range(0, len(piece), LONGEST)
    ]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _joined(text: str, edge: int) -> bool:
    """Whether the characters on both sides of an offset belong to one word."""
    return 0 < edge < len(text) and _is_of_word(text[edge - 1]) and _is_of_word(text[edge])


def _is_of_word(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character == "_"
    if _CHARACTER_SCRIPTS.match(character):
        return False
    return character.isalnum() or unicodedata.category(character).startswith("M")  # a combining accent


class Lines:
    """Texts without line feeds, each with its place (from 0)."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts

    def holding(self, wanted: Term | Phrase, *, sensitive: bool) -> set[int]:
        """Returns the places of the texts that hold a word or phrase, as `places` finds it."""
        if not wanted.text:
            return set(range(len(self.texts)))
        if "\n" in wanted.text or not self.texts:
            return set()
        joined, starts = self._written if sensitive else self._folded
        # A phrase may end at a line feed, as at the end of a text.
        return {bisect_right(starts, at) - 1 for at in places(wanted, joined, sensitive=sensitive)}

    @cached_property
    def _written(self) -> tuple[str, list[int]]:
        return _one_text(composed("\n".join(self.texts)))

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        return _one_text(identity("\n".join(self.texts)))


def _one_text(lines: str) -> tuple[str, list[int]]:
    """Returns a text, and where each of its lines begins."""
    return lines, list(accumulate((len(line) + 1 for line in lines.split("\n")), initial=0))[:-1]


class Names:
    """Files that are searched by path, or by the last part of it."""

    def __init__(self, files: Sequence[str], *, whole: bool) -> None:
        """Takes vault-relative paths; searches the whole path if `whole`, else the name with its extension
        (rule-S16)."""
        self.files = files
        self._lines = Lines([_one_line(path if whole else path.rpartition("/")[2]) for path in files])

    @property
    def texts(self) -> Sequence[str]:
        """The searched part of each path, on one line."""
        return self._lines.texts

    def holding(self, wanted: Term | Phrase, *, sensitive: bool) -> set[str]:
        """Returns the files that hold a word or phrase."""
        return {self.files[place] for place in self._lines.holding(wanted, sensitive=sensitive)}


def _one_line(name: str) -> str:
    """Returns one line, in the form in which names are compared."""
    return composed(name).replace("\n", " ")

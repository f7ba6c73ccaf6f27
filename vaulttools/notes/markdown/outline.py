"""Lists a note's headings in order, with the ends of their sections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vaulttools.notes.parts import Heading

_PUNCTUATION = re.compile(r"""[!"#$%&()*+,./:;<=>?@\[\\\]^`{|}~]""")
"""What is ASCII and no part of a word; `-`, `_` and `'` are."""


def with_sections(headings: Sequence[Heading], last_line: int) -> Iterator[Heading]:
    """The headings with the ends of their sections, in order, in a note of ``last_line`` lines."""
    ends: list[int] = []
    following: list[tuple[int, int]] = []  # level and line of the headings below that can still end a section
    for heading in reversed(headings):
        while following and following[-1][0] > heading.level:
            following.pop()
        ends.append(following[-1][1] - 1 if following else last_line)
        following.append((heading.level, heading.line))
    for heading, end in zip(headings, reversed(ends), strict=True):
        yield type(heading)(*heading[:4], end)


def section_of(headings: Sequence[Heading], chain: Sequence[str]) -> Heading | None:
    """The heading that a chain of headings leads to, `[[Note#H1#H2]]` (rule-L05): each below the one before, the first
    that fits; upper and lower case and runs of blanks do not matter. None when there is none.

    Where none fits, punctuation does not matter either: Obsidian takes it out of the links that it writes to headings
    (`stripHeading` of its API; 3 of 422 such links in its own help need it).
    """
    return _first(headings, chain, _plain) or _first(headings, chain, _stripped)


def _first(headings: Sequence[Heading], chain: Sequence[str], plain: Callable[[str], str]) -> Heading | None:
    wanted = [plain(text) for text in chain]
    if not all(wanted):
        return None
    trail: list[Heading] = []
    for heading in headings:
        while trail and trail[-1].level >= heading.level:
            trail.pop()
        if len(trail) < len(wanted) and plain(heading.text) == wanted[len(trail)]:
            trail.append(heading)
            if len(trail) == len(wanted):
                return heading
    return None


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _stripped(text: str) -> str:
    return _plain(_PUNCTUATION.sub(" ", text))

"""Chooses words that every match holds one of, to rule out files with ripgrep."""

from __future__ import annotations

import re
from typing import Final

from vaulttools.patterns.pattern import escaped
from vaulttools.patterns.requirements import fold
from vaulttools.query.tree import And, Case, Node, Or, Phrase, Term, Within

MANY: Final = 48
"""From so many files on, starting ripgrep (2 to 3 ms, measured) is cheaper than reading them (60 us each)."""

FOLDED_LONGER: Final = (
    "\u00df\u0130\u0149\u01f0\u0390\u03b0\u0587\u1e96-\u1e9a\u1e9e\u1f50-\u1f57\u1f80-\u1fff\ufb00-\ufb06\ufb13-\ufb17"
)
"""Characters that case folding turns into several, such as ß. Ripgrep folds each to one character, so a text with one
of them cannot be ruled out."""

_MOST: Final = 20
_LINE_END: Final = re.compile(r"[\r\n]")


def pattern(node: Node) -> str | None:
    """Returns a regex, for use without case, that matches in every text that answers a query; None if there is none.

    The caller handles bare words that match the path of a file instead.
    """
    needed = words(node)
    if not needed or len(needed) > _MOST:
        return None
    # No file holds these unchanged: half of a surrogate pair, and the replacement character.
    if any("\ufffd" in word.text or not word.text.isprintable() for word in needed):
        return None
    # Folded, so that ß finds ss too; a text with ß itself is never ruled out.
    longest = (max(_LINE_END.split(fold(word.text)), key=len) for word in needed)
    return "|".join([*map(escaped, longest), f"[{FOLDED_LONGER}]"])


def words(node: Node) -> list[Term | Phrase]:
    """Returns words and phrases; every matching file holds at least one of them. Empty if there is no such set."""
    match node:
        case Term() | Phrase():
            return [node] if fold(node.text).strip() else []
        case And(parts):
            return min(filter(None, map(words, parts)), key=_commonness, default=[])
        case Or(parts):
            every = [words(part) for part in parts]
            return [word for some in every for word in some] if all(every) else []
        case Case(_, part):
            return words(part)
        case Within(scope, part) if scope not in ("file", "path"):
            return words(part)
        case _:
            return []


def _commonness(needed: list[Term | Phrase]) -> tuple[int, int]:
    return len(needed), -min(len(word.text) for word in needed)

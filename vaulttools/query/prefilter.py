"""Chooses texts that every answer holds one of, to rule out files with ripgrep."""

from __future__ import annotations

import re
from typing import Final

from vaulttools.patterns.literals import fold
from vaulttools.patterns.pattern import escaped
from vaulttools.query.tree import And, Case, Node, Or, Phrase, Term, Within

MANY: Final = 48
"""Files from which on starting ripgrep is cheaper than reading them (measured: 2 to 3 ms, and 60 us a file)."""

FOLDED_LONGER: Final = (
    "\u00df\u0130\u0149\u01f0\u0390\u03b0\u0587\u1e96-\u1e9a\u1e9e\u1f50-\u1f57\u1f80-\u1fff\ufb00-\ufb06\ufb13-\ufb17"
)
"""Characters that become several when case is folded, such as ß; ripgrep folds each to one, so that a text with one of
them cannot be ruled out."""

_MOST: Final = 20
_LINE_END: Final = re.compile(r"[\r\n]")


def pattern(node: Node) -> str | None:
    """A regex, case to be ignored, that matches in every text that answers a query; None where there is none.

    A bare word that stands in the path of a file instead is left to the caller.
    """
    needed = words(node)
    if not needed or len(needed) > _MOST:
        return None
    # What no file holds as it is: half of a surrogate pair, and the sign for bytes that are no text.
    if any("\ufffd" in word.text or not word.text.isprintable() for word in needed):
        return None
    # Folded, so that ß stands for ss too; a text with ß itself is never ruled out.
    longest = (max(_LINE_END.split(fold(word.text)), key=len) for word in needed)
    return "|".join([*map(escaped, longest), f"[{FOLDED_LONGER}]"])


def words(node: Node) -> list[Term | Phrase]:
    """Every file that answers holds one of these words and phrases at least; empty: nothing is sure."""
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

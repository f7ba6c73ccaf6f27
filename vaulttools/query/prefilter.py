"""Chooses words that every match holds one of, to rule out files with ripgrep."""

from __future__ import annotations

from typing import Final

from vaulttools.core.folding.identity import identity, lasting
from vaulttools.patterns.pattern import escaped
from vaulttools.query.tree import And, Case, Node, Or, Phrase, Term, Within

MANY: Final = 48
"""From so many files on, starting ripgrep (2 to 3 ms, measured) is cheaper than reading them (60 us each)."""

LONGER: Final = "\u0130"
"""The character that lower case makes two of. Ripgrep does not, so a text with it cannot be ruled out."""

_MOST: Final = 20


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
    # What every text with a word has, in whatever Unicode form; on one line, since the words are printable.
    longest = [max(lasting(identity(word.text)), key=len, default="") for word in needed]
    return "|".join([*map(escaped, longest), LONGER]) if all(longest) else None


def words(node: Node) -> list[Term | Phrase]:
    """Returns words and phrases; every matching file holds at least one of them. Empty if there is no such set."""
    match node:
        case Term() | Phrase():
            return [node] if node.text.strip() else []
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

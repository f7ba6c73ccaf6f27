"""Writes a pattern in the other Unicode form, but for its classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from vaulttools.core.folding.identity import composed, decomposed, in_each_form
from vaulttools.patterns import regex_syntax
from vaulttools.patterns.pattern import Pattern


def other_forms(pattern: Pattern) -> list[str]:
    """Returns the pattern with its plain text in NFC, and in NFD, where that differs from what was given."""
    if pattern.mode == "regex":
        return others_of_regex(pattern.given)
    return in_each_form(pattern.given)[1:]


def others_of_regex(source: str) -> list[str]:
    """Like `other_forms`, for a regex. Classes, ranges and escapes are not rewritten."""
    return [] if source.isascii() else _others(source, (_rewritten(source, form) for form in (composed, decomposed)))


def _others(given: str, written: Iterable[str]) -> list[str]:
    return [each for each in dict.fromkeys(written) if each != given]


def _rewritten(source: str, form: Callable[[str], str]) -> str:
    parts, plain = [], ""
    for token in (*regex_syntax.read(source)[1], None):
        if token is not None and token.kind == "character" and token.text[0] != "\\":
            plain += token.text
            continue
        last = ""
        if token is not None and token.kind == "quantifier" and plain:
            # It is for the whole of what was one character.
            plain, last = plain[:-1], form(plain[-1])
        parts += [form(plain), f"(?:{last})" if len(last) > 1 else last, "" if token is None else token.text]
        plain = ""
    return "".join(parts)

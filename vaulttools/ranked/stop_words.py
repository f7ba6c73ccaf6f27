"""Tells which words of a question say nothing about its subject."""

from __future__ import annotations

from collections.abc import Sequence

from vaulttools.notes.function_words import FUNCTION_WORDS


def among(words: Sequence[str]) -> frozenset[str]:
    """The stop words among the words of one question, in lower case: those of the language most of them belong to.

    Every word of a question may be one, so that nothing is left; `die` in an English question is none.
    """
    found = (language.intersection(words) for language in FUNCTION_WORDS.values())
    return max(found, key=lambda some: sum(word in some for word in words))

"""Recognises English words, and by them the language of a question such as `publish site`.

Notes of many languages hold such words as names and loan words, so a translation may hold them as often as the English
page. The question counts as English if English notes hold its words and no other language has most of the notes found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from vaulttools.notes import language
from vaulttools.notes.language import ENGLISH, UNKNOWN

_FILE: Final = Path(__file__).with_name("english_words.txt")
_COMMON_FILE: Final = Path(__file__).with_name("english_common.txt")


def is_word(text: str) -> bool:
    """Whether a word of four letters or more, in any case, is one of 64,000 British and American English words,
    inflections included (`english_words.LICENSE` names the source)."""
    return f"\n{text.lower()}\n" in _words()


def is_telling(text: str, question: str) -> bool:
    """Whether it tells a reader something that no note holds a word of a question: it holds a digit, is a name, or is
    none of the 3,800 most common English words of four letters and more (`english_words.LICENSE` names the source). In
    a question in another language, only names and numbers tell."""
    is_name = text[:1].isupper() and not question.lstrip("\"'(¿¡„“").startswith(text)
    if any(map(str.isdigit, text)) or is_name:
        return True
    asked_in = language.of_question(question)
    return len(text) >= _SHORTEST and not _is_common(text) and (not asked_in or ENGLISH in asked_in)


def _is_common(text: str) -> bool:
    return f"\n{text.lower()}\n" in _common()


@cache
def _common() -> str:
    return "\n" + _COMMON_FILE.read_text(encoding="ascii")


@cache
def _words() -> str:
    """Returns all words, each between line ends; a set would take 6 MB, and ten times as long to make."""
    return "\n" + _FILE.read_text(encoding="ascii")


_WORD: Final = re.compile(r"[^\W\d_]+")
_SHORTEST: Final = 4
"""Letters of the shortest word in the list; shorter words say nothing about the language."""

ENGLISH_WORDS: Final = frozenset((ENGLISH, UNKNOWN))
"""The languages of a question in English words. UNKNOWN is among them: a note of names and numbers may be English."""


_READ: Final = 5
"""Notes that are checked for the words exactly as typed: `interne` is an English word, too."""


def languages_asked(
    question: str, found: Callable[[], Mapping[str, str]], read: Callable[[str], str]
) -> frozenset[str]:
    """Returns the languages that a question without function words may be in; empty if unknown.

    `found` returns the languages of the notes that hold its words, best note first; it is called only if needed.
    `read` returns the text of a note.
    """
    words = {word.lower() for word in _WORD.findall(question) if len(word) >= _SHORTEST}
    if not question.isascii() or not words or not all(map(is_word, words)):
        return frozenset()
    languages = found()
    counts = Counter(languages.values())
    del counts[UNKNOWN]
    most = max((count for other, count in counts.items() if other != ENGLISH), default=0)
    if not counts[ENGLISH] or not most or most > counts.total() / 2:
        return frozenset()
    for path in [path for path, of_note in languages.items() if of_note == ENGLISH][:_READ]:
        words.difference_update(_WORD.findall(f"{path}\n{read(path)}".lower()))
    return frozenset() if words else ENGLISH_WORDS

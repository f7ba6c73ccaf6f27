"""Defines what the index tells of the words of a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Spelling(NamedTuple):
    """What may be written for a word of a question: one word or several in a row, in any inflection, case, accents."""

    text: str
    is_beginning: bool = False
    """Whether the last word may go on."""


class Places(NamedTuple):
    """Where the words of a question are in one note: in its body, its title, its aliases, its headings and
    its properties."""

    lengths: Sequence[int]
    """Words in each of the five."""
    found: Sequence[Sequence[Sequence[int]]]
    """By word of the question and by part: places, counted in words from 0."""


class WordHits(NamedTuple):
    """What the index knows of the words of a question."""

    counts: Sequence[int]
    """By word: the notes of the vault that hold it."""
    places: Mapping[str, Places]
    """The best notes by BM25, of those asked for that hold any of the words, best first."""
    notes: int = 0
    """Notes of the vault whose parts are known."""

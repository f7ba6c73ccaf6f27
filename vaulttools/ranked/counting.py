"""Counts the terms of a question in all notes by ripgrep, without an index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from vaulttools.core.work import Work
from vaulttools.files import disk
from vaulttools.ranked.counted import Frequencies
from vaulttools.ranked.expressions import any_of, expression, is_word, terms_of
from vaulttools.ranked.question import QuestionTerm
from vaulttools.session import Session

_SECONDS: Final = 5.0
"""Half of a call's time. Words take 0.3 s over 10,000 notes; a disk that was not read yet may need more."""

_GLOBS: Final = ("--glob=*.[mM][dD]",)


@dataclass(frozen=True, slots=True)
class RipgrepCounter:
    """Counts terms as far as there is time."""

    vault: Session
    work: Work

    def frequencies(self, terms: Sequence[QuestionTerm]) -> Sequence[Frequencies | None]:
        """By term how often it stands in each note, or on how many lines; None when it was not counted in all."""
        budget = Work(min(self.work.remaining(), _SECONDS), self.work.cancel)
        words = [number for number, term in enumerate(terms) if is_word(term)]
        others = [number for number, term in enumerate(terms) if not is_word(term)]
        found: dict[int, Frequencies | None] = {}
        found |= zip(words, self._of_words([terms[number] for number in words], budget), strict=True)
        found |= zip(others, self._of_each([terms[number] for number in others], budget), strict=False)
        return [found.get(number) for number in range(len(terms))]

    def size(self, path: str) -> int:
        """Bytes of a note; 0 when it cannot be stated."""
        try:
            return disk.stat(self.vault.root.absolute(path)).st_size
        except OSError:
            return 0

    def _of_words(self, words: Sequence[QuestionTerm], budget: Work) -> Sequence[Frequencies | None]:
        """By one run, which takes as long as one word takes two or three times."""
        if not words:
            return []
        counted, stopped = self.vault.ripgrep.counts_of_texts(any_of(words), self._folder, _GLOBS, budget)
        return [None] * len(words) if stopped else _by_term(words, counted)

    def _of_each(self, terms: Sequence[QuestionTerm], budget: Work) -> Iterator[Frequencies | None]:
        """By one run for each; those behind the one that ran out of time have none."""
        for counts in self.vault.ripgrep.counts_of_each(list(map(expression, terms)), self._folder, _GLOBS, budget):
            yield None if counts.stopped else counts.matching

    @property
    def _folder(self) -> str:
        return str(self.vault.root.folder)


def _by_term(words: Sequence[QuestionTerm], counted: Mapping[str, Mapping[str, int]]) -> Sequence[Frequencies]:
    """By word its frequencies, from the texts that stand in each note."""
    numbers = cache(terms_of(words))
    found: list[dict[str, int]] = [{} for _ in words]
    for path, texts in counted.items():
        for text, count in texts.items():
            for number in numbers(text):
                found[number][path] = found[number].get(path, 0) + count
    return found

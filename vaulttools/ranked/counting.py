r"""Chooses which notes to read without an index, by ripgrep's counts of words.

The regexes may match more than the terms: words with the same beginning. Reading the notes shows which really hold the
terms. The regexes do not use `\b`: it knows all letters, so ripgrep leaves its fast engines at the first letter that is
not ASCII (2.4 s instead of 0.15 over 10,000 notes).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.core.folding.words import ENCLOSED, forms, is_sign, lowered, sources
from vaulttools.core.spelling import common_start
from vaulttools.core.work import Work
from vaulttools.files import disk
from vaulttools.index.words import Spelling, tokens
from vaulttools.patterns.pattern import escaped
from vaulttools.ranked.question import QuestionTerm
from vaulttools.ranked.scoring import rarity
from vaulttools.ranked.weights import NOMINATION

_SECONDS: Final = 5.0
"""Time limit of counting. Words take 0.3 s over 10,000 notes; a disk that was not read yet may need more."""

_GLOBS: Final = ("--glob=*.[mM][dD]",)


@dataclass(frozen=True, slots=True)
class RipgrepCounter:
    """Counts terms in notes until time runs out."""

    call: Call

    def frequencies(self, terms: Sequence[QuestionTerm]) -> Sequence[Frequencies | None]:
        """Returns for each term its count in each note (occurrences or lines); None if some notes were not counted."""
        budget = Work(min(self.call.work.remaining(), _SECONDS), self.call.work.cancel)
        words = [number for number, term in enumerate(terms) if is_word(term)]
        others = [number for number, term in enumerate(terms) if not is_word(term)]
        found: dict[int, Frequencies | None] = {}
        found |= zip(words, self._of_words([terms[number] for number in words], budget), strict=True)
        found |= zip(others, self._of_each([terms[number] for number in others], budget), strict=False)
        return [found.get(number) for number in range(len(terms))]

    def size(self, path: str) -> int:
        """Returns the bytes of a note; 0 if `stat` fails."""
        try:
            return disk.stat(self.call.session.root.absolute(path)).st_size
        except OSError:
            return 0

    def _of_words(self, words: Sequence[QuestionTerm], budget: Work) -> Sequence[Frequencies | None]:
        """Count all words in one run, which takes two to three times as long as a run for one word."""
        if not words:
            return []
        counted, stopped = self.call.session.ripgrep.counts_of_texts(any_of(words), self._folder, _GLOBS, budget)
        return [None] * len(words) if stopped else _by_term(words, counted)

    def _of_each(self, terms: Sequence[QuestionTerm], budget: Work) -> Iterator[Frequencies | None]:
        """Count each term in a run of its own; yield None for one that ran out of time, and nothing after it."""
        for counts in self.call.session.ripgrep.counts_of_each(
            list(map(expression, terms)), self._folder, _GLOBS, budget
        ):
            yield None if counts.stopped else counts.matching

    @property
    def _folder(self) -> str:
        return str(self.call.session.root.folder)


def _by_term(words: Sequence[QuestionTerm], counted: Mapping[str, Mapping[str, int]]) -> Sequence[Frequencies]:
    """Returns the frequencies of each word, from the texts that matched in each note."""
    numbers = cache(terms_of(words))
    found: list[dict[str, int]] = [{} for _ in words]
    for path, texts in counted.items():
        for text, count in texts.items():
            for number in numbers(text):
                found[number][path] = found[number].get(path, 0) + count
    return found


MANY: Final = 200
"""Above this many unknown notes, words are counted to choose the notes to read: reading and parsing so many takes as
long as ripgrep takes to count a word in 10,000."""

_SIZED: Final = 300
"""Upper bound of the notes whose size is read to choose those that are read."""

Frequencies: TypeAlias = Mapping[str, int]
"""By note, how often it holds a term or words that begin like it; or on how many lines."""


class TermCounts:
    """Counts of terms in the notes that the index does not know."""

    def __init__(self, counter: RipgrepCounter, notes: Sequence[str], most: int) -> None:
        """`best` chooses up to `most` of the notes."""
        self._counter = counter
        self._notes = notes
        self._most = most
        self._counted: dict[str, Frequencies | None] = {}
        """By term its frequencies; None if it was not counted in all notes."""

    @property
    def uncounted(self) -> Sequence[str]:
        """The terms that were not counted in all notes."""
        return sorted(text for text, counts in self._counted.items() if counts is None)

    def holders(self, term: QuestionTerm) -> int | None:
        """Returns how many notes hold a term; None if it was not counted."""
        counted = self._counted.get(term.text)
        return None if counted is None else len(counted)

    def is_absent(self, term: QuestionTerm) -> bool:
        """Whether a term was counted and no note holds it."""
        return self.holders(term) == 0

    def best(self, terms: Sequence[QuestionTerm]) -> Sequence[str]:
        """Returns the notes that hold most of the terms, best first, then all attachments."""
        among = frozenset(self._notes)
        asked = [term for term in terms if term.text not in self._counted]
        for term, counts in zip(asked, self._counter.frequencies(asked), strict=True):
            held = None if counts is None else {path: number for path, number in counts.items() if path in among}
            self._counted[term.text] = held
        weight: dict[str, float] = defaultdict(float)
        names = {path: lowered(paths.stem(path)) for path in self._notes}
        for term in terms:
            counts = self._counted[term.text] or {}
            rare = rarity(len(self._notes), len(counts))
            for path, number in counts.items():
                weight[path] += rare * number / (number + NOMINATION.saturation)
            begun = beginnings(term)
            for path, name in names.items():
                if all(each in name for each in begun):
                    weight[path] += rare * NOMINATION.in_name

        def normed(path: str) -> float:
            """A long note's counts weigh less, as in BM25. Each size costs a `stat`, so only some notes get here."""
            return weight[path] / (1 + self._counter.size(path) / NOMINATION.long_bytes)

        likely = sorted(weight, key=lambda path: (-weight[path], path))[: max(_SIZED, self._most)]
        attachments = [path for path in self._notes if not paths.is_note(path)]  # ripgrep counts in notes only
        notes = [path for path in likely if paths.is_note(path)]
        return [*sorted(notes, key=lambda path: (-normed(path), path))[: self._most], *attachments]


_REST: Final = r"[\p{L}\p{M}\p{N}\p{Co}]*"
"""The rest of a word, with the same characters as the words of the index."""
_APART: Final = rf"[[^\p{{L}}\p{{N}}\p{{Co}}]{ENCLOSED}]"
"""A character between words."""
_BETWEEN: Final = f"{_REST}{_APART}+"
_EDGE: Final = f"(?:^|{_APART})"
_ASCII_EDGE: Final = r"(?:(?-u:\b)|_)"
"""The edge before an ASCII letter or digit; it also matches inside a word, after a letter that is not ASCII."""
_BEFORE_NAME: Final = r"(?:^|[^\p{Latin}\u{300}-\u{36f}0-9_])"
_AFTER_HASH: Final = "(?:[^0-9A-Za-z_#]|$)"
"""What may be around `C#`, as `finder` reads it in a folded text, where letters with accents are ASCII."""
_WITHIN: Final = r"[\p{M}\p{Cf}\u{640}]*"
"""What folding may drop behind a letter."""
_LONGEST: Final = 3
"""Letters of the longest text that one character is folded to."""


def expression(term: QuestionTerm) -> str:
    """Returns the regex of a term, in Rust's syntax; to be run with case ignored."""
    if term.is_signed:
        return f"{_BEFORE_NAME}{escaped(term.literal)}{_AFTER_HASH * term.literal.endswith('#')}"
    if not term.spellings:
        return "|".join(map(escaped, forms(term.literal)))
    return "|".join(dict.fromkeys(map(_of, term.spellings)))


def is_word(term: QuestionTerm) -> bool:
    """Whether each spelling of a term is one word, so that one run can count it with others."""
    return bool(term.spellings) and all(len(_beginnings(spelling)) == 1 for spelling in term.spellings)


def any_of(terms: Sequence[QuestionTerm]) -> str:
    """Returns one regex for several terms that are words; a match is a whole word, perhaps with one character
    before."""
    return f"(?:{'|'.join(map(expression, terms))}){_REST}"


def terms_of(terms: Sequence[QuestionTerm]) -> Callable[[str], Sequence[int]]:
    """Returns a function from a match of `any_of` to the numbers of the terms it may be; several may begin alike."""
    begun = [
        (number, lowered(beginning))
        for number, term in enumerate(terms)
        for spelling in term.spellings
        for beginning in _beginnings(spelling)
    ]

    def numbers(match: str) -> Sequence[int]:
        words = lowered(match), lowered(match[1:])
        return sorted({number for number, beginning in begun if any(word.startswith(beginning) for word in words)})

    return numbers


def beginnings(term: QuestionTerm) -> list[str]:
    """Returns what each word of a term begins with in any inflection, folded; a piece of text whole."""
    return _beginnings(term.spellings[0]) if term.spellings else [term.literal]


def _of(spelling: Spelling) -> str:
    """Returns the regex for the words of a spelling in a row."""
    first, *others = _beginnings(spelling) or [""]
    return _BETWEEN.join([_edged(first), *map(_letters, others)])


def _edged(text: str) -> str:
    """Returns the regex for the beginning of a word, with the word's edge."""
    found = []
    for length, written in _choices(text):
        rest = _WITHIN + _letters(text[length:])
        if written.isascii():
            found.append(_ASCII_EDGE + written + rest)
        elif is_sign(text[0]):
            found.append(f"[{written}]{rest}")  # signs are words, whatever is before them
        else:
            found.append(f"{_EDGE}[{written}]{rest}")
    return found[0] if len(found) == 1 else f"(?:{'|'.join(found)})"


def _beginnings(spelling: Spelling) -> list[str]:
    data = spelling.text.encode("utf-8", "replace")
    return [_common(data[start:end].decode("utf-8", "replace"), stem) for start, end, stem in tokens(spelling.text)]


def _common(word: str, stem: str) -> str:
    """Returns the common start of a folded word and its stem: `mineralog` for `mineralogy`, `mineralogi`."""
    plain = lowered(word)
    return common_start(plain, stem) or plain


def _letters(text: str) -> str:
    """Returns a regex for the texts that are folded to `text`."""
    found = []
    while text:
        end = place = 1
        while place <= end:  # texts that one character is folded to may overlap
            end = max(end, place - 1 + max((length for length, _ in _choices(text[place - 1 :])), default=0))
            place += 1
        found.append(_spelled(text[:end]))
        text = text[end:]
    return "".join(found)


def _spelled(text: str) -> str:
    """Returns the regex of `_letters` for a few letters, each way to write them a branch."""
    if not text:
        return ""
    by_length: dict[int, str] = defaultdict(str)
    for length, written in _choices(text):
        by_length[length] += written
    branches = [f"[{written}]{_WITHIN}{_spelled(text[length:])}" for length, written in by_length.items()]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


def _choices(text: str) -> Iterator[tuple[int, str]]:
    """Yields how the beginning of a folded text may be written: its length, and the characters that are folded to it;
    ASCII characters by themselves."""
    first = text[0]
    if first.isascii():
        yield 1, escaped(first)
    written = sources()
    for length in range(1, min(_LONGEST, len(text)) + 1):
        others = "".join(written.get(text[:length], ()))
        if length == 1 and not first.isascii():
            others = escaped(first) + others
        if others:
            yield length, others

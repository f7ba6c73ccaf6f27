"""Splits a question into search terms.

Most terms are words. Scripts without blanks between words give pieces of text: two characters of Chinese and Korean, a
run of Katakana, three characters of Thai, Lao, Khmer and Burmese. Code between backticks that holds no word, such as
"`?`", is a piece of text, too; so is a name that ends in signs: `C++`, `F#`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from vaulttools.core.folding.identity import composed
from vaulttools.core.folding.words import SIGN, lowered, without_invisible
from vaulttools.core.spelling import apart
from vaulttools.index.words import Spelling
from vaulttools.notes import language
from vaulttools.notes.function_words import STOP_WORDS
from vaulttools.query.tree import SCOPES
from vaulttools.ranked.inflections import stem
from vaulttools.ranked.prefixes import kin
from vaulttools.ranked.weights import NOTE

MOST_TERMS: Final = 32
"""Upper bound of the terms of one question; further ones are dropped. Each costs part of a millisecond."""

MOST_TERMS_OF_ALL: Final = 64
"""The same with other wordings of the question."""

_MOST_CHARACTERS: Final = 20_000
"""Upper bound of the characters of a question that are read: 32 terms need far fewer."""

_PHRASE: Final = re.compile(r'["“„«]([^"“”„«»]+)["”“»]')
_PIECE: Final = re.compile(rf"[^\W_]+(?:[-._/][^\W_]+)*(?:\+\+|#(?![\w#]))?|{SIGN}+")
_SIGNED: Final = re.compile(r"([^\W_]+)(?:\+\+|#)")
"""A name that ends in signs. They tell `C++` from `C#` and from the letter; the words of the index have no signs."""
_JOINT: Final = re.compile(r"[-._/]")

_CODE: Final = re.compile(r"`[^`\n]{1,20}`")
_MOST_CODE: Final = 2
"""Upper bound of literal pieces of code in a question: the search must read the candidate notes for them."""
_MOST_SIGNED: Final = 4
"""Upper bound of the names that end in signs: ripgrep searches all notes for each."""

_HAN: Final = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA: Final = "\u3041-\u309f"
_KATAKANA: Final = "\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL: Final = "\uac00-\ud7a3"
_OTHERS: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_RUNS: Final = re.compile(
    f"(?P<han>[{_HAN}]+)|(?P<katakana>[{_KATAKANA}]+)|(?P<kana>[{_KANA}]+)|(?P<hangul>[{_HANGUL}]+)"
    f"|(?P<other>[{_OTHERS}]+)"
)
_HAN_STOPS: Final = re.compile(
    "为什么|為什麼|怎么样|怎样|怎麼|怎么|如何|什么|什麼|哪些|哪里|哪裡|是否|可以|的|了|吗|嗎|呢"
)
_HANGUL_STOPS: Final = frozenset(
    ("어떻게", "무엇", "무엇을", "어디", "어디에", "어디서", "언제", "왜", "누가", "어떤", "하는", "있는", "및")
)
_HANGUL_PARTICLES: Final = "을를이가은는의에로와과도만"


_OPERAND: Final = r'(?:"(?:[^"\\]|\\.)*"|\([^()]*\)|[^\s()"]+)'
_OPERATOR: Final = re.compile(
    rf"(?<!\S)-?(?:(?:{'|'.join((*SCOPES, 'tag'))}):{_OPERAND}"
    r"|\[(?!\[)[^\]\[:]+:[^\]\[]+\](?!\())"
    r'|(?<!\S)-\[[^\W\d_]{2}[^\]\[:()"]*\](?!\S)'
    r'|(?<!\S)-(?:"[^"]+"|[^\W\d_]{3,})(?!\S)'
)
"""Operators of Obsidian's search language that nobody writes by chance; a hyphen and a single letter do not match."""


@dataclass(frozen=True, slots=True)
class QuestionTerm:
    """One search term of a question."""

    text: str
    """The term as typed."""
    spellings: tuple[Spelling, ...] = ()
    """The ways to write it in words; empty for a piece of text."""
    parts: tuple[str, ...] = ()
    """The words or pieces of text it consists of; the search uses them if no note holds the whole term."""
    is_phrase: bool = False
    """Whether it was quoted. The words of a phrase are terms of their own, too."""

    @property
    def literal(self) -> str:
        """The folded text of a piece of text; `""` for words."""
        return "" if self.spellings else lowered(self.text)

    @property
    def is_signed(self) -> bool:
        """Whether it is a name that ends in signs, such as `C++`."""
        return _SIGNED.fullmatch(self.text) is not None and not self.spellings


@dataclass(frozen=True, slots=True)
class Question:
    """A question split into its terms."""

    terms: tuple[QuestionTerm, ...]
    """The terms in their order, each once."""
    stop_words: tuple[str, ...]
    """Words that the search leaves out."""
    own: int = 0
    """Number of the first terms, which are those of the question itself; the rest come from other wordings of it."""
    is_cut: bool = False
    """Whether it has more terms than `MOST_TERMS`."""
    languages: frozenset[str] = frozenset()
    """The languages that it may be in, as `notes.language` names them; empty if unknown."""
    asks_for_number: bool = False
    """Whether it asks, in one of seven languages, for a number, a price or a date."""


@lru_cache(maxsize=32)  # one answer reads its question four times
def read(text: str, also: tuple[str, ...] = ()) -> Question:
    """Read a question, and other wordings of it, whose terms follow its own. It has no terms if it holds no letter, no
    digit and no code without words. Stop words are left out, unless the question holds nothing else."""
    question = _read(text)
    if not also:
        return question
    terms = {_identity(term): term for term in question.terms}
    for wording in map(read, also):
        for term in wording.terms:
            terms.setdefault(_identity(term), term)
    found = tuple(terms.values())[:MOST_TERMS_OF_ALL]
    return replace(question, terms=found)


def _identity(term: QuestionTerm) -> tuple[str, bool]:
    """Returns what makes two terms the same."""
    return term.literal or term.text.lower(), term.is_phrase


def _read(text: str) -> Question:
    is_long = len(text) > _MOST_CHARACTERS
    text = text[:_MOST_CHARACTERS]
    text = text.encode("utf-8", "replace").decode()  # no half of a surrogate pair
    text = composed(without_invisible(text))
    phrases = [found[1].strip() for found in _PHRASE.finditer(text)]
    pieces = _pieces(text)
    words = [piece.lower() for piece in pieces]
    stops = stop_words_among(words)
    languages = language.of_question(text)
    code = [found[0] for found in _CODE.finditer(text) if not _pieces(found[0]) and found[0].strip("` ")]
    is_only_stops = not code and all(each in stops for each in words)
    terms = [_phrase(phrase) for phrase in phrases if len(_pieces(phrase)) > 1 and not _RUNS.search(phrase)]
    dropped: list[str] = []
    names: set[str] = set()
    for piece in pieces:
        if _RUNS.search(piece):
            terms += _mixed(piece, languages)
        elif piece.lower() in stops and not is_only_stops:
            dropped.append(piece)
        elif (signed := _SIGNED.fullmatch(piece)) and len(names | {piece.lower()}) <= _MOST_SIGNED:
            names.add(piece.lower())
            terms.append(QuestionTerm(piece, parts=(signed[1],)))
        else:
            terms.append(_word(piece.rstrip("+#"), languages))
    terms += map(QuestionTerm, code[:_MOST_CODE])
    if not terms:  # kana alone, or particles
        terms = [QuestionTerm(gram) for piece in pieces for run in _RUNS.finditer(piece) for gram in _grams(run[0], 2)]
    once = {_identity(term): term for term in reversed(terms)}
    found = tuple(reversed(once.values()))
    return Question(
        found[:MOST_TERMS],
        tuple(dict.fromkeys(dropped)),
        len(found[:MOST_TERMS]),
        is_long or len(found) > MOST_TERMS,
        languages,
        _ASKS_FOR_NUMBER.search(text) is not None,
    )


def _pieces(text: str) -> list[str]:
    """Returns the words of a text, compound names whole, and the signs; not what is nothing when it is folded."""
    # Python does not count vowel signs and accents after a letter as letters; to everybody else they are part of the
    # word.
    shape = (
        text
        if text.isascii()
        else "".join("a" if unicodedata.category(each) in ("Mn", "Mc") else each for each in text)
    )
    pieces = (text[found.start() : found.end()] for found in _PIECE.finditer(shape))
    return [piece for piece in pieces if lowered(piece)]


def without_operators(text: str) -> tuple[str, str]:
    """Returns a question without its operators of Obsidian's search language, and the operators as a query."""
    found = [each[0] for each in _OPERATOR.finditer(text)]
    return _OPERATOR.sub(" ", text).strip(), " ".join(found)


def word(text: str, languages: AbstractSet[str] = frozenset()) -> QuestionTerm:
    """Make a term of one word of a question that may be in any of `languages`; a hyphen or a capital in it does not
    split it."""
    found = [Spelling(text), *(Spelling(other, share=NOTE.kin) for other in kin(text))]
    if beginning := stem(text, languages):
        found.append(Spelling(beginning, is_beginning=True, share=NOTE.kin))
    return QuestionTerm(text, tuple(found))


def _phrase(text: str) -> QuestionTerm:
    return QuestionTerm(text, (Spelling(text),), is_phrase=True)


def _word(piece: str, languages: AbstractSet[str]) -> QuestionTerm:
    """Make a term of a word or a compound name: notes may write `end-to-end` as one word, `RouterReset` as two."""
    joints = [part for part in _JOINT.split(piece) if part]
    parts = joints if len(joints) > 1 else apart(piece)
    if len(parts) == 1:
        return word(piece, languages)
    other = "".join(parts) if len(joints) > 1 else " ".join(parts)
    return QuestionTerm(piece, (Spelling(piece), Spelling(other)), tuple(part for part in parts if len(part) > 1))


def _mixed(piece: str, languages: AbstractSet[str]) -> Iterator[QuestionTerm]:
    """Yields the terms of a piece that holds a script without blanks, in their order."""
    end = 0
    for run in _RUNS.finditer(piece):
        yield from (_word(each, languages) for each in _pieces(piece[end : run.start()]))
        yield from _terms_of_run(run)
        end = run.end()
    yield from (_word(each, languages) for each in _pieces(piece[end:]))


def _terms_of_run(run: re.Match[str]) -> Iterator[QuestionTerm]:
    text = run[0]
    match run.lastgroup:
        case "han":
            for part in filter(None, _HAN_STOPS.split(text)):
                yield from map(QuestionTerm, _grams(part, 2))
        case "katakana":
            yield QuestionTerm(text, parts=tuple(_grams(text, 3)) if len(text) > 3 else ())
        case "hangul":
            if text not in _HANGUL_STOPS:
                is_marked = len(text) > 2 and text[-1] in _HANGUL_PARTICLES
                yield from map(QuestionTerm, _grams(text[:-1] if is_marked else text, 2))
        case "other":
            yield from map(QuestionTerm, _grams(text, 3))
        case _:  # Hiragana between other scripts is grammar
            return


def _grams(text: str, length: int) -> Sequence[str]:
    """Returns every substring of `length` characters; a shorter text whole."""
    return [text[start : start + length] for start in range(max(1, len(text) - length + 1))]


def stop_words_among(words: Sequence[str]) -> frozenset[str]:
    """Returns the stop words among the words (lower case) of one question: those of the language that has most of them.

    They may be all words of the question. `die` in an English question is no stop word.
    """
    found = (language.intersection(words) for language in STOP_WORDS.values())
    return max(found, key=lambda some: sum(word in some for word in words))


_ASKS_FOR_NUMBER: Final = re.compile(
    # English, German, French, Spanish, Italian and Portuguese, Dutch. `when` and `quando` inside a sentence rarely ask
    # a question.
    r"^\W*(?:since |until |by )?when\b|\b(?:what|which) (?:year|date|day|month|century|decade)\b"
    r"|\bwann\b|\bwelche[mnrs]? (?:Jahr|Datum|Tag|Monat|Jahrhundert)\b"
    r"|^\W*quand\b|\bquelle (?:année|date)\b|\bquel (?:jour|mois|siècle)\b"
    r"|\bcuándo\b|\bqué (?:año|fecha|día|mes|siglo)\b"
    r"|^\W*quando\b|\b(?:che|quale|que) (?:anno|data|giorno|mese|secolo|ano)\b"
    r"|\bwanneer\b|\bwelke? (?:jaar|datum|dag|maand|eeuw)\b"
    r"|\bhow (?:many|much|long|big|large|far|often|old|high|small|fast|soon|wide|deep|tall|heavy|late|few)\b"
    r"|\b(?:what|which) (?:number|share|price|age|size|percentage)\b"
    r"|\bwie ?(?:viele?|lange?|groß|oft|hoch|weit|alt|schnell|schwer|tief|breit)\b"
    r"|\bcombien\b|\bcuánt[oa]s?\b|\bquant[oaie]s?\b"
    r"|\bhoe ?(?:veel|vaak|lang|groot|ver|oud|hoog|snel|zwaar|diep|breed)\b",
    re.IGNORECASE,
)

"""Finds the language of a text by its script and its function words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Final

from vaulttools.notes.function_words import FUNCTION_WORDS, STOP_WORDS

UNKNOWN: Final = ""
ENGLISH: Final = "en"

SAMPLE: Final = 1_000
"""Characters of a note that decide its language: some 150 words, a third of them function words."""

_FEWEST: Final = 4
"""A language is known only if the text has at least this many of its function words."""
_SHARE: Final = 0.08
"""Function words must be at least this part of the words: a third are in prose, hardly any in lists of names and in
languages without a list here."""

_SCRIPTS: Final = (
    (0x370, 0x3FF, "el"),
    (0x400, 0x52F, "ru"),
    (0x530, 0x58F, "hy"),
    (0x590, 0x5FF, "he"),
    (0x600, 0x77F, "ar"),
    (0x900, 0x97F, "hi"),
    (0x980, 0x9FF, "bn"),
    (0xB80, 0xBFF, "ta"),
    (0xE00, 0xE7F, "th"),
    (0x10A0, 0x10FF, "ka"),
    (0x1100, 0x11FF, "ko"),
    (0x1780, 0x17FF, "km"),
    (0x3041, 0x30FF, "ja"),
    (0x3400, 0x9FFF, "zh"),
    (0xAC00, 0xD7A3, "ko"),
    (0xF900, 0xFAFF, "zh"),
)
"""The first and the last code point of a script, and the language of most notes in it."""
_NOT_LATIN: Final = re.compile("[\u0370-\u1cff\u3041-\ufaff]+")
_OTHER_SCRIPT: Final = 0.2
"""A text has another script if this part of its letters is in it: the rest are names, code, addresses."""
_KANA: Final = 0.1
"""A text is Japanese if this part of its Chinese and Japanese characters is kana: Chinese has no kana."""

_TRADITIONAL: Final = frozenset("們個這為說來時會對學發後從麼關開圖檔資動種實現點選設頁連結輸預請與還將應內")
_SIMPLIFIED: Final = frozenset("们个这为说来时会对学发后从么关开图档资动种实现点选设页连结输预请与还将应内")
_PERSIAN: Final = frozenset("پچژگکی")
_PERSIAN_SHARE: Final = 0.02
"""A text is Persian if this part of its Arabic letters is used by Persian alone: Arabic has them only in names."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_APART: Final = bytes(code if chr(code).isalpha() else 32 for code in range(128)).lower().ljust(256)
"""By ASCII character: a letter in lower case, else a blank."""


def _languages_of(lists: Mapping[str, AbstractSet[str]]) -> dict[str, tuple[str, ...]]:
    """Returns for each word the languages whose list has it."""
    found: dict[str, tuple[str, ...]] = {}
    for language, words in lists.items():
        for word in words:
            found[word] = (*found.get(word, ()), language)
    return found


_OF_WORD: Final = _languages_of(FUNCTION_WORDS)
_OF_ASKING_WORD: Final = _languages_of(STOP_WORDS)

LANGUAGES: Final = (UNKNOWN, *FUNCTION_WORDS, *sorted({name for _, _, name in _SCRIPTS} - {"ru"}), "zh-hant", "fa")
"""All values that `of` returns."""

NAMES: Final[Mapping[str, str]] = {
    "ar": "Arabic",
    "bn": "Bengali",
    "ca": "Catalan",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "hy": "Armenian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ka": "Georgian",
    "km": "Khmer",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sv": "Swedish",
    "ta": "Tamil",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
    "zh": "Chinese",
    "zh-hant": "traditional Chinese",
}
"""English names of all languages but `UNKNOWN`."""


def of(text: str) -> str:
    """Returns the language of a text, as ISO 639-1 names it; `zh-hant` for traditional Chinese; `UNKNOWN` if
    unknown."""
    sample = text[:SAMPLE]
    if not sample.isascii() and (language := _by_script(sample)):
        return language
    words = _runs(sample)
    counts = _counted(words, _OF_WORD)
    if not counts:
        return UNKNOWN
    language, count = max(counts.items(), key=lambda each: each[1])
    return language if count >= max(_FEWEST, _SHARE * len(words)) else UNKNOWN


def of_question(text: str) -> frozenset[str]:
    """Returns the languages that a question may be in; empty if unknown."""
    if not text.isascii() and (language := _by_script(text)):
        if language == "ru":
            return _most(_runs(text), ("ru", "uk")) or frozenset(("ru", "uk"))
        if language.startswith("zh") and not {*text} & (_TRADITIONAL ^ _SIMPLIFIED):
            return frozenset(("zh", "zh-hant"))
        return frozenset((language,))
    return _most(_runs(text), tuple(FUNCTION_WORDS))


def is_other(written: AbstractSet[str], asked: AbstractSet[str]) -> bool:
    """Whether a note written in the languages `written` is in another language than a question that may be in any of
    `asked`. An unknown language fits every question."""
    return bool(asked) and asked.isdisjoint(written) and UNKNOWN not in written


def _runs(text: str) -> list[str]:
    """Returns the runs of letters, in lower case."""
    if text.isascii():  # takes a fifth of the time
        return text.encode().translate(_APART).decode().split()
    return _WORD.findall(text.lower())


def _most(words: Iterable[str], among: Iterable[str]) -> frozenset[str]:
    """Returns the languages in `among` whose stop words make up most of a question's words."""
    counts = _counted(words, _OF_ASKING_WORD)
    most = max((counts.get(language, 0) for language in among), default=0)
    return frozenset(language for language in among if most and counts.get(language, 0) == most)


def _counted(words: Iterable[str], languages_of: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Returns for each language how many of the words its list has."""
    counts: dict[str, int] = defaultdict(int)
    for word, count in Counter(filter(languages_of.__contains__, words)).items():
        for language in languages_of[word]:
            counts[language] += count
    return counts


def _by_script(text: str) -> str:
    """Returns the language of a text by its script; `UNKNOWN` if it is Latin."""
    signs = Counter("".join(_NOT_LATIN.findall(text)))
    if not signs:
        return UNKNOWN
    counts: Counter[str] = Counter()
    for sign, count in signs.items():
        counts[_script(ord(sign))] += count
    language, count = counts.most_common(1)[0]
    if counts["ja"] > _KANA * (counts["ja"] + counts["zh"]):
        language, count = "ja", counts["ja"] + counts["zh"]
    if count < _OTHER_SCRIPT * len("".join(_WORD.findall(text))):
        return UNKNOWN
    match language:
        case "zh":
            traditional = sum(signs[sign] for sign in _TRADITIONAL)
            return "zh-hant" if traditional > sum(signs[sign] for sign in _SIMPLIFIED) else "zh"
        case "ru":
            found = _most(_runs(text), ("ru", "uk"))
            return "uk" if found == {"uk"} else "ru"
        case "ar":
            return "fa" if sum(signs[sign] for sign in _PERSIAN) > count * _PERSIAN_SHARE else "ar"
        case _:
            return language


@cache
def _script(sign: int) -> str:
    return next((language for first, last, language in _SCRIPTS if first <= sign <= last), UNKNOWN)

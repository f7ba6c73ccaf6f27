"""Folds words of every script, as the index, ranked questions and titles compare them.

Spellings between which a writer may choose become one: Unicode forms, case, accents, vowel signs that may be left out,
traditional and simplified characters. Letters that tell words apart stay. Names, links, tags, properties and filters
are compared by their identity, which drops nothing.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate, chain, islice, product
from pathlib import Path
from typing import Final, NamedTuple

from vaulttools.core.cached import cached_property
from vaulttools.core.folding.identity import follows

_RUN: Final = re.compile(r"([^\x00-\x7f¼½¾⅐-⅞↉℡℻…]+)")
"""The characters that folding may change. ASCII stays as it is, since the word table lowers it. So do fractions: their
compatibility forms would join the word before them."""

_MARKS: Final = (
    range(0x0300, 0x0370),
    range(0x0483, 0x0488),  # Old Cyrillic
    range(0x0591, 0x05C8),  # Hebrew points
    range(0x0610, 0x061B),  # Arabic vowel signs
    range(0x064B, 0x0660),
    range(0x0670, 0x0671),
    range(0x06D6, 0x06EE),
    range(0x08D3, 0x0900),
    range(0x1AB0, 0x1B00),
    range(0x1DC0, 0x1E00),
    range(0x20D0, 0x2100),
    range(0xFE00, 0xFE10),  # forms of emoji
    range(0xFE20, 0xFE30),
    range(0xE0100, 0xE01F0),
)
"""Marks that writing may leave out. Vowel signs of Indic scripts and of Thai are letters."""

_LETTERS: Final[Mapping[str, str]] = {
    **dict(zip("łøđðħŧıĸ", "loddhtik", strict=True)),
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
    **dict(zip("ёѐѝ", "ееи", strict=True)),
    **dict(zip("أإآٱىیةکـ", [*"اااايي", "ه", "ك", ""], strict=True)),
    **dict.fromkeys("ۀہۂۃ", "ه"),
    "ۓ": "ے",
}
"""Letters by their plain spelling: Latin, Cyrillic, Arabic (with those of Persian and Urdu, without the tatweel)."""

_INVISIBLE: Final = re.compile(
    "(?P<gap>(?<=[\u0600-\u06ff])\u200c)"
    "|[\u00ad\u061c\u180e\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
    "|(?<=[\u0e00-\u109f\u1780-\u17ff])\u200b"
)
"""Invisible characters inside words, those of direction too. The gap parts a Persian word; scripts without blanks may
have an empty one."""
_FORM: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""A choice among the forms of the character before it, as text or picture; folding drops it as a mark."""

SIGN: Final = (
    "[\xa9\xae\u203c\u2049\u2116\u2120\u2122\u2139\u2190-\u245f\u24c2\u25a0-\u2775\u2794-\u27ff\u2900-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001f3fa\U0001f400-\U0001faff]"
)
"""Regex of an emoji or another sign, which is a word. Box drawing is none, and no colour of skin is one."""
_SIGN: Final = re.compile(SIGN)
_FIRST_SIGN: Final = 0xF0000
_SIGN_BITS: Final = 0x7FFF
"""A sign is folded to the character of private use from `_FIRST_SIGN` on with the same last bits: SQLite splits words
at the signs of Unicode 6, and takes later ones for letters."""


def folded(text: str) -> str:
    """Returns a text whose words are folded. Texts may be folded in parts: where a part begins with a blank, nothing
    differs. ASCII letters keep their case."""
    if text.isascii():
        return text
    parts = _RUN.split(text)
    parts[1::2] = map(_folded, parts[1::2])  # twice as fast as `sub`, which calls a function for each run
    return "".join(parts)


def lowered(text: str) -> str:
    """Returns a folded text in lower case, without blanks around it: two spellings of one word are the same."""
    return folded(text).lower().strip()


def without_invisible(text: str) -> str:
    """Returns a text without what is invisible inside words, as folding leaves it out."""
    return text if text.isascii() else _FORM.sub("", _INVISIBLE.sub(_gap, text))


def _gap(match: re.Match[str]) -> str:
    return " " if match["gap"] else ""


def is_sign(character: str) -> bool:
    """Whether a character of a folded text is a sign."""
    return _FIRST_SIGN <= ord(character) <= _FIRST_SIGN + _SIGN_BITS


def may_split(text: str) -> bool:
    """Whether folding a text may change where its words begin and end; False is sure."""
    return not text.isascii() and _splitting().search(text) is not None


@cache
def _splitting() -> re.Pattern[str]:
    """Returns the regex of the characters that folding drops, or makes letters of, or other than letters."""
    found = "".join(
        chr(code)
        for code in chain.from_iterable(_CHANGED)
        if code < 0x10000 and {_is_of_word(each) for each in folded(chr(code))} != {_is_of_word(chr(code))}
    )
    # With larger characters in it, `re` would search the whole set for each character.
    return re.compile(f"[{re.escape(found)}]|[\U00010000-\U0010ffff]")


def _is_of_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category == "Co" or (category[0] in "LMN" and character not in _SEPARATING)


_SEPARATING: Final = "\u0e4d\u0ecd"
"""Marks that folding makes of other characters, at which the word table splits (`index.file`)."""


ENCLOSED: Final = "①-⑳⒈-⒛Ⓐ-ⓁⓃ-ⓩ⓪-⓿❶-➓㉑-㉟㊱-㊿"
"""Class of a regex: numbers and letters in circles, numbers with a full stop. Their plain form would join the word
beside them. `Ⓜ` is an emoji."""
_ENCLOSED: Final = re.compile(f"[{ENCLOSED}]")


def _apart() -> Iterator[tuple[int, str]]:
    """Yields the characters that are words of their own, and what they become: signs whose compatibility form is
    letters or signs of ASCII, and what is enclosed."""
    for code in (0x203C, 0x2049, 0x2116, 0x2120, 0x2122, 0x24C2):
        yield code, f" {chr(_FIRST_SIGN + (code & _SIGN_BITS))} "
    for character in filter(_ENCLOSED.match, map(chr, range(0x2460, 0x32C0))):
        number = unicodedata.numeric(character, None)
        plain = unicodedata.normalize("NFKC", character).casefold() if number is None else f"{number:.0f}"
        yield ord(character), f" {plain} "
    yield 0x20E3, " "  # the end of a keycap, behind its digit


_APART: Final = dict(_apart())


@lru_cache(maxsize=1 << 14)  # words come again
def _folded(run: str) -> str:
    """Fold characters that are not ASCII."""
    run = run.translate(_APART)
    if not run.isprintable():  # nothing invisible is printable
        run = _INVISIBLE.sub(_gap, run)
    return unicodedata.normalize("NFKC", run).casefold().translate(_CHARACTERS)


class _Characters(dict[int, str]):
    """What each character is folded to; made when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = made = _character(code)
        return made


_CHARACTERS: Final = _Characters()


def _character(code: int) -> str:
    """Fold one character that is composed and in lower case."""
    character = chr(code)
    if code < 0x80:
        return character
    if any(code in marks for marks in _MARKS):
        return ""
    if (plain := _LETTERS.get(character)) is not None:
        return plain
    if _SIGN.match(character):
        return f" {chr(_FIRST_SIGN + (code & _SIGN_BITS))} "
    if unicodedata.decomposition(character) and unicodedata.name(character, "").startswith(("LATIN", "GREEK")):
        letters = unicodedata.normalize("NFD", character)
        return "".join(_LETTERS.get(each, each) for each in letters if ord(each) not in _MARKS[0])
    return _simplified().get(character, character) if code >= 0x3400 else character


@cache
def _simplified() -> Mapping[str, str]:
    """Returns the simplified form of each traditional Chinese character that has one."""
    pairs = Path(__file__).with_name("simplified.txt").read_text(encoding="utf-8").replace("\n", "")
    return dict(zip(pairs[::2], pairs[1::2], strict=True))


class Folded:
    """A folded text that knows where its characters come from."""

    def __init__(self, text: str) -> None:
        self._runs = [text] if text.isascii() else _RUN.split(text)
        self._made = self._runs.copy()
        self._made[1::2] = map(_folded, self._runs[1::2])
        self.is_as_written: Final = self._made == self._runs
        """Whether the folded text is the text."""
        self.data: Final = "".join(self._made).encode("utf-8", "replace")
        """The folded text in UTF-8."""
        self._pieces: dict[int, _Ends] = {}
        """The pieces of a run, by its number, once they were needed."""

    def written(self, start: int, end: int) -> tuple[int, int]:
        """Returns where a part of `data` is in the text, in bytes of UTF-8; characters that were folded are whole."""
        if self.is_as_written:
            return start, end
        ends = self._ends
        number = bisect_right(ends.made, start)
        place = start - ends.made_before(number)
        begins = ends.before(number) + (place if ends.is_same[number] else self._of_run(number).start(place))
        number = bisect_left(ends.made, end)
        place = end - ends.made_before(number)
        stops = ends.before(number) + (place if ends.is_same[number] else self._of_run(number).end(place))
        following = number + 1
        if end == ends.made[number] and following < len(ends.made) and not ends.is_same[following]:
            stops += self._of_run(following).end(0)  # marks that were dropped belong to the letter before them
        return begins, stops

    @cached_property
    def _ends(self) -> _Ends:
        return _Ends.of(zip(self._runs, self._made, strict=True))

    def _of_run(self, number: int) -> _Ends:
        """Returns the pieces of a run that folding changed."""
        kept = self._pieces.get(number)
        if kept is None:
            kept = self._pieces[number] = _Ends.of(_pieces(self._runs[number], self._made[number]))
        return kept


class _Ends(NamedTuple):
    """Where the pieces of a text end, in bytes from its beginning, as written and as folded."""

    written: Sequence[int]
    made: Sequence[int]
    is_same: Sequence[bool]

    @classmethod
    def of(cls, pieces: Iterable[tuple[str, str]]) -> _Ends:
        """Returns the ends of pieces, each as written and as folded."""
        written, made = [*zip(*pieces, strict=True)] or [(), ()]
        return cls([*_sums(written)], [*_sums(made)], [*map(operator.eq, written, made)])

    def before(self, number: int) -> int:
        """Returns where a piece begins as written."""
        return self.written[number - 1] if number else 0

    def made_before(self, number: int) -> int:
        """Returns where a piece begins as folded."""
        return self.made[number - 1] if number else 0

    def start(self, place: int) -> int:
        """Returns where the character that was folded to the one at a place begins."""
        number = bisect_right(self.made, place)
        if number == len(self.made):
            return self.written[-1]
        return self.before(number) + (place - self.made_before(number) if self.is_same[number] else 0)

    def end(self, place: int) -> int:
        """Returns where the character that was folded to the one before a place ends, with the marks behind it."""
        number = bisect_left(self.made, place)
        last = bisect_right(self.made, place)
        if last > number:  # pieces end there; those behind the first one were dropped
            return self.written[last - 1]
        if not place:
            return 0
        return self.before(number) + place - self.made_before(number) if self.is_same[number] else self.written[number]


def _sums(texts: Iterable[str]) -> Iterator[int]:
    """Yields where each text ends, in bytes of UTF-8."""
    return accumulate(map(len, map(operator.methodcaller("encode", "utf-8", "replace"), texts)))


class _Alone(dict[str, str]):
    """What each character is folded to without those beside it; made when it is first met."""

    def __missing__(self, character: str) -> str:
        self[character] = made = _folded(character)
        return made


_ALONE: Final = _Alone()


def _pieces(run: str, made: str) -> Iterator[tuple[str, str]]:
    """Yields the pieces of a run that are folded alone as they are within it, and what each becomes; `made` is the
    folded run. Where each character becomes one, as in most sentences without blanks, what stays is one piece."""
    if len(made) != len(run) or not all(map(operator.eq, map(_ALONE.__getitem__, run), made)):
        for cluster in _clusters(run):
            yield cluster, _folded(cluster)
        return
    start = 0
    for place, is_same in enumerate(map(operator.eq, run, made)):
        if not is_same:
            if place > start:
                yield run[start:place], made[start:place]
            yield run[place], made[place]
            start = place + 1
    if start < len(run):
        yield run[start:], made[start:]


def _clusters(run: str) -> Iterator[str]:
    """Yields a run in pieces that are folded alone as they are within it: a letter with the marks behind it."""
    start = 0
    for place, character in enumerate(run):
        if place > start and not _joins(character):
            yield run[start:place]
            start = place
    yield run[start:]


def _joins(character: str) -> bool:
    """Whether a character belongs to those before it: it may be composed with them, or is invisible, a sound mark of
    narrow kana, a late part of a Hangul syllable, or a colour of skin."""
    return follows(character) or unicodedata.category(character) == "Cf" or character in _JOINED


_JOINED: Final = frozenset(map(chr, chain(range(0xD7B0, 0xD800), range(0xFF9E, 0xFFA0), range(0x1F3FB, 0x1F400))))

_MOST_FORMS: Final = 64
"""Upper bound of the mixtures of traditional and simplified characters that are searched for."""


def forms(text: str) -> Sequence[str]:
    """Returns the spellings of a piece of text of a script without blanks, with case folded: its Unicode forms,
    traditional and simplified characters, narrow kana, and radicals, which texts from PDF have. Texts that mix these
    hold none of them."""
    whole = folded(text)
    mixtures = product(*(_traditional().get(each, each) for each in whole))
    spelled = [text, *map("".join, islice(mixtures, _MOST_FORMS))]
    spelled += ("".join(written.get(each, each) for each in whole) for written in (_narrow(), _radicals()))
    for apart, joined in _THAI_AND_LAO_AM:
        spelled.append(whole.replace(apart, joined))
    found = (unicodedata.normalize(form, each).casefold() for each in spelled for form in ("NFC", "NFD"))
    return list(dict.fromkeys(found))


_THAI_AND_LAO_AM: Final = (("\u0e4d\u0e32", "\u0e33"), ("\u0ecd\u0eb2", "\u0eb3"))


@cache
def _traditional() -> Mapping[str, str]:
    """Returns by simplified character itself and the traditional ones that are folded to it."""
    found: dict[str, str] = {}
    for traditional, simplified in _simplified().items():
        found[simplified] = found.get(simplified, simplified) + traditional
    return found


@cache
def _narrow() -> Mapping[str, str]:
    """Returns the narrow form of each katakana, one or two characters."""
    found = {}
    for code in range(0xFF61, 0xFF9E):
        for mark in ("", "\uff9e", "\uff9f"):
            wide = unicodedata.normalize("NFKC", chr(code) + mark)
            if len(wide) == 1:
                found[wide] = chr(code) + mark
    return found


@cache
def _radicals() -> Mapping[str, str]:
    """Returns the radical that looks like a character, by that character."""
    return {folded(chr(code)): chr(code) for code in range(0x2F00, 0x2FD6)}


@cache
def sources() -> Mapping[str, Sequence[str]]:
    """Returns the characters, other than ASCII, that are folded to each text of one to three characters."""
    found: dict[str, list[str]] = defaultdict(list)
    for code in chain.from_iterable(_CHANGED):
        character = chr(code)
        made = folded(character).strip()
        if made and made.lower() != character and character.lower() == character:  # Cherokee is folded to capitals
            found[made].append(character)
    for simplified, written in _traditional().items():
        found[simplified] += written[1:]
    return found


_CHANGED: Final = (
    range(0x80, 0x800),
    range(0x8D3, 0x900),
    range(0x958, 0x960),
    range(0x9DC, 0x9E0),
    range(0xA33, 0xA60),
    range(0xB5C, 0xB5E),
    range(0xE33, 0xE34),
    range(0xEB3, 0xEDE),
    range(0xF0C, 0xFBA),
    range(0x10A0, 0x1100),
    range(0x13F8, 0x1400),
    range(0x180E, 0x180F),
    range(0x1AB0, 0x1B00),
    range(0x1C80, 0x2D80),
    range(0x2E80, 0x2FE0),
    range(0x3000, 0x3400),
    range(0xA640, 0xA6A0),
    range(0xA720, 0xA800),
    range(0xAB50, 0xABC0),
    range(0xF900, 0x10000),
    range(0x10400, 0x10600),
    range(0x10780, 0x107C0),
    range(0x10C80, 0x10CC0),
    range(0x118A0, 0x118C0),
    range(0x16E40, 0x16E60),
    range(0x1CCD6, 0x1CCFA),  # since Unicode 16
    range(0x1D100, 0x1D800),
    range(0x1E030, 0x1E070),
    range(0x1E900, 0x1E930),
    range(0x1EE00, 0x1EF00),
    range(0x1F000, 0x1FC00),
    range(0x2F800, 0x2FA20),
    range(0xE0100, 0xE01F0),
)
"""Where the characters are that folding changes, but for traditional Chinese ones."""

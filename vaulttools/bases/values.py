"""Defines the values of expressions: types, text, truth, equality and order.

Null, booleans, numbers, strings, lists and objects are Python's own. Comparisons follow the app: `==` is loose, two
links are equal if they lead to the same file, a list of one element equals that element.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, Union

from vaulttools.bases import numbers
from vaulttools.bases.syntax import MAX_TEXT, TOO_LONG, Failed
from vaulttools.bases.times import Clock, Date, Duration, read_date, read_duration
from vaulttools.core import paths
from vaulttools.core.folding.identity import composed, identity
from vaulttools.notes.links.brackets import whole_link
from vaulttools.notes.properties.numerals import WHOLE, Numeral

if TYPE_CHECKING:
    from vaulttools.bases.regexes import CompiledRegex

Value: TypeAlias = Union[
    bool, int, float, str, "list[Any]", "Mapping[str, Any]", Date, Duration, "LinkValue", "File", "CompiledRegex", None
]


MAX_LEVELS: Final = 64
"""Levels of lists and objects in one another, as many as properties may have: what reads them calls itself for each."""
_TOO_DEEP: Final = f"Lists are nested deeper than {MAX_LEVELS} levels."


class TagValue(str):
    """A tag, with its `#`."""


class Url(str):
    """A URL."""


class Html(str):
    """Text that the app shows as HTML."""


class ImageValue(str):
    """A path or a URL that the app shows as an image."""


class Icon(str):
    """The name of an icon."""


class Tags(list[Any]):
    """The tags of a note: a nested tag also counts as each of its parents."""


@dataclass(frozen=True, slots=True)
class LinkValue:
    """A link to a file; the file may not exist."""

    target: str
    """The target as written, with its heading or block."""
    source: str
    """The path of the note that contains it; `""` is the root."""
    display: str | None = None

    @property
    def text(self) -> str:
        """The link as a wikilink."""
        return f"[[{self.target}|{self.display}]]" if self.display is not None else f"[[{self.target}]]"


@dataclass(frozen=True, slots=True)
class File:
    """A file of the vault."""

    path: str


@dataclass(frozen=True, slots=True)
class Setting:
    """What values need in one call: the time, and where links lead."""

    clock: Clock
    resolve: Callable[[str, str], str | None]
    """Takes a target and the path of the linking note; returns the path of the file, or None if there is none."""
    tick: Callable[..., None] = lambda *_: None
    """Checks the time now and then; gets the values in work."""
    number: Callable[[float], str] = numbers.printed
    """Returns a number's text: what is shown spells numbers of properties as they are written."""

    def file_of(self, link: LinkValue) -> str | None:
        """Returns the path of the file that a link leads to, without its heading or block; None if there is none."""
        return self.resolve(link.target.partition("#")[0], link.source)


_NAMES: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    Numeral: "number",
    str: "string",
    TagValue: "string",
    Icon: "string",
    Url: "url",
    Html: "html",
    ImageValue: "image",
    list: "list",
    Tags: "list",
    Date: "date",
    Duration: "duration",
    LinkValue: "link",
    File: "file",
}


_SINGLE: Final = _NAMES.keys() - {list, Tags}
"""The types without elements: most values have one, and a look at the type is quick."""


def type_of(value: Value) -> str:
    """Returns the name of a value's type, as `isType` knows it: `string`, `number`, `date`, `object`."""
    name = _NAMES.get(type(value))
    if name is not None:
        return name
    return "object" if isinstance(value, Mapping) else "regexp"


def text_of(value: Value, setting: Setting) -> str:
    """Returns a value's text, as `toString()` does.

    Raises:
        Failed: it is longer than `MAX_TEXT` or deeper than `MAX_LEVELS`, or no calendar holds a date.
    """
    bound(value)
    return _text_of(value, setting)


def bound(*values: Value) -> None:
    """Refuse values with more levels than `MAX_LEVELS`; each list counts once per level, however often it is held.

    Raises:
        Failed: one has more.
    """
    level = [value for value in values if type(value) not in _SINGLE and isinstance(value, list | Mapping)]
    for _ in range(MAX_LEVELS):
        if not level:
            return
        held = (each for above in level for each in (above if isinstance(above, list) else above.values()))
        level = list({id(each): each for each in held if isinstance(each, list | Mapping)}.values())
    if level:
        raise Failed(_TOO_DEEP)


def _text_of(value: Value, setting: Setting) -> str:
    if isinstance(value, str):
        return str(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return setting.number(value)
    if isinstance(value, list):
        return ", ".join(_texts(value, setting, 2))
    if isinstance(value, Date):
        return value.shown(setting.clock)
    if isinstance(value, Duration):
        return value.shown()
    if isinstance(value, LinkValue):
        return value.text
    if isinstance(value, File):
        return value.path
    if isinstance(value, Mapping):
        shown = dict(zip(value, _texts(value.values(), setting, 2), strict=True))
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    return value.text


def joined(values: Iterable[Value], separator: str, setting: Setting) -> str:
    """Returns the texts of values in one text.

    Raises:
        Failed: as for `text_of`.
    """
    values = list(values)
    bound(*values)
    return separator.join(_texts(values, setting, len(separator)))


def _texts(values: Iterable[Value], setting: Setting, between: int) -> Iterator[str]:
    """Yields the texts of values; fail if together, so many characters apart, they are longer than `MAX_TEXT`."""
    room = MAX_TEXT + between
    for value in values:
        setting.tick()
        text = _text_of(value, setting)
        room -= len(text) + between
        if room < 0:
            raise Failed(TOO_LONG)
        yield text


def plain(value: Value, setting: Setting) -> Any:
    """Convert a value for JSON: numbers, texts, booleans, null, lists and objects stay, others become text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        if isinstance(value, Numeral):  # JSON has the number, and CSV the spelling
            return value if abs(value) < WHOLE else value.plain
        return numbers.simplest(value) if math.isfinite(value) else numbers.printed(value)
    if isinstance(value, str):
        return paths.portable(str(value))
    if isinstance(value, list):
        return [plain(element, setting) for element in value]
    if isinstance(value, Mapping):
        return {key: plain(held, setting) for key, held in value.items()}
    return paths.portable(text_of(value, setting))


def is_true(value: Value) -> bool:
    """Whether a value counts as true: not null, not an empty text or list, not zero."""
    if isinstance(value, float):
        return value != 0 and not math.isnan(value)
    if isinstance(value, Duration):
        return not value.is_zero
    if isinstance(value, Date | LinkValue | File):
        return True
    return bool(value)


def is_empty(value: Value) -> bool:
    """Whether a value is null, or an empty text, list or object."""
    return value is None or (isinstance(value, str | list | Mapping) and not value)


def equal(left: Value, right: Value, setting: Setting) -> bool:
    """Whether `left == right` holds in an expression."""
    if isinstance(left, str) and isinstance(right, str):
        return _is_same_text(left, right)
    return _equal(left, right, setting, 0)


def _equal(left: Value, right: Value, setting: Setting, level: int) -> bool:
    return (
        _identical(left, right, setting.tick, level)
        or _loosely(left, right, setting, level)
        or _loosely(right, left, setting, level)
    )


def identical(left: Value, right: Value, tick: Callable[..., None]) -> bool:
    """Whether two values have the same type and are equal, as `unique()` compares them."""
    return _identical(left, right, tick, 0)


def _identical(left: Value, right: Value, tick: Callable[..., None], level: int) -> bool:
    tick()
    if level > MAX_LEVELS:
        raise Failed(_TOO_DEEP)
    if isinstance(left, int | float) and isinstance(right, int | float):
        return isinstance(left, bool) == isinstance(right, bool) and left == right
    if type(left) is not type(right):
        return False
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(
            _identical(*pair, tick, level + 1) for pair in zip(left, right, strict=True)
        )
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_identical(left[key], right[key], tick, level + 1) for key in left)
    if isinstance(left, str) and isinstance(right, str):
        return _is_same_text(left, right)
    return left == right


def _is_same_text(left: str, right: str) -> bool:
    """Whether two texts are equal in any Unicode form; case matters."""
    return left == right or (not left.isascii() and composed(left) == composed(right))


def _loosely(left: Value, right: Value, setting: Setting, level: int) -> bool:
    """Whether the two are equal by the rules for the left value's type."""
    setting.tick()
    if left is None or right is None:
        return False
    if isinstance(left, LinkValue):
        return _leads_to(left, right, setting)
    if isinstance(left, File):
        return isinstance(right, str) and _is_same_text(left.path, right)
    if isinstance(left, Date):
        other = read_date(right, setting.clock) if isinstance(right, str) else right
        if not isinstance(other, Date):
            return False
        if left.has_time and other.has_time:
            return left.instant == other.instant
        return left.day(setting.clock).instant == other.day(setting.clock).instant
    if isinstance(left, Duration):
        length = read_duration(right) if isinstance(right, str) else right
        return isinstance(length, Duration) and left.length(setting.clock) == length.length(setting.clock)
    if isinstance(left, list):
        if isinstance(right, list):
            pairs = zip(left, right, strict=False)
            return len(left) == len(right) and all(_equal(*pair, setting, level + 1) for pair in pairs)
        return len(left) == 1 and _equal(left[0], right, setting, level + 1)
    if isinstance(left, str | int | float) and isinstance(right, str | int | float):
        return number_of(left) == number_of(right)
    return False


def _leads_to(link: LinkValue, other: Value, setting: Setting) -> bool:
    if isinstance(other, str):
        written = read_link(other, "")
        return written is not None and _leads_to(link, written, setting)
    if isinstance(other, File):
        return setting.file_of(link) == other.path
    if not isinstance(other, LinkValue):
        return False
    here, there = setting.file_of(link), setting.file_of(other)
    return here == there if here and there else link.target == other.target


def number_of(value: Value) -> float:
    """Convert a text, a boolean or a number to a number as JavaScript does; NaN for anything else."""
    if isinstance(value, int | float):
        return value
    return numbers.read(value) if isinstance(value, str) else math.nan


def less(left: Value, right: Value, setting: Setting) -> bool | None:
    """Whether the left value is less; None if the two do not compare, so that neither `<` nor `>=` holds.

    Numbers, texts, dates and durations compare with their own kind. A text that reads as a date, a duration or a number
    compares with one. Null compares with nothing.
    """
    if isinstance(left, str) and isinstance(right, str):
        return left < right
    if isinstance(left, Date) or isinstance(right, Date):
        first, second = _instant(left, setting), _instant(right, setting)
    elif isinstance(left, Duration) or isinstance(right, Duration):
        first, second = _length(left, setting), _length(right, setting)
    else:
        first, second = number_of(left), number_of(right)
    return None if math.isnan(first) or math.isnan(second) else first < second


def _instant(value: Value, setting: Setting) -> float:
    if isinstance(value, str):
        value = read_date(value, setting.clock)
    if isinstance(value, Date):
        return value.instant
    return value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan


def _length(value: Value, setting: Setting) -> float:
    if isinstance(value, str):
        value = read_duration(value)
    if isinstance(value, Duration):
        return value.length(setting.clock)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan


def read_link(text: str, source: str) -> LinkValue | None:
    """Parse a link from `[[` to `]]`, with its display text after the last `|`; None if the text is not a link."""
    inner = whole_link(text)
    if inner is None:
        return None
    target, bar, display = inner.rpartition("|")
    return LinkValue(target, source, display) if bar else LinkValue(display, source)


def tag_of(text: str) -> str:
    """Returns a tag with its `#`."""
    return text if text.startswith("#") else f"#{text}"


def tag_covers(wanted: Value, tag: str) -> bool:
    """Whether a tag is `wanted` or nested in it; case and `#` do not matter."""
    if not isinstance(wanted, str):
        return False
    above, below = identity(tag_of(wanted)), identity(tag_of(tag))
    return below.startswith(above) and (len(above) == len(below) or below[len(above)] == "/")


def contains(held: list[Any], wanted: Value, setting: Setting) -> bool:
    """Whether a list contains a value; tags also match the tags nested in them."""
    if isinstance(held, Tags):
        for tag in held:
            setting.tick(wanted)
            if tag_covers(wanted, tag):
                return True
        return False
    return any(equal(wanted, element, setting) for element in held)

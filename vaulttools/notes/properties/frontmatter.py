"""Reads the properties block at the top of a note, whatever is wrong with it.

No note makes these functions raise: a block that cannot be read has no properties and one warning, and its text stays
searchable like any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vaulttools.notes.properties.values import EMPTY, NOT_JSON, resolve

if TYPE_CHECKING:
    from vaulttools.notes.properties.safe_yaml import Loaded
    from vaulttools.notes.properties.values import Value

# Beyond these limits a parser's time is no longer bounded by the note's size.
MAX_BYTES = 64 * 1024
MAX_LINES = 2_000
MAX_BRACKETS = 64
# Enough to correct a block; a hostile one of 64 KiB has 32,000.
MAX_WARNINGS = 20

_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)

# Characters that YAML calls not printable, and line ends of YAML 1.1 that end no line in a note (fault-C07, fault-Y14).
_UNREADABLE = re.compile(
    r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\r(?!\n)",
)
_BRACKET = re.compile(r"[][{}]")
_TOO_DEEP = f"brackets are nested deeper than {MAX_BRACKETS}"
_JSON_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"')


@dataclass(frozen=True, slots=True)
class FrontmatterBlock:
    """A properties block. Its first fence is line 1 of the note."""

    raw: str
    """The text between the fences, as written."""
    end_line: int
    """The line of the second fence, from 1."""

    @property
    def body_line(self) -> int:
        """The first line after the block, which may be one past the end of the note."""
        return self.end_line + 1


@dataclass(frozen=True, slots=True)
class Properties:
    """The values of a block by name, for JSON by `numerals.plain`, and warnings about the block.

    ``None``, ``""`` and ``[]`` stay distinct. Dates are text as written, and numbers that we would write differently
    (`1.10`) know how they are written. A warning names the line in the note if it is known.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def split(text: str) -> FrontmatterBlock | None:
    """Returns the properties block of a note, or None.

    Line 1 is `---`, and a later line `---` or `...`; both begin at the margin, with only blanks after them (fault-Y13,
    rule-P01). Without the closing line there is no block. A byte order mark before it is skipped.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return None
    raw = text[opening.end() : closing.start()]
    return FrontmatterBlock(raw=raw, end_line=raw.count("\n") + 2)


def load(block: FrontmatterBlock) -> Properties:
    """Read the values of a block; never raises.

    The block may be YAML, without constructors or merge keys, or one JSON object (rule-P07). A block that is too large,
    too deep or not well-formed has no values and one warning.
    """
    raw = block.raw
    if refusal := _refusal(raw):
        return Properties(warnings=(refusal,))
    unreadable = _UNREADABLE.search(raw)
    if unreadable:
        raw = _UNREADABLE.sub("\ufffd", raw)
    try:
        loaded = _load_json(raw) if raw.lstrip().startswith("{") else None
        loaded = loaded or _load_yaml(raw)
    except Exception as error:  # parsers raise many errors besides their own
        return Properties(warnings=(_failure(error, raw),))
    warnings = [_at(problem.offset, raw, problem.text) for problem in loaded.problems[:MAX_WARNINGS]]
    if more := len(loaded.problems) - len(warnings):
        warnings.append(f"frontmatter: {more:,} more warnings")
    if unreadable:
        warnings.append(_at(unreadable.start(), raw, "a control character or a foreign line end was replaced"))
    if isinstance(loaded.value, dict):
        return Properties(loaded.value, tuple(warnings))
    return Properties(warnings=(*warnings, _NO_MAPPING.get(type(loaded.value), "frontmatter is a single value")))


_NO_MAPPING: dict[type, str] = {list: "frontmatter is a list", type(None): EMPTY}


def _refusal(raw: str) -> str:
    if len(raw) > MAX_BYTES or len(raw.encode("utf-8", "replace")) > MAX_BYTES:
        return f"frontmatter is larger than {MAX_BYTES // 1024} KiB and was not read"
    if raw.count("\n") > MAX_LINES:
        return f"frontmatter is longer than {MAX_LINES:,} lines and was not read"
    return _at(offset, raw, _TOO_DEEP) if (offset := _too_deep(raw)) >= 0 else ""


def _too_deep(text: str) -> int:
    """Returns the offset of the first bracket, quoted or not, that is nested too deep; -1 if there is none."""
    if text.count("[") + text.count("{") > MAX_BRACKETS:
        depth = 0
        for bracket in _BRACKET.finditer(text):
            depth = depth + 1 if bracket[0] in "[{" else max(0, depth - 1)
            if depth > MAX_BRACKETS:
                return bracket.start()
    return -1


def _load_yaml(raw: str) -> Loaded:
    from frontmatter.default_handlers import YAMLHandler

    from vaulttools.notes.properties.safe_yaml import Loader

    loaded: Loaded = YAMLHandler().load(raw, Loader=Loader)
    return loaded


def _load_json(raw: str) -> Loaded | None:
    """Read one JSON object; None if the text is not one (it may still be a YAML flow mapping)."""
    if _too_deep(_JSON_STRING.sub("", raw)) >= 0:  # a quoted bracket hid the depth; the YAML loader counts levels
        return None
    from frontmatter.default_handlers import JSONHandler

    from vaulttools.notes.properties.safe_yaml import Loaded, Problem

    problems: list[Problem] = []

    def number(word: str) -> Value:
        value, problem = resolve(word)
        if problem:
            problems.append(Problem(problem, -1))
        return value

    def mapping(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
        values = dict(pairs)
        if len(values) < len(pairs):
            problems.append(Problem("a name appears twice; the last value counts", -1))
        return values

    def constant(_: str) -> None:
        problems.append(Problem(NOT_JSON, -1))

    hooks = {"parse_int": number, "parse_float": number, "parse_constant": constant, "object_pairs_hook": mapping}
    try:
        value = JSONHandler().load(raw, **hooks)
    except ValueError:
        return None
    if "\\u" in raw:  # JSON can hold half of a surrogate pair, which cannot be encoded
        value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    return Loaded(value, tuple(problems))


def _failure(error: Exception, raw: str) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    offset: int = mark.index if mark else getattr(error, "offset", -1)
    reason = getattr(error, "problem", None) or (str(error) if hasattr(error, "offset") else type(error).__name__)
    return _at(offset, raw, f"not readable as properties: {reason}")


def _at(offset: int, raw: str, text: str) -> str:
    """Returns a warning with its line in the note; the block's text begins on line 2. A negative offset is unknown."""
    return f"frontmatter: {text}" if offset < 0 else f"frontmatter line {raw.count(chr(10), 0, offset) + 2}: {text}"

"""Tells what a note says: its text without data, comments and template code.

Left out are the data of drawings and of plugins, comments for editors, rows of badges, and the code of templates and of
queries: who reads the note in Obsidian sees none of it, or something else. `docs/obsidian.md` has each decision. A
pattern still finds all of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from vaulttools.notes.links.mentions import code_spans
from vaulttools.notes.parts import Source

if TYPE_CHECKING:
    from vaulttools.notes.contents import Contents


class LeftOut(NamedTuple):
    """A part of a text that is not said; offsets in characters, the end is after its last one."""

    start: int
    end: int
    is_data: bool = False
    """Whether a plugin keeps its data there: a drawing, the settings of a board."""


def blanked(source: Source, parts: Sequence[LeftOut]) -> Source:
    """Returns a text with a blank in the place of each character of some parts, line ends kept: offsets and lines stay.
    It is `source` itself if there are no parts."""
    if not parts:
        return source
    pieces: list[str] = []
    done = 0
    for start, end, _ in parts:
        pieces += source.text[done:start], _VISIBLE.sub(" ", source.text[start:end])
        done = end
    pieces.append(source.text[done:])
    lines = "".join(pieces).split("\n")
    for number in {source.line_of(edge) - 1 for start, end, _ in parts for edge in (start, end - 1)}:
        if lines[number] != source.lines[number] and not _SAYS.search(lines[number]):
            lines[number] = " " * len(lines[number])  # `# <% title %>`: no heading without its text
    return Source("\n".join(lines))


def shortened(text: str, parts: Sequence[LeftOut], start: int, end: int) -> str:
    """Returns a part of a text that was `blanked`, without the blanks but with the line ends of `parts`."""
    first = bisect_right(parts, start, key=attrgetter("end"))
    last = bisect_left(parts, end, key=attrgetter("start"))
    if first == last:
        return text[start:end]
    pieces: list[str] = []
    done = start
    for each in parts[first:last]:
        before = text[done : max(each.start, done)]
        ends = "\n" * text.count("\n", max(each.start, start), min(each.end, end))
        done = min(each.end, end)
        if not ends and text[done : done + 1] == " " and (not before or before[-1] in " \n"):
            done += 1  # of the blanks before and after it, one is left
        pieces += before, ends
    pieces.append(text[done:end])
    return "".join(pieces)


_VISIBLE: Final = re.compile(r"[^\n]")
_SAYS: Final = re.compile(r"[^\W_]|[^\x00-\x7f]")
"""A letter, a digit, or a sign such as an emoji."""


def left_out(note: Contents, path: str, source: Source) -> Sequence[LeftOut]:
    """Returns the parts of a note that it does not say, in order; none overlap. `source` is its text."""
    merged: list[LeftOut] = []
    for part in sorted(_parts(note, path, source)):
        if merged and part.start < merged[-1].end:
            last = merged.pop()
            merged.append(LeftOut(last.start, max(last.end, part.end), last.is_data or part.is_data))
        else:
            merged.append(part)
    return merged


def _parts(note: Contents, path: str, source: Source) -> Iterator[LeftOut]:
    text = source.text
    body = source.offset(note.body_line)
    drawing = _drawing_start(note, path, text, body)
    if drawing is not None:
        yield from _of_drawing(text, body, drawing)
    if note.structure.code:
        yield from _fences(note, source)
    if not (note.structure.comments or _holds_signs(text)):
        return
    finder = _Finder(note, source, body, len(text) if drawing is None else drawing)
    yield from finder.comments()
    yield from finder.enclosed(_COMMENT, "-->")
    yield from finder.enclosed(_TEMPLATER, "%>")
    yield from finder.lines_that(_FIELD, _is_template)
    yield from finder.inline_queries()
    yield from finder.lines_that(_OF_BADGES, _is_badges)


def _holds_signs(text: str) -> bool:
    """Whether a text may hold more than fences and `%%…%%` that it does not say. Most do not."""
    if any(one in text and sign in text for one, sign in _SIGNS):
        return True
    return ("![" in text or "<img" in text) and ("shields.io" in text or "badge" in text)


_SIGNS: Final = (("<", "<!--"), ("<", "<%"), ("{", "{{"), ("`", "`="), ("`", "`$="), ("!", "[!["))
"""Signs, each after its rarest character: Python finds one character ten times as fast as several."""


# Drawings


def _drawing_start(note: Contents, path: str, text: str, body: int) -> int | None:
    """Returns where the data of an Excalidraw drawing begins; None if the note is no drawing."""
    is_named = path.lower().endswith(DRAWING)
    if not is_named and (text.find(PLUGIN, 0, body) < 0 or PLUGIN not in note.properties):
        return None
    first = _PART.search(text, body)
    return len(text) if first is None else first.start()


PLUGIN: Final = "excalidraw-plugin"
"""The property that makes a note a drawing."""
DRAWING: Final = ".excalidraw.md"
_BANNER: Final = re.compile(r"^==[^\w\n]*Switch to EXCALIDRAW VIEW[^\n]*", re.MULTILINE)
_PART: Final = re.compile(
    r"^(?:%%[ \t]*\n\s*)?(?:#{1,6}[ \t]+(?:(Excalidraw Data|Text Elements|Element Links|Embedded Files)[ \t]*$"
    r"|Drawing[ \t]*\n\s*```)|```compressed-json)",
    re.MULTILINE | re.IGNORECASE,
)
"""A heading of the plugin, which names the part below it; without a name, the drawing itself."""
_END: Final = re.compile(r"^```[ \t]*$(?:\s*^%%[ \t]*$)?", re.MULTILINE)
_ELEMENT: Final = re.compile(r"[ \t]\^[\w-]{6,}[ \t]*$", re.MULTILINE)
"""The id after a text element."""
_OF_LINK: Final = re.compile(r"^[\w-]+:[ \t]+", re.MULTILINE)
"""The id before the link of an element."""
_MARK: Final = re.compile(r"^%%[ \t]*$", re.MULTILINE)


def _of_drawing(text: str, body: int, start: int) -> Iterator[LeftOut]:
    """Yields all of a drawing but the texts and links of its elements, and what a person wrote above its data."""
    for banner in _BANNER.finditer(text, body):
        yield LeftOut(*banner.span(), is_data=True)
    parts = [*_PART.finditer(text, start)]
    for part, following in pairwise((*parts, None)):
        assert part is not None
        first, last = part.start(), len(text) if following is None else following.start()
        name = (part[1] or "").lower()
        if not name:
            end = _END.search(text, part.end())
            yield LeftOut(first, len(text) if end is None else end.end(), is_data=True)
            return
        if name == "embedded files":
            yield LeftOut(first, last, is_data=True)
            continue
        yield LeftOut(*part.span(), is_data=True)
        for found in _MARK.finditer(text, part.end(), last):
            yield LeftOut(*found.span(), is_data=True)
        for found in (_OF_LINK if name == "element links" else _ELEMENT).finditer(text, part.end(), last):
            yield LeftOut(*found.span(), is_data=True)


# Fences

_FENCE: Final = re.compile(r"[\s>]*(?:`{3,}|~{3,})[ \t]*(\S+)([^\n]*)")
_QUERIES: Final = frozenset(("dataview", "dataviewjs", "tasks", "query", "base", "button"))
"""Languages of fences in whose place Obsidian or a plugin shows the answer."""
DATA: Final = frozenset(("compressed-json", "handwritten-ink", "handdrawn-ink"))
"""Languages of fences in which plugins keep drawings."""
TLDRAW: Final = "!!!_START_OF_TLDRAW_DATA"


def _fences(note: Contents, source: Source) -> Iterator[LeftOut]:
    for first, last in note.structure.code:
        fence = _FENCE.match(source.lines[first - 1])
        if fence is None:
            continue
        language = fence[1].lower()
        is_data = (
            language in DATA
            or TLDRAW in fence[2]
            or (language == "json" and note.properties.get("mindmap-plugin") == "rich")
        )
        if is_data or language in _QUERIES:
            yield LeftOut(source.offset(first), min(source.offset(last + 1), len(source.text)), is_data)


# Signs within the text

_COMMENT: Final = re.compile("<!--")
_TEMPLATER: Final = re.compile("<%")
_FIELD: Final = re.compile("{{")
_OF_BADGES: Final = re.compile(r"\[!\[|shields\.io|badge")
_COMMENT_MARK: Final = re.compile("%%(?<!%%%)(?!%)")
_SETTINGS: Final = re.compile(r"\s*(?:kanban:settings|dbfolder:yaml)")
"""How the comment begins in which a plugin keeps its settings."""
_INLINE_QUERY: Final = re.compile(r"`=[^`\n]*(?:\bthis\b|\[\[|\bdate\()|`\$=[^`\n]*\bdv\.")
"""Dataview's inline code; `=SUM(A1)` is a formula of something else, and text."""
_TEMPLATE: Final = re.compile(r"\{\{[^{}\n]*\}\}")
_BADGE: Final = re.compile(
    r"\[!\[[^\]\n]*\](?:\([^()\n]*\)|\[[^\]\n]*\])\](?:\([^()\n]*\)|\[[^\]\n]*\])|!\[[^\]\n]*\]\([^()\n]*\)|</?[a-z][^<>\n]*>",
    re.IGNORECASE,
)
"""An image, linked or not, or a tag of HTML."""
_SERVICE: Final = re.compile(
    r"shields\.io|badge|\[!\[[^\]\n]*\]\[|travis-ci|codecov|coveralls|circleci|appveyor", re.IGNORECASE
)
"""What tells badges from pictures: the service, `badge` in the address, or a reference, as only badges have it."""
_WORDS: Final = re.compile(r"[^\W_]")


def _is_template(line: str) -> bool:
    """Whether a line holds nothing but fields that a template fills in; `$` and backslashes are those of formulas."""
    return "$" not in line and "\\" not in line and not _WORDS.search(_TEMPLATE.sub("", line))


_LONGEST_ROW: Final = 4_000
"""No row of badges has so many characters, and reading it from every bracket would be quadratic."""


def _is_badges(line: str) -> bool:
    """Whether a line holds nothing but badges."""
    if len(line) > _LONGEST_ROW:
        return False
    found = [each[0] for each in _BADGE.finditer(line)]
    images = [each for each in found if "![" in each or each[:4].lower() == "<img"]
    return bool(images) and all(map(_SERVICE.search, images)) and not _WORDS.search(_BADGE.sub("", line))


class _Finder:
    """Finds what is left out of a text up to an offset, outside code."""

    def __init__(self, note: Contents, source: Source, body: int, end: int) -> None:
        self._note = note
        self._source = source
        self._text = source.text
        self._body = body
        self._end = end
        blocks = [(self._source.offset(first), self._source.offset(last + 1)) for first, last in note.structure.code]
        borders = [self._body, *chain.from_iterable(blocks), len(self._text)]
        between = zip(borders[::2], borders[1::2], strict=True)
        self._spans = [span for start, last in between for span in _code_spans(self._text, start, last)]
        self._code = sorted([*blocks, *self._spans])
        self._starts = [*map(itemgetter(0), self._code)]

    def _find(self, sign: re.Pattern[str], offset: int) -> int:
        """Returns the next offset of a sign outside code; -1 if there is none."""
        while found := sign.search(self._text, offset, self._end):
            place = bisect_right(self._starts, found.start()) - 1
            offset = self._code[place][1] if place >= 0 else 0
            if offset <= found.start():
                return found.start()
        return -1

    def comments(self) -> Iterator[LeftOut]:
        """Yields `%%…%%`, as the structure of the note has them."""
        done = self._body
        for first, last in self._note.structure.comments:
            start = self._find(_COMMENT_MARK, max(done, self._source.offset(first)))
            if 0 <= start < self._source.offset(first + 1):
                closing = _COMMENT_MARK.search(self._text, max(start + 2, self._source.offset(last)))
                if closing is None:  # a mistake, which must not hide the rest of the note
                    return
                done = closing.end()
                yield LeftOut(start, min(done, self._end), _SETTINGS.match(self._text, start + 2) is not None)

    def enclosed(self, opening: re.Pattern[str], closing: str) -> Iterator[LeftOut]:
        """Yields what two signs enclose; an opening that nothing closes is text."""
        start = self._find(opening, self._body)
        while start >= 0 and (end := self._text.find(closing, start + len(opening.pattern), self._end)) >= 0:
            yield LeftOut(start, end + len(closing))
            start = self._find(opening, end + len(closing))

    def lines_that(self, sign: re.Pattern[str], is_left_out: Callable[[str], bool]) -> Iterator[LeftOut]:
        """Yields the lines with a sign that pass a test."""
        found = self._find(sign, self._body)
        while found >= 0:
            line = self._source.line_of(found)
            first, last = self._source.offset(line), self._source.offset(line + 1)
            if is_left_out(self._text[first:last]):
                yield LeftOut(first, last)
            found = self._find(sign, last)

    def inline_queries(self) -> Iterator[LeftOut]:
        """Yields the inline code in whose place Dataview shows a value."""
        for start, end in self._spans:
            if end <= self._end and _INLINE_QUERY.match(self._text, start, end):
                yield LeftOut(start, end)


_BLANK_LINE: Final = re.compile(r"\n[ \t]*\n")


def _code_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the offsets of inline code; it ends in the paragraph in which it begins."""
    borders = [start, *(found.start() for found in _BLANK_LINE.finditer(text, start, end)), end]
    for first, last in pairwise(borders):
        if text.find("`", first, last) >= 0:
            for one, other in code_spans(text[first:last]):
                yield first + one, first + other

"""Finds tags, links and comments past code spans, HTML and math, in one pass.

It reads the raw lines of the text regions (paragraphs, headings, table rows) that `structure` finds, and only regions
that match `CANDIDATE`. It is linear in the text: closers are looked up, never searched for twice.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from markdown_it.helpers import parseLinkDestination, parseLinkTitle

from vaulttools.notes.links.brackets import link_end
from vaulttools.notes.tags import CHARACTER, tag_name


class InlineTag(NamedTuple):
    """A tag as written, without `#`, and the offset of its `#`."""

    name: str
    start: int


class Mark(NamedTuple):
    """A `%%` outside code: its offset, whether it begins its line, and the end of its region."""

    start: int
    begins_line: bool
    region_end: int


class Wikilink(NamedTuple):
    """`[[…]]` or `![[…]]`: its offsets."""

    start: int
    end: int


class MarkdownLink(NamedTuple):
    """`[text](destination)` or `![text](destination)`: its offsets, the text as written, the destination unescaped."""

    start: int
    end: int
    text: str
    destination: str


_TAG = re.compile(rf"#{CHARACTER}++")
_COMMENT_MARK = re.compile("%%(?<!%%%)(?!%)")  # exactly two (release note 1.13)
CANDIDATE = re.compile(rf"#{CHARACTER}|%%|\[\[|\]\(")
"""Matches in every region that holds a tag, link or comment."""

_SIGN = re.compile(r"[\\`%<#$\[\]]")
_ESCAPE = re.compile(r"\\[!-/:-@\[-`{-~]")
_BACKTICKS = re.compile("`+")
MATH = re.compile(r"\$(?![\s$])[^$\n]*+(?<![\s\\])\$(?!\d)")
_DEFINITION = re.compile(r"\[(?!\^)[^\]\n]++\]:[ \t]*+\S++")
# Looser than a link: text that only looks like a destination has no tags either.
_DESTINATION = re.compile(r"\]\([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+)*\)")
_HTML = re.compile(
    r"""
      </?[A-Za-z][\w-]*+
      (?: \s++ [A-Za-z_:][\w.:-]*+ (?: \s*+ = \s*+ (?: "[^"]*+" | '[^']*+' | [^\s"'=<>`]++ ) )? )* \s*+ /?>
    | <[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20]*+>                               # a URL
    """,
    re.VERBOSE,
)
_SIMPLE = re.compile(r"\(([^\s()<>\\&\x00-\x1f\x7f]++)\)")
_BLANKS = re.compile(r"[ \t\n]*+")

_NESTED_LINKS: Final = 20
"""Images may lie in the texts of others to this depth, as in CommonMark's own parser; outer ones are text. Each repeats
what is in it: 100 kB of them, each in the next, would take 800 MB."""


@dataclass(slots=True)
class _Brackets:
    """The open square brackets, outermost first: finds Markdown links as markdown-it's inline parser does.

    It is linear in the text: each bracket is pushed on a stack and popped once.
    """

    text: str
    end: int
    _open: list[tuple[int, bool]] = field(default_factory=list)
    _depths: list[int] = field(default_factory=lambda: [0])
    """Levels of links in each open bracket so far, before them those outside all brackets."""
    _dead: int = 0
    """How many of the outermost can no longer begin a link, since they hold one; an embed still can."""

    def open(self, offset: int, *, embed: bool) -> None:
        """Record an opening bracket at an offset."""
        self._open.append((offset, embed))
        self._depths.append(0)

    def link_inside(self) -> None:
        """Record a link here: links hold no links, so no open bracket can begin one."""
        self._dead = len(self._open)

    def close(self, offset: int) -> MarkdownLink | None:
        """Returns the link that the closing bracket at an offset belongs to, or None."""
        if not self._open:
            return None
        opening, embed = self._open.pop()
        depth = self._depths.pop()
        alive = (embed or len(self._open) >= self._dead) and depth < _NESTED_LINKS
        self._dead = min(self._dead, len(self._open))
        destination = self._destination(offset + 1) if alive else None
        self._depths[-1] = max(self._depths[-1], depth + (destination is not None))
        if destination is None:
            return None
        if not embed:
            self.link_inside()
        return MarkdownLink(opening - embed, destination[1], self.text[opening + 1 : offset], destination[0])

    def _destination(self, offset: int) -> tuple[str, int] | None:
        """Returns the destination of the link whose `(` is at an offset, and the offset after its `)`; or None."""
        text, end = self.text, self.end
        if simple := _SIMPLE.match(text, offset, end):
            return simple[1], simple.end()
        if offset >= end or text[offset] != "(":
            return None
        position = self._past_blanks(offset + 1)
        found = parseLinkDestination(text, position, end)
        if found.ok:
            after = found.pos
            position = self._past_blanks(after)
            if position > after and (title := parseLinkTitle(text, position, end)).ok:
                position = self._past_blanks(title.pos)
        return (found.str, position + 1) if position < end and text[position] == ")" else None

    def _past_blanks(self, offset: int) -> int:
        blanks = _BLANKS.match(self.text, offset, self.end)
        return blanks.end() if blanks else offset


@dataclass(slots=True)
class _Closers:
    """Finds where the constructs of one region end."""

    text: str
    end: int
    runs: dict[int, list[int]] | None = None
    missing: set[str] = field(default_factory=set)

    def after_code(self, opening: re.Match[str]) -> int:
        """Returns the offset after the code span that begins here; after the backticks if it is not closed."""
        if self.runs is None:
            self.runs = {}
            for run in _BACKTICKS.finditer(self.text, opening.start(), self.end):
                self.runs.setdefault(len(run[0]), []).append(run.start())
        same_length = self.runs.get(len(opening[0]), [])
        index = bisect_left(same_length, opening.end())
        return same_length[index] + len(opening[0]) if index < len(same_length) else opening.end()

    def after(self, offset: int, closer: str) -> int:
        """Returns the offset after the next ``closer`` in the region; ``offset`` if there is none."""
        found = -1 if closer in self.missing else self.text.find(closer, offset, self.end)
        if found < 0:
            self.missing.add(closer)
            return offset
        return found + len(closer)


def scan(text: str, start: int, end: int, *, table: bool) -> Iterator[InlineTag | Mark | Wikilink | MarkdownLink]:
    """Yields the tags, comment marks and links in one region of whole lines, in the order of their ends.

    A tag begins its line (quote signs may come first) or a table cell, or follows a blank or directly another tag.
    Obsidian 1.13.7's own cache shows (cyanheads/obsidian-mcp-server issues 138 and 140): other punctuation before it
    hides it, as do code, HTML and math; the text of a link does not. The same hide links; comments do not.
    """
    closers = _Closers(text, end)
    brackets = _Brackets(text, end)
    position = start
    tag_end = hidden = -1
    while sign := _SIGN.search(text, position, end):
        at = sign.start()
        after = at + 1
        match sign[0]:
            case "[":
                embed = at > position and text[at - 1] == "!"  # an escaped `!` lies before `position`
                if link := link_end(text, at, end):
                    after = link
                    if not embed:
                        brackets.link_inside()
                    yield Wikilink(at - embed, after)
                elif _is_indented(text, at) and (definition := _DEFINITION.match(text, at, end)):
                    after = definition.end()
                else:
                    brackets.open(at, embed=embed)
            case "]":
                if markdown := brackets.close(at):
                    after = markdown.end
                    yield markdown
                elif destination := _DESTINATION.match(text, at, end):
                    hidden = destination.end()
            case "#":
                if tag := _TAG.match(text, at, end):
                    after = tag.end()
                    name = tag_name(tag[0][1:])
                    if name and at >= hidden and (at == tag_end or _may_begin(text, at, table=table)):
                        tag_end = after
                        yield InlineTag(name, at)
            case "\\":
                after += bool(_ESCAPE.match(text, at, end))
            case "`":
                if opening := _BACKTICKS.match(text, at, end):
                    after = closers.after_code(opening)
            case "%":
                if _COMMENT_MARK.match(text, at, end):
                    after += 1
                    yield Mark(at, _begins_line(text, at), end)
            case "<":
                if text.startswith("<!--", at):
                    after = closers.after(at + 4, "-->")
                elif html := _HTML.match(text, at, end):
                    after = html.end()
            case "$":
                if text.startswith("$$", at):
                    after = closers.after(at + 2, "$$")
                elif math := MATH.match(text, at, end):
                    after = math.end()
        position = after


def scan_marks(text: str, start: int, end: int) -> Iterator[Mark]:
    """Yields the comment marks of an HTML block, where nothing else counts: a comment may end in one."""
    for mark in _COMMENT_MARK.finditer(text, start, end):
        yield Mark(mark.start(), _begins_line(text, mark.start()), end)


def comment_spans(marks: list[Mark], end: int) -> Iterator[tuple[int, int]]:
    """Yields the first and last offset of each comment (rule-M01).

    A mark that begins its line starts a comment up to the next mark, over any lines, or to the end of the note (release
    notes 0.10.12, 1.13). Any other starts a comment only if the next mark is in its region.
    """
    index = 0
    while index < len(marks):
        mark = marks[index]
        closing = marks[index + 1] if index + 1 < len(marks) else None
        if closing and (mark.begins_line or closing.start < mark.region_end):
            yield mark.start, closing.start + 1
            index += 1
        elif mark.begins_line:
            yield mark.start, end
        index += 1


def _begins_line(text: str, offset: int) -> bool:
    while offset and text[offset - 1] in " \t>":
        offset -= 1
    return offset == 0 or text[offset - 1] == "\n"


def _is_indented(text: str, offset: int) -> bool:
    """Whether only blanks, at most three, come before it in its line, so that a link definition may begin."""
    before = text[max(0, offset - 4) : offset].rstrip(" ")
    return before.endswith("\n") or (offset <= 3 and not before)


def _may_begin(text: str, offset: int, *, table: bool) -> bool:
    if offset == 0 or (before := text[offset - 1]).isspace() or (table and before == "|"):
        return True
    return before == ">" and _begins_line(text, offset)

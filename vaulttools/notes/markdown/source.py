"""Addresses a text by lines and offsets.

Lines count from 1 and end at a line feed; nothing else ends one (fault-C06, fault-C07).
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate


class Source:
    """A note's text, with ``\\n`` for ``\\r\\n`` and without byte order mark, and its lines."""

    def __init__(self, text: str) -> None:
        self.text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self.lines = self.text.split("\n")
        self.starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))
        self.count = len(self.lines) - (not self.lines[-1])
        """Lines of the file; an empty file has none."""

    def offset(self, line: int) -> int:
        """Where a line begins; the end of the text for lines after the last."""
        return min(self.starts[line - 1], len(self.text)) if line <= len(self.starts) else len(self.text)

    def line_of(self, offset: int) -> int:
        """The line that holds an offset."""
        return bisect_right(self.starts, offset)

    def trimmed(self, start: int, end: int) -> int:
        """The last line of a range that holds more than blanks and quote signs."""
        while end > start and not self.lines[end - 1].strip(" \t>"):
            end -= 1
        return end

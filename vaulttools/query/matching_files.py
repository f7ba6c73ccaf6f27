"""Finds the files that match a query, and reads only those it must."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from vaulttools.core.work import UNREAD, Work
from vaulttools.files.document import Document, NotRead
from vaulttools.notes.parts import Span
from vaulttools.notes.reader import NoteReader
from vaulttools.query import evaluate, prefilter
from vaulttools.query.evaluate import Subject
from vaulttools.query.plan import Plan
from vaulttools.query.regexes import Regexes
from vaulttools.query.text import Text
from vaulttools.query.tree import Node, OutOfTimeError, Regex

_FIRST: Final = 32
"""Size of the first batch of files: enough to tell whether most of them match, as they do for a common word."""
_MOST: Final = 2_048
"""Largest batch of files: ripgrep runs once for a batch."""


class Match(NamedTuple):
    """A matching file."""

    path: str
    places: Sequence[Span]
    """The matching lines (first, last); empty if the whole file matches, or matches because something is missing."""
    text: Text | None
    """None if no line is to be shown and the text need not be read."""


class _NoTextError(Exception):
    """The file has no text to match."""


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A query that is ready to run."""

    node: Node
    sensitive: bool
    plan: Plan
    regexes: Regexes
    reader: NoteReader
    work: Work

    def matching(self, order: Callable[[AbstractSet[str]], Sequence[str]]) -> Iterator[str]:
        """Yields the paths of the matching files, in the order that `order` makes of the candidates."""
        try:
            used = self.regexes.check(self.node, sensitive=self.sensitive)
        except OutOfTimeError:
            self.work.cut()
            return
        bounds = self.plan.bounds(self.node, sensitive=self.sensitive)
        if self.plan.is_over():
            self.work.cut()
        candidates = order(bounds.may)
        place, size, answering, read = 0, _FIRST, 0, 0
        while place < len(candidates):
            together: Sequence[str] = candidates[place : place + size]
            place += size
            if answering * 2 < read:
                together = self._prefiltered(together, bounds.surely)
            self._look(used, [path for path in together if path not in bounds.surely])
            for path in together:
                if path in bounds.surely:
                    yield path
                    continue
                read += 1
                if self._answers(path):
                    answering += 1
                    yield path
            size = _MOST if answering * 2 < read else min(size * 4, _MOST)

    def _prefiltered(self, files: Sequence[str], surely: AbstractSet[str]) -> Sequence[str]:
        """Returns the files in their order; if there are many, without those that ripgrep rules out."""
        unread = [path for path in files if path not in surely and path in self.plan.files.notes]
        expression = prefilter.pattern(self.node) if len(unread) > prefilter.MANY else None
        if expression is None or self.work.is_over():
            return files
        named: set[str] = set()
        for word in prefilter.words(self.node):
            named |= self.plan.answering(word, False)
        ruled_out = self.regexes.lacking(expression, [path for path in unread if path not in named])
        return [path for path in files if path not in ruled_out]

    def shown(self, files: Sequence[str], most: int = evaluate.MOST_PLACES) -> list[Match]:
        """Returns the matching files with their places, at most `most` of one word, regex or operator."""
        try:
            self._look(self.regexes.check(self.node, sensitive=self.sensitive), files)
        except OutOfTimeError:
            self.work.cut()
            return [Match(path, (), None) for path in files]
        return [self._match(path, most) for path in files]

    def _match(self, path: str, most: int) -> Match:
        if path not in self.plan.files.notes and path not in self.plan.files.canvases:
            return Match(path, (), None)
        subject = self._subject(path)
        try:
            places = self._places(subject, most) or ()
            return Match(path, places, subject.text if places else None)
        except _NoTextError:
            return Match(path, (), None)
        except OutOfTimeError:
            self.work.pass_over(path, UNREAD)
            return Match(path, (), None)

    def _look(self, used: Sequence[tuple[Regex, bool]], files: Sequence[str]) -> None:
        """Runs ripgrep on the notes among some files, once for each regex."""
        notes = [path for path in files if path in self.plan.files.notes]
        for regex, sensitive in used:
            if notes and not self.work.is_over():
                self.regexes.look(regex, sensitive, notes)

    def _answers(self, path: str) -> bool:
        if self.work.is_over():
            self.work.pass_over(path, "time limit")
            return False
        try:
            return self._places(self._subject(path), 1) is not None
        except _NoTextError:
            return False
        except OutOfTimeError:
            self.work.pass_over(path, "time limit")
            return False

    def _subject(self, path: str) -> Subject:
        def holds(node: Node, sensitive: bool) -> bool:
            return path in self.plan.answering(node, sensitive)

        def lines(regex: Regex, sensitive: bool) -> AbstractSet[int]:
            return self.regexes.lines(regex, sensitive, path, lambda: subject.text)

        subject = Subject(partial(self._text, path), holds, lines, self.work.is_over)
        return subject

    def _places(self, subject: Subject, most: int) -> list[Span] | None:
        return evaluate.places(self.node, subject, sensitive=self.sensitive, most=most)

    def _text(self, path: str) -> Text:
        """Returns the text of a note or canvas.

        Raises:
            _NoTextError: it cannot be read or is no text (reported to `work`), or it is gone.
        """
        document = self.regexes.documents.get(path) or self._read(path)
        if path in self.plan.files.canvases:
            return Text.of_canvas(document.text)
        return Text([document.text], lambda: [self.reader.note(document)])

    def _read(self, path: str) -> Document:
        try:
            return self.reader.document(path)
        except NotRead as error:
            self.work.pass_over(path, error.reason)
            raise _NoTextError from error

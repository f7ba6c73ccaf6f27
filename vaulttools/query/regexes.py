"""Matches a query's regexes with ripgrep: in files, cards, names and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from vaulttools.core.work import Work
from vaulttools.errors import BadArgument, InvalidPattern, InvalidQuery
from vaulttools.files.document import Document
from vaulttools.files.providers import Candidates
from vaulttools.files.scope import Scope
from vaulttools.matching.ripgrep import Ripgrep
from vaulttools.matching.search import Search
from vaulttools.patterns.literals import Requirement, required
from vaulttools.patterns.pattern import Pattern
from vaulttools.query import tree
from vaulttools.query.text import Text
from vaulttools.query.tree import Case, Node, Regex


@dataclass(slots=True)
class Regexes:
    """Those of one query; a bool beside one says that case is compared."""

    query: str
    ripgrep: Ripgrep
    scope: Scope
    """The notes."""
    work: Work
    max_bytes: int
    notes: int
    """How many notes there are: when most of them are asked for, ripgrep walks the folder instead."""
    candidates: Candidates | None
    """What the index nominates; None: there is none."""
    documents: dict[str, Document] = field(default_factory=dict, init=False)
    """The texts in which lines were found, by path."""
    _lines: dict[tuple[Regex, bool], dict[str, frozenset[int]]] = field(default_factory=dict, init=False)

    def check(self, node: Node, *, sensitive: bool) -> list[tuple[Regex, bool]]:
        """All of them in a tree; `work` gets a warning about one that was repaired.

        Raises:
            InvalidQuery: ripgrep refuses one, with its reason and place.
            OutOfTimeError: there are more of them than there is time for, since each takes a process.
        """
        if isinstance(node, Case):
            return self.check(node.part, sensitive=node.sensitive)
        if isinstance(node, Regex):
            if self.work.is_over():
                raise tree.OutOfTimeError
            for notice in self._compiled(node, sensitive).notices:
                self.work.warn(notice)
            return [(node, sensitive)]
        return [found for part in tree.parts(node) for found in self.check(part, sensitive=sensitive)]

    def required(self, regex: Regex, sensitive: bool) -> Requirement | None:
        """What the index can look for in the texts that it matches in; None: nothing."""
        return required(self._compiled(regex, sensitive))

    def matching(self, regex: Regex, sensitive: bool, texts: Sequence[str]) -> AbstractSet[str]:
        """Those of some texts of one line in which it matches."""
        pattern = self._compiled(regex, sensitive)
        if pattern.multiline or not texts:
            return frozenset()
        # Each ends its line: an empty one at the end would be no line.
        joined = "".join(text.replace("\r", " ") + "\n" for text in texts)
        hits, stopped = self.ripgrep.hits_in_text(pattern, joined.encode("utf-8", "surrogateescape"), self.work)
        if stopped is not None:
            self.work.pass_over("", stopped)
            self.work.cut_short = True
        return {texts[hit.line - 1] for hit in hits}

    def look(self, regex: Regex, sensitive: bool, notes: Sequence[str]) -> None:
        """Find its lines in those of some notes in which it was not looked for yet; the documents with any are kept.

        What cannot be searched goes to `work`, and has no lines.
        """
        known = self._lines.setdefault((regex, sensitive), {})
        notes = [path for path in notes if path not in known]
        if not notes:
            return
        pattern = self._compiled(regex, sensitive)
        search = Search(self.ripgrep, self.scope.root, pattern, self.scope, self.work, self.max_bytes, self.candidates)
        counts = search.counts_of(notes, self.notes)
        known.update((path, frozenset()) for path in notes)
        for path in notes:
            reason = counts.failed.get(path) or (counts.stopped if path not in counts.matching else None)
            if reason is not None:
                self.work.pass_over(path, reason)
        for found in search.located([path for path in notes if path in counts.matching], limit=None):
            known[found.document.path] = frozenset(found.hits.numbers)
            self.documents[found.document.path] = found.document

    def lacking(self, expression: str, notes: Sequence[str]) -> set[str]:
        """Those of some notes in which ripgrep has looked for an expression, case ignored, and found none."""
        pattern = self.ripgrep.compile(expression, "regex", ignore_case=True)
        search = Search(self.ripgrep, self.scope.root, pattern, self.scope, self.work, self.max_bytes, self.candidates)
        counts = search.counts_of(notes, self.notes)
        return set() if counts.stopped else {*notes} - counts.matching.keys() - counts.failed.keys()

    def lines(self, regex: Regex, sensitive: bool, path: str, read: Callable[[], Text]) -> AbstractSet[int]:
        """The lines of a file in which it matches; those of a canvas are looked for now."""
        known = self._lines.setdefault((regex, sensitive), {})
        if path not in known:
            pattern = self._compiled(regex, sensitive)
            raw = read().text.encode("utf-8", "surrogatepass")
            hits, stopped = self.ripgrep.hits_in_text(pattern, raw, self.work)
            if stopped is not None:
                self.work.pass_over(path, stopped)
            known[path] = frozenset(hits.numbers)
        return known[path]

    def _compiled(self, regex: Regex, sensitive: bool) -> Pattern:
        try:
            return self.ripgrep.compile(regex.source, "regex", ignore_case=not sensitive)
        except InvalidPattern as error:
            raise InvalidQuery(self.query, regex.position, f"invalid regex: {error.reason}") from error
        except BadArgument as error:
            raise InvalidQuery(self.query, regex.position, str(error)) from error

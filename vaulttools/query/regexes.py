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
from vaulttools.patterns.literals import required
from vaulttools.patterns.pattern import Pattern
from vaulttools.patterns.requirements import Requirement
from vaulttools.query import tree
from vaulttools.query.text import Text
from vaulttools.query.tree import Case, Node, Regex


@dataclass(slots=True)
class Regexes:
    """The regexes of one query; a bool beside a regex says whether case is compared."""

    query: str
    ripgrep: Ripgrep
    scope: Scope
    """The notes."""
    work: Work
    max_bytes: int
    candidates: Candidates | None
    """Nominates notes from the index; None without one."""
    documents: dict[str, Document] = field(default_factory=dict, init=False)
    """The texts with matching lines, by path."""
    _lines: dict[tuple[Regex, bool], dict[str, frozenset[int]]] = field(default_factory=dict, init=False)

    def check(self, node: Node, *, sensitive: bool) -> list[tuple[Regex, bool]]:
        """Returns all regexes of a tree; warns in `work` if one was repaired.

        Raises:
            InvalidQuery: ripgrep refuses one, with its reason and place.
            OutOfTimeError: there is no time for all of them; each takes a process.
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
        """Returns what the index can look for in texts that match; None if nothing."""
        return required(self._compiled(regex, sensitive))

    def matching(self, regex: Regex, sensitive: bool, texts: Sequence[str]) -> AbstractSet[str]:
        """Returns those of some single-line texts in which it matches."""
        pattern = self._compiled(regex, sensitive)
        if pattern.multiline or not texts:
            return frozenset()
        # Each text ends with a line feed: without it, an empty last text would not be a line.
        joined = "".join(text.replace("\r", " ") + "\n" for text in texts)
        hits, stopped = self.ripgrep.hits_in_text(pattern, joined.encode("utf-8", "surrogateescape"), self.work)
        if stopped is not None:
            self.work.pass_over("", stopped)
            self.work.cut_short = True
        return {texts[hit.line - 1] for hit in hits}

    def look(self, regex: Regex, sensitive: bool, notes: Sequence[str]) -> None:
        """Finds its lines in those notes that were not searched for it yet; keeps the documents with matches.

        A note that cannot be searched goes to `work`, and has no lines.
        """
        known = self._lines.setdefault((regex, sensitive), {})
        notes = [path for path in notes if path not in known]
        if not notes:
            return
        search = self._search(self._compiled(regex, sensitive))
        counts = search.counts_of(notes)
        known.update((path, frozenset()) for path in notes)
        for path in notes:
            reason = counts.failed.get(path) or (counts.stopped if path not in counts.matching else None)
            if reason is not None:
                self.work.pass_over(path, reason)
        for found in search.located([path for path in notes if path in counts.matching], limit=None):
            known[found.document.path] = frozenset(found.hits.numbers)
            self.documents[found.document.path] = found.document

    def lacking(self, expression: str, notes: Sequence[str]) -> set[str]:
        """Returns those notes that ripgrep searched for an expression, case ignored, without a match."""
        counts = self._search(self.ripgrep.compile(expression, "regex", ignore_case=True)).counts_of(notes)
        return set() if counts.stopped else {*notes} - counts.matching.keys() - counts.failed.keys()

    def lines(self, regex: Regex, sensitive: bool, path: str, read: Callable[[], Text]) -> AbstractSet[int]:
        """Returns the lines of a file in which it matches; a canvas is searched now."""
        known = self._lines.setdefault((regex, sensitive), {})
        if path not in known:
            pattern = self._compiled(regex, sensitive)
            raw = read().text.encode("utf-8", "surrogatepass")
            hits, stopped = self.ripgrep.hits_in_text(pattern, raw, self.work)
            if stopped is not None:
                self.work.pass_over(path, stopped)
            known[path] = frozenset(hits.numbers)
        return known[path]

    def _search(self, pattern: Pattern) -> Search:
        return Search(self.ripgrep, pattern, self.scope, self.work, self.max_bytes, self.candidates)

    def _compiled(self, regex: Regex, sensitive: bool) -> Pattern:
        try:
            return self.ripgrep.compile(regex.source, "regex", ignore_case=not sensitive)
        except InvalidPattern as error:
            raise InvalidQuery(self.query, regex.position, f"invalid regex: {error.reason}") from error
        except BadArgument as error:
            raise InvalidQuery(self.query, regex.position, str(error)) from error

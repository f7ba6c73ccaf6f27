"""The paths of a vault's files, as queries look at them: which hold a text, without looking at each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate

from vaulttools.core import paths
from vaulttools.core.literals import fold
from vaulttools.query import wording
from vaulttools.query.tree import Phrase, Term

_BETWEEN = "\n"


class Names:
    """Some files by their paths, or by the last part of these."""

    def __init__(self, files: Sequence[str], *, whole: bool) -> None:
        """From vault-relative paths; with `whole` all of each path counts, else the name with its extension (S16)."""
        self._files = files
        self.texts = [text(path, whole=whole) for path in files]
        """What counts of each, on one line."""

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Each file with what counts of its path."""
        return zip(self._files, self.texts, strict=True)

    @cached_property
    def _written(self) -> _Joined:
        return _Joined(self.texts)

    @cached_property
    def _folded(self) -> _Joined:
        return _Joined([fold(each) for each in self.texts])

    def holding(self, wanted: Term | Phrase, *, sensitive: bool) -> set[str]:
        """The files that hold a word or phrase, as `wording.holds`."""
        wanted = replace(wanted, text=paths.nfc(wanted.text))
        if not wanted.text:
            return set(self._files)
        if _BETWEEN in wanted.text:
            return set()
        joined = self._written if sensitive else self._folded
        # A phrase ends at a line's end as at that of a text.
        return {self._files[place] for place in joined.places(wording.places(wanted, joined.text, sensitive=sensitive))}


class _Joined:
    """Texts of one line each as one."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.text = _BETWEEN.join(texts)
        self._starts = list(accumulate((len(text) + 1 for text in texts), initial=0))

    def places(self, offsets: Iterable[int]) -> set[int]:
        """Which of the texts, from 0, some offsets lie in."""
        return {bisect_right(self._starts, offset) - 1 for offset in offsets}


def text(path: str, *, whole: bool) -> str:
    """What a query sees of a path: one line, in the form in which names are compared (spec 2.9)."""
    return paths.nfc(path if whole else path.rpartition("/")[2]).replace(_BETWEEN, " ")

"""Finds the paths that hold a text, without a look at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vaulttools.core import paths
from vaulttools.query.lines import Lines
from vaulttools.query.tree import Phrase, Term


class Names:
    """Some files by their paths, or by the last part of these."""

    def __init__(self, files: Sequence[str], *, whole: bool) -> None:
        """From vault-relative paths; with `whole` all of each path counts, else the name with its extension
        (rule-S16)."""
        self.files = files
        self._lines = Lines([_text(path if whole else path.rpartition("/")[2]) for path in files])

    @property
    def texts(self) -> Sequence[str]:
        """What counts of each, on one line."""
        return self._lines.texts

    def holding(self, wanted: Term | Phrase, *, sensitive: bool) -> set[str]:
        """The files that hold a word or phrase."""
        wanted = replace(wanted, text=paths.nfc(wanted.text))
        return {self.files[place] for place in self._lines.holding(wanted, sensitive=sensitive)}


def _text(name: str) -> str:
    """One line, in the form in which names are compared."""
    return paths.nfc(name).replace("\n", " ")

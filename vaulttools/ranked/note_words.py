"""Takes the words of a note apart once, however often they are asked for."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Final

from vaulttools.index.content import words_of
from vaulttools.index.words import tokens
from vaulttools.notes.note import Note

_AT_ONCE: Final = 1 << 18
"""Characters that are taken apart before anybody asks for the time again: a few hundredths of a second."""


class ColumnWords:
    """The words of one column of a note, as the index would hold them."""

    def __init__(self, text: str, stop: Callable[[], bool] = lambda: False) -> None:
        """Take a text apart, until `stop` says that there is no time left."""
        self.text = text
        self.starts = array("I")
        """By word: its first byte."""
        self.is_whole = True
        """Whether there was time for all of it."""
        self._stems = array("I")
        """By word: the number of its stem."""
        self._numbers: dict[str, int] = {}
        """By stem: its number."""
        self._places: list[array[int]] = []
        """By number of a stem: the words that have it."""
        done = byte = 0
        while done < len(text):
            end = _end(text, done + _AT_ONCE)
            piece = text[done:end]
            self._add(piece, byte)
            done = end
            if done < len(text):
                byte += len(piece.encode("utf-8", "replace"))
                if stop():
                    self.is_whole = False
                    return

    @property
    def stems(self) -> Sequence[str]:
        """Each once."""
        return [*self._numbers]

    def __len__(self) -> int:
        return len(self.starts)

    def places(self, stem: str, following: Sequence[str] = ()) -> Sequence[int]:
        """Which words have a stem, from 0, of those behind which others follow."""
        number = self._numbers.get(stem)
        if number is None:
            return ()
        found = self._places[number]
        if not following:
            return found
        behind = array("I", [self._numbers.get(each, len(self._numbers)) for each in following])
        return [place for place in found if self._stems[place + 1 : place + 1 + len(behind)] == behind]

    def _add(self, text: str, byte: int) -> None:
        for start, _, stem in tokens(text):
            number = self._numbers.get(stem)
            if number is None:
                number = self._numbers[stem] = len(self._numbers)
                self._places.append(array("I"))
            self._places[number].append(len(self.starts))
            self.starts.append(byte + start)
            self._stems.append(number)


def _end(text: str, wanted: int) -> int:
    """Where a piece of a text may end, from a place on: behind a blank."""
    while wanted < len(text) and not text[wanted - 1].isspace():
        wanted += 1
    return min(wanted, len(text))


class NoteWords:
    """The words of one note."""

    def __init__(self, note: Note, stop: Callable[[], bool] = lambda: False) -> None:
        self.note = note
        self.columns = [ColumnWords(text, stop) for text in words_of(note)]

    @property
    def is_whole(self) -> bool:
        """Whether there was time for all of them."""
        return all(column.is_whole for column in self.columns)

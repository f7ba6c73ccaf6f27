"""The words of a note, taken apart once."""

from __future__ import annotations

import pytest

from vaulttools.index.words import tokens
from vaulttools.notes.note import Note
from vaulttools.ranked import finder
from vaulttools.ranked.finder import ColumnWords, Finder, NoteWords
from vaulttools.ranked.question import read
from vaulttools.ranked.ranking import rank

TEXT = "Übers Café läuft, runs\nand  RAN — naïve\tend-to-end 紅葉の駅 " * 30


@pytest.mark.parametrize("size", [1, 7, 50, 10_000])
def test_words_taken_apart_in_pieces_are_those_of_the_whole_text(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finder, "_AT_ONCE", size)
    column = ColumnWords(TEXT, lambda: False)
    whole = tokens(TEXT)
    assert [*column.starts] == [start for start, _, _ in whole]
    for stem in {stem for _, _, stem in whole}:
        assert [*column.places(stem)] == [place for place, (_, _, other) in enumerate(whole) if other == stem]


def test_words_in_a_row_are_found_and_others_are_not() -> None:
    column = ColumnWords("end to start, end to end", lambda: False)
    assert [*column.places("end", ["to", "end"])] == [3]
    assert [*column.places("end", ["nowhere"])] == []


def test_a_note_for_which_there_is_no_time_is_not_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finder, "_AT_ONCE", 10)
    assert NoteWords(Note("a.md", "one two three four"), lambda: False).is_whole
    assert not NoteWords(Note("a.md", "one two three four"), lambda: True).is_whole


def test_where_terms_stand_is_the_same_however_often_it_is_asked() -> None:
    words = NoteWords(Note("a.md", f"# Cafe\n{TEXT}"))
    for question in ("cafe run", '"end to end"', "紅葉 cafe", "naive"):
        finder = Finder(read(question).terms)
        assert finder.places(words) == finder.places(Note("a.md", f"# Cafe\n{TEXT}"))


def test_a_note_that_there_is_no_time_to_take_apart_is_waiting() -> None:
    notes = {"a.md": Note("a.md", "gasket"), "b.md": Note("b.md", "gasket " * 100_000)}
    asked: list[str] = []

    def stop() -> bool:
        return len(asked) > 1  # while the second note is taken apart

    def reading(path: str) -> Note:
        asked.append(path)
        return notes[path]

    ranking = rank("gasket", frozenset(notes), None, reading, stop, 10)
    assert [each.path for each in ranking.notes] == ["a.md"]
    assert ranking.waiting == ["b.md"]


def test_a_note_without_time_for_its_passages_is_told_as_unread() -> None:
    notes = {"a.md": Note("a.md", "gasket")}
    ranking = rank("gasket", frozenset(notes), None, notes.get, lambda: False, 10, is_over=lambda: True)
    assert [*ranking.notes] == []
    assert ranking.unread == ["a.md"]

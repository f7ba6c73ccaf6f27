"""Where the terms of a question occur in a text, and in a note whose words are split once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.index.words import tokens
from vaulttools.notes.note import Note
from vaulttools.ranked import finder, question
from vaulttools.ranked.finder import ColumnWords, Finder, NoteWords
from vaulttools.ranked.question import read
from vaulttools.ranked.ranking import rank


def test_words_are_found_in_any_inflection_case_and_accents() -> None:
    terms = question.read("résumés RUNNING").terms
    places = Finder(terms).places(Note("a.md", "His resume: he runs."))
    assert [columns[0] for columns in places.found] == [[1], [3]]


def test_a_joined_name_is_found_as_words_in_a_row() -> None:
    [term] = question.read("end-to-end").terms
    places = Finder([term]).places(Note("a.md", "end to start, end to end, EndToEnd"))
    assert places.found[0][0] == [3, 6]


def test_offsets_count_characters() -> None:
    finder = Finder(question.read("pump 紅葉").terms)
    assert finder.occurrences("Überfällige Öl-pump, 紅葉") == [(15, 0), (21, 1)]


@given(st.lists(st.sampled_from(["Öl", "pump", "紅葉", "é", "\ud83c", "-", "\n", "𝄞"]), max_size=40).map(" ".join))
def test_each_offset_is_that_of_the_characters_before_it(text: str) -> None:
    found = Finder(question.read("pump oil Öl 紅葉").terms).occurrences(text)
    spelled = [
        (place, word) for word in ("pump", "Öl", "紅葉") for place in range(len(text)) if text[place:].startswith(word)
    ]
    assert [place for place, _ in found] == sorted(place for place, _ in spelled)
    assert found == sorted(found)


def test_each_place_of_a_term_leads_to_the_passage_that_holds_it() -> None:
    finder = Finder(question.read("紅葉 駅").terms)
    long = "何もない一日だった。" * 99
    note = Note(
        "a.md",
        f"---\na: b\n---\n東京の美術館は月曜日が休み。\n\n{long}\n\n"
        "十一月の終わりに紅葉を見に行く。\n\n# 宿\n\n宿は駅の近く。\n",
    )
    passages = finder.passages(note)
    places = finder.places(note)
    assert [[passages.at(place) for place in columns[0]] for columns in places.found] == [[3], [4]]


TEXT = "Übers Café läuft, runs\nand  RAN — naïve\tend-to-end 紅葉の駅 " * 30


@pytest.mark.parametrize("size", [1, 7, 50, 10_000])
def test_splitting_in_pieces_gives_the_words_of_the_whole_text(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finder, "_AT_ONCE", size)
    column = ColumnWords(TEXT, lambda: False)
    whole = tokens(TEXT)
    assert [*map(column.start, range(len(column)))] == [start for start, _, _ in whole]
    for stem in {stem for _, _, stem in whole}:
        assert [*column.places(stem)] == [place for place, (_, _, other) in enumerate(whole) if other == stem]


def test_only_words_in_a_row_are_found_as_a_row() -> None:
    column = ColumnWords("end to start, end to end", lambda: False)
    assert [*column.places("end", ["to", "end"])] == [3]
    assert [*column.places("end", ["nowhere"])] == []


def test_a_note_is_not_whole_when_time_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finder, "_AT_ONCE", 10)
    assert NoteWords(Note("a.md", "one two three four"), lambda: False).is_whole
    assert not NoteWords(Note("a.md", "one two three four"), lambda: True).is_whole


def test_terms_have_the_same_places_however_often_a_note_is_searched() -> None:
    words = NoteWords(Note("a.md", f"# Cafe\n{TEXT}"))
    for asked in ("cafe run", '"end to end"', "紅葉 cafe", "naive"):
        finder = Finder(read(asked).terms)
        assert finder.places(words) == finder.places(Note("a.md", f"# Cafe\n{TEXT}"))


def test_a_note_that_there_is_no_time_to_split_is_waiting() -> None:
    notes = {"a.md": Note("a.md", "gasket"), "b.md": Note("b.md", "gasket " * 100_000)}
    asked: list[str] = []

    def stop() -> bool:
        return len(asked) > 1  # while the second note is being split

    def reading(path: str) -> Note:
        asked.append(path)
        return notes[path]

    ranking = rank("gasket", frozenset(notes), None, reading, stop, 10)
    assert [each.path for each in ranking.notes] == ["a.md"]
    assert ranking.waiting == ["b.md"]


def test_a_note_without_time_for_its_passages_is_reported_as_unread() -> None:
    notes = {"a.md": Note("a.md", "gasket")}
    ranking = rank("gasket", frozenset(notes), None, notes.get, lambda: False, 10, is_over=lambda: True)
    assert [*ranking.notes] == []
    assert ranking.unread == ["a.md"]

"""Where the terms of a question stand in a text."""

from __future__ import annotations

from vaulttools.notes.note import Note
from vaulttools.ranked import question
from vaulttools.ranked.finder import Finder


def test_words_are_found_in_any_inflection_case_and_accents() -> None:
    terms = question.read("résumés RUNNING").terms
    places = Finder(terms).places(Note("a.md", "His resume: he runs."))
    assert [columns[0] for columns in places.found] == [[1], [3]]


def test_words_in_a_row_are_found_as_one_name() -> None:
    [term] = question.read("end-to-end").terms
    places = Finder([term]).places(Note("a.md", "end to start, end to end, EndToEnd"))
    assert places.found[0][0] == [3, 6]


def test_offsets_count_characters() -> None:
    finder = Finder(question.read("pump 紅葉").terms)
    assert finder.stands("Überfällige Öl-pump, 紅葉") == [(15, 0), (21, 1)]


def test_places_of_pieces_of_text_lead_to_the_passage_that_holds_them() -> None:
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

"""The passages that a page shows in some room."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings

from tests.ranked.test_gathering import vaults
from vaulttools.index import passages
from vaulttools.notes.note import Note
from vaulttools.ranked.evidence import Evidence
from vaulttools.ranked.folding import Folder
from vaulttools.ranked.order import RankedNote
from vaulttools.ranked.ranking import rank
from vaulttools.ranked.showing import Budget, Showing, ShownNote, _goes_on, chosen


def nothing_else_holds(notes: Mapping[str, Note]) -> Folder:
    """The folder of some notes without copies."""
    return Folder(notes.get, lambda digests: dict.fromkeys(digests, frozenset()), notes.keys())


@given(vaults)
@settings(max_examples=30)
def test_what_two_rooms_show_all_rooms_between_show_and_one_showing_shows_what_a_new_one_does(
    files: dict[str, str],
) -> None:
    notes = {path: Note(path, text) for path, text in files.items()}
    ranking = rank("cost of the roof repair", frozenset(notes), None, notes.get, lambda: False, 20)

    def showing() -> Showing:
        return Showing(nothing_else_holds(notes), stands)

    stands = ranking.finder.stands
    again = showing()
    seen: list[list[ShownNote]] = []
    for room in range(1_500, 160, -7):
        shown = again.within(ranking.notes, Budget(room))
        if not seen or shown != seen[-1]:
            assert shown not in seen
            assert shown == showing().within(ranking.notes, Budget(room))
            seen.append(shown)


def _ranked(path: str, *scores: float) -> RankedNote:
    note = Note(path, "\n\n".join(f"Passage {number}." for number in range(len(scores))))
    evidence = [Evidence(number, score, frozenset()) for number, score in enumerate(scores)]
    return RankedNote(path, scores[0], passages.of(note), evidence)


@pytest.mark.parametrize(
    ("is_sure", "places"),
    [
        (True, [("a", 0), ("a", 1), ("b", 0), ("c", 0), ("c", 1)]),
        (False, [("a", 0), ("b", 0), ("c", 0), ("a", 1), ("c", 1)]),
    ],
)
def test_both_passages_of_a_sure_note_come_first(is_sure: bool, places: list[tuple[str, int]]) -> None:
    notes = [_ranked("a", 0.9, 0.6), _ranked("b", 0.8, 0.6), _ranked("c", 0.7, 0.6)]
    found = chosen(notes, is_sure=is_sure)
    assert [(notes[place].path, evidence.number) for place, evidence in found if evidence is not None] == places


@pytest.mark.parametrize(
    ("text", "goes_on"),
    [
        ("One two.| Three", True),
        ("One two.|\nThree", True),
        ("- one|\n  two", True),
        ("One.|\n\nTwo", False),
        ("One.|\n- two", False),
        ("One.|\n12. two", False),
        ("One.|\n# Two", False),
        ("| one ||\n| two |", False),
        ("One.|\n", False),
        ("One.|", False),
    ],
)
def test_an_ellipsis_says_that_a_paragraph_goes_on(text: str, goes_on: bool) -> None:
    end = text.rindex("|", 0, text.find("\n") if "||" in text else None)
    assert (_goes_on(text[:end] + text[end + 1 :], end, None) is not None) == goes_on

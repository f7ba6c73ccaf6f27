"""The passages that a page shows in some room."""

from __future__ import annotations

from hypothesis import given, settings

from tests.ranked.test_gathering import vaults
from vaulttools.notes.note import Note
from vaulttools.ranked.folding import Folder
from vaulttools.ranked.ranking import rank
from vaulttools.ranked.showing import Budget, Showing, ShownNote


@given(vaults)
@settings(max_examples=30)
def test_what_two_rooms_show_all_rooms_between_show_and_one_showing_shows_what_a_new_one_does(
    files: dict[str, str],
) -> None:
    notes = {path: Note(path, text) for path, text in files.items()}
    ranking = rank("cost of the roof repair", frozenset(notes), None, notes.get, lambda: False, 20)

    def showing() -> Showing:
        return Showing(Folder(notes.get, lambda digests: dict.fromkeys(digests, frozenset()), notes.keys()), stands)

    stands = ranking.finder.stands
    again = showing()
    seen: list[list[ShownNote]] = []
    for room in range(1_500, 160, -7):
        shown = again.within(ranking.notes, Budget(room))
        if not seen or shown != seen[-1]:
            assert shown not in seen
            assert shown == showing().within(ranking.notes, Budget(room))
            seen.append(shown)

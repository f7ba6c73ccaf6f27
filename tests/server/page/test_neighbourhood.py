"""The picture of a neighbourhood: where notes are placed, and which of them find no room."""

from __future__ import annotations

import pytest

from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.neighbourhood import MOST, MOST_BEYOND, WIDTH, Diagram, drawn
from vaulttools.tools.links import NoteReached


def picture_of(sources: list[str], targets: list[str], root: str = "") -> Diagram | None:
    """Draws notes that are one link away, or two if they are written `far.md by near.md`."""

    def reached(note: str) -> NoteReached:
        path, _, via = note.partition(" by ")
        return NoteReached(path=path, distance=2 if via else 1, via=[via] if via else [])

    return drawn([*map(reached, sources)], [*map(reached, targets)], Addresses(root))


def test_a_note_without_links_has_no_picture() -> None:
    assert picture_of([], []) is None


def test_notes_are_on_their_side_within_the_picture() -> None:
    picture = picture_of(["a.md", "b/c.md"], [f"{'x' * 40} {number}.md" for number in range(MOST + 3)], "/v/n")
    assert picture is not None
    assert [(node.name, node.address) for node in picture.nodes if node.is_source] == [
        ("a", "/v/n/ui/note/a.md"),
        ("c", "/v/n/ui/note/b/c.md"),
    ]
    assert len(picture.nodes) == MOST + 2 and picture.left_out == (0, 3)
    assert all(0 < node.y < picture.height and 0 < node.x < WIDTH for node in picture.nodes)
    assert len({(node.x, node.y) for node in picture.nodes}) == len(picture.nodes)


def test_notes_two_links_away_are_behind_the_one_that_leads_to_them() -> None:
    beyond = [f"far{number}.md by a.md" for number in range(MOST_BEYOND + 1)]
    picture = picture_of(["a.md", "b.md", *beyond], ["c.md"])
    assert picture is not None and picture.left_out == (1, 0)
    places = {node.name: (node.x, node.y) for node in picture.nodes}
    assert {node.x for node in picture.nodes if node.name.startswith("far")} == {places["a"][0] - 190}
    assert all(0 < node.y < picture.height and 0 < node.x < picture.width for node in picture.nodes)
    assert len(set(places.values())) == len(picture.nodes)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("b/sixteen letters!.md", "sixteen letters!"),
        ("b/seventeen letters.md", "seventeen lette…"),
        ("b/內部連結的格式.md", "內部連結的格式"),
        ("b/內部連結的格式與例子.md", "內部連結的格式…"),
    ],
)
def test_a_name_stays_within_its_margin(path: str, name: str) -> None:
    picture = picture_of([path], [])
    assert picture is not None and [node.name for node in picture.nodes] == [name]

"""The picture of a neighbourhood: where notes stand, and what there is no room for."""

from __future__ import annotations

import pytest

from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.neighbourhood import MOST, WIDTH, drawn


def test_a_note_without_links_has_no_picture() -> None:
    assert drawn([], [], Addresses()) is None


def test_notes_stand_on_their_side_within_the_picture() -> None:
    picture = drawn(["a.md", "b/c.md"], [f"{'x' * 40} {number}.md" for number in range(MOST + 3)], Addresses("/v/n"))
    assert picture is not None
    assert [(node.name, node.address) for node in picture.nodes if node.is_source] == [
        ("a", "/v/n/ui/note/a.md"),
        ("c", "/v/n/ui/note/b/c.md"),
    ]
    assert len(picture.nodes) == MOST + 2 and picture.left_out == (0, 3)
    assert all(0 < node.y < picture.height and 0 < node.x < WIDTH for node in picture.nodes)
    assert len({(node.x, node.y) for node in picture.nodes}) == len(picture.nodes)


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
    picture = drawn([path], [], Addresses())
    assert picture is not None and [node.name for node in picture.nodes] == [name]

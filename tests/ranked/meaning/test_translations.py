"""A page in several languages: one note stands for it, the others follow."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pytest

from vaulttools.ranked.meaning.translations import translations

LANGUAGES = {"boat.md": "en", "ship.md": "en", "boot.md": "de", "schiff.md": "de", "navire.md": "fr", "table.md": ""}


@pytest.mark.parametrize(
    ("notes", "alike", "asked", "expected"),
    [
        # The note in the question's language stands for the page, however far down it is.
        (["navire.md", "boot.md", "boat.md"], {(0, 1), (0, 2), (1, 2)}, {"en"}, {"navire.md", "boot.md"}),
        # Where there is none, the nearest does; likewise where nothing tells the language of the question.
        (["navire.md", "boot.md", "ship.md"], {(0, 1)}, {"en"}, {"boot.md"}),
        (["boot.md", "boat.md"], {(0, 1)}, set(), {"boat.md"}),
        # One passage that says the same is enough, whichever it is.
        (["boat.md", "boot.md", "boot.md"], {(0, 2)}, {"en"}, {"boot.md"}),
        # What says something else is no translation, and neither is another version in the same language.
        (["boat.md", "boot.md"], set(), {"en"}, set()),
        (["boat.md", "ship.md"], {(0, 1)}, {"en"}, set()),
        (["boot.md", "schiff.md", "boat.md"], {(0, 1), (0, 2), (1, 2)}, {"en"}, {"boot.md", "schiff.md"}),
        # Nothing is known of a note whose language is not.
        (["table.md", "boat.md"], {(0, 1)}, {"en"}, set()),
        (["boat.md", "table.md"], {(0, 1)}, {"en"}, set()),
        # A translation stands for nothing: `ship.md` is like `boot.md` alone.
        (["boat.md", "boot.md", "ship.md"], {(0, 1), (1, 2)}, {"en"}, {"boot.md"}),
    ],
)
def test_the_notes_that_follow(
    notes: Sequence[str], alike: Collection[tuple[int, int]], asked: set[str], expected: set[str]
) -> None:
    are_alike = np.eye(len(notes), dtype=bool)
    for one, other in alike:
        are_alike[one, other] = are_alike[other, one] = True
    assert translations(notes, LANGUAGES, asked, are_alike).keys() == expected


def test_each_names_the_first_note_that_stands_for_it() -> None:
    are_alike = np.ones((3, 3), bool)
    assert translations(["navire.md", "ship.md", "boat.md"], LANGUAGES, {"en"}, are_alike) == {"navire.md": "ship.md"}

"""The note that answers better scores higher."""

from __future__ import annotations

import pytest

from vaulttools.notes.note import Note
from vaulttools.ranked import question
from vaulttools.ranked.finder import Finder
from vaulttools.ranked.scoring import rarity, score

FILLER = "Some other words that nobody asked for stand here. " * 20

BETTER = [
    # the question, the better note, the worse one: (path, text)
    ("tide table", ("Tide table.md", "x"), ("Harbour.md", "The tide table hangs at the door.")),
    ("tide table", ("Tide table.md", "x"), ("Tide table of the old harbour office.md", "x")),
    ("tide table", ("a.md", "---\naliases: [tide table]\n---\nx"), ("a.md", "A tide, a table.")),
    ("tide table", ("a.md", "# Tide table\n\nx"), ("a.md", "tide\n\n" + FILLER + "\n\ntable")),
    ("tide table", ("a.md", "tide table " + FILLER), ("a.md", "tide tide tide tide " + FILLER)),
    ("tide table", ("a.md", "the tide table " + FILLER), ("a.md", "tide " + FILLER + " table")),
    ("tide table", ("a.md", "the tide table"), ("a.md", "the table tide")),
    ("tide", ("a.md", "tide tide " + FILLER), ("a.md", "tide once " + FILLER)),
    ("tide", ("a.md", "tide. A short note."), ("a.md", "tide. " + FILLER)),
    # Each part of a note counts, in this order: its name, an alias, a property, its text.
    ("tide", ("Tide.md", "x"), ("a.md", "---\naliases: [tide]\n---\nx")),
    ("tide", ("a.md", "---\naliases: [tide]\n---\nx"), ("a.md", "---\nabout: tide\n---\nx")),
    ("tide sun", ("a.md", "---\nabout: tide\n---\nthe sun"), ("a.md", "the tide " + FILLER + " the sun")),
    ("tide table", ("a.md", "---\nabout: tide table\n---\nx"), ("a.md", "---\nabout: table tide\n---\nx")),
    ("検索", ("検索.md", "本文"), ("a.md", "検索の本文")),
]


def scored(asked: str, note: tuple[str, str]) -> float:
    terms = question.read(asked).terms
    rarities = [1.0] * len(terms)
    return score(Finder(terms).places(Note(*note)), rarities)


@pytest.mark.parametrize(("asked", "better", "worse"), BETTER)
def test_the_better_note_scores_higher(asked: str, better: tuple[str, str], worse: tuple[str, str]) -> None:
    assert scored(asked, better) > scored(asked, worse) > 0


def test_a_note_without_any_of_the_words_scores_nothing() -> None:
    assert scored("tide table", ("a.md", FILLER)) == 0


def test_a_note_that_is_the_question_scores_nearly_one() -> None:
    assert 0.8 < scored("tide table", ("Tide table.md", "# Tide table\n\ntide table")) <= 1


def test_a_rare_word_weighs_more_than_a_frequent_one_and_no_weight_is_zero() -> None:
    weights = [rarity(1000, holding) for holding in (0, 1, 10, 500, 1000, 2000)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] > 0

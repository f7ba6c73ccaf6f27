"""Which names are offered for one that does not exist."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.core import limits
from vaulttools.core.spelling import closest

NAMES = [
    "Amara Okafor",
    "Jörg Müller",
    "Label printer",
    "plan",
    "Seed swap evening",
    "日本語ノート",
    "C++",
    "Σπανακόπιτα",
]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("amara okafor", ["Amara Okafor"]),
        ("Jorg Muller", ["Jörg Müller"]),
        ("Jorg", ["Jörg Müller"]),
        ("label-printer", ["Label printer"]),
        ("Lable printr", ["Label printer"]),
        ("pln", ["plan"]),
        ("swap seed", ["Seed swap evening"]),
        ("okafr", ["Amara Okafor"]),
        ("日本語ノーと", ["日本語ノート"]),
        ("σπανακοπιτα", ["Σπανακόπιτα"]),
        ("c++", ["C++"]),
        ("quite another thing", []),
        ("", []),
        ("...", []),
    ],
)
def test_names_of_similar_spelling_are_found(wanted: str, found: list[str]) -> None:
    assert closest(wanted, NAMES) == found


def test_the_best_come_first_and_at_most_five() -> None:
    names = ["a/planning.md", "b/plan.md", "c/Plan 2026.md", "d/plann.md", "e/plan.md", "f/plans.md", "g/other.md"]
    found = closest("plan", names, lambda path: path[2:-3])
    assert found == ["b/plan.md", "e/plan.md", "c/Plan 2026.md", "d/plann.md", "f/plans.md"]


@settings(max_examples=100, deadline=None)
@given(wanted=st.text(max_size=30), names=st.lists(st.text(max_size=30), max_size=8))
def test_any_text_is_compared_and_an_equal_name_is_first(wanted: str, names: list[str]) -> None:
    found = closest(wanted, names)
    assert len(found) <= limits.NAMED_PATHS
    assert set(found) <= set(names)
    if wanted.strip():
        assert closest(wanted, [*names, wanted])

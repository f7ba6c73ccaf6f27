"""How many candidates a search looks at next, and how."""

from __future__ import annotations

import pytest

from vaulttools.matching.batches import Batches


def sizes(candidates: int, *matching: float, wanted: int = 101, is_narrowed: bool = True) -> list[int]:
    """The batches, when such a part of each matches; the last part goes on."""
    plan = Batches(candidates, wanted, is_narrowed)
    made: list[int] = []
    while plan.looked_at < candidates:
        size = min(plan.next_size(), candidates - plan.looked_at)
        part = matching[min(len(made), len(matching) - 1)]
        made.append(size)
        plan.record(size, round(size * part))
    return made


@pytest.mark.parametrize(
    ("candidates", "matching", "found"),
    [
        (50, 1.0, [50]),
        (1_000, 1.0, [24, 154, 822]),
        (5_000, 0.5, [24, 356, 2_048, 2_572]),
        (5_000, 0.0, [24, 384, 2_048, 2_048, 496]),
    ],
)
def test_batches_grow_until_they_hold_what_is_wanted(candidates: int, matching: float, found: list[int]) -> None:
    assert sizes(candidates, matching) == found


def test_where_no_process_is_needed_as_many_are_looked_at_as_are_wanted() -> None:
    plan = Batches(1_000, 101, is_narrowed=True, is_cheap=True)
    plan.record(24, 24)
    assert plan.next_size() == 77
    plan.record(77, 75)
    assert plan.next_size() == 8


def test_without_an_index_the_first_batch_is_a_probe() -> None:
    assert sizes(1_000, 1.0, is_narrowed=False)[0] == 192


def test_a_tool_that_wants_more_files_gets_larger_batches() -> None:
    assert sizes(20_000, 0.5, wanted=10_001)[:3] > sizes(20_000, 0.5)[:3]


def test_the_folder_is_walked_when_most_of_it_is_left_and_no_page_is_near() -> None:
    plan = Batches(candidates=5_000, wanted=101, is_narrowed=True)
    plan.record(408, 0)
    assert plan.walks_folder(entries_left=5_000)
    assert not plan.walks_folder(entries_left=50_000)
    plan.record(100, 90)
    assert not plan.walks_folder(entries_left=5_000)


def test_the_folder_is_not_walked_when_a_part_of_what_is_left_holds_the_lines_that_are_wanted() -> None:
    plan = Batches(candidates=10_000, wanted=10_001, is_narrowed=False)
    plan.record(2_240, 1_247, lines=6_354)
    assert plan.next_size() == 2_048
    assert not plan.walks_folder(entries_left=7_760)
    assert plan.walks_folder(entries_left=3_000)

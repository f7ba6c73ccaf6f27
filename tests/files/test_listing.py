"""A listing: the places of its entries, and which of them a search has to look at."""

from __future__ import annotations

import pytest

from vaulttools.core.work import Reason
from vaulttools.files.catalogue import Entry
from vaulttools.files.listing import Listing

ENTRIES = [
    Entry("a.md", "file"),
    Entry("b.md", "file", "hidden"),
    Entry("c", "folder", "excluded"),
    Entry("d.md", "file"),
    Entry("e", "link", "symlink"),
    Entry("f.md", "file"),
]


def test_each_entry_is_found_by_its_place() -> None:
    listing = Listing(iter(ENTRIES))
    assert list(listing) == [listing[place] for place in range(6)] == ENTRIES
    assert len(listing) == 6
    assert listing.files == ["a.md", "d.md", "f.md"]
    assert listing.places == {"a.md": 0, "d.md": 3, "f.md": 5}


def test_files_listed_together_are_the_same_as_listed_one_by_one() -> None:
    left_out = Entry("d.md", "file", "not downloaded")
    listing = Listing([["a.md", "b.md"], Entry("c", "folder"), [], ["d.md"], left_out, ["e.md"]])
    a, b, d, e = (Entry(path, "file") for path in ("a.md", "b.md", "d.md", "e.md"))
    entries = [a, b, Entry("c", "folder"), d, left_out, e]
    assert list(listing) == list(Listing(entries)) == entries
    assert listing.files == ["a.md", "b.md", "c", "d.md", "e.md"]
    assert listing.places == {"a.md": 0, "b.md": 1, "c": 2, "d.md": 3, "e.md": 5}


@pytest.mark.parametrize("some", [set(), {"d.md"}, {"f.md", "a.md", "b.md", "none.md"}, set("abcdef")])
def test_few_and_many_paths_come_in_path_order(some: set[str]) -> None:
    assert Listing(ENTRIES).of(some) == [path for path in ("a.md", "d.md", "f.md") if path in some]


def test_a_path_that_occurs_twice_has_its_last_place() -> None:
    """A path can occur twice: a stub beside its file keeps two walks from merging."""
    twice = Listing([Entry(path, "file") for path in ("b.md", *(f"a{number:04}.md" for number in range(500)), "b.md")])
    assert twice.places_of(["b.md", "a0000.md"]) == [501, 1]


def test_an_empty_listing_has_no_entries() -> None:
    listing = Listing(())
    assert (len(listing), listing.files, listing.places, listing.is_searched_by_name) == (0, [], {}, False)
    assert listing.places_of_interest(0, 0, ["a.md"]) == []


@pytest.mark.parametrize(
    ("start", "end", "files", "places"),
    [
        (0, 6, [], [1, 2, 4]),
        (0, 6, ["f.md", "a.md"], [0, 1, 2, 4, 5]),
        (0, 6, ["d.md", "d.md", "none.md", "b.md"], [1, 2, 3, 4]),
        (1, 4, ["a.md", "d.md", "f.md"], [1, 2, 3]),
        (2, 2, ["d.md"], []),
        (3, 4, [], []),
        (5, 6, ["f.md"], [5]),
    ],
)
def test_the_places_of_interest_are_those_left_out_and_those_of_given_files(
    start: int, end: int, files: list[str], places: list[int]
) -> None:
    assert Listing(ENTRIES).places_of_interest(start, end, files) == places


@pytest.mark.parametrize(
    ("entry", "holds"),
    [
        (Entry("target", "folder", "ignored"), True),
        (Entry("target", "folder", "default excludes"), True),
        (Entry("target", "folder", "excluded"), False),
        (Entry("target", "folder", "unreadable"), False),
        (Entry("a.log", "file", "ignored"), False),
        (Entry("target", "folder"), False),
    ],
)
def test_only_a_folder_that_ripgrep_would_walk_may_be_large(entry: Entry, holds: bool) -> None:
    assert Listing([*ENTRIES, entry]).is_searched_by_name is holds


def test_every_reason_that_may_be_large_exists() -> None:
    from typing import get_args

    from vaulttools.core.work import LeftOut, Missed
    from vaulttools.files.listing import MAY_BE_LARGE

    reasons: set[Reason] = {*get_args(LeftOut), *get_args(Missed)}
    assert set(MAY_BE_LARGE) <= reasons

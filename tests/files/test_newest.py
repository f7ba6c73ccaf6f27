"""The order by times of modification, kept by difference, against sorting anew."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import given
from hypothesis import strategies as st

from vaulttools.files.catalogue import Entry
from vaulttools.files.folder_names import FolderNames
from vaulttools.files.listing import Listing
from vaulttools.files.newest import Newest

T = TypeVar("T")

ENTRIES = [
    *(Entry(f"{number:03}.md", "file", None) for number in range(80)),
    Entry("folder", "folder", None),
    Entry("link.md", "link", "symlink"),
    Entry("nowhere.md", "file", None),
]
FILES = [entry.path for entry in ENTRIES if entry.kind == "file"]


@dataclass
class Times:
    """Times of files and folders that change, with a log of the files."""

    times: dict[str, int]
    moment: int | None = 0
    large: AbstractSet[str] = frozenset()
    log: list[str] = field(default_factory=list)
    forgets: bool = False

    def touch(self, path: str, time: int | None) -> None:
        if time is None:
            self.times.pop(path, None)
        else:
            self.times[path] = time
        if path in FILES:
            self.log.append(path)
            self.moment = len(self.log)

    def changed_since(self, moment: int) -> AbstractSet[str] | None:
        return None if self.forgets else set(self.log[moment:])

    def modified(self, path: str) -> int | None:
        return self.times.get(path)

    def holds(self, folder: str) -> bool:
        raise NotImplementedError

    def names_in(self, folder: str) -> FolderNames:
        raise NotImplementedError

    def kept(self, key: Hashable, make: Callable[[], T], *, times: bool = False) -> T:
        raise NotImplementedError

    def outside(self) -> Hashable:
        raise NotImplementedError

    def size(self, path: str) -> int:
        raise NotImplementedError


def sorted_anew(times: Times) -> list[str]:
    there = [entry for entry in ENTRIES if entry.path in times.times]
    there.sort(key=lambda entry: -times.times[entry.path])
    return [f"{entry.path}/" if entry.kind == "folder" else entry.path for entry in there]


def made() -> Times:
    return Times({entry.path: number % 7 for number, entry in enumerate(ENTRIES) if entry.path != "nowhere.md"})


TOUCHES = st.lists(st.tuples(st.sampled_from([entry.path for entry in ENTRIES]), st.none() | st.integers(0, 9)))


@given(st.lists(TOUCHES, max_size=8))
def test_after_any_changes_the_order_is_as_if_sorted_anew(rounds: list[list[tuple[str, int | None]]]) -> None:
    times = made()
    newest = Newest(Listing(ENTRIES), range(len(ENTRIES)))
    assert newest.at(times) == sorted_anew(times)
    for touches in rounds:
        for path, time in touches:
            times.touch(path, time)
        assert newest.at(times) == sorted_anew(times)


def test_only_what_changed_is_looked_up() -> None:
    times = made()
    newest = Newest(Listing(ENTRIES), range(len(ENTRIES)))
    newest.at(times)
    times.touch("005.md", 100)
    asked: list[str] = []
    whole = times.modified
    times.modified = lambda path: asked.append(path) or whole(path)  # type: ignore[method-assign, func-returns-value]
    assert newest.at(times)[0] == "005.md"
    assert sorted(asked) == ["005.md", "folder", "link.md"]


def test_where_changes_are_forgotten_or_go_unnoticed_all_is_sorted_anew() -> None:
    times = made()
    newest = Newest(Listing(ENTRIES), range(len(ENTRIES)))
    newest.at(times)
    times.forgets = True
    times.touch("005.md", 100)
    assert newest.at(times) == sorted_anew(times)
    times.times["006.md"], times.moment = 101, None
    assert newest.at(times) == sorted_anew(times)
    times.times["007.md"] = 102
    assert newest.at(times) == sorted_anew(times)


def test_what_was_given_before_stays_as_it_was() -> None:
    times = made()
    newest = Newest(Listing(ENTRIES), range(len(ENTRIES)))
    before = newest.at(times)
    kept = list(before)
    times.touch("005.md", 100)
    newest.at(times)
    assert before == kept

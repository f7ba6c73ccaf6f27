"""A snapshot is what was known at one moment, whatever happens next."""

from __future__ import annotations

import gc
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.index.indexes import Indexed, notes
from vaulttools.core import paths
from vaulttools.files.listing import Listing
from vaulttools.index import build, layered
from vaulttools.index.freshness import Freshness
from vaulttools.index.layered import Draft, DraftSet
from vaulttools.index.memo import Memo, Memos
from vaulttools.index.publisher import Publisher
from vaulttools.index.rows import Rows
from vaulttools.index.snapshot import Snapshot
from vaulttools.index.tree import Tree
from vaulttools.index.watch import watch

FILES = notes(40) | {"r.md": "one\rtwo", "c.md": "a\r\nb", "n.md": "a\0b", "p.png": "picture", "x/y/z.md": "deep"}


@pytest.fixture(params=["with a watch", "without a watch"])
def present(indexed: Indexed, request: pytest.FixtureRequest, watch_on: None) -> Iterator[Publisher]:
    store = indexed.holding(FILES)
    watching = watch(indexed.root) if request.param == "with a watch" else None
    made = Publisher(indexed.root, store, watching, 1_000)
    yield made
    made.close()
    store.close()


def settle(present: Publisher) -> None:
    """Index what is pending."""
    pending = present.pending()
    build.update(present.store, present.root, pending.stale, pending.gone, pending.wordless, workers=0)
    present.settle(pending)


def known(snapshot: Snapshot) -> dict[str, Any]:
    """What a snapshot says without the database, and without what was made of it before."""
    snapshot._memos = Memos.empty()
    folders = ["", *{str(each) for path in FILES for each in Path(path).parents if str(each) != "."}, "new"]
    every = sorted({*FILES, *NEW, *(f"moved/{path}" for path in FILES)})
    held = {folder: sorted(snapshot.names_in(folder), key=str) for folder in folders if snapshot.knows(folder)}
    return {
        "names": held,
        "sizes": [snapshot.size(path) for path in every],
        "times": [snapshot.modified(path) for path in [*every, *folders]],
        "keys": snapshot.keys(every),
        "unknown": snapshot.unknown(every),
        "lacking_words": snapshot.lacking_words(every),
        "traits": [snapshot.with_trait("nul"), snapshot.with_trait("return"), snapshot.with_trait("lone return")],
        "texts": snapshot.texts(every),
        "digests": snapshot.text_digests(every),
        "changed": snapshot.changed(),
        "stale": snapshot.stale,
        "large": snapshot.large,
        "rows": snapshot._rows_of(frozenset(filter(paths.is_note, FILES))),
        "lacking": snapshot._lacking(every, "all"),
        "flags": [snapshot.has_facts, snapshot.has_words, snapshot.has_words_of(Listing([every]), 3)],
    }


NEW = [f"new/{number}.md" for number in range(5)]


def change(indexed: Indexed, chance: random.Random) -> None:
    """Change something in the vault."""
    there = sorted(path for path in indexed.vault.rglob("*") if path.is_file())
    some = chance.choice(there)
    what = chance.randrange(6)
    if what == 0:
        some.write_text(f"{chance.random()}\n" * chance.choice([1, 200]))
    elif what == 1:
        some.unlink()
    elif what == 2:
        indexed.write({chance.choice(NEW): f"{chance.random()}\r"})
    elif what == 3:
        place = indexed.vault / "moved" / some.relative_to(indexed.vault)
        place.parent.mkdir(parents=True, exist_ok=True)
        some.rename(place)
    elif what == 4:
        shutil.rmtree(some.parent) if some.parent != indexed.vault else some.unlink()
    else:
        some.touch()


@pytest.mark.parametrize("seed", range(3))
def test_nothing_that_a_snapshot_says_changes(
    indexed: Indexed, present: Publisher, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layered, "_LEAST", 10)  # so that bases are merged
    chance = random.Random(seed)
    taken: list[tuple[Snapshot, dict[str, Any]]] = []
    for _ in range(15):
        for _ in range(chance.randrange(3)):
            change(indexed, chance)
        now = present.current() if chance.random() < 0.7 else present.latest
        taken.append((now, known(now)))
        if chance.random() < 0.4:
            settle(present)
    for snapshot, then in taken:
        assert known(snapshot) == then
    for one, of_one in taken:
        for other, of_other in taken:
            differing = one.since(other.mark)
            texts, others = of_one["texts"], of_other["texts"]
            changed = {path for path in texts.keys() | others.keys() if texts.get(path) != others.get(path)}
            assert differing is None or changed <= differing
            assert one.moved(other) == {*one._records.files} ^ {*other._records.files}


WRITERS = (Publisher, Tree, Rows, Freshness, Draft, DraftSet)


def test_no_snapshot_reaches_what_another_thread_changes(indexed: Indexed, present: Publisher) -> None:
    """Its memos and caches hold only what was made of things that do not change, and `_fail` only tells the loss."""
    chance = random.Random(1)
    for _ in range(5):
        change(indexed, chance)
        snapshot = present.current()
        assert not {type(each) for each in reached(snapshot)}.intersection(WRITERS)
        settle(present)


def reached(snapshot: Snapshot) -> Iterator[object]:
    """Every object that the methods of a snapshot can reach."""
    aside = {"_fail", "_caches", "_store", "_root", "facts_of", "lasting"}
    waiting = [value for name, value in vars(snapshot).items() if name not in aside]
    seen: set[int] = set()
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, type | Memo) or (callable(each) and not hasattr(each, "__self__")):
            continue
        seen.add(id(each))
        yield each
        waiting += gc.get_referents(each)


def test_it_is_the_same_object_until_something_changes(indexed: Indexed, present: Publisher, later: None) -> None:
    settle(present)
    first = present.current()
    assert present.current() is present.latest is first
    indexed.write({"new/0.md": "x"})
    second = present.current()
    assert second is not first
    assert first.moved(second) == second.moved(first) == {"new/0.md"}
    (indexed.vault / "new/0.md").unlink()
    assert first.moved(present.current()) == frozenset()


def test_what_was_made_of_names_and_times_is_kept_while_they_are_the_same(indexed: Indexed, present: Publisher) -> None:
    def made(key: str, value: int, **of: bool) -> int:
        make: Callable[[], int] = lambda: value  # noqa: E731
        return present.current().kept(key, make, **of)

    assert (made("names", 1), made("times", 1, times=True)) == (1, 1)
    indexed.write({"c.md": "other"})
    assert (made("names", 2), made("times", 2, times=True)) == (1, 2)
    indexed.write({"new/0.md": "x"})
    assert (made("names", 3), made("times", 3, times=True)) == (3, 3)

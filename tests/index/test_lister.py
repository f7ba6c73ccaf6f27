"""A process lists folders beside this one: both read what one alone reads, whatever happens to the other."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.index.indexes import Indexed
from tests.index.test_tree import Story, state
from vaulttools.index import state as states
from vaulttools.index.folder import Folder, names_at
from vaulttools.index.lister import Lister
from vaulttools.index.state import IndexState
from vaulttools.index.tree import Tree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process is started")

MANY = states.WORTH_FILES


@pytest.fixture
def lister(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lister]:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    with states._helping_lister(MANY) as started:
        assert started is not None
        yield started


def killed(lister: Lister) -> None:
    lister._child.kill()
    lister._child.wait()


@pytest.mark.parametrize("seed", range(3))
def test_two_processes_read_the_tree_that_one_reads(tmp_path: Path, lister: Lister, seed: int) -> None:
    rng = random.Random(seed)
    story, root = Story(tmp_path, rng, modes=False), Indexed(tmp_path).root
    for _ in range(20):
        for _ in range(rng.randrange(12)):
            story.step()
        alone = Tree(root, None, max_bytes=100)
        meanwhile = iter(range(rng.choice([0, 1, 100])))
        assert state(Tree(root, None, 100, None, lister, meanwhile)) == state(alone)


def test_other_work_comes_first_and_then_both_processes_list(
    indexed: Indexed, lister: Lister, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed.write({f"{number}/n.md": "" for number in range(60)})
    here: list[str] = []

    def listed(folder: str) -> Folder:
        here.append(folder)
        return names_at(folder)

    monkeypatch.setattr("vaulttools.index.tree.names_at", listed)
    assert len(Tree(indexed.root, None, 100, None, lister, iter(range(1_000_000))).files()) == 60
    assert len(here) <= 2  # the root, and perhaps one folder more
    here.clear()
    assert len(Tree(indexed.root, None, 100, None, lister).files()) == 60
    assert 1 < len(here) < 61


@pytest.mark.parametrize("after", [0, 1, 5])
def test_this_process_lists_the_folders_of_a_process_that_died(indexed: Indexed, lister: Lister, after: int) -> None:
    indexed.write({f"{number % 20}/{number}/n.md": "" for number in range(60)})

    def dying() -> Iterator[None]:
        for _ in range(after):
            yield
        killed(lister)

    assert state(Tree(indexed.root, None, 100, None, lister, dying())) == state(Tree(indexed.root, None, 100))


def test_an_index_answers_the_same_with_a_process(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"{number % 7}/{number}.md": "first" for number in range(40)}
    indexed.write(files)
    store = indexed.open()
    assert indexed.update(store).finished
    (indexed.vault / "3/3.md").unlink()
    indexed.write({"2/2.md": "second", "7/new.md": "new"})
    alone = IndexState(indexed.root, store, None, max_bytes=1000)
    started: list[object] = []
    popen = subprocess.Popen

    def starting(command: Any, **named: Any) -> Any:
        started.append(command)
        return popen(command, **named)

    monkeypatch.setattr(states, "WORTH_FILES", 40)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", starting)
    beside = IndexState(indexed.root, store, None, max_bytes=1000)
    assert len(started) == 1
    assert beside.stale() == alone.stale() >= {"2/2.md", "7/new.md"}
    assert beside.freshness.gone == alone.freshness.gone == {"3/3.md"}
    for path in files:
        assert beside.rows.get(path) == alone.rows.get(path) is not None
    store.close()


def test_no_process_is_started_for_few_files_or_where_it_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*words: object, **named: object) -> None:
        raise BlockingIOError

    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", refused)
    with states._helping_lister(MANY) as started:
        assert started is None
    monkeypatch.setattr(subprocess, "Popen", lambda *words, **named: pytest.fail("started"))
    with states._helping_lister(MANY - 1) as started:
        assert started is None
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    with states._helping_lister(MANY) as started:
        assert started is None
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with states._helping_lister(MANY) as started:
        assert started is None

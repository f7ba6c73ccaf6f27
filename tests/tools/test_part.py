"""While an index is built, an answer that is made from a part of the notes says so first, and never more than it knows
(contract, section 24)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from threading import Event, Thread
from typing import Any

import pytest

from tests.conftest import MakeVault
from vaulttools import Vault
from vaulttools.core import work
from vaulttools.files import document
from vaulttools.files.document import Document
from vaulttools.index import build
from vaulttools.index.background import BackgroundIndex
from vaulttools.index.freshness import Pending
from vaulttools.index.publisher import Publisher

pytestmark = pytest.mark.scan_only

NOTES = 40
READ = 7
"""Notes that a call has time for."""


class Reading:
    """A clock on which only the reading of notes takes time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.seconds = 9.9 / READ

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reading]:
    """An index that is never built, and calls that have time to read some notes."""
    clock, ended, read = Reading(), Event(), document.read

    def slowly(*given: Any) -> Document:
        clock.now += clock.seconds
        return read(*given)

    def never(*_: object, **options: Any) -> build.Updated:
        ended.wait(60)
        return build.Updated()

    monkeypatch.setattr(build, "update", never)
    monkeypatch.setattr(BackgroundIndex, "wait", _once_loaded)
    monkeypatch.setattr(work, "time", clock)
    monkeypatch.setattr(document, "read", slowly)
    yield clock
    ended.set()


def _once_loaded(index: BackgroundIndex, **_: Any) -> bool:
    index.start()
    while index._present is None:
        Event().wait(0.001)
    return False


def _notes() -> dict[str, str]:
    return {
        f"{number:02}.md": f"---\npublish: true\n---\n#tag [[gone {number}]] [[{number}]]\n- [ ] task\n"
        for number in range(NOTES)
    }


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("base", {"where": "publish == true", "limit": 3}),
    ("base", {"where": "publish == true", "limit": 3, "page": 30}),
    ("base", {"where": "true"}),
    ("base", {"where": "publish == 5"}),
    ("base", {"where": "publish == true", "sort": ["file.name"], "summaries": {"publish": "Filled"}}),
    ("tasks", {}),
    ("tasks", {"text": "nowhere"}),
    ("tasks", {"page": 30}),
    ("tags", {}),
    ("tags", {"name": "nowhere"}),
    ("properties", {}),
    ("properties", {"name": "publish"}),
    ("properties", {"name": "nowhere"}),
    ("links", {"direction": "unresolved"}),
    ("links", {"direction": "orphans"}),
    ("links", {"note": "39.md", "direction": "back"}),
    ("links", {"note": "39.md", "direction": "back", "depth": 2}),
    ("query", {"query": "tag:#tag", "mode": "obsidian"}),
    ("query", {"query": "tag:#nowhere", "mode": "obsidian"}),
    ("query", {"query": "tag:#tag", "mode": "obsidian", "page": 30}),
    ("query", {"query": "task", "tags": ["tag"]}),
    ("query", {"query": "task", "properties": {"publish": "true"}, "page": 30}),
    ("query", {"query": "task", "tags": ["nowhere"]}),
    ("query", {"query": "task tag:#tag", "sort": "name"}),
    ("context", {"question": "task tag:#tag"}),
    ("context", {"question": "task", "tags": ["nowhere"]}),
]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_a_part_is_never_taken_for_the_whole(
    make_vault: MakeVault, reading: Reading, tool: str, arguments: dict[str, Any]
) -> None:
    answer = make_vault(_notes()).answer(tool, arguments)
    first = re.match(r"Part of the answer: (\d+) of 40 notes are read\. ", answer.text)
    assert first is not None
    assert 0 < int(first[1]) < NOTES
    assert answer.notices[0] == answer.text.split("\n")[0]
    assert not answer.complete
    for claim in ("No matches", "none on this page", "past the end", "The last page"):
        assert claim not in answer.text


def test_the_rows_of_a_part_are_shown(make_vault: MakeVault, reading: Reading) -> None:
    answer = make_vault(_notes()).base(where="publish == true", limit=3)
    assert [row.path for row in answer.rows] == ["00.md", "01.md", "02.md"]


@pytest.mark.parametrize("tool", ["base", "tasks", "tags", "properties", "links"])
def test_each_call_has_read_at_least_as_many_notes(make_vault: MakeVault, reading: Reading, tool: str) -> None:
    vault = make_vault(_notes())
    arguments = {"base": {"where": "true"}, "links": {"direction": "orphans"}}.get(tool, {})
    read = []
    for seconds in (1.4, 1.4, 0.7, 9.9, 99.0, 0.2, 0.1):
        reading.seconds = seconds
        read.append(vault.answer(tool, arguments).searched)
    assert read == sorted(read)
    assert read[-1] == NOTES
    assert 0 < read[0] < NOTES


def test_a_concurrent_call_knows_what_was_read_before(make_vault: MakeVault, reading: Reading) -> None:
    vault = make_vault(_notes())
    read = vault.tags().searched
    incremental, _ = next(iter(vault._opened.lasting._entries.values()))
    with incremental._lock:
        reading.seconds = 99.0
        thread = Thread(target=lambda: answers.append(vault.tags()))
        answers: list[Any] = []
        thread.start()
        while thread.is_alive():
            reading.now += 1
            thread.join(0.01)
    assert (answers[0].searched, answers[0].complete) == (read, False)


def test_a_change_is_reported_when_there_was_no_time_to_look_at_it(make_vault: MakeVault, reading: Reading) -> None:
    vault = make_vault(_notes())
    reading.seconds = 0.001
    assert vault.tags().complete
    for number in range(NOTES):
        (vault.path / f"{number:02}.md").write_text("#other", encoding="utf-8")
    reading.seconds = 5
    answer = vault.tags()
    assert answer.text.startswith("Part of the answer: there was no time to look at 38 notes again. Ask again.")
    assert not answer.complete


def test_what_a_build_has_written_is_known_before_it_has_ended(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown: dict[Publisher, list[int]] = {}  # the index of `make_vault` may be built meanwhile
    settle = Publisher.settle

    def settled(state: Publisher, done: Pending) -> bool:
        found = settle(state, done)
        unknown.setdefault(state, []).append(len(state.freshness.stale - state.freshness.young))
        return found

    monkeypatch.setattr(build, "BATCH_FILES", 10)
    monkeypatch.setattr(Publisher, "settle", settled)
    with Vault.open(make_vault(_notes()).path) as vault:
        assert vault.tags().searched == NOTES
    assert all(numbers == sorted(numbers, reverse=True) for numbers in unknown.values())
    assert any(0 < number < NOTES for numbers in unknown.values() for number in numbers)

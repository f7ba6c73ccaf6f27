"""Gives the tasks to one contestant."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Final

from benchmarks.comparing.contestant import FIRST, MOST, Contestant, text_of
from benchmarks.comparing.installing import run
from benchmarks.comparing.server import LONGEST, Server, cpu
from benchmarks.comparing.vaults import EASY, MARK, Vaults, keywords
from benchmarks.ranking import Asked

UNSEEN: Final = 10.0
"""Seconds after which an edit counts as not seen."""

Adapter = Callable[[Path, Path], Contestant]
"""Makes the contestant for a vault; the second folder is for its own files."""


@dataclass(slots=True)
class Measured:
    """The results, in shares, seconds, milliseconds and megabytes."""

    name: str = ""
    note: float = 0.0
    """The share of the questions with a right note among the first five."""
    keywords: float = 0.0
    """The same for the questions without the words that say nothing."""
    answer: float = 0.0
    """The share of the questions with the answering words in the text."""
    characters: float = 0.0
    """The median of the characters of an answer."""
    worded_note: float = 0.0
    """The same three for a question with two other wordings."""
    worded_answer: float = 0.0
    worded_characters: float = 0.0
    asked: float = 0.0
    """The median of the milliseconds of a question."""
    exact: float = 0.0
    """The share of the notes with a word that a search for the word finds."""
    found: float = 0.0
    """The median of the milliseconds of a search for a word."""
    first: float = 0.0
    """Seconds to the first right answer: from nothing, and from a start with the kept files."""
    again: float = 0.0
    cpu: float = 0.0
    """Seconds of processor time until the large vault is indexed."""
    memory: float = 0.0
    edit: str = ""
    leaks: list[str] = field(default_factory=list)


def measured(adapter: Adapter, vaults: Vaults, folder: Path) -> Measured:
    """Everything that is measured of one contestant.

    Raises:
        ServerGone: the server has ended by itself.
    """
    found = Measured()
    for name in ("personal", "large", "fixture"):
        (folder / name).mkdir(parents=True)
    _questions(adapter(vaults.personal, folder / "personal"), vaults, found)
    _large(adapter(vaults.large, folder / "large"), vaults, found)
    (vaults.fixture / EASY[1]).write_text(f"{EASY[0]}\n", encoding="utf-8")  # the edit of the contestant before goes
    contestant = adapter(vaults.fixture, folder / "fixture")
    found.name = f"{contestant.name} {contestant.version}"
    with _prepared(contestant, vaults.fixture) as server:
        _first_right(contestant, server)
        found.leaks = _leaks(contestant, server)
        found.edit = _edit_seen(contestant, server, vaults.fixture)
    return found


def _prepared(contestant: Contestant, vault: Path) -> Server:
    if contestant.prepare:
        run(contestant.prepare, contestant.environment)
    return Server(contestant, vault.parent)


def _questions(contestant: Contestant, vaults: Vaults, found: Measured) -> None:
    times, shorter = [], []
    plain, worded = _Answers(), _Answers()
    with _prepared(contestant, vaults.personal) as server:
        _first_right(contestant, server)
        server.settle()
        for asked in vaults.questions:
            start = time.perf_counter()
            result = server.call(contestant.ask(asked.text))
            times.append((time.perf_counter() - start) * 1000)
            plain.add(asked, text_of(result), contestant.paths(result))
            again = server.call(contestant.ask(keywords(asked.text)))
            shorter.append(not asked.right.isdisjoint(contestant.paths(again)[:FIRST]))
            worded.add(asked, *with_wordings(contestant, server, asked))
    found.asked, found.keywords = statistics.median(times), statistics.mean(shorter)
    found.note, found.answer, found.characters = plain.summary()
    found.worded_note, found.worded_answer, found.worded_characters = worded.summary()


@dataclass(slots=True)
class _Answers:
    """What answers to questions held, one element each."""

    notes: list[bool] = field(default_factory=list)
    answers: list[bool] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def add(self, asked: Asked, text: str, paths: Sequence[str]) -> None:
        self.sizes.append(len(text))
        self.notes.append(not asked.right.isdisjoint(paths[:FIRST]))
        if asked.keys:
            self.answers.append(asked.is_answered_by(text))

    def summary(self) -> tuple[float, float, float]:
        """The shares with a right note and with the answer, and the median size."""
        return statistics.mean(self.notes), statistics.mean(self.answers), statistics.median(self.sizes)


def with_wordings(contestant: Contestant, server: Server, asked: Asked) -> tuple[str, list[str]]:
    """The text for a question with its other wordings, and the notes, best first.

    If the program takes one wording in a call, each is a call: all texts count, and the notes take turns.
    """
    wordings = [asked.text, *asked.also]
    calls = (
        [contestant.ask(each) for each in wordings]
        if contestant.ask_worded is None
        else [contestant.ask_worded(wordings)]
    )
    results = [server.call(each) for each in calls]
    turns = zip_longest(*(contestant.paths(each) for each in results))
    notes = dict.fromkeys(path for turn in turns for path in turn if path is not None)
    return "\n".join(map(text_of, results)), list(notes)


def _large(contestant: Contestant, vaults: Vaults, found: Measured) -> None:
    spent, before = cpu(), time.monotonic()
    if contestant.prepare:
        run(contestant.prepare, contestant.environment)
    prepared = time.monotonic() - before
    with Server(contestant, vaults.large.parent) as server:
        found.first = prepared + _first_right(contestant, server)
        server.settle()  # indexing in the background counts too
    found.cpu = cpu() - spent
    times, shares = [], []
    with Server(contestant, vaults.large.parent) as server:
        found.again = _first_right(contestant, server)
        for word, notes in vaults.words.items():
            start = time.perf_counter()
            result = server.call(contestant.find(word))
            times.append((time.perf_counter() - start) * 1000)
            shares.append(len(notes.intersection(contestant.paths(result)[:MOST])) / len(notes))
        found.memory = server.peak
    found.exact, found.found = statistics.mean(shares), statistics.median(times)


def _first_right(contestant: Contestant, server: Server) -> float:
    """Seconds from the start of the server until it answers the easy question rightly."""
    while time.monotonic() - server.started < LONGEST:
        if EASY[1] in contestant.paths(server.call(contestant.ask(EASY[0])))[:FIRST]:
            return time.monotonic() - server.started
        time.sleep(0.25)
    return float("inf")


def _leaks(contestant: Contestant, server: Server) -> list[str]:
    asked = {
        "protected file, by search": contestant.ask("protectedword"),
        "protected file, by name": contestant.read(".obsidian/protected.md"),
        "outside link, by search": contestant.ask("outsideword"),
        "outside link, by name": contestant.read("Linked.md"),
        "outside file, by name": contestant.read("../outside.md"),
    }
    return [what for what, call in asked.items() if MARK in json.dumps(server.call(call))]


def _edit_seen(contestant: Contestant, server: Server, vault: Path) -> str:
    with (vault / EASY[1]).open("a", encoding="utf-8") as note:
        note.write("\nquaggaword\n")
    start = time.monotonic()
    while (waited := time.monotonic() - start) < UNSEEN:
        if EASY[1] in contestant.paths(server.call(contestant.ask("quaggaword"))):
            return "at once" if waited < 0.01 else f"after {waited:.1f} s"
        time.sleep(0.25)
    return f"not within {UNSEEN:.0f} s ({contestant.refresh})" if contestant.refresh else f"not within {UNSEEN:.0f} s"

"""Measure ranked search: which note comes first, and whether the answer's words are shown, as Markdown tables.

`python benchmarks/ranking.py [--final] [VAULT...]`

The vaults are the corpora beside the project, if they exist, two people's own vaults (`personal`, `german`), and a
generated one: the notes of `notes.toml` among a thousand others. `questions.toml` names the notes that answer: hit@1,
hit@5 and MRR by kind, compared with plain BM25 (all words of the question, joined by OR, in the index's own word table
with FTS5's default weights).
`answers.toml`, the `questions.toml` of both people, and `questions.json` beside the project hold regular expressions
for the words that answer. The tables show whether the answer's text holds them (for a list, one row of it), whether the
note is among the first five, and the size of the text, by wording; then the same with the two other wordings of
`wordings.json`. `names.toml` holds titles, file names and aliases: how often a note of that name is first. `pairs.toml`
holds pairs of words that no note has, and pairs that are in different notes: how often nothing is found, and how often
both are shown. `absent.toml` asks what no note answers, about other topics and about missing details: the table shows
how often no note holds a word and nothing is near (`weak`), for these and for answered questions. `--final` adds the
vault `journal` beside the project: nothing is tuned on it. For the vaults of people there is a row of a plain FTS5
table: paths and whole notes, `porter`, BM25, words joined by OR.

If the extra `semantic` is installed, each question is also asked with it; the exit status is 1 if a kind of
`questions.toml` loses more than one question by it. The vaults and their indexes are kept in the temporary folder.

Half of the questions, chosen by a hash of their text or named by the file, is for tuning; the other half is held out
(`docs/benchmarks.md` says what was seen of it).
"""

from __future__ import annotations

import hashlib
import json
import re
import statistics
import sys
import tarfile
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import apsw

from vaulttools import Vault, VaultConfig, VaultToolsError
from vaulttools.index.file import SCHEMA
from vaulttools.tools.query import RankedAnswer

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT / "fixtures"))  # this is a script, not a part of the package

from make_vault import make_vault  # noqa: E402

CORPUS = PROJECT.parent / "shared" / "corpus"
ARCHIVES = {"help": "obsidian-help.tar.xz", "rfcs": "rust-rfcs.tar.xz", "ency": "encyclopaedia.tar.xz"}
PERSONAL = PROJECT / "benchmarks" / "personal"
GERMAN = PROJECT / "benchmarks" / "german"
JOURNAL = PROJECT.parent / "shared" / "cases" / "journal-questions.json"
PEOPLES = {"personal": PERSONAL / "vault", "german": GERMAN / "vault", "journal": CORPUS / "journal"}
"""Vaults of people, used if they exist."""
TODAY = "2026-11-01"
"""The day on which these people ask."""
GIVEN = PROJECT.parent / "shared" / "cases" / "questions.json"
GIVEN_VAULTS = {"obsidian-help": "help", "rust-rfcs": "rfcs"}
FOREIGN = "Où est-ce que cela est écrit dans les notes ?"
KEPT = Path(tempfile.gettempdir()) / "vaulttools-ranking"
FILLER = 1_000
SHOWN = 10
FIVE = 5
ABSENT, DETAIL = "absent", "absent detail"
NAME, NO_PAIR, PAIR = "name", "absent pair", "pair in two notes"
FIXTURE = PROJECT / "fixtures" / "vault"
FINAL = "--final"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and the notes that answer it."""

    vault: str
    kind: str
    text: str
    right: frozenset[str]
    keys: tuple[str, ...] = ()
    """Regular expressions for the words that answer; all must match. Empty if only the note is known."""
    half: str = ""
    """`tuning` or `held-out`; if empty, a hash decides."""
    also: tuple[str, ...] = ()
    """Other wordings of the question."""
    each_of: tuple[frozenset[str], ...] = ()
    """Sets of notes; one of each is to be shown."""

    @property
    def is_held_out(self) -> bool:
        """Whether it is kept out of tuning."""
        if self.half:
            return self.half == "held-out"
        return self.kind != ABSENT and hashlib.sha256(self.text.encode()).digest()[0] % 2 == 1

    def is_answered_by(self, text: str) -> bool:
        """Whether a text holds the words that answer."""
        return bool(self.keys) and all(re.search(key, text) for key in self.keys)

    def place(self, found: Sequence[str]) -> int:
        """Returns the place of the first right note (from 1); 0 if it is not among the first ten."""
        return next((number for number, path in enumerate(found[:SHOWN], 1) if path in self.right), 0)


@dataclass(frozen=True, slots=True)
class Answered:
    """One question, and the places of the first right note."""

    asked: Asked
    ours: int
    plain: int
    milliseconds: float
    characters: int
    """Characters of the answer's text."""
    is_answered: bool
    """Whether the text holds the words that answer."""
    is_weak: bool
    """Whether no note holds a word of the question and nothing is near."""
    shown: frozenset[str] = frozenset()
    """The notes that the text shows."""
    is_empty: bool = False
    """Whether no note was found."""
    worded: Answered | None = None
    """The same with two other wordings."""
    by_meaning: Answered | None = None
    """The same with the extra `semantic`."""


def questions() -> list[Asked]:
    """Returns all questions."""
    tables = tomllib.loads((PROJECT / "benchmarks" / "questions.toml").read_text(encoding="utf-8"))
    return [
        Asked(vault, kind, text, frozenset(right))
        for vault, kinds in tables.items()
        for kind, asked in kinds.items()
        for text, right in asked.items()
    ]


def answers() -> list[Asked]:
    """Returns the questions with known words of the answer: ours, and those beside the project if they exist."""
    tables = tomllib.loads((PROJECT / "benchmarks" / "answers.toml").read_text(encoding="utf-8"))
    asked = [question for vault, some in tables.items() for each in some for question in _with_answer(vault, each)]
    if not GIVEN.exists():
        print(f"(without the questions of {GIVEN.name}, which is not beside the project)")
        return asked
    return asked + [
        Asked(
            GIVEN_VAULTS[each["vault"]],
            f"given, {each['wording']}",
            each["question"],
            frozenset(each["paths"]),
            (each["key"],),
        )
        for each in json.loads(GIVEN.read_text(encoding="utf-8"))
    ]


def _with_answer(vault: str, each: Mapping[str, Any]) -> Iterator[Asked]:
    """Yields a question of `answers.toml`, and its translation, which is for tuning."""
    kind = f"{each.get('set', 'later' if 'held_out' in each else 'ours')}, {each['wording']}"
    half = "held-out" if "held_out" in each else ""
    also = _wordings().get(each["question"], ())
    asked = Asked(vault, kind, each["question"], frozenset(each["paths"]), (each["key"],), half, also)
    yield asked
    if "translated" in each:
        yield replace(asked, kind="translated, foreign", text=each["translated"], half="tuning", also=())


@cache
def _wordings() -> Mapping[str, tuple[str, ...]]:
    """Returns two other wordings by question."""
    read = json.loads((PROJECT / "benchmarks" / "wordings.json").read_text(encoding="utf-8"))
    return {question: tuple(wordings) for question, wordings in read.items()}


def absent() -> list[Asked]:
    """Returns questions that no note answers."""
    asked = tomllib.loads((PROJECT / "benchmarks" / "absent.toml").read_text(encoding="utf-8"))
    details = [
        Asked(each["vault"], DETAIL, each["question"], frozenset(), half=each["half"]) for each in asked.pop("details")
    ]
    return [Asked(vault, ABSENT, text, frozenset()) for vault, some in asked.items() for text in some] + details


def typed() -> list[Asked]:
    """Returns names of notes, and pairs of words."""
    folder = PROJECT / "benchmarks"
    names = tomllib.loads((folder / "names.toml").read_text(encoding="utf-8"))["names"]
    pairs = tomllib.loads((folder / "pairs.toml").read_text(encoding="utf-8"))
    return [
        *(Asked(each["vault"], NAME, each["question"], frozenset(each["paths"])) for each in names),
        *(Asked(each["vault"], NO_PAIR, each["question"], frozenset()) for each in pairs["absent"]),
        *(
            Asked(each["vault"], PAIR, each["question"], frozenset(), each_of=tuple(map(frozenset, each["paths"])))
            for each in pairs["apart"]
        ),
    ]


def peoples(*, is_final: bool) -> list[Asked]:
    """Returns the questions of people about their own vaults: `personal`, `german`; if `is_final`, `journal` too."""
    found = [
        _of_person(folder.name, each, each["half"])
        for folder in (PERSONAL, GERMAN)
        for each in tomllib.loads((folder / "questions.toml").read_text(encoding="utf-8"))["questions"]
    ]
    if is_final and JOURNAL.exists():
        asked = json.loads(JOURNAL.read_text(encoding="utf-8"))["questions"]
        found += [_of_person("journal", each, "held-out") for each in asked]
    return found


def _of_person(vault: str, each: Mapping[str, Any], half: str) -> Asked:
    keys = each.get("keys") or ([each["key"]] if each.get("key") else [])
    kind = ABSENT if each["kind"] == ABSENT else f"{vault}, {each['kind']}"
    also = _wordings().get(each["question"], ())
    return Asked(vault, kind, each["question"], frozenset(each["paths"]), tuple(keys), half, also)


def main(arguments: Sequence[str]) -> int:
    """Asks everything, or only about some vaults, and prints the tables; the exit status is 1 if the extra loses."""
    vaults = [each for each in arguments if each != FINAL]
    every = [*questions(), *answers(), *absent(), *typed(), *peoples(is_final=FINAL in arguments)]
    asked = [each for each in every if not vaults or each.vault in vaults]
    folders = dict(unpacked(KEPT, {each.vault for each in asked}))
    answered = [
        answer
        for name, folder in folders.items()
        for answer in _answered(folder, KEPT / f"{name} index", [a for a in asked if a.vault == name])
    ]
    for name in sorted({each.vault for each in asked} - folders.keys()):
        print(f"(without the vault {name}, which is not beside the project)")
    notes = [each for each in answered if not each.asked.keys and each.asked.right and each.asked.kind != NAME]
    if notes:
        print("\n".join(_table(notes)) + "\n")
    if keyed := [each for each in answered if each.asked.keys]:
        print("\n".join(_answers_table(keyed)) + "\n")
    if people := [name for name in PEOPLES if name in folders]:
        print("\n".join(_plain_table({name: folders[name] for name in people}, asked)) + "\n")
    print("\n".join(_weak_table(answered)) + "\n")
    print("\n".join(_typed_table(answered)) + "\n")
    for name, some in (
        ("by words", answered),
        ("with the extra", _by_meaning(answered)),
    ):
        if times := [each.milliseconds for each in some]:
            print(
                f"A question took {statistics.median(times):.1f} ms of CPU {name} (median), {max(times):.0f} at most."
            )
    lost = _lost(notes)
    kinds = {each.asked.kind for each in notes if each.by_meaning is not None}
    print("\n".join(f"Lost by the extra: {lost.get(kind, 0)} of {kind}." for kind in sorted(kinds)))
    return int(any(count > 1 for count in lost.values()))


def _weak_table(answered: Sequence[Answered]) -> Iterator[str]:
    """Yields how many answers are weak, by vault; a topic may be absent, or a detail of a known topic."""
    columns = "absent: n | by words | with the extra | answered: n | by words | with the extra"
    yield f"| weak | tuning: {columns} | held out: {columns} |"
    yield "|---|" + "--:|" * 12
    vaults = dict.fromkeys(each.asked.vault for each in answered)
    for vault, kind in product((*vaults, ""), (ABSENT, DETAIL)):
        cells: list[str] = []
        for half in (False, True):
            own = [a for a in answered if vault in ("", a.asked.vault) and a.asked.is_held_out == half]
            for some in ([a for a in own if a.asked.kind == kind], [a for a in own if a.asked.right]):
                cells += [str(len(some)), *(_share([a.is_weak for a in each]) for each in (some, _by_meaning(some)))]
        yield f"| {vault or 'all'}, {kind} | " + " | ".join(cells) + " |"


def _by_meaning(some: Sequence[Answered]) -> list[Answered]:
    """Returns the answers to the same questions with the extra, as far as it was there."""
    return [each.by_meaning for each in some if each.by_meaning is not None]


def _typed_table(answered: Sequence[Answered]) -> Iterator[str]:
    """Yields what names and pairs of words find: a note of that name first, nothing, or a note for each word."""
    yield "| typed | n | by words | with the extra |"
    yield "|---|" + "--:|" * 3
    for kind, what in ((NAME, "is first"), (NO_PAIR, "No notes found"), (PAIR, "both shown")):
        for vault in dict.fromkeys(each.asked.vault for each in answered if each.asked.kind == kind):
            some = [each for each in answered if (each.asked.kind, each.asked.vault) == (kind, vault)]
            cells = [_share([_is_right(each) for each in own]) for own in (some, _by_meaning(some))]
            yield f"| {kind}, {vault}: {what} | {len(some)} | " + " | ".join(cells) + " |"


def _is_right(answer: Answered) -> bool:
    """Whether an answer to a name or a pair of words is as it should be."""
    if answer.asked.kind == NAME:
        return answer.ours == 1
    return all(answer.shown & each for each in answer.asked.each_of) if answer.asked.each_of else answer.is_empty


def _share(some: Sequence[bool]) -> str:
    return f"{statistics.mean(some):.2f}" if some else ""


def _lost(answered: Sequence[Answered]) -> dict[str, int]:
    """By kind, how many questions with a right note among the first five the extra loses, if any."""
    balance: dict[str, int] = defaultdict(int)
    for each in answered:
        if each.by_meaning is not None:
            balance[each.asked.kind] += (1 <= each.ours <= FIVE) - (1 <= each.by_meaning.ours <= FIVE)
    return {kind: count for kind, count in balance.items() if count > 0}


def unpacked(temporary: Path, wanted: Set[str]) -> Iterator[tuple[str, Path]]:
    """Yields the folders of the existing vaults, by name; makes the generated one again."""
    for name, archive in ARCHIVES.items():
        if name in wanted and (temporary / name).exists():
            yield name, _within(temporary / name)
        elif name in wanted and (CORPUS / archive).exists():
            with tarfile.open(CORPUS / archive) as tar:
                tar.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.0 to 3.11.3 lack it
                tar.extractall(temporary / name)
            yield name, _within(temporary / name)
    yield from ((name, folder) for name, folder in PEOPLES.items() if name in wanted and folder.exists())
    if "fixture" in wanted:
        yield "fixture", FIXTURE
    if "made" not in wanted:
        return
    made = temporary / "made"
    if made.exists():
        yield "made", made
        return
    make_vault(made, FILLER)
    for path, text in tomllib.loads((PROJECT / "benchmarks" / "notes.toml").read_text(encoding="utf-8")).items():
        (made / path).parent.mkdir(exist_ok=True)
        (made / path).write_text(text, encoding="utf-8")
    yield "made", made


def _within(folder: Path) -> Path:
    """Returns the archive's own folder in a folder."""
    while len(list(folder.iterdir())) == 1:
        folder = next(folder.iterdir())
    return folder


def _answered(folder: Path, index_folder: Path, asked: Sequence[Asked]) -> list[Answered]:
    today = TODAY if folder in PEOPLES.values() else None
    with Vault.open(folder, config=VaultConfig(index_folder=str(index_folder), meaning="off"), today=today) as vault:
        vault.build_index()
        # The copy of a vault in each clone has its own index in the kept folder.
        database = vault.index_status().folder / f"index-{SCHEMA}.sqlite"
        connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
        by_words = [_asked(vault, each, connection) for each in asked]
        connection.close()
    with Vault.open(folder, config=VaultConfig(index_folder=str(index_folder)), today=today) as vault:
        try:
            vault.wait_for_meaning()
            if any(each.kind.endswith("foreign") for each in asked):
                vault.query(FOREIGN)  # from the first such question on the second model is made
                vault.wait_for_meaning()
        except VaultToolsError as error:
            print(f"(without the extra: {error})")
            return by_words
        return [replace(each, by_meaning=_asked(vault, each.asked)) for each in by_words]


def _asked(vault: Vault, asked: Asked, connection: apsw.Connection | None = None) -> Answered:
    """Asks a question, and again with its other wordings; asks plain BM25 too, if there is a connection."""
    answered = _once(vault, asked)
    return replace(
        answered,
        plain=0 if connection is None else asked.place(_plain(connection, asked.text)),
        worded=_once(vault, asked, also=list(asked.also)) if asked.also else None,
    )


def _once(vault: Vault, asked: Asked, also: list[str] | None = None) -> Answered:
    start = time.process_time()
    answer = vault.query(asked.text, limit=SHOWN, also=also)
    took = (time.process_time() - start) * 1000
    assert isinstance(answer, RankedAnswer), asked.text
    listed = [row.path for row in answer.listed or ()]  # the text shows these first
    found = list(dict.fromkeys([*listed, *(note.path for note in answer.notes)]))
    return Answered(
        asked,
        asked.place(found),
        0,
        took,
        len(answer.text),
        asked.is_answered_by(answer.text),
        bool(answer.weak),
        frozenset(note.path for note in answer.notes[: answer.shown_notes]),
        not found,
    )


def _plain(connection: apsw.Connection, question: str) -> list[str]:
    rows = connection.execute(
        "SELECT path FROM words JOIN files ON files.id = words.rowid WHERE words MATCH ? ORDER BY rank LIMIT ?",
        (_by_or(question), SHOWN),
    )
    return [bytes(path).decode() for (path,) in rows]


def _by_or(question: str) -> str:
    return " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))


def _plain_table(folders: Mapping[str, Path], asked: Sequence[Asked]) -> Iterator[str]:
    """Yields what a plain FTS5 table over paths and whole notes finds."""
    columns = "n | five whole notes hold the answer | note in the first 5 | characters of them: median"
    yield f"| plain FTS5, vault | tuning: {columns} | held out: {columns} |"
    yield "|---|" + "--:|" * 8
    for name, folder in folders.items():
        connection = apsw.Connection(":memory:")
        connection.execute("CREATE VIRTUAL TABLE notes USING fts5(path, text, tokenize = 'porter')")
        connection.executemany(
            "INSERT INTO notes VALUES (?, ?)",
            [
                (path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8"))
                for path in sorted(folder.rglob("*.md"))
            ],
        )
        cells: list[str] = []
        for half in (False, True):
            some = [each for each in asked if each.vault == name and each.keys and each.is_held_out == half]
            found = [_five(connection, each) for each in some]
            if not found:
                cells += ["0", "", "", ""]
                continue
            size = f"{statistics.median(characters for _, _, characters in found):,.0f}"
            cells += [str(len(some)), _share([each[1] for each in found]), _share([each[0] for each in found]), size]
        connection.close()
        yield f"| {name} | " + " | ".join(cells) + " |"


def _five(connection: apsw.Connection, asked: Asked) -> tuple[bool, bool, int]:
    """Whether a right note is among the first five, whether all five together hold the answer, and their size."""
    rows = connection.execute(
        "SELECT path, text FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT ?", (_by_or(asked.text), FIVE)
    ).fetchall()
    whole = "\n\n".join(f"{path}\n{text}" for path, text in rows)
    return any(path in asked.right for path, _ in rows), asked.is_answered_by(whole), len(whole)


def _table(answered: Sequence[Answered]) -> Iterator[str]:
    kinds: dict[str, list[Answered]] = defaultdict(list)
    for each in answered:
        kinds[f"{each.asked.vault}, {each.asked.kind}"].append(each)
    columns = "hit@1 | hit@5 | MRR | BM25: hit@1 | hit@5 | MRR | with the extra: hit@1 | hit@5 | MRR"
    yield f"| vault, kind | tuning: n | {columns} | held out: n | {columns} |"
    yield "|---|" + "--:|" * 20
    for kind, some in [*kinds.items(), ("all", list(answered)), *_by_vault(answered)]:
        halves = ([a for a in some if not a.asked.is_held_out], [a for a in some if a.asked.is_held_out])
        yield f"| {kind} | " + " | ".join(map(_cells, halves)) + " |"


def _answers_table(answered: Sequence[Answered]) -> Iterator[str]:
    rates = "answer in the text | note in the first 5 | first | characters: median | most"
    rates += " | + two wordings: answer | note in the first 5 | characters: median"
    columns = f"n | {rates} | with the extra: {rates}"
    yield f"| questions, wording, vault | tuning: {columns} | held out: {columns} |"
    yield "|---|" + "--:|" * 34
    people = [each for each in answered if each.asked.vault in PEOPLES]
    others = [each for each in answered if each.asked.vault not in PEOPLES]
    for kind in dict.fromkeys(each.asked.kind for each in answered):
        for vault in dict.fromkeys(each.asked.vault for each in answered):
            if some := [each for each in answered if (each.asked.kind, each.asked.vault) == (kind, vault)]:
                yield _answers_row(f"{kind}, {vault}", some)
    for vault in dict.fromkeys(each.asked.vault for each in people):
        yield _answers_row(f"all of {vault}", [each for each in people if each.asked.vault == vault])
    if others:
        for wording in ("shared", "paraphrase", "foreign"):
            yield _answers_row(f"all, {wording}", [each for each in others if each.asked.kind.endswith(wording)])
        yield _answers_row("all but foreign", [each for each in others if not each.asked.kind.endswith("foreign")])


def _answers_row(name: str, some: Sequence[Answered]) -> str:
    halves = ([a for a in some if not a.asked.is_held_out], [a for a in some if a.asked.is_held_out])
    return f"| {name} | " + " | ".join(map(_answers_cells, halves)) + " |"


def _answers_cells(some: Sequence[Answered]) -> str:
    return " | ".join([str(len(some)), *_shares(some), *_shares(_by_meaning(some))])


def _shares(some: Sequence[Answered]) -> Iterator[str]:
    """Yields the shares: answer in the text, note in the first five, note first; and the characters; then the same but
    for the first with the other wordings."""
    yield _share([each.is_answered for each in some])
    yield _share([1 <= each.ours <= FIVE for each in some])
    yield _share([each.ours == 1 for each in some])
    sizes = [each.characters for each in some]
    yield _median(sizes)
    yield f"{max(sizes):,}" if sizes else ""
    worded = [each.worded for each in some if each.worded is not None]
    yield _share([each.is_answered for each in worded])
    yield _share([1 <= each.ours <= FIVE for each in worded])
    yield _median([each.characters for each in worded])


def _median(sizes: Sequence[int]) -> str:
    return f"{statistics.median(sizes):,.0f}" if sizes else ""


def _by_vault(answered: Sequence[Answered]) -> Iterator[tuple[str, list[Answered]]]:
    for vault in dict.fromkeys(each.asked.vault for each in answered):
        yield f"all of {vault}", [each for each in answered if each.asked.vault == vault]


def _cells(some: Sequence[Answered]) -> str:
    if not some:
        return "0 | | | | | | | | | "
    with_extra = [each.ours for each in _by_meaning(some)]
    columns = [*_rates([each.ours for each in some]), *_rates([each.plain for each in some])]
    return " | ".join([str(len(some)), *columns, *(_rates(with_extra) if with_extra else ("", "", ""))])


def _rates(places: Sequence[int]) -> Iterator[str]:
    """Yields hit@1, hit@5 and MRR."""
    yield f"{sum(place == 1 for place in places) / len(places):.2f}"
    yield f"{sum(1 <= place <= FIVE for place in places) / len(places):.2f}"
    yield f"{sum(1 / place for place in places if place) / len(places):.2f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

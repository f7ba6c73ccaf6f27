"""Changes a vault in one thread while another asks, and judges the answers.

What existed throughout a call is in the answer, or the answer names it and is not complete; what did not exist at any
moment of it is not in the answer.

`test_mover.py` runs this. As a command it does not stop at the first fault: `python tests/mover.py --seconds 1200`
counts them for twenty minutes. It uses nothing but `Vault.open` and `Vault.call`, so that it also judges another
version that `PYTHONPATH` names.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count, cycle
from pathlib import Path
from random import Random
from threading import Barrier, Event, Thread
from time import monotonic, monotonic_ns
from typing import Any, Final, Literal
from unittest.mock import patch

from vaulttools import Vault, VaultConfig
from vaulttools.vault import ToolResult

Mode = Literal["watch", "no watch", "no index"]
MODES: Final[tuple[Mode, ...]] = ("watch", "no watch", "no index")
"""How names are known: from inotify, by asking for the status of every file, from the disk alone."""

NEVER: Final = 1 << 63
"""Later than every moment of the clock, in nanoseconds."""

PLAIN_NOTES: Final = 40
"""Notes that never change and that no call is about: they give a call something to do."""

MOST_FILES: Final = 5
"""Notes that move at once: so many fit on the first page of every tool."""

ROUNDS: Final = 8
"""How often a program asks each of its calls, in turn."""

ATTEMPTS: Final = 12
"""Runs of a program that is smaller than one that failed: the threads do not meet in each of them."""

SWITCH: Final = 0.0005
"""Seconds after which the interpreter lets the other thread run: a tenth of the usual time, so that changes fall into
calls that take a millisecond."""

PAUSES: Final = (0.031, 0.008, 0.002, 0.0005)
"""Seconds between two changes: from long enough for the index to follow to shorter than any call."""

PARENTS: Final = ("zone/k", "zone/a", "zone/z")
"""Folders before, between and behind one another in the order of a walk."""

SUFFIXES: Final = "abc"
"""What names end with, in turn: so names come back."""


# What exists, and when


@dataclass
class Span:
    """A time in which something exists; it may exist a little sooner and longer, while a change begins or ends it."""

    may_from: int
    sure_from: int = NEVER
    sure_until: int = NEVER
    may_until: int = NEVER


@dataclass
class Thing:
    """A content, a file whatever it is called, or a name: something that an answer shows by a sign of its own."""

    sign: str
    spans: list[Span] = field(default_factory=list)

    def existed_throughout(self, begun: int, ended: int) -> bool:
        """Whether it was there at every moment of a call."""
        return any(span.sure_from <= begun and ended <= span.sure_until for span in self.spans)

    def may_have_existed(self, begun: int, ended: int) -> bool:
        """Whether it was perhaps there at some moment of a call."""
        return any(span.may_from <= ended and begun <= span.may_until for span in self.spans)


@dataclass
class Content(Thing):
    """What a note holds between two writes; `sign` is on every line, `word` is what it is asked for by."""

    word: str = ""
    file: File | None = None

    @property
    def text(self) -> str:
        return (
            f"---\nkind: moving\nstatus: {self.sign}\ntags: [kiwi/{self.sign}]\n---\n# {self.sign.capitalize()}\n\n"
            f"zebra {self.word} {self.sign}, see [[hub]] and [[gone-{self.sign}]].\n"
            f"- [ ] peel {self.word} {self.sign}\n"
        )


@dataclass
class Box:
    """A folder with notes in it, that moves and is renamed."""

    sign: str
    parent: int = 0
    suffix: int = 0

    @property
    def name(self) -> str:
        return f"{self.sign}-{SUFFIXES[self.suffix % len(SUFFIXES)]}"

    @property
    def path(self) -> str:
        return f"{PARENTS[self.parent % len(PARENTS)]}/{self.name}"


@dataclass
class File(Thing):
    """A note, whatever it is called and holds."""

    folder: int = 0
    """A number of a folder, see `World._folder`."""
    suffix: int = 0
    content: Content | None = None
    is_out: bool = False
    """Whether it is outside the vault now."""
    paths: list[str] = field(default_factory=list)
    """All its paths so far."""

    @property
    def name(self) -> str:
        return f"{self.sign}-{SUFFIXES[self.suffix % len(SUFFIXES)]}"


def _word(number: int, first: str) -> str:
    """A word that no other number has, and that is spelled like no other one."""
    scattered = (number + 1) * 2_654_435_761 % 2**32 >> 4
    sixes = [scattered >> 6 * at & 63 for at in range(4)]
    return first + "".join("bdfgklmnprstvwxz"[six & 15] + "aeio"[six >> 4] for six in sixes)


class World:
    """The vault on the disk, and the log of what was there when. One thread changes it; it is judged afterwards."""

    def __init__(self, root: Path) -> None:
        self.root = root / "vault"
        self.outside = root / "outside"
        self.contents: list[Content] = []
        self.files: list[File] = []
        self.names: dict[str, Thing] = {}
        self.boxes = [Box("box0x"), Box("box1x", parent=1)]
        self.log: list[tuple[int, int, str]] = []
        self._numbers = count()
        self.outside.mkdir(parents=True)
        for folder in (*PARENTS, *(box.path for box in self.boxes)):
            (self.root / folder).mkdir(parents=True)
        for number in range(PLAIN_NOTES):
            place = self.root / f"zone/p{number % 5}" / f"plain{number}.md"
            place.parent.mkdir(exist_ok=True)
            after = (number + 1) % PLAIN_NOTES
            place.write_text(f"# Plain {number}\n\nSome apple, see [[plain{after}]].\n- [x] done\n", encoding="utf-8")
        (self.root / "hub.md").write_text("# Hub\n", encoding="utf-8")
        for number in range(3):
            self.write(number * 2)

    @contextmanager
    def _change(self, what: str, begins: Iterable[Thing] = (), ends: Iterable[Thing] = ()) -> Iterator[None]:
        """A change of the disk; things begin, or end, at some moment of it."""
        before = monotonic_ns()
        spans = []
        for thing in begins:
            spans.append(Span(before))
            thing.spans.append(spans[-1])
        ending = [thing.spans[-1] for thing in ends]
        for span in ending:
            span.sure_until = before
        yield
        after = monotonic_ns()
        for span in spans:
            span.sure_from = after
        for span in ending:
            span.may_until = after
        self.log.append((before, after, what))

    @property
    def _present(self) -> list[File]:
        return [file for file in self.files if not file.is_out]

    def _folder(self, number: int) -> str:
        """A folder in which notes are: a parent or a box."""
        places = (*PARENTS, *(box.path for box in self.boxes))
        return places[number % len(places)]

    def path(self, file: File) -> str:
        """The present path of a file in the vault."""
        return f"{self._folder(file.folder)}/{file.name}.md"

    def _named(self, name: str) -> Thing:
        return self.names.setdefault(name, Thing(name))

    def _new_content(self, file: File) -> Content:
        number = next(self._numbers)
        content = Content(_word(number, "zy"), word=_word(number, "qu"), file=file)
        self.contents.append(content)
        return content

    def write(self, pick: int) -> None:
        """A new note."""
        if len(self._present) >= MOST_FILES:
            self.overwrite(pick)
            return
        file = File(f"file{len(self.files):03}x", folder=pick)
        content = file.content = self._new_content(file)
        self.files.append(file)
        path = self.path(file)
        file.paths.append(path)
        with self._change(f"write {path} ({content.sign})", [content, file, self._named(file.name)]):
            (self.root / path).write_text(content.text, encoding="utf-8")

    def overwrite(self, pick: int, *, has_old_time: bool = False) -> None:
        """New content by a rename over the note, as editors do."""
        if not self._present:
            return
        file = self._present[pick % len(self._present)]
        before, content = file.content, self._new_content(file)
        assert before is not None
        path = self.path(file)
        temporary = self.root / self._folder(file.folder) / f".{file.sign}.tmp"
        what = f"overwrite {path} ({before.sign} -> {content.sign}){' with its old time' if has_old_time else ''}"
        with self._change(what, [content], [before]):
            temporary.write_text(content.text, encoding="utf-8")
            if has_old_time:
                shutil.copystat(self.root / path, temporary)
            temporary.replace(self.root / path)
        file.content = content

    def overwrite_with_old_time(self, pick: int) -> None:
        """New content of the same size and time, as programs that synchronise do."""
        self.overwrite(pick, has_old_time=True)

    def rename(self, pick: int) -> None:
        """Another name in the same folder."""
        if self._present:
            file = self._present[pick % len(self._present)]
            self._move(file, file.folder, file.suffix + 1)

    def move(self, pick: int) -> None:
        """The same name in another folder, before or behind."""
        if self._present:
            file = self._present[pick % len(self._present)]
            self._move(file, file.folder + 1 + pick % 3, file.suffix)

    def rename_and_move(self, pick: int) -> None:
        """Another name in another folder."""
        if self._present:
            file = self._present[pick % len(self._present)]
            self._move(file, file.folder + 1 + pick % 3, file.suffix + 1)

    def _move(self, file: File, folder: int, suffix: int) -> None:
        old_path, old_name = self.path(file), file.name
        new = File(file.sign, folder=folder, suffix=suffix)
        new_path = self.path(new)
        file.paths.append(new_path)
        begins, ends = ([], []) if new.name == old_name else ([self._named(new.name)], [self._named(old_name)])
        with self._change(f"rename {old_path} -> {new_path}", begins, ends):
            (self.root / old_path).rename(self.root / new_path)
        file.folder, file.suffix = folder, suffix

    def move_folder(self, pick: int) -> None:
        """A folder with its notes into another parent."""
        box = self.boxes[pick % len(self.boxes)]
        self._move_box(box, box.parent + 1 + pick % 2, box.suffix)

    def rename_folder(self, pick: int) -> None:
        """A folder with its notes gets another name."""
        box = self.boxes[pick % len(self.boxes)]
        self._move_box(box, box.parent, box.suffix + 1)

    def _move_box(self, box: Box, parent: int, suffix: int) -> None:
        old, new = box.path, Box(box.sign, parent, suffix).path
        held = [file for file in self._present if self._folder(file.folder) == old]
        for file in held:
            file.paths.append(f"{new}/{file.name}.md")
        with self._change(f"rename folder {old} -> {new} ({len(held)} notes)"):
            (self.root / old).rename(self.root / new)
        box.parent, box.suffix = parent, suffix

    def remove(self, pick: int) -> None:
        """A note leaves the vault."""
        if not self._present:
            return
        file = self._present[pick % len(self._present)]
        path, content = self.path(file), file.content
        assert content is not None
        with self._change(f"remove {path} ({content.sign})", ends=[content, file, self._named(file.name)]):
            (self.root / path).rename(self.outside / file.sign)
        file.is_out = True

    def bring_back(self, pick: int) -> None:
        """A note that was removed comes back, with its old time and content."""
        out = [file for file in self.files if file.is_out]
        if not out or len(self._present) >= MOST_FILES:
            return
        file = out[pick % len(out)]
        path, content = self.path(file), file.content
        assert content is not None
        file.paths.append(path)
        with self._change(f"bring back {path} ({content.sign})", [content, file, self._named(file.name)]):
            (self.outside / file.sign).rename(self.root / path)
        file.is_out = False


CHANGES: Final[dict[str, Callable[[World, int], None]]] = {
    "rename": World.rename,
    "move": World.move,
    "rename and move": World.rename_and_move,
    "overwrite": World.overwrite,
    "overwrite with old time": World.overwrite_with_old_time,
    "move folder": World.move_folder,
    "rename folder": World.rename_folder,
    "write": World.write,
    "remove": World.remove,
    "bring back": World.bring_back,
}
MOVES: Final = ("rename", "move", "rename and move", "move folder", "rename folder")
"""Changes after which something that existed has another path."""


# What is asked


@dataclass(frozen=True)
class Call:
    """A call of a tool, and what its answer shows of all that moves: contents, or files by their names."""

    tool: str
    arguments: dict[str, Any]
    shows: Literal["contents", "files"] = "contents"
    sign: str = "{sign}"
    """How a content is seen in the answer, a regular expression."""
    words: str | None = None
    """The argument that is the word of one content: the answer is about that content alone."""


_OBSIDIAN: Final = {"mode": "obsidian", "limit": 50}

CALLS: Final[dict[str, Call]] = {
    "search_files": Call("search_files", {"pattern": "zebra"}),
    "search_files, one": Call("search_files", {}, words="pattern"),
    "search_files, paths": Call("search_files", {"pattern": "zebra", "output": "paths"}, "files"),
    "search_files, tags": Call("search_files", {"pattern": "zebra", "tags": ["kiwi"]}),
    "search_files, properties": Call("search_files", {"pattern": "zebra", "properties": {"kind": "moving"}}),
    "search_files, glob": Call("search_files", {"pattern": "z[e]bra", "file_pattern": "zone/**/file*.md"}),
    "search": Call("search", {"pattern": "zebra"}),
    "search, one": Call("search", {"paths": "zone"}, words="pattern"),
    "grep": Call("grep", {"pattern": "zebra"}),
    "grep, one": Call("grep", {"path": "zone"}, words="pattern"),
    "find": Call("find", {"paths": "**/file*"}, "files"),
    "survey": Call("survey", {}, sign=r"(?m)^ *{word},[1-9]", words="terms"),
    "scout": Call("scout", {"query": "zebra"}, "files"),
    "query obsidian": Call("query", {"query": "zebra", **_OBSIDIAN}),
    "query obsidian, one": Call("query", _OBSIDIAN, words="query"),
    "query obsidian, tag": Call("query", {"query": "tag:kiwi", **_OBSIDIAN}),
    "query obsidian, property": Call("query", {"query": "[kind:moving]", **_OBSIDIAN}, "files"),
    "query obsidian, folder": Call("query", {"query": "zebra", "folder": "zone", **_OBSIDIAN}),
    "query": Call("query", {"query": "zebra"}),
    "query, one": Call("query", {}, words="query"),
    "query, tags": Call("query", {"query": "zebra", "tags": ["kiwi"]}),
    "query, one, tags": Call("query", {"tags": ["kiwi"]}, words="query"),
    "query, folder": Call("query", {"query": "zebra", "folder": "zone"}),
    "context": Call("context", {"question": "zebra"}),
    "context, one": Call("context", {}, words="question"),
    "tags": Call("tags", {"name": "kiwi"}),
    "tags, folder": Call("tags", {"name": "kiwi", "folder": "zone"}),
    "properties": Call("properties", {"name": "status"}),
    "tasks": Call("tasks", {}),
    "tasks, folder": Call("tasks", {"folder": "zone"}),
    "links unresolved": Call("links", {"direction": "unresolved"}),
    "links back": Call("links", {"note": "hub", "direction": "back"}),
    "links orphans": Call("links", {"direction": "orphans"}, "files"),
    "base": Call("base", {"where": 'kind == "moving"', "columns": ["file.name", "status"]}),
    "base, tag": Call("base", {"where": 'file.hasTag("kiwi")', "columns": ["file.name", "status"]}),
}


@dataclass(frozen=True)
class Program:
    """What the two threads do: changes, over and over, until all is asked."""

    changes: tuple[tuple[str, int, float], ...]
    """Kind, pick and seconds until the next."""
    calls: tuple[tuple[str, int], ...]
    """Kind and pick."""
    is_built: bool = True
    """Whether the index is whole before the race begins."""
    has_second: bool = False
    """Whether another thread asks the same at the same time, in the other order."""


@dataclass(frozen=True)
class Asked:
    """A call, when it ran, and its answer."""

    kind: str
    arguments: dict[str, Any]
    content: Content | None
    begun: int
    ended: int
    result: ToolResult
    at_rest: bool


@dataclass(frozen=True)
class Fault:
    """An answer that is wrong."""

    kind: str
    call: str
    report: str


TWICE: Final = "twice"
"""A kind of fault: one answer shows or counts a note under two names. Each of them existed during the call."""

_NOTICE: Final = re.compile(r"^\[|incomplete: |^Part of the answer|^Indexing: ")
"""A line of ours about what the answer lacks or how to go on. No line of a note looks like one."""


def _picked(call: Call, contents: list[Content], pick: int) -> tuple[dict[str, Any], Content | None]:
    """The arguments of a call, and the content that it is about; None: about all."""
    if call.words is None:
        return call.arguments, None
    content = contents[-1 - pick % len(contents)]
    return {**call.arguments, call.words: [content.word] if call.words == "terms" else content.word}, content


def raced(program: Program, mode: Mode, folder: Path, rounds: int = ROUNDS) -> tuple[World, list[Asked]]:
    """Runs a program in an empty folder; returns the world with its log, and what was asked."""
    world = World(folder)
    config = VaultConfig(
        index_folder=str(folder / "index"),
        index="off" if mode == "no index" else "auto",
        meaning="off",
        time_limit=60,
    )
    asked: list[Asked] = []
    is_over, together = Event(), Barrier(3 if program.has_second else 2)
    broken: list[BaseException] = []

    def thread(run: Callable[[], None]) -> Thread:
        def guarded() -> None:
            together.wait()
            try:
                run()
            except BaseException as error:
                broken.append(error)

        started = Thread(target=guarded, name="mover")
        started.start()
        return started

    def change() -> None:
        for kind, pick, pause in cycle(program.changes):
            CHANGES[kind](world, pick)
            if is_over.wait(pause):
                return

    def ask_all(calls: Sequence[tuple[str, int]], rounds: int, *, at_rest: bool = False) -> None:
        for kind, pick in [*calls] * rounds:
            ask(kind, pick, at_rest=at_rest)

    def ask(kind: str, pick: int, *, at_rest: bool) -> None:
        call = CALLS[kind]
        arguments, content = _picked(call, list(world.contents), pick)
        begun = monotonic_ns()
        result = vault.call(call.tool, arguments)
        asked.append(Asked(kind, arguments, content, begun, monotonic_ns(), result, at_rest))

    watch = {"VAULTTOOLS_WATCH": "off" if mode == "no watch" else "auto"}  # read when the index is first needed
    interval = sys.getswitchinterval()
    with patch.dict(os.environ, watch), Vault.open(folder / "vault", config=config) as vault:
        if program.is_built and mode != "no index":
            vault.build_index()
        threads = [thread(change)]
        if program.has_second:
            threads.append(thread(lambda: ask_all(program.calls[::-1], rounds)))
        sys.setswitchinterval(SWITCH)
        try:
            together.wait()
            ask_all(program.calls, rounds)
        finally:
            sys.setswitchinterval(interval)
            for second in threads[1:]:
                second.join()
            is_over.set()
            threads[0].join()
        ask_all(program.calls, 1, at_rest=True)
    if broken:
        raise broken[0]
    return world, asked


def faults(world: World, asked: Iterable[Asked]) -> Iterator[Fault]:
    """Yields what is wrong with each answer; at most one fault of a kind for each."""
    for each in asked:
        found: dict[str, str] = {}
        for kind, what in _wrong(world, each):
            found.setdefault(kind, what)
        for kind, what in found.items():
            kind = f"{kind}, at rest" if each.at_rest else kind
            yield Fault(kind, each.kind, _report(world, each, kind, what))


def _wrong(world: World, asked: Asked) -> Iterator[tuple[str, str]]:
    """Yields kinds of fault, and what each is about."""
    result, call = asked.result, CALLS[asked.kind]
    if result.is_error:
        yield "error", result.text
        return
    body = "\n".join(line for line in result.text.splitlines() if not _NOTICE.search(line))

    def is_shown(thing: Thing) -> bool:
        if isinstance(thing, Content) and re.search(call.sign.format(sign=thing.sign, word=thing.word), body):
            return True
        return thing.sign in body

    things: list[Thing] = [*world.files] if call.shows == "files" else [*world.contents]
    for thing in things if asked.content is None else [asked.content]:
        if thing.existed_throughout(asked.begun, asked.ended) and not is_shown(thing):
            file = thing.file if isinstance(thing, Content) else thing
            assert isinstance(file, File)
            if result.details["complete"]:
                yield "left out", thing.sign
            elif not _is_named(file, result.text):
                yield "incomplete, but not named", thing.sign
    for thing in (*world.contents, *world.files, *world.names.values()):
        if not thing.may_have_existed(asked.begun, asked.ended) and is_shown(thing):
            yield "not there any more, or not yet", thing.sign
    for file in world.files:
        if len(set(re.findall(rf"{file.sign}-[{SUFFIXES}]", body))) > 1:
            yield TWICE, file.sign
    if asked.content is not None and re.search(rf"(?m)^ *{asked.content.word},\d+,[2-9]", body):  # as `survey` counts
        yield TWICE, asked.content.sign


def _is_named(file: File, text: str) -> bool:
    """Whether an answer names a file; or a folder that held it, or says that there are more, in a line of ours."""
    ours = set(re.split(r"[\s(),;.]+", "\n".join(filter(_NOTICE.search, text.splitlines()))))
    folders = {"/".join(path.split("/")[:depth]) for path in file.paths for depth in range(1, path.count("/") + 1)}
    return "more" in ours or not folders.isdisjoint(ours) or any(path in text for path in file.paths)


_SHOWN_BEFORE: Final = 4
_SHOWN_DURING: Final = 12
"""Changes that a report shows: the last before a call, and the first of those while it ran."""


def _report(world: World, asked: Asked, kind: str, what: str) -> str:
    """A fault as a person reads it: times in milliseconds from the beginning of the call."""

    def line(before: int, after: int, text: str) -> str:
        return f"{(before - asked.begun) / 1e6:9.2f} {(after - asked.begun) / 1e6:9.2f}  {text}"

    earlier = [change for change in world.log if change[1] < asked.begun]
    during = [change for change in world.log if change[1] >= asked.begun and change[0] <= asked.ended]
    more = f" ({len(during) - _SHOWN_DURING} more changes)" if len(during) > _SHOWN_DURING else ""
    return "\n".join(
        [
            f"{kind}: {what}",
            *(line(*change) for change in earlier[-_SHOWN_BEFORE:]),
            line(asked.begun, asked.ended, f"{CALLS[asked.kind].tool} {asked.arguments}"),
            *(line(*change) for change in during[:_SHOWN_DURING]),
            f"complete: {asked.result.details.get('complete')}{more}",
            *(f"| {text}" for text in asked.result.text.splitlines()),
        ]
    )


# Programs


def program(number: int) -> Program:
    """The program of a number: three calls in turn, so that twelve numbers in a row ask all of them, beside changes by
    chance, with at least one that moves a note or a folder."""
    chance = Random(number)
    calls, changes = list(CALLS), list(CHANGES)
    kinds = [chance.choice(MOVES), *(chance.choice(changes) for _ in range(chance.randrange(5)))]
    chance.shuffle(kinds)
    return Program(
        tuple((kind, chance.randrange(6), chance.choice(PAUSES)) for kind in kinds),
        tuple((calls[(3 * number + at) % len(calls)], chance.randrange(6)) for at in range(3)),
        is_built=chance.random() < 0.8,
        has_second=chance.random() < 0.25,
    )


def run(program: Program, mode: Mode) -> tuple[list[Asked], list[Fault]]:
    """Runs a program once, in a folder of its own; returns what was asked, and what was wrong."""
    with tempfile.TemporaryDirectory(prefix="mover-") as folder:
        world, asked = raced(program, mode, Path(folder))
    return asked, list(faults(world, asked))


def minimal(program: Program, mode: Mode, fault: Fault) -> tuple[Program, Fault]:
    """Returns a program without what a fault does not need: it came again in one of several runs."""
    for smaller in _smaller(program, fault.call):
        for _ in range(ATTEMPTS):
            for again in run(smaller, mode)[1]:
                if (again.kind, again.call) == (fault.kind, fault.call):
                    return minimal(smaller, mode, again)
    return program, fault


def _smaller(program: Program, call: str) -> Iterator[Program]:
    if len(program.calls) > 1:
        yield replace(program, calls=tuple(each for each in program.calls if each[0] == call)[:1])
    if program.has_second:
        yield replace(program, has_second=False)
    for at in range(len(program.changes)):
        if len(program.changes) > 1:
            yield replace(program, changes=program.changes[:at] + program.changes[at + 1 :])


def main() -> int:
    """Counts wrong answers; prints the first of each kind, then how many there were. Returns 1 if there was one."""
    parser = argparse.ArgumentParser(description="Count the wrong answers of a vault that changes while it is asked.")
    parser.add_argument("--seconds", type=float, default=60, help="for all modes together")
    parser.add_argument("--mode", choices=MODES, action="append", help="may be repeated; default: all")
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--minimal", action="store_true", help="look for the smallest program with each fault")
    options = parser.parse_args()
    modes: list[Mode] = options.mode or [*MODES]
    begun, any_wrong = monotonic(), 0
    for at, mode in enumerate(modes, 1):
        asked, incomplete, wrong = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
        for number in count(options.first):
            if monotonic() - begun > options.seconds * at / len(modes):
                break
            answers, found = run(program(number), mode)
            asked.update(each.kind for each in answers)
            incomplete.update(each.kind for each in answers if not each.result.details.get("complete"))
            for fault in found:
                wrong[fault.kind, fault.call] += 1
                if wrong[fault.kind, fault.call] > 1:
                    continue
                print(f"\n[{monotonic() - begun:.0f} s, {mode}, program {number}]")
                smallest = minimal(program(number), mode, fault) if options.minimal else (program(number), fault)
                print(f"{smallest[0]}\n{smallest[1].report}", flush=True)
        print(
            f"\n{mode}: {number - options.first} programs, {asked.total()} answers, {incomplete.total()} not complete"
        )
        for (kind, call), times in sorted(wrong.items()):
            print(f"  {times:5} of {asked[call]:5}  {call}: {kind}", flush=True)
        any_wrong |= bool(wrong)
    return any_wrong


if __name__ == "__main__":
    sys.exit(main())

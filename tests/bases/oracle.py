"""A vault in memory for expressions: the files and the time that Obsidian itself computed values with."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from vaulttools.bases import formulas
from vaulttools.bases.context import BaseRow, Context, FileFacts, FileLinks, Frame, Times
from vaulttools.bases.syntax import Failed
from vaulttools.bases.times import Clock
from vaulttools.bases.values import Setting, Value, plain
from vaulttools.bases.vault_files import facts_of, links_of
from vaulttools.notes.links.resolution import LinkIndex
from vaulttools.notes.note import Note

CASES: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "bases" / "expressions.json").read_text(encoding="utf-8")
)
ROW: Final = "Oracle/row.md"
CLOCK: Final = Clock(datetime.fromisoformat(CASES["now"]).timestamp() * 1000, ZoneInfo(CASES["timezone"]))


@dataclass
class Memory:
    """Files that exist only in memory."""

    texts: Mapping[str, str]
    known: dict[str, FileFacts] = field(default_factory=dict)
    links: dict[str, FileLinks] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.index = LinkIndex(self.texts)
        for path, text in self.texts.items():
            note = Note(path, text)
            self.known[path] = facts_of(note) if path.endswith(".md") else FileFacts()
            self.links[path] = links_of(note) if path.endswith(".md") else FileLinks()

    def facts(self, path: str) -> FileFacts:
        return self.known.get(path, FileFacts())

    def links_of(self, path: str) -> FileLinks:
        return self.links.get(path, FileLinks())

    def times(self, path: str) -> Times:
        if path not in self.texts:
            return Times(0, 0, 0)
        return Times(len(self.texts[path].encode()), CLOCK.now - 3_600_000, CLOCK.now - 86_400_000)

    def note_date(self, path: str) -> None:
        """The app knows no date of a note."""

    def linking_to(self, path: str) -> Sequence[str]:
        return sorted(
            source
            for source, held in self.links.items()
            if any(self.index.resolve(target.partition("#")[0], source) == path for target, _ in held.links)
        )


MEMORY: Final = Memory(CASES["files"])


def context(
    memory: Memory = MEMORY,
    clock: Clock = CLOCK,
    this: str | None = "Oracle/Other.md",
    stop: Callable[[], None] = lambda: None,
) -> Context:
    """A call over a vault in memory."""
    return Context(Setting(clock, memory.index.resolve), memory, stop, this=this)


def value_of(
    text: str, memory: Memory = MEMORY, clock: Clock = CLOCK, path: str = ROW, formula: Mapping[str, str] | None = None
) -> Value:
    """The value of an expression for a file."""
    held = formulas.read(CASES["formulas"] if formula is None else formula)
    row = BaseRow(context(memory, clock), path, memory.facts(path))
    return formulas.within(text, held, "the test").compute(Frame(row))


def shown(text: str, **options: Any) -> Any:
    """The value of an expression as details hold it, or the sentence of a failure."""
    try:
        return plain(value_of(text, **options), Setting(CLOCK, MEMORY.index.resolve))
    except Failed as error:
        return {"error": str(error)}

"""`base` answers as if every statement were computed for every file, also after edits and without a watch."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.bases.oracle import Memory
from tests.conftest import write_files
from vaulttools import Vault
from vaulttools.bases import formulas
from vaulttools.bases.context import BaseRow, Context, Frame
from vaulttools.bases.rows import EMPTY, order_of
from vaulttools.bases.syntax import Failed
from vaulttools.bases.times import Clock
from vaulttools.bases.values import Setting, Value, is_true
from vaulttools.core import paths

STATEMENTS = [
    'status == "open"',
    'status != "done"',
    "status",
    "!status",
    "note.Priority > 2",
    "priority < 3 && status",
    "missing",
    'file.hasTag("work")',
    'file.hasTag("work/a", "home")',
    '!file.hasTag("home")',
    'tags.contains("work")',
    'due < date("2026-06-01")',
    'due == "2026-03-03"',
    "due.isEmpty()",
    "number(status) > 1",
    "number(priority) >= 2",
    'link == link("n1")',
    "link.asFile().path == file.path",
    'file.hasLink("n2")',
    "file.backlinks.length > 1",
    'file.name.contains("3")',
    'status.lower().startsWith("o") || priority == 1',
    "!(number(status) > 1)",
    'file.inFolder("sub")',
    'file.ext == "md"',
    "list(priority).contains(2)",
    "priority + 1 == 3",
    "file.links.length",
    'file.properties.status == "open"',
    "true",
    'due > "2026-05-01" && due.year == 2026',
]


def note(random: Random) -> str:
    lines = []
    if random.random() < 0.8:
        lines.append(
            f"{random.choice(['status', 'Status'])}: {random.choice(['open', 'done', 'Open', '5', '', '[[n1]]'])}"
        )
    if random.random() < 0.7:
        lines.append(f"priority: {random.choice(['1', '2', '3.5', 'high', '[1, 2]', 'true', 'null'])}")
    if random.random() < 0.5:
        lines.append(f"due: {random.choice(['2026-03-03', '2026-07-01', '2026-03-03T10:00', 'soon'])}")
    if random.random() < 0.5:
        lines.append(f"tags: {random.choice(['work', '[work/a, home]', 'Home', '[]'])}")
    if random.random() < 0.4:
        lines.append(f'link: "[[{random.choice(["n1", "sub/n1", "n2|x", "nowhere"])}]]"')
    body = random.choice(["", "#work", "[[n2]] and ![[n3]]", "[x](n1.md) #home/b"])
    return f"---\n{chr(10).join(lines)}\n---\n{body}\n" if lines else body


def tree(random: Random, depth: int = 0) -> Any:
    if depth > 2 or random.random() < 0.4:
        return random.choice(STATEMENTS)
    parts = [tree(random, depth + 1) for _ in range(random.randint(1, 3))]
    return {random.choice(["and", "or", "not"]): parts}


def holds(filter_: Any, row: BaseRow) -> bool:
    """Whether a filter keeps a file, one statement after another."""
    if isinstance(filter_, str):
        try:
            return is_true(formulas.within(filter_, formulas.read({}), "x").compute(Frame(row)))
        except Failed:
            return False
    ((kind, parts),) = filter_.items()
    if kind == "and":
        return all(holds(part, row) for part in parts)
    is_one_true = any(holds(part, row) for part in parts)
    return is_one_true if kind == "or" else not is_one_true


def plainly(texts: Mapping[str, str], where: Any, sort: str | None) -> list[str]:
    memory = Memory(texts)
    context = Context(Setting(Clock(time.time_ns() // 1_000_000), memory.index.resolve), memory)
    rows = {path: BaseRow(context, path, memory.facts(path)) for path in sorted(texts, key=paths.order)}
    kept = [path for path, row in rows.items() if holds(where, row)]
    if sort is None:
        return kept
    by = formulas.within(sort.removeprefix("-"), formulas.read({}), "x")

    def key(path: str) -> tuple[Any, ...]:
        value: Value | Failed
        try:
            value = by.compute(Frame(rows[path]))
        except Failed as error:
            value = error
        return order_of(value, context)

    filled = [path for path in kept if key(path) != EMPTY]
    filled.sort(key=key, reverse=sort.startswith("-"))
    return filled + [path for path in kept if key(path) == EMPTY]


@pytest.mark.parametrize("watch", ["on", "off"])
@pytest.mark.parametrize("seed", range(6))
def test_rows_are_those_of_computing_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, watch: str
) -> None:
    if watch == "off":
        monkeypatch.setenv("VAULTTOOLS_WATCH", "off")
    random = Random(seed)
    texts = {f"{random.choice(['', 'sub/'])}n{number}.md": note(random) for number in range(25)} | {
        "a.txt": "",
        "n9": "",
    }
    write_files(tmp_path, texts)
    with Vault.open(tmp_path) as vault:
        for _ in range(3):
            for _ in range(6):
                where, sort = tree(random), random.choice([None, "status", "-priority", "due", "-file.name"])
                found = vault.base(where=where, sort=sort, limit=1000)
                expected = plainly(texts, where, sort)
                assert [row.path for row in found.rows] == expected, (where, sort)
                assert found.total == len(expected)
            edited = random.sample(sorted(texts), 3)
            for path in edited[:2]:
                texts[path] = note(random) if path.endswith(".md") else "x"
                write_files(tmp_path, {path: texts[path]})
            del texts[edited[2]]
            os.remove(tmp_path / edited[2])

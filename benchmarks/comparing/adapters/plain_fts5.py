"""A plain FTS5 table over paths and whole notes: `porter`, BM25, words joined by OR. It is made once."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.comparing.contestant import FIRST, MOST, Call, Contestant, Result
from benchmarks.comparing.installing import printed


def contestant(vault: Path, kept: Path) -> Contestant:
    """The table as a program: a process makes it, and one answers each call with whole notes."""
    program = [sys.executable, "-m", __name__, str(vault), str(kept / "notes.db")]
    environment = {"PYTHONPATH": str(Path(__file__).parents[3])}

    def run(call: Call) -> Result:
        rows = json.loads(printed([*program, json.dumps(call[1])], environment))
        return {"content": [{"type": "text", "text": text} for _, text in rows], "paths": [path for path, _ in rows]}

    return Contestant(
        "plain FTS5 table, whole notes",
        sqlite3.sqlite_version,
        ask=lambda question: ("match", {"match": _any_of(question), "limit": FIRST}),
        find=lambda word: ("match", {"match": _any_of(word), "limit": MOST}),
        read=lambda path: ("read", {"path": path}),
        paths=lambda result: result["paths"],
        run=run,
        ask_worded=lambda wordings: ("match", {"match": _any_of(" ".join(wordings)), "limit": FIRST}),
        environment=environment,
        prepare=program,
        refresh="made anew",
    )


def _any_of(text: str) -> str:
    return " OR ".join(f'"{word}"' for word in re.findall(r"\w+", text))


def main(arguments: Sequence[str]) -> None:
    """Make the table of a vault, or print the rows that a call asks for."""
    vault, table, *call = arguments
    connection = sqlite3.connect(table)
    if not call:
        notes = ((path.relative_to(vault).as_posix(), path.read_text("utf-8")) for path in Path(vault).rglob("*.md"))
        connection.execute("CREATE VIRTUAL TABLE notes USING fts5(path, text, tokenize = 'porter')")
        connection.executemany("INSERT INTO notes VALUES (?, ?)", notes)
        connection.commit()
        return
    asked = json.loads(call[0])
    if "path" in asked:
        rows = connection.execute("SELECT path, text FROM notes WHERE path = :path", asked)
    else:
        rows = connection.execute(
            "SELECT path, text FROM notes WHERE notes MATCH :match ORDER BY rank LIMIT :limit", asked
        )
    print(json.dumps(rows.fetchall()))


if __name__ == "__main__":
    main(sys.argv[1:])

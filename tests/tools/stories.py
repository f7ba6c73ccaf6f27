"""Small vaults that change: tests of `tags`, `properties` and `links` query them and read each note anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import strategies as st

from vaulttools import Vault
from vaulttools.core import paths
from vaulttools.notes.note import Note

PATHS = ["a.md", "b.md", "A b.md", "x/a.md", "x/y/a.md", "x/c.md", "x/é.md", "d.txt", "x/p.png", ".h.md", "Old/o.md"]

LINES = [
    *("#work", "#Work/a #work/a/b", "text #x/y and #1 `#no`", "```", "#é", "## Head #tag/", "", "%%#hid%%", "#x//y"),
    *("[[a]]", "[[x/a|shown]] and ![[p.png]]", "[m](b.md) [n](x/c) <http://x.org>", "[[nowhere#h]] [[a]]", "[[#Head]]"),
    *("A b and a, b", "see al one here", "[[b|A b]]", "`al one`", "[[../b]] [[./c]]", "[e](https://x.org)", "ÉCOLE é"),
    *("[m](A%20b.md) [n](x%2Fa.md)", "[m](%C3%A9.md) [n](b%.md)"),
]
BLOCKS = [
    *("", "", "tags: [work, x]", "tags: Work x/y", "Tags:\n- '#é'", "status: active", "Status: 2", "status: [a, b]"),
    *("status:", "status: ''", "status: []", "due: 2026-01-01", "done: true", "aliases: [al one, B]", "up: '[[a]]'"),
    *("m: {k: v}", "n: 1.5", "tags: [work", "due: 2026-01-01T10:00:00", "status: Active\nstatus2: null", "alias: zz"),
    *("up: '[m](x/a.md)'", "up: ['[m](../A%20b.md)', '[[c]]', '[m](x%2Fc.md)', 'see [m](b.md)']"),
]

texts = st.builds(
    lambda block, lines, end: (f"---{end}{block}{end}---{end}" if block else "") + end.join(lines),
    st.sampled_from(BLOCKS),
    st.lists(st.sampled_from(LINES), max_size=5),
    st.sampled_from(["\n", "\r\n"]),
)
contents = texts.map(str.encode) | st.sampled_from([b"", b"#bad \xff", b"\0 #nul", "#wide [[a]]".encode("utf-16")])
edits = st.lists(st.tuples(st.sampled_from(PATHS), st.none() | contents), min_size=1, max_size=4)
stories = st.lists(edits, min_size=1, max_size=4)
"""Edits, each a path and what it holds then (None: it is gone); a question follows every few."""


def replay(story: list[list[tuple[str, bytes | None]]], check: Callable[[Vault, Mapping[str, Note]], Any]) -> None:
    """Call `check` after every few edits, with the vault and every visible note that is not excluded, in path order."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / ".obsidian").mkdir()
        (folder / ".obsidian/app.json").write_text('{"userIgnoreFilters": ["Old/"]}', encoding="utf-8")
        with Vault.open(folder) as vault:
            for some in story:
                for name, content in some:
                    path = folder / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    if content is None:
                        path.unlink(missing_ok=True)
                    else:
                        path.write_bytes(content)
                check(vault, _notes(folder))


def _notes(folder: Path) -> dict[str, Note]:
    from vaulttools.files.document import decode

    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    seen = [name for name in names if name.endswith(".md") and not name.startswith((".", "Old/"))]
    read = {name: decode(name, (folder / name).read_bytes()) for name in sorted(seen, key=paths.order)}
    return {name: Note(name, document.text) for name, document in read.items() if not document.is_binary}

"""Each tool ends soon after its time limit, whatever its notes and arguments hold.

Only the CPU time of the calling thread counts: on a busy machine, wall-clock time includes other work.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import write_files
from vaulttools import Vault, VaultConfig

LIMIT = 0.5
MOST = 1.5
"""Seconds of CPU: showing what was found may take a fifth of the limit; the rest is for slow machines."""

WORDS = [f"w{number}" for number in range(1_400)]
SAME = " ".join(["findme"] * 1_400)
LIST = f"[{','.join('1' * 60)}]"

QUESTIONS = (
    SAME,
    " ".join(WORDS),
    " ".join([*WORDS, "findme"]),
    " ".join(f"{word}x" for word in WORDS),
    " ".join(f'"{word} findme"' for word in WORDS),
    "x" * 100_000,
    "findme" * 3_000,
    " ".join(WORDS * 100),
    "私は検索したい文書、" * 1_000,
    '[[(("`' * 20_000 + " findme",
)
"""For ranked search: a long question, words that occur nowhere, and one long word."""

NOTES = {
    "lines.md": "findme\n" * 20_000,
    "words.md": ("findme " * 1_400 + "\n") * 100 + " ".join(WORDS),
    "headings.md": "".join(f"{'#' * (each % 6 + 1)} findme {each}\n\nfindme\n\n" for each in range(4_000)),
    "tasks.md": "".join(f"{'  ' * (each % 40)}- [ ] findme #tag{each % 50} {each}\n" for each in range(8_000)),
    "links.md": "".join(f"[[links]] [[gone{each}|findme]] [[tasks#h{each}]] #tag/{each}\n" for each in range(8_000)),
    "properties.md": "---\n" + "".join(f"p{each}: [findme, {each}]\n" for each in range(1_500)) + "---\n",
    "long.md": "findme " * 300_000,
    "sentences.md": "Find me. " * 60_000,
    "brackets.md": "[" * 30_000 + "\n" + "![[" * 10_000 + "\n" + "[a](" * 10_000,
    "deep.md": "".join(">" * (each % 60) + " findme\n" for each in range(4_000)),
    "board.canvas": json.dumps(
        {
            "nodes": [
                {"id": str(each), "type": "text", "text": "findme " * 20, "x": 0, "y": 0, "width": 1, "height": 1}
                for each in range(3_000)
            ]
        }
    ),
    "chain.base": "formulas:\n"
    + "".join(f"  f{each}: formula.f{each + 1} + 1\n" for each in range(1_000))
    + "  f1000: '1'\nviews:\n  - type: table\n    name: T\n    order: [formula.f0]\n",
    **{f"n/{each}.md": f"---\npublish: true\nn: {each}\n---\nfindme [[{each + 1}]] #t{each}\n" for each in range(200)},
}


def _query(text: str) -> tuple[str, dict[str, Any]]:
    return "query", {"query": text, "mode": "obsidian"}


CALLS: list[tuple[str, dict[str, Any]]] = [
    _query(SAME),
    _query(" ".join(WORDS)),
    _query(" OR ".join(WORDS)),
    _query(f"line:({SAME})"),
    _query(f"line:({' OR '.join(WORDS)})"),
    _query(f"section:({SAME})"),
    _query(f"block:({' '.join(f'-{word}' for word in WORDS)})"),
    _query("section:(section:(section:(findme -nowhere)))"),
    _query(f"task:({' '.join(f'-{word}' for word in WORDS)})"),
    _query(" ".join(["tag:#tag"] * 1_000)),
    _query(" ".join(f"[p{each}:findme]" for each in range(1_000))),
    _query(" ".join(f"/findme{each}?/" for each in range(200))),
    *(("query", {"query": question}) for question in QUESTIONS),
    *(("context", {"question": question, "max_chars": 50_000}) for question in QUESTIONS),
    ("base", {"where": f"{LIST}.map({LIST}.map({LIST}.map({LIST}.map(value)))).length"}),
    ("base", {"where": "file.links.map(value.asFile().links.map(value.asFile().links.map(value.asFile().links)))"}),
    ("base", {"where": "true", "columns": ["file.links", "file.backlinks", "file.tags", "file.properties"]}),
    ("base", {"where": "true", "columns": [f"n + {each}" for each in range(2_000)]}),
    ("base", {"where": "true", "sort": [f"file.name + {each}" for each in range(500)]}),
    ("base", {"where": {"or": [f"n == {each}" for each in range(5_000)]}}),
    ("base", {"where": f'"{"a" * 5_000}".repeat(100).split("a").unique().length'}),
    ("base", {"where": "file.links.containsAll(file.links)"}),
    ("base", {"where": '("aaaaaaaaaa".repeat(20000)).replace(/(a|aa)+$/, "b")'}),
    ("base", {"base": "chain.base"}),
    ("tasks", {"text": "x" * 100_000}),
    ("tasks", {"group_by": "heading", "limit": 10_000}),
    ("tasks", {"tags": [f"t{each}" for each in range(5_000)]}),
    ("tags", {"limit": 10_000}),
    ("tags", {"name": "x" * 50_000}),
    ("properties", {"limit": 10_000}),
    ("properties", {"name": "x" * 50_000}),
    ("links", {"note": "links", "limit": 10_000}),
    ("links", {"note": "links", "direction": "back", "depth": 3}),
    ("links", {"direction": "unresolved", "limit": 10_000}),
    ("links", {"note": "properties", "direction": "mentions"}),
    ("read", {"notes": ["headings"] * 20}),
    ("outline", {"note": "headings"}),
    ("search_files", {"pattern": "findme", "context_lines": 20, "max_results": 10_000}),
    ("search_files", {"pattern": "findme", "tags": [f"t{each}" for each in range(3_000)]}),
    ("search", {"pattern": "findme", "paths": ["n"] * 500}),
    ("find", {"paths": [f"**/*{'a*' * 200}.md"]}),
    ("grep", {"pattern": "findme", "context_lines": 20, "max_results": 10_000}),
    ("survey", {"terms": WORDS}),
    ("scout", {"query": "findme"}),
    ("sample", {"query": "findme", "file": "lines.md", "clusters": 20}),
    ("show", {"query": "findme", "file": "lines.md", "line": 19_999, "context": 20}),
]


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault that is indexed once."""
    folder = tmp_path_factory.mktemp("nasty") / "vault"
    write_files(folder, NOTES)
    return folder


def _opened(folder: Path, searched_by: str) -> Vault:
    vault = Vault.open(folder, config=VaultConfig(time_limit=LIMIT, index_folder=str(folder.parent / "index")))
    if searched_by == "index":
        vault.build_index()
    return vault


@pytest.mark.parametrize("number", range(len(CALLS)), ids=lambda number: f"{CALLS[number][0]}-{number}")
def test_a_call_ends_soon_after_its_time_limit(nasty: Path, number: int, searched_by: str) -> None:
    tool, arguments = CALLS[number]
    with _opened(nasty, searched_by) as vault, _without_what_tests_left():
        began = time.thread_time()
        result = vault.call(tool, arguments)
        assert time.thread_time() - began < MOST
    assert "a reason of its own" not in result.text


@contextmanager
def _without_what_tests_left() -> Iterator[None]:
    """Keeps the garbage collector out of the hundreds of MiB that earlier tests left: that took over a second."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def test_a_match_is_reported_when_there_is_no_time_to_show_it(nasty: Path, searched_by: str) -> None:
    with _opened(nasty, searched_by) as vault:
        answer = vault.query(query=f"task:({' '.join(f'-{word}' for word in WORDS)})", mode="obsidian")
    assert answer.complete or answer.text.startswith(("Part of the answer: ", "No matches in the "))

"""The comparison with other programs: its questions fit the vaults, and its results are printed."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import compare
from benchmarks.comparing import report, vaults
from benchmarks.comparing.contestant import text_of
from benchmarks.comparing.tasks import Measured
from tests.conftest import write_files

RESULTS = [
    Measured("ours 1.0", note=0.9, answer=0.7, characters=1234, exact=1, first=0.5, edit="at once"),
    Measured("others & co 2", note=0.3, first=float("inf"), edit="not within 10 s", leaks=["a file", "a link"]),
]


def test_every_program_has_an_adapter_that_is_found() -> None:
    assert compare.NAMES == ["vaulttools", "markdown_vault_mcp", "mcpvault", "qmd", "ripgrep"]
    assert all(map(callable, map(compare.adapter, compare.NAMES)))


def test_only_the_named_notes_hold_a_word(tmp_path: Path) -> None:
    made = vaults.made(tmp_path, notes=60)
    texts = {path.relative_to(made.large).as_posix(): path.read_text("utf-8") for path in made.large.rglob("*.md")}
    assert len(made.words) == 20
    assert made.words == vaults.exact_words(made.large)
    for word, notes in made.words.items():
        assert {path for path, text in texts.items() if word in text.casefold()} == notes


@pytest.mark.not_on_windows("the comparison runs on Linux")
def test_a_program_that_is_no_server_is_run_for_each_call(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "word\n", "b/c.md": "Word\nword\nother\n", "d.md": "none\n"})
    ripgrep = compare.adapter("ripgrep")(tmp_path, tmp_path)
    assert ripgrep.run is not None
    assert ripgrep.paths(ripgrep.run(ripgrep.ask("which word?"))) == ["b/c.md", "a.md"]
    assert ripgrep.paths(ripgrep.run(ripgrep.find("other"))) == ["b/c.md"]
    assert text_of(ripgrep.run(ripgrep.read("d.md"))) == "none\n"


def test_the_table_has_a_line_for_each_program() -> None:
    head, _, ours, others = report.table(RESULTS).split("\n")
    assert head.startswith("| | note@5 | keywords | answered |")
    assert ours.startswith("| ours 1.0 | 0.90 | 0.00 | 0.70 | 1,234 |")
    assert ours.endswith("| at once | nothing |")
    assert others.endswith("| inf | 0.0 | 0 | 0 | not within 10 s | a file; a link |")
    assert len({line.count("|") for line in (head, ours, others)}) == 1


def test_the_picture_has_a_bar_for_each_program_in_each_part() -> None:
    picture = ElementTree.fromstring(report.picture(RESULTS))
    kinds = [each.tag.rpartition("}")[2] for each in picture]
    assert kinds.count("rect") == 4 * len(RESULTS)
    assert [each.text for each in picture].count("others & co 2") == 4

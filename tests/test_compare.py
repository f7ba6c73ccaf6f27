"""The comparison with other programs: its questions fit the vaults, and its results are printed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import compare, ranking
from benchmarks.comparing import installing, report, tasks, vaults
from benchmarks.comparing.contestant import text_of
from benchmarks.comparing.server import Server
from benchmarks.comparing.tasks import Measured
from tests.conftest import write_files

RESULTS = [
    Measured("ours 1.0", note=0.9, answer=0.7, characters=1234, exact=1, first=0.5, edit="at once"),
    Measured("others & co 2", note=0.3, first=float("inf"), edit="not within 10 s", leaks=["a file", "a link"]),
]


def test_every_program_has_an_adapter_that_is_found() -> None:
    assert compare.NAMES == ["vaulttools", "markdown_vault_mcp", "mcpvault", "plain_fts5", "qmd", "ripgrep"]
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


@pytest.mark.not_on_windows("the comparison runs on Linux")
def test_the_plain_table_finds_any_of_the_words_in_whole_notes(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"vault/x.md": "words\n", "vault/b/c.md": "Word other\n", "vault/d.md": "none\n", "vault/e.md": ""}
    )
    plain = compare.adapter("plain_fts5")(tmp_path / "vault", tmp_path)
    installing.run(plain.prepare, plain.environment)
    assert plain.run is not None and plain.ask_worded is not None
    found = plain.run(plain.ask_worded(["an other?", "a word"]))
    assert (plain.paths(found), text_of(found)) == (["b/c.md", "x.md"], "Word other\n\nwords\n")
    assert text_of(plain.run(plain.read("d.md"))) == "none\n"


def test_notes_for_several_wordings_take_turns(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "red\n", "b.md": "green\n", "c.md": "green green\ngreen\n"})
    ripgrep = replace(compare.adapter("ripgrep")(tmp_path, tmp_path), ask_worded=None)
    asked = ranking.Asked("any", "list", "red", frozenset({"b.md"}), also=("green",))
    with Server(ripgrep, tmp_path) as server:
        assert tasks.with_wordings(ripgrep, server, asked) == ("a.md\nc.md\nb.md", ["a.md", "c.md", "b.md"])


@pytest.mark.not_on_windows("the comparison runs on Linux")
def test_a_program_that_reads_the_notes_once_does_not_see_an_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "UNSEEN", 0.1)
    made = vaults.made(tmp_path, notes=60)
    made = replace(made, questions=made.questions[:1], words=dict(list(made.words.items())[:1]))
    ripgrep, plain = (
        tasks.measured(compare.adapter(name), made, tmp_path / name) for name in ("ripgrep", "plain_fts5")
    )
    assert (ripgrep.edit, plain.edit) == ("at once", "not within 0 s (made anew)")


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
    assert kinds.count("rect") == 5 * len(RESULTS)
    assert [each.text for each in picture].count("others & co 2") == 5

"""Files by when they were modified and created, in every tool that takes dates."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MakeVault
from tests.passed_over import counts
from vaulttools import Vault
from vaulttools.core.dates import Calendar
from vaulttools.files import disk, file_times

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)

FILES = {
    "october.md": "2026-10-31T23:59:59+00:00",
    "november.md": "2026-11-01T00:00:00+00:00",
    "saturday.md": "2026-11-21T23:59:59+00:00",
    "today.md": "2026-11-22T00:00:00+00:00",
    "board.canvas": "2026-11-22T08:00:00+00:00",
}


def stamped(vault: Vault, times: dict[str, str]) -> Vault:
    for name, moment in times.items():
        at = int(datetime.fromisoformat(moment).timestamp()) * 10**9
        os.utime(vault.path / name, ns=(at, at))
    vars(vault._opened)["calendar"] = Calendar(NOON.timestamp, UTC)
    return vault


@pytest.fixture
def vault(make_vault: MakeVault) -> Vault:
    return stamped(make_vault(dict.fromkeys(FILES, "a word")), FILES)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"modified_after": "today"}, ["board.canvas", "today.md"]),
        ({"modified_after": "yesterday"}, ["board.canvas", "saturday.md", "today.md"]),
        ({"modified_before": "today"}, ["november.md", "october.md", "saturday.md"]),
        ({"modified_before": "2026-11"}, ["october.md"]),
        ({"modified_after": "2026-11", "modified_before": "2026-11-21"}, ["november.md"]),
        ({"modified_after": "tomorrow"}, []),
    ],
)
def test_after_is_inclusive_and_before_exclusive(vault: Vault, given: dict[str, Any], found: list[str]) -> None:
    assert sorted(vault.find(["*.*"], **given).files) == found
    searched = vault.search_files("word", file_pattern="*.*", **given)
    assert [file.path for file in searched.files] == found
    notes = [path for path in found if path.endswith(".md")]
    assert [file.path for file in vault.search_files("word", **given).files] == notes


@pytest.mark.parametrize("mode", ["ranked", "obsidian"])
def test_both_modes_of_query_take_dates(vault: Vault, mode: Any) -> None:
    found = vault.query("word", mode=mode, modified_after="2026-11", modified_before="today")
    assert sorted(note.path for note in found.notes) == ["november.md", "saturday.md"]
    assert "Only files modified from 2026-11-01 to before 2026-11-22." in found.notices
    none = vault.query("word", mode=mode, modified_after="tomorrow")
    assert (none.found, none.complete) == (False, True)
    assert none.notices[-1] == "dates selected no note to search."
    files = vault.query("file:board", mode="obsidian", modified_after="today").notes
    assert [file.path for file in files] == ["board.canvas"]


def test_the_answer_says_how_it_understood_the_dates(vault: Vault) -> None:
    answer = vault.search_files("word", modified_after="yesterday", modified_before="tomorrow", context_lines=0)
    assert answer.text == (
        "Found 2 matching files:\n\n## saturday.md\nLine 1: > a word\n\n## today.md\nLine 1: > a word\n\n"
        "[Only files modified from 2026-11-21 to before 2026-11-23.]"
    )


def test_dates_that_leave_nothing_are_reported(vault: Vault) -> None:
    assert vault.search_files("word", modified_after="tomorrow").text == (
        "No files found matching the pattern.\n\n"
        "[Only files modified from 2026-11-23 on.]\n[4 files match without modified_after.]"
    )
    assert vault.find(["*.md"], modified_after="tomorrow").text == (
        "No files found matching pattern\n\n"
        "[Only files modified from 2026-11-23 on.]\n[4 matching paths are outside the dates given.]"
    )


def test_an_edit_is_seen_at_once(vault: Vault) -> None:
    before = [file.path for file in vault.search_files("word", modified_after="2026-11-22").files]
    path = vault.path / "october.md"
    path.write_text("another word", encoding="utf-8")
    os.utime(path, ns=(int(NOON.timestamp()) * 10**9,) * 2)
    after = [file.path for file in vault.search_files("word", modified_after="2026-11-22").files]
    assert (before, after) == (["today.md"], ["october.md", "today.md"])
    assert vault.find(["*.md"], modified_after="today").files == ["october.md", "today.md"]


def test_a_file_is_created_when_its_status_says_so(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(vault.path / "october.md")
    at = int(datetime(2020, 1, 1, tzinfo=UTC).timestamp()) * 10**9
    created = file_times.created

    def other(status: os.stat_result) -> int:
        return at if status.st_ino == os.stat(path).st_ino else created(status)

    monkeypatch.setattr(file_times, "created", other)
    assert [file.path for file in vault.search_files("word", created_before="2021").files] == ["october.md"]
    found = [file.path for file in vault.search_files("word", created_after="2021").files]
    assert "october.md" not in found and len(found) == 3


def test_a_file_whose_times_cannot_be_read_makes_the_answer_incomplete(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: str) -> os.stat_result | None:
        raise PermissionError(13, "no", path)

    monkeypatch.setattr(disk, "status", refused)
    answer = vault.search_files("word", created_after="tomorrow")
    assert (answer.complete, counts(answer)["unreadable"]) == (False, 4)


@pytest.mark.parametrize("tool", ["find", "search_files", "query"])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("soon", "it takes 2026-11-20, 2026-11, 2026, today, "),
        ("2026-02-30", "there is no such date"),
    ],
)
def test_a_bad_date_is_refused_in_one_sentence(vault: Vault, tool: str, text: str, why: str) -> None:
    given = {"find": {"paths": "*.md"}, "search_files": {"pattern": "word"}, "query": {"query": "word"}}
    result = vault.call(tool, {**given[tool], "modified_after": text})
    assert result.is_error
    assert result.text.startswith(f'modified_after must be a date, got "{text}"; {why}')


def test_a_year_may_come_as_a_number(vault: Vault) -> None:
    assert not vault.call("find", {"paths": "*.md", "modified_after": 2026}).is_error


def test_a_named_file_is_held_to_the_dates(vault: Vault, tmp_path: Path) -> None:
    assert vault.find(["october.md"], modified_after="today").files == []
    assert vault.search_files("word", file_pattern="october.md", modified_after="today").total_files == 0

"""Periodic notes: where the vault's settings put them, which words name them, and what settings cannot reach."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MakeVault, write_files
from vaulttools import PathNotFound, Vault, VaultConfig
from vaulttools.core.dates import Calendar
from vaulttools.core.moment_js import weeks_of
from vaulttools.files import disk
from vaulttools.resources.periodic import PeriodicNotes

SUNDAY = datetime(2026, 11, 22, 12, tzinfo=UTC)

PLUGIN = "plugins/periodic-notes/data.json"


def notes(folder: Path, settings: dict[str, Any], locale: str = "en") -> PeriodicNotes:
    write_files(folder, {name: held if isinstance(held, str) else json.dumps(held) for name, held in settings.items()})
    weeks = weeks_of(locale)
    return PeriodicNotes(folder, Calendar(SUNDAY.timestamp, UTC, (weeks.first_day - 1) % 7), weeks)


def path(found: PeriodicNotes, text: str) -> str | None:
    note = found.named(text)
    return None if note is None else note.path


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("daily", "2026-11-22.md"),
        ("Daily", None),
        ("daily -1", "2026-11-21.md"),
        ("daily 1", "2026-11-23.md"),
        ("daily +30", "2026-12-22.md"),
        ("daily 2026-11-20", "2026-11-20.md"),
        ("daily yesterday", "2026-11-21.md"),
        ("daily 7d", "2026-11-15.md"),
        ("weekly", "2026-W48.md"),
        ("weekly -1", "2026-W47.md"),
        ("weekly 2026-11-20", "2026-W47.md"),
        ("weekly 2026-12-31", "2027-W01.md"),
        ("monthly", "2026-11.md"),
        ("monthly -11", "2025-12.md"),
        ("monthly last year", "2025-01.md"),
        ("quarterly", "2026-Q4.md"),
        ("quarterly 1", "2027-Q1.md"),
        ("yearly", "2026.md"),
        ("yearly 2024", "2024.md"),
        ("yearly -9999", None),
        ("daily standup", None),
        ("dailies", None),
        ("the daily", None),
    ],
)
def test_a_word_names_the_note_of_a_period(tmp_path: Path, text: str, where: str | None) -> None:
    assert path(notes(tmp_path, {}), text) == where


DAILY_NOTES = {"folder": "Journal/", "format": "YYYY/MM/YYYY-MM-DD dddd", "template": "T"}


@pytest.mark.parametrize(
    ("settings", "text", "where"),
    [
        ({"daily-notes.json": DAILY_NOTES}, "daily", "Journal/2026/11/2026-11-22 Sunday.md"),
        ({"daily-notes.json": DAILY_NOTES}, "weekly", "2026-W48.md"),
        ({"daily-notes.json": {"folder": None, "format": ""}}, "daily", "2026-11-22.md"),
        ({"daily-notes.json": {"format": "[Day] Do [of] MMMM, [week] w"}}, "daily", "Day 22nd of November, week 48.md"),
        ({"daily-notes.json": {"format": "DDDD.[md]"}}, "daily", "326.md"),
        ({"app.json": {"newFileLocation": "folder", "newFileFolderPath": "Inbox"}}, "daily", "Inbox/2026-11-22.md"),
        ({"app.json": {"newFileLocation": "root", "newFileFolderPath": "Inbox"}}, "daily", "2026-11-22.md"),
        ({"daily-notes.json": "{broken"}, "daily", "2026-11-22.md"),
        ({"daily-notes.json": "[1]", "app.json": "[" * 100_000}, "daily", "2026-11-22.md"),
        # Periodic Notes 0.0.17.
        ({PLUGIN: {"daily": {"enabled": True, "folder": "D", "format": "DD-MM-YYYY"}},
          "daily-notes.json": DAILY_NOTES}, "daily", "D/22-11-2026.md"),
        ({PLUGIN: {"daily": {"enabled": False, "folder": "D"}}, "daily-notes.json": DAILY_NOTES}, "daily",
         "Journal/2026/11/2026-11-22 Sunday.md"),
        ({PLUGIN: {"weekly": {"enabled": True, "folder": "W", "format": "gggg/[Week] ww"}}}, "weekly -1",
         "W/2026/Week 47.md"),
        ({PLUGIN: {"weekly": {"enabled": True, "format": "GGGG-[W]WW"}}}, "weekly", "2026-W47.md"),
        ({PLUGIN: {"monthly": {"enabled": True, "folder": "M", "format": "MMM YY"}}}, "monthly -1", "M/Oct 26.md"),
        ({PLUGIN: {"quarterly": {"enabled": True, "format": "Qo [quarter of] YYYY"}}}, "quarterly",
         "4th quarter of 2026.md"),
        ({PLUGIN: {"yearly": {"enabled": True, "folder": "Y"}}}, "yearly -1", "Y/2025.md"),
        # Its version 1.
        ({PLUGIN: {"activeCalendarSet": "b", "calendarSets": [
            {"id": "a", "day": {"enabled": True, "folder": "A"}},
            {"id": "b", "day": {"enabled": True, "folder": "B"}, "week": {"enabled": False, "folder": "W"}}]}},
         "daily", "B/2026-11-22.md"),
        ({PLUGIN: {"activeCalendarSet": "b", "calendarSets": [{"id": "b", "week": {"enabled": True, "folder": "W"}}]}},
         "weekly", "W/2026-W48.md"),
    ],
)  # fmt: skip
def test_the_settings_of_the_vault_say_where_the_note_lies(
    tmp_path: Path, settings: dict[str, Any], text: str, where: str
) -> None:
    assert path(notes(tmp_path, settings), text) == where


@pytest.mark.parametrize(
    ("locale", "week", "year"),
    [("en", "2026-W48", "2027-W01"), ("de", "2026-W47", "2026-W53"), ("en-gb", "2026-W47", "2026-W53"),
     ("ar", "2026-W48", "2027-W01")],
)  # fmt: skip
def test_weeks_are_counted_as_the_locale_does(tmp_path: Path, locale: str, week: str, year: str) -> None:
    found = notes(tmp_path, {}, locale)
    assert (path(found, "weekly"), path(found, "weekly 2026-12-31")) == (f"{week}.md", f"{year}.md")


@pytest.mark.parametrize(
    ("text", "first"),
    [("weekly", "2026-11-22"), ("monthly", "2026-11-01"), ("quarterly", "2026-10-01"), ("yearly", "2026-01-01")],
)
def test_a_note_has_the_first_day_of_its_period(tmp_path: Path, text: str, first: str) -> None:
    found = notes(tmp_path, {}).named(text)
    assert found is not None and found.day.isoformat() == first


@pytest.fixture
def vault(make_vault: MakeVault) -> Vault:
    vault = make_vault(
        {
            ".obsidian/app.json": "{}",
            ".obsidian/daily-notes.json": '{"folder": "Daily"}',
            "Daily/2026-11-22.md": "today [[2026-11-21]]",
            "Daily/2026-11-21.md": "yesterday",
            "Elsewhere/2026-11-19.md": "moved",
        }
    )
    vars(vault._opened)["calendar"] = Calendar(SUNDAY.timestamp, UTC)
    return vault


def test_read_and_links_take_a_periodic_note(vault: Vault) -> None:
    assert (vault.read("daily").path, vault.read("daily -1").content) == ("Daily/2026-11-22.md", "yesterday")
    assert [link.target for link in vault.links(note="daily").links] == ["Daily/2026-11-21.md"]
    assert [link.source for link in vault.links(note="daily yesterday", direction="back").links] == [
        "Daily/2026-11-22.md"
    ]


@pytest.mark.parametrize(("day", "hint"), [("18", ""), ("19", "; did you mean Elsewhere/2026-11-19.md?")])
def test_a_missing_note_is_reported_with_its_path(vault: Vault, day: str, hint: str) -> None:
    sentence = f"Path not found: Daily/2026-11-{day}.md (daily note of 2026-11-{day}){hint}"
    assert vault.call("read", {"note": f"daily 2026-11-{day}"}).text == sentence


def test_a_note_with_the_name_of_the_word_wins_and_a_folder_does_not(vault: Vault) -> None:
    (vault.path / "daily").mkdir(exist_ok=True)
    assert vault.read("daily").path == "Daily/2026-11-22.md"
    (vault.path / "daily.md").write_text("a note", encoding="utf-8")
    assert vault.read("daily").path == "daily.md"
    assert vault.read("daily -1").path == "Daily/2026-11-21.md"


def test_a_template_called_daily_is_not_taken_for_the_daily_note(vault: Vault) -> None:
    for folder in ("Templates", "Old"):
        (vault.path / folder).mkdir()
        (vault.path / folder / "Daily.md").write_text("- [ ] water the figs", encoding="utf-8")
    assert vault.read("daily").path == "Daily/2026-11-22.md"
    assert vault.read("Templates/Daily").path == "Templates/Daily.md"
    (vault.path / "Daily" / "2026-11-22.md").unlink()
    assert vault.call("read", {"note": "daily"}).text == (
        "Path not found: Daily/2026-11-22.md (daily note of 2026-11-22); "
        "did you mean Old/Daily.md or Templates/Daily.md?"
    )


@pytest.mark.parametrize(
    ("files", "word", "read"),
    [
        (["x/Monthly.md"], "monthly", "x/Monthly.md"),
        (["x/Monthly.md", "2026-11.md"], "monthly", "2026-11.md"),
        (["x/Monthly.md"], "monthly -1", None),
        (["x/Monthly.md", "y/Monthly.md"], "monthly", None),
        (["Templates/Monthly.md"], "monthly", None),
        (["_templates/notes/Daily.md"], "daily", None),
        (["Templates/Daily.md", "Daily/2026-11-22.md"], "daily", "Daily/2026-11-22.md"),
        (["Template for all/Weekly.md"], "weekly", None),
        (["Plans/Weekly template.md", "Plans/Weekly.md"], "weekly", "Plans/Weekly.md"),
    ],
)
def test_the_only_note_called_like_the_word_is_read_if_there_is_no_periodic_note(
    files: list[str], word: str, read: str | None, vault: Vault
) -> None:
    (vault.path / "Daily" / "2026-11-22.md").unlink()
    write_files(vault.path, dict.fromkeys(files, "text"))
    if read is None:
        with pytest.raises(PathNotFound):
            vault.read(word)
    else:
        assert vault.read(word).path == read


@pytest.mark.parametrize(
    "settings",
    [
        {"folder": "../secret"},
        {"folder": ".obsidian/secret"},
        {"folder": "x/.TRASH/secret"},
        {"folder": "a/../../secret"},
        {"format": "[../secret]"},
        {"format": "[secret\0]"},
        {"folder": "secret" * 1000},
    ],
)
@pytest.mark.parametrize("tool", ["read", "links"])
def test_settings_that_lead_elsewhere_are_refused_and_not_repeated(
    vault: Vault, tool: str, settings: dict[str, str]
) -> None:
    (vault.path / ".obsidian" / "daily-notes.json").write_text(json.dumps(settings), encoding="utf-8")
    result = vault.call(tool, {"note": "daily"})
    assert (result.is_error, result.text) == (
        True,
        "The vault's settings put daily notes where nothing is read: outside the vault, or in a protected folder",
    )


@pytest.mark.not_on_windows("links need a right there")
def test_a_link_that_leads_out_is_refused_and_not_repeated(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "2026-11-22.md").write_text("secret", encoding="utf-8")
    os.symlink(tmp_path / "secret", vault.path / "out")
    (vault.path / ".obsidian" / "daily-notes.json").write_text('{"folder": "out"}', encoding="utf-8")
    result = vault.call("read", {"note": "daily"})
    assert result.is_error and "secret" not in result.text and "out/" not in result.text


def test_unreadable_settings_are_reported(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = disk.open_file

    def refused(path: Any, *rest: Any) -> int:
        if str(path).endswith("daily-notes.json"):
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *rest)

    monkeypatch.setattr(disk, "open_file", refused)
    assert vault.call("read", {"note": "daily"}).text == (
        "The vault's settings cannot be read (Permission denied): daily is not known"
    )


def test_the_configuration_sets_the_day_on_which_weeks_begin(vault: Vault) -> None:
    assert vault._opened.calendar.first_weekday == 6
    with Vault.open(vault.path, config=VaultConfig(locale="de")) as german:
        assert german._opened.calendar.first_weekday == 0


@pytest.mark.parametrize(
    ("settings", "where", "day"),
    [
        ({}, "2026-08-03.md", "2026-08-03"),
        ({}, "Archive/2026-08-03.md", None),
        ({"daily-notes.json": DAILY_NOTES}, "Journal/2026/08/2026-08-03 Monday.md", "2026-08-03"),
        ({"daily-notes.json": DAILY_NOTES}, "2026/08/2026-08-03 Monday.md", None),
        ({"daily-notes.json": {"format": "dddd Do MMMM YYYY"}}, "Monday 3rd August 2026.md", "2026-08-03"),
    ],
)
def test_the_name_of_a_daily_note_gives_its_day(
    tmp_path: Path, settings: dict[str, Any], where: str, day: str | None
) -> None:
    found = notes(tmp_path, settings).daily_days()(where)
    assert (None if found is None else found.isoformat()) == day

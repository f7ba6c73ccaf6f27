"""The date of a note, from its name, its properties, its dated lines or its file, and the source of the date."""

from __future__ import annotations

from datetime import date

import pytest

from vaulttools.core import moment_js
from vaulttools.notes import note_date
from vaulttools.notes.note import Note
from vaulttools.notes.note_date import Dating

TODAY = date(2026, 11, 1)


@pytest.mark.parametrize(
    ("path", "properties", "expected"),
    [
        ("2026-05-12.md", "", "2026-05-12"),
        ("Daily/2026-05-12 Tuesday.md", "", "2026-05-12"),
        ("Meeting 2026-05-12.md", "date: 2020-01-01", "2026-05-12"),
        # The name of a folder gives no date.
        ("2026-05-12/Notes.md", "", ""),
        # The first existing day in a name counts.
        ("2026-13-40 2026-02-28 to 2026-03-01.md", "", "2026-02-28"),
        ("2026-02-30.md", "", ""),
        ("12026-05-12.md", "", ""),
        ("2026-05-123.md", "", ""),
        ("20260512.md", "", ""),
        # The first property that holds a date.
        ("a.md", "date: 2026-05-12", "2026-05-12"),
        ("a.md", "Created: 2026-05-12T08:30:00", "2026-05-12"),
        ("a.md", 'day: "[[2026-05-12]]"', "2026-05-12"),
        ("a.md", "day: 2020-01-01\ncreated: 2026-05-12", "2026-05-12"),
        ("a.md", "date: soon\ncreated: 2026-05-12", "2026-05-12"),
        ("a.md", "date:\n  - 2026-05-12\n  - 2020-01-01", "2026-05-12"),
        ("a.md", "due: 2026-05-12", ""),
        ("a.md", "date: 2026", ""),
        ("a.md", "", ""),
        ("a.md", "last-modified: 2026-05-12", "2026-05-12"),
        # A note about a week or a month.
        ("2026-W20.md", "", "2026-05-11"),
        ("2026-05.md", "", "2026-05"),
        ("2026-W54.md", "", ""),
        ("2026-13.md", "", ""),
    ],
)
def test_a_name_or_a_property_gives_the_date(path: str, properties: str, expected: str) -> None:
    text = f"---\n{properties}\n---\nText of 2011-11-11.\n" if properties else "Text of 2011-11-11.\n"
    found = Dating(TODAY).of(path, Note(path, text))
    assert ("" if found is None else found.day) == expected


def test_the_surest_source_counts() -> None:
    text = "---\ndate: 2026-02-02\n---\n## 2026-03-03\n- 2026-04-04 racked\n"

    def daily(path: str) -> date | None:
        return moment_js.read(path.removesuffix(".md"), "DD.MM.YY")

    def dated(path: str, text: str) -> tuple[str, str] | None:
        found = Dating(TODAY, daily).of(path, Note(path, text))
        return None if found is None else (found.day, found.source)

    assert dated("01.01.26.md", text) == ("2026-01-01", "name")
    assert dated("2026-01-05.md", text) == ("2026-01-05", "name")
    assert dated("a.md", text) == ("2026-02-02", "property")
    assert dated("a.md", text.partition("---\n## ")[2]) == ("2026-04-04", "text")
    assert dated("a.md", "Nothing.") is None


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("# Log\n## 12 May 2026\n### May 13th, 2026\n", {2: "2026-05-12", 3: "2026-05-13"}),
        ("## Dienstag, 12. Mai 2026\n## Mardi 12 mai 2026\n", {1: "2026-05-12", 2: "2026-05-12"}),
        ("## 2026\n### May\n- 12 May: rain\n", {1: "2026", 2: "2026-05", 3: "2026-05-12"}),
        ("## 2026\n- **05-13** sun\n", {1: "2026", 2: "2026-05-13"}),
        ("# Moth log 2026\n- 07-04 three hawk-moths\n", {2: "2026-07-04"}),
        ("- **2026-05-12** rain\n  * [[2026-05-13]] sun\n", {1: "2026-05-12", 2: "2026-05-13"}),
        ("3. 2026-05-14: hail\n", {1: "2026-05-14"}),
        ("| day | what |\n|---|---|\n| 2026-05-12 | rain |\n", {3: "2026-05-12"}),
        ("### 2024-11\n", {1: "2024-11"}),
        # A date in running text does not date the text.
        ("- lent her 200 pounds in 2019\n- firewood till 2029-01-01\n2026-05-12 in a paragraph\n", {}),
        ("- [ ] 2026-05-12 call\n- [x] paid on 2026-05-13\n", {}),
        ("# Rust 2021\n## Edition 2021 in May\n- may be\n- 07-04 of no year\n", {4: "2021-07-04"}),
        ("```\n# 2026-05-12\n- 2026-05-12\n```\n", {}),
        ("## 2026-02-30\n- 2026-13-01\n", {}),
    ],
)  # fmt: skip
def test_headings_items_and_rows_may_be_dated(text: str, days: dict[int, str]) -> None:
    assert dict(Note("a.md", text).dated_lines) == days


def test_the_last_date_that_is_not_in_the_future_counts() -> None:
    text = "## 2026-10-02\n## 2026-10-30\n## 2026-12-24\n"
    found = Dating(TODAY).of("a.md", Note("a.md", text))
    assert found is not None
    assert found.day == "2026-10-30"
    ahead = Dating(TODAY).of("a.md", Note("a.md", "## 2027-02-01\n## 2027-01-01\n"))
    assert ahead is not None
    assert ahead.day == "2027-01-01"


def test_a_line_has_the_date_above_it() -> None:
    text = "intro\n## 2026-10-02\nrain\n### later\n- 2026-10-03 sun\n  more\n## Plans\nnothing\n"
    note = Note("a.md", text)
    assert [note_date.of_line(note, line) for line in range(1, 9)] == [
        *("", "2026-10-02", "2026-10-02", "2026-10-02", "2026-10-03", "2026-10-03", "", "")
    ]


def test_a_date_spans_all_days_that_it_may_mean() -> None:
    assert note_date.NoteDate("2026-05-12", "text").span == (date(2026, 5, 12), date(2026, 5, 12))
    assert note_date.NoteDate("2026-02", "text").span == (date(2026, 2, 1), date(2026, 2, 28))
    assert note_date.NoteDate("2026", "text").span == (date(2026, 1, 1), date(2026, 12, 31))

"""The period that a question names; the phrases are rows of `periods.tsv`, as read on Sunday, 1 November 2026."""

from __future__ import annotations

import csv
import tomllib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.core.periods import period, spelled

TODAY = date(2026, 11, 1)
MONDAY, SUNDAY = 0, 6
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

with (Path(__file__).parent / "periods.tsv").open(encoding="utf-8", newline="") as table:
    ROWS = list(csv.DictReader(table, delimiter="\t"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["words"])
def test_a_phrase_is_read_as_its_days(row: dict[str, str]) -> None:
    found = period(row["words"], TODAY, MONDAY)
    assert found is not None
    assert (found.first.isoformat(), found.last.isoformat()) == (row["first"], row["last"])


@pytest.mark.parametrize(
    ("question", "today", "first_weekday", "read"),
    [
        ("what happened last week", date(2026, 11, 4), MONDAY, "26 October to 1 November 2026"),
        ("what happened last week", date(2026, 11, 4), SUNDAY, "25 to 31 October 2026"),
        ("the week of 5 August 2026", TODAY, MONDAY, "3 to 9 August 2026"),
        ("the week of 5 August 2026", TODAY, SUNDAY, "2 to 8 August 2026"),
    ],
)
def test_weeks_begin_as_the_locale_says(question: str, today: date, first_weekday: int, read: str) -> None:
    found = period(question, today, first_weekday)
    assert found is not None
    assert spelled(found.first, found.last) == read


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("what did I plant in March", "March 2026"),
        ("what is planned for December", "December 2026"),
        ("which tasks are due on Friday", "6 November 2026"),
        ("what did I do on Friday", "30 October 2026"),
    ],
)
def test_a_date_without_a_year_is_the_last_one_unless_the_question_is_about_what_is_to_come(
    question: str, read: str
) -> None:
    found = period(question, TODAY, MONDAY)
    assert found is not None
    assert found.sentence().endswith(f" as {read}.")


@pytest.mark.parametrize(
    "question",
    [
        'notes that say "last Tuesday"',
        "Notizen mit „letzte Woche“",
        "this may be hard",
        "may 5 people come",
        "who is Mr March",
        "what does the 2021 edition change",
        "was steht hier",
        "guten Morgen",
        "31 June",
        "in 10 steps",
        "a second monitor",
    ],
)
def test_what_names_no_time_is_not_read_as_one(question: str) -> None:
    assert period(question, TODAY, MONDAY) is None


@pytest.mark.parametrize(
    ("question", "is_whole"),
    [
        ("What happened in the week of 3 August 2026?", True),
        ("Was war letzte Woche los?", True),
        ("qu'est-ce que j'ai fait la semaine dernière ?", True),
        ("¿Qué hicimos el mes pasado?", True),
        ("Wat is er vorige week gebeurd?", True),
        ("What did the doctor say last week?", False),
    ],
)
def test_a_question_that_is_only_about_a_time_is_told_from_others(question: str, is_whole: bool) -> None:
    found = period(question, TODAY, MONDAY)
    assert found is not None
    assert found.is_whole is is_whole


def test_technical_questions_are_hardly_ever_read_as_a_time() -> None:
    vaults = tomllib.loads((BENCHMARKS / "questions.toml").read_text(encoding="utf-8")).values()
    questions = [text for kinds in vaults for asked in kinds.values() for text in asked]
    assert len(questions) >= 235
    assert [text for text in questions if period(text, TODAY, MONDAY)] == []


WORDS = [
    "last",
    "week",
    "the",
    "of",
    "3",
    "31",
    "August",
    "in",
    "2025",
    "from",
    "to",
    "vor",
    "hier",
    "dernier",
    "Q3",
    "W53",
    ".",
]


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=60))
def test_whatever_is_asked_a_period_is_in_order_and_its_words_are_the_questions(question: str) -> None:
    found = period(question, TODAY, MONDAY)
    if found is not None:
        assert found.first <= found.last
        assert found.words in " ".join(question.split())

"""Periods in questions: how sixty phrases in five languages are read on one day, and which phrases are no period."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.core.dates import SUNDAY
from vaulttools.notes.period_words import AHEAD, DAYS, IN, MONTHS, SEASONS, STEPS, UNITS, WEEKDAYS
from vaulttools.notes.periods import limits, period

DAY = date(2026, 11, 1)
"""A Sunday."""
MONDAY = 0
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

PHRASES = """
en | How was Mum in the week of 3 August 2026?        | the week of 3 August 2026        | 2026-08-03 2026-08-09
en | What did I tell Bron last Tuesday?               | last Tuesday                     | 2026-10-27 2026-10-27
en | Which moths came in spring 2025?                 | spring 2025                      | 2025-03-01 2025-05-31
en | What did we press yesterday?                     | yesterday                        | 2026-10-31 2026-10-31
en | What broke the day before yesterday?             | the day before yesterday         | 2026-10-30 2026-10-30
en | What do I have to do tomorrow?                   | tomorrow                         | 2026-11-02 2026-11-02
en | What did we decide last week?                    | last week                        | 2026-10-25 2026-10-31
en | What is planned for next week?                   | next week                        | 2026-11-08 2026-11-14
en | What did I read last month?                      | last month                       | 2026-10-01 2026-10-31
en | What did the roof cost last year?                | last year                        | 2025-01-01 2025-12-31
en | Which films did I rate 5 last year?              | last year                        | 2025-01-01 2025-12-31
en | How often did I run in the last 3 months?        | the last 3 months                | 2026-08-01 2026-11-01
en | What did the doctor say two weeks ago?           | two weeks ago                    | 2026-10-18 2026-10-24
en | Who came for dinner on 12 May 2026?              | 12 May 2026                      | 2026-05-12 2026-05-12
en | Who came on Tuesday, May 12th, 2026?             | Tuesday, May 12th, 2026          | 2026-05-12 2026-05-12
en | What did the vet charge in May?                  | May                              | 2026-05-01 2026-05-31
en | What did we plant in March 2025?                 | March 2025                       | 2025-03-01 2025-03-31
en | Which tasks are due in November 2026?            | November 2026                    | 2026-11-01 2026-11-30
en | Which tasks are due in January?                  | January                          | 2027-01-01 2027-01-31
en | What did I write on 2026-08-03?                  | 2026-08-03                       | 2026-08-03 2026-08-03
en | What happened in 2026-W32?                       | 2026-W32                         | 2026-08-03 2026-08-09
en | How much did I spend in Q3 2025?                 | Q3 2025                          | 2025-07-01 2025-09-30
en | What did we ship in the third quarter of 2025?   | the third quarter of 2025        | 2025-07-01 2025-09-30
en | Which books did I finish in 2025?                | 2025                             | 2025-01-01 2025-12-31
en | Which tasks fall between 9 and 15 November 2026? | 9 and 15 November 2026           | 2026-11-09 2026-11-15
en | What did I do from March to May 2025?            | March to May 2025                | 2025-03-01 2025-05-31
en | What did I see last winter?                      | last winter                      | 2025-12-01 2026-02-28
en | What has changed since March 2026?               | since March 2026                 | 2026-03-01 2026-11-01
en | Who wrote to whom in December 1850?              | December 1850                    | 1850-12-01 1850-12-31
en | What did I do October last year?                 | October last year                | 2025-10-01 2025-10-31
en | What did Toms break in late September?           | late September                   | 2026-09-21 2026-09-30
en | What did we harvest in early 2025?               | early 2025                       | 2025-01-01 2025-04-30
en | Who stayed with us at the end of May 2026?       | the end of May 2026              | 2026-05-21 2026-05-31
en | What did I play in the second half of May?       | the second half of May           | 2026-05-16 2026-05-31
de | Wer kam Mitte August zu Besuch?                  | Mitte August                     | 2026-08-11 2026-08-20
de | Was habe ich im März gekauft?                    | März                             | 2026-03-01 2026-03-31
de | Was ist letzte Woche passiert?                   | letzte Woche                     | 2026-10-19 2026-10-25
de | Wen wollte ich letzten Montag fragen?            | letzten Montag                   | 2026-10-26 2026-10-26
de | Was gab es am 3. August 2026?                    | 3. August 2026                   | 2026-08-03 2026-08-03
de | Was war in der Woche vom 3. August?              | der Woche vom 3. August          | 2026-08-03 2026-08-09
de | Was habe ich gestern notiert?                    | gestern                          | 2026-10-31 2026-10-31
de | Was war vor zwei Wochen?                         | vor zwei Wochen                  | 2026-10-12 2026-10-18
de | Was kostete der Umbau im Frühjahr 2025?          | Frühjahr 2025                    | 2025-03-01 2025-05-31
de | Was steht in KW 32 an?                           | KW 32                            | 2026-08-03 2026-08-09
de | Was war vom 3. bis 9. August 2026?               | 3. bis 9. August 2026            | 2026-08-03 2026-08-09
fr | Que s'est-il passé la semaine du 3 août ?        | la semaine du 3 août             | 2026-08-03 2026-08-09
fr | Qui a téléphoné fin septembre ?                  | fin septembre                    | 2026-09-21 2026-09-30
fr | Qu'ai-je planté à la mi-mai ?                    | la mi-mai                        | 2026-05-11 2026-05-20
fr | Qu'ai-je écrit hier ?                            | hier                             | 2026-10-31 2026-10-31
fr | Qu'avons-nous mangé avant-hier ?                 | avant-hier                       | 2026-10-30 2026-10-30
fr | Qui est venu la semaine dernière ?               | la semaine dernière              | 2026-10-19 2026-10-25
fr | Qu'ai-je lu en mars ?                            | mars                             | 2026-03-01 2026-03-31
fr | Qui a dormi à la sacristie en juin 2025 ?        | juin 2025                        | 2025-06-01 2025-06-30
fr | Qu'a dit le médecin mardi dernier ?              | mardi dernier                    | 2026-10-27 2026-10-27
fr | Où étions-nous l'été dernier ?                   | été dernier                      | 2026-06-01 2026-08-31
fr | Qu'ai-je payé il y a deux mois ?                 | il y a deux mois                 | 2026-09-01 2026-09-30
es | ¿Qué dijo el médico el martes pasado?            | el martes pasado                 | 2026-10-27 2026-10-27
es | ¿Quién llamó a finales de agosto de 2025?        | finales de agosto de 2025        | 2025-08-21 2025-08-31
es | ¿Qué hice ayer?                                  | ayer                             | 2026-10-31 2026-10-31
es | ¿Qué compré la semana pasada?                    | la semana pasada                 | 2026-10-19 2026-10-25
es | ¿Qué leí en agosto de 2025?                      | agosto de 2025                   | 2025-08-01 2025-08-31
es | ¿Quién vino el 3 de agosto de 2026?              | el 3 de agosto de 2026           | 2026-08-03 2026-08-03
es | ¿Cuánto gasté en los últimos tres meses?         | los últimos tres meses           | 2026-08-01 2026-11-01
es | ¿Qué pasó hace dos años?                         | hace dos años                    | 2024-01-01 2024-12-31
nl | Wat heb ik vorige week gedaan?                   | vorige week                      | 2026-10-19 2026-10-25
nl | Wat zei de dokter afgelopen dinsdag?             | afgelopen dinsdag                | 2026-10-27 2026-10-27
nl | Wat kostte het in maart 2025?                    | maart 2025                       | 2025-03-01 2025-03-31
nl | Wat kostte het eind maart 2025?                  | het eind maart 2025              | 2025-03-21 2025-03-31
nl | Wie kwam er eergisteren?                         | eergisteren                      | 2026-10-30 2026-10-30
nl | Wat gebeurde er in de week van 3 augustus 2026?  | week van 3 augustus 2026         | 2026-08-03 2026-08-09
nl | Wat deden we in het voorjaar van 2025?           | het voorjaar van 2025            | 2025-03-01 2025-05-31
nl | Wat heb ik drie dagen geleden gekocht?           | drie dagen geleden               | 2026-10-29 2026-10-29
"""
"""The language, whose weeks begin on Sunday in English and else on Monday; the question, the words, the days."""


@pytest.mark.parametrize("row", PHRASES.strip().split("\n"))
def test_a_phrase_is_read_as_days(row: str) -> None:
    locale, question, words, days = (part.strip() for part in row.split("|"))
    found = period(question, DAY, SUNDAY if locale == "en" else MONDAY)
    assert found is not None
    assert (found.words, f"{found.first} {found.last}") == (words, days)
    assert question[slice(*found.span)] == words


@pytest.mark.parametrize(
    ("question", "first_weekday", "days"),
    [
        ("in the week of 5 August 2026", SUNDAY, ("2026-08-02", "2026-08-08")),
        ("in the week of 5 August 2026", MONDAY, ("2026-08-03", "2026-08-09")),
        ("this week", SUNDAY, ("2026-11-01", "2026-11-07")),
        ("this week", MONDAY, ("2026-10-26", "2026-11-01")),
        ("this weekend", SUNDAY, ("2026-10-31", "2026-11-01")),
        ("Tuesday last week", SUNDAY, ("2026-10-27", "2026-10-27")),
        ("next Friday", SUNDAY, ("2026-11-06", "2026-11-06")),
        ("the past week", SUNDAY, ("2026-10-25", "2026-11-01")),
        ("last quarter", SUNDAY, ("2026-07-01", "2026-09-30")),
        ("27 December to 3 January", SUNDAY, ("2025-12-27", "2026-01-03")),
        ("August 3-9, 2026", SUNDAY, ("2026-08-03", "2026-08-09")),
        ("2024-02-29", SUNDAY, ("2024-02-29", "2024-02-29")),
        ("29 February", SUNDAY, ("2024-02-29", "2024-02-29")),
        ("Friday the 13th of November", SUNDAY, ("2026-11-13", "2026-11-13")),
        ("what is due today", SUNDAY, ("2026-11-01", "2026-11-01")),
        ("3.8.2026", SUNDAY, ("2026-08-03", "2026-08-03")),
        ("in week 41", SUNDAY, ("2026-10-05", "2026-10-11")),
        ("en la semana 50", MONDAY, ("2025-12-08", "2025-12-14")),
    ],
)
def test_weeks_begin_on_the_first_day_of_the_locale(question: str, first_weekday: int, days: tuple[str, str]) -> None:
    found = period(question, DAY, first_weekday)
    assert found is not None
    assert (found.first.isoformat(), found.last.isoformat()) == days


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("what did I do on 31/10/2026", "2026-10-31 2026-10-31"),
        ("what did I do on 10/31/2026", "2026-10-31 2026-10-31"),
        ("le 10/10/2026", "2026-10-10 2026-10-10"),
        ("wat deed ik op 3-10-2026", "2026-10-03 2026-10-03"),
        ("from 28/09/2026 to 13/10/2026", "2026-09-28 2026-10-13"),
        ("Was war am 3.10.?", "2026-10-03 2026-10-03"),
        ("Was war am 3.10.25 los?", "2025-10-03 2025-10-03"),
        ("vom 28.9. bis 3.10.", "2026-09-28 2026-10-03"),
        ("seit 3.10.", "2026-10-03 2026-11-01"),
        ("on 3/10/2026", None),
        ("on 31/31/2026", None),
        ("on 31/10/20261", None),
        ("see 1/2/3 in 4/5", None),
        ("Python 3.10. and later", None),
        ("upgrade from 3.10.26", None),
        ("am 3.13.", None),
        # Parts of a month, and numbered weeks.
        ("the first week of October", "2026-10-01 2026-10-07"),
        ("in the last week of October 2025", "2025-10-25 2025-10-31"),
        ("in der zweiten Woche im Oktober", "2026-10-08 2026-10-14"),
        ("la dernière semaine d'octobre", "2026-10-25 2026-10-31"),
        ("la primera semana de octubre", "2026-10-01 2026-10-07"),
        ("in de laatste week van oktober", "2026-10-25 2026-10-31"),
        ("half oktober", "2026-10-11 2026-10-20"),
        ("medio oktober", "2026-10-11 2026-10-20"),
        ("avant-hier", "2026-10-30 2026-10-30"),
        ("in the last week of the project", "2026-10-25 2026-10-31"),
        ("half of the crew", None),
        ("the plan in week 3 of the training", None),
        ("a plan for week 3", None),
        ("wo ist hier der Hafen", None),
    ],
)
def test_numeric_days_parts_of_a_month_and_numbered_weeks_are_read_if_unambiguous(
    question: str, days: str | None
) -> None:
    found = period(question, DAY)
    assert (None if found is None else f"{found.first} {found.last}") == days


@pytest.mark.parametrize(
    "question",
    [
        '"last Tuesday"',
        "songs with “last week” in them",
        "the flag `yesterday`",
        "Which Rust 2021 edition is the newest?",
        "Which may be used, and in what may they differ?",
        "How do I march in step?",
        "sun and moon in the second line",
        "the next line after the last one",
        "insert today's date",
        "With whom are our tools insured today?",
        "Wo ist hier der Fehler?",
        "guten Morgen sagen",
        "trabajar por la mañana",
        "Was planeten er vor 2020?",
        "everything before March 2026",
        "What is RFC 2025?",
        "Who won the cup in 1954?",
        "compare March 2025 with June 2026",
        "2026-02-30",
        "31 February 2026",
        "what happened on 30 February",
        "what falls due on 30 February",
        "Spring Boot",
        "last seen",
        "the 3 months option",
        "on Mondays",
        "which bin goes out on Tuesday",
        "",
    ],
)
def test_an_ambiguous_phrase_is_no_period(question: str) -> None:
    assert period(question, DAY) is None


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("Which to-dos are due before 10 November?", date.min, date(2026, 11, 9)),
        ("tasks due by Friday 13 November", date.min, date(2026, 11, 13)),
        ("alles bis Ende", None, None),
        ("notes after 2025", date(2026, 1, 1), date.max),
        ("antes de marzo de 2026", date.min, date(2026, 2, 28)),
        ("due in November 2026", date(2026, 11, 1), date(2026, 11, 30)),
    ],
)
def test_a_period_may_be_open_at_one_end(question: str, first: date | None, last: date | None) -> None:
    found = limits(question, DAY)
    assert (None if found is None else (found.first, found.last)) == (None if first is None else (first, last))


@pytest.mark.parametrize(
    ("question", "is_all"),
    [
        ("What happened in the week of 3 August 2026?", True),
        ("yesterday", True),
        ("What did I do on Tuesday?", True),
        ("Was ist letzte Woche passiert?", True),
        ("Que s'est-il passé la semaine du 3 août ?", True),
        ("¿Qué hice ayer?", True),
        ("Wat gebeurde er vorige week?", True),
        ("How was Mum in the week of 3 August 2026?", False),
        ("What did the vet charge in May?", False),
    ],
)
def test_a_question_may_ask_only_about_its_period(question: str, is_all: bool) -> None:
    found = period(question, DAY)
    assert found is not None
    assert found.is_all is is_all


def test_one_sentence_says_how_a_period_was_read() -> None:
    found = period("How was Mum in the week of 3 August 2026?", DAY)
    assert found is not None
    assert found.sentence == 'Read "the week of 3 August 2026" as 3 to 9 August 2026.'


def test_questions_about_facts_hardly_ever_name_a_period() -> None:
    """At most two of the questions about manuals and encyclopaedias are read as a period."""
    read = []
    for name in ("questions", "answers"):
        every = _questions(tomllib.loads((BENCHMARKS / f"{name}.toml").read_text(encoding="utf-8")))
        read += [(question, found.words) for question in every if (found := period(question, DAY))]
    assert len(read) <= 2, read


def _questions(table: object) -> list[str]:
    if isinstance(table, list):
        return [question for part in table for question in _questions(part)]
    assert isinstance(table, dict)
    if "question" in table:
        return [table["question"]]
    is_leaf = all(isinstance(part, list) and all(isinstance(path, str) for path in part) for part in table.values())
    return list(table) if is_leaf else [question for part in table.values() for question in _questions(part)]


_VOCABULARY = sorted(
    {
        *MONTHS,
        *WEEKDAYS,
        *SEASONS,
        *UNITS,
        *STEPS,
        *IN,
        *AHEAD,
        "the",
        "of",
        "ago",
        "vor",
        "kw",
        "q3",
        "since",
        "-",
        ".",
    }
    | {" ".join(words) for words in DAYS}
    | {"0", "1", "3", "31", "53", "99", "2025", "2026", "9999", "2026-08", "2026-08-03", "2026-W53", "3.8.2026"}
)


@given(st.lists(st.sampled_from(_VOCABULARY) | st.text(max_size=8), max_size=8).map(" ".join))
def test_any_question_can_be_read(question: str) -> None:
    found = period(question, DAY)
    assert found is None or found.first <= found.last
    assert found is None or question[slice(*found.span)] == found.words

"""Expressions have the values that the app gives them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.bases.oracle import CASES, MEMORY, ROW, shown, value_of
from vaulttools.bases import formulas
from vaulttools.bases.evaluation import GLOBALS, expression
from vaulttools.bases.fields import FILE_FIELDS
from vaulttools.bases.functions import FUNCTIONS, lists
from vaulttools.bases.old_functions import TODAY
from vaulttools.bases.operators import OPERATORS
from vaulttools.errors import InvalidBase

PAGE = (Path(__file__).parents[2] / "docs" / "bases.md").read_text(encoding="utf-8")
OWN: dict[str, dict[str, list[Any]]] = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "bases" / "own.json").read_text(encoding="utf-8")
)
"""The examples of the help vault's pages on Bases, with properties of the row; and cases of our own."""


@pytest.mark.parametrize(("name", "expression", "expected"), CASES["cases"], ids=lambda value: str(value)[:40])
def test_a_value_is_what_obsidian_computed(name: str, expression: str, expected: Any) -> None:
    assert shown(expression) == expected, name


def test_a_note_has_the_links_that_the_app_finds() -> None:
    found = [
        [target, display, MEMORY.index.resolve(target.partition("#")[0], ROW)]
        for target, display in MEMORY.links_of(ROW).links
    ]
    assert found == CASES["links"]


@pytest.mark.parametrize(("example", "result"), re.findall(r"^- `.+ `([^`]+)`: `([^`]+)`$", PAGE, re.MULTILINE))
def test_every_example_of_the_page_gives_what_it_says(example: str, result: str) -> None:
    assert shown(example) == json.loads(result)


def test_the_page_describes_every_operator_function_field_and_summary() -> None:
    def described(heading: str) -> list[str]:
        part = PAGE.partition(f"\n{heading}\n\n")[2].partition("\n\n")[0]
        return re.findall(r"^- `(.+?)`: " if part.startswith("- ") else r"(?:^|; )`(\w+)`: ", part, re.MULTILINE)

    for kind in dict.fromkeys(kind for kind, _ in FUNCTIONS):
        heading = "Global:" if kind == "global" else f"On {kind}:"
        assert set(described(heading)) == {each.signature for each in FUNCTIONS.values() if each.kind == kind}
    assert {sign for each in described("## Operators") for sign in each.split()} >= {*OPERATORS, "&&", "||"}
    assert described("### Fields of files") == list(FILE_FIELDS)
    assert described("## Summaries") == list(lists.SUMMARIES)


@pytest.mark.parametrize(
    ("expression", "expected"), [each for pages in OWN.values() for cases in pages.values() for each in cases]
)
def test_examples_of_the_documentation_and_odd_input_give_what_javascript_gives(expression: str, expected: Any) -> None:
    assert shown(expression) == expected


def test_a_difference_of_dates_is_a_duration_and_also_works_as_milliseconds() -> None:
    """The page says milliseconds; the app has given a duration since 1.9.3 (obsidian-help 1095)."""
    assert shown('((now() + "1d") - now()).toString()') == "a day"
    assert shown('((now() + "36h") - now()).days') == 1.5
    assert shown("((now() - file.ctime) / 86400000).floor()") == 1
    assert shown('(now() + "1d") - now() == duration("1d")') is True


REFUSED = [
    ("", "the expression is empty"),
    ("foo(1)", 'Unknown function "foo" in the test, position 1: HERE-> foo(1)'),
    ("price.foo()", 'Unknown function "foo" in the test, position 7: price. HERE-> foo(); did you mean floor?'),
    (
        "lower()",
        'Unknown function "lower" in the test, position 1: HERE-> lower(); it is called on a value: value.lower()',
    ),
    ("formula.totl", 'Unknown formula "totl" in the test, position 9: formula. HERE-> totl; did you mean total?'),
    ("file.naem", 'Unknown field "naem" of a file in the test, position 6: file. HERE-> naem; did you mean name?'),
    ("a = b", 'values are compared with "==", not "=" in the test, position 3: a HERE-> = b'),
    ("a & b", 'conditions are joined by "&&", not "&" in the test, position 3: a HERE-> & b'),
    ("(1", '"(" is not closed with ")" in the test, position 1: HERE-> (1'),
    ("[1 2]", '"[" is not closed with "]"'),
    ('"abc', 'the string is not closed with "'),
    ("/abc", "the regular expression is not closed with /"),
    ("1 +", "a value is missing before end"),
    ("a b", 'unexpected "b" in the test, position 3: a HERE-> b'),
    ("a.1", 'a name must follow ".", not "1"'),
    ("@a", 'unexpected character "@"'),
    ("if(1)", "if(condition, then, otherwise?) needs 2 arguments, got 1"),
    ('"a".contains()', "contains(text) needs 1 argument, got 0"),
    ('/a(?=b)/.matches("ab")', "look-around is not supported here"),
    ('/(a)\\1/.matches("aa")', "backreferences are not supported here"),
    ('/a/q.matches("a")', 'unknown flag "q" of a regular expression'),
    ("(" * 100 + "1" + ")" * 100, "the expression is nested deeper than 60 levels"),
    ("!" * 100 + "1", "the expression is nested deeper than 60 levels"),
    ("+".join("1" * 400), "more than 200 operators, calls or steps depend on each other"),
    ("1" * 20_001, "the expression is longer than 20,000 characters"),
]


@pytest.mark.parametrize(("expression", "sentence"), REFUSED, ids=[text[:30] for text, _ in REFUSED])
def test_an_invalid_expression_is_refused_with_its_place(expression: str, sentence: str) -> None:
    with pytest.raises(InvalidBase) as refused:
        value_of(expression)
    assert sentence in str(refused.value)
    assert "in the test, position " in str(refused.value)


OLD = [
    ("empty(price)", "empty(value) is now value.isEmpty()"),
    ("not_empty(price)", "notEmpty(value) is now !value.isEmpty()"),
    ("not(empty(note.last))", "not(condition) is now !condition, empty(value) is now value.isEmpty()"),
    ('if(contains(status, "x"), 1, len(status))', "contains(a, b) is now a.contains(b)"),
    ('taggedWith(file.file, "a")', "taggedWith(file.file, tag) is now file.hasTag(tag)"),
    ('file.taggedWith("a")', "taggedWith(file.file, tag) is now file.hasTag(tag)"),
    ('inFolder(file.file, "a")', "inFolder(file.file, folder) is now file.inFolder(folder)"),
    ("dateBefore(file.ctime, now())", "dateBefore(a, b) is now a < b"),
    ("date_modify(file.ctime, '1d')", "dateModify(date, duration) is now date + duration"),
    ('concat("a", join("-", values))', "concat(a, b) is now a + b, join(separator, list) is now list.join(separator)"),
    ("year(file.ctime)", "year(date) is now date.year"),
    ("round(price)", "round(number) is now number.round()"),
    ("`due date`", 'a property with blanks is written note["name"]'),
]


@pytest.mark.parametrize(("expression", "hint"), OLD, ids=[text for text, _ in OLD])
def test_what_the_first_bases_had_is_answered_with_what_replaced_it(expression: str, hint: str) -> None:
    with pytest.raises(InvalidBase) as refused:
        value_of(expression)
    assert str(refused.value).endswith(f"; {hint}")
    assert "did you mean" not in str(refused.value)


def test_a_function_that_files_lost_is_answered_with_its_successor() -> None:
    assert shown('file.linksTo("Other")') == {
        "error": 'Cannot find function "linksTo" on type File. It is now file.hasLink(path).'
    }


def test_what_replaced_an_old_function_can_be_read() -> None:
    """The names of the first bases that are functions of today, too, are none of the old ones."""
    for was, now in TODAY.items():
        assert was.partition("(")[0] not in GLOBALS
        expression(now)


def test_formulas_that_form_a_circle_have_no_value_but_its_path() -> None:
    texts = {"a": "formula.b + 1", "b": "formula['c']", "c": "if(true, formula.A)", "on": "formula.a", "off": "1"}
    refused = formulas.read(texts).refused
    assert refused["a"] == (
        'The formula depends on itself (a -> b -> c -> a) in formula "a", position 9: formula. HERE-> b + 1'
    )
    assert refused == dict.fromkeys("abc", refused["a"])
    assert value_of("formula.off", formula=texts) == 1


def test_a_base_of_many_circles_is_refused() -> None:
    formulas.read({f"f{number}": f"formula.f{number}" for number in range(formulas.MOST_CIRCLES)})
    with pytest.raises(InvalidBase, match="depends on itself"):
        formulas.read({f"f{number}": f"formula.f{number}" for number in range(3_000)})


def test_a_regex_takes_time_in_proportion_to_the_text() -> None:
    assert shown('("a".repeat(100000) + "b").replace(/(a*)*c/g, "x").length') == 100_001

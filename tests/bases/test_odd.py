"""An expression over any values gives a value or its own error, in the time of the call."""

from __future__ import annotations

import contextlib
import math
import re
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.bases.oracle import MEMORY, ROW, context, value_of
from vaulttools.bases import formulas, operators, rows
from vaulttools.bases.context import BaseRow, FileFacts, Frame, converted
from vaulttools.bases.definition import read
from vaulttools.bases.evaluation import expression
from vaulttools.bases.fields import DATE_FIELDS, FILE_FIELDS, field_of, item_of
from vaulttools.bases.functions import FUNCTIONS, lists
from vaulttools.bases.regexes import CompiledRegex, regex, replaced
from vaulttools.bases.syntax import Failed, OutOfTime
from vaulttools.bases.times import Date, Duration
from vaulttools.bases.values import (
    File,
    Html,
    Icon,
    ImageValue,
    LinkValue,
    Tags,
    TagValue,
    Url,
    Value,
    contains,
    equal,
    is_empty,
    is_true,
    less,
    plain,
)
from vaulttools.errors import InvalidBase

NUMBERS = [0, -0.0, 1, -1, 2.5, 1e21, -1e308, 1.7e308, 5e-324, math.inf, -math.inf, math.nan, 2**53, 3, 100, 10**15]
TEXTS = ["", " ", "abc", "1d", "-999999999y", "P1Y2MT3S", "2026-06-10", "9999-12-31 23:59:59", "0001-01-01", "1e999"]
TEXTS += ["0x" + "f" * 400, "[[a|b]]", "[[", "𝒳y", "\ud800", "a\0b", "#tag/a", "$&$1$<x>", "DDDD[", "İ", "x" * 2000]
DURATIONS = [Duration(), Duration(days=1), Duration(years=1e15), Duration(milliseconds=-1e15), Duration(months=0.5)]
DATES = [Date(0, False), Date(-6.2e13, False), *(Date(instant, True) for instant in (0, 2.5e14, 8.64e15, 1e300))]
OTHERS: list[Any] = [None, True, False, *DURATIONS, *DATES]
OTHERS += [File(ROW), File("gone.md"), LinkValue("Other", ROW), LinkValue("", "")]
OTHERS += [CompiledRegex("a|(b)", "g"), CompiledRegex("^", "")]
OTHERS += [TagValue("#a/b"), Url("http://x"), Html("<b>"), ImageValue("i.png"), Icon("x")]
OTHERS += [Tags([TagValue("#a")]), converted("n", 10**400, ROW, context().setting.clock)]

values = st.recursive(
    st.sampled_from(NUMBERS) | st.sampled_from(TEXTS) | st.sampled_from(OTHERS) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def _looked_at(compute: Callable[[], Value]) -> None:
    """Do everything that happens to a value until it is shown; only computing it may fail."""
    calls = context()
    try:
        value = compute()
    except Failed:
        return
    shown = rows.shown(value, calls)
    rows.order_of(shown, calls)
    is_true(value)
    is_empty(value)
    if not isinstance(shown, Failed):
        plain(shown, calls.setting)


def _computed(text: str, *given: Value) -> None:
    """Compute an expression over properties `a`, `b`, `c`, and use its value."""
    row = BaseRow(context(), ROW, MEMORY.facts(ROW))
    row._properties.update(zip("abc", given, strict=False))
    _looked_at(lambda: expression(text).compute(Frame(row)))


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=lambda function: f"{function.kind} {function.name}")
@given(given_values=st.tuples(values, values, values), number=st.integers(0, 2))
@settings(max_examples=25)
def test_a_function_fails_only_in_its_own_words(function: Any, given_values: tuple[Value, ...], number: int) -> None:
    arguments = ", ".join("bc"[: max(number, function.least)] + "a" * (function.least - 2))
    call = f"{function.name}({arguments})"
    _computed(call if function.kind == "global" else f"a.{call}", *given_values)


@pytest.mark.parametrize("sign", [*operators.OPERATORS, "&&", "||"])
@given(left=values, right=values)
@settings(max_examples=80)
def test_an_operator_fails_only_in_its_own_words(sign: str, left: Value, right: Value) -> None:
    _computed(f"a {sign} b", left, right)
    _computed(f"-a {sign} !b", left, right)


@given(value=values, key=values)
@example(value=File("gone.md"), key=None)
@settings(max_examples=100)
def test_fields_elements_and_comparisons_fail_only_in_their_own_words(value: Value, key: Value) -> None:
    setting = context().setting
    asked: list[Callable[[], Value]] = [
        lambda: item_of(value, key, context()),
        lambda: equal(value, key, setting),
        lambda: less(value, key, setting),
        lambda: contains([value], key, setting),
    ]
    names = [*DATE_FIELDS, *FILE_FIELDS, "length", "days", "years", "months", "weeks", "milliseconds"]
    asked += [partial(field_of, value, name, context()) for name in names]
    for ask in asked:
        _looked_at(ask)


@pytest.mark.parametrize("name", lists.SUMMARIES)
@given(found=st.lists(values, max_size=5))
@settings(max_examples=25)
def test_a_summary_fails_only_in_its_own_words(name: str, found: list[Value]) -> None:
    _looked_at(lambda: lists.summed(name, found, context()))


@pytest.mark.parametrize(
    "text",
    [
        'duration("1d") * (10 / 0)',
        'duration("1d") / (1 / (10 / 0))',
        "duration(10 / 0)",
        'duration("999999999y") * 999999999',
        "date(1e300)",
        "0x" + "f" * 400 + " + 1",
        "[10 / 0, -10 / 0].stddev()",
        "[1].repeat(3)",
        "(" + "[1,2,3,4,5,6,7,8,9,10].map(" * 5 + "[1].concat" + ")" * 5 + ").length",
    ],
)
def test_a_value_that_is_too_large_is_an_error_of_its_cell(text: str) -> None:
    with contextlib.suppress(InvalidBase):
        _looked_at(lambda: value_of(text))


def test_a_list_that_is_nested_too_deeply_is_an_error_of_its_cell() -> None:
    value = value_of('"x".repeat(5000).split("").reduce([acc], 0)')
    assert str(rows.shown(value, context())) == "Lists are nested deeper than 64 levels."


DOUBLED = f"[{','.join('1' * 40)}].reduce([acc, acc], [])"
"""Lists in lists: forty levels, a million million elements."""


def test_a_list_that_doubles_again_and_again_is_an_error_of_its_cell() -> None:
    value = value_of(DOUBLED)
    assert str(rows.shown(value, context())) == "The lists have more than 100,000 elements."
    assert rows.order_of(value, context()) == rows.EMPTY


@pytest.mark.parametrize("depth", [50, 1_000, 3_000])
def test_formulas_may_depend_on_each_other_to_any_depth(depth: int) -> None:
    chain = {f"f{number}": f"formula.f{number + 1} + 1" for number in range(depth)} | {f"f{depth}": "0"}
    assert value_of("formula.f0", formula=chain) == depth
    assert value_of("if(formula.f0 > 0, formula.f1, formula.f2)", formula=chain) == depth - 1


def test_deep_formulas_of_deep_expressions_are_computed() -> None:
    nested = "(" * 50 + "formula.next" + ")" * 50 + " + 1" * 140
    chain = {f"f{number}": nested.replace("next", f"f{number + 1}") for number in range(30)} | {"f30": "0"}
    assert value_of(nested.replace("next", "f0"), formula=chain) == 31 * 140


def test_a_circle_among_many_formulas_is_reported_by_its_path() -> None:
    chain = {f"f{number}": f"formula.f{number + 1}" for number in range(3_000)} | {"f3000": "formula.f2999"}
    assert "depends on itself (f2999 -> f3000 -> f2999)" in formulas.read(chain).refused["f3000"]


SIXTY = f"[{','.join('1' * 60)}]"
SLOW = [
    "many.map(many)  == many.map(many)",
    "many.map(many).toString().length",
    "many.map(many.map(many)).unique().length",
    f"{SIXTY}.map({SIXTY}.map({SIXTY}.map({SIXTY}.map(value))))",
    "many.map(many.contains(value)).length",
    "many.containsAll(many)",
    'long.split("a").unique().length',
    "many.map(long.lower().length).length",
    "many.map(long.replace(/(a|aa)+$/, value)).length",
    "many.map(file.links.length)",
    "many.sort().map(many.sort())",
    "many.map(many.join(long)).length",
    f"{DOUBLED}.flat().length",
    f"{DOUBLED}.toString().length",
]


@pytest.mark.parametrize("text", SLOW)
def test_time_is_checked_in_proportion_to_the_work(text: str) -> None:
    """Between two checks, at most one long text or list is handled."""
    looks = 0

    def stop() -> None:
        nonlocal looks
        looks += 1
        if looks > 20:
            raise OutOfTime

    row = BaseRow(context(stop=stop), ROW, MEMORY.facts(ROW))
    row._properties.update(many=[f"{number}" for number in range(100_000)], long="a" * 200_000)
    with pytest.raises((OutOfTime, Failed)):
        expression(text).compute(Frame(row))


def test_the_yaml_of_a_base_is_bounded_in_bytes() -> None:
    read(f"# {'я' * 130_000}", "a.base")
    with pytest.raises(InvalidBase, match="larger than 256 KiB"):
        read(f"# {'я' * 140_000}", "a.base")


MANY = '"a".repeat(1000000).split("", 100000)'
"""A hundred thousand elements: the longest list."""


@pytest.mark.parametrize(
    "text",
    [
        '"a".repeat(900000).replace(/a/g, "$`$\'")',
        '"a".repeat(900000).replace(/a{900}/g, "$&$&")',
        '"a".repeat(900000).replace(/(a{900})/g, "$1$1$1")',
        '"a".repeat(900000).replace("a", "$`")',
        '"a".repeat(900000).replace("", "b".repeat(900000))',
        '"a".repeat(900000).replace("", "$$b".repeat(300000))',
        "/[\\s\\S]{0,1000}[\\s\\S]{0,1000}x/.matches('a'.repeat(300000))",
        f'"a".repeat(9000).replace(/{"(a?)" * 900}/g, "b")',
        f'"a".repeat(900000).split(/{"(" * 900}a*{")" * 900}$/)',
        '"a".repeat(900000).split("")',
        '"a".repeat(900000).split("a")',
        '"a".repeat(900000).split(/(a)(a)(a)(a)(a)(a)(a)(a)(a)/)',
        '[1, 2, 3, 4, 5, 6, 7].map(value).map("a".repeat(900000)).map([value, value.lower()]).map('
        + " + ".join(["[value, [value, value].map(value.toString() + value)]"] * 40)
        + ")",
        f'{MANY}.map("b".repeat(9000) + value)',
        f'{MANY}.map("a".repeat(1000000).lower())',
        f'{MANY}.map(link("b".repeat(9000) + index))',
        f'{MANY}.reduce([acc, "b".repeat(9000) + index], [])',
        '[1, 2].map("a".repeat(999999)).join("b")',
        "[[1, 2, 3]]" + ".map([value, value].flat())" * 30 + ".flat()",
    ],
)
def test_what_multiplies_is_an_error_of_its_cell_before_it_is_made(text: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises((Failed, InvalidBase)):
            value_of(text)
        assert tracemalloc.get_traced_memory()[1] < 300_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f'{MANY}.map("b".repeat(10000).length).unique()', [10_000]),
        (f'{MANY}.filter("b".repeat(10000).length > index).length', 10_000),
        (f'{MANY}.reduce(if(acc.length < 100, acc + "b".repeat(10000) + value, ""), "").length', 0),
        (f"{MANY}.slice(0, 3000).reduce(acc + [value], []).length", 3_000),
    ],
)
def test_what_a_function_of_lists_no_longer_needs_is_not_counted(text: str, value: Value) -> None:
    assert value_of(text) == value


def test_values_that_a_call_keeps_are_bounded_together() -> None:
    row = BaseRow(context(), "a.md", FileFacts())
    made = formulas.read({f"f{number}": f'"{number}" + "a".repeat(999990)' for number in range(200)})
    made.compute(made.expressions, row)
    kept = [value for value in row.computed.values() if isinstance(value, str)]
    assert 90 < len(kept) < 101
    assert str(row.computed["f0"]) == "All computed values take more than 100 MB."


def test_reading_a_base_ends_with_the_time_of_the_call() -> None:
    asked = []

    def stop() -> None:
        asked.append(1)
        if len(asked) == 30:
            raise OutOfTime

    of_regexes = "\n".join(f"  f{number}: /a{number}/" for number in range(40))
    with pytest.raises(OutOfTime):
        read(f"formulas:\n{of_regexes}\n", "a.base", stop)


def test_a_reason_is_short_and_holds_no_values() -> None:
    row = BaseRow(context(), "a.md", FileFacts())
    made = formulas.read({"f": 'date("a".repeat(900000))', "g": "formula.f"})
    made.compute(made.expressions, row)
    for error in row.computed.values():
        assert isinstance(error, Failed)
        assert len(str(error)) < 400
        assert error.__traceback__ is None


_replacements = st.lists(
    st.sampled_from(["$", "$$", "$&", "$`", "$'", "$1", "$2", "$12", "$<n>", "a", "ß", ""]), max_size=5
)


def _slowly(match: re.Match[str], replacement: str) -> str:
    """Fill in a replacement, one sign after the other."""
    made, place = "", 0
    groups = match.groups()
    while place < len(replacement):
        rest = replacement[place:]
        number = re.match(r"\$(\d\d?)", rest)
        simple = {"$$": "$", "$&": match[0], "$`": match.string[: match.start()], "$'": match.string[match.end() :]}
        if rest[:2] in simple:
            made, place = made + simple[rest[:2]], place + 2
        elif number and 0 < int(number[1]) <= len(groups):
            made, place = made + (groups[int(number[1]) - 1] or ""), place + number.end()
        elif number and 0 < int(number[1][0]) <= len(groups):
            made, place = made + (groups[int(number[1][0]) - 1] or ""), place + 2
        else:
            made, place = made + rest[0], place + 1
    return made


@given(
    st.text("abß\n", max_size=12),
    st.sampled_from(["a", "(a)|(b)", "a*", "(a)(b)?", "", "b+", "(ß)|b"]),
    _replacements.map("".join),
    st.booleans(),
)
def test_a_replacement_is_what_filling_in_each_match_gives(text: str, source: str, by: str, every: bool) -> None:
    made = regex(source, "g" if every else "", 0).replaced(text, by, lambda: None)
    assert made == re.sub(source, lambda match: _slowly(match, by), text, count=0 if every else 1)
    if source in ("a", ""):
        found = replaced(text, source, by, lambda: None)
        assert found == re.sub(source, lambda match: _slowly(match, by), text)

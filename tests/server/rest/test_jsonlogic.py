"""JsonLogic: what rules give, with JavaScript's coercions, and what is refused."""

from __future__ import annotations

import fnmatch
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.patterns.test_literals import _met
from vaulttools.bases.regexes import regex
from vaulttools.bases.syntax import InvalidExpression
from vaulttools.errors import BadArgument
from vaulttools.matching import ripgrep
from vaulttools.patterns.literals import required
from vaulttools.patterns.requirements import fold
from vaulttools.server.rest.jsonlogic import Demand, Rule, demands_of, is_truthy

DOUBLED = {"reduce": [[1] * 40, [{"var": "accumulator"}, {"var": "accumulator"}], []]}
"""Forty levels of lists, with a million million elements."""
DEEP = {"reduce": [[1] * 4_000, [{"var": "accumulator"}], []]}


@pytest.mark.parametrize("value", [DOUBLED, DEEP], ids=["doubled", "deep"])
@pytest.mark.parametrize("operator", ["cat", "==", "<", "in", "+", "max", "substr", "missing", "var"])
def test_a_list_that_is_too_large_to_be_written_is_refused(operator: str, value: Any) -> None:
    with pytest.raises(BadArgument, match="more than 100,000 elements or 200 levels"):
        Rule({operator: [value, "x", 1] if operator == "substr" else [value, "x"]}).apply({"a": 1})


def test_a_merged_list_has_no_more_elements_than_any_other() -> None:
    doubled = {"reduce": [[1] * 40, {"merge": [{"var": "accumulator"}, {"var": "accumulator"}]}, [1]]}
    with pytest.raises(BadArgument, match=r"more than 100,000 elements\Z"):
        Rule(doubled).apply({})


DATA: dict[str, Any] = {
    "path": "Projects/a.md",
    "tags": ["work", "a/b"],
    "frontmatter": {"status": "active", "rank": 3, "due": None, "list": [1, 2, 3]},
    "stat": {"size": 120},
}


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        # fields
        ({"var": "path"}, "Projects/a.md"),
        ({"var": ["frontmatter.rank"]}, 3),
        ({"var": "tags.1"}, "a/b"),
        ({"var": ["frontmatter.none", "default"]}, "default"),
        ({"var": ""}, DATA),
        ({"missing": ["path", "x", "frontmatter.due"]}, ["x", "frontmatter.due"]),
        ({"missing_some": [1, ["path", "x"]]}, []),
        # comparison: == converts, === does not
        ({"==": [1, "1"]}, True),
        ({"===": [1, "1"]}, False),
        ({"==": [None, 0]}, False),
        ({"==": [[1], "1"]}, True),
        ({"!=": [1, 2]}, True),
        ({"!==": ["1", 1]}, True),
        ({"<": [1, {"var": "frontmatter.rank"}, 5]}, True),
        ({"<=": [3, 3]}, True),
        ({">": ["b", "a"]}, True),
        ({">": ["10", 9]}, True),
        ({">": ["x", 9]}, False),
        ({"===": [1, True]}, False),
        # logic
        ({"and": [1, [], 2]}, []),
        ({"or": [0, "", "a"]}, "a"),
        ({"!": [[]]}, True),
        ({"!!": ["0"]}, True),
        ({"if": [False, 1, True, 2, 3]}, 2),
        ({"?:": [0, 1, 2]}, 2),
        # lists
        ({"in": ["work", {"var": "tags"}]}, True),
        ({"in": ["wor", {"var": "tags"}]}, False),
        ({"in": ["wor", "working"]}, True),
        ({"in": [1, ["1"]]}, False),
        ({"map": [{"var": "frontmatter.list"}, {"*": [{"var": ""}, 2]}]}, [2, 4, 6]),
        ({"filter": [{"var": "frontmatter.list"}, {">": [{"var": ""}, 1]}]}, [2, 3]),
        ({"reduce": [{"var": "frontmatter.list"}, {"+": [{"var": "current"}, {"var": "accumulator"}]}, 0]}, 6),
        ({"all": [{"var": "tags"}, {"in": ["o", {"var": ""}]}]}, False),
        ({"all": [[], True]}, False),
        ({"some": [{"var": "tags"}, {"===": [{"var": ""}, "work"]}]}, True),
        ({"none": [{"var": "tags"}, False]}, True),
        ({"merge": [1, [2, 3]]}, [1, 2, 3]),
        # numbers and texts
        ({"+": ["1", 2]}, 3),
        ({"+": ["0x10", "5."]}, 21),
        ({"-": [3]}, -3),
        ({"/": [1, 2]}, 0.5),
        ({">": [{"/": [1, 0]}, 5]}, True),  # infinity
        ({"<": [{"/": [-1, 0]}, 5]}, True),
        ({"%": [-5, 3]}, -2),
        ({"max": [1, 3, 2]}, 3),
        ({"min": []}, None),
        ({"cat": ["a", 1, 2.0, None, True]}, "a12true"),
        ({"cat": [1e-7, " ", 2**53 + 1]}, "1e-7 9007199254740992"),
        ({"substr": ["jsonlogic", -5]}, "logic"),
        ({"substr": ["jsonlogic", 1, -5]}, "son"),
        # the operators of the API
        ({"glob": ["Projects/*", {"var": "path"}]}, True),
        ({"glob": ["*.md", {"var": "path"}]}, True),
        ({"glob": ["a.md", {"var": "path"}]}, False),
        ({"glob": ["Projects/?.md", {"var": "path"}]}, False),
        ({"glob": ["P*j*a*md", {"var": "path"}]}, True),
        ({"glob": ["*", {"var": "none"}]}, False),
        ({"glob": ["Projects/a*a.md", {"var": "path"}]}, False),
        ({"regexp": ["^Proj.*\\.md$", {"var": "path"}]}, True),
        ({"regexp": ["^a", {"var": "path"}]}, False),
        ({"regexp": [{"cat": ["act", "ive"]}, {"var": "frontmatter.status"}]}, True),
        ("a value", "a value"),
        ({}, {}),
    ],
)
def test_what_a_rule_gives(rule: Any, value: Any) -> None:
    assert Rule(rule).apply(DATA) == value


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"method": ["x", "toString"]}, "Unknown operator 'method'"),
        ({"a": 1, "b": 2}, "A rule has one operator; got 2: a, b"),
        ({"regexp": ["(", {"var": "path"}]}, "Invalid regexp: "),
        ({"regexp": ["(?=a)", {"var": "path"}]}, "Invalid regexp: "),
        ({"map": [[]]}, "'map' takes a list and a rule"),
    ],
)
def test_what_is_no_rule_is_refused(rule: Any, sentence: str) -> None:
    with pytest.raises(BadArgument) as refusal:
        Rule(rule)
    assert str(refusal.value).startswith(sentence)


def test_a_rule_is_bounded_in_depth_size_and_what_it_makes() -> None:
    deep: Any = 1
    for _ in range(100):
        deep = {"!": [deep]}
    wide = {"or": [0] * 10_000}
    for rule in (deep, wide):
        with pytest.raises(BadArgument, match=r"^The rule is too large"):
            Rule(rule)
    with pytest.raises(BadArgument):
        Rule({"cat": [{"cat": ["x" * 600_000, "x" * 600_000]}]}).apply({})


def test_a_rule_that_goes_on_is_stopped() -> None:
    class Stopped(Exception):
        pass

    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        Rule({"map": [[0] * 4_000, {"+": [{"var": ""}, 1]}]}, stop).apply(DATA)


@pytest.mark.parametrize(
    ("rule", "names"),
    [
        ({"in": ["a", {"var": "tags"}]}, {"tags"}),
        ({"and": [{"var": "frontmatter.a"}, {"var": ["stat.size"]}]}, {"frontmatter", "stat"}),
        ({"some": [{"var": "tags"}, {"var": "content"}]}, {"tags"}),
        ({"var": ""}, None),
        ({"var": {"cat": ["con", "tent"]}}, None),
    ],
)
def test_a_rule_tells_which_fields_it_reads(rule: Any, names: set[str] | None) -> None:
    assert Rule(rule).names == names


def test_what_a_field_must_hold_is_known_of_in_within_and() -> None:
    within = {"in": ["a", {"var": "content"}]}
    both = {"and": [within, {"in": ["b", {"var": ["content"]}]}, {"var": "x"}]}
    assert demands_of(both, "content") == [Demand("a"), Demand("b")]
    assert demands_of({"or": [within, within]}, "content") == []
    assert demands_of({"in": ["a", {"var": "tags"}]}, "content") == []
    assert demands_of({"glob": ["*a b*c", {"var": "content"}]}, "content") == [Demand("a b"), Demand("c")]
    assert demands_of({"regexp": ["a.b", {"var": "content"}]}, "content") == [Demand("a.b", is_regex=True)]


PIECES = [
    "ab", "Cd", "e", " ", r"\s", r"\w+", r"\b", r"\.", ".", "[xy]", "[^z]", r"[\s,]+", "(?:", "(", ")", "|",
    "?", "*", "{2}", "{", "$", "^",
]  # fmt: skip
PIECES += ["[]", "[^]", "[a&&b]", r"\cA", r"\u0061", r"\x61", r"\n", r"\z", "(?i)", "ß", "k", "İ", "(?:ab|Cd)", "(e)?"]

MEANT = {
    r"\s": " ",
    r"\w+": "b",
    r"\.": ".",
    ".": "x",
    "[xy]": "y",
    "[^z]": "K",
    r"[\s,]+": ", ",
    "[^]": "\n",
    "[a&&b]": "&",
    r"\cA": "\x01",
    r"\u0061": "a",
    r"\x61": "a",
    r"\n": "\n",
    r"\z": "z",
    "(?:ab|Cd)": "Cd",
    "(e)?": "",
    **{literal: literal for literal in ("ab", "Cd", "e", " ", "{", "ß", "k", "İ")},
}
"""What some pieces match; the others match nothing that has a length, or change what comes before them."""

texts = st.text(st.sampled_from("abCde xy.,z\nßkKİ{2"), max_size=12)


def _meant(pieces: list[str]) -> str:
    """A text in which the pieces, put together, mostly match."""
    meant = ""
    for piece in pieces:
        meant += meant[-1:] if piece == "{2}" else MEANT.get(piece, "")
    return meant


@st.composite
def _patterns_and_texts(draw: st.DrawFn) -> tuple[str, str]:
    pieces = draw(st.lists(st.sampled_from([*MEANT]) | st.sampled_from(PIECES), min_size=1, max_size=7))
    if draw(st.integers(0, 4)) == 4:
        return "".join(pieces), draw(texts)
    return "".join(pieces), draw(texts) + _meant(pieces) + draw(texts)


@settings(max_examples=200)
@given(_patterns_and_texts())
def test_a_text_in_which_a_regexp_of_javascript_matches_meets_its_demand(pattern_and_text: tuple[str, str]) -> None:
    pattern, text = pattern_and_text
    if not demands_of({"regexp": [pattern, {"var": "content"}]}, "content"):
        return
    try:
        if not regex(pattern, "", 0).matches(text):
            return
        requirement = required(ripgrep.locate().compile(pattern, "regex", ignore_case=False))
    except (InvalidExpression, BadArgument):
        return
    assert _met(requirement, fold(text))


@pytest.mark.parametrize("value", [False, None, 0, "", [], float("nan")])
def test_what_is_not_true(value: Any) -> None:
    assert not is_truthy(value)
    assert is_truthy({}) and is_truthy("0") and is_truthy([0])


@given(st.text("ab*.\n/ü", max_size=6), st.text("ab*.\n/ü", max_size=8))
def test_a_glob_knows_but_its_star(pattern: str, text: str) -> None:
    expected = fnmatch.fnmatchcase(text, pattern)
    assert Rule({"glob": [pattern, {"var": ""}]}).apply(text) is expected

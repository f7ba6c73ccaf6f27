"""From a requirement to a query: what it finds holds every file that meets the requirement."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.index.indexes import Indexed
from vaulttools.files import document
from vaulttools.index import vocabulary
from vaulttools.patterns.literals import LONGEST, AllOf, AnyOf, Requirement, fold


@pytest.mark.parametrize(
    ("requirement", "query"),
    [
        ("abc", '"abc"'),
        ("abcd", '("abc" AND "bcd")'),
        ("aaaaa", '"aaa"'),
        ("ab", '"ab"*'),
        ("a", None),
        ("é", '"é"*'),
        ("日本", '"日本"*'),
        ('a"b', '"a""b"'),
        ('""', '""""""*'),
        ("a b", '"a b"'),
        ("foo\0bar", '("foo" AND "bar")'),
        ("x\0", None),
        (AllOf(("abc", "xyz")), '("abc" AND "xyz")'),
        (AllOf(("abc", "a")), '"abc"'),
        (AllOf(("a", "b")), None),
        (AnyOf(("abc", "xyz")), '("abc" OR "xyz")'),
        (AnyOf(("abc", "a")), None),
        (AllOf((AnyOf(("abc", "x")), "foo")), '"foo"'),
        (AnyOf((AllOf(("abc", "xy")), "foo")), '(("abc" AND "xy"*) OR "foo")'),
        (AnyOf(("abc", AnyOf(("abc", "abc")))), '"abc"'),
    ],
)
def test_a_requirement_is_a_query_of_trigrams(requirement: Requirement, query: str | None) -> None:
    assert vocabulary.query(requirement) == query


@pytest.mark.parametrize(
    ("requirement", "query"),
    [
        ("abcd", '("abc" AND "bcd")'),
        ("abc", None),
        ("ébcde", '("bcd" AND "cde")'),
        ("abcdéefgh", '(("abc" AND "bcd") AND ("efg" AND "fgh"))'),
        ("a\tbcdef", '("bcd" AND "cde" AND "def")'),
        (AllOf(("abc", "wxyz")), '("wxy" AND "xyz")'),
        (AnyOf(("abc", "wxyz")), None),
    ],
)
def test_of_a_binary_file_only_printable_runs_are_looked_for(requirement: Requirement, query: str | None) -> None:
    assert vocabulary.binary_query(requirement) == query


def test_of_a_long_literal_a_few_trigrams_are_looked_for_its_ends_among_them() -> None:
    literal = "".join(chr(ord("a") + number % 26) + str(number % 10) for number in range(LONGEST // 2))
    query = vocabulary.query(literal)
    assert query is not None
    assert query.startswith(f'("{literal[:3]}" AND ')
    assert query.endswith(f' AND "{literal[-3:]}")')
    assert query.count(" AND ") <= vocabulary.TRIGRAMS


CHARACTERS = st.sampled_from(
    [*'abAB \t"*-\0\r\n', *"éÉßſKİıΣσςǆ日本", "\U0001f642", "\ufffd", "\ufffe", "\uffff", "\x7f", "\xa0"]
)
TEXTS = st.lists(
    st.one_of(
        st.text(CHARACTERS, max_size=40).map(str.encode),
        st.text(CHARACTERS, max_size=20).map(lambda text: text.encode("utf-16")),
        st.binary(max_size=30),
    ),
    min_size=1,
    max_size=12,
)


def _literals(draw: st.DrawFn, text: str) -> str | None:
    """Some text that stands in a line of the text."""
    lines = [line for line in text.replace("\r", "\n").split("\n") if line]
    if not lines:
        return None
    line = draw(st.sampled_from(lines))
    start = draw(st.integers(0, len(line) - 1))
    return line[start : start + draw(st.integers(1, LONGEST))]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), texts=TEXTS)
def test_a_file_that_meets_a_requirement_is_found_by_its_query(data: st.DataObject, texts: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as place:
        indexed = Indexed(Path(place))
        indexed.write({f"{number}.txt": text for number, text in enumerate(texts)})
        store = indexed.open()
        try:
            indexed.update(store)
            rows = {row.path: row for row in store.rows()}
            for path, row in rows.items():
                if row.state == "unread":
                    continue
                text = fold(document.decode(path, (indexed.vault / path).read_bytes()).text)
                found = [data.draw(st.composite(_literals)(text)) for _ in range(3)]
                literals = tuple(literal for literal in found if literal is not None)
                if not literals:
                    continue
                others = tuple(data.draw(st.lists(st.text(CHARACTERS, min_size=1, max_size=5).map(fold), max_size=2)))
                for requirement in (literals[0], AllOf(literals), AnyOf((*others, literals[0]))):
                    ask = vocabulary.binary_query if row.state == "binary" else vocabulary.query
                    query = ask(requirement)
                    assert query is None or row.id in store.ids(query), (text, requirement, query)
        finally:
            store.close()

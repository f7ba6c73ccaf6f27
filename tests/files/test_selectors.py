"""Line-range selectors: how they look, which lines they name, and how one without lines is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.errors import BadArgument
from vaulttools.files.selectors import Ranges, Span, parse, split


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("a.md:50-100", ("a.md", "50-100")),
        ("a.md:50", ("a.md", "50")),
        ("a.md:50-", ("a.md", "50-")),
        ("a.md:50..", ("a.md", "50..")),
        ("a.md:50..100", ("a.md", "50..100")),
        ("a.md:50+10", ("a.md", "50+10")),
        ("a.md:5-16,960-973", ("a.md", "5-16,960-973")),
        ("a.md:L1-L50,60-", ("a.md", "L1-L50,60-")),
        ("a.md:l1-50", ("a.md", "l1-50")),
        # read as a selector, to be refused by `parse`
        ("a.md:0", ("a.md", "0")),
        ("a.md:5-2", ("a.md", "5-2")),
        # the last part alone
        ("a.md:1-2:3-4", ("a.md:1-2", "3-4")),
        ("b.zip:x/a.md:5", ("b.zip:x/a.md", "5")),
        ("test:1-2", ("test", "1-2")),
        # no selector
        ("a.md", ("a.md", None)),
        ("a.md:", ("a.md:", None)),
        (":5", (":5", None)),
        ("a.md:3+", ("a.md:3+", None)),
        ("a.md:-5", ("a.md:-5", None)),
        ("a.md:5-6-7", ("a.md:5-6-7", None)),
        ("a.md:5,", ("a.md:5,", None)),
        ("a.md:5, 6", ("a.md:5, 6", None)),
        ("a.md:L", ("a.md:L", None)),
        ("a.md:LL5", ("a.md:LL5", None)),
        ("a.md:5\n", ("a.md:5\n", None)),
        ("a.md:٥", ("a.md:٥", None)),
        ("foo:../bar.md", ("foo:../bar.md", None)),
        ("x:5/a.md", ("x:5/a.md", None)),
        ("", ("", None)),
    ],
)
def test_a_selector_is_the_whole_last_part_of_a_path(path: str, parts: tuple[str, str | None]) -> None:
    assert split(path) == parts


@pytest.mark.parametrize(
    ("selector", "spans"),
    [
        ("50-100", [(50, 100)]),
        ("50..100", [(50, 100)]),
        ("L50-L100", [(50, 100)]),
        ("50+10", [(50, 59)]),
        ("50+1", [(50, 50)]),
        ("50-50", [(50, 50)]),
        ("50-", [(50, None)]),
        ("50..", [(50, None)]),
        ("50", [(50, None)]),
        ("007-0010", [(7, 10)]),
        # sorted and merged
        ("960-973,5-16", [(5, 16), (960, 973)]),
        ("1-5,3-9", [(1, 9)]),
        ("1-9,3-5", [(1, 9)]),
        ("1-5,6-9", [(1, 9)]),
        ("1-5,7-9", [(1, 5), (7, 9)]),
        ("5-,1-2,90-99", [(1, 2), (5, None)]),
        ("1-9,5-", [(1, None)]),
        ("7,3", [(3, None)]),
    ],
)
def test_the_forms_of_the_documents_name_their_lines(selector: str, spans: list[Span]) -> None:
    assert parse(selector) == Ranges(tuple(spans))


@pytest.mark.parametrize(
    ("selector", "sentence"),
    [
        ("5-2", "Invalid range 5-2: end must be >= start."),
        ("L5..L2", "Invalid range 5-2: end must be >= start."),
        ("1-2,5-0", "Invalid range 5-0: end must be >= start."),
        ("0", "Line selector 0 is invalid; lines are 1-indexed. Use :1."),
        ("0-5", "Line selector 0 is invalid; lines are 1-indexed. Use :1."),
        ("1,00+0", "Line selector 0 is invalid; lines are 1-indexed. Use :1."),
        ("50+0", "Invalid range 50+0: count must be >= 1."),
        ("3+", "Invalid line selector 3+: use :50-100, :50+10, :50- or several as :5-16,960-973."),
        ("", "Invalid line selector : use :50-100, :50+10, :50- or several as :5-16,960-973."),
    ],
)
def test_a_selector_without_lines_is_refused_in_the_words_of_the_documents(selector: str, sentence: str) -> None:
    with pytest.raises(BadArgument) as caught:
        parse(selector)
    assert str(caught.value) == sentence


def test_numbers_of_any_length_are_read() -> None:
    huge = "9" * 100_000
    assert not parse(f"{huge}-{huge}").contains(10**9)
    assert parse(f"5-{huge}").contains(10**9)
    assert parse(f"5+{huge}").contains(10**9)
    assert list(parse(f"{'0' * 100_000}5-6")) == [(5, 6)]


def test_many_ranges_are_read_and_searched_quickly() -> None:
    ranges = parse(",".join(f"{start}-{start + 1}" for start in range(60_000, 0, -3)))
    assert sum(ranges.contains(line) for line in range(60_002)) == 40_000


numbers = st.integers(1, 30)
spans = st.one_of(
    st.tuples(numbers, numbers).map(lambda pair: (min(pair), max(pair))),
    st.tuples(numbers, st.none()),
)


def _written(span: Span) -> str:
    start, end = span
    return f"{start}-" if end is None else f"{start}-{end}"


def _lines(spans: list[Span]) -> set[int]:
    return {line for start, end in spans for line in range(start, 41 if end is None else end + 1)}


@given(st.lists(spans, min_size=1, max_size=6), st.lists(spans, min_size=1, max_size=6))
def test_ranges_hold_the_lines_of_their_parts_and_unite_like_sets(some: list[Span], more: list[Span]) -> None:
    one, other = parse(",".join(map(_written, some))), parse(",".join(map(_written, more)))
    assert {line for line in range(41) if one.contains(line)} == _lines(some)
    assert one.union(other) == parse(",".join(map(_written, [*some, *more])))
    ends = [end for _, end in one]
    assert None not in ends[:-1]
    assert all(end is not None and end + 1 < start for end, (start, _) in zip(ends[:-1], one.spans[1:], strict=True))


@given(st.text("aL0159:,.+-x\n", max_size=20))
def test_what_is_split_off_is_read_or_refused_with_a_sentence(path: str) -> None:
    start, selector = split(path)
    if selector is None:
        assert start == path
        return
    assert f"{start}:{selector}" == path
    try:
        assert list(parse(selector))
    except BadArgument as error:
        assert "Invalid range" in str(error) or "Line selector 0" in str(error)

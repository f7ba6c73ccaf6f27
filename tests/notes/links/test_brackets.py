"""Brackets in wikilinks: one that was opened in the name closes in it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vaulttools.bases.values import read_link
from vaulttools.notes.links.brackets import link_end, whole_link
from vaulttools.notes.links.resolution import parse_link
from vaulttools.notes.markdown.structure import parse
from vaulttools.notes.note import Note


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("[[Plan [draft]]]", ["Plan [draft]"]),
        ("![[Plan [draft]]]", ["Plan [draft]"]),
        ("([[Plan [draft]]]) [[b]]", ["Plan [draft]", "b"]),
        ("[see [[Plan [draft]]]]", ["Plan [draft]"]),
        ("[see [[Plan [draft]]]](u)", ["Plan [draft]"]),
        ("[[a [b [c]]]]", ["a [b [c]]"]),
        ("[[a [b [c]]|x]] ![[a [b [c]]#H]]", ["a [b [c]]", "a [b [c]]"]),
        ("[[a [b [c]] [[d]]", ["a [b [c", "d"]),
        ("[[a [b [c]] d\n]]", ["a [b [c"]),
        ("[[a [b] [c]]] [[a [b] c]]", ["a [b] [c]", "a [b] c"]),
        ("[[a[b]]", ["a[b"]),
        ("[[a]b]] [[a] [b]]]", ["a]b", "a] [b]"]),
        ("[[a [[b [c]]] d]]", ["b [c]"]),
        ("[see [[Note]]] [[[Note]]]", ["Note", "Note"]),
        ("[[a#h [b]]] [[a|b [c]]]", ["a", "a"]),
        ("|[[a [b]\\|c]]|\n|-|\n|[[a [b]]]|", ["a [b]", "a [b]"]),
    ],
)
def test_a_bracket_that_was_opened_inside_a_link_closes_inside_it(body: str, found: list[str]) -> None:
    assert [reference.target for reference in parse(body).references] == found


def slowly(text: str, start: int, end: int) -> int | None:
    """What `link_end` returns, one character at a time."""
    text = text[:end]
    if not text.startswith("[[", start) or text.startswith("[[[", start):
        return None
    at, is_open = start + 2, 0
    nearest, in_name = None, True
    while at < len(text) and text[at] != "\n":
        if text.startswith("]]", at):
            in_a_row = len(text[at:]) - len(text[at:].lstrip("]"))
            nearest = nearest or at + 2 + min(is_open, in_a_row - 2)
            if is_open < in_a_row:
                return at + 2 + min(is_open, in_a_row - 2)
            at, is_open = at + in_a_row, is_open - in_a_row
            continue
        if text.startswith("[[", at):
            return nearest
        if text[at] in "#|":
            is_open, in_name = 0, False
        if text[at] == "[" and in_name:
            is_open += 1
        if text[at] == "]":
            is_open = max(0, is_open - 1)
        at += 1
    return nearest


@given(st.text("[]a|#\n", max_size=20), st.integers(0, 3), st.integers(0, 20))
@example("[[a [b]]]", 0, 9)
@example("[[a [b]]]", 0, 8)
def test_the_end_of_a_link_is_the_one_found_slowly(text: str, start: int, end: int) -> None:
    assert link_end(text, start, end) == slowly(text, start, end)


NAMES = st.recursive(
    st.sampled_from(["a", "Plan", "é ü", "1.2", "x y"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: f"{two[0]} [{two[1]}]"),
        st.tuples(inner, inner).map(lambda two: f"{two[0]} [{two[1]}] z"),
    ),
    max_leaves=5,
)


@given(NAMES)
def test_every_name_with_closed_brackets_can_be_linked(name: str) -> None:
    written = f"[[{name}]]"
    for body in (written, f"({written})", f"[see {written}] b", f"- *{written}*", f"[[c]] {written}[[d]]"):
        assert name in [reference.target for reference in parse(body).references], body
    for other in (f"[[{name}|shown [x] y]]", f"![[{name}#H [1].]]", f"[[{name}#^id]]"):
        (reference,) = parse(other).references
        assert (reference.target, reference.written) == (name, other)
    assert parse_link(written).target == name
    assert whole_link(written) == name
    assert read_link(written, "n.md").target == name  # type: ignore[union-attr]
    (in_property,) = Note("n.md", f"---\nup: '{written}'\n---\n").references
    assert (in_property.target, in_property.in_property) == (name, "up")


def test_brackets_of_headings_and_display_texts_do_not_count() -> None:
    found = parse("[[a#h [b]]] [[a|b [c]]] [[a [b#c]]]").references
    assert [each.written for each in found] == ["[[a#h [b]]", "[[a|b [c]]", "[[a [b#c]]"]


@pytest.mark.parametrize("inner", ["a", "a [b]", "a[b", "a#H [1]", "a|b [c]", "a [b [c]]#d [e]"])
def test_a_text_that_is_one_link_is_read_to_its_end(inner: str) -> None:
    assert whole_link(f"[[{inner}]]") == inner


@pytest.mark.parametrize(
    "text", ["", "a", "[[a]", "see [[a]]", "[[a]] b", "[[a]], [[b]]", "[[a]][[b]]", "[[[a]]]", "![[a]]", "[[a]]]"]
)
def test_a_text_with_more_than_a_link_is_not_one(text: str) -> None:
    assert whole_link(text) is None
    assert read_link(text, "n.md") is None

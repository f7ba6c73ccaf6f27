"""Links in the values of properties, and the lines of these links."""

from __future__ import annotations

import time

import pytest

from vaulttools.notes.note import Note
from vaulttools.notes.packing import PackedNote, dump


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["up: '[[N#H|x]]'"], [(2, "[[N#H|x]]", "N", "up")]),
        (["up:", "  - '[[A]]'", "  - ' [[B [c]]] '"], [(3, "[[A]]", "A", "up"), (4, "[[B [c]]]", "B [c]", "up")]),
        (["up: '![[i.png|100]]'"], [(2, "![[i.png|100]]", "i.png", "up")]),
        (["up: |", "  [[N]]"], [(3, "[[N]]", "N", "up")]),
        (["up: 'see [[N]]'", "of: '[[N]] (old)'", "to: '[[N]], [[M]]'", "in: '[[N]][[M]]'", "at: '[[N]]]'"], []),
        (["up:", "  - 'see [[N]]'", "  - '[[M]]'"], [(4, "[[M]]", "M", "up")]),
        (["up: |", "  first line", "  [[N]]"], []),
        (["a: '[[N]]'", "b: '[[N]]'"], [(2, "[[N]]", "N", "a"), (3, "[[N]]", "N", "b")]),
        (["m: {k: '[[N]]'}"], [(2, "[[N]]", "N", "m")]),
        (["a: x", "b: \"[[J\\u00f6rg]]\""], [(2, "[[Jörg]]", "Jörg", "b")]),
        (["a: [[N]]"], []),
        (["a: '[t](N%20M.md#H)'"], [(2, "[t](N%20M.md#H)", "N M.md", "a")]),
        (["a:", "  - ' [t](N.md) '", "  - '![t](i.png)'"], [(3, "[t](N.md)", "N.md", "a"),
                                                              (4, "![t](i.png)", "i.png", "a")]),
        (["a: '[t](https://x.org)'"], [(2, "[t](https://x.org)", "https://x.org", "a")]),
        (["a: '[[[N]] t](M.md)'", "b: '[[N]](M.md)'"], []),
        (["a: 'see [t](N.md)'", "b: '[t](N.md) and [u](M.md)'", "c: '`[t](N.md)`'"], []),
        (["a: '[t]()'", "b: '[t](N.md'", "c: '[t](data:x)'"], []),
    ],
)  # fmt: skip
def test_rule_P05_values_of_properties_hold_links(lines: list[str], found: list[tuple[int, str, str, str]]) -> None:
    note = Note("n.md", "\n".join(["---", *lines, "---", "[[Body]]"]))
    *in_properties, in_body = note.references
    assert [(link.line, link.written, link.target, link.in_property) for link in in_properties] == found
    assert (in_body.line, in_body.target, in_body.in_property) == (len(lines) + 3, "Body", None)
    assert Note(note.path, note.text, PackedNote(dump(note))).references == note.references


@pytest.mark.parametrize(
    "value", ["[" * 30_000 + "](b)", "[a](" * 15_000 + ")", "[a](b)" * 10_000, "![" * 30_000 + "](b)"]
)
def test_time_is_linear_in_a_value(value: str) -> None:
    assert len(value) < 64 * 1024
    start = time.process_time()
    assert len(Note("n.md", f"---\na: '{value}'\n---\n").references) <= 1
    assert time.process_time() - start < 5

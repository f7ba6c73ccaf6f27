"""The lines of bytes are those of the text that they are, whichever of them is asked for."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from vaulttools.files.digest import digest, has_digest
from vaulttools.files.document import Document, decode
from vaulttools.files.raw_lines import RawLines

PIECES = [b"a", b"b ", b"\n", b"\n", b"\r\n", b"\r", b"\0", b"\xff", b"\xe2\x80", b"\xed\xa0\x80", b"\xf0\x9f", b"\x85"]
DATA = st.lists(st.sampled_from([*PIECES, *map(str.encode, "é語\u2028\ufeff\ufffd")]), max_size=14).map(b"".join)
PLACES = st.none() | st.integers(-9, 9)


@settings(max_examples=300, deadline=None)
@given(DATA, PLACES, PLACES)
@example(b"\xc3\r\n\r", None, None)
@example(b"", None, None)
def test_lines_are_those_of_the_decoded_text(data: bytes, start: int | None, end: int | None) -> None:
    lines, text = RawLines(data), Document("a.md", data.decode("utf-8", "replace"))
    assert [*lines] == text.lines
    assert [lines[place] for place in range(len(lines))] == text.lines
    assert lines[start:end] == text.lines[start:end]
    assert [lines.raw(place).decode("utf-8", "replace") for place in range(len(lines))] == text.lines


@settings(max_examples=300, deadline=None)
@given(DATA, st.lists(st.integers(0, 9), min_size=1, unique=True), PLACES, PLACES)
def test_lines_around_marks_are_those_of_the_text(
    data: bytes, marked: list[int], start: int | None, end: int | None
) -> None:
    text = Document("a.md", data.decode("utf-8", "replace")).lines
    split = data.split(b"\n")
    numbers = sorted(place + 1 for place in marked if place < len(text)) or [1]
    lines, learned = RawLines(data), RawLines(data)
    lines.mark(numbers, [sum(len(line) + 1 for line in split[: number - 1]) for number in numbers])
    learned.learn(split)
    assert (lines[start:end], len(lines)) == (text[start:end], len(text))
    assert (learned[start:end], len(learned)) == (text[start:end], len(text))
    assert [lines[place : place + 1] for place in range(len(lines))] == [[line] for line in text]
    assert ([*lines], lines[::-1], lines[-1:]) == (text, text[::-1], text[-1:])


@settings(max_examples=300, deadline=None)
@given(DATA)
def test_bytes_make_the_document_that_their_text_makes(data: bytes) -> None:
    found = decode("a.md", data)
    text = Document("a.md", found.text)
    assert ([*found.lines], found.normalised, found.is_binary) == (text.lines, text.normalised, text.is_binary)
    assert found.searchable.decode("utf-8", "replace") == text.normalised
    assert has_digest(found, digest(text.text))
    assert not has_digest(found, digest(f"{text.text}."))


@given(DATA, st.lists(st.integers(1, 6), unique=True).map(sorted), st.sampled_from([b"", b"a", b"\r"]))
def test_written_lines_are_compared_byte_for_byte(data: bytes, numbers: list[int], more: bytes) -> None:
    lines = RawLines(data)
    written = [lines.raw(number - 1) for number in numbers if number <= len(lines)]
    assert lines.are(numbers, written) is (len(written) == len(numbers))
    changed = [line + more for line in written]
    assert lines.are(numbers[: len(written)], changed) is (changed == written)

"""Plain text is found in bytes as ripgrep finds it in files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vaulttools.core.work import Work
from vaulttools.files import document as documents
from vaulttools.matching import literal, ripgrep
from vaulttools.matching.hits import Hit
from vaulttools.matching.literal import LiteralPattern
from vaulttools.patterns.pattern import Mode

RG = ripgrep.locate()


def _literal(pattern: str, mode: Mode = "regex", *, ignore_case: bool = False) -> LiteralPattern | None:
    return literal.of(RG.compile(pattern, mode, ignore_case=ignore_case))


@pytest.mark.parametrize(
    ("pattern", "texts", "ignore_case"),
    [
        ("word", ["word"], False),
        ("two words", ["two words"], False),
        ("größe — 日本", ["größe — 日本"], False),
        ("\ufeff\u2028\x85", ["\ufeff\u2028\x85"], False),
        (r"\[\[Note\]\]", ["[[Note]]"], False),
        (r"a\.b\x41\u{e9}\t", ["a.bAé\t"], False),
        ("interface{}", ["interface{}"], False),
        ("TODO|FIXME|TODO", ["TODO", "FIXME"], False),
        ("(?i)ToDo|K", ["todo", "k"], True),
    ],
)
def test_some_regexes_are_plain_text(pattern: str, texts: list[str], ignore_case: bool) -> None:
    assert _literal(pattern) == LiteralPattern(tuple(text.encode() for text in texts), ignore_case)


def test_fixed_text_is_taken_as_it_is() -> None:
    assert _literal("a|b.*(", "fixed") == LiteralPattern((b"a|b.*(",), False)
    assert _literal("A|S", "fixed", ignore_case=True) == LiteralPattern((b"a|s",), True)


OTHERS = [
    *("a.b", "a+", "^a", "a$", r"\ba", "[ab]", "(a)", "(?x)a b", "(?-u)a", "(?i:a)b", "a(?i)b", "a|", "|a", r"\d"),
    *("a\nb", "a\rb", r"a\nb", r"\r", "(?=a)b", r"(a)\1", r"\pL", r"\v", "a{2}", "(?i)é", "(?i)ſ", "(?i)\u212a"),
    "|".join("abcdefghi"),
]


@pytest.mark.parametrize(
    ("pattern", "mode"), [*((text, "regex") for text in OTHERS), ("word", "word"), ("word", "identifier")]
)
def test_other_regexes_and_whole_words_are_left_to_ripgrep(pattern: str, mode: Mode) -> None:
    assert _literal(pattern, mode) is None


def test_hits_have_the_line_the_column_in_characters_and_the_text() -> None:
    found = _literal("sun|moon", ignore_case=True)
    assert found is not None
    data = "\ufeffé \u212a Moon sun\r\n\nſun\r\r\nMOON\r".encode()
    assert found.count(data) == 3
    assert [*found.hits(data)] == [Hit(1, 4, "é \u212a Moon sun"), Hit(3, 0, "ſun\r"), Hit(4, 0, "MOON\r")]
    assert [*found.hits(data, 1)] == [Hit(1, 4, "é \u212a Moon sun")]


PIECES = [
    *map(str.encode, [*"kKsSaA |.\n\n\r\t", "ks", "aks", "\r\n", "\n\n"]),
    *("\u212a".encode(), "ſ".encode(), "é".encode(), "É".encode(), "ß".encode(), "日".encode(), "\u2028".encode()),
    *(b"\0", b"\xff", b"\xc5", b"\xbf", b"\xe2\x84", b"\xaa", b"\xe2", b"\xed\xa0\x80", b"\xf0\x9f", b"\xef\xbf\xbd"),
    *(b"\xef\xbb\xbf", b"\xef\xbb", b"\xfe", b"\x80", b"x" * 300),
]
TEXTS = st.lists(
    st.sampled_from(["k", "K", "s", "S", "a", "A", "ks", "é", "日", "\ufffd", "\ufeff", " ", "x", "ß", "\u2028", "\t"]),
    min_size=1,
    max_size=4,
).map("".join)
BYTES = st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join)


@given(
    texts=st.lists(TEXTS, min_size=1, max_size=3),
    ignore_case=st.booleans(),
    limit=st.sampled_from([None, 1, 2]),
    contents=st.lists(st.tuples(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]), BYTES).map(b"".join), max_size=12),
)
def test_lines_are_those_of_ripgrep(
    tmp_path: Path, texts: list[str], ignore_case: bool, limit: int | None, contents: list[bytes]
) -> None:
    assume(any(text.strip() for text in texts))
    pattern = RG.compile("|".join(texts), "regex", ignore_case=ignore_case)
    found = literal.of(pattern)
    assume(found is not None)
    assert found is not None
    shutil.rmtree(tmp_path)
    tmp_path.mkdir()
    files = {f"{number}.md": data for number, data in enumerate(contents) if literal.is_utf8(data)}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    counts = RG.counts(RG.start_count(pattern, str(tmp_path), list(files)), Work())
    hits = RG.hits(pattern, str(tmp_path), list(files), Work(), limit)
    assert {name: number for name, data in files.items() if (number := found.count(data))} == counts.matching
    read = {name: documents.decode(name, data) for name, data in files.items()}
    here = {name: lines for name, data in files.items() if (lines := found.hits(data, limit))}
    assert {name: [*lines] for name, lines in here.items()} == {
        name: [*(lines.of(read[name]) or ())] for name, lines in hits.lines.items()
    }
    for name, lines in here.items():
        of_bytes, of_text = lines.of(read[name]), lines.of(documents.Document(name, read[name].text))
        assert of_bytes == of_text == lines
        assert [lines.column(hit.line) for hit in lines] == [hit.column for hit in lines]
        assert [*lines.only((3).__lt__)] == [hit for hit in lines if hit.line > 3]
        assert [*read[name].lines] == documents.Document(name, read[name].text).lines

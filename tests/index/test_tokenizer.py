"""Tokens nominate all files that hold what is required, and few others."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.index.indexes import Indexed
from vaulttools.files import document
from vaulttools.files.disk import Key
from vaulttools.index import tokenizer, workers
from vaulttools.index.content import Content
from vaulttools.index.store import IndexStore
from vaulttools.patterns.requirements import LONGEST, AllOf, AnyOf, Requirement, fold

EXAMPLES = int(os.environ.get("VAULTTOOLS_EXAMPLES", "40"))

PIECES = [
    *(
        "work",
        "works",
        "WORKING",
        "rework",
        "foo_bar",
        "x1",
        "Straße",
        "ſtop",
        "İstanbul",
        "Σίσυφος",
        "naïve",
        "e\u0301t",
    ),
    *(
        "日本語work",
        "ノート",
        "ภาษาไทย",
        "한국어",
        "привет",
        "שלום",
        "a" * 39,
        "b" * 41 + "work",
        "\ue000",
        "𝕨ork",
        "๏",
    ),
    *(" ", " ", " ", ".", "-", "\n", "'", "/", "\u00a0", "\u2019", '"'),
]
texts = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)


@st.composite
def _literal(draw: st.DrawFn, held: Sequence[str]) -> str:
    """A piece of some text, folded: what a pattern may require."""
    folded = fold(draw(st.sampled_from([*held, *PIECES])))
    start = draw(st.integers(0, max(0, len(folded) - 1)))
    return folded[start : start + draw(st.integers(1, 12))] or "a"


def _content(path: str, text: str) -> Content:
    return Content(path, Key(1, 2, 3, 4), 5, "text", digest=text.encode(), tokens=tokenizer.tokens(fold(text)))


def _holds(text: str, requirement: Requirement) -> bool:
    match requirement:
        case AllOf(parts):
            return all(_holds(text, part) for part in parts)
        case AnyOf(parts):
            return any(_holds(text, part) for part in parts)
        case _:
            return requirement in fold(text)


@given(data=st.data(), held=st.lists(texts, min_size=1, max_size=6), later=st.lists(texts, max_size=6))
@settings(max_examples=EXAMPLES, deadline=None)
def test_all_files_that_hold_what_is_required_are_nominated(
    data: st.DataObject, held: list[str], later: list[str]
) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenizer, "MOST", data.draw(st.sampled_from([0, 1, 256])))
        patch.setattr("vaulttools.index.writer._GATHERED", data.draw(st.sampled_from([0, 20, 1_000])))
        patch.setattr(tokenizer, "_WORDS_PER_ROW", data.draw(st.sampled_from([0, 1, 12])))
        patch.setattr(workers, "_MOST_WORDS", data.draw(st.sampled_from([0, 10, 1_000])))
        sent: set[bytes] = set()
        index = IndexStore.open(Path(folder, "index.sqlite"))
        try:
            for changed in (held, later):  # some rows are written again
                with index.writing() as writer:
                    writer.begin()
                    for number, text in enumerate(changed):
                        content = _content(f"{number}.md", text)
                        writer.put(content if data.draw(st.booleans()) else workers.unsent(sent, content))
                    writer.commit()
            now = {**dict(enumerate(held)), **dict(enumerate(later))}
            literals = st.lists(_literal([*held, *later]), min_size=1, max_size=3)
            parts = data.draw(literals)
            is_all = data.draw(st.booleans())
            joined: Requirement = AllOf(tuple(parts)) if is_all else AnyOf(tuple(parts))
            requirement = parts[0] if len(parts) == 1 else joined
            ids = index.narrowed(requirement)
            nominated = {row.path for row in index.rows() if ids is None or row.id in ids}
            assert nominated >= {f"{number}.md" for number, text in now.items() if _holds(text, requirement)}
        finally:
            index.close()


def test_the_words_of_a_file_that_is_not_written_are_known(tmp_path: Path) -> None:
    index = IndexStore.open(tmp_path / "index.sqlite")
    sent: set[bytes] = set()
    lost, later = _content("a.md", "kelvin"), _content("b.md", "kelvin")
    with index.writing() as writer:
        writer.begin()
        writer.put(_content("a.md", "text"))
        assert not writer.put(replace(workers.unsent(sent, lost), state="unread"))
        writer.put(workers.unsent(sent, later))
        writer.commit()
    ids = index.narrowed("elvi")
    assert [row.path for row in index.rows() if ids is None or row.id in ids] == ["b.md"]
    index.close()


@pytest.fixture(name="written")
def written_fixture(tmp_path: Path) -> Iterator[IndexStore]:
    """The index of some short files."""
    held = {
        "a.md": "Working hours",
        "b.md": "wor ork rki kin",
        "c.md": "rework, then-rest",
        "d.md": "x" * 41 + "work",
        "e.md": "- [ ] 日本語で書く [[Home](x)]",
        "f.md": "- [x] 日本人 [Home] → x",
    }
    index = IndexStore.open(tmp_path / "index.sqlite")
    _write(index, held)
    yield index
    index.close()


def _write(index: IndexStore, held: Mapping[str, str]) -> None:
    with index.writing() as writer:
        writer.begin()
        for path, text in held.items():
            writer.put(_content(path, text))
        writer.commit()


def _nominated(index: IndexStore, requirement: Requirement) -> str | None:
    ids = index.narrowed(requirement)
    return None if ids is None else "".join(sorted(path[:-3] for path in index.paths(ids)))


@pytest.mark.parametrize(
    ("requirement", "paths"),
    [
        ("work", "acd"),
        ("king", "a"),
        ("rkin", "a"),
        ("wor ork", "b"),
        ("ork rki k", "b"),
        ("rework,", "c"),
        ("work,", "cd"),
        ("then-re", "c"),
        ("then-res t", ""),
        ("hen-rest", "c"),
        ("n-rest", "c"),
        ("x" * 41, "d"),
        ("y" * 41, ""),
        ("- [ ]", "e"),
        ("- [", "ef"),
        ("](", "e"),
        ("[[home]", "e"),
        ("[home](", "e"),
        ("[home]", "ef"),
        ("](x", "e"),
        ("](y", ""),
        ("n-r", "c"),
        ("k-r", ""),
        ("日本", "ef"),
        ("日本語", "e"),
        ("語で書く", "e"),
        ("日本x", ""),
        ("→", "f"),
        ("-", None),
        ("", None),
        ("king\0hours", "a"),
        ("\0", None),
        (AllOf(("work", "hours")), "a"),
        (AllOf(("work", "-")), "acd"),
        (AnyOf(("king", "- [x]")), "af"),
        (AnyOf(("king", "-")), None),
        (AllOf((AnyOf(("king", "-")), "[[")), "e"),
    ],
)
def test_a_requirement_nominates_the_files_whose_tokens_fit(
    written: IndexStore, requirement: Requirement, paths: str | None
) -> None:
    assert _nominated(written, requirement) == paths


def test_words_that_come_later_are_seen_and_too_many_narrow_nothing(
    written: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokenizer, "MOST", 3)
    for number, word in enumerate(["hardworking", "homely", "workshop"]):
        assert _nominated(written, "work") == ("acd", "acdg", "acdg")[number]
        _write(written, {f"{'ghi'[number]}.md": word})
    assert _nominated(written, "work") is None, "four words are too many"
    assert _nominated(written, "working ") == "ag", "two words have this end"


@pytest.mark.parametrize(
    ("requirement", "query"),
    [
        ("abcd", 2),
        ("abc", None),
        ("ébcde", 2),
        ("abcdéefgh", 4),
        ("a\tbcdef", 3),
        (AllOf(("abc", "wxyz")), 2),
        (AnyOf(("abc", "wxyz")), None),
    ],
)
def test_only_printable_runs_are_looked_for_in_a_binary_file(requirement: Requirement, query: int | None) -> None:
    found = tokenizer.binary_query(requirement)
    assert (found and found.count(" AND ") + 1) == query


def test_a_few_triples_of_a_long_run_are_looked_for() -> None:
    found = tokenizer.binary_query("".join(chr(ord("a") + number % 26) for number in range(LONGEST)))
    assert found is not None
    assert found.count(" AND ") <= tokenizer.TRIPLES


CHARACTERS = st.sampled_from(
    [*'abAB \t"*-\0\r\n', *"éÉßſKİıΣσςǆ日本", "\U0001f642", "\ufffd", "\ufffe", "\uffff", "\x7f", "\xa0", "\x01"]
)
FILES = st.lists(
    st.one_of(
        st.text(CHARACTERS, max_size=40).map(str.encode),
        st.text(CHARACTERS, max_size=20).map(lambda text: text.encode("utf-16")),
        st.binary(max_size=30),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), files=FILES)
def test_a_file_in_any_encoding_that_meets_a_requirement_is_nominated(data: st.DataObject, files: list[bytes]) -> None:
    with TemporaryDirectory() as place:
        indexed = Indexed(Path(place))
        indexed.write({f"{number}.txt": text for number, text in enumerate(files)})
        index = indexed.open()
        try:
            indexed.update(index)
            for row in index.rows():
                text = fold(document.decode(row.path, (indexed.vault / row.path).read_bytes()).text)
                lines = [line for line in text.replace("\r", "\n").split("\n") if line]
                if row.state == "unread" or not lines:
                    continue
                literals = tuple(data.draw(_literal(lines)) for _ in range(3))
                literals = tuple(literal for literal in literals if literal in text) or (lines[0][:LONGEST],)
                others = tuple(data.draw(st.lists(st.text(CHARACTERS, min_size=1, max_size=5).map(fold), max_size=2)))
                for requirement in (literals[0], AllOf(literals), AnyOf((*others, literals[0]))):
                    if row.state == "binary":
                        query = tokenizer.binary_query(requirement)
                        ids = None if query is None else index.ids(query)
                    else:
                        ids = index.narrowed(requirement)
                    assert ids is None or row.id in ids, (text, requirement)
        finally:
            index.close()


@pytest.mark.parametrize(
    ("folded", "words", "triples"),
    [
        ("one two, one_3", {"one", "two", "one_3"}, 2),
        ("日本語one ノート", {"one"}, 7),
        ("naïve e\u0301t", {"naïve", "e\u0301t"}, 0),
        ("a" * 40 + " " + "b" * 41, {"a" * 40, tokenizer.LONG}, 3),
        ("...", set(), 3),
        ("", set(), 0),
        ("\u1680 a\u2028b", {"\u1680", "a", "b"}, 1),
    ],
)
def test_tokens_are_words_and_three_other_characters_in_a_row(folded: str, words: set[str], triples: int) -> None:
    found = tokenizer.tokens(folded)
    tokens = [token for token in found.text.split(" ") if token]
    assert {word.decode() for word in found.words} | {*tokens} & {tokenizer.LONG} == words
    assert {word.decode() for word in found.words} <= {*tokens}
    assert len(tokens) == len(words) + triples

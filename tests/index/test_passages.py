"""The index keeps the passages of a note as the note has them, and finds them by the places of words."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vaulttools import Vault, VaultConfig
from vaulttools.index import passages
from vaulttools.index.content import words_of
from vaulttools.index.words import count, tokens
from vaulttools.notes.note import Note
from vaulttools.notes.passages import digest, in_context, split

_LINES = """
|# Head of it|### Sub-head|- item é|  - child_of|> quote's|```|text of it. And more|---|[x]: y
"""
LINES = st.lists(
    st.sampled_from(
        [
            *_LINES.strip("\n").split("|"),
            "| a | b |",
            "|---|---|",
            "| 1 | 2 |",
            "word " * 200,
            "語。" * 400,
            "a\u0301 b",
            *("%%", "%% aside %% said", "said <!-- aside --> said", "<!--", "-->", "<% x %> said <%", "%>"),
            *("{{date}}", "- {{title}}", "# `=this.name`", "`= this.a` said", "```dataview", "```base", "==⚠ x"),
            *("[![build](https://img.shields.io/a.svg)](b)", "## Text Elements", "said ^abcdefgh", "## Drawing"),
        ]
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(lines=LINES, properties=st.sampled_from(["", "---\na: b\n---\n", "---\nexcalidraw-plugin: parsed\n---\n"]))
def test_the_place_of_a_word_leads_to_its_passage(lines: list[str], properties: str) -> None:
    note = Note("a.md", properties + "\n".join(lines))
    found = passages.of(note)
    plain = split(note)
    assert list(zip(found.starts, found.lengths, strict=True)) == [
        (each.start, each.end - each.start) for each in plain
    ]
    assert list(found.headings) == [each.heading for each in plain]
    assert list(found.parents) == [each.parent for each in plain]
    texts = [note.said.text[each.start : each.end] for each in plain]
    of_note = passages.digest_of_properties(note)
    short = passages.FEWEST_WORDS_OF_A_COPY
    assert list(found.digests) == [
        digest(text) ^ of_note if count(text) >= short else passages.NO_COPIES for text in texts
    ]
    assert [bool(each) for each in found.digits] == [any(map(str.isdecimal, text)) for text in texts]
    in_contexts = [
        in_context(note, text, each.heading, is_first=not number)
        for number, (each, text) in enumerate(zip(plain, texts, strict=True))
    ]
    assert list(found.keys) == [digest(text) for text in in_contexts]
    data = passages.dump(note)
    keys, language = passages.keys_of(data)
    assert (list(keys), language) == (list(found.keys), found.language)
    kept = dict.fromkeys([*found.digests, *found.keys])
    kept.pop(passages.NO_COPIES, None)
    assert list(passages.digests(data)) == list(kept)
    places = [found.at(place) for place in range(len(tokens(words_of(note).body)))]
    held = [places.count(number) for number in range(len(plain))]
    assert held == [len(tokens(text)) for text in texts] == [count(text) for text in texts]
    assert places == sorted(places) or -1 in places


def test_the_words_of_headings_are_counted_as_the_index_counts_them() -> None:
    assert list(passages.of(Note("a.md", "# Two words\n## And three more\n# End\n")).heading_words) == [0, 2, 5]


_FIVE = "One two three four five."


@pytest.mark.parametrize(
    ("one", "other", "is_same_text", "is_same_key"),
    [
        (("a.md", _FIVE), ("folder/a.md", f"{_FIVE.lower()}\n"), True, True),
        (("a.md", _FIVE), ("b.md", _FIVE), True, False),
        (("a.md", _FIVE), ("a.md", f"{_FIVE} Six."), False, False),
        (("a.md", f"---\nx: 1\n---\n{_FIVE}"), ("a.md", f"---\nx: 2\n---\n{_FIVE}"), False, False),
        (("a.md", f"---\nx:\n---\n{_FIVE}"), ("a.md", _FIVE), False, True),
        (("a.md", f"{_FIVE} %%aside%%"), ("a.md", _FIVE), True, True),
    ],
)
def test_a_key_identifies_a_passage_in_its_context(
    one: tuple[str, str], other: tuple[str, str], is_same_text: bool, is_same_key: bool
) -> None:
    of_one, of_other = passages.of(Note(*one)), passages.of(Note(*other))
    assert (list(of_one.digests) == list(of_other.digests)) == is_same_text
    assert (list(of_one.keys) == list(of_other.keys)) == is_same_key


def test_windows_line_ends_change_nothing() -> None:
    text = "# A\n\nOne two.\n\nThree\nfour.\n"
    assert passages.dump(Note("a.md", text)) == passages.dump(Note("a.md", text.replace("\n", "\r\n")))


@pytest.mark.parametrize(
    "data", [b"", b"no zlib", passages.dump(Note("a.md", "text"))[:-8], passages.dump(Note("a.md", "text"))[:-16]]
)
def test_bytes_that_are_no_passages_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no passages"):
        passages.load(data)


TEXTS = st.lists(st.sampled_from(["one two\n\n", "# Two\n\nthree\n", "| one |\n| - |\n| two |\n", "\n"]), max_size=4)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(st.tuples(st.integers(0, 3), TEXTS.map("".join)) | st.booleans(), max_size=12))
def test_loaded_passages_follow_edits_and_renames(steps: list[tuple[int, str] | bool]) -> None:
    notes = [f"{number}.md" for number in range(4)]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as index:
        for name in notes:
            Path(folder, name).write_text("# One\n\ntwo three\n\none two\n", encoding="utf-8")
        with Vault.open(folder, config=VaultConfig(index_folder=index)) as vault:
            for step in [True, *steps]:
                if isinstance(step, tuple):
                    Path(folder, notes[step[0]]).write_text(step[1], encoding="utf-8")
                elif step:
                    vault.build_index()
                else:
                    os.replace(Path(folder, notes[0]), Path(folder, notes[1]))
                    Path(folder, notes[0]).write_text("one\n", encoding="utf-8")
                view = vault._opened.indexes.own.view(time.monotonic())
                assert view is not None
                held = {path: passages.load(data) for path, data in view.passages(notes).items()}
                assert [view.loaded_passages(notes) for _ in range(2)] == [held] * 2

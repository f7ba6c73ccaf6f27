"""Files nominated by their words are all that hold what is required, and few others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.files.disk import Key
from vaulttools.index import store, vocabulary
from vaulttools.index.content import Content
from vaulttools.index.store import IndexStore
from vaulttools.patterns.literals import AllOf, AnyOf, Requirement, fold

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
    folded = fold(text)
    return Content(
        path, Key(1, 2, 3, 4), 5, "text", digest=text.encode(), trigrams=f"{folded}\n\n", terms=vocabulary.words(folded)
    )


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
        patch.setattr(store, "_FEW", 0)
        patch.setattr(vocabulary, "MOST", data.draw(st.sampled_from([0, 1, 256])))
        patch.setattr("vaulttools.index.writer._GATHERED", data.draw(st.sampled_from([0, 20, 1_000])))
        patch.setattr(vocabulary, "_ASKED_SINGLY", data.draw(st.sampled_from([0, 2, 20])))
        index = IndexStore.open(Path(folder, "index.sqlite"))
        try:
            for changed in (held, later):  # some rows are written again
                with index.writing() as writer:
                    writer.begin()
                    for number, text in enumerate(changed):
                        writer.put(_content(f"{number}.md", text))
                    writer.commit()
            now = {**dict(enumerate(held)), **dict(enumerate(later))}
            literals = st.lists(_literal([*held, *later]), min_size=1, max_size=3)
            parts = data.draw(literals)
            is_all = data.draw(st.booleans())
            joined: Requirement = AllOf(tuple(parts)) if is_all else AnyOf(tuple(parts))
            requirement = parts[0] if len(parts) == 1 else joined
            match = vocabulary.query(requirement)
            if match is None:
                return
            ids = index.narrowed(match, requirement, 1_000)
            assert ids is not None
            nominated = {row.path for row in index.rows() if row.id in ids}
            assert nominated >= {f"{number}.md" for number, text in now.items() if _holds(text, requirement)}
        finally:
            index.close()


def test_a_word_nominates_only_the_files_with_a_word_that_holds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_FEW", 0)
    index = IndexStore.open(tmp_path / "index.sqlite")
    held = {
        "a.md": "Working hours",
        "b.md": "wor ork rki kin",
        "c.md": "rework",
        "d.md": "wor-k orking ork " + "z" * 41,
    }
    with index.writing() as writer:
        writer.begin()
        for path, text in held.items():
            writer.put(_content(path, text))
        writer.commit()

    def nominated(literal: str) -> list[str]:
        match = vocabulary.query(literal)
        assert match is not None
        ids = index.narrowed(match, literal, 1_000)
        assert ids is not None
        return sorted(row.path for row in index.rows() if row.id in ids)

    assert nominated("work") == ["a.md", "c.md", "d.md"], "in a file with a longer run the trigrams decide"
    assert nominated("king") == ["a.md", "d.md"]
    assert nominated("rkin") == ["a.md", "d.md"], "not in b.md, which has both of its trigrams"
    assert nominated("wor ork") == ["b.md"], "a literal of two words is left to the trigrams"
    with index.writing() as writer:
        writer.begin()
        writer.put(_content("e.md", "hardworking"))
        writer.commit()
    assert nominated("work") == ["a.md", "c.md", "d.md", "e.md"], "a word that was not known before"
    index.close()


def test_words_that_are_too_many_or_come_later_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "MOST", 3)
    index = IndexStore.open(tmp_path / "index.sqlite")

    def nominated(literal: str) -> list[str]:
        match = vocabulary.query(literal)
        assert match is not None
        return index.paths(index.narrowed(match, literal, 1_000) or ())

    with index.writing() as writer:
        for number, word in enumerate(["homes", "chrome", "homely", "rome", "homer"]):
            assert sorted(nominated("home")) == [f"{before}.md" for before in range(number) if before not in (1, 3)]
            writer.begin()
            writer.put(_content(f"{number}.md", word))
            writer.commit()
    assert sorted(nominated("home")) == ["0.md", "2.md", "4.md"]
    with index.writing() as writer:
        writer.begin()
        writer.put(_content("5.md", "foundhome"))
        writer.commit()
    assert sorted(nominated("home")) == ["0.md", "2.md", "4.md", "5.md"], "four words are left to the trigrams"
    index.close()


@pytest.mark.parametrize(
    ("folded", "words"),
    [
        ("one two, one_3", {"one", "two", "one_3"}),
        ("日本語one ノート", {"one"}),
        ("naïve e\u0301t", {"naïve", "e\u0301t"}),
        ("a" * 40 + " " + "b" * 41, {"a" * 40, vocabulary.LONG}),
        ("...", set()),
    ],
)
def test_words_are_runs_of_word_characters(folded: str, words: set[str]) -> None:
    assert set(filter(None, vocabulary.words(folded).split(" "))) == words

"""The prefilter by ripgrep never rules out a text that answers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.core.folding.identity import identity
from vaulttools.core.work import Work
from vaulttools.matching import ripgrep
from vaulttools.query import prefilter, wording
from vaulttools.query.language import parse
from vaulttools.query.tree import Term


def test_every_character_that_lower_case_makes_longer_is_known() -> None:
    assert [chr(code) for code in range(sys.maxunicode + 1) if len(chr(code).lower()) > 1] == [prefilter.LONGER]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("one seven", ["seven"]),
        ("one OR seven", ["one", "seven"]),
        ("one (two OR three)", ["one"]),
        ('block:(one "two three") -four', ["two three"]),
        ("-one", []),
        ("one OR -two", []),
        ("file:one", []),
        ("tag:one match-case:Two", ["Two"]),
        ('/re/ ""', []),
    ],
)
def test_a_query_gives_words_and_every_answer_has_one(query: str, words: list[str]) -> None:
    assert [word.text for word in prefilter.words(parse(query))] == words


def holds(word: Term, text: str) -> bool:
    return any(True for _ in wording.places(word, identity(text), sensitive=False))


def matches(expression: str, text: str) -> bool:
    """Whether ripgrep keeps the text."""
    command = ripgrep.locate()
    hits, stopped = command.hits_in_text(command.compile(expression, "regex", ignore_case=True), text.encode(), Work())
    return stopped is None and bool(hits)


letters = st.text(st.sampled_from("aAsSßſkKKiIİıﬁfﬀΣσςάΆ\u0345ŉn éÉe\u0301ﬆt.*[|\\"), min_size=1, max_size=6)


@settings(max_examples=150, deadline=None)
@given(text=letters, start=st.integers(0, 5), end=st.integers(1, 8), as_is=st.booleans())
def test_no_text_that_holds_the_word_is_ruled_out(text: str, start: int, end: int, as_is: bool) -> None:
    word = Term(identity(text)[start:end] if not as_is else text[start:end])
    expression = prefilter.pattern(word)
    if not word.text or expression is None or not holds(word, text):
        return
    assert matches(expression, text)


@pytest.mark.parametrize(
    ("word", "text"),
    [("STRAẞE", "straße"), ("İzmir", "i̇zmir"), ("öl", "O\u0308l"), ("o\u0308l", "ÖL"), ("ΟΔΌΣ", "οδός")],
)
def test_a_word_and_a_text_may_be_the_same_from_either_side(word: str, text: str) -> None:
    assert holds(Term(word), text)
    expression = prefilter.pattern(Term(word))
    assert expression is not None
    assert matches(expression, text)


def test_files_are_the_same_with_the_prefilter_and_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vaulttools import Vault

    for number in range(120):
        text = ["straße", "STRASSE", "strase", "ﬁsh", "fish", "two words"][number % 6]
        (tmp_path / f"{number:03} {'fish' if number == 5 else ''}.md").write_text(text, encoding="utf-8")
    queries = ["strasse", "straße", "fish", "strasse OR fish", '"two words" -strasse', "line:(two words)"]
    queries += ["match-case:fish"]
    with Vault.open(tmp_path) as vault:
        found = [vault.query(query, mode="obsidian", limit=200).notes for query in queries]
        monkeypatch.setattr(prefilter, "MANY", 1_000)
        assert found == [vault.query(query, mode="obsidian", limit=200).notes for query in queries]
    assert [len(notes) for notes in found] == [20, 20, 21, 41, 20, 20, 21]

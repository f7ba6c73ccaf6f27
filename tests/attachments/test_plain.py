"""Extracted characters become plain text."""

from __future__ import annotations

from vaulttools.attachments.plain import HYPHEN, joined, plain


def test_ligatures_become_letters_and_invisible_characters_go() -> None:
    assert plain("e\ufb03cient\u00ad o\ufb00er\x00\x02 \r\nnext\u00a0line  \r") == "efficient offer\nnext line\n"


def test_a_word_that_a_line_end_divides_is_joined() -> None:
    assert joined([f"the func{HYPHEN}tion"]) == ["the function"]


def test_a_word_that_is_written_with_a_hyphen_elsewhere_keeps_it() -> None:
    assert joined([f"run update{HYPHEN}alternatives", "or update-alternatives"]) == [
        "run update-alternatives",
        "or update-alternatives",
    ]


def test_a_hyphen_that_divides_no_word_stays() -> None:
    assert joined([f"a {HYPHEN} b"]) == ["a - b"]

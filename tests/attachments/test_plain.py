"""What is made of extracted characters."""

from __future__ import annotations

from vaulttools.attachments.plain import HYPHEN, joined, plain


def test_ligatures_are_letters_and_what_is_not_seen_is_gone() -> None:
    assert plain("e\ufb03cient\u00ad o\ufb00er\x00\x02 \r\nnext\u00a0line  \r") == "efficient offer\nnext line\n"


def test_a_word_that_a_line_end_divides_is_whole() -> None:
    assert joined([f"the func{HYPHEN}tion"]) == ["the function"]


def test_a_word_that_is_written_with_a_hyphen_elsewhere_keeps_it() -> None:
    assert joined([f"run update{HYPHEN}alternatives", "or update-alternatives"]) == [
        "run update-alternatives",
        "or update-alternatives",
    ]


def test_a_hyphen_that_divides_no_word_stays_one() -> None:
    assert joined([f"a {HYPHEN} b"]) == ["a - b"]

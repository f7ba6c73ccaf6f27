"""Errors: what they repeat of the caller's text is one visible line (`faults.md` N01 to N04, O04)."""

from __future__ import annotations

import pytest

from vaulttools import errors
from vaulttools.errors import BadArguments, VaultToolsError

HOSTILE = "a\nerror: b\r\t\x1b[2K\x85\u2028\u202e\u200b\ufeff\U000e0041\ud800é日😀\xa0"
SHOWN = r"a\nerror: b\r\t\u{1b}[2K\u{85}\u{2028}\u{202e}\u{200b}\u{feff}\u{e0041}\ud800é日😀" + "\xa0"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (errors.BadArgument(HOSTILE), SHOWN),
        (errors.PathNotFound(HOSTILE, "b"), f"Path not found: {SHOWN}, b"),
        (errors.OutsideVault(HOSTILE), f"Path is outside the vault: {SHOWN}"),
        (errors.InvalidGlob(HOSTILE, "it is empty"), f"Invalid glob pattern: {SHOWN}: it is empty"),
        (errors.InvalidPattern(HOSTILE, "no", HOSTILE), f"Invalid regex: {SHOWN}: no. {SHOWN}"),
        (errors.RipgrepUnavailable(HOSTILE), SHOWN),
    ],
)
def test_a_sentence_is_one_line_without_unseen_characters(error: VaultToolsError, sentence: str) -> None:
    assert str(error) == sentence


def test_what_an_error_carries_is_as_it_was_given() -> None:
    assert errors.PathNotFound(HOSTILE).given == (HOSTILE,)
    assert errors.InvalidPattern(HOSTILE, "no").pattern == HOSTILE


def test_several_sentences_are_as_many_lines() -> None:
    refused = BadArguments("one\ntwo", HOSTILE)
    assert refused.sentences == (r"one\ntwo", SHOWN)
    assert str(refused) == f"one\\ntwo\n{SHOWN}"


def test_a_sentence_has_a_bound() -> None:
    assert len(str(errors.BadArgument("\x1b" * 8_000))) == len(str(BadArguments(*["x" * 500] * 20))) == 8_001

"""Shown lines: no invisible character acts, no line is too long, and all other text stays as it is."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.core import limits
from vaulttools.core.render import ELLIPSIS, json_line, line, visible

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # fault-C18, fault-O05: characters that a terminal or a reader would obey
        ("a\x1b[31mred", "a\\x1b[31mred"),
        ("\x07\x08\x00\x7f\x9b", "\\x07\\x08\\x00\\x7f\\x9b"),
        ("a\rb\nc", "a\\x0db\\x0ac"),
        ("\x85\u2028\u2029|", "\\x85\\u{2028}\\u{2029}|"),
        ("\u202eevil\u202c \u2066x\u2069", "\\u{202e}evil\\u{202c} \\u{2066}x\\u{2069}"),
        ("hidden\U000e0041\U000e0042", "hidden\\u{e0041}\\u{e0042}"),
        ("\U000e0001", "\\u{e0001}"),
        # a flag cut short, or tags after another emoji, are no flag
        (ENGLAND[:-1], "\U0001f3f4\\u{e0067}\\u{e0062}\\u{e0065}\\u{e006e}\\u{e0067}"),
        ("\U0001f600\U000e0067\U000e007f", "\U0001f600\\u{e0067}\\u{e007f}"),
        ("half \ud83d", "half \\u{d83d}"),
        # ordinary text
        ("plain", "plain"),
        ("a\tb", "a\tb"),
        (ENGLAND, ENGLAND),
        (FAMILY, FAMILY),
        ("نمی\u200cخواهم \u200e\u200f\u061c", "نمی\u200cخواهم \u200e\u200f\u061c"),
        ("a\u0301 日本語 \ufffd \u00a0 \ufeff", "a\u0301 日本語 \ufffd \u00a0 \ufeff"),
        ("\\x1b is what was written", "\\x1b is what was written"),
    ],
)
def test_faults_C18_and_O05_characters_that_act_are_escaped_and_text_is_not(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(max_size=60))
@settings(max_examples=200)
def test_fault_O05_no_character_that_acts_is_left(text: str) -> None:
    left = visible(text).replace("\t", "")
    assert not [character for character in left if unicodedata.category(character) in ("Cc", "Zl", "Zp")]
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", left)
    assert visible(visible(text)) == visible(text)


@given(
    st.text(max_size=60)
    | st.text(st.sampled_from(f"a{ENGLAND}{FAMILY}\u061c\u200e\u200f\u202e\u2067\x7f\x85\u2028\ud800"))
)
@settings(max_examples=200)
def test_json_of_any_text_says_the_same_and_steers_nothing(text: str) -> None:
    shown = json_line(json.dumps(text, ensure_ascii=False))
    assert json.loads(shown) == text
    rest = re.sub("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f", "", shown)
    steering = "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
    assert not re.search(steering, rest)


@pytest.mark.parametrize("text", [ENGLAND, FAMILY, "日本語"])
def test_json_keeps_flags_and_other_text_as_they_are(text: str) -> None:
    assert json_line(json.dumps(text, ensure_ascii=False)) == f'"{text}"'


@pytest.mark.parametrize(
    ("text", "first_match", "shown"),
    [
        ("a" * 512, None, "a" * 512),
        ("a" * 513, None, "a" * 512 + "…"),
        ("a" * 512 + "  \t", None, "a" * 512),
        ("a" * 600, 511, "a" * 512 + "…"),
        ("a" * 600 + "b" * 600, 600, "…" + "a" * 80 + "b" * 432 + "…"),
        ("a" * 600 + "b" * 100, 600, "…" + "a" * 80 + "b" * 100),
        ("日" * 513, None, "日" * 512 + "…"),
        ("\x1b" * 513, None, "\\x1b" * 512 + "…"),
        ("text \u3000 \t", None, "text"),
        ("", None, ""),
        ("  \t ", 0, ""),
        ("  indented", None, "  indented"),
    ],
)
def test_a_long_line_is_cut_around_its_first_match(text: str, first_match: int | None, shown: str) -> None:
    assert line(text, first_match) == shown


@given(length=st.integers(1, 3_000), at=st.integers(0, 2_999), blanks=st.integers(0, 3))
@settings(max_examples=200)
def test_the_shown_part_of_a_line_holds_the_first_match(length: int, at: int, blanks: int) -> None:
    at %= length
    shown = line("a" * at + "X" + "a" * (length - at - 1) + " " * blanks, at)
    assert "X" in shown
    assert len(shown.strip(ELLIPSIS)) <= limits.LINE_CHARACTERS
    assert shown.startswith(ELLIPSIS) == (at >= limits.LINE_CHARACTERS)
    assert (len(shown.strip(ELLIPSIS)) == length) == (ELLIPSIS not in shown)


@given(
    st.text(st.sampled_from("a🙂日\x1b\U0001f3f4\U000e0067\U000e007f \r\u202e\ud800"), max_size=2_000),
    st.integers(0, 2_000),
)
@settings(max_examples=100)
def test_any_line_is_shown_on_one_line(text: str, first_match: int) -> None:
    assert not re.search("[\n\r\u2028\u2029\x85]", line(text, first_match))

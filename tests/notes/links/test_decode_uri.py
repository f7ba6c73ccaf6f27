"""Percent signs in Markdown links, read as JavaScript's `decodeURI` reads them."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.notes.links.decode_uri import decode_uri

DECODED = [
    ("My%20note.md", "My note.md"),
    ("J%C3%B6rg%20%E6%97%A5.md", "Jörg 日.md"),
    ("%F0%9F%8C%B1", "🌱"),
    ("%5Eid%7C%5B%25", "^id|[%"),
    # Reserved signs stay as they are written, in either case.
    ("a%26b%2Cc%2c%2Fd", "a%26b%2Cc%2c%2Fd"),
    ("%3B%2F%3F%3A%40%26%3D%2B%24%2C%23", "%3B%2F%3F%3A%40%26%3D%2B%24%2C%23"),
    ("%C3%A9%2C%20%C3%A9", "é%2C é"),
    # What decodeURI refuses stays as it is written, all of it.
    ("100%", "100%"),
    ("My%20note%2.md", "My%20note%2.md"),
    ("a%20b%zz", "a%20b%zz"),
    ("a%20%FFb", "a%20%FFb"),
    ("a%20%C3x", "a%20%C3x"),
    ("%ED%A0%80", "%ED%A0%80"),
    ("%C0%AF", "%C0%AF"),
    ("%2520", "%20"),
]


@pytest.mark.parametrize(("text", "decoded"), DECODED)
def test_rule_L01_reserved_signs_and_what_is_malformed_stay_encoded(text: str, decoded: str) -> None:
    assert decode_uri(text) == decoded


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node, whose decodeURI is compared")
def test_the_table_is_what_javascript_does() -> None:
    script = (
        "const decoded = text => { try { return decodeURI(text) } catch { return text } };"
        "console.log(JSON.stringify(JSON.parse(process.argv[1]).map(decoded)))"
    )
    written = json.dumps([text for text, _ in DECODED])
    ran = subprocess.run(["node", "-e", script, written], capture_output=True, check=True, encoding="utf-8")
    assert json.loads(ran.stdout) == [decoded for _, decoded in DECODED]


@given(st.text() | st.lists(st.sampled_from(["%", "%2", "%20", "%C3%A9", "%A9", "%26", "é", "a"])).map("".join))
def test_no_text_breaks_it_and_without_percent_signs_nothing_changes(text: str) -> None:
    assert "%" in text or decode_uri(text) == text
    decode_uri(text)

"""TOML is parsed as by `tomllib`, or refused before that would take long."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.core import toml_text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a." * 100_000 + "a = 1", "a line has too many dots"),
        (f"[{'a.' * 2_000}a]\n" + "b = 1\n" * 10_000, "a line has too many dots"),
        ("a = " + "[" * 100_000, "its brackets are nested too deeply"),
        ("a = " + "{a = " * 10_000, "its brackets are nested too deeply"),
        ("\0", "Invalid"),
        ("a = 1\na = 2", "Cannot overwrite"),
        ("a = " + "9" * 100_000, "digits"),
    ],
)
def test_what_would_take_long_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as refusal:
        toml_text.parsed(text)
    assert "\n" not in str(refusal.value)


@given(st.lists(st.sampled_from(["[a]\n", "[a.b]\n", "x = 1\n", "y = '~/N.o/t.md'\n", "z.q = [1.5]\n", "# .\n", "[["])))
def test_every_other_text_is_read_as_by_tomllib(pieces: list[str]) -> None:
    text = "".join(pieces)
    try:
        expected = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(tomllib.TOMLDecodeError):
            toml_text.parsed(text)
    else:
        assert toml_text.parsed(text) == expected


def test_a_file_of_ten_thousand_vaults_is_read() -> None:
    text = "".join(f'[v{each}]\npath = "/srv/vaults/v{each}/a.b.c"\nprotected = ["P.x"]\n' for each in range(10_000))
    assert len(toml_text.parsed(text)) == 10_000

"""Numbers are printed, rounded and read as in JavaScript."""

from __future__ import annotations

import math

import pytest

from vaulttools.bases import numbers


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (50.0, "50"),
        (2.5, "2.5"),
        (-1.25e-7, "-1.25e-7"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e-6, "0.000001"),
        (5e-324, "5e-324"),
        (0.1 + 0.2, "0.30000000000000004"),
        (2**53 + 1, "9007199254740992"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (math.nan, "NaN"),
        (1e100, "1e+100"),
    ],
)
def test_a_number_prints_as_in_javascript(number: float, text: str) -> None:
    assert numbers.printed(number) == text


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12),
        (" 1.5 ", 1.5),
        ("", 0),
        ("1e3", 1000),
        (".5", 0.5),
        ("5.", 5),
        ("0x1F", 31),
        ("0b11", 3),
        ("-Infinity", -math.inf),
    ],
)
def test_a_text_is_read_as_in_javascript(text: str, number: float) -> None:
    assert numbers.read(text) == number


@pytest.mark.parametrize("text", ["x", "1_000", "12px", "nan", "inf", "１２", "--1", "1 2"])
def test_a_text_that_is_no_number_is_nan(text: str) -> None:
    assert math.isnan(numbers.read(text))


@pytest.mark.parametrize(
    ("number", "digits", "text"),
    [
        (3.14159, 2, "3.14"),
        (1.005, 2, "1.00"),
        (2.5, 0, "3"),
        (-2.5, 0, "-3"),
        (0, 2, "0.00"),
        (-0.001, 2, "-0.00"),
        (1e21, 2, "1e+21"),
        (1.45, 1, "1.4"),
    ],
)
def test_decimals_are_rounded_from_the_exact_value(number: float, digits: int, text: str) -> None:
    assert numbers.fixed(number, digits) == text

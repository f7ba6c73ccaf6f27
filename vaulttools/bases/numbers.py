"""Prints, rounds and reads numbers as JavaScript does."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

from vaulttools.notes.properties.numerals import WHOLE, Numeral

_NUMERIC: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BASED: Final = re.compile(r"0(?:[xX]([0-9a-fA-F]+)|[oO]([0-7]+)|[bB]([01]+))")
_EXACT: Final = Context(prec=400)
"""Enough digits for any float with a hundred decimals."""


def printed(number: float | int) -> str:
    """Returns the text of `String(number)`: `50`, `2.5`, `1e+21`, `NaN`, `Infinity`."""
    if isinstance(number, int):
        if abs(number) < WHOLE:
            return str(number)
        number = float(bounded(number))
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "0"
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    sign = "-" if number < 0 else ""
    _, digits, exponent = Decimal(repr(abs(number))).normalize().as_tuple()
    assert isinstance(exponent, int)  # the number is finite
    text = "".join(map(str, digits))
    place = len(text) + exponent
    """Position of the decimal point, counted from the beginning of `text`."""
    if len(text) <= place <= 21:
        return sign + text.ljust(place, "0")
    if 0 < place <= 21:
        return f"{sign}{text[:place]}.{text[place:]}"
    if -6 < place <= 0:
        return f"{sign}0.{'0' * -place}{text}"
    power = f"e{'+' if place > 0 else '-'}{abs(place - 1)}"
    return f"{sign}{text[0]}{'.' + text[1:] if len(text) > 1 else ''}{power}"


def as_written(number: float | int) -> str:
    """Returns the text of a number: as its property spells it, or as `printed`."""
    return str(number) if isinstance(number, Numeral) else printed(number)


def bounded(number: int) -> float | int:
    """Returns a whole number as JavaScript holds it: from 2**53 on a float."""
    if abs(number) < WHOLE:
        return number
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def simplest(number: float | int) -> float | int:
    """Returns the same number without its spelling, as an int if it is whole and exact."""
    if isinstance(number, float) and number.is_integer() and abs(number) < WHOLE:
        return int(number)
    return number if isinstance(number, int) else float(number)


def read(text: str) -> float:
    """Returns the value of `Number(text)`: NaN if the text is not a number, 0 if it is blank."""
    text = text.strip()
    if not text:
        return 0.0
    if based := _BASED.fullmatch(text):
        for digits, base in zip(based.groups(), (16, 8, 2), strict=True):
            if digits is not None:
                return float(int(digits[:300], base)) if len(digits) <= 300 else math.inf
    if _NUMERIC.fullmatch(text):
        return float(text)
    return {"Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}.get(text, math.nan)


def rounded(number: float, digits: int = 0) -> float | int:
    """Round to `digits` decimals, halves upward, as `Math.round` does."""
    if not math.isfinite(number):
        return number
    scale = 10.0**digits
    shifted = number * scale
    if not math.isfinite(shifted):
        return number
    return simplest(math.floor(shifted + 0.5) / scale if abs(shifted) < WHOLE else number)


def fixed(number: float, digits: int) -> str:
    """Returns a number with `digits` decimals as `toFixed` does: from its exact value, halves away from zero."""
    if not math.isfinite(number) or abs(number) >= 1e21:
        return printed(number)
    exact = Decimal(float(number) or 0.0).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP, _EXACT)
    return f"{exact:f}"

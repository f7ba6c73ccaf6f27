"""Reads the formulas of a base together, and refuses circles."""

from __future__ import annotations

from collections.abc import Mapping

from vaulttools.bases.evaluation import Compiled, Expression, Formulas, expression, formulas_used
from vaulttools.bases.faults import Unreadable
from vaulttools.errors import InvalidBase


def read(texts: Mapping[str, str]) -> Formulas:
    """The formulas, by name.

    Raises:
        InvalidBase: one cannot be read, or rests on itself.
    """
    compiled: dict[str, Compiled] = {}
    formulas = Formulas(compiled)
    names = frozenset(texts)
    used: dict[str, dict[str, int]] = {}
    for name, text in texts.items():
        try:
            made = expression(text, lambda: formulas, names=names)
        except Unreadable as error:
            raise InvalidBase(error.reason, f'formula "{name}"', text, error.position + 1) from None
        compiled[name] = made.compute
        used[name] = formulas_used(made.node)
    for name, text in texts.items():
        circle = _circle(name, used)
        if circle:
            position = next(iter(place for each, place in used[name].items() if each.lower() == circle[1].lower()))
            way = " -> ".join(circle)
            raise InvalidBase(f"The formula depends on itself ({way})", f'formula "{name}"', text, position + 1)
    return formulas


def _circle(start: str, used: Mapping[str, Mapping[str, int]]) -> list[str]:
    """The way from a formula back to it; empty: there is none."""
    spelled = {name.lower(): name for name in used}
    ways = [[start]]
    seen: set[str] = set()
    while ways:
        way = ways.pop()
        for named in used[way[-1]]:
            name = named if named in used else spelled[named.lower()]
            if name == start:
                return [*way, start]
            if name not in seen:
                seen.add(name)
                ways.append([*way, name])
    return []


def within(text: str, formulas: Formulas, place: str, *, is_summary: bool = False) -> Expression:
    """An expression that may use formulas.

    Raises:
        InvalidBase: it cannot be read; the sentence names its place.
    """
    try:
        return expression(text, lambda: formulas, names=frozenset(formulas.compiled), is_summary=is_summary)
    except Unreadable as error:
        raise InvalidBase(error.reason, place, text, error.position + 1) from None

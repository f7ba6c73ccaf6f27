"""Reads the formulas of a base together, and refuses circles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from vaulttools.bases.evaluation import Compiled, Expression, Formulas, expression, formulas_used
from vaulttools.bases.faults import InvalidExpression
from vaulttools.bases.syntax import frames
from vaulttools.errors import InvalidBase


def read(texts: Mapping[str, str]) -> Formulas:
    """The formulas, by name.

    Raises:
        InvalidBase: one cannot be read, or rests on itself.
    """
    compiled: dict[str, Compiled] = {}
    taken: dict[str, int] = {}
    formulas = Formulas(compiled, taken)
    names = frozenset(texts)
    used: dict[str, dict[str, int]] = {}
    for name, text in texts.items():
        try:
            made = expression(text, lambda: formulas, names=names)
        except InvalidExpression as error:
            raise InvalidBase(error.reason, f'formula "{name}"', text, error.position + 1) from None
        compiled[name] = made.compute
        taken[name] = frames(made.node)
        used[name] = formulas_used(made.node)
    if circle := _circle(used):
        name = circle[0]
        position = next(iter(place for each, place in used[name].items() if each.lower() == circle[1].lower()))
        way = " -> ".join(circle)
        raise InvalidBase(f"The formula depends on itself ({way})", f'formula "{name}"', texts[name], position + 1)
    return formulas


def _circle(used: Mapping[str, Mapping[str, int]]) -> list[str]:
    """The way from a formula back to it, from the first one on that is written; empty: there is none."""
    spelled = {name.lower(): name for name in used}
    places = {name: place for place, name in enumerate(used)}
    done: set[str] = set()
    for start in used:
        way: dict[str, Iterator[str]] = {} if start in done else {start: iter(used[start])}
        while way:
            last = next(reversed(way))
            named = next(way[last], None)
            if named is None:
                done.add(last)
                del way[last]
                continue
            name = named if named in used else spelled[named.lower()]
            if name in way:
                names = list(way)
                circle = names[names.index(name) :]
                first = circle.index(min(circle, key=places.__getitem__))
                return [*circle[first:], *circle[:first], circle[first]]
            if name not in done:
                way[name] = iter(used[name])
    return []


def within(text: str, formulas: Formulas, place: str, *, is_summary: bool = False) -> Expression:
    """An expression that may use formulas.

    Raises:
        InvalidBase: it cannot be read; the sentence names its place.
    """
    try:
        made = expression(text, lambda: formulas, names=frozenset(formulas.compiled), is_summary=is_summary)
    except InvalidExpression as error:
        raise InvalidBase(error.reason, place, text, error.position + 1) from None
    return _deep(made, formulas) if formulas_used(made.node) else made


def _deep(made: Expression, formulas: Formulas) -> Expression:
    """An expression that may rest on formulas one below the other, however many."""
    return replace(
        made,
        compute=formulas.computing(made.compute, frames(made.node)),
        conditions=tuple(_deep(each, formulas) for each in made.conditions),
    )

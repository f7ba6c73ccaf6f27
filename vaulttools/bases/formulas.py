"""Reads a base's formulas, and computes each after those that it uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from typing import Final

from vaulttools.bases.context import BaseRow, Frame
from vaulttools.bases.evaluation import Expression, expression, failing
from vaulttools.bases.syntax import Failed, InvalidExpression
from vaulttools.bases.values import Value
from vaulttools.errors import InvalidBase


@dataclass(frozen=True, slots=True)
class Formulas:
    """The formulas of a base, by name as written."""

    expressions: Mapping[str, Expression]
    names: frozenset[str]
    refused: Mapping[str, str] = field(default_factory=dict)
    """Why a formula cannot be read, by its name."""
    stop: Callable[[], None] = lambda: None
    """Raises `OutOfTime` when the call has no time left: a base may hold thousands of large regular expressions."""

    def compute(self, names: Iterable[str], row: BaseRow) -> None:
        """Compute formulas for a row, each once, after the formulas that they use. It does not recurse: a chain of
        formulas may be longer than Python's stack."""
        waiting = [*names]
        while waiting:
            name = waiting[-1]
            if name in row.computed:
                waiting.pop()
                continue
            row.context.tick()
            made = self.expressions[name]
            if missing := [each for each in made.formulas if each not in row.computed]:
                waiting += missing
            else:
                row.computed[name] = _value(made, row)


def _value(made: Expression, row: BaseRow) -> Value | Failed:
    """Returns the value of a formula, or the reason why it has none."""
    try:
        value = row.computed_by(made.compute)
        row.context.keep(value)
    except Failed as error:
        return error.alone()
    return value


def read(texts: Mapping[str, str], stop: Callable[[], None] = lambda: None) -> Formulas:
    """Read formulas; the argument and the result map names to formulas. One that cannot be read, or that depends on
    itself, has no value.

    Raises:
        InvalidBase: there are more than `MOST_CIRCLES` circles.
    """
    made: dict[str, Expression] = {}
    refused: dict[str, str] = {}
    names = frozenset(texts)
    for name, text in texts.items():
        stop()
        try:
            made[name] = expression(text, names)
        except InvalidExpression as error:
            refused[name] = str(_refused(error, f'formula "{name}"', text))
            made[name] = failing(text, refused[name])
    circles = 0
    while circle := _circle(made):
        stop()
        circles += 1
        failure = _of_circle(circle, texts[circle[0]], made)
        if circles > MOST_CIRCLES:
            raise failure
        refused |= dict.fromkeys(circle, str(failure))
        made |= {name: failing(texts[name], str(failure)) for name in circle}
    return Formulas(made, names, refused, stop)


MOST_CIRCLES: Final = 20
"""Upper bound of the circles among formulas: each is found by a look at all."""


def _circle(made: Mapping[str, Expression]) -> Sequence[str]:
    """Returns a circle of formulas: each uses the next one, and the last the first. It begins with the first in
    `made`; empty if there is no circle."""
    try:
        TopologicalSorter({name: each.formulas for name, each in made.items()}).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1][:0:-1]
        place = circle.index(next(filter({*circle}.__contains__, made)))
        return [*circle[place:], *circle[:place]]
    return ()


def _of_circle(circle: Sequence[str], text: str, made: Mapping[str, Expression]) -> InvalidBase:
    first, following, *_ = names = [*circle, circle[0]]
    reason = f"The formula depends on itself ({' -> '.join(names)})"
    return InvalidBase(reason, f'formula "{first}"', text, made[first].formulas[following] + 1)


def within(text: str, formulas: Formulas, place: str, *, is_summary: bool = False) -> Expression:
    """Compile an expression that first computes the formulas it uses.

    Raises:
        InvalidBase: the text cannot be read; the message names `place`.
    """
    formulas.stop()
    try:
        made = expression(text, formulas.names, is_summary=is_summary)
    except InvalidExpression as error:
        raise _refused(error, place, text) from None
    return _after(formulas, made)


def summary(text: str, formulas: Formulas, place: str) -> Expression:
    """Compile a summary of a base; one that cannot be read has no value."""
    try:
        return within(text, formulas, place, is_summary=True)
    except InvalidBase as error:
        return failing(text, str(error))


def _refused(error: InvalidExpression, place: str, text: str) -> InvalidBase:
    return InvalidBase(error.reason, place, text, error.position + 1)


def _after(formulas: Formulas, made: Expression) -> Expression:
    """Returns the expression, which now computes its formulas first."""
    if not made.formulas:
        return made

    def compute(frame: Frame) -> Value:
        formulas.compute(made.formulas, frame.row)
        return made.compute(frame)

    return replace(made, compute=compute, conditions=tuple(_after(formulas, each) for each in made.conditions))

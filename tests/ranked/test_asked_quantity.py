"""Which quantity a question asks for."""

from __future__ import annotations

import pytest

from vaulttools.notes.quantities import Quantity
from vaulttools.ranked.question import quantity_asked

NONE, NUMBER, DATE, PRICE = Quantity.NONE, Quantity.NUMBER, Quantity.DATE, Quantity.PRICE


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How do I rename a note?", NONE),
        ("What happens when I rename a note?", NONE),
        ("How many licenses do we need?", NUMBER),
        ("How big is the buffer by default?", NUMBER),
        ("Wie viele Lizenzen brauchen wir?", NUMBER),
        ("Combien de licences faut-il ?", NUMBER),
        ("¿Cuántas licencias hacen falta?", NUMBER),
        ("Hoeveel licenties zijn er nodig?", NUMBER),
        ("When was the office opened?", DATE),
        ("In what year was it opened?", DATE),
        ("Wann wurde es eröffnet?", DATE),
        ("Quand a-t-il ouvert ?", DATE),
        ("¿Cuándo se abrió?", DATE),
        ("Quando foi aberto?", DATE),
        ("Wanneer ging het open?", DATE),
        ("How much does a license cost?", PRICE),
        ("Was kostet das und wie viel zahlen Vereine?", PRICE),
        ("Combien coûte une licence ?", PRICE),
    ],
)
def test_a_question_asks_for_a_quantity(question: str, kind: Quantity) -> None:
    assert quantity_asked(question) == kind

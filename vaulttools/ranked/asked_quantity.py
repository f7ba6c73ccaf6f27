"""Tells which quantity a question asks for.

`how many` asks for a number, `when` for a date, `how much does it cost` for a price.
"""

from __future__ import annotations

import re
from typing import Final

from vaulttools.notes.quantities import Quantity

_DATE: Final = re.compile(
    # English, German, French, Spanish, Italian and Portuguese, Dutch. Within a sentence `when` and `quando` are mostly
    # no questions.
    r"^\W*(?:since |until |by )?when\b|\b(?:what|which) (?:year|date|day|month|century|decade)\b"
    r"|\bwann\b|\bwelche[mnrs]? (?:Jahr|Datum|Tag|Monat|Jahrhundert)\b"
    r"|^\W*quand\b|\bquelle (?:année|date)\b|\bquel (?:jour|mois|siècle)\b"
    r"|\bcuándo\b|\bqué (?:año|fecha|día|mes|siglo)\b"
    r"|^\W*quando\b|\b(?:che|quale|que) (?:anno|data|giorno|mese|secolo|ano)\b"
    r"|\bwanneer\b|\bwelke? (?:jaar|datum|dag|maand|eeuw)\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"\bhow (?:many|much|long|big|large|far|often|old|high|small|fast|soon|wide|deep|tall|heavy|late|few)\b"
    r"|\b(?:what|which) (?:number|share|price|age|size|percentage)\b"
    r"|\bwie ?(?:viele?|lange?|groß|oft|hoch|weit|alt|schnell|schwer|tief|breit)\b"
    r"|\bcombien\b|\bcuánt[oa]s?\b|\bquant[oaie]s?\b"
    r"|\bhoe ?(?:veel|vaak|lang|groot|ver|oud|hoog|snel|zwaar|diep|breed)\b",
    re.IGNORECASE,
)
_PRICE: Final = re.compile(
    r"\b(?:costs?|price|pay|charged?|fee|expensive|worth|kostet|kosten|Preis|zahlen|coûte|prix|payer|cuesta|precio|pagar"
    r"|costa|custa|preço|prezzo|pagare|kost|prijs|betalen)\b",
    re.IGNORECASE,
)


def asked(question: str) -> Quantity:
    """The kind of quantity that answers a question in one of seven languages; NONE when it asks for something else."""
    if _DATE.search(question):
        return Quantity.DATE
    if not _NUMBER.search(question):
        return Quantity.NONE
    return Quantity.PRICE if _PRICE.search(question) else Quantity.NUMBER

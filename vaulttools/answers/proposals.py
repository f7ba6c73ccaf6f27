"""Proposes the call that lists all a question asks for, if it understands every word.

`how many decisions have the status superseded` names a property, a value and a kind of note; `to-dos that are due in
November` names tasks, a state and a period. Any other word may change what is asked, so there is no proposal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, timedelta
from typing import Any, Final, NamedTuple

from vaulttools.answers.known_names import MOST_WORDS, KnownNames, expression, stem
from vaulttools.core import paths, render
from vaulttools.core.dates import SUNDAY
from vaulttools.core.voice import Voice
from vaulttools.notes import periods
from vaulttools.notes.note import Note
from vaulttools.notes.period_words import BETWEEN
from vaulttools.notes.periods import Period
from vaulttools.notes.properties import values as property_values


class Proposal(NamedTuple):
    """A call that may list everything that a question asks for."""

    tool: str
    arguments: Mapping[str, Any]
    properties: Sequence[str] = ()
    """Properties that the question asks about; a row that shows them explains why it is in the list."""


def _words(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


_WHICH: Final = _words(
    "list which how-many whose all every each show liste welche welcher alle wie-viele wieviele zeige quels quelles"
    " combien tous toutes montre cuales cuantos cuantas todos todas lista muestra welke hoeveel lijst toon"
)
_TASKS: Final = _words("task to-do todo aufgabe aufgaben tache tarea taak taken")
_DUE: Final = _words("due deadline fallig echeance vence vencen vervalt vervallen")
_OVERDUE: Final = _words("overdue uberfallig retard atrasadas vencidas")
_OPEN: Final = _words("open unfinished outstanding offen offene offenen ouverte abiertas pendientes openstaande")
_DONE: Final = _words("done finished completed ticked erledigt abgeschlossen terminee faites hechas gedaan afgerond")
_TAGGED: Final = _words("# tag tagged hashtag schlagwort etikett etiquette etiqueta")
_PROPERTY: Final = _words("property eigenschaft propriete propiedad eigenschap")
_KINDS: Final = _words("type kind category class typ art kategorie categorie tipo categoria soort")
"""Properties that hold the kind of a note, which a question names alone: `which books`."""
_RATED: Final = _words("give gave given got rate rated")
_RATINGS: Final = _words("rating rate score star stars grade bewertung sterne note puntuacion waardering cijfer")
"""Properties whose number a question may name alone, beside a word of `_RATED`: `which books did I give a 5`."""
_FILLERS: Final = _words(
    "a an the of with in on under that is are was were has have had there did i me my mine we us our and what s note"
    " file value date fall still please der die das den dem ein eine einen einer im am mit ist sind hat haben habe ich"
    " wir mein meine und notizen wert datum noch le la les l un une des du d avec en est sont ont j ai je nous mon ma"
    " mes et notes valeur qui el los las una del con es son tiene tienen hay tengo mi mis y nota notas fecha valor"
    " que de het een van met zijn heeft hebben heb ik mijn notities waarde er dat"
)
"""Words that neither add a condition nor change one."""
_WORD: Final = re.compile(
    r"(?:how many|wie viele|to[- ]dos?)\b|[^\W_]+#|#|[^\W_]+|[<>≤≥=±~+%*@$€£°]|[-−](?=\d)", re.IGNORECASE
)
"""A word, some that belong together, or a sign that makes another value of a word, as in `known_names`: `C#`, `5%`."""


def asks_for_list(question: str) -> bool:
    """Whether a question may ask for a list: few do, and only for these the known names are read."""
    return len(question) <= periods.LONGEST and _Asked(question).has(_WHICH | _TAGGED | _TASKS | _DUE | _OVERDUE)


def proposal(question: str, known: KnownNames, today: date, first_weekday: int = SUNDAY) -> Proposal | None:
    """Returns the call that lists what a question asks for; None if a word of it is neither a name nor a value of the
    vault, or if it may be read in two ways."""
    period = periods.limits(question, today, first_weekday)
    start, end = (0, 0) if period is None else period.span
    asked = _Asked(f"{question[:start]} {question[end:]}")
    is_open = asked.has(_OPEN) and asked.has(_TAGGED)  # `what is open under my tag moths`
    if asked.has(_TASKS | _OVERDUE) or (period is not None and asked.has(_DUE)) or is_open:
        return _of_tasks(asked, known, period)
    return _of_notes(asked, known) if period is None else None


class _Asked:
    """The words of one question, and the places of those that are not understood yet."""

    def __init__(self, question: str) -> None:
        self.stems = [stem(each.replace(" ", "-")) for each in _WORD.findall(question)]
        self.left = set(range(len(self.stems)))

    def has(self, some: AbstractSet[str]) -> bool:
        return not some.isdisjoint(self.stems)

    def understand(self, some: AbstractSet[str]) -> None:
        """Takes all words with these stems as understood."""
        self.left -= {place for place, each in enumerate(self.stems) if each in some}

    def follows(self, span: range, some: Container[str]) -> bool:
        return bool(span.start) and self.stems[span.start - 1] in some

    def is_understood(self) -> bool:
        return all(self.stems[place] in _FILLERS | _WHICH | _TAGGED for place in self.left)

    def spans(self, some: Container[str]) -> Iterator[tuple[range, str]]:
        """Yields the longest keys of `some` among the words that are not understood, from the left."""
        end = 0
        for start in range(len(self.stems)):
            for last in range(min(start + MOST_WORDS, len(self.stems)), start, -1):
                span, key = range(start, last), " ".join(self.stems[start:last])
                is_article = len(key) < 3 and key in _FILLERS  # `de` is in every Spanish question
                if key in some and start >= end and self.left.issuperset(span) and not is_article:
                    end = last
                    yield span, key
                    break


def _of_tasks(asked: _Asked, known: KnownNames, period: Period | None) -> Proposal | None:
    is_open, is_done, is_overdue = map(asked.has, (_OPEN, _DONE, _OVERDUE))
    asked.understand(_OPEN | _DONE | _OVERDUE | _TASKS | _DUE)
    if period is not None:
        asked.understand(BETWEEN)
    arguments: dict[str, Any] = {"overdue": True} if is_overdue else {}
    day = "done" if is_done else "due"
    if period is not None and period.first > date.min:
        arguments[f"{day}_after"] = period.first.isoformat()
    if period is not None and period.last < date.max:
        arguments[f"{day}_before"] = (period.last + timedelta(days=1)).isoformat()
    if is_done and period is None:
        arguments["status"] = "done"
    for span, key in asked.spans(known.tags):
        asked.left.difference_update(span)
        arguments["tags"] = [*dict.fromkeys((*arguments.get("tags", ()), known.tags[key]))]
    if is_open and not arguments:
        arguments["status"] = "open"
    is_clear = asked.is_understood() and not (is_open and is_done)
    return Proposal("tasks", arguments) if arguments and is_clear else None


def _of_notes(asked: _Asked, known: KnownNames) -> Proposal | None:
    found: dict[str, str] = {}  # the property of each condition; "" for a tag
    named: dict[str, range] = {}
    for span, key in asked.spans(known.names):
        name = known.names[key]
        if asked.follows(span, _PROPERTY):
            asked.left -= {span.start - 1, *span}
            found[f"file.hasProperty({expression(name)})"] = name
        elif key not in _FILLERS:
            named[name] = span
    for span, key in asked.spans({**known.values, **known.tags}):
        held = known.values.get(key, {})
        tag = {"": f"file.hasTag({expression(known.tags[key])})"} if key in known.tags else {}
        of_name = {name: held[name] for name in held if name in named}
        of_kind = {name: held[name] for name in held if stem(name) in _KINDS}
        if key.replace(" ", "").isdecimal():
            held = {name: held[name] for name in held if stem(name) in _RATINGS and asked.has(_RATED)}
            if held:
                asked.understand(_RATED)
        read = (asked.follows(span, _TAGGED) and tag) or of_name or of_kind or {**held, **tag}
        if len(read) == 1:  # else a question may mean any of them
            [(name, condition)] = read.items()
            asked.left -= {*span, *named.get(name, ())}
            found[condition] = name
    if not (found and asked.is_understood()):
        return None
    where = " && ".join(f"({each})" if " || " in each else each for each in found)
    shown = tuple(dict.fromkeys(filter(None, found.values())))
    return Proposal("base", {"where": where, "columns": ["file.name"]}, shown)


MOST_ROWS: Final = 20
"""Rows of a list that an answer shows; the call itself shows all."""
_ROW_CHARACTERS: Final = 160


class ListLine(NamedTuple):
    """What a proposed call found: a note, or a line of one."""

    path: str
    line: int = 0
    """From 1; 0 if the row is a whole note."""
    text: str = ""
    """A task as its note writes it; for a note, the properties that the question is about, in one line."""

    def __str__(self) -> str:
        place = f"{paths.shown(self.path)}:{self.line}" if self.line else paths.shown(self.path)
        return f"- {place}: {self.text}" if self.text else f"- {place}"


def how_many(shown: int, total: int) -> str:
    """Returns `The whole list, 4 rows` or `The first 20 of 25 rows`."""
    number = render.counted(total, "row")
    return f"The first {shown} of {number}" if shown < total else f"The whole list, {number}"


class WholeList(NamedTuple):
    """The call that lists all that a question asks for, and what it found."""

    proposal: Proposal
    total: int
    """Rows, shown or not."""
    rows: Sequence[ListLine]
    """The first rows, at most `MOST_ROWS`."""

    def read(self, note_at: Callable[[str], Note | None], room: int) -> list[ListLine]:
        """Returns the first rows with their texts, as many as fit into `room` characters."""
        found: list[ListLine] = []
        for row in self.rows:
            if note := note_at(row.path):
                line = "".join(note.text.split("\n", row.line)[row.line - 1 : row.line]).strip()
                held = {name: value for name, value in note.properties.items() if name in self.proposal.properties}
                text = render.line(line, most=_ROW_CHARACTERS) or property_values.in_one_line(held, _ROW_CHARACTERS)
                row = row._replace(text=text)
            found.append(row)
            if len(self.block(found)) > room:
                return found[:-1]
        return found

    def block(self, rows: Sequence[ListLine]) -> str:
        """Returns the rows, one a line, below a line with their number; "" if there are no rows."""
        return "\n".join([f"{how_many(len(rows), self.total)}:", *map(str, rows)]) if rows else ""

    def call(self, voice: Voice) -> str:
        """Returns the sentence that names the call."""
        call = voice.call(self.proposal.tool, self.proposal.arguments)
        return f"For a complete list: {call} ({render.counted(self.total, 'row')})"

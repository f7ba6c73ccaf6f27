"""Proposes the calls that list all a question asks for, in the vault's own words.

`which books did I give a 5` asks for the notes with a value, `to-dos that are due in November` for tasks with a date.
Every word of a question must be understood: an ambiguous one leads to no proposal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from operator import itemgetter
from typing import Any, Final, NamedTuple

from vaulttools.answers import corpus
from vaulttools.answers.comparisons import comparison
from vaulttools.answers.vocabulary import MOST_WORDS, Meaning, Name, Vocabulary, stem, stems
from vaulttools.core import paths, render
from vaulttools.core.dates import SUNDAY
from vaulttools.core.voice import Voice
from vaulttools.notes import periods
from vaulttools.notes.function_words import FUNCTION_WORDS
from vaulttools.notes.note import Note
from vaulttools.notes.period_words import COUNTS, listed, plain
from vaulttools.notes.periods import Period
from vaulttools.notes.properties import values as property_values


class Proposal(NamedTuple):
    """A call that may list everything that a question asks for."""

    tool: str
    arguments: Mapping[str, Any]
    properties: Sequence[str] = ()
    """Properties that the question asks about; a row that shows them explains why it is in the list."""


class _Condition(NamedTuple):
    """A part of a `where`."""

    text: str
    property: str = ""
    """The property that it tests; empty if it tests a tag or a folder."""


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


_LISTS: Final = _stems(
    "which what how who whose list all every each any show find everything"
    " welche welcher welches welchen wie wieviele alle liste zeig zeige was"
    " quel quels quelle quelles combien tous toutes liste montre"
    " cuales cual cuantos cuantas que todos todas lista muestra"
    " welke hoeveel alle lijst toon wat"
)
"""Words that ask for a list, but say nothing about its content."""
_ASKS_FOR_LIST: Final = re.compile(
    r"\b(?:which|whose|how many|what are|on my list|list|all|every|each|show|find|everything"
    r"|tasks?|due|overdue|tags?|tagged|to-?dos?"
    r"|welche[rsnm]?|wie ?viele|alle|liste|zeige?|aufgaben?|fällig"
    r"|quel(?:le)?s?|combien|tou(?:te)?s|montre|tâches?"
    r"|cuáles|cuánt[oa]s|tod[oa]s|lista|muestra|tareas?"
    r"|welke|hoeveel|lijst|toon|taken)\b",
    re.IGNORECASE,
)
"""Every question for a list matches this."""
_TASKS: Final = _stems("todo task aufgabe aufgaben tache tarea taak taken")
_DUE: Final = _stems("due deadline fallig echeance vence vencen vervalt vervallen fristen frist")
_DONE: Final = _stems("done finished completed ticked erledigt abgeschlossen terminee faites hechas gedaan afgerond")
_OPEN: Final = _stems("open unfinished outstanding undone offen offene offenen ouverte abiertas pendientes openstaande")
_OVERDUE: Final = _stems("overdue uberfallig retard atrasadas vencidas")
_WRITTEN: Final = _stems("noted written wrote write recorded entered added add created create made")
_TAGGED: Final = _stems("tag tagged hashtag label labelled labeled schlagwort etikett etiquette etiqueta")
_PROPERTIES: Final = _stems("property properties eigenschaft eigenschaften propriete propiedad eigenschap")
_SOMEBODY: Final = _stems("somebody someone anybody anyone something jemand jemanden quelqu alguien iemand iets")
"""After the name of a property: any value."""
_RATED: Final = _stems("give gave given rate rated got get score scored star")
_RATINGS: Final = _stems("rating rate score star stars grade bewertung sterne note puntuacion waardering cijfer")
"""Properties that hold a rating."""
_KINDS: Final = _stems("type kind category class typ art kategorie categorie tipo categoria soort")
"""Properties that hold the kind of a note."""
_ATTENDEES: Final = _stems(
    "with attendees participants people present teilnehmer anwesend personen presents personnes asistentes presentes"
    " aanwezig deelnemers"
)
"""Properties that hold who took part."""
_ATTENDED: Final = _stems("attend attended sit sat join joined teilgenommen participe assiste asistio deelgenomen")
"""Words that say nothing more beside the name of one who took part, if no word of `_MODALS` is in the question."""
_MODALS: Final = _stems(
    "will shall should could must may might would wird soll sollte muss doit doivent pourrait debe deberia zal moet"
)
_NEGATIONS: Final = _stems(
    "not no never none nothing nobody neither nor without except excluding but other than unless"
    " don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn cannot dont doesnt didnt isnt arent"
    " nicht kein keine keinen keiner keines keinem nie niemals ohne ausser nichts"
    " pas sans jamais aucun aucune sauf rien ni"
    " sin nunca ningun ninguna ninguno excepto nada salvo tampoco"
    " niet geen zonder nooit behalve niets"
    " or oder ou o"
)
"""Words that negate a question, or offer two choices; they are never ignored."""
_FILLERS: Final = (
    frozenset(stem(word) for name in ("en", "de", "fr", "es", "nl") for word in FUNCTION_WORDS[name]) - _NEGATIONS
) | _stems(
    "mine please note notes item thing still currently ever list many much have has had got been marked there date"
    " dated fall falls falling value set said says who anything everything else exactly total number count together"
    " notizen eintrage habe haben steht stehen hat viele datum"
    " carry bear under between within day days one ones"
    " noted written recorded entered"
    " ont sont avec date notas tengo estan con fecha notities staan hebben"
)
"""Words that say nothing about what is asked for."""
_WORD: Final = re.compile(r"#?[^\W_]+")
_TO_DO: Final = re.compile(r"\bto[- ]do(s?)\b", re.IGNORECASE)
_NOT_DONE: Final = re.compile(
    r"\b(?:(?:not|never|isn'?t|aren'?t|hasn'?t|haven'?t)(?: (?:i|we|yet|been|got|already|all)){0,3}"
    r" (?:done|finished|completed|closed|(?:ticked|checked|crossed)(?: off)?)|un(?:ticked|checked)"
    r"|(?:still|left|yet) (?:to be done|todo)"
    r"|(?:noch )?nicht (?:erledigt|abgehakt|abgeschlossen|fertig)"
    r"|pas (?:encore )?(?:faite?s?|terminée?s?|cochée?s?)|sin (?:hacer|terminar|marcar)"
    r"|(?:nog )?niet (?:gedaan|afgevinkt|afgerond|klaar))\b",
    re.IGNORECASE,
)
"""Says that a task is open. It says nothing about a note: `not done` may be `active` or `on hold`."""
_ON_MY_LIST: Final = re.compile(r"\bon my (?:to-?do )?list\b", re.IGNORECASE)
_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*")
_NOTE_DATE: Final = Name("note_date", "date", is_list=False)
"""The name of a note's day in bases."""
_NEAR: Final = 4
"""How many words after the name of a property its value may be: `the status that is superseded`."""
_SHORT: Final = 2
"""Words of so few letters are never values: `de` is in every Spanish question."""
_NOT_ALONE: Final = _KINDS | _stems("tags alias aliases")
"""Properties whose values are ordinary words in questions."""


def asks_for_list(question: str) -> bool:
    """Whether a question may ask for a list: few do, and only for these the vocabulary is read."""
    return len(question) <= periods.LONGEST and bool(_ASKS_FOR_LIST.search(question))


def proposals(question: str, known: Vocabulary, today: date, first_weekday: int = SUNDAY) -> Sequence[Proposal]:
    """Returns the calls that may list what a question asks for, the narrowest first; no call if it does not ask for a
    list, or if a word of it is not understood.

    >>> proposals("to-dos due in November 2026", Vocabulary({}, {}, {}, {}), date(2026, 11, 1))[0].arguments
    {'due_after': '2026-11-01', 'due_before': '2026-12-01'}
    """
    if not asks_for_list(question):
        return []
    text = _NOT_DONE.sub("undone", _TO_DO.sub(r"todo\1", question))
    period = periods.limits(text, today, first_weekday)
    asked = _Asked.of(text, period)
    tags = list(asked.tags(known))
    if asked.take(_TASKS) or asked.is_about_tasks(period is not None):
        return list(_of_tasks(asked, known, tags, period))
    return list(_of_notes(asked, known, tags, period))


def tried(every: Sequence[Proposal], rows: Callable[[Proposal], int]) -> tuple[Proposal, int] | None:
    """Returns the shortest proposal that finds as many rows as the narrowest (the first) one, and their number, as
    `rows` counts them; None if the narrowest finds no row."""
    found = [(each, rows(each)) for each in every]
    as_much = [(each, number) for each, number in found if number == found[0][1] > 0]
    return min(as_much, key=lambda each: len(str(each[0].arguments)), default=None)


class _Word(NamedTuple):
    text: str
    stem: str
    start: int
    end: int


@dataclass(slots=True)
class _Asked:
    """The words of one question, and the places of those that are understood."""

    text: str
    words: Sequence[_Word]
    understood: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, text: str, period: Period | None) -> _Asked:
        start, end = (0, 0) if period is None else period.span
        outside = f"{text[:start]} {text[end:]}"
        found = _WORD.finditer(outside)
        return cls(outside, [_Word(each[0], stem(each[0].lstrip("#")), *each.span()) for each in found])

    def take(self, stems: frozenset[str]) -> bool:
        """Whether one of the stems occurs; marks all words with these stems as understood."""
        found = {place for place, word in enumerate(self.words) if word.stem in stems}
        self.understood |= found
        return bool(found)

    def has(self, stems: frozenset[str]) -> bool:
        return any(word.stem in stems for word in self.words)

    def is_about_tasks(self, has_period: bool) -> bool:
        """Whether it is about tasks without naming them: `everything open`, `what falls due`, `on my list`."""
        if self.has(_OVERDUE) or (has_period and (self.has(_DUE) or _ON_MY_LIST.search(self.text))):
            return True
        return self.has(_OPEN) and self.has(_TAGGED)

    def tags(self, known: Vocabulary) -> Iterator[str]:
        """Yields the tags that it names: `#work`, `tagged work`, `with the tag work`."""
        for place, word in enumerate(self.words):
            start = place + 1
            if word.text.startswith("#"):
                start = place
            elif word.stem not in _TAGGED:
                continue
            while (
                start < len(self.words) and start > place and self._is_filler(start) and not self._tag_at(start, known)
            ):
                start += 1
            if found := self._tag_at(start, known):
                tag, end = found
                self.understood.update(range(place, end))
                yield tag

    def _tag_at(self, place: int, known: Vocabulary) -> tuple[str, int] | None:
        found = self.longest(place, known.tags)
        return None if found is None else (known.tags[found[0]].name, found[1])

    def longest(self, place: int, some: Mapping[str, Any]) -> tuple[str, int] | None:
        """Returns the longest key of `some` that begins at a place, if no word of it is understood yet, and its end."""
        for end in range(min(place + MOST_WORDS, len(self.words)), place, -1):
            if not self.understood.intersection(range(place, end)):
                joined = " ".join(word.stem for word in self.words[place:end])
                if joined in some:
                    return joined, end
        return None

    def _is_filler(self, place: int) -> bool:
        return self.words[place].stem in _FILLERS or self.words[place].stem in _LISTS

    def left(self, known: Vocabulary) -> list[int]:
        """Returns the places of words that are not understood and may matter. A filler such as `done` matters if it is
        a value in this vault."""
        return [
            place
            for place, word in enumerate(self.words)
            if place not in self.understood
            and (not self._is_filler(place) or (len(word.stem) > _SHORT and _own(known.values.get(word.stem, ()))))
        ]


def _own(meanings: Sequence[Meaning]) -> list[Meaning]:
    """Returns the meanings that count without their property being named."""
    return [
        each
        for each in meanings
        if stem(each.property.name) not in _NOT_ALONE and not isinstance(each.value, int | float)
    ]


def _of_tasks(asked: _Asked, known: Vocabulary, tags: Sequence[str], period: Period | None) -> Iterator[Proposal]:
    arguments: dict[str, Any] = {}
    is_open = asked.take(_OPEN)
    is_done = asked.take(_DONE) and not is_open
    asked.take(_DUE)
    if asked.take(_OVERDUE):
        arguments["overdue"] = True
    if period is not None:
        field_ = "done" if is_done else "due"
        if period.first > date.min:
            arguments[f"{field_}_after"] = period.first.isoformat()
        if period.last < date.max:
            arguments[f"{field_}_before"] = (period.last + timedelta(days=1)).isoformat()
    elif is_done:
        arguments["status"] = "done"
    if tags:
        arguments["tags"] = list(tags)
    about = [asked.words[place].stem for place in asked.left(known)]
    if period is not None and asked.has(_WRITTEN):
        return  # tasks do not say when they were written
    if is_open and not arguments:
        arguments["status"] = "open"
    if arguments and not set(about) - {stems(tag) for tag in tags}:
        yield Proposal("tasks", arguments)


def _of_notes(asked: _Asked, known: Vocabulary, tags: Sequence[str], period: Period | None) -> Iterator[Proposal]:
    conditions = [_Condition(f"file.hasTag({_text(tag)})") for tag in tags]
    is_sure = bool(conditions)
    for made in (_named_properties(asked, known, period), _rated(asked, known)):
        for condition in made:
            conditions.append(condition)
            is_sure = True
            period = None if " >= date(" in condition.text or " <= date(" in condition.text else period
    values = [] if is_sure or period is not None else list(_values(asked, known))
    subjects = list(_subjects(asked, known))
    if period is not None:
        if subjects and not (is_sure or asked.left(known)):
            yield _base([*subjects, *_within(_NOTE_DATE, period)])
        return
    if asked.left(known) or not (is_sure or (subjects and (values or _asks_for_every(asked)))):
        return
    every = [*conditions, *values]
    if subjects:
        yield _base([*every, *subjects])
    if is_sure:
        yield _base(every)


def _base(conditions: Sequence[_Condition]) -> Proposal:
    where = " && ".join(each.text for each in conditions)
    properties = dict.fromkeys(each.property for each in conditions if each.property)
    return Proposal("base", {"where": where, "columns": ["file.name"]}, tuple(properties))


def _named_properties(asked: _Asked, known: Vocabulary, period: Period | None) -> Iterator[_Condition]:
    """Yields conditions for named properties: `status superseded`, `rating of 4`, `finished in 2025`."""
    speaks_of_properties = asked.has(_PROPERTIES)
    for place in range(len(asked.words)):
        found = asked.longest(place, known.names)
        if found is None:
            continue
        text, end = found
        name = known.names[text]
        named = set(range(place, end))
        if speaks_of_properties:
            is_filler = len(named) == 1 and asked.words[place].stem in _FILLERS | _LISTS
            if is_filler and not (place and asked.words[place - 1].stem in _PROPERTIES):
                continue
            asked.understood |= named
            asked.take(_PROPERTIES)
            yield _has(name)
            continue
        if asked.words[place].stem in _FILLERS and len(named) == 1 and name.type != "date":
            continue
        if value := _value_beside(asked, known, name, place, end):
            asked.understood |= named
            yield value
        elif name.type == "number" and (number := _number(asked)):
            asked.understood |= named
            yield _Condition(f"{_of(name)} {number}", name.name)
        elif asked.take(_SOMEBODY):
            asked.understood |= named
            yield _has(name)
        elif name.type in ("date", "datetime") and period is not None:
            asked.understood |= named
            yield from _within(name, period)
            period = None


def _value_beside(asked: _Asked, known: Vocabulary, name: Name, start: int, end: int) -> _Condition | None:
    """Returns the condition for a value of a property, if a value follows its name or is right before it."""
    for place in (*range(end, min(end + _NEAR, len(asked.words))), max(0, start - 1)):
        found = asked.longest(place, known.values)
        if found is None or place <= start < found[1]:
            continue
        meanings = [each for each in known.values[found[0]] if each.property.name == name.name]
        if meanings and name.type != "number":
            asked.understood.update(range(place, found[1]))
            return _is(meanings)
    return None


def _values(asked: _Asked, known: Vocabulary) -> Iterator[_Condition]:
    """Yields conditions for values that are named without their property, if only one property has them."""
    for place in range(len(asked.words)):
        found = asked.longest(place, known.values)
        if found is None or (found[1] == place + 1 and asked.words[place].stem in _FILLERS | _LISTS):
            continue
        meanings = _own(known.values[found[0]])
        if meanings and len({each.property.name for each in meanings}) == 1:
            asked.understood.update(range(place, found[1]))
            if stem(meanings[0].property.name) in _ATTENDEES and not asked.has(_MODALS):
                asked.take(_ATTENDED - known.values.keys())
            yield _is(meanings)


def _rated(asked: _Asked, known: Vocabulary) -> Iterator[_Condition]:
    """Yields the condition for `gave a 5`, `got a 3 or less`, if only one property can hold that rating."""
    if not asked.has(_RATED) or any(word.stem in _RATINGS and word.stem in known.names for word in asked.words):
        return
    before = set(asked.understood)
    number = _number(asked)
    held = known.values.get(number.partition(" ")[2], ()) if number else ()
    names = [each.property for each in held if stem(each.property.name) in _RATINGS]
    if len(names) == 1:
        asked.take(_RATED)
        yield _Condition(f"{_of(names[0])} {number}", names[0].name)
    else:
        asked.understood = before


def _number(asked: _Asked) -> str:
    """Returns the only number of a question, as a comparison: `== 5`, `<= 3`; "" without one."""
    places = [
        place
        for place, word in enumerate(asked.words)
        if place not in asked.understood and (word.text.isdecimal() or COUNTS.get(word.stem, 0) > 1)
    ]
    if len(places) != 1:
        return ""
    word = asked.words[places[0]]
    compared = comparison(asked.text, word.start, word.end)
    if compared is None:
        return ""
    within = {at for at, each in enumerate(asked.words) if compared.start <= each.start < compared.end}
    asked.understood |= within
    return f"{compared.sign} {int(word.text) if word.text.isdecimal() else COUNTS[word.stem]}"


def _subjects(asked: _Asked, known: Vocabulary) -> Iterator[_Condition]:
    """Yields conditions for the kind and the place of the notes: values of `type`, tags, folders."""
    for place in range(len(asked.words)):
        if place in asked.understood or asked.words[place].stem in _FILLERS | _LISTS:
            continue
        readings = []
        if found := asked.longest(place, known.values):
            kinds: dict[str, list[Meaning]] = {}
            for each in known.values[found[0]]:
                if stem(each.property.name) in _KINDS:
                    kinds.setdefault(each.property.name, []).append(each)
            readings += [(True, sum(each.notes for each in some), found[1], _is(some)) for some in kinds.values()]
        for some, call in ((known.tags, "file.hasTag"), (known.folders, "file.inFolder")):
            if found := asked.longest(place, some):
                group = some[found[0]]
                readings.append((False, group.notes, found[1], _Condition(f"{call}({_text(group.name)})")))
        if readings:  # the kind of a note wins, then the most notes: a diary may be tagged `meeting`, too
            _, _, end, condition = max(readings, key=itemgetter(0, 1))
            asked.understood.update(range(place, end))
            yield condition


def _asks_for_every(asked: _Asked) -> bool:
    return any(plain(word.text) in _EVERY for word in asked.words)


_EVERY: Final = listed("all every alle tous toutes todos todas")
"""A question that only names a kind of note must ask for every one."""


def _within(name: Name, period: Period) -> Iterator[_Condition]:
    if period.first > date.min:
        yield _Condition(f'{_of(name)} >= date("{period.first}")', name.name)
    if period.last < date.max:
        yield _Condition(f'{_of(name)} <= date("{period.last}")', name.name)


def _has(name: Name) -> _Condition:
    return _Condition(f"file.hasProperty({_text(name.name)})", name.name)


def _is(meanings: Sequence[Meaning]) -> _Condition:
    """Returns the condition that a property has a value, in any spelling: `done`, `Done`."""
    name = meanings[0].property
    held = [
        f"list({_of(name)}).contains({_value(each)})"
        if name.is_mixed
        else f"{_of(name)}.contains({_value(each)})"
        if name.is_list
        else f"{_of(name)} == {_value(each)}"
        for each in meanings
    ]
    return _Condition(held[0] if len(held) == 1 else f"({' || '.join(held)})", name.name)


def _value(meaning: Meaning) -> str:
    value = meaning.value
    is_link = isinstance(value, str) and value.startswith("[[") and value.endswith("]]")
    return f"link({_text(value[2:-2].partition('|')[0])})" if is_link else _text(value)


def _of(name: Name) -> str:
    """Returns a property as expressions name it."""
    return name.name if _IDENTIFIER.fullmatch(name.name) else f"note[{_text(name.name)}]"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


MOST_ROWS: Final = 20
"""Rows of a list that an answer shows; the call itself shows all."""
_ROW_CHARACTERS: Final = 160


class Row(NamedTuple):
    """What a proposed call found: a note, or a line of one."""

    path: str
    line: int = 0
    """From 1; 0 if the row is a whole note."""
    text: str = ""
    """A task as its note writes it; for a note, the properties that the question is about, in one line."""


def how_many(shown: int, total: int) -> str:
    """Returns `The whole list, 4 rows` or `The first 20 of 25 rows`."""
    number = corpus.counted(total, "row")
    return f"The first {shown} of {number}" if shown < total else f"The whole list, {number}"


class WholeList(NamedTuple):
    """The call that lists all that a question asks for, and what it found."""

    proposal: Proposal
    total: int
    """Rows, shown or not."""
    rows: Sequence[Row]
    """The first rows, at most `MOST_ROWS`."""

    def read(self, note_at: Callable[[str], Note | None], room: int) -> list[Row]:
        """Returns the first rows with their texts, as many as fit into `room` characters."""
        found: list[Row] = []
        left = room - len(how_many(self.total, self.total))
        for row in self.rows:
            found.append(row._replace(text=self._text(row, note_at(row.path))))
            left -= len(_line(found[-1])) + 1
            if left < 0:
                return found[:-1]
        return found

    def _text(self, row: Row, note: Note | None) -> str:
        if note is None:
            return ""
        if row.line:
            written = "".join(note.text.split("\n", row.line)[row.line - 1 : row.line]).strip()
            return render.line(written, most=_ROW_CHARACTERS)
        held = {name: value for name, value in note.properties.items() if name in self.proposal.properties}
        return property_values.in_one_line(held, _ROW_CHARACTERS)

    def block(self, rows: Sequence[Row]) -> str:
        """Returns the rows, one a line, below a line with their number; "" if there are no rows."""
        return "\n".join([f"{how_many(len(rows), self.total)}:", *map(_line, rows)]) if rows else ""

    def call(self, voice: Voice) -> str:
        """Returns the sentence that names the call."""
        call = voice.call(self.proposal.tool, self.proposal.arguments)
        return f"For a complete list: {call} ({corpus.counted(self.total, 'row')})"


def _line(row: Row) -> str:
    place = f"{paths.shown(row.path)}:{row.line}" if row.line else paths.shown(row.path)
    return f"- {place}: {row.text}" if row.text else f"- {place}"

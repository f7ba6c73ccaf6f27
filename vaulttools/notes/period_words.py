"""Lists the words of time in five languages: English, German, French, Spanish, Dutch.

All are in lower case without accents. The lists say what a word may mean; the words around it decide.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Final


def plain(text: str) -> str:
    """Returns a text in lower case without accents: `Août` gives `aout`."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return decomposed if decomposed.isascii() else "".join(sign for sign in decomposed if sign.isalnum())


def listed(text: str) -> frozenset[str]:
    """Returns the words of a text."""
    return frozenset(text.split())


def _numbered(words: str, first: int = 1) -> Mapping[str, int]:
    """Returns the words of lists that are separated by bars, each with the number of its list."""
    return {word: number for number, names in enumerate(words.split("|"), first) for word in names.split()}


MONTHS: Final = _numbered(
    "january jan januar janner janvier janv enero ene januari|february feb februar fevrier fevr febrero februari"
    "|march mar marz maerz mrz mars marzo maart mrt|april apr avril avr abril abr|may mai mayo mei"
    "|june jun juni juin junio|july jul juli juillet juil julio|august aug aout agosto augustus"
    "|september sep sept septembre septiembre|october oct oktober okt octobre octubre"
    "|november nov novembre noviembre|december dec dezember dez decembre diciembre dic"
)
DOUBTFUL_MONTHS: Final = frozenset(("may", "march", "mars", "mar", "ene", "dic", "sept", "jan", "dec", "nov"))
"""Months that are also other words or names: they count beside a number, or capitalised or last after `in`."""

WEEKDAYS: Final = _numbered(
    "monday montag lundi lunes maandag|tuesday dienstag mardi martes dinsdag"
    "|wednesday mittwoch mercredi miercoles woensdag|thursday donnerstag jeudi jueves donderdag"
    "|friday freitag vendredi viernes vrijdag|saturday samstag sonnabend samedi sabado zaterdag"
    "|sunday sonntag dimanche domingo zondag",
    first=0,
)
"""Weekdays with the numbers of `date.weekday`."""

SEASONS: Final = _numbered(
    "spring fruhling fruhjahr printemps primavera lente voorjaar|summer sommer ete verano zomer"
    "|autumn fall herbst automne otono herfst najaar|winter hiver invierno",
    first=0,
)

UNITS: Final = {
    word: unit
    for unit, words in {
        "day": "day days tag tage tagen jour jours dia dias dag dagen",
        "week": "week weeks woche wochen semaine semaines semana semanas weken",
        "weekend": "weekend weekends wochenende",
        "month": "month months monat monate monaten monats mois mes meses maand maanden",
        "quarter": "quarter quarters quartal quartals trimestre trimestres kwartaal kwartalen",
        "year": "year years jahr jahre jahren jahres an ans annee annees ano anos jaar jaren",
    }.items()
    for word in words.split()
}

STEPS: Final = {
    word: step
    for step, words in {
        -2: "vorletzte vorletzten vorletzter vorletztes voorlaatste",
        -1: (
            "last past previous letzte letzten letzter letztes letztem vorige vorigen voriger voriges vorigem"
            " vergangene vergangenen vergangener vergangenes dernier derniere derniers dernieres passe passee passes"
            " passees pasado pasada pasados pasadas ultimo ultima ultimos ultimas vorig afgelopen verleden laatste"
        ),
        0: (
            "this current diese diesen dieser dieses diesem laufenden ce cet cette ces este esta estos estas deze dit"
            " huidige"
        ),
        1: (
            "next coming nachste nachsten nachster nachstes nachstem kommende kommenden kommender kommendes prochain"
            " prochaine prochains prochaines proximo proxima proximos proximas volgende volgend komende komend"
        ),
    }.items()
    for word in words.split()
}

DAYS: Final = {
    tuple(each.split()): number
    for number, every in {
        0: "today|heute|aujourd hui|hoy|vandaag",
        -1: "yesterday|gestern|hier|ayer|gisteren",
        1: "tomorrow|morgen|demain|manana",
        -2: "day before yesterday|vorgestern|avant hier|anteayer|antes de ayer|eergisteren",
        2: "day after tomorrow|ubermorgen|apres demain|pasado manana|overmorgen",
    }.items()
    for each in every.split("|")
}
"""By words, the number of days from today."""

COUNTS: Final = {
    word: number
    for number, words in {
        1: "a an one einem einer ein une un una uno een",
        2: "two zwei deux dos twee",
        3: "three drei trois tres drie",
        4: "four vier quatre cuatro",
        5: "five funf cinq cinco vijf",
        6: "six sechs seis zes",
        7: "seven sieben sept siete zeven",
        8: "eight acht huit ocho",
        10: "ten zehn dix diez tien",
    }.items()
    for word in words.split()
}
ORDINALS: Final = _numbered(
    "first erste ersten erstes premier premiere primer primero primera eerste"
    "|second zweite zweiten zweites deuxieme segundo segunda tweede"
    "|third dritte dritten drittes troisieme tercer tercero tercera derde"
    "|fourth vierte vierten viertes quatrieme cuarto cuarta vierde"
)
"""Ordinals of quarters and halves of a year, and of weeks of a month."""
LAST: Final = listed("last letzte letzten derniere ultima laatste")
"""Words for the last week of a month."""

PARTS: Final = {
    **dict.fromkeys(listed("early beginning start anfang debut principios comienzos inicios begin"), 0),
    **dict.fromkeys(listed("mid middle mitte mi milieu mediados midden medio"), 1),
    **dict.fromkeys(listed("late end ende fin finales fines eind einde"), 2),
}
"""By word, the third of a month or a year, from 0."""
PARTS_OF: Final = listed("beginning start middle milieu end")
"""Words of `PARTS` that mean a time only before `of`: `end of May`, but not `I end May`."""
HALVES: Final = listed("half halfte moitie quinzaine mitad quincena helft")
"""After `first` or `second`, a half of a month or a year."""

IN: Final = listed("in during throughout of for from over this im wahrend ab en au pendant durant de del du d tijdens")
"""Words before a month or a year that has no other part of a date beside it."""
OF: Final = listed("of de d del du des von van vom der la le l the")
"""Words between the parts of a date."""
ARTICLES: Final = listed("the la le l les el los las die der den dem das dieser het")
BEFORE_DAY: Final = listed("am vom bis zum seit")
"""After these, `3.10.` is a day in German; elsewhere it may be a version."""
FROM: Final = listed("from vom von du del desde de van")
BETWEEN: Final = listed("between zwischen entre tussen")
TO: Final = listed("to - – — bis au al a tot through")
AND: Final = listed("and und et y en")
SINCE: Final = listed("since seit depuis desde sinds")
BEFORE: Final = listed("before vor avant antes voor")
UNTIL: Final = listed("until till by bis jusqu hasta tot")
AFTER: Final = listed("after nach apres despues na")
BESIDE: Final = BEFORE | UNTIL | AFTER
"""Words that mean the time before or up to a date, or the time after it."""

AHEAD: Final = listed(
    "due will upcoming planned plan plans deadline deadlines appointment appointments fallig werde werden wird"
    " geplant frist termin termine prevu prevus prevue prevues echeance echeances vence vencen previsto planeado"
    " zal zullen gepland vervalt vervallen afspraak afspraken"
)
"""Words that say that a month or a day without a year is in the future."""

ABOUT_ALL: Final = listed(
    "happened happen happening went going gone write wrote written noted note notes entry entries diary journal log"
    " day week month year summary summarise summarize recap review everything all anything show list give tell"
    " please been up like"
    " passiert geschehen geschah los gemacht getan notiert geschrieben notiz notizen eintrag eintrage tagebuch"
    " zusammenfassung alles zeige zeig gib gewesen lief"
    " passe fait faite ecrit note journal resume tout montre donne arrive quoi"
    " paso ocurrio sucedio hice hicimos hecho escribi escrito notas diario resumen todo muestra muestrame"
    " gebeurde gebeurd deed deden gedaan geschreven notitie notities dagboek samenvatting toon"
)
"""Words that, with function words, make up a question about all of a period."""

ONLY_BEFORE: Final = listed("last past previous this current next coming este esta ce cette ces deze dit")
"""Steps that never follow their unit."""
BEGINNING: Final = listed("beginning starting commencing from ab vanaf empezando commencant on")
NOWADAYS: Final = listed("today heute hui hoy vandaag")
"""Words that mean these days as often as this day."""
BEFORE_MORNING: Final = listed("am la de jeden guten den this il")
FRENCH: Final = listed("ai j je nous qu que quoi fait le les il c d l ce soir matin mon ma on quel quelle")
"""Words that do not occur in a German question with `hier`."""
EDITIONS: Final = listed("edition edicion ausgabe editie standard version release")
"""Words after a year that make it a name: `2021 edition`."""

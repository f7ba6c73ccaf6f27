"""Scores how well a note answers a question, from where the words stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from vaulttools.index.words import Places
from vaulttools.ranked.weights import NOTE

BODY, TITLE, ALIASES, HEADINGS, PROPERTIES = range(5)
"""The parts of a note, as `Places` has them."""


def rarity(notes: int, holding: int) -> float:
    """BM25's weight of a word that so many of the notes hold, above 0."""
    holding = min(holding, notes)
    return math.log(1 + (notes - holding + 0.5) / (holding + 0.5))


def term_weight(term: str, notes: int, holding: int) -> float:
    """What a term of a question weighs that so many of the notes hold."""
    rare = rarity(notes, holding)
    return min(rare, NOTE.light_word) if term.lower() in _LIGHT_WORDS else rare


def score(places: Places, rarities: Sequence[float]) -> float:
    """0 for a note that holds none of the words, and nearly 1 for one whose title and one of whose passages they are.

    `rarities` are the weights of the words, in the order of the question.
    """
    total = sum(rarities)
    if not total:
        return 0.0
    norm = 1 - NOTE.length + NOTE.length * places.lengths[BODY] / NOTE.usual_length
    often = 0.0
    for rare, (body, title, aliases, headings, properties) in zip(rarities, places.found, strict=True):
        count = len(body) / norm
        if title or aliases or headings or properties:
            count += len(title) * NOTE.title + len(aliases) * NOTE.aliases
            count += len(headings) * NOTE.headings + len(properties) * NOTE.properties
        if count:
            often += rare * count / (count + NOTE.saturation)
    return (
        often
        + NOTE.passage * _passage(places, rarities, NOTE.window)
        + NOTE.row * _row(places, rarities)
        + NOTE.name * _name(places, rarities)
    ) / (total * (1 + NOTE.passage + NOTE.row + NOTE.name))


def _passage(places: Places, rarities: Sequence[float], window: int) -> float:
    """The weight of the words in the passage of the body, or among the headings, that holds most of it."""
    best = 0.0
    for column in (BODY, HEADINGS):
        words = [word for word, found in enumerate(places.found) if found[column]]
        whole = sum([rarities[word] for word in words])
        if whole <= best:
            continue
        if len(words) == 1:
            best = whole
            continue
        stands = sorted([(place, word) for word in words for place in places.found[word][column]])
        within = [0] * len(rarities)
        weight = 0.0
        first, missing = 0, len(words)
        for place, word in stands:
            while stands[first][0] <= place - window:
                left = stands[first][1]
                within[left] -= 1
                if not within[left]:
                    weight -= rarities[left]
                    missing += 1
                first += 1
            if not within[word]:
                weight += rarities[word]
                missing -= 1
                if weight > best:
                    best = weight
                if not missing:
                    break  # no passage holds more
            within[word] += 1
    return best


def _row(places: Places, rarities: Sequence[float]) -> float:
    """The weight of the pairs of neighbours in the question that are neighbours in the text, in the same order, in the
    part of the note with most of them."""
    weights = [0.0] * 5
    for word, (here, behind) in enumerate(pairwise(places.found)):
        for column, stands in enumerate(here):
            if not stands or not behind[column]:
                continue
            following = frozenset(behind[column])
            rare = min(rarities[word], rarities[word + 1])
            if not following.isdisjoint([place + 1 for place in stands]):
                weights[column] += rare
            elif not following.isdisjoint([place + 2 for place in stands]):
                weights[column] += rare / 2  # a stop word between them
    return max(weights)


def _name(places: Places, rarities: Sequence[float]) -> float:
    """How much of the question is the title, times how much of the title is the question."""
    best = 0.0
    for column in (TITLE, ALIASES):
        counts = [len(found[column]) for found in places.found]
        if places.lengths[column] and any(counts):
            asked = sum([rare for rare, count in zip(rarities, counts, strict=True) if count])
            best = max(best, asked * min(1.0, sum(counts) / places.lengths[column]))
    return best


# Words that say little about a subject, though they are looked for: quantities, sizes, times, places, and the verbs
# of asking; chosen by hand.
_LISTS: Final = (
    # English
    "also all already always another any anything aside away back before after become besides between both big bring"
    " come comes different down each else enough even ever every everything few find first get gets give given gives"
    " go goes good got happen happens just keep keeps kind know known large let lets like little long longer look made"
    " make makes many mean means more most much need needed needs never next now off often once one only other others"
    " out over own part people per place possible put puts rid same see seem seems several since someone something"
    " still stuff such take taken takes tell thing things think together too turn two under until up upon use used"
    " uses using very want wants way ways well whether whole within without work works yet",
    # German
    "alle alles andere anderen anders beide bleiben dabei dafür davon dazu einfach erst ganz gar geben gehen geht gibt"
    " gleich groß große gut halten immer jede jeden jeder jedes jetzt kommen kommt lange lassen lässt machen macht mehr"
    " nie nun nutzen oft schon sehr selbst sonst tun viel viele wenig wieder wissen zwei zwischen",
    # French
    "alors après assez aucun aucune aussi autre autres avant beaucoup bien chaque chez chose deux donc encore grand"
    " jamais juste mettre moins même peu plusieurs pouvoir prendre sais savoir seul seulement tous tout toute toutes"
    " toujours très trop trouver utiliser veux vers voir",
    # Spanish
    "además ahora algo alguna algunas alguno algunos antes aquí bien cada cosa cuanto dar decir después dos entonces"
    " grande hacia hasta luego menos mientras mismo mucho muchos nunca otra otras otro otros poco poder poner puedes"
    " quiero saber siempre solo tanto tener toda todas todo todos tomar usar varias varios ver vez",
    # Russian
    "более больше будет весь видеть всё все всегда второй где делать должен другие другой другую каждый лучше много"
    " можно надо никогда нужно один одна одно очень опять первый пока после потом почти раз самый свой себя сделать"
    " сейчас сколько снова такой тогда тоже хочу через",
)

_LIGHT_WORDS: Final = frozenset(word for words in _LISTS for word in words.split())
"""In lower case."""

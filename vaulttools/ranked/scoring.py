"""Scores how well a note answers a question, by the places of the words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from vaulttools.index.words import Places
from vaulttools.ranked.weights import NOTE

BODY, TITLE, ALIASES, HEADINGS, PROPERTIES = range(5)
"""The parts of a note, in the order of `Places`."""


def rarity(notes: int, holding: int) -> float:
    """Returns BM25's weight of a word that `holding` of `notes` notes hold, above 0."""
    holding = min(holding, notes)
    return math.log(1 + (notes - holding + 0.5) / (holding + 0.5))


def term_weight(term: str, notes: int, holding: int) -> float:
    """Returns the weight of a question's term that `holding` of `notes` notes hold; light words have an upper bound."""
    rare = rarity(notes, holding)
    return min(rare, NOTE.light_word) if term.lower() in _LIGHT_WORDS else rare


def score(places: Places, rarities: Sequence[float]) -> float:
    """Score a note: 0 if it holds no word, nearly 1 if its title and one of its passages consist of the words.

    `rarities` are the weights of the words, in the order of the question.
    """
    total = sum(rarities)
    if not total:
        return 0.0
    if places.shares:
        rarities = [rare * share for rare, share in zip(rarities, places.shares, strict=True)]
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
    """Returns the highest weight of the words in any `window` words of the body or of the headings."""
    best = 0.0
    for column in (BODY, HEADINGS):
        words = [word for word, found in enumerate(places.found) if found[column]]
        whole = sum([rarities[word] for word in words])
        if whole <= best:
            continue
        if len(words) == 1:
            best = whole
            continue
        in_order = sorted([(place, word) for word in words for place in places.found[word][column]])
        within = [0] * len(rarities)
        weight = 0.0
        first, missing = 0, len(words)
        for place, word in in_order:
            while in_order[first][0] <= place - window:
                left = in_order[first][1]
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
    """Returns the weight of the question's pairs of neighbours that follow each other in the text, too, in the part of
    the note with most of them."""
    weights = [0.0] * 5
    for word, (here, behind) in enumerate(pairwise(places.found)):
        for column, firsts in enumerate(here):
            if not firsts or not behind[column]:
                continue
            following = frozenset(behind[column])
            rare = min(rarities[word], rarities[word + 1])
            if not following.isdisjoint([place + 1 for place in firsts]):
                weights[column] += rare
            elif not following.isdisjoint([place + 2 for place in firsts]):
                weights[column] += rare / 2  # a stop word between them
    return max(weights)


def _name(places: Places, rarities: Sequence[float]) -> float:
    """Returns the weight of the words in the title (or the aliases) times the share of it that consists of them."""
    best = 0.0
    for column in (TITLE, ALIASES):
        counts = [len(found[column]) for found in places.found]
        if places.lengths[column] and any(counts):
            asked = sum([rare for rare, count in zip(rarities, counts, strict=True) if count])
            best = max(best, asked * min(1.0, sum(counts) / places.lengths[column]))
    return best


# Words that are searched for but say little about a subject: quantities, sizes, times, places, and the verbs of asking.
# Chosen by hand.
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
    # Portuguese
    "agora ainda algo algum alguma algumas alguns alguém antes apenas aqui assim bem cada coisa coisas dar depois"
    " dizer dois duas enquanto então fazer ficar grande hoje mesma mesmo muita muitas muito muitos nada ninguém nunca"
    " outra outras outro outros parte pode poder pouco preciso primeiro quero saber sempre tanto ter toda todas todo"
    " todos tudo usar vários ver vez vezes",
    # Italian
    "adesso allora altra altre altri altro ancora anche avere bene certo ciascuno cosa cose davvero dopo due dire già"
    " grande meno mentre mettere molta molte molti molto niente ogni oltre ora parte poco poi possibile potere"
    " prendere prima proprio qualche quasi qualcosa sempre senza sapere spesso stesso tanto troppo tutta tutte tutti"
    " tutto usare vari vedere volta volte voglio",
    # Dutch
    "alle alleen alles altijd andere anders beide blijven daarna doen dus eerst elke genoeg geven goed groot grote"
    " iemand iets ieder iedere komen laten maken meer meest meestal moeten niets nooit nu opnieuw samen soms steeds"
    " toch twee veel vaak verder verschillende weer weinig weten willen zonder zeer zelf",
    # Swedish
    "alla allt alltid andra annan annat bara både finns flera få får ge gå gör göra hela igen ingen inget innan just"
    " kommer kunna lite mer mest mycket många måste någon något några nästan ofta också olika redan sak samma sedan"
    " själv ske skulle sätt två utan varje veta vill väl åt även",
    # Danish
    "alle alt altid anden andet andre blive både efter eller finde flere få får gå gør gøre godt hele hver igen"
    " ingen intet kommer kun kunne lave lidt mange meget mest måske nogen noget nogle næsten ofte samme selv"
    " siden skal skulle stor sådan tage uden ved vide ville virkelig være",
    # Polish
    "bardzo będzie cały czasem coś często dać dlatego dobrze dopiero dużo dwa dwie gdzieś inna inne inny innych jeden"
    " jedna jedno jeszcze jednak każda każde każdy kilka ktoś lepiej mało mieć może można mnóstwo nawet nic nigdy"
    " niektóre nowy ostatnio potem potrzebuję prawie robić również różne sama samo swoje swój tylko teraz trochę"
    " trzeba wiele większość więcej wszystkich wszystkie wszystko wtedy zawsze znowu zrobić",
    # Turkish
    "ancak artık aynı az bazı başka belki beri birçok biraz birkaç bütün büyük daima değil diğer dolayı ediyor edilir"
    " etmek fazla genellikle göre hep hepsi herkes iki iyi kendi kere kez küçük mümkün olmak olur önce sadece sonra"
    " tekrar tüm üzere yalnız yapmak yapılır yine yok zaman",
)

_LIGHT_WORDS: Final = frozenset(word for words in _LISTS for word in words.split())
"""All light words, in lower case."""

"""Lists words that say little about a subject, though they are looked for."""

from __future__ import annotations

from typing import Final

MOST: Final = 2.5
"""What such a word weighs at most, in BM25's weights: that of a word that one note of twelve holds. Where few notes are
in the language of the question, `big` and `put` are as rare as what is asked about."""

# Quantities, sizes, times, places, and the verbs of asking; chosen by hand.
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

LIGHT_WORDS: Final = frozenset(word for words in _LISTS for word in words.split())
"""In lower case."""

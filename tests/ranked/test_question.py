"""A question is read as its terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.ranked import question
from vaulttools.ranked.question import MOST_TERMS

READ = [
    # the question, its terms, its stop words
    ("which mineral is composed of lead sulphate", "mineral composed lead sulphate", "which is of"),
    ("Wie stelle ich eine Datei wieder her?", "stelle Datei wieder her", "Wie ich eine"),
    ("comment créer une note", "créer note", "comment une"),
    ("did the cat die", "cat die", "did the"),
    ("who is who", "is who", ""),
    ("to be or not to be", "or not to be", ""),
    ("router  ROUTER router", "router", ""),
    ("l'été d'Anne", "été Anne", "l d"),
    ("C++ 17", "C++ 17", ""),
    ("C++17 and F#, or C", "C++ 17 F# C", "and or"),
    ("tuning in C#m", "tuning C", "in m"),
    ("is issue #5 about node.js#", "issue 5 node.js", "is about"),
    ("obsidian://open?vault=a", "obsidian open vault", "a"),
    # names with several words
    ("end-to-end encryption", "end-to-end encryption", ""),
    ("RouterReset", "RouterReset", ""),
    ("v0.10.1", "v0.10.1", ""),
    # phrases
    ('about "blue moon" tonight', '"blue moon" blue moon tonight', "about"),
    ("„blauer Mond“", '"blauer Mond" blauer Mond', ""),
    # code that is no word
    ("why was `?` chosen", "chosen `?`", "why was"),
    ("what does `?` do", "`?`", "what does do"),
    ("`x` or ` ` or `", "x", "or"),
    # words that only form a question
    ("Wann war ich zuletzt beim Zahnarzt?", "zuletzt Zahnarzt", "Wann war ich beim"),
    (
        "Combien ai-je couru, et est-ce que j'étais à l'heure ?",
        "couru heure",
        "Combien ai-je et est-ce que j étais à l",
    ),
    ("¿Cuántos libros tenemos?", "libros", "Cuántos tenemos"),
    ("Quanti libri abbiamo?", "libri", "Quanti abbiamo"),
    ("Hoeveel boeken hadden wij?", "boeken", "Hoeveel hadden wij"),
    # scripts without blanks
    ("検索", "検索", ""),
    ("葛\U000e0100城", "葛城", ""),
    # marks of any script are letters; what is invisible is none
    ("ދިވެހި བོད་ཡིག ᮞᮥᮔ᮪ᮓ", "ދިވެހި བོད ཡིག ᮞᮥᮔ᮪ᮓ", ""),
    ("ශ්\u200dරී wor\u00adld hel\u200elo", "ශ්රී world hello", ""),
    ("❤\ufe0f👨\u200d👩 1\ufe0f\u20e3 👍🏽", "❤👨👩 1 👍", ""),
    ("\u0301 \u0640 a\ud800b plain", "b plain", "a"),
    ("水", "水", ""),
    ("削除したファイルを復元する方法", "削除 ファイル 復元 方法", ""),
    ("如何恢复误删的文件", "恢复 复误 误删 文件", ""),
    ("단축키를 바꾸는 방법", "단축 축키 바꾸 방법", ""),
    ("ありがとう", "あり りが がと とう", ""),
    ("Obsidian検索", "Obsidian 検索", ""),
    ("ค้นหา", "ค้น ้นห นหา", ""),
    # nothing
    ("", "", ""),
    ("?! --", "", ""),
]


@pytest.mark.parametrize(("typed", "terms", "dropped"), READ, ids=[case[0] for case in READ])
def test_a_question_becomes_terms_without_its_stop_words(typed: str, terms: str, dropped: str) -> None:
    read = question.read(typed)
    names = [f'"{term.text}"' if term.is_phrase else term.text for term in read.terms]
    assert (" ".join(names), " ".join(read.stop_words)) == (terms, dropped)


def test_a_word_that_english_shares_does_not_make_a_question_foreign() -> None:
    assert "en" in question.read("price per head of the caterer").languages
    assert "en" in question.read("chosen caterer price per head").languages


def test_a_name_of_several_words_has_two_spellings() -> None:
    [joined], [apart] = question.read("end-to-end").terms, question.read("RouterReset").terms
    assert [spelling.text for spelling in joined.spellings] == ["end-to-end", "endtoend"]
    assert [spelling.text for spelling in apart.spellings] == ["RouterReset", "Router Reset"]


def test_a_long_question_is_cut_to_its_first_words() -> None:
    read = question.read(" ".join(f"word{number}" for number in range(100)))
    assert len(read.terms) == MOST_TERMS
    assert read.is_cut


@given(st.text(max_size=80))
def test_any_text_is_a_question(typed: str) -> None:
    read = question.read(typed)
    assert all(term.spellings or term.literal for term in read.terms)
    holds_any = any(character.isalnum() for character in typed) or typed.count("`") > 1
    assert bool(read.terms) <= holds_any or not typed.isascii()


@pytest.mark.parametrize(
    "typed",
    [
        "How many licenses do we need?",
        "How big is the buffer by default?",
        "Wie viele Lizenzen brauchen wir?",
        "Combien de licences faut-il ?",
        "¿Cuántas licencias hacen falta?",
        "Hoeveel licenties zijn er nodig?",
        "When was the office opened?",
        "In what year was it opened?",
        "Wann wurde es eröffnet?",
        "Quand a-t-il ouvert ?",
        "¿Cuándo se abrió?",
        "Quando foi aberto?",
        "Wanneer ging het open?",
        "How much does a license cost?",
        "Was kostet das und wie viel zahlen Vereine?",
        "Combien coûte une licence ?",
    ],
)
def test_a_question_asks_for_a_number(typed: str) -> None:
    assert question.read(typed).asks_for_number


@pytest.mark.parametrize("typed", ["How do I rename a note?", "What happens when I rename a note?"])
def test_a_question_asks_for_no_number(typed: str) -> None:
    assert not question.read(typed).asks_for_number

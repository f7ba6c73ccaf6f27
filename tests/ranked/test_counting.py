"""The regexes that count words without an index: each matches wherever its term occurs."""

from __future__ import annotations

from collections.abc import Callable
from unicodedata import combining, normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.core.work import Work
from vaulttools.index.words import Spelling, tokens
from vaulttools.matching import ripgrep
from vaulttools.ranked.counting import any_of, beginnings, expression, is_word, terms_of
from vaulttools.ranked.finder import Finder
from vaulttools.ranked.question import QuestionTerm, read, word


def matches(asked: str, text: str) -> bool:
    [term] = read(asked).terms
    return ripgrep.locate().lines_matching([expression(term)], [text], Work()) == ({0}, None)


@pytest.mark.parametrize(
    ("asked", "text", "found"),
    [
        ("mineralogy", "of mineralogies", True),
        ("résumés", "his resume", True),
        ("resume", "son résumé", True),
        ("resume", "son re\u0301sume\u0301", True),
        ("RouterReset", "router reset", True),
        ("end-to-end", "end to end", True),
        ("lead", "plead", False),
        ("lead", "snake_lead", True),
        ("lead", "Öre\u2014lead", True),
        ("ötzi", "the_Ötzi", True),
        ("ötzi", "dötzi", False),
        ("руда", "и Руда", True),
        ("руда", "неруда", False),
        ("где смородина", "Смородину", True),
        ("где смородина", "смрад", False),
        ("خواهم", "می\u200cخواهم", True),
        ("red-lead", "red_lead", True),
        ("minéralogie", "MINERALOGIE", True),
        ("紅葉", "秋の紅葉", True),
        ("c++", "a c b", False),
        ("c++", "a C++17 b", True),
    ],
)
def test_a_term_is_found_in_any_inflection_and_accents(asked: str, text: str, found: bool) -> None:
    assert matches(asked, text) == found


WORDS = st.text("abcdeilmnoprstuyéüß", min_size=3, max_size=9)


@settings(max_examples=50)
@given(asked=WORDS, ending=st.sampled_from(["", "s", "ing", "ed", "es", "ly"]))
def test_every_form_that_the_index_takes_for_the_same_word_is_matched(asked: str, ending: str) -> None:
    terms = read(asked).terms
    other = asked + ending
    if len(terms) == 1 and [stem for _, _, stem in tokens(other)] == [stem for _, _, stem in tokens(asked)]:
        assert matches(asked, other)


WRITTEN = ["lead", "Leads", "leading", "plead", "ötzi", "Otzi", "o\u0308tzis", "руда", "РУДЫ", "неруда", "ores", "öre"]
PIECES = st.sampled_from([*WRITTEN, *"_- 7.é\u2014\u200c\u0301\ue000\n"])


@settings(max_examples=50)
@given(texts=st.lists(st.lists(PIECES, max_size=12).map("".join), min_size=1, max_size=8))
def test_words_searched_for_together_are_found_wherever_they_occur(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("notes")
    for number, text in enumerate(texts):
        (folder / f"{number}.md").write_text(text, encoding="utf-8", newline="\n")
    terms = [*map(word, ("lead", "ötzi", "ore", "ores", "leading")), word("рудами", frozenset({"ru"}))]
    counted, stopped = ripgrep.locate().counts_of_texts(any_of(terms), str(folder), (), Work())
    numbers = terms_of(terms)
    assert stopped is None
    for number, text in enumerate(texts):
        held = {term for match in counted.get(f"{number}.md", ()) for term in numbers(match)}
        assert {term for _, term in Finder(terms).occurrences(text)} <= held, text
        assert held <= {term for term, each in enumerate(terms) if any(map(text_holds(text), beginnings(each)))}


def text_holds(text: str) -> Callable[[str], bool]:
    """A test whether a text holds another anywhere; it ignores case and accents."""
    plain = "".join(sign for sign in normalize("NFD", text.lower()) if not combining(sign))
    return lambda beginning: beginning in plain


def test_only_terms_of_one_word_are_searched_for_together() -> None:
    terms = [*read('lead "red ore" end-to-end RouterReset 紅葉').terms, QuestionTerm("re-set", (Spelling("reset"),))]
    assert [term.text for term in terms if is_word(term)] == ["lead", "red", "ore", "re-set"]


def test_the_beginnings_of_a_term_are_its_stems() -> None:
    assert [beginnings(term) for term in read("chlorites RouterReset 紅葉").terms] == [
        ["chlorit"],
        ["routerreset"],
        ["红叶"],
    ]

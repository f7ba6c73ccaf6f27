"""Ranked search: the best notes first, whatever the index knows of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.ranked.ranking import Ranked, opened
from vaulttools.index import build
from vaulttools.notes.note import Note
from vaulttools.ranked.evidence import Evidence, RankedNote
from vaulttools.ranked.finder import Finder
from vaulttools.ranked.question import read

NOTES = {
    "Minerals/Anglesite.md": "Consists of lead sulphate and forms where galena weathers.\n",
    "Minerals/Galena.md": "---\naliases: [lead glance]\n---\nThe sulphide, and the most important ore of lead.\n",
    "Minerals/Collection.md": "Galena, Anglesite, Malachite: all minerals are in the cabinet.\n",
    "Minerals/Malachite.md": "A carbonate of copper, green, used for jewellery.\n",
    "House/RouterReset.md": "Hold the button for ten seconds.\n",
    "House/Café.md": "Crème brûlée for our guests.\n",
    "旅行/京都.md": "十一月の終わりに紅葉を見に行く。宿は駅の近く。\n",
    "旅行/東京.md": "成田から電車で一時間。美術館は月曜日が休み。\n",
    **{f"Filler/{number}.md": f"Nothing of interest in this one, number {number}.\n" for number in range(30)},
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ranked]:
    with opened(tmp_path_factory.mktemp("ranked"), NOTES) as made:
        yield made


FIRST = [
    ("which mineral is composed of lead sulphate", "Minerals/Anglesite.md"),
    ("galena", "Minerals/Galena.md"),
    ("lead glance", "Minerals/Galena.md"),
    ("green jewellery", "Minerals/Malachite.md"),
    ("router reset", "House/RouterReset.md"),
    ("RouterReset", "House/RouterReset.md"),
    ("router-reset", "House/RouterReset.md"),
    ("creme brulee", "House/Café.md"),
    ("CAFÉ", "House/Café.md"),
    ("紅葉", "旅行/京都.md"),
    ("駅の近くの宿", "旅行/京都.md"),
    ("東京の美術館", "旅行/東京.md"),
    ("电车 電車", "旅行/東京.md"),
    # other spellings
    ("malachyte", "Minerals/Malachite.md"),
    ("galnea ore", "Minerals/Galena.md"),
    ("jewel", "Minerals/Malachite.md"),
]


@pytest.mark.parametrize("blind", [False, True], ids=["index", "no index"])
@pytest.mark.parametrize(("question", "first"), FIRST, ids=[case[0] for case in FIRST])
def test_the_note_that_answers_comes_first(vault: Ranked, question: str, first: str, blind: bool) -> None:
    assert vault.ask(question, blind=blind).notes[0].path == first


@pytest.mark.parametrize(
    ("question", "sentences", "facts"),
    [
        ("galena", 0, []),
        ("malachyte", 1, ['No note has the word "malachyte"; "malachite" was searched for instead.']),
        ("jewel", 'No note has the word "jewel"; words that start with it were searched for.', []),
        ("galena zzzzzz", 'No note has the word "zzzzzz".', ['No note has the word "zzzzzz".']),
        ("galena mention", 'No note has the word "mention".', []),
        ('"lead sulphide"', 'No note holds "lead sulphide"; its words were searched for one by one.', []),
        ("ten-buttons", 'No note has the word "ten-buttons"; its parts were searched for: ten, buttons.', []),
        ("紫禁城", "No note holds any part of it.", []),
    ],
)
def test_the_explanation_says_what_was_searched_for_instead_and_the_answer_what_tells(
    vault: Ranked, question: str, sentences: str | int, facts: list[str]
) -> None:
    ranking = vault.ask(question)
    assert ranking.absences == facts
    said = list(ranking.explanation[-1:]) if isinstance(sentences, str) else facts
    assert said == ([sentences] if isinstance(sentences, str) else facts)


SIGNED = {
    "C.md": "A language with pointers.\n",
    "C++ at work.md": "Templates.\n",
    "Alias.md": "---\naliases: [C#]\n---\nA language with a runtime.\n",
    "Heading.md": "# c++17\n\nFolds.\n",
    "Editor.md": "I write in Notepad++ and in F#.\n",
    "Links.md": "[[Music#Intro]], [[C#Intro]], abc++, objC#, C##.\n",
    "Tuning.md": "From F#, “C#” or Ä-C++ down to C.\n",
    "Glued.md": "我用C#写代码。この言語はC++です。ภาษาC++ครับ\n",
    **{f"Vitamins/{number}.md": f"C and D, glass {number}.\n" for number in range(300)},
}


@pytest.mark.parametrize("blind", [False, True], ids=["index", "no index"])
@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("C++", ["C++ at work.md", "Glued.md", "Heading.md", "Tuning.md"]),
        ("c#", ["Alias.md", "Glued.md", "Tuning.md"]),
        ("F#", ["Editor.md", "Tuning.md"]),
        ("notepad++", ["Editor.md"]),
        ("notepad", ["Editor.md"]),
    ],
)
def test_a_name_that_ends_in_signs_is_found_where_it_is_written(
    tmp_path_factory: pytest.TempPathFactory, question: str, found: list[str], blind: bool
) -> None:
    with opened(tmp_path_factory.mktemp("signed"), SIGNED) as vault:
        assert sorted(note.path for note in vault.ask(question, blind=blind).notes) == found


BEFORE = ["", " ", "x", "1", "_", "ọ", "o\u0323", "ß", "Ä-", "“", "я ", "我", "の", "ใช้", "[[", "**", "#", "/", ".", "‍"]
AFTER = ["", " ", "x", "1", "_", "#", "我", "”", "]]", "**", "17", ", ", "é"]


def test_ripgrep_finds_such_names_where_the_texts_hold_them(tmp_path_factory: pytest.TempPathFactory) -> None:
    pairs = [(before, name, after) for name in ("C++", "c#") for before in BEFORE for after in AFTER]
    texts = {f"{number}.md": "".join(pair) + "\n" for number, pair in enumerate(pairs)}
    with opened(tmp_path_factory.mktemp("signed"), texts) as vault:
        for asked in ("C++", "C#"):
            finder = Finder(read(asked).terms)
            held = [path for path, text in texts.items() if any(map(any, finder.places(Note(path, text)).found))]
            assert sorted(vault.paths(asked, most=len(texts))) == sorted(held)
            assert 0 < len(held) < len(texts) / 2


def test_a_name_for_which_there_was_no_time_is_named(tmp_path_factory: pytest.TempPathFactory) -> None:
    with opened(tmp_path_factory.mktemp("signed"), SIGNED) as vault:
        answer = vault.ask("C#", time_limit=0)
        assert answer.part == 'Part of the answer: not all notes were searched for "C#". Ask again.'


def test_without_such_a_name_its_word_is_searched_for_and_the_answer_says_so(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with opened(tmp_path_factory.mktemp("signed"), SIGNED) as vault:
        answer = vault.ask("D++")
        assert all(note.path.startswith("Vitamins/") for note in answer.notes) and answer.notes
        assert answer.absences == ['No note that was searched has "D++"; the word "D" was searched for instead.']


@pytest.mark.parametrize("blind", [False, True], ids=["index", "no index"])
def test_a_word_of_little_meaning_puts_no_note_first_however_rare_it_is(
    tmp_path_factory: pytest.TempPathFactory, blind: bool
) -> None:
    notes = {
        "Style.md": "Where an image is too big, make it smaller.\n",
        "Sync.md": "A plan sets the size of files that can be synced.\n",
        **{f"Filler/{number}.md": "Anything is synced, and no file is left.\n" for number in range(0, 40, 4)},
        **{f"Filler/{number}.md": "Each file is kept.\n" for number in range(1, 40, 4)},
        **{f"Filler/{number}.md": "Nothing of interest.\n" for number in range(2, 40, 2)},
    }
    with opened(tmp_path_factory.mktemp("light"), notes) as vault:
        found = [note.path for note in vault.ask("how big may a synced file be", most=30, blind=blind).notes]
        assert found.index("Sync.md") < found.index("Style.md")
        assert vault.ask("too big", blind=blind).notes[0].path == "Style.md"


GRAPH = {
    "en": "# Graph view\n\nThe graph view shows the notes of a vault as dots, and the links between them as lines.\n",
    "de": "# Graph view\n\nDer Graph view zeigt die Notizen des Vaults als Punkte und die Links als Linien.\n",
    "fr": "# Graph view\n\nLe graph view montre les notes du vault par des points, et les links par des lignes.\n",
    "ru": "# Graph view\n\nGraph view показывает заметки из vault и links между ними как точки и линии на экране.\n",
    "zh": "# Graph view\n\nGraph view 会把 vault 里的 notes 显示为点，把 links 显示为线，这样就能看到它们的关系。\n",
}


@pytest.mark.parametrize("blind", [False, True], ids=["index", "no index"])
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How do the notes of a vault look in the graph view?", "en"),
        ("Wie sehen die Notizen im Graph view aus?", "de"),
        ("Comment voir les notes du vault dans le graph view ?", "fr"),
        ("Как выглядит vault в graph view?", "ru"),
        ("graph view 里怎么看 vault？", "zh"),
    ],
)
def test_the_translation_in_the_language_of_the_question_comes_first(
    tmp_path_factory: pytest.TempPathFactory, question: str, first: str, blind: bool
) -> None:
    notes = {f"{name}/Graph view.md": text for name, text in GRAPH.items()}
    with opened(tmp_path_factory.mktemp("languages"), notes) as vault:
        found = [note.path for note in vault.ask(question, blind=blind).notes]
    assert found[0] == f"{first}/Graph view.md"
    assert sorted(found) == sorted(notes)


SITES = {
    "en/Sites.md": "# Publish a site\n\nYou can publish the notes of a vault, and manage each site in the settings.\n",
    "pt/Sites.md": "# Site Publish\n\nO Publish site é um site que se pode criar com as notas do cofre.\n",
    "de/Sites.md": "# Publish-Site\n\nMit der Site kann man die Notizen auf einer Seite im Netz zeigen.\n",
    "fr/Sites.md": "# Site Publish\n\nLe site est fait avec les notes que vous avez dans le coffre.\n",
}
INTERNE = {
    "en/Links.md": "# Internal links\n\nYou can link from one of the notes to another, by internal links.\n",
    "de/Links.md": "# Interne Links\n\nMan kann von einer der Notizen auf die andere zeigen, mit der sie zu tun hat.\n",
    "fr/Liens.md": "# Liens internes\n\nUn lien peut aller d'une des notes à une autre, et les links sont là.\n",
}


@pytest.mark.parametrize("blind", [False, True], ids=["index", "no index"])
@pytest.mark.parametrize(
    ("notes", "question", "languages"),
    [
        (SITES, "publish site", {"en", ""}),  # English words in a vault of many languages
        (INTERNE, "internal links", {"en", ""}),
        (INTERNE, "interne links", set()),  # also English words, but no English note has them
        (SITES, "publish sitio", set()),
        (SITES, "publish a site for the web", {"en"}),
        ({"en/Sites.md": SITES["en/Sites.md"]}, "publish site", set()),  # the language makes no difference
        ({f"de/{each}.md": SITES["de/Sites.md"] for each in range(4)} | SITES, "publish site", set()),
    ],
)
def test_a_few_english_words_are_english_unless_most_notes_are_in_another_language(
    tmp_path_factory: pytest.TempPathFactory, notes: dict[str, str], question: str, languages: set[str], blind: bool
) -> None:
    with opened(tmp_path_factory.mktemp("languages"), notes) as vault:
        assert vault.ask(question, blind=blind).languages == languages


@pytest.mark.parametrize("blind", [False, True], ids=["index", "no index"])
def test_a_page_comes_before_translations_that_have_its_words_as_names(
    tmp_path_factory: pytest.TempPathFactory, blind: bool
) -> None:
    with opened(tmp_path_factory.mktemp("languages"), SITES) as vault:
        assert vault.ask("publish site", blind=blind).notes[0].path == "en/Sites.md"


@pytest.mark.parametrize("question", ["", "...", "zzzzzz", "紫禁城"])
def test_a_question_without_a_match_finds_nothing(vault: Ranked, question: str) -> None:
    ranking = vault.ask(question)
    assert (list(ranking.notes), ranking.is_weak) == ([], True)


@pytest.mark.parametrize("question", ["galena", "lead ore", "interest", "電車 galena", "紅葉"])
def test_only_notes_of_the_scope_are_found(vault: Ranked, question: str) -> None:
    scope = frozenset({"Minerals/Galena.md", "Filler/3.md", "旅行/東京.md"})
    ranking = vault.ask(question, scope)
    assert {hit.path for hit in ranking.notes} <= scope


def test_a_note_of_the_scope_is_found_however_many_better_ones_lie_elsewhere(tmp_path: Path) -> None:
    many = {f"in/{number}.md": "anchor anchor\n" for number in range(300)}
    with opened(tmp_path, {**many, "out/a.md": "An anchor, once, in a text with some other words.\n"}) as made:
        assert made.paths("anchor", frozenset({"out/a.md"})) == ["out/a.md"]


def test_notes_that_hold_most_of_the_question_are_read_first(tmp_path: Path) -> None:
    many = {f"{number:03}.md": "東京の話。\n" for number in range(150)}
    with opened(tmp_path, {**many, "旅行/東京.md": "東京の美術館は月曜日が休み。\n"}) as made:
        assert made.paths("東京の美術館")[0] == "旅行/東京.md"


def test_pages_show_every_note_once(tmp_path: Path) -> None:
    with opened(tmp_path, {f"{number}.md": "anchor " * (number % 9 + 1) for number in range(300)}) as made:
        pages = [[hit.path for hit in made.ask("anchor", most=most).notes] for most in (10, 70, 300)]
        assert [pages[2][: len(each)] for each in pages] == pages
        assert len(set(pages[2])) == 300


def test_equal_notes_are_ordered_by_tag_then_newest_then_path(tmp_path: Path) -> None:
    same = "anchor\n"
    with opened(tmp_path, {}) as made:
        made.write({f"{name}.md": same for name in "abcd"} | {"e.md": "---\ntags: [anchor]\n---\nanchor\n"})
        for name, seconds in (("a", 10), ("b", 30), ("c", 20), ("d", 30), ("e", 5)):
            os.utime(made.folder / f"{name}.md", (1_700_000_000 + seconds,) * 2)
        made.settle()
        assert made.paths("anchor") == ["e.md", "b.md", "d.md", "c.md", "a.md"]


def test_a_word_of_all_notes_is_found_beside_a_word_outside_the_scope(tmp_path: Path) -> None:
    notes = {f"{number}.md": "The needle is here.\n" for number in range(1_000)}
    with opened(tmp_path, {**notes, "rare.md": "A kavel.\n"}) as made:
        found = made.ask("needle kavel", frozenset(notes)).notes
        assert len(list(found)) >= 10


def test_notes_without_time_to_read_are_counted_and_no_word_is_called_absent(tmp_path: Path) -> None:
    with opened(tmp_path, NOTES) as made:
        ranking = made.ask("galena zirconium", stop=lambda: True, blind=True)
        assert (list(ranking.notes), list(ranking.waiting)) == ([], sorted(NOTES))
        assert (list(ranking.absences), ranking.is_weak) == ([], False)


WORDS = "anchor anchors chain harbour the of tide-table 紅葉 検索 été Ete RopeWork rope work рудами руда".split()  # noqa: SIM905
TEXTS = st.lists(st.sampled_from([*WORDS, "\n\n", "# ", "- ", "#rope "]), max_size=25).map(" ".join)
VAULTS = st.dictionaries(st.sampled_from([f"{word} {n}.md" for word in WORDS for n in range(2)]), TEXTS, max_size=8)
QUESTIONS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


MISSPELT = "ancor anchr chian harbuor roep tid gallena".split()  # noqa: SIM905
ASKED = st.tuples(st.lists(st.sampled_from([*WORDS, *MISSPELT]), min_size=1, max_size=4).map(" ".join), st.booleans())
"""A question, and whether its scope is only half of the notes."""


@pytest.mark.parametrize("watch", ["auto", "off"])
@settings(max_examples=12, deadline=None)
@given(files=VAULTS, changes=VAULTS, gone=st.sets(st.integers(0, 7)), asked=st.lists(ASKED, min_size=1, max_size=6))
@example(
    files={},
    changes={"anchor 0.md": "", "anchor 1.md": "紅葉", "chain 0.md": "紅葉", "anchors 0.md": f"anchor{' the' * 4}"},
    gone=set(),
    asked=[("anchor", False)],
)  # a note without a word of the question does not tell its language
def test_changed_and_removed_notes_count_as_in_a_fresh_index(
    watch: str,
    monkeypatch: pytest.MonkeyPatch,
    later: None,
    tmp_path_factory: pytest.TempPathFactory,
    files: dict[str, str],
    changes: dict[str, str],
    gone: set[int],
    asked: list[tuple[str, bool]],
) -> None:
    monkeypatch.setenv("VAULTTOOLS_WATCH", watch)
    with opened(tmp_path_factory.mktemp("changing"), files) as made:
        made.write(changes)
        for number, path in enumerate(sorted(files)):
            if number in gone:
                (made.folder / path).unlink()
        half = frozenset(path for number, path in enumerate(made.notes()) if number % 2)

        def answers() -> list[tuple[object, ...]]:
            found = (made.ask(question, half if is_part else None, most=50) for question, is_part in asked)
            return [(list(each.notes), each.is_weak, each.absences, each.unfound, each.rarities) for each in found]

        changed = answers()
        made.settle()
        assert changed == answers()


@pytest.mark.parametrize("watch", ["auto", "off"])
def test_a_word_that_only_a_deleted_note_had_is_corrected_at_once(
    watch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, later: None
) -> None:
    monkeypatch.setenv("VAULTTOOLS_WATCH", watch)
    with opened(tmp_path, {"gone.md": "gallena\n", "other.md": "galena\n"}) as made:
        monkeypatch.setattr(build, "update", lambda *args, **options: build.Updated(busy=True))  # nothing is indexed
        (made.folder / "gone.md").unlink()
        ranking = made.ask("gallena")
        assert [hit.path for hit in ranking.notes] == ["other.md"]
        assert ranking.absences == ['No note has the word "gallena"; "galena" was searched for instead.']


@pytest.mark.parametrize("watch", ["auto", "off"])
def test_a_word_of_a_new_note_outside_the_scope_is_not_called_absent(
    watch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, later: None
) -> None:
    monkeypatch.setenv("VAULTTOOLS_WATCH", watch)
    with opened(tmp_path, NOTES) as made:
        made.write({"new.md": "An anchor.\n"})
        for scope in (frozenset[str](), frozenset({"Minerals/Galena.md"})):
            assert made.ask("anchor lead", scope).absences == []


def test_many_new_notes_outside_the_scope_count_by_what_was_known_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path, NOTES) as made:
        monkeypatch.setattr(build, "update", lambda *args, **options: build.Updated(busy=True))  # nothing is indexed
        made.write({path: f"{text} Once more.\n" for path, text in NOTES.items()})
        assert made.ask("lead", frozenset()).absences == []


@settings(max_examples=12, deadline=None)
@given(files=VAULTS, questions=st.lists(QUESTIONS, min_size=1, max_size=6))
def test_a_note_is_a_hit_exactly_when_it_holds_a_word(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, str], questions: list[str]
) -> None:
    with opened(tmp_path_factory.mktemp("holding"), files) as made:
        for question in questions:
            indexed, blind = made.ask(question, most=50), made.ask(question, most=50, blind=True)
            assert {scored(each) for each in indexed.notes} == {scored(each) for each in blind.notes}
            for ranking in (indexed, blind):
                for path in files:
                    note = made.read(path)
                    assert note is not None
                    holds = any(any(map(any, [columns])) for columns in ranking.finder.places(note).found)
                    assert holds == (path in {hit.path for hit in ranking.notes})


def scored(note: RankedNote) -> tuple[str, float, tuple[Evidence, ...]]:
    return note.path, note.score, tuple(note.evidence)

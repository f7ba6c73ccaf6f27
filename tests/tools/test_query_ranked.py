"""`query` in mode ranked: the notes that answer a question best, and what a model reads of them."""

from __future__ import annotations

import itertools
import json
import os
import re
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.answered import ranked
from tests.conftest import MakeVault
from tests.ranked.ranking import index_being_built
from vaulttools import BadArgument, Vault, VaultConfig
from vaulttools.core import limits, paths
from vaulttools.ranked.counting import MANY
from vaulttools.ranked.showing import LINE_CHARACTERS
from vaulttools.ranked.weights import BY_WORDS

NOTES = {
    "Minerals/Anglesite.md": "# Anglesite\n\nConsists of lead sulphate.\n\n## Origin\n\n- Where galena weathers.\n",
    "Minerals/Galena.md": "---\ntags: [ore]\nstatus: done\n---\nThe most important ore of lead.\n",
    "Places/Mine.md": "An old lead mine, closed.\n",
    "Drafts/Lead.md": "draft about lead\n",
    "notes.txt": "lead sulphate, but no note",
}


def found(vault: Vault, query: str, **arguments: object) -> list[str]:
    answer = vault.call("query", {"query": query, **arguments})
    assert not answer.is_error, answer.text
    return [note["path"] for note in answer.details["notes"]]


def test_the_answer_as_a_model_reads_it(make_vault: MakeVault) -> None:
    answer = ranked(make_vault(NOTES).query("which mineral is composed of lead sulphate", limit=2, explain=True))
    assert answer.text == (
        "Understood as:\n"
        "Any of these, in any inflection, case and accents: lead, sulphate.\n"
        "Not looked for, since they say little: which, is, of.\n"
        'No note has the words "mineral", "composed".\n'
        "\n"
        'Showing 1 note, best first. No note has the word "mineral".\n'
        "\n"
        "## Minerals/Anglesite.md\n"
        "Lines 1-7:\n"
        "  # Anglesite\n"
        "  Consists of lead sulphate.\n"
        "  ## Origin\n"
        "  - Where galena weathers.\n"
        "\n"
        "[Set page to 2 for the next notes.]"
    )
    assert answer.notes[0].model_dump() == {
        "path": "Minerals/Anglesite.md",
        "title": "Anglesite",
        "score": answer.notes[0].score,
        "passages": [
            {
                "start_line": 1,
                "end_line": 7,
                "page": None,
                "heading": ["Anglesite"],
                "text": "# Anglesite\n\nConsists of lead sulphate.\n\n## Origin\n\n- Where galena weathers.",
                "found_by": ["words"],
                "copies": [],
            }
        ],
    }
    scores = [note.score for note in answer.notes]
    assert 1 >= scores[0] > scores[1] > 0
    assert (answer.shown_notes, answer.weak, answer.next_page) == (1, False, 2)
    assert (answer.complete, answer.searched) == (True, 4)


LONG = "\n".join(
    [
        *("---", "date: 2026-05-12", "status: open", "---", "# Boiler", ""),
        *("The pressure of the boiler falls in a week; the valve lets it out.", ""),
        *(f"## Part {part}\n\n{'Nothing of the kind is said in this sentence. ' * 16}\n" for part in range(3)),
    ]
)
"""Too long to be shown whole; its first passage answers."""

HOUSE = {
    "House/Heating.md": LONG,
    "Daily/2026-05-11.md": "The pressure of the boiler falls, and the valve is wet.\n",
    "House/Boiler.md": "The boiler was new in 2019.\n",
    "Garden.md": "Beans and peas.\n",
}


def test_notes_have_a_date_a_length_and_what_to_read_next(make_vault: MakeVault) -> None:
    answer = ranked(make_vault(HOUSE).query("pressure of the boiler falls", folder="House"))
    first, _, rest = answer.text.partition("\n\n")
    assert first == "Showing 1 of 2 notes that match the filters, best first."
    assert rest.startswith(
        "## House/Heating.md (12 May 2026, 19 lines)\n"
        "Properties: date: 2026-05-12; status: open\n"
        "Lines 5-7:\n"
        "  # Boiler\n"
        "  The pressure of the boiler falls in a week; the valve lets it out.\n"
    )
    assert '[To read on: read {"note": "House/Heating.md", "start_line": 9}]' in rest.splitlines()
    assert answer.notes[0].date == "2026-05-12"


def test_it_is_the_default_and_answers_the_same_without_an_index(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    assert found(vault, "lead ore") == found(vault, "lead ore", mode="ranked")
    assert found(vault, "lead ore") != found(vault, "lead ore", mode="obsidian")
    with Vault.open(vault.path, index="off") as other:
        assert found(other, "lead ore") == found(vault, "lead ore")


def test_pages_go_on_where_the_last_one_ended(make_vault: MakeVault) -> None:
    vault = make_vault({f"{number:03}.md": f"lead {number} " * (1 + number % 7) for number in range(150)})
    vault.read_structures()  # before that only the order may differ from page to page
    pages = [found(vault, "lead", limit=40, page=number) for number in (1, 2, 3, 4, 5)]
    assert [len(page) for page in pages] == [40, 40, 40, 30, 0]
    assert len({path for page in pages for path in page}) == 150
    assert "Page 5 is past the end." in vault.query("lead", limit=40, page=5).text
    with Vault.open(vault.path, config=VaultConfig(time_limit=0.001), index="off") as hurried:
        text = hurried.query("lead", limit=40, page=5).text
    assert text.startswith("Page 5 was not reached: stopped after 0.001 s, ") and "past the end" not in text


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("lead tag:#ore", ["Minerals/Galena.md"]),
        ("lead path:Places", ["Places/Mine.md"]),
        ("lead [status:done]", ["Minerals/Galena.md"]),
        ("ore closed -[status]", ["Places/Mine.md"]),
        ("lead sulphate -draft -closed -important", ["Minerals/Anglesite.md"]),
        ("tag:#ore", ["Minerals/Galena.md"]),
    ],
)
def test_operators_limit_what_is_ranked(make_vault: MakeVault, query: str, paths: list[str]) -> None:
    assert found(make_vault(NOTES), query) == paths


def test_operators_alone_are_answered_within_max_chars(make_vault: MakeVault) -> None:
    vault = make_vault({f"note {number}.md": "ore and lead\n\n" * 9 for number in range(9)})
    answer = vault.query("line:(ore lead)", max_chars=600)
    assert len(answer.text) <= 600
    assert "[Cut at 600 bytes: " in answer.text and "Raise max_chars." in answer.text
    assert len(vault.query("line:(ore lead)", mode="obsidian", max_chars=600).text) > 600


@pytest.mark.parametrize(
    "query", ["grep -i lead", "lead - and - zinc", "note: lead", "a [link](to:lead)", "[[lead]]", "lead -[ ] -[x]"]
)
def test_text_that_only_looks_like_an_operator_limits_nothing(make_vault: MakeVault, query: str) -> None:
    assert "Only notes that match" not in make_vault(NOTES).query(query).text


def test_only_the_scope_is_searched(make_vault: MakeVault, tmp_path: Path) -> None:
    vault = make_vault({**NOTES, ".obsidian/app.json": '{"userIgnoreFilters": ["Drafts/"]}', ".obsidian/n.md": "lead"})
    assert sorted(found(vault, "lead")) == ["Minerals/Anglesite.md", "Minerals/Galena.md", "Places/Mine.md"]
    assert found(vault, "lead", folder="Places") == ["Places/Mine.md"]
    assert found(vault, "lead", glob="**/Gal*") == ["Minerals/Galena.md"]
    assert "Drafts/Lead.md" in found(vault, "lead", include_excluded=True)
    assert "Passed over: 1 excluded" in vault.query("draft").text


def test_the_order_can_be_chosen(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    for number, path in enumerate(NOTES):
        os.utime(Path(vault.path, path), (1_700_000_000 + number,) * 2)
    by_time = ["Drafts/Lead.md", "Places/Mine.md", "Minerals/Galena.md", "Minerals/Anglesite.md"]
    assert found(vault, "lead", sort="modified") == by_time
    assert found(vault, "lead", sort="-modified") == by_time[::-1]
    assert found(vault, "lead", sort="name") == sorted(by_time, key=lambda path: path.rpartition("/")[2])
    assert found(vault, "lead", sort="relevance") == found(vault, "lead")


def test_what_operators_did_and_what_belongs_to_the_other_mode_is_reported(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    assert "[Only notes that match -draft as in mode obsidian.]" in vault.query("lead -draft").text
    assert "[There are no words to rank by: answered as mode obsidian.]" in vault.query("tag:#ore").text
    assert "[Case is ignored: match_case works in mode obsidian only.]" in vault.query("lead", match_case=True).text
    notice = "[Sorted by name: relevance exists in mode ranked only.]"
    assert notice in vault.query("lead", mode="obsidian", sort="relevance").text


@pytest.mark.parametrize("query", ["", "?!", "   "])
def test_a_query_without_a_word_is_refused_in_one_sentence(make_vault: MakeVault, query: str) -> None:
    with pytest.raises(BadArgument, match="query must hold a letter or a digit"):
        make_vault(NOTES).query(query)


def test_an_empty_answer_names_the_words_that_occur_nowhere(make_vault: MakeVault) -> None:
    assert make_vault(NOTES).query("zzzzzz").text == 'No notes found. No note has the word "zzzzzz".'


@pytest.mark.parametrize(
    "query", ["z" * 30_000, f"lead {'z' * 30_000}", " ".join("z" * 600 + str(n) for n in range(32))]
)
def test_a_word_of_any_length_may_be_asked_for(make_vault: MakeVault, query: str) -> None:
    vault = make_vault(NOTES)
    answer = vault.query(query)
    assert len(answer.text) <= 3_000
    assert answer.notes == (vault.query("lead").notes if "lead" in query else [])


def test_properties_are_ranked_and_shown(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "Boat.md": "---\nmmsi: 244660123\nberth: C 12\n---\nShe is blue.\n"})
    assert vault.query("done").text == (
        "Showing 1 note, best first.\n\n"
        "## Minerals/Galena.md\n"
        "Properties: status: done; tags: ore\n"
        "Line 5:\n"
        "  The most important ore of lead."
    )
    named_first = {"which mmsi does she have": 0, "244660123": 0, "berth": 1}
    for question, first in named_first.items():
        answer = vault.query(question)
        assert answer.notes[0].path == "Boat.md"
        line = "; ".join(("mmsi: 244660123", "berth: C 12")[:: -1 if first else 1])
        assert f"\nProperties: {line}\n" in answer.text


def test_properties_of_the_page_are_shown_where_the_question_names_them(make_vault: MakeVault) -> None:
    vault = make_vault(
        {"a.md": "---\ncssclasses: [wide]\npermalink: vessel\nberth: C 12\n---\nThe keel of the boat.\n"}
    )
    assert "\nProperties: berth: C 12\n" in vault.query("keel of the boat").text
    assert "cssclasses" not in vault.context("keel of the boat").text
    assert "\nProperties: permalink: vessel; berth: C 12\n" in vault.query("permalink of the boat").text


def test_of_many_properties_those_that_the_question_names_come_first_and_others_are_counted(
    make_vault: MakeVault,
) -> None:
    many = "".join(f"other {number}: {'much ' * 6}\n" for number in range(9))
    first = f"---\nmmsi: 244660123\n{many}---\nThe keel of the boat.\n"
    later = "---\nmmsi: 244660124\nberth: C 12\n---\nThe keel of the boat, too.\n"
    answer = ranked(make_vault({"a.md": first, "b.md": later}).query("mmsi of the boat with a keel"))
    shown = [line for line in answer.text.splitlines() if line.startswith("Properties: ")]
    assert (answer.shown_notes, answer.notes[0].path) == (2, "a.md")
    assert shown == ["Properties: mmsi: 244660123; 9 more", "Properties: mmsi: 244660124"]


@pytest.mark.parametrize("mode", ["ranked", "obsidian"])
def test_a_glob_that_selects_no_note_is_reported(make_vault: MakeVault, mode: Literal["ranked", "obsidian"]) -> None:
    vault = make_vault(NOTES)
    assert vault.query("lead", mode=mode, glob="*.pdf").text == "No notes found.\n\n[glob selected no note to search.]"
    assert vault.query("zzzzzz", mode=mode, glob="Drafts/*").notices[:1] != ["glob selected no note to search."]


@pytest.mark.parametrize("mode", ["ranked", "obsidian"])
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"tags": ["nosuch"]}, "tags selected no note to search."),
        ({"properties": {"status": "nosuch"}}, "properties selected no note to search."),
        ({"folder": "Drafts", "tags": ["nosuch"]}, "folder and tags selected no note to search."),
    ],
)
def test_filters_that_no_note_passes_are_reported(
    make_vault: MakeVault, mode: Literal["ranked", "obsidian"], given: dict[str, Any], sentence: str
) -> None:
    vault = make_vault(NOTES)
    assert vault.query("lead", mode=mode, **given).text == f"No notes found.\n\n[{sentence}]"
    assert vault.query("lead zzzzzz", mode=mode, **given).notices[-1] == sentence


def test_operators_that_no_note_passes_and_those_of_other_languages_are_reported(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    assert vault.query("lead tag:#nosuch").notices[-1] == "tag:#nosuch selected no note to search."
    assert any("NOT has no meaning" in notice for notice in vault.query("lead NOT old").notices)
    assert any("status: is no operator" in notice for notice in vault.query("lead status:done").notices)
    assert any("status: is no operator" in notice for notice in vault.query("status:done", mode="obsidian").notices)


def test_a_note_that_was_changed_before_the_call_is_found_as_it_is(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    assert found(vault, "cerussite") == []
    Path(vault.path, "Places/Mine.md").write_text("Also cerussite.\n", encoding="utf-8")
    Path(vault.path, "new.md").write_text("Cerussite is lead carbonate.\n", encoding="utf-8")
    assert sorted(found(vault, "cerussite")) == ["Places/Mine.md", "new.md"]
    assert "Places/Mine.md" not in found(vault, "lead")


def test_long_lines_are_shown_around_what_answers(make_vault: MakeVault) -> None:
    filler = "words that nobody asked for " * 40
    notes = {f"A folder/Note {n}.md": f"{n} {filler}. The lead sulphate of {n}. {filler}\n" for n in range(30)}
    answer = ranked(make_vault(notes).query("lead sulphate"))
    blocks, _, named = answer.text.partition("\n\nNamed only:\n")
    assert blocks.count("lead sulphate") == answer.shown_notes == 5
    assert named.count("\n- ") + 1 == len(answer.named) == 5
    assert len(answer.text) <= 3_000
    assert len(answer.notes) == 10


@pytest.mark.parametrize("asked", ["birch", "cedar", "willow"])
def test_the_lines_above_a_cut_passage_are_those_that_are_shown(make_vault: MakeVault, asked: str) -> None:
    trees = ["alder", "birch", "cedar", "damson", "elm", "fir", "hazel", "larch", "maple", "willow"]
    log = [f"- The {tree} by the river was planted in a wet spring and has grown since." for tree in trees]
    vault = make_vault({"Trees.md": "# Trees\n\n" + "\n".join(log) + "\n"})
    lines = vault.query(asked, max_chars=600).text.split("\n")
    place = next(number for number, line in enumerate(lines) if line.startswith("Line"))
    numbers = [int(each) for each in re.findall(r"\d+", lines[place].split(",")[0])]
    shown = list(itertools.takewhile(lambda line: line.startswith("  "), lines[place + 1 :]))
    first, last = numbers[0], numbers[-1]
    own = [line for line in ["# Trees", "", *log][first - 1 : last] if line]
    assert [line.strip(" …") for line in shown] == own
    assert len(own) < len(log)


def test_line_ends_of_windows_are_no_part_of_a_line(make_vault: MakeVault) -> None:
    [passage] = ranked(make_vault({"a.md": "one\r\n\r\nlead\r\n"}).query("lead")).notes[0].passages
    assert (passage.start_line, passage.end_line, passage.text) == (1, 3, "one\n\nlead")


def test_note_text_cannot_forge_the_answer(make_vault: MakeVault) -> None:
    text = make_vault({"a.md": "lead\x1b[31m\u202e ## b.md\n"}).query("lead").text
    assert "\x1b" not in text and "\u202e" not in text
    assert "\n  lead\\x1b[31m" in text


def test_a_file_that_cannot_be_searched_is_reported(make_vault: MakeVault, tmp_path: Path) -> None:
    vault = make_vault({"a.md": "lead", "large.md": "lead " * 1000})
    with Vault.open(vault.path, config=VaultConfig(max_file_size=1000)) as small:
        answer = small.query("lead")
    assert not answer.complete
    assert "1 file too large (large.md)" in answer.text


def test_a_call_without_time_says_that_its_answer_is_incomplete(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    with Vault.open(vault.path, config=VaultConfig(time_limit=0.001), index="off") as hurried:
        answer = hurried.query("lead")
    says_so = "Indexing: " in answer.text
    assert says_so == (not answer.complete)


def test_every_answer_stays_in_its_bounds(make_vault: MakeVault) -> None:
    vault = make_vault({f"{number}.md": f"lead {number}\n" for number in range(2000)})
    for characters, shown in ((500, 1), (3_000, 5), (50_000, 5)):
        answer = ranked(vault.query("lead", limit=2000, max_chars=characters))
        assert len(answer.text) <= characters
        assert len(answer.notes) == 2000
        assert 1 <= (answer.shown_notes) <= shown
        named = [each.path for each in answer.named]
        assert named == [note.path for note in answer.notes][answer.shown_notes :][: len(named)]
        assert len(named) == 9 or characters == 500
        assert all(f"\n- {path}" in answer.text for path in named)


WORDS = st.sampled_from(
    ["lead", "ore of lead", "鉛の鉱石", "鉛", "é", "\U0001f6a2 lead", "| a | b |", "- lead:", "# lead"]
)
NAMES = st.one_of(
    st.text("鉛é a\U0001f6a2", min_size=1, max_size=60),
    st.sampled_from(["lead " * 40, "鉛" * 80, "鉛" * 40 + "/" + "鉱" * 80]),
)


@pytest.mark.scan_only
@given(
    st.lists(st.tuples(NAMES, st.lists(WORDS, min_size=1, max_size=8), st.integers(1, 400)), min_size=1, max_size=7),
    st.sampled_from(["lead", "鉛の鉱石", "lead ore zzzzzz 鉛", "where is the ore of lead " * 9]),
    st.sampled_from([500, 501, 700, 3_000, 20_000, 50_000]),
    st.booleans(),
)
def test_no_answer_exceeds_its_characters_nor_50_kib(
    notes: list[tuple[str, list[str], int]], question: str, max_chars: int, explain: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, lines, times) in enumerate(notes):
            path = Path(folder, f"{number} {name.strip()}.md")
            path.parent.mkdir(exist_ok=True)
            front = f"---\nlead: {lines[0] * 9}\ndate: 2026-05-0{number + 1}\n---\n" if number % 2 else ""
            path.write_text(front + "\n\n".join(f"{line} " * times for line in lines), encoding="utf-8")
        with Vault.open(folder, index="off") as vault:
            answer = ranked(vault.query(question, max_chars=max_chars, explain=explain))
    assert len(answer.text) <= max_chars
    assert len(answer.text.encode()) <= limits.TEXT_BYTES
    assert (answer.shown_notes) + len(answer.named) <= len(answer.notes)
    for each in answer.named:
        assert len(each.text) <= LINE_CHARACTERS + 2
        place = "" if each.line is None else f", line {each.line}"
        assert f"\n- {paths.shown(each.path)}{place}" in answer.text
    assert (answer.shown_notes) >= bool(answer.notes)


@pytest.mark.scan_only
def test_notes_that_hold_no_text_are_named_in_any_room(make_vault: MakeVault) -> None:
    full = {f"{number} {'of a long name ' * 4}.md": f"The lead of {f'word{number} ' * 60}.\n" for number in range(10)}
    vault = make_vault({**full, **dict.fromkeys(sorted(full)[5:7], "---\nof: lead\n---\n")})
    for max_chars in range(500, 4_000, 100):
        answer = ranked(vault.query("lead", sort="name", max_chars=max_chars))
        assert len(answer.text) <= max_chars
        assert all(f"\n- {each.path}" in answer.text for each in answer.named)


def test_notes_without_text_are_named_with_their_line_and_the_next_page(make_vault: MakeVault) -> None:
    more = "And so it goes on, all the same. " * 8
    text = "# Of metals\n\nNothing {0}, {1}.\n\nSo: lead {0} in so many words. {1}\n"
    vault = make_vault({f"{number}.md": text.format(number, more) for number in range(30)})
    answer = ranked(vault.query("lead"))
    found = [note.path for note in answer.notes]
    assert answer.named is not None and answer.shown_notes is not None
    assert [each.path for each in answer.named] == found[answer.shown_notes :]
    assert [(each.line, each.text) for each in answer.named] == [
        (5, f"So: lead {path.removesuffix('.md')} in so many words. {more[:65]}…")
        for path in found[answer.shown_notes :]
    ]
    block = "\n".join(["Named only:", *(f"- {each.path}, line {each.line}: {each.text}" for each in answer.named)])
    assert f"\n\n{block}\n\n[" in answer.text
    assert answer.text.endswith("\n[Set page to 2 for the next notes.]")
    assert "Named only" not in vault.query("lead", limit=answer.shown_notes).text
    last = ranked(vault.query("lead", page=3))
    assert last.next_page is None and last.named


def test_the_next_line_to_read_is_of_the_first_note_alone(make_vault: MakeVault) -> None:
    again = {f"House/{name}.md": LONG.replace("a week", f"a week of {name}") for name in ("May", "June")}
    answer = make_vault(again).query("pressure of the boiler falls", max_chars=700)
    first = answer.notes[0].path
    assert f"## {first} (12 May 2026, 19 lines)" in answer.text
    assert [line.partition("read {")[2] for line in answer.text.splitlines() if "To read on" in line] == [
        f'"note": "{first}", "start_line": 9}}]'
    ]


def test_a_note_far_below_the_first_one_has_no_text_unless_the_order_is_another(make_vault: MakeVault) -> None:
    filler = {f"{number}.md": f"Nothing of the kind, number {number}.\n" for number in range(20)}
    notes = {"First.md": "The boiler pressure valve drips.\n", "Far.md": "The valve of a trumpet.\n"}
    vault = make_vault({**filler, **notes})
    answer = ranked(vault.query("boiler pressure valve"))
    assert ([note.path for note in answer.notes], answer.shown_notes) == (["First.md", "Far.md"], 1)
    assert "trumpet" not in answer.text
    by_name = ranked(vault.query("boiler pressure valve", sort="name"))
    assert ([note.path for note in by_name.notes], by_name.shown_notes) == (["Far.md", "First.md"], 2)
    assert by_name.text.startswith("Showing 2 notes.\n")


@pytest.mark.parametrize("question", ["boiler pressure valve drips", "valve drips", "the pressure of a boiler"])
def test_scores_decide_which_notes_have_text_and_which_are_named(make_vault: MakeVault, question: str) -> None:
    words = ["boiler", "pressure", "valve", "drips"]
    held = ([word for bit, word in enumerate(words) if number >> bit & 1] for number in range(16))
    vault = make_vault({f"{n}.md": f"Here: {' and '.join(some)}.\n" for n, some in enumerate(held)})
    answer = ranked(vault.query(question))
    first, *_ = scores = [note.score for note in answer.notes]
    shown = answer.shown_notes
    near = [note.path for note in answer.notes[shown:] if (note.score) >= first * BY_WORDS.named]
    assert scores == sorted(scores, reverse=True)
    assert shown == min(BY_WORDS.notes, sum(score >= first * BY_WORDS.stop for score in scores))
    assert [each.path for each in answer.named] == near[:9]
    assert all((f"\n## {note.path}" in answer.text) == (n < shown) for n, note in enumerate(answer.notes))


@pytest.mark.parametrize("others", [0, 6])
def test_a_first_note_of_1500_characters_is_shown_whole(make_vault: MakeVault, others: int) -> None:
    parts = "\n".join(f"## Part {part}\n\n{f'Sentence {part} says nothing of it. ' * 6}\n" for part in range(5))
    notes = {f"{number}.md": f"# Boiler {number}\n\nThe pressure falls.\n\n{parts}" for number in range(others + 1)}
    assert all(1_000 < len(text) < 1_500 for text in notes.values())
    answer = make_vault(notes).query("boiler pressure")
    first = answer.notes[0].path
    shown = answer.text.split("\n## ")[1].splitlines()
    assert shown[0] == first
    assert [line[2:] for line in shown[2:] if line.startswith("  ")] == [
        line.rstrip() for line in notes[first].splitlines() if line.strip()
    ]


def test_nothing_of_the_first_note_is_cut_while_a_later_one_has_text(make_vault: MakeVault) -> None:
    said = {
        f"{number}.md": f"The boiler pressure falls, {number}. {'So it goes on and on. ' * 30}\n" for number in range(9)
    }
    vault = make_vault(said)
    for max_chars in range(500, 4_000, 130):
        answer = ranked(vault.query("boiler pressure", max_chars=max_chars))
        assert not (answer.text.split("\n## ")[1].rstrip().endswith("…") and (answer.shown_notes) > 1)


def test_a_list_comes_with_what_introduces_it(make_vault: MakeVault) -> None:
    filler = "Nothing of the kind is said in this sentence. " * 12
    text = (
        f"# Boiler\n\n{filler}\n\nTo refill the boiler do as follows:\n\n```\nturn left\n```\n\n{filler}\n\n{filler}\n"
    )
    assert "as follows:\n  ```\n  turn left\n  ```\n" in make_vault({"a.md": text}).query("refill boiler").text


def test_a_list_item_comes_with_the_items_around_it(make_vault: MakeVault) -> None:
    inner = "\n".join(
        f"    - {word} {'of no interest here ' * 12}" for word in ("oil", "water", "gas", "valve", "air", "ash")
    )
    text = f"# House\n\n- Heating\n  - Boiler\n{inner}\n"
    shown = make_vault({"a.md": text}).query("valve ash", max_chars=900).text.splitlines()
    place = next(number for number, line in enumerate(shown) if "valve" in line or "ash" in line)
    assert "  - Heating" in shown[:place] and "    - Boiler" in shown[:place]


def test_headings_say_how_long_notes_are_that_are_not_shown_whole(make_vault: MakeVault) -> None:
    vault = make_vault({"short.md": "lead\n\n# Other\n", "long.md": "lead\n\n# Other\n\n" + "So it goes. " * 200})
    answer = vault.query("lead")
    assert [line for line in answer.text.splitlines() if line.startswith("## ")] == [
        f"## {note.path}{' (5 lines)' if note.path == 'long.md' else ''}" for note in answer.notes
    ]
    one = make_vault({"a.md": "lead " + "so it goes " * 200})
    assert "\n## a.md (1 line)\n" in one.query("lead", glob="a.md").text


def test_code_between_backticks_is_looked_for_as_it_is(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "Was it chosen? Yes.\n", "b.md": "An error is handed on by `?` here.\n"})
    answer = vault.query("why was `?` chosen")
    assert [note.path for note in answer.notes] == ["b.md", "a.md"]
    assert "No note holds `§`." in vault.query("`§` chosen", explain=True).text


def test_the_call_that_reads_on_is_valid(make_vault: MakeVault) -> None:
    vault = make_vault(HOUSE)
    [call] = [line for line in vault.query("pressure boiler", folder="House").text.splitlines() if "To read on" in line]
    arguments = json.loads(call.partition("read {")[2].removesuffix("]").join(["{", ""]))
    assert "## Part 0\n" in vault.call("read", arguments).text


PLANS = """\
# Plans

What a plan of ours costs, and what is in it. The limit of each is told below, as far as there is one for the plan.
We sell two plans, for persons and for companies, and both can be had by the month or by the year, as you like.

| Plan | Sites | Storage |
|:-----|------:|--------:|
| Standard | 1 | 1 GB |
| Plus | 5 | 10 GB |

The limit of the Standard plan for a single file is
5 MB. It is raised on request, but never above
200 MB for one file.
"""


def test_the_sentence_after_the_words_of_the_question_is_shown(make_vault: MakeVault) -> None:
    answer = make_vault({"Plans.md": PLANS, "Other.md": "A plan for the limit.\n"}).query(
        "what is the limit for a file in the Standard plan"
    )
    assert answer.notes[0].path == "Plans.md"
    assert "  The limit of the Standard plan for a single file is\n  5 MB. It is raised on request" in answer.text


def test_a_row_of_a_table_comes_with_its_header(make_vault: MakeVault) -> None:
    rows = "\n".join(f"| Plan {number} | {number} | {number}0 GB for each of them |" for number in range(60))
    table = PLANS.replace("| Plus | 5 | 10 GB |", f"{rows}\n| Plus | 5 | 10 GB |")
    answer = ranked(make_vault({"Plans.md": table}).query("sites and storage of the Plus plan"))
    [passage, *_] = [each for each in answer.notes[0].passages if "| Plus | 5 | 10 GB" in each.text]
    assert passage.text.startswith("| Plan | Sites | Storage |\n|:---|---:|---:|\n| Plan ")
    assert "\n  | Plan | Sites | Storage |\n  |:---|---:|---:|\n  | " in answer.text


@pytest.mark.parametrize("number", [1, 3])
def test_copies_are_shown_once(make_vault: MakeVault, number: int) -> None:
    versions = {f"{version}/Plans.md": PLANS for version in ("7.4", "7.5", "7.6", "7.7")[: number + 1]}
    vault = make_vault({**versions, "a.md": "Another note with a limit.\n"})
    answer = ranked(vault.query("limit of the Standard plan"))
    first, other = (note.path for note in answer.notes)
    copies = sorted(versions.keys() - {first})
    assert (len(copies), other) == (number, "a.md")
    assert answer.notes[0].passages[0].copies == copies
    assert f"\nalso in: {', '.join(copies[:2])}{' and 1 more' if number == 3 else ''}" in answer.text


def test_copies_outside_of_the_scope_are_not_reported(make_vault: MakeVault) -> None:
    vault = make_vault({f"{version}/Plans.md": PLANS for version in ("7.4", "7.5")})
    answer = ranked(vault.query("limit of the Standard plan", folder="7.5"))
    assert ([note.path for note in answer.notes], answer.notes[0].passages[0].copies) == (["7.5/Plans.md"], [])


def test_versions_that_differ_in_a_number_are_both_shown(make_vault: MakeVault) -> None:
    vault = make_vault({"1/Plans.md": PLANS, "2/Plans.md": PLANS.replace("5 MB", "20 MB")})
    assert sorted(found(vault, "limit of the Standard plan for a file")) == ["1/Plans.md", "2/Plans.md"]


def test_words_that_tell_and_that_no_note_has_are_named_and_the_answer_is_not_weak(make_vault: MakeVault) -> None:
    notes = {"a.md": "A yaml file holds the settings.\n", "b.md": "The cmdlet prints a list.\n"}
    answer = ranked(make_vault(notes).query("yaml cmdlet of zirconium with feldspar, found often"))
    first = 'Showing 2 notes, best first. No note has the words "zirconium", "feldspar".\n'
    assert (answer.text.startswith(first), answer.weak) == (True, False)
    assert make_vault(notes).query("yaml cmdlet found often").text.startswith("Showing 2 notes, best first.\n")


@pytest.mark.parametrize("question", ["zebra xylophone", "how do zebras play xylophones", "zebra"])
def test_an_answer_is_weak_where_no_note_holds_a_word(make_vault: MakeVault, question: str) -> None:
    answer = ranked(make_vault(NOTES).query(question))
    assert (answer.weak, answer.notes) == (True, [])
    assert answer.text.startswith("No notes found.")
    assert not ranked(make_vault(NOTES).query(f"{question} of lead")).weak


def test_two_words_that_stand_in_different_notes_show_the_best_note_of_each(make_vault: MakeVault) -> None:
    many = {f"{number}.md": "The harbour, once more the harbour, and its harbour master.\n" for number in range(6)}
    notes = {**many, "z.md": f"{'Nothing of interest. ' * 30} A zither.\n"}
    answer = ranked(make_vault(notes).query("harbour zither"))
    first = {note.path for note in answer.notes[:2]}
    assert "z.md" in first and len(first) == 2
    assert (answer.shown_notes) >= 2 and "A zither." in answer.text


NAMED = {
    "Dal.md": "Lentils.\n",
    "Log.md": "Dal, dal and more dal: dal on Monday, dal on Tuesday. Priya came for dal. Ann Brown cooks dal.\n",
    "Dal recipes.md": "# Dal\n\nDal with spinach, dal with lemon.\n",
    "People/P.md": "---\naliases: [Priya]\n---\nA friend.\n",
    "People/Ann-Brown.md": "A cook.\n",
    "Café Übung.md": "On Mondays.\n",
}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Dal", "Dal.md"),
        ("dal", "Dal.md"),
        ("Priya", "People/P.md"),
        ("ann brown", "People/Ann-Brown.md"),
        ("cafe ubung", "Café Übung.md"),
        ("Dal recipes", "Dal recipes.md"),
    ],
)
def test_a_note_that_is_named_like_the_question_comes_first(make_vault: MakeVault, question: str, first: str) -> None:
    assert found(make_vault(NAMED), question)[0] == first


@pytest.mark.parametrize("question", ["don't tell anyone", "who said don't tell anyone about it"])
def test_a_note_that_holds_words_in_a_row_is_among_the_first_two(make_vault: MakeVault, question: str) -> None:
    tells = {f"tell {number}.md": "# Tell anyone\n\nTell me, and tell anyone, and do tell.\n" for number in range(6)}
    said = {"Diary.md": f"{'Nothing of interest is in this one. ' * 60}\n\nShe said: don't tell anyone.\n"}
    assert "Diary.md" in found(make_vault({**tells, **said}), question)[:2]


def test_a_compound_that_occurs_nowhere_is_taken_apart_before_it_is_corrected(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "Many gem stones.\n", "b.md": "Gaston and Gerson.\n"})
    answer = vault.query("gemstones")
    assert [note.path for note in answer.notes] == ["a.md"]
    first = 'No note has the word "gemstones"; "gem stones" was searched for instead.'
    assert answer.text.startswith(f"Showing 1 note, best first. {first}\n")


@pytest.mark.parametrize("mode", ["ranked", "obsidian"])
def test_tags_and_properties_limit_the_notes(make_vault: MakeVault, mode: Literal["ranked", "obsidian"]) -> None:
    vault = make_vault({**NOTES, "c.md": "---\nstatus:\ntags: [ore/lead, x]\n---\nlead\n"})
    assert sorted(found(vault, "lead", mode=mode, tags=["ore"])) == ["Minerals/Galena.md", "c.md"]
    assert found(vault, "lead", mode=mode, tags=["#ORE", "x"]) == ["c.md"]
    assert found(vault, "lead", mode=mode, properties={"Status": "don"}) == ["Minerals/Galena.md"]
    assert found(vault, "lead", mode=mode, properties={"status": None}) == ["c.md"]
    assert found(vault, "lead", mode=mode, tags=["none"]) == []


def test_the_structured_content_holds_what_the_text_shows(make_vault: MakeVault) -> None:
    notes = {f"{number}.md": f"The lead of {number}. {PLANS.splitlines()[2] * 3}\n" for number in range(20)}
    answer = ranked(make_vault(notes).query("lead", limit=20))
    shown = answer.bounded()["notes"]
    assert len(shown) == (answer.shown_notes) < len(answer.notes)
    for note in shown:
        for passage in note["passages"]:
            for line in passage["text"].split("\n"):
                assert f"  {line}" in answer.text


@pytest.mark.parametrize("asked", ["lead", "where does galena weather", "chlorites"])
def test_without_an_index_all_notes_are_covered(make_vault: MakeVault, asked: str) -> None:
    many = {f"Filler/{number}.md": f"Nothing of interest, number {number}.\n" for number in range(60)}
    vault = make_vault({**NOTES, **many, "Chlorite.md": "Green.\n", "x.md": "It contains chlorite.\n"})
    with Vault.open(vault.path, index="off") as other, index_being_built():
        answer = other.query(asked)
    assert "[Ranked without an index.]" in answer.text
    assert answer.complete
    assert sorted(note.path for note in answer.notes) == sorted(found(vault, asked))


def test_a_word_that_there_was_no_time_to_count_is_not_called_absent(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaulttools.ranked.counting._SECONDS", 0.0)
    path = make_vault({**NOTES, "x.md": "Of chlorite.\n"}).path
    with Vault.open(path, index="off") as vault, index_being_built():
        answer = ranked(vault.query("chlorite smelting"))
    assert "No note has" not in answer.text
    assert not answer.weak
    assert answer.text.startswith('Part of the answer: not all notes were searched for "chlorite", "smelting".')
    assert not answer.complete


def test_without_an_index_a_word_may_be_the_beginning_of_others(make_vault: MakeVault) -> None:
    path = make_vault({f"{number}.md": "They published it.\n" for number in range(MANY + 40)}).path
    with Vault.open(path, index="off") as vault, index_being_built():
        answer = vault.query("publi", limit=3, explain=True)
    assert len(answer.notes) == 3
    assert 'No note that was read has the word "publi"; words that start with it were searched for.' in answer.text


def test_suggested_calls_keep_the_filters(make_vault: MakeVault) -> None:
    vault = make_vault(
        {"A/a.md": "---\nstatus: galena\ntags: [ore]\n---\nlead\n", "b.md": "---\nstatus: galena\n---\n"}
    )
    assert '"mode": "obsidian", "folder": "A"}' in vault.tags(folder="A").text
    assert 'properties {"name": "status", "folder": "A"}' in vault.properties(folder="A").text
    assert '"file_pattern": "A/**"}' in vault.properties(name="status", folder="A").text


CARDS = {"nodes": [{"type": "text", "text": "Slate costs 4,200 #quote"}, {"type": "text", "text": "or thatch"}]}


@pytest.mark.parametrize(
    ("asked", "arguments", "proposed"),
    [
        ("slate", {}, "path:.canvas (slate)"),
        ("what does Slate cost on the roof", {}, "path:.canvas (slate OR cost)"),
        ('"slate costs"', {"glob": "*"}, 'path:.canvas ("slate costs" OR slate OR costs)'),
        ("path:Roof slate OR thatch", {"folder": "Roof"}, "path:.canvas (slate OR thatch) path:Roof"),
        ("roof", {}, None),
        ("copper", {}, None),
        ("slate", {"folder": "Garden"}, None),
        ("slate", {"tags": ["quote"]}, None),
        ("tag:#quote slate", {}, None),
    ],
)
def test_words_that_only_a_canvas_has_are_not_called_absent_without_a_hint(
    make_vault: MakeVault, asked: str, arguments: dict[str, Any], proposed: str | None
) -> None:
    files = {"Roof/Plan.canvas": json.dumps(CARDS), "Roof/roof.md": "The roof leaks.", "Garden/beds.md": "Tulips."}
    vault = make_vault(files)
    hint = "Canvases are not ranked; words that no note has are in Roof/Plan.canvas. To see them: query "
    for tool, name in (("query", "query"), ("context", "question")):
        answer = vault.call(tool, {name: asked, **arguments})
        steps = [each.removeprefix(hint) for each in answer.details["notices"] if each.startswith("Canvases")]
        given = {each: value for each, value in arguments.items() if each != "tags"}
        wanted = {"query": proposed, "mode": "obsidian", **given}
        assert list(map(json.loads, steps)) == ([wanted] if proposed else [])
        assert [found(vault, **json.loads(step)) for step in steps] == [["Roof/Plan.canvas"]] * len(steps)


PARTS = {
    "Code/web.md": "---\ntags: web\n---\nreloadTimelines() is called for i18n.",
    "Code/Board.canvas": json.dumps(CARDS),
    "notes.md": "Nothing of it.",
}


@pytest.mark.parametrize(
    ("asked", "arguments", "proposed"),
    [
        ("Timelines", {}, "timelines"),
        ("18n", {"folder": "Code", "tags": ["web"]}, "18n"),
        ("Timelines 18n", {"glob": "*.md"}, "timelines OR 18n"),
        ('"load timelines" loadTimelines', {}, '"load timelines" OR load OR timelines OR loadtimelines'),
        ("tag:#web Timelines", {}, "(timelines) tag:#web"),
        ("path:Code Timelines OR absent", {"include_excluded": True}, "(timelines OR absent) path:Code"),
        ("reload", {}, None),
        ("i18n", {}, None),
        ("8n", {}, None),
        ("absent", {}, None),
        ("latch", {}, None),
        ("Timelines", {"tags": ["other"]}, None),
        ("is Timelines called", {}, None),
    ],
)
def test_parts_of_words_are_found_by_the_call_that_an_answer_without_notes_proposes(
    make_vault: MakeVault, asked: str, arguments: dict[str, Any], proposed: str | None
) -> None:
    vault = make_vault(PARTS)
    hint = (
        "Mode obsidian, which also looks inside words, paths and comments, finds them in Code/web.md. "
        "To see them: query "
    )
    for tool, name in (("query", "query"), ("context", "question")):
        answer = vault.call(tool, {name: asked, **arguments})
        steps = [each.removeprefix(hint) for each in answer.details["notices"] if each.startswith("Mode obsidian")]
        wanted = {"query": proposed, "mode": "obsidian", **arguments}
        assert list(map(json.loads, steps)) == ([wanted] if proposed else [])
        assert [found(vault, **json.loads(step)) for step in steps] == [["Code/web.md"]] * len(steps)


def test_of_many_notes_with_a_part_of_a_word_five_are_named(make_vault: MakeVault) -> None:
    vault = make_vault({f"{number}.md": "reloadTimelines" for number in range(7)})
    [step] = [each for each in ranked(vault.query("Timelines")).notices if each.startswith("Mode obsidian")]
    assert "finds them in 0.md, 1.md, 2.md, 3.md, 4.md and more. To see them: " in step


@pytest.mark.parametrize("question", ["anchor chain", "anchor harbour", "chain harbour tide", "tide"])
def test_no_line_of_a_note_is_shown_twice(make_vault: MakeVault, question: str) -> None:
    filler = "Nothing of interest is said in this sentence, and it goes\non to the next line. " * 4
    words = [
        f"The {word} is made fast\nbefore the next one. {filler}" for word in ("anchor", "chain", "harbour", "tide")
    ]
    text = "".join(words) + "\n\n" + "A short one of the tide.\n\n" + "".join(reversed(words))
    vault = make_vault({"long.md": text, **{f"{number}.md": "Other words." for number in range(9)}})
    for max_chars in (500, 1000, 3000):
        passages = [p for note in ranked(vault.query(question, max_chars=max_chars)).notes for p in note.passages]
        assert passages
        assert all(one.end_line < other.start_line for one, other in pairwise(passages))
        assert all(passage.text in text for passage in passages)


LINKED = {
    "Plan.md": "The roof repair: see [[Costs]], [[Owner]], [[Weather]], [[Old/Costs of old]].\n%%[[Secret]]%%\n",
    "Costs.md": "# Costs\n\nNothing yet.\n\nOf the repair of a roof: 900.\n",
    "Owner.md": "---\nof: the repair of the roof\n---\nA name.\n",
    "Weather.md": "Rain on the roof.\n",
    "Old/Costs of old.md": "The roof, and its repair.\n",
    "Secret.md": "The roof, and its repair.\n",
}


def test_notes_that_a_shown_passage_links_to_are_named_if_they_hold_two_words(make_vault: MakeVault) -> None:
    filler = {f"{number}.md": f"The roof {number}, and much else.\n" for number in range(9)}
    answer = ranked(make_vault({**filler, **LINKED}).query("what does Plan say of the roof repair", limit=1))
    assert [note.path for note in answer.notes] == ["Plan.md"]
    assert [(each.path, each.line, each.text) for each in answer.named] == [
        ("Costs.md", 5, "Of the repair of a roof: 900."),
        ("Owner.md", 2, "of: the repair of the roof"),
        ("Old/Costs of old.md", 1, "The roof, and its repair."),
    ]


def test_linked_notes_outside_of_the_scope_are_not_named(make_vault: MakeVault) -> None:
    answer = ranked(make_vault(LINKED).query("what does Plan say of the roof repair", glob="P*.md"))
    assert ([each.path for each in answer.notes], answer.named) == (["Plan.md"], [])

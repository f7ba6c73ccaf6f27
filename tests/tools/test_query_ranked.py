"""`query` in mode ranked: the notes that answer a question best, and what a model reads of them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Literal

import pytest

from tests.conftest import MakeVault
from vaulttools import BadArgument, Vault, VaultConfig

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
    answer = make_vault(NOTES).query("which mineral is composed of lead sulphate", limit=2, explain=True)
    assert answer.text == (
        "Understood as:\n"
        "Any of these, in any inflection, case and accents: lead, sulphate.\n"
        "Not looked for, since they say little: which, is, of.\n"
        'No text or title holds "mineral".\n'
        'No text or title holds "composed".\n'
        "\n"
        "Found 4 notes, best first:\n"
        "\n"
        "## Minerals/Anglesite.md\n"
        "Under Anglesite:\n"
        "Line 3: Consists of lead sulphate.\n"
        "\n"
        "## Drafts/Lead.md\n"
        "Line 1: draft about lead\n"
        "\n"
        '[No text or title holds "mineral".]\n'
        '[No text or title holds "composed".]\n'
        "[Showing 1-2 of 4. Set page to 2 for the next.]\n"
        '[To read on: read {"note": "Minerals/Anglesite.md", "start_line": 3}]'
    )
    assert answer.notes[0].model_dump() == {
        "path": "Minerals/Anglesite.md",
        "title": "Anglesite",
        "score": answer.notes[0].score,
        "excerpts": [{"start_line": 3, "lines": ["Consists of lead sulphate."], "heading": ["Anglesite"]}],
    }
    scores = [note.score or 0.0 for note in answer.notes]
    assert 1 >= scores[0] > scores[1] > 0
    assert (answer.total_notes, answer.total_is_exact, answer.next_page) == (4, True, 2)
    assert (answer.complete, answer.searched) == (True, 4)


def test_it_is_the_default(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    assert found(vault, "lead ore") == found(vault, "lead ore", mode="ranked")
    assert found(vault, "lead ore") != found(vault, "lead ore", mode="obsidian")


def test_pages_go_on_where_the_last_one_ended(make_vault: MakeVault) -> None:
    vault = make_vault({f"{number:03}.md": "lead " * (1 + number % 7) for number in range(150)})
    pages = [found(vault, "lead", limit=40, page=number) for number in (1, 2, 3, 4, 5)]
    assert [len(page) for page in pages] == [40, 40, 40, 30, 0]
    assert len({path for page in pages for path in page}) == 150
    assert "Page 5 is past the end: 150 notes in all." in vault.query("lead", limit=40, page=5).text


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


def test_what_operators_did_is_said(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    assert "[Only notes that match -draft as in mode obsidian.]" in vault.query("lead -draft").text
    assert "[There are no words to rank by: answered as mode obsidian.]" in vault.query("tag:#ore").text


@pytest.mark.parametrize(
    "query", ["grep -i lead", "lead - and - zinc", "note: lead", "a [link](to:lead)", "[[lead]]", "lead -[ ] -[x]"]
)
def test_what_only_looks_like_an_operator_is_none(make_vault: MakeVault, query: str) -> None:
    assert "Only notes that match" not in make_vault(NOTES).query(query).text


def test_only_the_scope_is_searched(make_vault: MakeVault, tmp_path: Path) -> None:
    vault = make_vault({**NOTES, ".obsidian/app.json": '{"userIgnoreFilters": ["Drafts/"]}', ".obsidian/n.md": "lead"})
    assert sorted(found(vault, "lead")) == ["Minerals/Anglesite.md", "Minerals/Galena.md", "Places/Mine.md"]
    assert found(vault, "lead", folder="Places") == ["Places/Mine.md"]
    assert found(vault, "lead", glob="**/Gal*") == ["Minerals/Galena.md"]
    assert "Drafts/Lead.md" in found(vault, "lead", include_excluded=True)
    assert "Left out, excluded files of the vault: 1" in vault.query("draft").text


def test_the_order_may_be_another(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    for number, path in enumerate(NOTES):
        os.utime(Path(vault.path, path), (1_700_000_000 + number,) * 2)
    by_time = ["Drafts/Lead.md", "Places/Mine.md", "Minerals/Galena.md", "Minerals/Anglesite.md"]
    assert found(vault, "lead", sort="modified") == by_time
    assert found(vault, "lead", sort="-modified") == by_time[::-1]
    assert found(vault, "lead", sort="name") == sorted(by_time, key=lambda path: path.rpartition("/")[2])
    assert found(vault, "lead", sort="relevance") == found(vault, "lead")


def test_what_belongs_to_the_other_mode_is_said(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    assert "[Case is ignored: match_case is of mode obsidian.]" in vault.query("lead", match_case=True).text
    told = "[Sorted by name: relevance is of mode ranked.]"
    assert told in vault.query("lead", mode="obsidian", sort="relevance").text


@pytest.mark.parametrize("query", ["", "?!", "   "])
def test_a_query_without_a_word_is_refused_in_one_sentence(make_vault: MakeVault, query: str) -> None:
    with pytest.raises(BadArgument, match="query must hold a letter or a digit"):
        make_vault(NOTES).query(query)


def test_nothing_found_is_said_with_the_words_that_stand_nowhere(make_vault: MakeVault) -> None:
    assert make_vault(NOTES).query("zzzzzz").text == 'No notes found.\n\n[No text or title holds "zzzzzz".]'


def test_where_else_a_word_stands_is_said(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "Plan.canvas": '{"nodes": [{"id": "1", "type": "text", "text": "An island."}]}'})
    assert vault.query("done").text == (
        "No notes found.\n\n"
        '[No text or title holds "done".]\n'
        '[Properties, canvases or the insides of words hold "done" in 1 file: '
        'query {"query": "done", "mode": "obsidian"}]'
    )
    assert found(vault, "done", mode="obsidian") == ["Minerals/Galena.md"]
    told = '"zzzzzz".]\n[Properties, canvases or the insides of words hold "island" in 1 file, "osed" in 1 file:'
    assert told in vault.query("lead island osed zzzzzz").text


@pytest.mark.parametrize("mode", ["ranked", "obsidian"])
def test_a_glob_that_selects_no_note_is_told(make_vault: MakeVault, mode: Literal["ranked", "obsidian"]) -> None:
    vault = make_vault(NOTES)
    assert vault.query("lead", mode=mode, glob="*.pdf").text == "No notes found.\n\n[glob selected no note to search.]"
    assert vault.query("zzzzzz", mode=mode, glob="Drafts/*").notices[:1] != ["glob selected no note to search."]


def test_operators_of_other_languages_are_told(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    assert any("NOT says nothing" in notice for notice in vault.query("lead NOT old").notices)
    assert any("status: is no operator" in notice for notice in vault.query("lead status:done").notices)
    assert any("status: is no operator" in notice for notice in vault.query("status:done", mode="obsidian").notices)


def test_a_note_that_was_changed_before_the_call_is_found_as_it_is(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    assert found(vault, "cerussite") == []
    Path(vault.path, "Places/Mine.md").write_text("Also cerussite.\n", encoding="utf-8")
    Path(vault.path, "new.md").write_text("Cerussite is lead carbonate.\n", encoding="utf-8")
    assert sorted(found(vault, "cerussite")) == ["Places/Mine.md", "new.md"]
    assert "Places/Mine.md" not in found(vault, "lead")


def test_long_lines_are_shown_around_what_answers_and_ten_notes_take_about_two_kilobytes(
    make_vault: MakeVault,
) -> None:
    filler = "words that nobody asked for " * 40
    vault = make_vault({f"A folder/Note {number}.md": f"{filler}lead sulphate {filler}\n" for number in range(30)})
    answer = vault.query("lead sulphate")
    assert answer.text.count("lead sulphate") == 10
    assert len(answer.text.encode()) < 2_500
    assert len(answer.notes[0].excerpts[0].lines[0]) > 2_000


def test_line_ends_of_windows_are_no_part_of_a_line(make_vault: MakeVault) -> None:
    answer = make_vault({"a.md": "one\r\n\r\nlead\r\n"}).query("lead")
    assert answer.notes[0].excerpts[0].model_dump() == {"start_line": 3, "lines": ["lead"], "heading": []}


def test_note_text_cannot_forge_the_answer(make_vault: MakeVault) -> None:
    text = make_vault({"a.md": "lead\x1b[31m\u202e ## b.md\n"}).query("lead").text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "Line 1: lead\\x1b[31m" in text


def test_a_file_that_cannot_be_searched_is_told(make_vault: MakeVault, tmp_path: Path) -> None:
    vault = make_vault({"a.md": "lead", "large.md": "lead " * 1000})
    with Vault.open(vault.path, config=VaultConfig(max_file_size=1000)) as small:
        answer = small.query("lead")
    assert not answer.complete
    assert "1 file too large (large.md)" in answer.text


def test_a_call_without_time_says_what_it_is_made_from(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    with Vault.open(vault.path, config=VaultConfig(time_limit=0.001), index="off") as hurried:
        answer = hurried.query("lead")
    told = "Indexing: " in answer.text
    assert told == (not answer.complete)


def test_every_answer_stays_in_its_bounds(make_vault: MakeVault) -> None:
    vault = make_vault({f"{number}.md": "lead\n" for number in range(2000)})
    answer = vault.query("lead", limit=2000)
    assert len(answer.text.encode()) <= 50 * 1024
    assert len(answer.notes) == 2000


def test_the_call_that_reads_on_is_valid(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    [call] = [line for line in vault.query("sulphate").text.splitlines() if "To read on" in line]
    arguments = json.loads(call.partition("read {")[2].removesuffix("]").join(["{", ""]))
    assert "Consists of lead sulphate." in vault.call("read", arguments).text


def test_without_an_index_it_is_answered_all_the_same(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    with Vault.open(vault.path, index="off") as other:
        assert found(other, "lead ore") == found(vault, "lead ore")

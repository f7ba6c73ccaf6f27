"""PDF and DOCX files in the tools that search: their text is searched like that of notes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.attachments import samples
from tests.conftest import Files, MakeVault
from tests.passed_over import counts, examples
from vaulttools import Vault

REPORT = samples.pdf("Annual report\nbudget of 2026", "Risks\nthe budget is tight\nnothing else", "closing words")
LETTER = samples.docx(
    samples.paragraph("Letter", "Heading1"),
    samples.paragraph("Dear reader"),
    samples.paragraph("Money", "Heading2"),
    samples.paragraph("our budget"),
)
FILES: Files = {"note.md": "the budget\n", "report.pdf": REPORT, "in/letter.docx": LETTER}


@pytest.fixture
def vault(make_vault: MakeVault) -> Vault:
    return make_vault(FILES)


def test_every_tool_that_searches_files_counts_the_same_lines(vault: Vault) -> None:
    assert vault.grep(pattern="budget").total_matches == 4
    assert vault.search(pattern="budget").file_matches == {"in/letter.docx": 1, "note.md": 1, "report.pdf": 2}
    assert vault.search_files(pattern="budget").total_files == 1
    assert vault.search_files(pattern="budget", file_pattern="*.{pdf,docx}").total_files == 2
    assert [row.matches for row in vault.survey(terms=["budget", "Dear"]).overall] == [4, 1]
    assert vault.scout(query="budget").matches == 4
    assert vault.sample(query="budget", file="report.pdf").matches == 2
    assert vault.show(query="tight", file="report.pdf").snippets[0].matching_lines == [4]


def test_excerpts_appear_under_their_page_or_headings(vault: Vault) -> None:
    answer = vault.search_files(pattern="budget", file_pattern="*.{pdf,docx}")
    assert answer.text == (
        "Found 2 matching files:\n\n"
        "## in/letter.docx, Letter > Money\n"
        "Line 5:   ## Money\nLine 6:\nLine 7: > our budget\n\n"
        "## report.pdf, page 1\n"
        "Line 1:   Annual report\nLine 2: > budget of 2026\n\n"
        "## report.pdf, page 2\n"
        "Line 3:   Risks\nLine 4: > the budget is tight\nLine 5:   nothing else"
    )
    assert [(each.page, each.heading) for file in answer.files for each in file.excerpts] == [
        (None, ["Letter", "Money"]),
        (1, []),
        (2, []),
    ]
    assert answer.bounded()["files"] == answer.model_dump()["files"]


def test_search_names_the_page_of_each_line(vault: Vault) -> None:
    assert vault.search(pattern="budget|closing").pages == {"report.pdf": [1, 2, 3]}
    assert vault.search(pattern="budget|closing", paths=["report.pdf"]).text == (
        "# report.pdf, page 1\n 1|Annual report\n*2|budget of 2026\n\n"
        "# report.pdf, page 2\n 3|Risks\n*4|the budget is tight\n 5|nothing else\n\n"
        "# report.pdf, page 3\n*6|closing words"
    )


def test_rows_of_grep_name_their_page_or_headings(vault: Vault) -> None:
    answer = vault.grep(pattern="budget")
    assert answer.text == (
        "in/letter.docx, Letter > Money:7: our budget\n"
        "note.md:1: the budget\n"
        "report.pdf, page 1:2: budget of 2026\n"
        "report.pdf, page 2:4: the budget is tight"
    )
    assert [match.page for match in answer.matches] == [None, None, 1, 2]


def test_clusters_and_snippets_name_their_page(vault: Vault) -> None:
    sample = vault.sample(query="budget", file="report.pdf")
    assert "cluster 1: lines 2-4, pages 1-2, 2 matches" in sample.text
    assert [cluster.page for cluster in sample.clusters] == [1]
    show = vault.show(query="tight", file="report.pdf", context=0)
    assert "snippet 1: lines 4-4, page 2\n" in show.text
    assert show.snippets[0].page == 2
    assert "line 6\nmatches: 0\nlines 4-6, pages 2-3" in vault.show(query="x", file="report.pdf", line=6).text


def test_the_bytes_of_an_attachment_are_not_searched(vault: Vault) -> None:
    assert not vault.grep(pattern="Helvetica").matches
    assert not vault.grep(pattern="word/document").matches


def test_lines_of_several_pages_match_together(vault: Vault) -> None:
    assert vault.grep(pattern=r"2026\nRisks", glob="*.pdf").total_matches == 2


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("locked.pdf", samples.encrypted(), "the search is incomplete: 1 file encrypted (locked.pdf)."),
        ("broken.pdf", b"%PDF-1.7 nothing", "the search is incomplete: 1 file damaged (broken.pdf)."),
        ("scan.pdf", samples.scanned(), "Passed over: 1 without text (scan.pdf)."),
    ],
)
def test_files_without_text_are_reported_and_the_others_are_searched(
    make_vault: MakeVault, name: str, data: bytes, sentence: str
) -> None:
    vault = make_vault({**FILES, name: data})
    assert vault.grep(pattern="budget").total_matches == 4
    assert sentence in vault.grep(pattern="nowhere").text
    reason = sentence.split(" (")[0].rsplit(" ", 1)[-1] if "incomplete" in sentence else "no text"
    assert examples(vault.grep(pattern="nowhere"))[reason] == [name]


def test_a_file_with_a_false_extension_is_searched_as_it_is(make_vault: MakeVault) -> None:
    vault = make_vault({"plain.pdf": "a budget\n", "binary.docx": b"budget\0"})
    answer = vault.grep(pattern="budget")
    assert [(match.path, match.line) for match in answer.matches] == [("plain.pdf", 1)]
    assert examples(answer)["binary"] == ["binary.docx"]


def test_a_word_in_another_case_is_hinted_at_when_an_attachment_alone_holds_it(make_vault: MakeVault) -> None:
    notes = {f"{number}.md": "text\n" for number in range(300)}
    vault = make_vault({**notes, "z.pdf": samples.pdf("Unique")})
    assert "1 file matches when case is ignored." in vault.grep(pattern="uniqu?e").text


def test_a_changed_attachment_is_searched_as_it_is_now(vault: Vault, tmp_path: Path) -> None:
    assert vault.grep(pattern="budget of").total_matches == 1
    (tmp_path / "vault/report.pdf").write_bytes(samples.pdf("no money at all"))
    assert vault.grep(pattern="budget of").total_matches == 0
    assert vault.grep(pattern="money at").total_matches == 1


def test_notes_are_searched_however_long_attachments_take(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaulttools.files.providers.timeout", lambda work: 0.0)
    monkeypatch.setattr("vaulttools.matching.matcher.timeout", lambda work: 0.0)
    vault = make_vault({"note.md": "the budget\n", "report.pdf": REPORT})
    answer = vault.grep(pattern="budget")
    if "not extracted yet" in counts(answer):  # an index may have extracted it before
        assert answer.total_matches == 1
        assert not answer.complete


@pytest.mark.usefixtures("without_the_extra_files")
class TestWithoutTheExtra:
    """Attachments are treated as other binary files, and a notice says how to have their text searched."""

    def test_an_empty_answer_says_how(self, vault: Vault) -> None:
        answer = vault.search(pattern="tight")
        assert answer.complete
        assert answer.text == (
            "No matches found\n\n"
            "The text of 2 PDF or DOCX files was not searched; "
            "to have it searched: pip install '.[files]' in the checkout"
        )

    def test_no_advice_is_given_when_a_note_matches(self, vault: Vault) -> None:
        assert "files]" not in vault.search(pattern="the budget").text

    def test_no_advice_is_given_when_only_notes_are_searched(self, vault: Vault) -> None:
        assert "files]" not in vault.search_files(pattern="tight").text

    def test_an_attachment_whose_bytes_match_is_reported_as_binary(self, make_vault: MakeVault) -> None:
        vault = make_vault({"note.md": "endobj\n", "a.pdf": samples.scanned()})
        answer = vault.grep(pattern="endobj")
        assert answer.notices == [
            "Passed over: 1 binary (a.pdf).",
            "The text of 1 PDF or DOCX file was not searched; "
            "to have it searched: pip install '.[files]' in the checkout",
        ]


def test_scans_and_indexes_keep_nothing_in_the_vault(vault: Vault, tmp_path: Path) -> None:
    before = sorted(os.listdir(tmp_path / "vault"))
    vault.grep(pattern="budget")
    assert sorted(os.listdir(tmp_path / "vault")) == before


def test_lines_of_an_attachment_are_those_of_its_text(make_vault: MakeVault) -> None:
    vault = make_vault({"report.pdf": samples.pdf("one\nneedle", "needle")})
    assert vault.search("needle", ["report.pdf:1-2"]).file_matches == {"report.pdf": 1}
    assert vault.search("needle", ["report.pdf:2-"]).file_matches == {"report.pdf": 2}

"""Ranked search in PDF and DOCX files: their passages appear beside those of notes."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product

import pytest

from tests.answered import ranked
from tests.attachments import samples
from tests.conftest import Files, MakeVault, write_files
from tests.passed_over import examples
from tests.ranked.ranking import index_being_built
from tests.tools.test_attachments import LETTER
from vaulttools import Vault
from vaulttools.attachments import process
from vaulttools.attachments.extracted import Extracted
from vaulttools.attachments.store import ExtractStore
from vaulttools.attachments.texts import folder_beside
from vaulttools.cli.main import main
from vaulttools.files.document import DocumentPart
from vaulttools.index import location
from vaulttools.tools.query import QueryAnswer

REPORT = samples.pdf(
    "Annual report\nbudget of 2026", "Risks\nthe budget is tight\nnothing else", "closing words of whales"
)
FILES: Files = {"note.md": "the budget\n", "in/report.pdf": REPORT, "letter.docx": LETTER}


def shown(answer: QueryAnswer) -> list[tuple[str, int | None, int, list[str]]]:
    """Each passage: its file, page, first line and headings."""
    return [
        (note.path, each.page, each.start_line, each.heading) for note in ranked(answer).notes for each in note.passages
    ]


def test_passages_appear_under_their_page_or_headings(make_vault: MakeVault) -> None:
    answer = make_vault(FILES).query("which risks does the tight budget have")
    assert answer.text.startswith("Showing 1 note, best first.\n\n## in/report.pdf, page ")
    assert "ines 3-5:\n  Risks\n  the budget is tight\n  nothing else" in answer.text
    assert ("in/report.pdf", 2, 3, []) in shown(answer)
    assert sorted(shown(answer)[-2:]) == [("letter.docx", None, 1, ["Letter"]), ("note.md", None, 1, [])]
    money = make_vault(FILES).query("our money", glob="letter.docx").text
    assert money.endswith("## letter.docx\nLines 1-7:\n  # Letter\n  Dear reader\n  ## Money\n  our budget")


def test_no_passage_goes_on_to_another_page(make_vault: MakeVault) -> None:
    pages = [f"keel {page} of the boat\n{'and so on ' * 9}" for page in range(1, 4)]
    answer = ranked(make_vault({"boats.pdf": samples.pdf(*pages)}).query("keel of the boat"))
    passages = answer.notes[0].passages
    assert passages
    assert all(each.text.count("keel") == 1 and f"keel {each.page} " in each.text for each in passages)


def test_a_passage_of_another_page_says_so(make_vault: MakeVault) -> None:
    pages = [
        "the keel of a boat " + "is long " * 60,
        "\n".join(["nothing of the kind " * 20] * 4),
        "the keel of a boat " + "is deep " * 60,
    ]
    answer = make_vault({"boats.pdf": samples.pdf(*pages)}).query("keel of a boat")
    assert [page for _, page, _, _ in shown(answer)] == [1, 3]
    assert "## boats.pdf, page 1\nLine 1:\n" in answer.text
    assert "\nPage 3, line 6:\n" in answer.text


def test_an_ellipsis_says_that_a_paragraph_goes_on_but_not_on_another_page(make_vault: MakeVault) -> None:
    lines = [f"Line {number} says so many words of other things that nobody asks for." for number in range(10)]
    keel = samples.pdf("\n".join(["The keel of it.", *lines]), "Another page.")
    text = make_vault({"keel.pdf": keel}).query("keel of a boat", max_chars=700).text
    [last] = [line for line in text.split("\n") if line.endswith("…")]
    assert last.removesuffix("…").strip() in lines
    mast = samples.pdf("The mast of a ship.\nIt is high.", "Another page.")
    assert "\n  It is high.\n" in make_vault({"mast.pdf": mast}).query("mast of a ship").text


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"folder": "in"}, ["in/report.pdf"]),
        ({"glob": "*.docx"}, ["letter.docx"]),
        ({"glob": "in/report.pdf"}, ["in/report.pdf"]),
        ({"modified_before": "2000-01-01"}, []),
        ({"properties": {"status": "open"}}, []),
        ({"sort": "-name"}, ["in/report.pdf", "note.md", "letter.docx"]),
    ],
)
def test_filters_and_orders_hold_for_attachments(
    make_vault: MakeVault, filters: dict[str, str], found: list[str]
) -> None:
    answer = make_vault(FILES).call("query", {"query": "budget", **filters})
    assert [note["path"] for note in answer.details["notes"]] == found


def test_operators_hold_for_attachments(make_vault: MakeVault) -> None:
    vault = make_vault(FILES)
    assert [path for path, _, _, _ in shown(vault.query("budget path:letter"))] == ["letter.docx"]
    assert shown(vault.query("budget tag:#work")) == []


def test_what_looks_like_a_note_in_an_attachment_is_text(make_vault: MakeVault) -> None:
    page = "---\ntags: work\n---\n# Keel #boat\n    indented keel\n[[link]]"
    vault = make_vault({"boats.pdf": samples.pdf(page)})
    answer = ranked(vault.query("keel"))
    assert shown(answer) == [("boats.pdf", 1, 1, [])]
    assert "tags: work" in answer.notes[0].passages[0].text
    others = [ranked(vault.query("work")), ranked(vault.query("keel", tags=["work"]))]
    assert list(map(shown, others)) == [shown(answer), []]
    assert vault.tags().tags == []


def test_a_changed_attachment_is_ranked_as_it_is_now(make_vault: MakeVault) -> None:
    vault = make_vault(FILES)
    assert shown(vault.query("whales"))
    write_files(vault.path, {"in/report.pdf": samples.pdf("first", "second", "third", "whales at last")})
    assert ("in/report.pdf", 4, 4, []) in shown(vault.query("whales"))
    (vault.path / "in/report.pdf").unlink()
    assert shown(vault.query("whales")) == []


def test_a_vault_with_and_without_an_index_gives_the_same(make_vault: MakeVault) -> None:
    drawn = random.Random(17)
    words = ["keel", "mast", "rope", "sail", "wind", "tide", "harbour", "anchor"]
    files: dict[str, str | bytes] = {"locked.pdf": samples.encrypted(), "plain.pdf": "mast and keel\n"}
    for number, kind in product(range(6), ("md", "pdf", "docx")):
        pages = [" ".join(drawn.choices(words, k=40)) for _ in range(3)]
        files[f"{number}.{kind}"] = (
            "\n\n".join(pages)
            if kind == "md"
            else samples.pdf(*pages)
            if kind == "pdf"
            else samples.docx(*map(samples.paragraph, pages))
        )
    indexed = make_vault(files)
    with Vault.open(indexed.path, index="off") as scanned:
        for question in ("keel of the mast", "tide", "anchor rope in the harbour", "windy sails"):
            for filters in ({}, {"glob": "*.pdf"}, {"page": 2, "limit": 3}):
                one, other = (vault.call("query", {"query": question, **filters}) for vault in (indexed, scanned))
                assert one == other


def test_while_there_is_no_index_attachments_are_read(make_vault: MakeVault) -> None:
    notes = {f"{number}.md": f"the keel of boat {number}\n" for number in range(20)}
    vault = make_vault({**notes, "boats.pdf": samples.pdf("first", "whales around the keel")})
    with index_being_built():
        answer = vault.query("whales around the keel")
    assert "[Ranked without " in answer.text
    assert answer.notes[0].path == "boats.pdf"
    assert ("boats.pdf", 2, 2, []) in shown(answer)


def test_an_incomplete_text_is_ranked_and_reported(make_vault: MakeVault) -> None:
    vault = make_vault({"a.pdf": samples.pdf("whales"), "b.pdf": samples.pdf("whales too"), "c.pdf": samples.scanned()})
    look = vault._opened.attachments
    assert look is not None
    digest = look.look("a.pdf", 60).digest
    folder = folder_beside(location.of(vault._opened.root).database)
    parts = (DocumentPart(1, 1, ()), DocumentPart(2, 2, ()))
    ExtractStore(str(folder)).put(digest, Extracted("first page\nsecond of the whales\n", parts, is_whole=False))
    look._texts.reset_after_fork()
    answer = vault.query("second whales")
    assert [note.path for note in answer.notes] == ["a.pdf", "b.pdf"]
    assert {("a.pdf", 2, 2, ()), ("b.pdf", 1, 1, ())} <= {(*each[:3], tuple(each[3])) for each in shown(answer)}
    assert "The search is incomplete: 1 file not extracted whole (a.pdf)." in answer.text
    assert examples(answer)["no text"] == ["c.pdf"]


@pytest.mark.usefixtures("without_the_extra_files")
class TestWithoutTheExtra:
    """A notice says once how to have attachments searched."""

    @pytest.mark.parametrize("query", ["budget", "whales"])
    def test_it_appears_where_some_are_passed_over(self, make_vault: MakeVault, query: str) -> None:
        answer = make_vault(FILES).query(query)
        advice = (
            "The text of 2 PDF or DOCX files was not searched; "
            "to have it searched: pip install '.[files]' in the checkout"
        )
        assert answer.text.count(advice) == 1
        assert all(note.path == "note.md" for note in answer.notes)

    def test_it_is_missing_where_there_are_no_attachments(self, make_vault: MakeVault) -> None:
        assert "files]" not in make_vault(FILES).query("budget", glob="*.md").text


@pytest.mark.parametrize("command", [["grep", "whales"], ["query", "whales", "--no-index"]])
def test_commands_extract_a_content_once(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    extracted: list[str] = []
    extract: Callable[[str, int], Extracted] = process.extract

    def counted(kind: str, descriptor: int) -> Extracted:
        extracted.append(kind)
        return extract(kind, descriptor)

    monkeypatch.setattr(process, "extract", counted)
    folder = str(make_vault(FILES).path)
    assert [main(["--vault", folder, *command]) for _ in range(2)] == [0, 0]
    assert sorted(extracted) == ["docx", "pdf"]

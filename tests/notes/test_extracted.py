"""An attachment's text as a note: its pages or headings are the sections."""

from __future__ import annotations

from vaulttools.files.document import Document, DocumentPart
from vaulttools.notes.note import ExtractedNote
from vaulttools.notes.passages import split

PAGES = ExtractedNote.of(
    Document(
        "a.pdf",
        "one\ntwo\n\nthree\n# four\n",
        parts=(DocumentPart(1, 1, ()), DocumentPart(3, 2, ()), DocumentPart(3, 3, ()), DocumentPart(6, 4, ())),
    )
)
SECTIONS = ExtractedNote.of(
    Document(
        "a.docx",
        "before\n\n# A\n\n- item\n\n### B\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n",
        parts=(DocumentPart(3, None, ("A",)), DocumentPart(7, None, ("A", "B"))),
    )
)


def test_a_page_is_a_section_without_a_heading() -> None:
    assert [(each.text, each.line, each.end_line) for each in PAGES.headings] == [("", 1, 2), ("", 4, 5)]
    assert [(each.start_line, each.end_line) for each in PAGES.structure.blocks] == [(1, 2), (4, 5)]
    assert [PAGES.page_of(line) for line in (1, 2, 4, 5)] == [1, 1, 3, 3]
    assert PAGES.breadcrumb(5) == ()


def test_no_passage_crosses_the_end_of_a_page() -> None:
    assert [PAGES.text[each.start : each.end] for each in split(PAGES)] == ["one\ntwo", "three\n# four"]


def test_sections_of_headings_are_markdown() -> None:
    assert [(each.level, each.text, each.line) for each in SECTIONS.headings] == [(1, "A", 3), (2, "B", 7)]
    assert [each.kind for each in SECTIONS.structure.blocks] == [
        "paragraph",
        "heading",
        "list_item",
        "heading",
        "table",
    ]
    assert [SECTIONS.breadcrumb(line) for line in (1, 5, 11)] == [(), ("A",), ("A", "B")]
    assert SECTIONS.page_of(5) is None
    passages = [SECTIONS.text[each.start : each.end] for each in split(SECTIONS)]
    assert passages == [SECTIONS.text.strip()]


def test_text_that_looks_like_properties_or_tags_stays_text() -> None:
    note = ExtractedNote.of(Document("a.pdf", "---\ntags: x\n---\n#y [[z]]\n", parts=(DocumentPart(1, 1, ()),)))
    assert (note.body_line, dict(note.properties), note.written_tags, note.references) == (1, {}, (), ())

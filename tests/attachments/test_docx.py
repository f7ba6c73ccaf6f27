"""The text of DOCX files, as Markdown."""

from __future__ import annotations

import io

import pytest

from tests.attachments import samples
from tests.attachments.samples import paragraph, table
from vaulttools.attachments import docx
from vaulttools.attachments.extracted import Extracted
from vaulttools.files.document import DocumentPart


def text(data: bytes) -> str:
    extracted = docx.extract(io.BytesIO(data))
    assert extracted.failure is None
    return extracted.text


def test_headings_lists_and_tables_are_markdown() -> None:
    data = samples.docx(
        paragraph("Report", "Heading1"),
        paragraph("The first part."),
        paragraph("Risks", "Own"),
        paragraph("one", listed=(1, 0)),
        paragraph("inner", listed=(2, 1)),
        paragraph("two", listed=(1, 0)),
        table(["Name", "Cost"], ["a|b", "3"]),
    )
    assert docx.extract(io.BytesIO(data)) == Extracted(
        "# Report\n\nThe first part.\n\n## Risks\n\n1. one\n  - inner\n2. two\n\n"
        "| Name | Cost |\n| --- | --- |\n| a\\|b | 3 |\n",
        (DocumentPart(1, None, ("Report",)), DocumentPart(5, None, ("Report", "Risks"))),
    )


def test_text_that_looks_like_a_heading_is_escaped() -> None:
    assert text(samples.docx(paragraph("# not a heading"))) == "\\# not a heading\n"


@pytest.mark.parametrize(
    ("inside", "shown"),
    [
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>", "a\tb\nc\n"),
        ("<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins>", "new\n"),
        ("<w:hyperlink><w:r><w:t>link</w:t></w:r></w:hyperlink>", "link\n"),
        ("<w:r><w:t>x</w:t></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>", "x\n"),
        ("<w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>no tab</w:t></w:r>", "no tab\n"),
    ],
)
def test_runs(inside: str, shown: str) -> None:
    assert text(samples.docx(f"<w:p>{inside}</w:p>")) == shown


def test_a_text_box_is_shown_once() -> None:
    namespace = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    box = f'<mc:AlternateContent xmlns:mc="{namespace}"><mc:Choice>{paragraph("box")}</mc:Choice>'
    box += f"<mc:Fallback>{paragraph('box')}</mc:Fallback></mc:AlternateContent>"
    assert text(samples.docx(f"<w:p><w:r>{box}</w:r><w:r><w:t>around</w:t></w:r></w:p>")) == "box\n\naround\n"


def test_footnotes_follow_the_body() -> None:
    notes = f'<w:footnotes xmlns:w="{samples.W}"><w:footnote>{paragraph("a note")}</w:footnote></w:footnotes>'
    assert text(samples.docx(paragraph("body"), **{"word/footnotes.xml": notes})) == "body\n\na note\n"


def test_a_table_in_a_cell_is_text_of_that_cell() -> None:
    inner = f"<w:tbl><w:tr><w:tc>{table(['x', 'y'])}{paragraph('z')}</w:tc></w:tr></w:tbl>"
    assert text(samples.docx(inner)) == "| x y z |\n| --- |\n"


@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (samples.docx(), "no text"),
        (samples.zipped({"a.txt": "no body"}), "damaged"),
        (samples.docx(paragraph("cut"))[:-40], "damaged"),
        (b"PK\x03\x04" + b"\0" * 100, "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "encrypted"),
        (samples.docx("<w:p>"), "damaged"),
        (samples.docx(paragraph("x"), before='<!DOCTYPE d SYSTEM "http://127.0.0.1:9/d.dtd">'), "damaged"),
        (samples.docx(paragraph("&e;"), before='<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/passwd">]>'), "damaged"),
        (samples.docx("<w:sdt>" * 1100 + "</w:sdt>" * 1100), "damaged"),
    ],
)
def test_what_has_no_text_says_why(data: bytes, failure: str) -> None:
    assert docx.extract(io.BytesIO(data)) == Extracted(failure=failure)  # type: ignore[arg-type]


def test_text_beyond_the_limit_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vaulttools.attachments.docx.CHARACTERS", 5)
    extracted = docx.extract(io.BytesIO(samples.docx(paragraph("abc"), paragraph("def"))))
    assert extracted == Extracted("abc\n", is_whole=False)
    extracted = docx.extract(io.BytesIO(samples.docx(paragraph("abcdef"))))
    assert extracted == Extracted(failure="extraction too costly")

"""The text of PDF files, by page."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from tests.attachments import samples
from vaulttools.attachments import pdf
from vaulttools.attachments.extracted import Extracted
from vaulttools.files.document import DocumentPart


def test_text_is_lines_with_the_page_that_each_begins() -> None:
    extracted = pdf.extract(io.BytesIO(samples.pdf("First page\nsecond line", "", "Third page")))
    assert extracted == Extracted(
        "First page\nsecond line\nThird page\n",
        (DocumentPart(1, 1, ()), DocumentPart(3, 2, ()), DocumentPart(3, 3, ())),
    )


def test_values_of_forms_and_comments_follow_the_text_of_their_page() -> None:
    extracted = pdf.extract(io.BytesIO(samples.form("Ada Lovelace", "not yet signed")))
    assert extracted.text == "Application\nAda Lovelace\nnot yet signed\n"


@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (samples.scanned(2), "no text"),
        (samples.encrypted(), "encrypted"),
        (b"%PDF-1.7\n%%EOF\n", "damaged"),
        (b"%PDF-1.7\n" + b"\x00" * 1000, "damaged"),
        (samples.pdf("text")[:200], "damaged"),
    ],
)
def test_what_has_no_text_says_why(data: bytes, failure: str) -> None:
    assert pdf.extract(io.BytesIO(data)) == Extracted(failure=failure)  # type: ignore[arg-type]


def test_a_lost_table_of_objects_is_rebuilt() -> None:
    data = samples.pdf("still here").replace(b"startxref\n", b"startxref\n9")
    assert pdf.extract(io.BytesIO(data)).text == "still here\n"


def test_pages_read_before_the_time_limit_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 2.0, 8.0])
    # Only the clock of that module is replaced: a thread that another test left may look at the clock too.
    monkeypatch.setattr(pdf, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    extracted = pdf.extract(io.BytesIO(samples.pdf("one", "two", "three", "four")))
    assert extracted == Extracted("one\ntwo\n", (DocumentPart(1, 1, ()), DocumentPart(2, 2, ())), is_whole=False)

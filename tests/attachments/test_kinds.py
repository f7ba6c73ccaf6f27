"""Which files are attachments with text."""

from __future__ import annotations

import pytest

from vaulttools.attachments.kinds import Kind, is_of, kind_of


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a.pdf", "pdf"),
        ("b/A.PDF", "pdf"),
        ("a.docx", "docx"),
        ("a.md", None),
        ("a.pdf.md", None),
        ("pdf", None),
        ("a.pdf/b", None),
    ],
)
def test_names(path: str, kind: Kind | None) -> None:
    assert kind_of(path) == kind


def test_a_text_with_the_name_of_an_attachment_is_none() -> None:
    assert not is_of("pdf", b"just text")
    assert is_of("pdf", b"\xef\xbb\xbf\n%PDF-1.4")
    assert not is_of("docx", b"# Note")
    assert is_of("docx", b"PK\x03\x04")
    assert is_of("docx", b"\xd0\xcf\x11\xe0")

"""Which files are attachments with text."""

from __future__ import annotations

import pytest

from vaulttools.attachments.kinds import kind_of


@pytest.mark.parametrize(
    ("path", "name"),
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
def test_the_ending_of_a_name_decides_whether_it_is_an_attachment(path: str, name: str | None) -> None:
    kind = kind_of(path)
    assert (kind and kind.name) == name


@pytest.mark.parametrize(
    ("path", "head", "is_one"),
    [
        ("a.pdf", b"just text", False),
        ("a.pdf", b"\xef\xbb\xbf\n%PDF-1.4", True),
        ("a.docx", b"# Note", False),
        ("a.docx", b"# PK\x03\x04", False),
        ("a.docx", b"PK\x03\x04", True),
        ("a.docx", b"\xd0\xcf\x11\xe0", True),
    ],
)
def test_a_text_with_the_name_of_an_attachment_is_no_attachment(path: str, head: bytes, is_one: bool) -> None:
    kind = kind_of(path)
    assert kind is not None
    assert kind.begins(head) == is_one

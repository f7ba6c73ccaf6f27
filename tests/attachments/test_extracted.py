"""The answer of an extraction is loaded, and any other answer is refused."""

from __future__ import annotations

import json

import pytest

from vaulttools.attachments.extracted import Extracted, dump, load
from vaulttools.files.document import DocumentPart


@pytest.mark.parametrize(
    "extracted",
    [
        Extracted("a\nb\n", (DocumentPart(1, 1, ()), DocumentPart(2, 2, ()))),
        Extracted("# Ä\n", (DocumentPart(1, None, ("Ä",)),), is_whole=False),
        Extracted(failure="encrypted"),
    ],
)
def test_a_dumped_answer_is_loaded(extracted: Extracted) -> None:
    assert load(dump(extracted)) == extracted


WHOLE = {"text": "a\n", "parts": [], "is_whole": True, "failure": None}


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\xff",
        b"[]",
        b"[" * 100_000,
        json.dumps({**WHOLE, "text": "a\0"}).encode(),
        json.dumps({**WHOLE, "text": 5}).encode(),
        json.dumps({**WHOLE, "failure": "fine"}).encode(),
        json.dumps({**WHOLE, "parts": [[1, 2]]}).encode(),
        json.dumps({**WHOLE, "parts": [["1", 2, []]]}).encode(),
        json.dumps({**WHOLE, "parts": 7}).encode(),
    ],
)
def test_other_bytes_are_refused(answer: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        load(answer)

"""The number of the index's schema, which must rise with what is stored: an older index would be read wrongly."""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path

from vaulttools.core.folding.words import folded, sources
from vaulttools.index import passages, tokenizer
from vaulttools.index.content import words_of
from vaulttools.index.file import _TABLES, SCHEMA, WORDS_TOKENIZER
from vaulttools.notes import packing
from vaulttools.notes.note import Note
from vaulttools.patterns.requirements import fold

VAULT = Path(__file__).parents[2] / "fixtures" / "vault"
STORED = {20: "02648341ae61b4e0"}
"""The number, with a digest of the tables and of what they store of the notes of `fixtures/vault`."""


def test_the_number_of_the_schema_rises_with_what_is_stored() -> None:
    tables = f"{_TABLES}{WORDS_TOKENIZER}".replace("\u0ece", "")  # a mark that Python knows since Unicode 15
    digest = hashlib.sha256(tables.encode())
    for path in sorted(VAULT.rglob("*.md"), key=Path.as_posix):
        note = Note(path.relative_to(VAULT).as_posix(), path.read_text(encoding="utf-8"))
        parts = packing.PackedNote(packing.dump(note))  # versions of zlib compress to different bytes
        digest.update(b"".join(map(parts._part._group, range(len(packing._GROUPS)))))
        digest.update(" ".join(sorted(tokenizer.tokens(fold(note.text)).text.split())).encode())
        digest.update("".join(map(folded, words_of(note))).encode())
        data = passages.dump(note)
        reader = zlib.decompressobj()
        digest.update(reader.decompress(data) + reader.unused_data)
    # Modifier letters of Cyrillic are known since Unicode 15, and so since Python 3.12.
    known = (
        made for made, found in sources().items() if any(not "\U0001e030" <= each < "\U0001e070" for each in found)
    )
    digest.update("".join(sorted(known)).encode())
    assert {SCHEMA: digest.hexdigest()[:16]} == STORED, "raise SCHEMA, and write the digest beside it"

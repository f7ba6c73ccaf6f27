"""Compares an index with the files, whatever their keys say; each difference is a sentence."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from vaulttools.attachments import texts
from vaulttools.core import paths
from vaulttools.files.key import Key
from vaulttools.files.root import Root
from vaulttools.index.content import Content, scan
from vaulttools.index.database import Replaced
from vaulttools.index.store import IndexStore, Row

_TRIGRAM = 3


def verify(store: IndexStore, root: Root, present: Mapping[str, Key], unlisted: Collection[str] = ()) -> list[str]:
    """What is wrong with an index; empty when nothing is. What SQLite finds damaged is not compared with the files.

    Args:
        store: The index.
        root: The vault.
        present: Every file of the vault that was listed, with its key.
        unlisted: Folders that could not be listed: what the index holds below them is kept, and not compared
        (fault-I14).

    Raises:
        Unavailable: the index cannot be read, or checked because the disk is full.
    """
    damage = [f"The index is damaged: {fault}" for fault in store.faults()]
    try:
        return damage or list(_differences(store, root, present, unlisted))
    except Replaced as error:
        return [str(error)]


def _differences(store: IndexStore, root: Root, present: Mapping[str, Key], unlisted: Collection[str]) -> Iterator[str]:
    rows = {row.path: row for row in store.rows()}
    attachments = texts.beside(store.path, root)
    for path in sorted(rows.keys() | present.keys(), key=paths.order):
        row = rows.get(path)
        name = paths.shown(path)
        if path not in present:
            if not any(paths.is_below(folder, path) for folder in unlisted):
                yield f"{name}: is in the index, and not in the vault"
        elif row is None:
            yield f"{name}: is not in the index"
        elif (found := scan(root, path, attachments)) is None:
            yield f"{name}: is in the index, and not in the vault"
        elif found.key != row.key:
            yield f"{name}: has changed since it was indexed"
        elif wrong := _wrong(store, row, found):
            yield f"{name}: {wrong}"


def _wrong(store: IndexStore, row: Row, found: Content) -> str:
    """What a row says that its file does not, although the key has not changed; `""` when nothing."""
    if found.state != row.state:
        return f"is {found.state}, and {row.state} in the index"
    if found.state == "unread":
        return ""
    if found.digest != row.digest:
        return "has changed since it was indexed, though its times and size are the same"
    if found.flags != row.flags:
        return "has other line ends in the index"
    if (sampled := _sampled(found)) and store.lacks(row.id, sampled):
        return "is not found by its own text"
    if found.terms and store.lacks_word(row.id, found.terms.partition(" ")[0]):
        return "is not found by its own words"
    if paths.is_note(row.path) and found.state == "text" and store.structure(row.id, row.digest) is None:
        return "has no structure in the index"
    return ""


def _sampled(content: Content) -> list[str]:
    """Its first trigram, one that depends on the text, and its last one, which is a character and two line feeds."""
    text = content.trigrams
    last = len(text) - _TRIGRAM
    if last < 0:
        return []
    starts = {0, int.from_bytes(content.digest[:8], "big") % (last + 1), last}
    return [text[start : start + _TRIGRAM] for start in sorted(starts)]

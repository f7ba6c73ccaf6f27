"""Faults of SQLite's own disk, injected: the Nth call fails, for every N, and the index is unavailable or right.

SQLite tests itself in this way: a VFS lets calls fail, and everything else is real.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

import apsw
import pytest

from tests.index.indexes import Indexed, found, notes
from vaulttools.index import build, file
from vaulttools.index.database import Unavailable
from vaulttools.index.store import IndexStore

WRITES: Final = ("xWrite", "xSync", "xTruncate")
ERRORS: Final[dict[str, type[apsw.Error]]] = {"full": apsw.FullError, "io": apsw.IOError}

BENEATH: Final = apsw.vfs_names()[0]
"""The VFS that SQLite uses by default."""


class Faulty:
    """Counts SQLite's calls to its disk, and lets one of them fail, or all from that one on."""

    def __init__(self) -> None:
        self.calls = 0
        self.at: int | None = None
        self.lasts = 1
        self.error: type[apsw.Error] = apsw.FullError

    def met(self, name: str) -> None:
        """Count a call.

        Raises:
            apsw.Error: this call has to fail.
        """
        if self.error is apsw.FullError and name not in WRITES:
            return
        mine = self.calls
        self.calls += 1
        if self.at is not None and self.at <= mine < self.at + self.lasts:
            raise self.error


class _File(apsw.VFSFile):
    def __init__(self, fault: Faulty, name: Any, flags: list[int]) -> None:
        super().__init__(BENEATH, name, flags)
        self._fault = fault

    def xWrite(self, data: bytes, offset: int) -> None:
        self._fault.met("xWrite")
        super().xWrite(data, offset)

    def xRead(self, amount: int, offset: int) -> bytes:
        self._fault.met("xRead")
        return super().xRead(amount, offset)

    def xSync(self, flags: int) -> None:
        self._fault.met("xSync")
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:
        self._fault.met("xTruncate")
        super().xTruncate(size)


class _VFS(apsw.VFS):
    def __init__(self, fault: Faulty) -> None:
        self._fault = fault
        super().__init__("faulty", BENEATH, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        self._fault.met("xOpen")
        return _File(self._fault, name, flags)


@pytest.fixture
def disk_of_sqlite(monkeypatch: pytest.MonkeyPatch) -> Iterator[Faulty]:
    """Put every database on this disk during a test."""
    fault = Faulty()
    monkeypatch.setattr(file, "checking_vfs", lambda: None)  # it would bypass this disk
    vfs = _VFS(fault)
    yield fault
    vfs.unregister()


def _opened(indexed: Indexed) -> IndexStore:
    return IndexStore.open(indexed.database, wal=False)  # a VFS in Python has no shared memory


def _cycle(indexed: Indexed) -> None:
    """Make an index, change the vault, update the index and ask it."""
    indexed.write(notes(6))
    store = _opened(indexed)
    try:
        indexed.update(store)
        (indexed.vault / "0/note 0.md").write_text("changed needle", encoding="utf-8")
        (indexed.vault / "1/note 1.md").unlink()
        indexed.update(store)
        assert found(store, "needle") == {"0/note 0.md"}
        assert store.status().files == 5
        store.faults()
    finally:
        store.close()


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("lasts", [1, 1_000_000])
def test_fault_I11_the_index_is_unavailable_or_right_whichever_call_of_sqlite_fails(
    indexed: Indexed, disk_of_sqlite: Faulty, monkeypatch: pytest.MonkeyPatch, error: str, lasts: int
) -> None:
    monkeypatch.setattr(build, "FACTS_FIRST", 1)
    fault = disk_of_sqlite
    fault.error, fault.lasts = ERRORS[error], lasts
    _cycle(indexed)
    total = fault.calls
    assert total > 50
    for at in range(0, total, 1 if "VAULTTOOLS_FUZZ_SECONDS" in os.environ else 3 if lasts == 1 else 9):
        for left in indexed.folder.glob("index.sqlite*"):
            left.unlink()
        fault.calls, fault.at = 0, at
        try:
            _cycle(indexed)
        except Unavailable as unavailable:
            assert "\n" not in str(unavailable)
        fault.at = None
        store = _opened(indexed)
        try:
            indexed.update(store)
            assert indexed.verify(store) == [], at
            is_changed = "needle" in (indexed.vault / "0/note 0.md").read_text(encoding="utf-8")
            assert found(store, "needle") == ({"0/note 0.md"} if is_changed else set())
        finally:
            store.close()

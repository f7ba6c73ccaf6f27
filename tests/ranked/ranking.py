"""A vault with an index, and ranked search in it as the tool runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import write_files
from vaulttools.answers import all_notes
from vaulttools.call import Call
from vaulttools.config import VaultConfig
from vaulttools.core.work import Work
from vaulttools.files import document as documents
from vaulttools.files.document import NotRead
from vaulttools.index.snapshot import Snapshot
from vaulttools.notes.note import Note
from vaulttools.opening import open_folder
from vaulttools.ranked import ranking
from vaulttools.ranked.counting import RipgrepCounter
from vaulttools.ranked.ranking import Ranking, rank
from vaulttools.session import Session


@dataclass(frozen=True)
class Ranked:
    """An open vault."""

    folder: Path
    vault: Session

    def write(self, files: Mapping[str, str | bytes]) -> None:
        write_files(self.folder, files)

    def settle(self) -> None:
        """Wait until the index holds everything."""
        self.vault.indexes.wait()

    def known(self) -> Snapshot | None:
        return self.vault.indexes.structures(Work())[1]

    def read(self, path: str) -> Note | None:
        try:
            return Note(path, documents.read(self.vault.root, path, 1_000_000).text)
        except NotRead:
            return None

    def ask(
        self,
        question: str,
        notes: frozenset[str] | None = None,
        *,
        stop: Callable[[], bool] = lambda: False,
        most: int = 10,
        blind: bool = False,
        time_limit: float = 60.0,
    ) -> Ranking:
        """The answer; `blind`: as without an index."""
        known = None if blind else self.known()
        counter = None if blind else RipgrepCounter(Call(self.vault, Work(time_limit)))
        among = frozenset(self.notes()) if notes is None else notes
        return rank(question, among, known, self.read, stop, most, counter)

    def notes(self) -> list[str]:
        """The paths of all notes, in order."""
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*.md"))

    def paths(self, question: str, notes: frozenset[str] | None = None, *, most: int = 10) -> list[str]:
        return [hit.path for hit in self.ask(question, notes, most=most).notes]


@contextmanager
def opened(folder: Path, files: Mapping[str, str | bytes]) -> Iterator[Ranked]:
    """A vault of some files, indexed."""
    (folder / "vault").mkdir(parents=True)
    write_files(folder / "vault", files)
    vault = open_folder(str(folder / "vault"), VaultConfig(index_folder=str(folder / "index")), has_index=True)
    made = Ranked(folder / "vault", vault)
    try:
        made.settle()
        yield made
    finally:
        vault.close()


@contextmanager
def index_being_built() -> Iterator[None]:
    """Make ranked search work as in a large vault whose index is not ready."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(all_notes, "FEW_TO_READ", -1)
        patch.setattr(ranking, "MANY", 0)
        patch.setattr(Snapshot, "has_words", property(lambda self: False))
        patch.setattr(Snapshot, "has_words_of", lambda self, files, most: False)
        yield

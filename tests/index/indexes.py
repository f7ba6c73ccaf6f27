"""A vault and its index in a temporary folder, for the tests of this folder."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import vaulttools
from tests.conftest import write_files
from tests.modes import bound_by_modes
from vaulttools.core import paths
from vaulttools.files import disk
from vaulttools.files.disk import Key
from vaulttools.files.protection import Protection
from vaulttools.files.root import Root
from vaulttools.index import build
from vaulttools.index.build import Updated
from vaulttools.index.content import LACKS_WORDS
from vaulttools.index.rows import is_current
from vaulttools.index.store import FileRow, IndexStore
from vaulttools.index.upkeep import differences


@dataclass(frozen=True)
class Indexed:
    """A vault beside its index."""

    folder: Path

    @property
    def vault(self) -> Path:
        return self.folder / "vault"

    @property
    def database(self) -> Path:
        return self.folder / "index.sqlite"

    @property
    def root(self) -> Root:
        return Root(str(self.vault), str(self.vault), Protection.of())

    def write(self, files: Mapping[str, str | bytes]) -> None:
        write_files(self.vault, files)

    def open(self, options: str = "") -> IndexStore:
        return IndexStore.open(self.database, options)

    def present(self) -> dict[str, Key]:
        return {
            os.path.relpath(os.path.join(folder, name), self.vault).replace(os.sep, "/"): Key.of(
                os.stat(os.path.join(folder, name))
            )
            for folder, _, names in os.walk(self.vault)
            for name in names
        }

    def differences(
        self,
        store: IndexStore,
        present: Mapping[str, Key] | None = None,
        now: int | None = None,
        unlisted: Collection[str] = (),
    ) -> tuple[list[str], list[str]]:
        """The files whose rows are missing or may be outdated, and the rows whose files are gone."""
        present, known = self.present() if present is None else present, rows(store)
        now = time.time_ns() if now is None else now
        stale = [path for path, key in present.items() if path not in known or not is_current(known[path], key, now)]
        gone = [path for path in known.keys() - present.keys() if not any(paths.is_below(x, path) for x in unlisted)]
        return sorted(stale, key=paths.order), sorted(gone, key=paths.order)

    def update(self, store: IndexStore, **arguments: Any) -> Updated:
        wordless = [path for path, row in rows(store).items() if row.flags & LACKS_WORDS]
        return build.update(store, self.root, *self.differences(store), wordless, **{"workers": 0, **arguments})

    def holding(self, files: Mapping[str, str | bytes]) -> IndexStore:
        """A store of these files."""
        self.write(files)
        store = self.open()
        self.update(store)
        return store

    def verify(self, store: IndexStore) -> list[str]:
        return differences(store, self.root, self.present())


def rows(store: IndexStore) -> dict[str, FileRow]:
    """The rows by path."""
    return {row.path: row for row in store.rows()}


def found(store: IndexStore, literal: str) -> set[str]:
    """The files that may hold a folded literal."""
    ids = store.narrowed(literal)
    assert ids is not None
    return set(store.paths(ids))


def notes(count: int, seed: int = 1) -> dict[str, str]:
    """Small notes, different for each seed."""
    rng = random.Random(seed)
    return {
        f"{number % 7}/note {number}.md": f"---\naliases: [n{number}]\n---\n# About {rng.random()}\n\n"
        + "\n\n".join(f"- [ ] {rng.random()} [[note {rng.randrange(count)}]] #t{rng.randrange(9)}" for _ in range(9))
        for number in range(count)
    }


def unlistable(monkeypatch: pytest.MonkeyPatch, name: str, error: OSError) -> None:
    """Let the listing of every folder of a name fail."""
    scandir = os.scandir

    def failing(path: str) -> Any:
        if os.path.basename(path) == name:
            raise error
        return scandir(path)

    monkeypatch.setattr(disk, "scandir", failing)


def python(code: str, folder: Path, *, bound: bool = False) -> subprocess.Popen[str]:
    """A process that runs code with an `indexed` vault; with `bound`, file modes bind it."""
    preamble = (
        f"from pathlib import Path\nfrom tests.index.indexes import *\nindexed = Indexed(Path({str(folder)!r}))\n"
    )
    command = [sys.executable, "-c", preamble + code]
    if bound:
        command = bound_by_modes(command)
    package = Path(vaulttools.__file__).parent.parent
    places = os.pathsep.join([str(package), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": places, "PYTHONDONTWRITEBYTECODE": "1"}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8", cwd=package
    )

"""Gathers the folders, notes and links that the map of a vault shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Event
from typing import Any, Final, NamedTuple

from vaulttools.answers import all_notes
from vaulttools.answers.incremental import Aggregate
from vaulttools.answers.linked import PROJECTION
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.core.work import Work
from vaulttools.errors import PathNotFound
from vaulttools.notes.links.graph import Graph
from vaulttools.notes.links.resolution import LinkIndex
from vaulttools.server.page.asking import NOT_YET
from vaulttools.server.page.vault_notes import Soon, in_time
from vaulttools.vault import Vault

DRAWN: Final = 20_000
"""Notes that are drawn; a larger map shows only folders, each with its own map. 10,000 notes take 550 kB."""

_LISTED: Final = 100
"""Rows of a table of notes or folders."""

_SECONDS: Final = 5.0
"""Seconds for reading the links of all notes. It takes longer only while the vault is indexed for the first time."""


class MapRow(NamedTuple):
    """A folder or a note of the map, with counts of its links."""

    path: str
    notes: int
    """Number of notes in it; 1 for a note."""
    within: int
    """Links between its own notes."""
    out: int
    """Links from its notes to others of the map."""
    back: int
    """Links from others of the map to its notes."""


@dataclass
class VaultMap:
    """The notes in a folder and below, and the links between them."""

    folder: str
    """Empty for the whole vault."""
    notes: Sequence[str]
    """Their paths, in path order."""
    links: Sequence[Sequence[int]]
    """For each note, the indexes in `notes` of the notes that it links to."""
    part: str
    """Says that not all notes are read yet; otherwise empty."""

    def drawing(self) -> dict[str, Any]:
        """Returns the data that the map's script draws, in few bytes: folders as names with the index of their parent,
        notes as file names with the index of their folder, links as indexes of notes."""
        folders = {self.folder: 0}
        named = [(self.folder, -1)]

        def place(path: str) -> int:
            if path not in folders:
                above, _, name = path.rpartition("/")
                row = (name, place(above))
                folders[path] = len(named)
                named.append(row)
            return folders[path]

        is_drawn = len(self.notes) <= DRAWN
        notes = [(name, place(above)) for above, _, name in (path.rpartition("/") for path in self.notes)]
        totals = Counter(folder for _, folder in notes)
        return {
            "folders": named,
            "counts": [totals[index] for index in range(len(named))],
            "notes": notes if is_drawn else [],
            "links": self.links if is_drawn else [],
        }

    @cached_property
    def folder_rows(self) -> Sequence[MapRow]:
        """The folders directly in this one."""
        return [row for row in self._rows if row.path not in self._own][:_LISTED]

    @cached_property
    def note_rows(self) -> Sequence[MapRow]:
        """The notes directly in it; those with most links first."""
        found = [row for row in self._rows if row.path in self._own]
        return sorted(found, key=lambda row: -(row.out + row.back))[:_LISTED]

    @cached_property
    def own_notes(self) -> int:
        """Number of notes directly in it."""
        return len(self._own)

    @cached_property
    def total_links(self) -> int:
        """Number of linked pairs of notes."""
        return sum(map(len, self.links))

    @cached_property
    def _own(self) -> frozenset[str]:
        return frozenset(path for path in self.notes if path.rpartition("/")[0] == self.folder)

    @cached_property
    def _rows(self) -> Sequence[MapRow]:
        """The folders and notes directly in the folder."""
        start = len(self.folder) + 1 if self.folder else 0
        parts = [path if path in self._own else path[: path.index("/", start)] for path in self.notes]
        within, out, back = Counter[str](), Counter[str](), Counter[str]()
        for source, targets in zip(parts, self.links, strict=True):
            for target in (parts[index] for index in targets):
                if source == target:
                    within[source] += 1
                else:
                    out[source] += 1
                    back[target] += 1
        return [MapRow(path, count, within[path], out[path], back[path]) for path, count in Counter(parts).items()]


def vault_map(vault: Vault, folder: str, cancel: Event) -> VaultMap:
    """Returns the map of a folder; empty means the whole vault.

    Raises:
        PathNotFound: the folder contains no notes.
        Cancelled: the browser has gone.
    """
    folder = folder.strip("/")
    known = in_time(lambda: _known(Call(vault.session, Work(cancel=Soon(cancel, _SECONDS)), pinned=False)), cancel)
    if known is None:
        return VaultMap(folder, [], [], NOT_YET)
    asked, names = known
    whole = _whole(vault, asked.answer, names, asked.files)
    if not folder:
        return VaultMap("", whole.notes, whole.links, all_notes.part(asked))
    within = [place for place, path in enumerate(whole.notes) if path.startswith(f"{folder}/")]
    if not within:
        raise PathNotFound(paths.shown(folder))
    places = {old: new for new, old in enumerate(within)}
    links = [[places[target] for target in whole.links[old] if target in places] for old in within]
    return VaultMap(folder, [whole.notes[old] for old in within], links, all_notes.part(asked))


def _known(call: Call) -> tuple[Aggregate[Graph], LinkIndex]:
    """Returns the links of all notes, and the names that they can use."""
    call, scope = all_notes.awaited(call)
    return all_notes.answered(call, PROJECTION, scope), call.links(reports_missed=True)


@dataclass
class _Whole:
    """All notes and their links, kept until a note changes: a page and its script ask one after the other."""

    graph: Graph | None = None
    names: LinkIndex | None = None
    notes: Sequence[str] = ()
    links: Sequence[Sequence[int]] = ()


def _whole(vault: Vault, graph: Graph, names: LinkIndex, files: Sequence[str]) -> _Whole:
    kept: list[_Whole] = vault.session.lasting.made("map", lambda: [_Whole()])
    known = kept[0]
    if known.graph is not graph or known.names is not names:
        places = {path: place for place, path in enumerate(files)}
        links = [
            sorted(places[target] for target in graph.targets(path, names) if target in places and target != path)
            for path in files
        ]
        known = kept[0] = _Whole(graph, names, [*map(paths.portable, files)], links)
    return known

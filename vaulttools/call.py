"""Holds what one call uses: a session, one snapshot of the index, and the work.

Links, archives and URLs are imported when a call names one: a plain search need not pay their 40 ms.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from vaulttools.core import limits, paths
from vaulttools.core.cached import cached_property
from vaulttools.core.folding.identity import is_same
from vaulttools.core.work import INCOMPLETE, Reason, Work
from vaulttools.errors import AccessDenied, BadArgument, PathNotFound, PathTooLong
from vaulttools.files import catalogue, disk, globs
from vaulttools.files.catalogue import Entry, Rules
from vaulttools.files.disk import within
from vaulttools.files.document import Document, NotRead
from vaulttools.files.globs import Glob
from vaulttools.files.listing import Listing
from vaulttools.files.root import Place
from vaulttools.files.scope import Scope, Walk
from vaulttools.files.selectors import Ranges
from vaulttools.files.settings import Excluded
from vaulttools.session import Session

if TYPE_CHECKING:
    from vaulttools.index.background import BackgroundIndex
    from vaulttools.index.snapshot import Snapshot
    from vaulttools.matching.search import Search
    from vaulttools.notes.links.resolution import LinkIndex
    from vaulttools.notes.reader import NoteReader
    from vaulttools.patterns.pattern import Pattern
    from vaulttools.resources.path_entries import EntryReader, Target, Targets

_ADVICE: Final[dict[Reason, str]] = {
    "no text": ". Its pages are images, as in a scan; it has no text to search",
    "encrypted": ". It opens with a password only",
    "not extracted yet": ". Its text is being extracted; ask again",
}
"""Advice after the reason why a file cannot be read."""

_LEAST_SECONDS: Final = 0.1
"""Time that a call always has for reading one text."""


@dataclass(slots=True)
class _Taken:
    """What a call, and those that were made of it, took of the index. Closing any of these calls closes all."""

    index: BackgroundIndex | None = None
    snapshot: Snapshot | None = None
    """The last snapshot."""
    has_asked: bool = False
    """Whether the call asked for names at all, from an index or from the disk."""


class Call:
    """One call of a tool, in one thread. It has one snapshot, so its names, candidates and facts are of one moment."""

    def __init__(self, session: Session, work: Work, *, pinned: bool = True) -> None:
        """`pinned`: whether the tables of the index are of one moment, too, until `close`, which the caller then calls;
        not for a call without a time limit."""
        self.session: Final = session
        self.work: Final = work
        self._pinned: Final = pinned
        self.has_fixed_snapshot = False
        """Whether the call has chosen its snapshot: nothing waits any more, since the snapshot is in use."""
        self._taken = _Taken()

    @cached_property
    def snapshot(self) -> Snapshot | None:
        """The index as of the beginning of the call, taken at the first need; None if there is none, or not yet."""
        self._taken.has_asked = True
        if not self.session.has_index:
            return None
        self._taken.index = self.session.indexes.own
        self._taken.snapshot = self._taken.index.view(self.work.started, pinned=self._pinned)
        return self._taken.snapshot

    def close(self) -> None:
        """End the use of the index's tables; what is asked of them later is as it is then."""
        if self._taken.snapshot is not None:
            self._taken.snapshot.release()

    def with_work(self, work: Work) -> Call:
        """Returns the same call, of the same snapshot, with another work."""
        return self._made(work, self.snapshot, has_fixed_snapshot=self.has_fixed_snapshot)

    def again(self) -> Call:
        """Returns a second look in the same call, such as for a hint: the same snapshot, and a tally of its own.

        Raises:
            Cancelled: the caller has stopped the call.
        """
        return self.with_work(self.work.again())

    def anew(self) -> Call:
        """Returns the same call when it is asked again: its snapshot is still to be taken.

        Raises:
            Cancelled: the caller has stopped the call.
        """
        return Call(self.session, self.work.anew(), pinned=self._pinned)

    def waited(self, seconds: float) -> Call:
        """Waits until the structures of all notes are known, for at most `seconds`; 0: not at all.

        Returns the call to go on with, and to use alone: of the same work, with the index as it is then. A vault whose
        own index is off or unavailable gets a temporary one. Closing any of these calls closes all.

        Raises:
            Cancelled: the caller has stopped the call.
        """
        snapshot = self.snapshot
        if snapshot is None or (seconds and not snapshot.has_facts):
            self.close()
            self._taken.index, snapshot = self.session.indexes.structures(self.work, seconds)
            self._taken.snapshot = snapshot
        return self._made(self.work, snapshot, has_fixed_snapshot=True)

    def _made(self, work: Work, snapshot: Snapshot | None, *, has_fixed_snapshot: bool) -> Call:
        made = Call(self.session, work, pinned=self._pinned)
        made.has_fixed_snapshot = has_fixed_snapshot
        made._taken = self._taken
        vars(made)["snapshot"] = snapshot
        return made

    @property
    def has_lost_index(self) -> bool:
        """Whether the index that the call used was removed, replaced or damaged meanwhile."""
        snapshot = self._taken.snapshot
        return snapshot is not None and snapshot.is_lost

    @property
    def is_of_one_moment(self) -> bool:
        """Whether all names that the call knew were those of one moment, so that it lacks no file."""
        snapshot = self._taken.snapshot
        return not self._taken.has_asked or (
            snapshot is not None and snapshot.are_names_of_one_moment and snapshot.was_pinned
        )

    def moved(self) -> dict[str, int]:
        """Returns what may have been renamed or moved since the call began, each with a number that differs for each
        change: files that came or went, or folders whose names changed where no watch tells it."""
        index, snapshot = self._taken.index, self._taken.snapshot
        if index is not None and snapshot is not None and snapshot.are_names_of_one_moment:
            now = index.view(time.monotonic())
            if now is not None:
                return dict.fromkeys(snapshot.moved(now), time.monotonic_ns())
        begun = time.time_ns() - int((time.monotonic() - self.work.started) * 1e9)
        known = None if snapshot is None else snapshot.folders
        found = dict(catalogue.changed_folders(self.session.root, begun, lambda: self.work.remaining() <= 0, known))
        catalogue.wait_for_tick(found.values())  # so that a change while the call is asked again is known as another
        return found

    def notes(self) -> NoteReader:
        """Returns the reader of the vault's notes; it takes from the snapshot what that has of them."""
        return self.session.notes(self.snapshot)

    def scope(
        self,
        walks: tuple[Walk, ...],
        named: tuple[str, ...],
        *,
        hidden: bool,
        include_excluded: bool,
        gitignore: bool = False,
        pruned: frozenset[str] = frozenset(),
        default_excludes: bool = False,
    ) -> Scope:
        """Returns the scope of walks and named files under the vault's present rules."""
        leaves_out = self.session.config.respect_excluded and not include_excluded
        rules = Rules(
            hidden=hidden,
            excluded=self.session.excluded(self.work) if leaves_out else Excluded(),
            ignores=gitignore,
            pruned=pruned,
            default_excludes=default_excludes,
        )
        return self.session.scope(rules, walks, named, self.snapshot, self.work)

    def targets(self, entries: Sequence[str]) -> Targets:
        """Finds what the `paths` of a call name.

        Raises:
            PathNotFound: no entry exists; for a single path it carries similar paths.
            BadArgument: an entry is empty, malformed, several in one, or not allowed.
        """
        try:
            targets = self._reader().read(entries)
            for target in targets.found:
                self._tell_reading(target.glob)
            return targets
        except PathNotFound as error:
            given = error.given[0]
            if len(error.given) > 1 or "://" in given:
                raise
            from vaulttools.resources.naming import close_to, folders_close_to

            visible = list(self.visible())
            if globs.has_magic(given):
                folder = globs.before_magic(given)
                close = [f"{other}/{given[len(folder) :]}" for other in folders_close_to(folder, visible)]
            else:
                folders = folders_close_to(given, visible)
                same = [each for each in folders if is_same(each, given.strip("/"))]
                close = [*same, *close_to(given, visible)] or folders
            raise PathNotFound(given, close=close) from None

    def named(self, given: str) -> Target:
        """Finds the one note or other text that a name means.

        Raises:
            BadArgument: there is none, or several; see `resources.naming`.
        """
        from vaulttools.resources.naming import Naming

        naming = Naming(self._reader(), self.links, self.visible, self.session.periodic.named)
        return naming.target(given)

    def visible(self) -> Iterator[str]:
        """Yields the files to suggest for a name that does not exist."""
        scope = self.scope((Walk(),), (), hidden=False, include_excluded=False)
        return (entry.path for entry in scope.entries() if entry.left_out is None)

    def links(self, *, reports_missed: bool = False) -> LinkIndex:
        """Returns the names that links can use: of all files that Obsidian sees, including excluded ones.

        With `reports_missed`, `work` gets the folders that could not be listed.
        """
        from vaulttools.notes.links.resolution import LinkIndex

        scope = self.scope((Walk(),), (), hidden=False, include_excluded=True)

        def made() -> tuple[LinkIndex, list[Entry]]:
            listing = scope.listing() or Listing(scope.entries())
            left_out = listing.left_out
            missed = [entry for entry in left_out if entry.kind == "folder" and entry.left_out in INCOMPLETE]
            # A file in iCloud that is not downloaded still has its name (fault-S01, fault-S02).
            away = [entry.path for entry in left_out if entry.left_out == "not downloaded"]
            return LinkIndex([*listing.files, *away], is_logseq=self.session.root.is_logseq), missed

        if scope.names is None or not scope.names.knows(""):
            index, missed = made()
        else:
            index, missed = scope.names.kept("links", made)
        if reports_missed and self.work.complete:  # otherwise `work` already has what is missing
            for path, _, reason in missed:
                assert reason is not None
                self.work.pass_over(path, reason, is_folder=True)
        return index

    def search(
        self,
        pattern: Pattern,
        scope: Scope,
        wanted: int = limits.COUNTED_FILES + 1,
        *,
        wants_lines: bool = False,
    ) -> Search:
        """Returns a search of one scope; see `Search` for `wanted` and `wants_lines`."""
        from vaulttools.matching.search import Search

        return Search(
            self.session.ripgrep,
            pattern,
            scope,
            self.work,
            self.session.config.max_file_size,
            self.snapshot,
            wanted,
            wants_lines,
            contents=self.session.contents,
            kept_counts=self.session.counts,
        )

    def lines_of(self, target: Target) -> Ranges | None:
        """Returns the lines that the target means: a range, the section or block that a link names; None for all.

        Raises:
            BadArgument: the note has no such heading or block, or cannot be read.
        """
        if target.place is None or not (target.headings or target.block):
            return target.ranges
        from vaulttools.notes.note import Note

        read = self._read(target, target.place)
        note, name = Note(read.path, read.text, is_logseq=self.session.root.is_logseq), paths.shown(read.path)
        if target.block is not None:
            block = note.required_block(target.block, name)
            return Ranges(((block.start_line, block.end_line),))
        section = note.required_section(target.headings, name)
        return Ranges(((section.line, section.end_line),))

    def text_of(self, target: Target) -> tuple[Document, tuple[str, ...]]:
        """Returns the text of a file, an archive member or a virtual resource, and sentences about anything unusual.

        Raises:
            BadArgument: the file cannot be read.
            MemberUnreadable: the member cannot be read; its reason says why.
        """
        if target.place is not None:
            place = target.place
            try:
                return within(max(self.work.remaining(), _LEAST_SECONDS), lambda: self._read(target, place)), ()
            except TimeoutError as error:
                raise BadArgument(f"Cannot read {target.given}: {error}") from error
        if target.virtual is not None:
            return Document(target.virtual.name, target.virtual.text), ()
        from vaulttools.resources import archives

        assert target.member is not None
        archive, member = target.member
        try:
            with disk.fdopen(self.session.root.open(archive), "rb") as file:
                closed = self.session.root.protection.folder_of_member
                read = archives.read_member(file, archive, member, self.work.remaining, lambda name: bool(closed(name)))
        except OSError as error:
            raise archives.MemberUnreadable("not a readable archive") from error
        if read.is_cut_short:
            self.work.pass_over(archive, "too large")
        return Document(f"{archive}:{member}", read.text), read.warnings

    def selected(
        self, glob: str | None, walks: tuple[Walk, ...], named: tuple[str, ...] = (), *, ignore_case: bool
    ) -> tuple[tuple[Walk, ...], tuple[str, ...]]:
        """Returns what a glob filter selects of walks without a glob and of named files; a blank one selects all.

        A file that the filter names exactly counts as named; a folder means its content, also through a link. Files in
        a protected folder are not selected.

        Raises:
            InvalidGlob: it is malformed.
            OutsideVault: it leads out of the vault.
        """
        if glob is None or not glob.strip():
            return walks, named
        try:
            place = self.session.root.locate(glob)
        except AccessDenied:
            return (), ()
        except PathTooLong:
            if not globs.has_magic(glob):
                raise
            place = Place(glob, None)
        if place.kind == "file":
            is_meant = place.path in named or any(walk.covers(place.path) for walk in walks)
            return (), (place.path,) if is_meant else ()
        if place.kind == "folder":
            held = tuple(path for path in named if paths.is_below(place.path, path))
            return _narrowed(walks, place.path), held
        parsed = globs.parse(self.session.root.anchored(glob), ignore_case=ignore_case)
        self._tell_reading(parsed)
        try:
            base = self.session.root.locate(parsed.literal_folders or ".")
        except AccessDenied:  # the check above missed it: the whole glob is too long for a path
            return (), ()
        # A walk from further up would not follow a link; else it must start there, for the rules of folders between.
        if base.kind == "folder" and self.session.root.resolved(base.path) != base.path:
            walks = _narrowed(walks, base.path)
        return tuple(replace(walk, glob=parsed) for walk in walks), tuple(filter(parsed.matches, named))

    def _tell_reading(self, glob: Glob | None) -> None:
        if glob is not None and glob.is_ambiguous:
            both = "its brackets and braces as wildcards, and as literal text"
            self.work.readings[f"The glob {paths.shown(glob.text)} was read with {both}."] = None

    def _reader(self) -> EntryReader:
        """Returns the reader of a call's entries; it resolves links within the call's time, among all files that
        Obsidian sees (rule-L12 to rule-L17)."""
        from vaulttools.resources.path_entries import EntryReader

        return EntryReader(self.session.root, self.session.resolvers, lambda target: self.links().resolve(target))

    def _read(self, target: Target, place: Place) -> Document:
        try:
            return self.session.read(place.path)
        except NotRead as error:
            raise BadArgument(f"Cannot read {target.given}: {error.reason}{_ADVICE.get(error.reason, '')}") from error


def _narrowed(walks: tuple[Walk, ...], folder: str) -> tuple[Walk, ...]:
    """Returns the walks, limited to a folder."""
    return tuple(part for walk in walks if (part := walk.narrowed(folder)) is not None)

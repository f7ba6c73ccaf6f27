"""Holds what a tool needs of an open vault: root, configuration, ripgrep, rules.

Links, archives and URLs are imported when a call names one: a plain search need not pay their 40 ms.
"""

from __future__ import annotations

import time
import weakref
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from vaulttools.attachments.kinds import is_searched
from vaulttools.config import VaultConfig
from vaulttools.core import limits, moment, paths
from vaulttools.core.cached import cached_property
from vaulttools.core.dates import Calendar
from vaulttools.core.recent import Recent
from vaulttools.core.work import INCOMPLETE, Reason, Work
from vaulttools.errors import AccessDenied, BadArgument, PathNotFound, PathTooLong
from vaulttools.files import catalogue, disk, globs, settings
from vaulttools.files import document as documents
from vaulttools.files.catalogue import Entry, Rules
from vaulttools.files.disk import within
from vaulttools.files.document import Document, NotRead
from vaulttools.files.kept import ContentCache, KeptCounts, SnapshotStore
from vaulttools.files.listing import Listing
from vaulttools.files.root import Place, Root
from vaulttools.files.scope import Scope, Walk
from vaulttools.files.selectors import Ranges
from vaulttools.files.settings import Excluded

if TYPE_CHECKING:
    from vaulttools.attachments.texts import Attachments
    from vaulttools.index.background import Indexes
    from vaulttools.index.snapshot import Snapshot
    from vaulttools.matching.ripgrep import Ripgrep
    from vaulttools.matching.search import Search
    from vaulttools.meaning.background import Supply
    from vaulttools.meaning.languages import Meaning
    from vaulttools.notes.links.targets import LinkIndex
    from vaulttools.notes.note import Note
    from vaulttools.notes.note_date import Dating
    from vaulttools.notes.reader import NoteIndex, NoteReader
    from vaulttools.patterns.pattern import Pattern
    from vaulttools.resources.periodic import PeriodicNotes
    from vaulttools.resources.targets import Reader, Target, Targets
    from vaulttools.resources.urls import Resolvers


_EXTRACTION_SECONDS: Final = 12.0
"""For extracting one attachment to read: the limit of an extraction, and the start of its process."""

_ADVICE: Final[dict[Reason, str]] = {
    "no text": ". Its pages are images, as in a scan; it has no text to search",
    "encrypted": ". It opens with a password only",
    "not extracted yet": ". Its text is being extracted; ask again",
}
"""Advice after the reason why a file cannot be read."""

_SAMPLED: Final = 200
"""Notes that tell the languages of a vault: enough to find those of three notes in a hundred, within 2 ms."""

_LEAST_SECONDS: Final = 0.1
"""Time that a call always has for reading one text."""


@dataclass(frozen=True)
class Session:
    """One vault, for any number of calls from any number of threads."""

    root: Root
    config: VaultConfig
    config_folder: str
    """Vault-relative."""
    snapshots: SnapshotStore = field(default_factory=SnapshotStore)
    """The texts behind the tags of hashline mode."""
    contents: ContentCache = field(default_factory=ContentCache)
    """The bytes of files that calls have read."""
    counts: KeptCounts = field(default_factory=KeptCounts)
    """The numbers of matching lines in files that calls have counted."""
    has_index: bool = False
    """Whether an index is kept while the vault is open."""
    lasting: Recent[Hashable, Any] = field(default_factory=partial(Recent, 16))
    """Answers about all notes, updated from changes, independent of the index; sixteen, because a session asks a few
    questions about one or two scopes."""
    calendar: Calendar = field(default_factory=Calendar)
    """The clock and time zone of a call."""
    ended: Event = field(default_factory=Event)
    """Set when another session takes its place, or the vault is closed: nothing behind the calls reads notes then."""

    @cached_property
    def resolvers(self) -> Resolvers:
        """The resolvers of URLs by scheme: ours, and those that the embedding program registers."""
        from vaulttools.resources import urls

        known, root = urls.Resolvers(), self.root  # what refers to the session would keep it, and its threads
        known.register_linking("obsidian", lambda resolve_link: urls.of_obsidian(root, resolve_link))
        known.register("vaulttools", urls.documentation)
        return known

    @cached_property
    def indexes(self) -> Indexes:
        """The index of this vault, and the temporary one that serves if there can be none."""
        from vaulttools.index.background import Indexes

        return Indexes(self.root, self.config, self.attachments, has_index=self.has_index)

    @cached_property
    def attachments(self) -> Attachments | None:
        """Extracts the text of PDF and DOCX files; None without the extra `[files]`. Without an index, too, the texts
        are kept in the folder that an index would have."""
        from vaulttools.attachments import texts
        from vaulttools.index import location
        from vaulttools.index.database import Unavailable

        root, index_folder = self.root, self.config.index_folder

        def folder() -> str | None:
            try:
                return str(texts.folder_beside(location.of(root, index_folder).database))
            except (Unavailable, BadArgument):  # no cache folder, or one inside the vault
                return None

        return texts.of(root, folder, self.config.max_file_size)

    @property
    def wants_meaning(self) -> bool:
        """Whether ranked search should also use meaning."""
        from vaulttools.meaning import embedders

        return self.has_index and embedders.is_wanted(self.config)

    @cached_property
    def meaning(self) -> Meaning | None:
        """The vectors of this vault's passages, made on demand; None if not wanted.

        Raises:
            NoMeaning: they are wanted, but the packages that they need are not installed.
        """
        from vaulttools.meaning import embedders

        if not self.wants_meaning:
            return None
        with embedders.packages_needed():
            from vaulttools.meaning.languages import Meaning
        choice = embedders.Choice.of(self.config)
        root, index_folder = self.root, self.config.index_folder
        session = weakref.ref(self)

        def supply() -> Supply | None:
            alive = session()
            return None if alive is None else alive._embeddable(strictly=bool(choice.address))

        def folder() -> Path:
            from vaulttools.index import location

            return location.of(root, index_folder).folder

        meaning = Meaning(choice, folder, supply)
        made: Meaning = vars(self).setdefault("meaning", meaning)
        if made is meaning:
            weakref.finalize(self, meaning.end)
        return made

    def languages(self) -> Counter[str]:
        """Returns how many of some notes are in each language; empty while the index knows less than half of them.
        Waits for nothing."""
        view = self.indexes.own.as_it_is() if self.has_index and "indexes" in vars(self) else None
        if view is None:
            return Counter()
        sample = view.some_notes(_SAMPLED)
        found = view.languages(sample)
        return found if 2 * found.total() >= len(sample) else Counter()

    def _embeddable(self, *, strictly: bool) -> Supply | None:
        """Returns the notes and attachments that may be embedded, as the index knows them; None while it has none.

        `strictly`: excluded notes are left out even if the configuration does not respect them.

        Raises:
            NoMeaning: `strictly`, but it is unknown which files are excluded.
        """
        from vaulttools.meaning.background import Supply
        from vaulttools.meaning.embedders import NoMeaning
        from vaulttools.notes.note import ExtractedNote

        work = Work(self.config.time_limit)
        view = self.view(work)
        if view is None:
            return None
        walks = (Walk("", notes_only=True, also=is_searched),)
        scope = self.scope(walks, (), work, hidden=False, include_excluded=False, strictly=strictly)
        kept = scope.listing()
        listing = Listing(scope.entries()) if kept is None else kept
        if strictly and (work.warnings or scope.warnings):
            raise NoMeaning("It is unknown which files are excluded, so nothing is sent to the embedder")

        def notes() -> frozenset[str]:
            return frozenset(listing.files) - view.large

        made = notes() if kept is None else view.kept(("embeddable", listing, view.large), notes)
        reader = self.notes(view)

        def read(path: str) -> Note:
            if self.ended.is_set():
                raise NotRead("unreadable")
            document = self.read(path)
            if not paths.is_note(path):
                return ExtractedNote.of(document)
            return reader.note(replace(document, content=document.normalised))

        return Supply(view, made, read)

    def end(self) -> None:
        """Ends the work behind the calls, and does not wait for that; running calls finish."""
        self.ended.set()
        if (meaning := vars(self).get("meaning")) is not None:
            meaning.end()
        if "indexes" in vars(self):
            self.indexes.end()

    def close(self) -> None:
        """Like `end`, and waits for it."""
        self.end()
        if (meaning := vars(self).get("meaning")) is not None:
            meaning.close()
        if "indexes" in vars(self):
            self.indexes.close()

    @cached_property
    def ripgrep(self) -> Ripgrep:
        """The ripgrep that searches this vault; located at the first call that needs it.

        Raises:
            RipgrepUnavailable: there is no usable one.
        """
        from vaulttools.matching import ripgrep

        return ripgrep.locate(self.config.rg)

    def scope(
        self,
        walks: tuple[Walk, ...],
        named: tuple[str, ...],
        work: Work,
        *,
        hidden: bool,
        include_excluded: bool,
        gitignore: bool = False,
        pruned: frozenset[str] = frozenset(),
        default_excludes: bool = False,
        strictly: bool = False,
    ) -> Scope:
        """Returns the scope of a call under the vault's present rules; `strictly`: without excluded files, even if the
        configuration does not respect them."""
        leaves_out = strictly or (self.config.respect_excluded and not include_excluded)
        excluded_files = self._excluded(work) if leaves_out else Excluded()
        rules = Rules(
            hidden=hidden,
            excluded=excluded_files,
            ignores=gitignore,
            pruned=pruned,
            default_excludes=default_excludes,
        )
        covered = None
        if excluded_files.patterns:
            covered = partial(self.ripgrep.excluded, excluded_files.patterns, work=work)
        attachments = (
            self.attachments if named or not all(walk.notes_only and walk.also is None for walk in walks) else None
        )
        return Scope(self.root, rules, walks, named, covered, self.view(work), attachments)

    def view(self, work: Work) -> Snapshot | None:
        """Returns the index as of the beginning of a call, taken once per call; None if there is none, or not yet."""
        if work.view is None and self.has_index:
            work.view = self.indexes.own.view(work.started)
        view: Snapshot | None = work.view
        return view

    def has_lost_index(self, work: Work) -> bool:
        """Whether the index that a call used was removed, replaced or damaged meanwhile."""
        view: Snapshot | None = work.view
        return view is not None and view.is_lost

    def moved(self, work: Work) -> dict[str, int]:
        """Returns what may have been renamed or moved since a call began, each with a number that differs for each
        change: files that vanished, or folders whose names changed where no watch tells it."""
        view: Snapshot | None = work.view
        self.look_again()
        now = None if view is None else self.indexes.own.view(time.monotonic())
        if view is not None and now is not None:
            return dict.fromkeys(view.vanished(now), time.monotonic_ns())
        begun = time.time_ns() - int((time.monotonic() - work.started) * 1e9)
        return dict(catalogue.changed_folders(self.root, begun, lambda: work.remaining() <= 0))

    def look_again(self) -> None:
        """Let the next call look at the disk, also in a process that listed the vault once for one command."""
        if self.has_index:
            self.indexes.own.look_again()

    def targets(self, entries: Sequence[str], work: Work) -> Targets:
        """Finds what the `paths` of a call name.

        Raises:
            PathNotFound: no entry exists; for a single path it carries similar paths.
            BadArgument: an entry is empty, malformed, several in one, or not allowed.
        """
        try:
            return self._reader(work).read(entries)
        except PathNotFound as error:
            given = error.given[0]
            if len(error.given) > 1 or "://" in given:
                raise
            from vaulttools.resources.naming import close_to, folders_close_to

            visible = list(self.visible(work))
            if globs.has_magic(given):
                folder = globs.before_magic(given)
                close = [f"{other}/{given[len(folder) :]}" for other in folders_close_to(folder, visible)]
            else:
                folders = folders_close_to(given, visible)
                same = [each for each in folders if each.casefold() == given.strip("/").casefold()]
                close = [*same, *close_to(given, visible)] or folders
            raise PathNotFound(given, close=close) from None

    def named(self, given: str, work: Work) -> Target:
        """Finds the one note or other text that a name means.

        Raises:
            BadArgument: there is none, or several; see `resources.naming`.
        """
        from vaulttools.resources.naming import Naming

        naming = Naming(self._reader(work), lambda: self.links(work), lambda: self.visible(work), self.periodic.named)
        return naming.target(given)

    @property
    def periodic(self) -> PeriodicNotes:
        """Returns the daily, weekly, monthly, quarterly and yearly notes, by the vault's own settings."""
        from vaulttools.resources.periodic import PeriodicNotes

        weeks = moment.weeks_of(self.config.locale)
        return PeriodicNotes(Path(self.root.absolute(self.config_folder)), self.calendar, weeks)

    def dating(self) -> Dating:
        """Returns what dates the notes, for one call."""
        from vaulttools.notes.note_date import Dating

        @cache
        def days() -> Callable[[str], date | None]:
            try:
                return self.periodic.daily_days()
            except OSError:  # its settings cannot be read: ISO names are understood without them
                return lambda path: None

        def daily(path: str) -> date | None:
            return days()(path)  # the settings are read when a name may be that of a daily note

        return Dating(self.calendar.today(), daily)

    def _reader(self, work: Work) -> Reader:
        """Returns the reader of a call's entries; it resolves links within the call's time, among all files that
        Obsidian sees (rule-L12 to rule-L17)."""
        from vaulttools.resources.targets import Reader

        return Reader(self.root, self.resolvers, lambda target: self.links(work).resolve(target))

    def visible(self, work: Work) -> Iterator[str]:
        """Yields the files to suggest for a name that does not exist."""
        scope = self.scope((Walk(),), (), work, hidden=False, include_excluded=False)
        return (entry.path for entry in scope.entries() if entry.left_out is None)

    def links(self, work: Work, *, reports_missed: bool = False) -> LinkIndex:
        """Returns the names that links can use: of all files that Obsidian sees, including excluded ones.

        With `reports_missed`, `work` gets the folders that could not be listed.
        """
        from vaulttools.notes.links.targets import LinkIndex

        scope = self.scope((Walk(),), (), work, hidden=False, include_excluded=True)

        def made() -> tuple[LinkIndex, list[Entry]]:
            listing = scope.listing() or Listing(scope.entries())
            left_out = listing.left_out
            missed = [entry for entry in left_out if entry.kind == "folder" and entry.left_out in INCOMPLETE]
            # A file in iCloud that is not downloaded still has its name (fault-S01, fault-S02).
            away = [entry.path for entry in left_out if entry.left_out == "not downloaded"]
            return LinkIndex([*listing.files, *away]), missed

        if scope.names is None or not scope.names.holds(""):
            index, missed = made()
        else:
            index, missed = scope.names.kept("links", made)
        if reports_missed and work.complete:  # otherwise `work` already has what is missing
            for path, _, reason in missed:
                assert reason is not None
                work.pass_over(path, reason, is_folder=True)
        return index

    def search(
        self,
        pattern: Pattern,
        scope: Scope,
        work: Work,
        wanted: int = limits.COUNTED_FILES + 1,
        *,
        wants_lines: bool = False,
    ) -> Search:
        """Returns a search of one scope; see `Search` for `wanted` and `wants_lines`."""
        from vaulttools.matching.search import Search

        return Search(
            self.ripgrep,
            pattern,
            scope,
            work,
            self.config.max_file_size,
            self.view(work),
            wanted,
            wants_lines,
            contents=self.contents,
            kept_counts=self.counts,
        )

    def notes(self, parts: NoteIndex | None) -> NoteReader:
        """Returns the reader of this vault's notes; `parts` is what an index has of them."""
        from vaulttools.notes.reader import NoteReader

        return NoteReader(self.root, self.config.max_file_size, parts)

    def lines_of(self, target: Target) -> Ranges | None:
        """Returns the lines that the target means: a range, the section or block that a link names; None for all.

        Raises:
            BadArgument: the note has no such heading or block, or cannot be read.
        """
        if target.place is None or not (target.headings or target.block):
            return target.ranges
        from vaulttools.notes.note import Note

        read = self._read(target, target.place)
        note, name = Note(read.path, read.text), paths.shown(read.path)
        if target.block is not None:
            block = note.required_block(target.block, name)
            return Ranges(((block.start_line, block.end_line),))
        section = note.required_section(target.headings, name)
        return Ranges(((section.line, section.end_line),))

    def text_of(self, target: Target, work: Work) -> tuple[Document, tuple[str, ...]]:
        """Returns the text of a file, an archive member or a virtual resource, and sentences about anything unusual.

        Raises:
            BadArgument: the file cannot be read.
            MemberUnreadable: the member cannot be read; its reason says why.
        """
        if target.place is not None:
            place = target.place
            try:
                return within(max(work.remaining(), _LEAST_SECONDS), lambda: self._read(target, place)), ()
            except TimeoutError as error:
                raise BadArgument(f"Cannot read {target.given}: {error}") from error
        if target.virtual is not None:
            return Document(target.virtual.name, target.virtual.text), ()
        from vaulttools.resources import archives

        assert target.member is not None
        archive, member = target.member
        try:
            with disk.fdopen(self.root.open(archive), "rb") as file:
                closed = self.root.protection.folder_of_member
                read = archives.read_member(file, archive, member, work.remaining, lambda name: bool(closed(name)))
        except OSError as error:
            raise archives.MemberUnreadable("not a readable archive") from error
        if read.is_cut_short:
            work.pass_over(archive, "too large")
        return Document(f"{archive}:{member}", read.text), read.warnings

    def _read(self, target: Target, place: Place) -> Document:
        try:
            return self.read(place.path)
        except NotRead as error:
            raise BadArgument(f"Cannot read {target.given}: {error.reason}{_ADVICE.get(error.reason, '')}") from error

    def read(self, path: str, seconds: float = _EXTRACTION_SECONDS) -> Document:
        """Returns the text of a file at a vault-relative path; an attachment must be extracted within `seconds`.

        Raises:
            NotRead: it cannot be read.
        """
        if self.attachments is not None and self.attachments.holds(path):
            document = self.attachments.read(path, seconds)
            if document is not None:
                return document
        return documents.read(self.root, path, self.config.max_file_size)

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
            place = self.root.locate(glob)
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
        parsed = globs.parse(self.root.anchored(glob), ignore_case=ignore_case)
        try:
            base = self.root.locate(parsed.literal_folders or ".")
        except AccessDenied:  # the check above missed it: the whole glob is too long for a path
            return (), ()
        # A walk from further up would not follow a link; else it must start there, for the rules of folders between.
        if base.kind == "folder" and self.root.resolved(base.path) != base.path:
            walks = _narrowed(walks, base.path)
        return tuple(replace(walk, glob=parsed) for walk in walks), tuple(filter(parsed.matches, named))

    def _excluded(self, work: Work) -> Excluded:
        """Returns the vault's excluded files; no files, and a warning in `work`, if its settings cannot be read."""
        try:
            return settings.excluded(Path(self.root.absolute(self.config_folder)))
        except OSError as error:
            work.warn(f"The vault's settings cannot be read ({error.strerror}): its excluded files are not left out.")
            return Excluded()


def _narrowed(walks: tuple[Walk, ...], folder: str) -> tuple[Walk, ...]:
    """Returns the walks, limited to a folder."""
    return tuple(part for walk in walks if (part := walk.narrowed(folder)) is not None)

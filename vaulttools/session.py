"""Holds one open vault for all its calls: root, configuration, caches, indexes, ripgrep.

What not every call needs is imported when one needs it.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from vaulttools.attachments.kinds import is_searched
from vaulttools.config import VaultConfig
from vaulttools.core import moment_js, paths
from vaulttools.core.cached import cached_property
from vaulttools.core.dates import Calendar
from vaulttools.core.recent import Recent
from vaulttools.core.work import Work
from vaulttools.errors import BadArgument
from vaulttools.files import document as documents
from vaulttools.files import settings
from vaulttools.files.catalogue import Rules
from vaulttools.files.content_caches import ContentCache, KeptCounts, SnapshotStore
from vaulttools.files.document import Document, NotRead
from vaulttools.files.listing import Listing
from vaulttools.files.root import Root
from vaulttools.files.scope import Scope, Walk
from vaulttools.files.settings import Excluded

if TYPE_CHECKING:
    from vaulttools.attachments.texts import Attachments
    from vaulttools.index.background import Indexes
    from vaulttools.index.snapshot import Snapshot
    from vaulttools.matching.ripgrep import Ripgrep
    from vaulttools.meaning.background import Supply
    from vaulttools.meaning.languages import Meaning
    from vaulttools.notes.note import Note
    from vaulttools.notes.note_date import Dating
    from vaulttools.notes.reader import NoteIndex, NoteReader
    from vaulttools.resources.periodic import PeriodicNotes
    from vaulttools.resources.urls import Resolvers


_EXTRACTION_SECONDS: Final = 12.0
"""For extracting one attachment to read: the limit of an extraction, and the start of its process."""

_SAMPLED: Final = 200
"""Notes that tell the languages of a vault: enough to find those of three notes in a hundred, within 2 ms."""


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
        view = self.indexes.own.view(work.started) if self.has_index else None
        if view is None:
            return None
        leaves_out = strictly or self.config.respect_excluded
        rules = Rules(hidden=False, excluded=self.excluded(work) if leaves_out else Excluded())
        scope = self.scope(rules, (Walk("", notes_only=True, also=is_searched),), (), view, work)
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

    def excluded(self, work: Work) -> Excluded:
        """Returns the vault's excluded files; no files, and a warning in `work`, if its settings cannot be read."""
        try:
            return settings.excluded(Path(self.root.absolute(self.config_folder)))
        except OSError as error:
            work.warn(f"The vault's settings cannot be read ({error.strerror}): its excluded files are not left out.")
            return Excluded()

    def scope(
        self, rules: Rules, walks: tuple[Walk, ...], named: tuple[str, ...], names: Snapshot | None, work: Work
    ) -> Scope:
        """Returns the scope of walks and named files under rules; `names` is the index as the caller knows it."""
        covered = None
        if rules.excluded.patterns:
            covered = partial(self.ripgrep.excluded, rules.excluded.patterns, work=work)
        attachments = (
            self.attachments if named or not all(walk.notes_only and walk.also is None for walk in walks) else None
        )
        return Scope(self.root, rules, walks, named, covered, names, attachments)

    def look_again(self) -> None:
        """Let the next call look at the disk, also in a process that listed the vault once for one command."""
        if self.has_index:
            self.indexes.own.look_again()

    @property
    def periodic(self) -> PeriodicNotes:
        """Returns the daily, weekly, monthly, quarterly and yearly notes, by the vault's own settings."""
        from vaulttools.resources.periodic import PeriodicNotes

        weeks = moment_js.weeks_of(self.config.locale)
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

    def notes(self, parts: NoteIndex | None) -> NoteReader:
        """Returns the reader of this vault's notes; `parts` is what an index has of them."""
        from vaulttools.notes.reader import NoteReader

        return NoteReader(self.root, self.config.max_file_size, parts)

    def read(self, path: str, seconds: float = _EXTRACTION_SECONDS) -> Document:
        """Returns the text of a file at a vault-relative path; an attachment must be extracted within `seconds`.

        Raises:
            NotRead: it cannot be read.
        """
        if self.attachments is not None and self.attachments.is_attachment(path):
            document = self.attachments.read(path, seconds)
            if document is not None:
                return document
        return documents.read(self.root, path, self.config.max_file_size)

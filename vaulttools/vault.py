"""Opens a folder of notes, and calls tools on it.

`Vault` has one method for each tool, `call` for JSON arguments, and `tool_definitions` for LLM APIs.
"""

from __future__ import annotations

import errno
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from operator import attrgetter
from pathlib import Path
from threading import Event, Lock, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal

from vaulttools import tools
from vaulttools.answers.answer import Answer
from vaulttools.answers.request import parse
from vaulttools.answers.retry import until_final
from vaulttools.attachments.extracted import Picture
from vaulttools.call import Call
from vaulttools.config import VaultConfig
from vaulttools.core import extras
from vaulttools.core.voice import CALLS, Voice
from vaulttools.core.work import Work
from vaulttools.errors import BadArgument, Cancelled, TooBroad, VaultToolsError
from vaulttools.files import content_caches, settings
from vaulttools.files.document import NotRead
from vaulttools.files.settings import ConfigFolders
from vaulttools.methods import ToolMethods
from vaulttools.opening import day_of, open_folder
from vaulttools.session import Session
from vaulttools.tools.definitions import Format, definitions
from vaulttools.user_file import UNUSABLE, Followed

if TYPE_CHECKING:
    from vaulttools.answers.shown_lines import FileStream
    from vaulttools.index.progress import Progress
    from vaulttools.index.upkeep import IndexStatus
    from vaulttools.meaning.background import MeaningStatus
    from vaulttools.resources.urls import Resolver

_NO_LIMIT: Final = 7 * 86_400.0
"""Seconds; longer than any stream, but short enough for every wait."""

_log = logging.getLogger("vaulttools")


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What `Vault.call` returns: `text` for a model, `details` as JSON-ready values, `is_error` for a refusal."""

    text: str
    details: dict[str, Any]
    is_error: bool
    picture: Picture | None = None
    """The image that `read` shows."""
    is_fault: bool = False
    """True for an error that other arguments would not mend."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A text that an earlier `search` showed."""

    text: str
    """With `\n` line ends."""
    changed: bool
    """True if the file has changed since, except for trailing blanks."""


class Vault(ToolMethods):
    """An open vault; may be used from several threads.

    >>> with Vault.open("~/Notes") as vault:
    ...     answer = vault.search_files(pattern="TODO", file_pattern="Projects/**")
    ...     print(answer.text)
    """

    def __init__(self, opened: Session, followed: Followed | None = None, today: date | None = None) -> None:
        """`followed` is the user's configuration; None if the vault was opened with another. `today` as in `open`."""
        self._session = opened
        self._followed = followed
        self._today = today
        self._is_usable = True
        """Whether the vault can be opened with the present configuration."""
        self._guard = Lock()
        self._config_folders = ConfigFolders(Path(opened.root.folder))
        self._resolvers: dict[str, Resolver] = {}
        self._is_only_read = False

    @property
    def _opened(self) -> Session:
        """The session of the present vault, under the present configuration. After a change of either, the vault is
        opened again, because its index and caches may hold what is now protected (a config folder that appeared, or a
        folder that the user's file closes), or because it became a graph of Logseq."""
        before = self._session
        config = before.config if self._followed is None else self._followed.now()
        try:
            found = self._config_folders.found()
        except VaultToolsError:  # the call reports it itself
            found = []
        is_logseq = settings.is_logseq(before.root.folder, was=before.root.is_logseq)
        if config is before.config and _fits(before, found, is_logseq=is_logseq):
            return before
        with self._guard:
            before = self._session
            if self._followed is not None:  # another thread may have waited for a later change
                config = self._followed.now()
            if config is not before.config or not _fits(before, found, is_logseq=is_logseq):
                try:
                    self._session = self._opened_again(before, config)
                    self._is_usable = True
                except VaultToolsError:  # the folder is gone, or a setting asks for what cannot be: told by `notices`
                    self._is_usable = False
            return self._session

    def _opened_again(self, before: Session, config: VaultConfig) -> Session:
        """Opens the vault with a configuration, and ends the work of the session before.

        Raises:
            VaultToolsError: it cannot be opened.
        """
        now = open_folder(before.root.spelling, config, has_index=True, today=self._today)
        if now.root.protection == before.root.protection:
            now = replace(now, snapshots=before.snapshots)
        for scheme, resolver in self._resolvers.items():
            now.resolvers.register(scheme, resolver)
        if self._is_only_read and now.has_index:
            now.indexes.own.load()
        before.end()
        Thread(target=_retire, args=(before, now), name="vaulttools closing", daemon=True).start()
        return now

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences about the user's configuration file, if it cannot be followed now; every answer holds them too."""
        if self._followed is None:
            return ()
        return (*self._followed.notices, *(() if self._is_usable else (UNUSABLE,)))

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        config: VaultConfig | None = None,
        index: Literal["auto", "off"] | None = None,
        today: date | str | None = None,
    ) -> Vault:
        """Opens a folder as a vault, with the given configuration or the user's for that folder. A change of the user's
        holds from the next call on; `index` stays as it is given.

        With `index="auto"`, the default of the configuration, a thread keeps an index in the user's cache folder up to
        date, from the first call on that can use it. Files that the index does not know yet are scanned, so that the
        answers are the same. `index="off"` always scans.

        `today` is the day behind "overdue", "last week" and the daily note: a date, or a text such as "2026-11-01". The
        default is VAULTTOOLS_TODAY, or else the day of this machine.

        Raises:
            BadArgument: there is no such folder, the user's configuration file is not usable, `index` is neither, or
                `today` is no day.
        """
        folder = os.fspath(path) if isinstance(path, str | os.PathLike) else path
        if not isinstance(folder, str):
            raise BadArgument(f"path must be a text or a path object, got {folder!r:.60}")
        if not folder:
            raise BadArgument('path must name a folder, got ""; the current folder is "."')
        if "\0" in folder:
            raise BadArgument("Path contains a NUL character")
        if index not in (None, "auto", "off"):
            raise BadArgument(f'index must be "auto", "off" or None, got {index!r:.60}')
        if not isinstance(today, date | None):
            today = day_of(str(today), "today")
        given = {} if index is None else {"index": index}
        followed = None
        if config is None:
            followed = Followed(Path(os.path.expanduser(folder)), given)
            config = followed.now()
        elif given:
            config = config.model_copy(update=given)
        return cls(open_folder(folder, config, has_index=True, today=today), followed, today)

    @property
    def path(self) -> Path:
        """The vault's folder, absolute, links resolved."""
        return Path(self._opened.root.folder)

    @property
    def config(self) -> VaultConfig:
        """The present configuration."""
        return self._opened.config

    def is_as_opened(self, path: str) -> bool:
        """Whether opening `path` now, with the user's configuration, would give this vault: the same folder in the same
        spelling, with the same configuration and protection."""
        try:
            now = open_folder(path, Followed(Path(path)).now(), has_index=True)
        except VaultToolsError:
            return False
        then = self._opened
        return (now.root, now.config, now.config_folder) == (then.root, then.config, then.config_folder)

    @property
    def is_ready(self) -> bool:
        """True if calls need not wait long for the index: it has caught up, or there is none."""
        return not self._opened.has_index or self._opened.indexes.own.has_caught_up

    @property
    def lacks_index(self) -> bool:
        """True if a call asked for the index, and so much of it is missing that building it takes a while."""
        return "indexes" in vars(self._opened) and self._opened.indexes.own.is_far_behind

    @property
    def index_progress(self) -> Progress | None:
        """Progress of building the index, in numbers that only grow; None if nothing is missing, or no call needed the
        index yet."""
        return self._opened.indexes.progress() if "indexes" in vars(self._opened) else None

    @property
    def session(self) -> Session:
        """The vault as tools see it; for server pages that ask what no tool answers."""
        return self._opened

    def close(self) -> None:
        """Ends the use of the vault, and the work on its index; running calls finish."""
        self._session.close()

    def build_index(
        self, *, on_progress: Callable[[int, int], None] | None = None, cancel: Event | None = None
    ) -> None:
        """Waits until the index holds every file as it is now.

        `on_progress` gets the number of files in the index, and of all.

        Raises:
            VaultToolsError: there can be no index, the vault was opened without one, or it is closed.
            Cancelled: the caller set `cancel`; what was indexed by then is kept.
        """
        if not self._opened.has_index:
            raise BadArgument("The vault was opened without an index: index='off'")
        if not self._opened.indexes.own.wait(on_progress, cancel):
            raise BadArgument("The vault is closed")

    def wait_for_meaning(
        self,
        *,
        on_progress: Callable[[int, int], None] | None = None,
        cancel: Event | None = None,
        timeout: float | None = None,
    ) -> bool:
        """Waits until every passage of the present notes is embedded: by the model itself if there are not too many;
        returns False if `timeout` (seconds) ends first. Ranked `query` searches by meaning sooner.

        `on_progress` gets the number of embedded notes, and of all.

        Raises:
            VaultToolsError: the extra `semantic` is not installed, nothing can be embedded now, or there is no index.
            Cancelled: the caller set `cancel`; what was embedded by then is kept.
        """
        until = None if timeout is None else time.monotonic() + timeout
        meaning = self._opened.meaning
        if meaning is None:
            from vaulttools.meaning.embedders import SWITCH

            if self._opened.config.meaning == "off" or os.environ.get(SWITCH) == "off":
                by = "the configuration" if self._opened.config.meaning == "off" else f"{SWITCH}=off"
                raise BadArgument(f"Meaning is off, by {by}")
            why = "an index" if not self._opened.has_index else f"the extra: {extras.install('semantic')}"
            raise BadArgument(f"Meaning needs {why}")
        if not self._opened.indexes.own.wait(None, cancel, timeout):
            return False
        return meaning.wait(on_progress, cancel, None if until is None else max(0.0, until - time.monotonic()))

    def load_index(self) -> None:
        """Loads the existing index, for calls that only read it; without one they scan."""
        self._is_only_read = True
        if self._opened.has_index:
            self._opened.indexes.own.load()

    def read_structures(
        self, *, on_progress: Callable[[int, int], None] | None = None, cancel: Event | None = None
    ) -> None:
        """Waits until the structure of all notes is known, as `links`, `tags` and `properties` need it: from the index,
        or from a temporary one. `on_progress` gets the numbers of files read and of all.

        Raises:
            VaultToolsError: the vault's folder is gone or cannot be read.
            Cancelled: the caller set `cancel`.
        """
        self._opened.indexes.wait(on_progress, cancel)

    def __enter__(self) -> Vault:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def index_status(self) -> IndexStatus:
        """Returns what the index holds and lacks, after checking the status of every file.

        Raises:
            VaultToolsError: there can be no index.
        """
        from vaulttools.index import upkeep

        return upkeep.status(self._opened.root, self._opened.config.index_folder)

    def verify_index(self) -> list[str]:
        """Reads every file again; returns all differences from the index, an empty list without any.

        Raises:
            VaultToolsError: there is no index.
        """
        from vaulttools.index import upkeep

        return upkeep.verify(self._opened.root, self._opened.config.index_folder)

    def clear_index(self) -> bool:
        """Removes the index; returns False if there was none.

        Raises:
            VaultToolsError: it cannot be removed.
        """
        from vaulttools.index import upkeep

        self._opened.indexes.own.let_go()
        return upkeep.clear(self._opened.root, self._opened.config.index_folder)

    def meaning_status(self) -> MeaningStatus | None:
        """Returns how far the passages are embedded; None if they are not, and will not be.

        Raises:
            VaultToolsError: it is unknown.
        """
        meaning = self._opened.meaning
        return None if meaning is None else meaning.status()

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
        bounded: bool = False,
    ) -> ToolResult:
        """Runs a tool with arguments as a model sends them; a refusal is a result too, with `is_error`.

        `bounded`: the details hold only the files and lines that the text shows.

        Raises:
            Cancelled: the caller set `cancel`; nothing else.
        """
        try:
            answer: Answer = self.answer(name, arguments or {}, cancel=cancel, on_progress=on_progress)
        except Cancelled:
            raise
        except VaultToolsError as error:
            is_fault = not isinstance(error, BadArgument | TooBroad)
            return ToolResult(str(error), {"error": str(error)}, is_error=True, is_fault=is_fault)
        except Exception:
            # No traceback for the caller: it may hold text of notes and paths outside the vault (fault-M13).
            number = os.urandom(4).hex()
            _log.exception("call of %s failed (%s)", name, number)
            sentence = f"{name} failed for a reason of its own (error {number}); the log has the details"
            return ToolResult(sentence, {"error": sentence}, is_error=True, is_fault=True)
        details = answer.bounded() if bounded else answer.model_dump(mode="json")
        return ToolResult(answer.text, details, answer.is_error, answer.picture)

    def stream(self, name: str, arguments: Mapping[str, Any], *, cancel: Event | None = None) -> FileStream:
        """Yields what a tool finds, file by file, without a time limit; the caller may stop at any file.

        Raises:
            VaultToolsError: the arguments are refused, or the tool gives no files one by one.
        """
        tool = tools.named(name)
        if tool.stream is None:
            raise BadArgument(f"{name} gives no files one by one")
        opened = self._opened
        opened.root.ensure_readable()
        return tool.stream(Call(opened, Work(_NO_LIMIT, cancel), pinned=False), parse(tool.request, arguments))

    async def acall(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        on_progress: Callable[[str], None] | None = None,
        bounded: bool = False,
    ) -> ToolResult:
        """Runs `call` without blocking the event loop; cancelling the task stops the search."""
        import asyncio

        cancel = Event()
        try:
            return await asyncio.to_thread(
                self.call, name, arguments, cancel=cancel, on_progress=on_progress, bounded=bounded
            )
        finally:
            cancel.set()

    def link_resolver(self, *, cancel: Event | None = None) -> Callable[[str, str | None], str | None]:
        """Returns a function that finds the file of a link as Obsidian would; None if there is none. It takes the
        link's target (percent-decoded, without headings) and the path of the note that holds the link, or None. It
        knows the present names of files.

        Raises:
            Cancelled: the caller set `cancel`.
        """
        opened = self._opened
        return Call(opened, Work(opened.config.time_limit, cancel), pinned=False).links().resolve

    def register_resolver(self, scheme: str, resolver: Resolver) -> None:
        """Lets `resolver` answer for URLs of a scheme (`"mail"` for `mail://…`) wherever tools take paths.

        It takes the whole URL and returns `Backed` files of the vault or `Virtual` texts (`vaulttools.resources.urls`).

        Raises:
            BadArgument: that is no scheme.
        """
        self._opened.resolvers.register(scheme, resolver)
        self._resolvers[scheme] = resolver

    def snapshot(self, path: str | os.PathLike[str], tag: str) -> Snapshot | None:
        """Returns the text behind a tag of `search` (hashline mode), or None if it is no longer kept."""
        path = os.fspath(path)
        text = self._opened.snapshots.get(path, tag)
        if text is None:
            return None
        try:
            now = self._opened.read(self._opened.root.locate(path).path)
        except NotRead:
            return Snapshot(text, changed=True)
        return Snapshot(text, changed=content_caches.tag(now.normalised) != tag)

    def tool_definitions(
        self,
        format: Format = "anthropic",  # noqa: A002 - its public name
        names: Iterable[str] = tools.NAMES,
    ) -> list[dict[str, Any]]:
        """Returns the definitions of all tools, or of `names`, in the format of an API: `"anthropic"`, `"openai"` or
        `"mcp"`. Parameters that models do not send are left out; `call` takes them all the same.

        Raises:
            BadArgument: the format is none of the three, or there is no such tool.
        """
        return definitions(format, names)

    def answer(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
        voice: Voice = CALLS,
    ) -> Any:
        """Returns the typed answer of a tool for arguments as a model sends them; the tool methods call this. `voice`
        words next steps and refusals: as calls, unless the command line asks for its own.

        Raises:
            VaultToolsError: with the sentence that `call` returns.
        """
        tool = tools.named(name)
        request = parse(tool.request, arguments, voice)
        opened = self._opened
        call = Call(opened, Work(opened.config.time_limit, cancel, on_progress, voice=voice))
        notices = self.notices

        def asked(now: Call) -> Any:
            for sentence in notices:
                now.work.warn(sentence)
            return tool.run(now, request)

        opened.root.ensure_readable()
        try:
            return until_final(call, asked, attrgetter("found"))[0]
        except OSError as error:  # also an import that this call is the first to need
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            raise VaultToolsError("Too many files are open: raise the limit (`ulimit -n`), or ask again") from error


def _fits(opened: Session, config_folders: Sequence[str], *, is_logseq: bool) -> bool:
    """Whether a session closes all config folders and reads notes as Logseq does if they are Logseq's."""
    return opened.root.is_logseq == is_logseq and all(map(opened.root.protection.folder_of, config_folders))


def _retire(before: Session, now: Session) -> None:
    """Closes a session that another replaced. If the new one closes more, the index and the vectors of the old one are
    removed, since they hold words of what is closed now."""
    before.close()
    old, new = before.root.protection, now.root.protection
    if before.has_index and not (new.names.keys() <= old.names.keys() and new.folders.keys() <= old.folders.keys()):
        from vaulttools.index import upkeep

        with suppress(VaultToolsError, OSError):
            upkeep.clear(before.root, before.config.index_folder)

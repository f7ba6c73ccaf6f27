"""Describes where a command runs: its streams, its environment, its vault, its progress bar."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from threading import Event, RLock
from typing import TYPE_CHECKING, Any, Final, TextIO

from vaulttools.cli.command_line import MARK, is_marked, is_unnamed, nearest_vault
from vaulttools.cli.importing import collect
from vaulttools.cli.output import WIDE, columns
from vaulttools.errors import BadArgument

if TYPE_CHECKING:
    from vaulttools.vault import Vault

LINE_SECONDS: Final = 3.0
"""Seconds between two lines of progress if there is no terminal for a bar."""

BAR_SECONDS: Final = 0.5
"""Seconds of reading notes before a progress bar appears."""


class NotResident(Exception):
    """A resident process cannot run the command, or not now: the caller runs it itself."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What differs between running a command for oneself and, in a resident process, for another."""

    out: TextIO
    err: TextIO
    environ: Mapping[str, str]
    opened: Callable[[str | None, bool], AbstractContextManager[Vault]]
    """Opens the named vault, or the default one; the flag says whether it may use the configured index."""
    read_structures: Callable[[Vault], None]
    """Waits until the structure of every note is known."""
    is_resident: bool = False
    cancel: Event | None = None
    """Set when nobody waits for the answer any more."""

    def width(self, most: int = WIDE) -> int:
        """Returns the columns for a text on `out`, at most `most`."""
        return min(columns(self.out, self.environ), most)

    def show(self, text: str) -> None:
        """Print the result, with a pager if it is long and a person reads it."""
        if self.out.isatty() and not self.is_resident:
            from vaulttools.cli import pager

            pager.show(text, self.out, self.environ)
        else:
            print(text, file=self.out)

    def on_progress(self) -> Callable[[str], None] | None:
        """Returns the function that reports progress now and then; None if nobody reads it here."""
        return None if self.is_resident else _Lines(self.err).tell

    @classmethod
    def own(cls) -> Surroundings:
        """Returns the surroundings of this process."""
        return cls(sys.stdout, sys.stderr, os.environ, _opened, _read_structures)


NO_VAULT: Final = "No vault given: use --vault DIR or VAULTTOOLS_VAULT"


def working_folder() -> str:
    """Returns the absolute current folder.

    Raises:
        BadArgument: it was removed.
    """
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise BadArgument("The current folder was removed: go to another one") from None


def found_vault(*, or_here: bool = True) -> str:
    """Returns the vault around this folder, or else this folder; never the root or the home folder.

    Raises:
        BadArgument: there is none.
    """
    here = working_folder()
    found = nearest_vault(here) or (here if or_here else None)
    if found is None or is_unnamed(found):
        why = "; the home folder and the root are vaults only when they are named" if is_unnamed(here) else ""
        raise BadArgument(f"{NO_VAULT}{why}")
    return found


NO_INDEX: Final = (
    "This folder is not marked as a vault, so it was searched without an index; for an index, name it with --vault or "
    f"put an empty {MARK} into it."
)


@contextmanager
def _opened(given: str | None, has_index: bool) -> Iterator[Vault]:
    from vaulttools.vault import Vault

    named = given or os.environ.get("VAULTTOOLS_VAULT")
    folder = named or found_vault()
    is_vault = bool(named) or is_marked(folder)
    collect()
    with Vault.open(folder, index=None if has_index and is_vault else "off") as vault:
        yield vault
        lacks_index = vault.lacks_index
    if not is_vault:
        print(NO_INDEX, file=sys.stderr)
    if lacks_index:
        from vaulttools.core import child

        child.detached("vaulttools.cli.index", os.path.abspath(os.path.expanduser(folder)))


def _read_structures(vault: Vault) -> None:
    with progress(delay=BAR_SECONDS) as on_progress:
        vault.read_structures(on_progress=on_progress)


class _Lines:
    """Writes a line of progress every few seconds."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._began = self._written = time.monotonic()
        self._last = ""

    def tell(self, text: str) -> None:
        """Write a line, unless the last one is recent."""
        now = time.monotonic()
        if now >= self._written + LINE_SECONDS:
            self._written, self._last = now, text
            print(text, file=self._stream, flush=True)

    def count(self, done: int, total: int, what: str, unit: str) -> None:
        """Write how much is done and how long the rest takes at that pace; while nothing is done, only once."""
        left = (time.monotonic() - self._began) * (total - done) / max(1, done)
        text = f"{what}: {done:,} of {total:,} {unit}, "
        text += f"about {left:,.0f} s left" if done else "the first take longest"
        if done or text != self._last:
            self.tell(text)


@contextmanager
def progress(delay: float = 0.0, what: str = "Indexing", unit: str = "files") -> Iterator[Callable[[int, int], None]]:
    """Yields a function that shows the progress of files: as a bar after `delay` seconds if stderr is a terminal,
    otherwise as a line now and then. The number never decreases."""
    start, is_seen = time.monotonic(), sys.stderr.isatty()
    lines = _Lines(sys.stderr)
    most = 0
    bars: list[Any] = []

    def on_progress(done: int, total: int) -> None:
        nonlocal most
        most = done = max(most, done)
        if not is_seen:
            lines.count(done, total, what, unit)
            return
        if not bars:
            if time.monotonic() < start + delay:
                return
            from tqdm import tqdm  # 20 ms, which few commands need

            # Its own lock is for processes, too: where these are spawned, as on macOS, that starts one more.
            tqdm.set_lock(RLock())
            bars.append(tqdm(desc=what, unit=f" {unit}", leave=False, file=sys.stderr, initial=done))
        [bar] = bars
        bar.total = total
        bar.update(done - bar.n)

    try:
        yield on_progress
    finally:
        for bar in bars:
            bar.close()

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
from vaulttools.core import units
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


def found_vault(*, or_here: bool = True, refusal: str = NO_VAULT) -> str:
    """Returns the vault around this folder, or else this folder; never the root or the home folder.

    Raises:
        BadArgument: there is none; with the sentence `refusal`.
    """
    here = working_folder()
    found = nearest_vault(here) or (here if or_here else None)
    if found is None or is_unnamed(found):
        why = "; the home folder and the root are vaults only when they are named" if is_unnamed(here) else ""
        raise BadArgument(f"{refusal}{why}")
    return found


_UNMARKED: Final = "This folder is not marked as a vault, so"
_TO_MARK: Final = f"for an index, name it with --vault or put an empty {MARK} into it"

NO_INDEX: Final = f"{_UNMARKED} it was searched without an index; {_TO_MARK}."
"""Told after an answer."""
HAS_NO_INDEX: Final = f"{_UNMARKED} it has no index; {_TO_MARK}"
"""Told by the commands of the index."""


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
    def left() -> float | None:
        progress = vault.index_progress
        return None if progress is None else progress.facts_seconds

    with progress(delay=BAR_SECONDS, left=left) as on_progress:
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

    def count(self, done: int, total: int, what: str, unit: str, left: float | None) -> None:
        """Write how much is done and how many seconds are left; what is the same as the last line only once."""
        text = f"{what}: {done:,} of {total:,} {unit}"
        text += "" if left is None else f", {units.time_left(left)}"
        if text != self._last:
            self.tell(text)


_SURE_SHARE: Final = 0.03
"""Share of the work after which its pace is known."""


class _Pace:
    """Estimates the seconds that are left at the pace since the first report."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._first: int | None = None

    def left(self, done: int, total: int) -> float | None:
        """Returns None while too little is done."""
        if self._first is None:
            self._begun, self._first = time.monotonic(), done
        gained = done - self._first
        if gained < _SURE_SHARE * (total - self._first) or gained == 0:
            return None
        return (time.monotonic() - self._begun) * (total - done) / gained


@contextmanager
def progress(
    delay: float = 0.0, what: str = "Indexing", unit: str = "files", left: Callable[[], float | None] | None = None
) -> Iterator[Callable[[int, int], None]]:
    """Yields a function that shows the progress of files: as a bar after `delay` seconds if stderr is a terminal,
    otherwise as a line now and then. The number never decreases. `left` returns the estimated seconds for the rest, or
    None; without it they are estimated from the numbers."""
    start, is_seen = time.monotonic(), sys.stderr.isatty()
    lines, pace = _Lines(sys.stderr), _Pace()
    most = 0
    bars: list[Any] = []

    def on_progress(done: int, total: int) -> None:
        nonlocal most
        most = done = max(most, done)
        by_pace = pace.left(done, total)
        seconds = None if done >= total else by_pace if left is None else left()
        if not is_seen:
            lines.count(done, total, what, unit, seconds)
            return
        if not bars:
            if time.monotonic() < start + delay:
                return
            from tqdm import tqdm  # 20 ms, which few commands need

            # Its own lock is for processes, too: where these are spawned, as on macOS, that starts one more.
            tqdm.set_lock(RLock())
            # Its own estimate takes every pause between two commits for a slower pace.
            form = f"{{l_bar}}{{bar}}| {{n_fmt}}/{{total_fmt}} {unit}{{postfix}}"
            bars.append(tqdm(desc=what, total=total, bar_format=form, leave=False, file=sys.stderr, initial=done))
        [bar] = bars
        bar.total = total
        bar.update(done - bar.n)
        shown = "" if seconds is None else units.time_left(seconds)
        if shown != bar.postfix:
            bar.set_postfix_str(shown)

    try:
        yield on_progress
    finally:
        for bar in bars:
            bar.close()

"""Implements `vaulttools index`: build, status, verify and clear.

`python -m vaulttools.cli.index DIR` builds the index that a command had no time for.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from vaulttools.answers.all_notes import listed, scope_of
from vaulttools.call import Call
from vaulttools.cli import clearing, guesses
from vaulttools.cli.main import DIFFERENT, FOUND, Said, Switches
from vaulttools.cli.surroundings import HAS_NO_INDEX, progress
from vaulttools.core import child, render, units
from vaulttools.core.paths import is_note
from vaulttools.core.work import Work
from vaulttools.errors import VaultToolsError
from vaulttools.index import database, location
from vaulttools.index.database import IndexBusy
from vaulttools.index.store import Status
from vaulttools.index.upkeep import IndexStatus
from vaulttools.meaning.embedders import NoMeaning
from vaulttools.vault import Vault

if TYPE_CHECKING:
    from vaulttools.meaning.background import MeaningStatus

COMMANDS: Final = ("build", "status", "verify", "clear")

HELP: Final = """\
usage: vaulttools [--vault DIR] [--json] index COMMAND [--meaning | --all]

Keep an index for long-lived processes, in the user's cache folder. They build it themselves; no command requires it.

  build   bring it up to date; interrupting it loses no progress. With --meaning its passages are embedded too, so that
          ranked query finds them by what they mean (extra `semantic`)
  status  show where it is, how large it is, and whether it is up to date
  verify  read every file and report each difference; the exit status is then 1
  clear   remove it. With --all: what this program keeps of every vault, its sockets, and the certificate and sign-ins
          of servers; settings and tokens stay"""

_MEANING: Final = "--meaning"
_ALL: Final = "--all"

_LOWER: Final = 19
"""Steps by which the priority of a builder is lowered, as far as possible: all other work comes first."""


def command(words: list[str], switches: Switches) -> Said:
    """Run `vaulttools index`.

    Raises:
        BadArgument: the words do not name one of its commands, or no vault is given.
        VaultToolsError: there can be no index.
    """
    if words == ["clear", _ALL]:
        return clearing.clear_all()
    if words != ["build", _MEANING] and (len(words) != 1 or words[0] not in COMMANDS):
        raise guesses.subcommand("index", COMMANDS, words, switches.program())
    # Nobody wants an index of a folder that just happens to be the current one.
    with Vault.open(switches.folder(HAS_NO_INDEX), index="auto") as vault:
        return run(words, vault)


def run(words: list[str], vault: Vault) -> Said:
    """Run one of the commands.

    Raises:
        VaultToolsError: there can be no index.
    """
    match words[0]:
        case "build":
            return _build(vault, with_meaning=_MEANING in words)
        case "status":
            return _status(vault)
        case "verify":
            return _verify(vault)
    removed = vault.clear_index()
    return Said("The index was removed." if removed else "There was no index.", {"removed": removed})


def built(vault: Vault) -> tuple[str, dict[str, Any]]:
    """Build the index of a vault, with a progress bar; return a description of it, as text and as details.

    Raises:
        VaultToolsError: there can be no index.
    """

    def left() -> float | None:
        progress = vault.index_progress
        return None if progress is None else progress.seconds

    start = time.monotonic()
    with progress(left=left) as on_progress:
        vault.build_index(on_progress=on_progress)
    seconds = time.monotonic() - start
    status = vault.index_status()
    assert status.holds is not None
    held = status.holds
    text = f"Indexed {_files(vault, status, held)} in {units.time(seconds)}: {_sizes(held)}."
    return text, {"seconds": round(seconds, 3), **asdict(held)}


def _files(vault: Vault, status: IndexStatus, held: Status) -> str:
    """Returns how many notes and other files an index holds, and how many of these notes the answers leave out."""
    left_out = 0
    if status.is_current:
        with Vault.open(vault.path, index="off") as plain:  # a call would bring the index up to date
            walked = listed(scope_of(Call(plain.session, Work())))
        left_out = held.notes - sum(map(is_note, walked.files))
    which = f" ({left_out:,} of them hidden or excluded)" if left_out > 0 else ""
    return f"{render.counted(held.notes, 'note')}{which} and {render.counted(held.files - held.notes, 'other file')}"


def _sizes(held: Status) -> str:
    return f"{units.size(held.index_bytes)} for {units.size(held.file_bytes)} of files"


def _build(vault: Vault, *, with_meaning: bool) -> Said:
    text, details = built(vault)
    if with_meaning:
        start = time.monotonic()
        with progress(what="Embedding", unit="notes") as on_progress:
            vault.wait_for_meaning(on_progress=on_progress)
        seconds = time.monotonic() - start
        meaning = vault.meaning_status()
        assert meaning is not None
        text += f"\nEmbedded {_meaning_line(meaning)} in {units.time(seconds)}."
        details["meaning"] = {"seconds": round(seconds, 3), **asdict(meaning)}
    return Said(text, details)


def _meaning_line(meaning: MeaningStatus) -> str:
    done, total = meaning.progress
    if total == 0:
        return "not begun: no note is embedded"
    left = f" ({meaning.waiting_for_own:,} not yet by the model itself)" if meaning.waiting_for_own else ""
    return f"{done:,} of {total:,} notes: {meaning.passages:,} passages{left}, {units.size(meaning.bytes)}"


def _status(vault: Vault) -> Said:
    status = vault.index_status()
    lines = [f"vault       {vault.path}", f"index       {status.folder}"]
    held = status.holds
    if status.warning:
        lines.append(f"warning     {status.warning}")
    if held is None:
        lines.append("up to date  no: there is none yet; `vaulttools index build` makes it")
    else:
        lines += [
            f"files       {_files(vault, status, held)}, {held.binary:,} binary, {held.unread:,} not readable",
            f"size        {_sizes(held)}",
            f"SQLite      {held.sqlite}, journal {held.log}, schema {held.schema}",
            "up to date  yes"
            if status.is_current
            else f"up to date  no: {render.counted(status.stale, 'file')} to read, {status.gone:,} to forget",
        ]
    try:
        meaning = vault.meaning_status()
        if meaning is not None:
            lines.append(f"meaning     {_meaning_line(meaning)}, by {meaning.embedder} {meaning.version}".rstrip())
            lines += [f"            {meaning.fault}"] if meaning.fault else []
    except NoMeaning as error:
        meaning = None
        lines.append(f"meaning     {error}")
    details = {
        "meaning": None if meaning is None else asdict(meaning),
        "folder": str(status.folder),
        "is_current": status.is_current,
        "stale": status.stale,
        "gone": status.gone,
        "warning": status.warning,
        "holds": None if held is None else asdict(held),
    }
    return Said("\n".join(lines), details)


def _verify(vault: Vault) -> Said:
    found = vault.verify_index()
    text = "\n".join(found) if found else "The index matches every file."
    return Said(text, {"differences": found}, DIFFERENT if found else FOUND)


def _build_detached(folder: str) -> None:
    """Build the index of a vault for a command that has ended, unless another process builds it."""
    child.begin(_LOWER)
    # The next command that needs an index says why there is none.
    with suppress(VaultToolsError), Vault.open(folder, index="auto") as vault, suppress(IndexBusy):
        where = location.of(vault.session.root, vault.config.index_folder)
        with database.write_lock(where.database, wait=False):
            pass
        vault.build_index()


if __name__ == "__main__":
    _build_detached(sys.argv[1])

"""`vaulttools index`: build, status, verify and clear, on the command line."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from vaulttools.errors import BadArgument

if TYPE_CHECKING:
    from vaulttools.vault import Vault

COMMANDS: Final = ("build", "status", "verify", "clear")

MEGABYTE: Final = 1_000_000


def run(words: list[str], vault: Vault) -> tuple[str, dict[str, Any], bool]:
    """What a command says, its details, and whether all is well.

    Raises:
        BadArgument: it is none of the four.
        VaultToolsError: there can be no index.
    """
    check(words)
    match words[0]:
        case "build":
            return _build(vault)
        case "status":
            return _status(vault)
        case "verify":
            return _verify(vault)
    removed = vault.clear_index()
    return "The index was removed." if removed else "There was no index.", {"removed": removed}, True


def check(words: list[str]) -> None:
    """Nothing, when the words name one command.

    Raises:
        BadArgument: they do not.
    """
    if len(words) != 1 or words[0] not in COMMANDS:
        given = " ".join(words)
        raise BadArgument(f"index takes one of {', '.join(COMMANDS)}" + (f", got '{given}'" if given else ""))


def _build(vault: Vault) -> tuple[str, dict[str, Any], bool]:
    from tqdm import tqdm

    start = time.monotonic()
    with tqdm(desc="Indexing", unit=" files", leave=False, disable=not sys.stderr.isatty(), file=sys.stderr) as bar:

        def on_progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        vault.build_index(on_progress=on_progress)
    seconds = time.monotonic() - start
    status = vault.index_status()
    assert status.holds is not None
    held = status.holds
    others = held.files - held.notes
    text = (
        f"Indexed {held.notes:,} notes and {others:,} other files in {seconds:.1f} s: "
        f"{held.index_bytes / MEGABYTE:.1f} MB for {held.file_bytes / MEGABYTE:.1f} MB."
    )
    return text, {"seconds": round(seconds, 3), **asdict(held)}, True


def _status(vault: Vault) -> tuple[str, dict[str, Any], bool]:
    status = vault.index_status()
    lines = [f"vault       {vault.path}", f"index       {status.folder}"]
    held = status.holds
    if held is None:
        lines.append("up to date  no: there is none yet; `vaulttools index build` makes it")
    else:
        lines += [
            f"files       {held.files:,}: {held.notes:,} notes, {held.binary:,} binary, {held.unread:,} not readable",
            f"size        {held.index_bytes / MEGABYTE:.1f} MB for {held.file_bytes / MEGABYTE:.1f} MB of files",
            f"SQLite      {held.sqlite}, journal {held.log}, schema {held.schema}",
            "up to date  yes"
            if status.is_current
            else f"up to date  no: {status.stale:,} files to read, {status.gone:,} to forget",
        ]
    details = {
        "folder": str(status.folder),
        "is_current": status.is_current,
        "stale": status.stale,
        "gone": status.gone,
        "holds": None if held is None else asdict(held),
    }
    return "\n".join(lines), details, True


def _verify(vault: Vault) -> tuple[str, dict[str, Any], bool]:
    found = vault.verify_index()
    text = "\n".join(found) if found else "The index holds every file as it is."
    return text, {"differences": found}, not found

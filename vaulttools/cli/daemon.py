"""Implements `vaulttools daemon`: start, status and stop."""

from __future__ import annotations

import os
import subprocess
from typing import Final

from vaulttools.cli import guesses, handover, resident
from vaulttools.cli.main import NOTHING_FOUND, Said, Switches
from vaulttools.core import child
from vaulttools.errors import BadArgument

COMMANDS: Final = ("start", "status", "stop")

_SAID: Final = 10_000
"""Most bytes of the line in which the new process says that it is ready, or why not."""

HELP: Final = f"""\
usage: vaulttools [--vault DIR] [--json] daemon COMMAND

Keep a process that answers the other commands for this vault, in a tenth of the time. It serves this user alone.

  start   start it; it ends after {resident.IDLE_SECONDS / 60:.0f} minutes without a command
  status  say whether one runs; the exit status is then 0, else 1
  stop    end it"""


def command(words: list[str], switches: Switches) -> Said:
    """Run `vaulttools daemon`; its exit status says whether a process runs, or ran until `stop`.

    Raises:
        BadArgument: it is not one of the three commands, or the system allows no such process.
    """
    if len(words) != 1 or words[0] not in COMMANDS:
        raise guesses.subcommand("daemon", COMMANDS, words, switches.program())
    folder = switches.folder()
    absolute = os.path.abspath(os.path.expanduser(folder))
    path = resident.usable_path(absolute)
    match words[0]:
        case "start":
            return _start(absolute, path)
        case "stop":
            return stop(path)
    return _status(path)


def _start(folder: str, path: str) -> Said:
    if handover.asked(path, handover.STATUS) is None:
        process = child.detached(resident.__name__, folder, stdout=subprocess.PIPE)
        said = ""
        if process is not None:
            with process.answers as stdout:
                said = stdout.readline(_SAID).decode(errors="replace").strip()
        if said != "ready":
            raise BadArgument(f"The resident process did not start: {said or 'it ended at once'}")
    return _status(path)


def _status(path: str) -> Said:
    said = handover.asked(path, handover.STATUS)
    if said is None:
        return Said("No resident process serves this vault.", {"process": None}, NOTHING_FOUND)
    process, role, other = said
    text = f"Process {process} serves this vault's commands."
    if role == "server":
        text += " It is a server, and ends by itself."
    if other:
        text += f" Commands from this shell run without it: {other} differs from the {role}'s."
    return Said(text, {"process": int(process), "is_server": role == "server", "differs": other or None})


def stop(path: str) -> Said:
    """End the resident process at a socket, if there is one.

    Raises:
        BadArgument: it is a server.
    """
    said = handover.asked(path, handover.STOP)
    if said is None:
        return _status(path)
    process, role, _ = said
    if role == "server":
        raise BadArgument(f"Process {process} is a server (mcp or serve): end that")
    return Said(f"Process {process} ends.", {"process": int(process)})

"""Implements `vaulttools daemon`: start, status and stop."""

from __future__ import annotations

import os
import subprocess
from typing import Any, Final

from vaulttools.cli import handover, rendezvous, resident
from vaulttools.core import child
from vaulttools.errors import BadArgument

COMMANDS: Final = ("start", "status", "stop")

HELP: Final = f"""\
usage: vaulttools [--vault DIR] [--json] daemon COMMAND

Keep a process that answers the other commands for this vault, in a tenth of the time. It serves this user alone.

  start   start it; it ends after {resident.IDLE_SECONDS / 60:.0f} minutes without a command
  status  say whether one runs; the exit status is then 0, else 1
  stop    end it"""


def run(words: list[str], folder: str) -> tuple[str, dict[str, Any], bool]:
    """What a command says, its details, and whether a process runs, or did so until `stop`.

    Raises:
        BadArgument: it is none of the three, or there can be no such process.
    """
    if len(words) != 1 or words[0] not in COMMANDS:
        given = " ".join(words)
        raise BadArgument(f"daemon takes one of {', '.join(COMMANDS)}" + (f", got '{given}'" if given else ""))
    absolute = os.path.abspath(os.path.expanduser(folder))
    path = resident.usable_path(absolute)
    match words[0]:
        case "start":
            return _start(absolute, path)
        case "stop":
            return _stop(path)
    return _status(path)


def _start(folder: str, path: str) -> tuple[str, dict[str, Any], bool]:
    if handover.asked(path, rendezvous.STATUS) is None:
        process = child.detached(resident.__name__, folder, stdout=subprocess.PIPE)
        said = ""
        if process is not None:
            with process.answers as stdout:
                said = stdout.readline().decode().strip()
        if said != "ready":
            raise BadArgument(f"The resident process did not start: {said or 'it ended at once'}")
    return _status(path)


def _status(path: str) -> tuple[str, dict[str, Any], bool]:
    said = handover.asked(path, rendezvous.STATUS)
    if said is None:
        return "No resident process serves this vault.", {"process": None}, False
    process, role, other = said
    text = f"Process {process} serves this vault's commands."
    if role == "server":
        text += " It is a server, and ends by itself."
    if other:
        text += f" Those from here run by themselves: {other} differs from what it was started with."
    return text, {"process": int(process), "is_server": role == "server", "differs": other or None}, True


def _stop(path: str) -> tuple[str, dict[str, Any], bool]:
    said = handover.asked(path, rendezvous.STOP)
    if said is None:
        return _status(path)
    process, role, _ = said
    if role == "server":
        raise BadArgument(f"Process {process} is a server (mcp or serve): end that")
    return f"Process {process} ends.", {"process": int(process)}, True

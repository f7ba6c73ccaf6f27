"""Shows a text on a terminal, by a pager when it is long."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, TextIO

ESCAPE: Final = re.compile(r"\x1b\[[\d;]*[mK]")
"""What colours a text and takes no column."""


def show(text: str, out: TextIO, environ: Mapping[str, str]) -> None:
    """Write a text, by the pager that `PAGER` names, else `less`; `NO_PAGER` and `PAGER=cat` want none."""
    command = _command(environ)
    if command is None or not _is_longer(text, out):
        print(text, file=out)
        return
    out.flush()
    try:
        # As git does it: leave at once what fits, keep colours, leave the text on the screen.
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env={"LESS": "FRX", **environ})
    except OSError:
        print(text, file=out)
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the pager's
    try:
        with suppress(BrokenPipeError):  # who has read enough leaves it
            pager.communicate(f"{text}\n".encode("utf-8", "backslashreplace"))
    finally:
        pager.wait()
        signal.signal(signal.SIGINT, before)


def _command(environ: Mapping[str, str]) -> list[str] | None:
    named = environ.get("PAGER", "less")
    if environ.get("NO_PAGER") or environ.get("TERM") == "dumb" or not named.strip() or named == "cat":
        return None
    words = shlex.split(named)
    return words if shutil.which(words[0]) else None


def _is_longer(text: str, out: TextIO) -> bool:
    """Whether it has more rows than the terminal of this process; False where there is none."""
    try:
        columns, rows = os.get_terminal_size(out.fileno()) if out.isatty() else (0, 0)
    except (OSError, ValueError):  # what a resident process records for its caller
        return False
    if not columns:
        return False
    return sum(max(1, -(-len(ESCAPE.sub("", line)) // columns)) for line in text.split("\n")) >= rows

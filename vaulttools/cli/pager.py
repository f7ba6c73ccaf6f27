"""Shows a text on a terminal, with a pager if it is long."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, TextIO

from vaulttools.core import programs

ESCAPE: Final = re.compile(r"\x1b\[[\d;]*[mK]")
"""Escape sequences that colour a text and take no column."""


def show(text: str, out: TextIO, environ: Mapping[str, str]) -> None:
    """Write a text with the pager that `PAGER` names, or `less`; `NO_PAGER` and `PAGER=cat` turn the pager off."""
    command = _command(environ)
    if command is None or not _is_longer(text, out):
        print(text, file=out)
        return
    out.flush()
    try:
        # Like git: exit if the text fits, keep colours, leave the text on the screen.
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env={"LESS": "FRX", **environ})
    except OSError:
        print(text, file=out)
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C belongs to the pager
    try:
        with suppress(BrokenPipeError):  # the reader may leave early
            pager.communicate(f"{text}\n".encode("utf-8", "backslashreplace"))
    finally:
        pager.wait()
        signal.signal(signal.SIGINT, before)


def _command(environ: Mapping[str, str]) -> list[str] | None:
    named = environ.get("PAGER", "less")
    if environ.get("NO_PAGER") or environ.get("TERM") == "dumb" or not named.strip() or named == "cat":
        return None
    try:
        words = shlex.split(named, posix=os.name == "posix")  # on Windows a path has `\\`
    except ValueError:  # a quote that is not closed
        return None
    program, *options = (word.strip('"') for word in words)
    found = programs.found(program, environ.get("PATH", os.defpath))
    return None if found is None else [found, *options]


def _is_longer(text: str, out: TextIO) -> bool:
    """Whether a text has more rows than the terminal of this process; False without a terminal."""
    try:
        columns, rows = os.get_terminal_size(out.fileno()) if out.isatty() else (0, 0)
    except (OSError, ValueError):  # a resident process records the text for its caller
        return False
    if not columns:
        return False
    return sum(max(1, -(-len(ESCAPE.sub("", line)) // columns)) for line in text.split("\n")) >= rows

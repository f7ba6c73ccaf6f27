"""Raises the number of files that a server may have open."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Final

if sys.platform != "win32":
    import resource

ENOUGH: Final = 4_096
"""Files for 1,000 connections, each of them with a note open, and for the index and children of several calls. It
is below what macOS accepts (10,240), where programs that the Dock starts have 256."""


def allow_enough() -> None:
    """Raise the limit of this process to `ENOUGH`, or as far as the system allows; never lower it."""
    if sys.platform == "win32":  # it does not limit files this way
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(ENOUGH, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))

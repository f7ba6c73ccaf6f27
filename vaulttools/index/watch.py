"""Decides whether changes are watched, and says when some may have been missed."""

from __future__ import annotations

import json
import os
from typing import Final

from vaulttools.errors import BadArgument

VARIABLE: Final = "VAULTTOOLS_WATCH"
"""The environment variable that turns the watch off: for tests, and for a disk that is shared with other computers but
looks local."""


class Lost(Exception):
    """Changes may have been missed: all knowledge is void, and this watch reports nothing any more.

    Causes: an overflow, an unmount, a mount over or in the vault, the root moved or deleted, no watches left, another
    process after a fork. Never leaves the package.
    """


def is_off() -> bool:
    """Whether the environment turns the watch off.

    Raises:
        BadArgument: the variable is neither `auto` nor `off`.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if given.lower() not in ("", "auto", "off"):
        raise BadArgument(f"{VARIABLE} must be auto or off, got {json.dumps(given)}")
    return given.lower() == "off"

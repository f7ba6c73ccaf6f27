"""A command with mounts of its own, which nobody else sees."""

from __future__ import annotations

import subprocess
from functools import cache

OWN_MOUNTS = ["unshare", "--map-root-user", "--mount"]
"""Comes before the command; an ordinary user may have such mounts too."""


@cache
def may_mount() -> bool:
    """Whether this system allows such mounts."""
    try:
        return subprocess.run([*OWN_MOUNTS, "mount", "-t", "tmpfs", "none", "/tmp"], check=False).returncode == 0
    except OSError:
        return False

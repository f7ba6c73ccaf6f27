"""Says that changes of the vault may have been missed."""

from __future__ import annotations


class Lost(Exception):
    """Changes may have been missed: all knowledge is void, and the watch reports nothing any more.

    Causes: an overflow, an unmount, a mount over or in the vault, the root moved or deleted, no watches left, another
    process after a fork. Never leaves the package.
    """

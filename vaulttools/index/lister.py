"""Lists the folders that it is asked for, until its standard input ends.

Run as `python -m vaulttools.index.lister`. Messages are those of `core.child`: each absolute path is answered by its
names with their stat keys, in the order asked, or by None when they cannot be read here.
"""

from __future__ import annotations

import gc
import sys
from contextlib import suppress

from vaulttools.core import child
from vaulttools.index.tree import names_at


def run() -> None:
    """Answer until there is nobody to answer."""
    child.begin()
    gc.disable()  # nothing that is made here refers to itself
    with suppress(EOFError, OSError):
        while True:
            path = child.receive(sys.stdin.buffer)
            assert isinstance(path, str)
            try:
                names = names_at(path)
            except OSError:
                names = None
            child.send(sys.stdout.buffer, names)


if __name__ == "__main__":
    run()

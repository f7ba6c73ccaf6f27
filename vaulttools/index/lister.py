"""Lists the folders that it is asked for, until its standard input ends.

Run as `python -m vaulttools.index.lister`. Messages are those of `index.worker`: each absolute path is answered by its
names with their stat keys, in the order asked, or by None when they cannot be read here.
"""

from __future__ import annotations

import gc
import signal
import sys
from contextlib import suppress

from vaulttools.index.tree import names_at
from vaulttools.index.worker import receive, send


def run() -> None:
    """Answer until there is nobody to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it too, and closes the pipe
    gc.disable()  # nothing that is made here refers to itself
    with suppress(EOFError, OSError):
        while True:
            path = receive(sys.stdin.buffer)
            assert isinstance(path, str)
            try:
                names = names_at(path)
            except OSError:
                names = None
            send(sys.stdout.buffer, names)


if __name__ == "__main__":
    run()

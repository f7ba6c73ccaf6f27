"""Reads the files that it is asked for, until its standard input ends.

Run as `python -m vaulttools.index.worker`.

Messages are those of `core.child`. First comes the root with the folder in which texts of attachments are kept, None
without the extra that reads them; then lists of files, which are answered in the order asked by lists of contents: None
stands for a file that vanished.
"""

from __future__ import annotations

import gc
import sys
import time
from typing import Final

from vaulttools.core import child

_MANY_OBJECTS: Final = 50_000
"""Objects made, and not yet gone, after which the collector of cycles looks at them; Python's is 700."""

_SOON: Final = 0.05
"""Seconds after which an answer is sent with what was read by then: 16 notes of 7 KiB take half of it."""

_YIELDING: Final = 5
"""How much nicer than its parent: reading goes on behind, searches and the writing of the index come first."""


def run() -> None:
    """Answer until there is nobody to answer."""
    child.begin(_YIELDING)
    requests = child.requests()

    from vaulttools.files.root import Root
    from vaulttools.index.content import ToRead, read

    begun = requests.get()
    assert isinstance(begun, tuple)
    root, folder = begun
    assert isinstance(root, Root)
    attachments = None
    if folder is not None:
        assert isinstance(folder, str)
        from vaulttools.attachments.texts import Attachments

        attachments = Attachments(root, lambda: folder)
    # Parsing makes many objects and next to no cycles; what was imported is no garbage (a twentieth of the time).
    gc.freeze()
    gc.set_threshold(_MANY_OBJECTS)
    while True:
        asked = requests.get()
        assert isinstance(asked, list)
        # Few messages, since each has three threads change places; none waits for a file that takes long.
        contents, since = [], time.monotonic()
        for file in asked:
            assert isinstance(file, ToRead)
            contents.append(read(root, file, attachments))
            if time.monotonic() - since > _SOON:
                child.send(sys.stdout.buffer, contents)
                contents, since = [], time.monotonic()
        if contents:
            child.send(sys.stdout.buffer, contents)


if __name__ == "__main__":
    run()

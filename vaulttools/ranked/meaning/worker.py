"""Embeds the texts that it is given, until its input ends.

Run as `python -m vaulttools.ranked.meaning.worker NICER`.

`NICER` is how much lower than its parent's its priority is.

Messages are those of `index.worker`. First comes the choice of an embedder, and is answered by its key, or by a
sentence when there is none; then lists of texts, each answered by the vectors as they are kept with the dimensions, or
by a sentence.
"""

from __future__ import annotations

import signal
import sys
import threading
from queue import SimpleQueue

from vaulttools.core import own_python
from vaulttools.errors import VaultToolsError
from vaulttools.index.worker import listen, send


def run() -> None:
    """Answer until there is nobody to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it too, and closes the pipe
    own_python.give_way(int(sys.argv[1]))
    requests: SimpleQueue[object] = SimpleQueue()
    threading.Thread(target=listen, args=(sys.stdin.buffer, requests), daemon=True).start()

    from vaulttools.ranked.meaning import embedder, parts
    from vaulttools.ranked.meaning.embedder import Choice

    choice = requests.get()
    assert isinstance(choice, Choice)
    try:
        model = embedder.load(choice)
    except Exception as error:
        send(sys.stdout.buffer, _sentence(error))
        return
    send(sys.stdout.buffer, model.key)
    while True:
        texts = requests.get()
        assert isinstance(texts, list)
        try:
            found = model.embed_passages(texts)
            layout = parts.layout(model.key.parts, found.shape[1])
            answer: object = (parts.packed(found, layout), found.shape[1])
        except Exception as error:  # this process would end without a word
            answer = _sentence(error)
        send(sys.stdout.buffer, answer)


def _sentence(error: Exception) -> str:
    """What is said of an error; the text of one that is not ours may be that of a note."""
    if isinstance(error, VaultToolsError):
        return str(error)
    return f"The process that embeds met an error of its own: {type(error).__name__}"


if __name__ == "__main__":
    run()

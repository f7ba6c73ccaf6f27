"""Embeds the texts that it is given, until its input ends.

Run as `python -m vaulttools.meaning.worker NICER`.

`NICER` is how much lower than its parent's its priority is.

Messages are those of `core.child`. First comes the choice of an embedder and the folder for what all vaults share; it
is answered by the embedder's key and whether an encoder is fitted to it. Then come, in any order: a sample of texts to
fit an encoder to (a tuple), answered by the encoder's bytes; an encoder that was fitted before (bytes), answered by
None; texts to encode (a list), answered by a row of bytes each. A sentence answers what fails.
"""

from __future__ import annotations

import sys

from vaulttools.core import child
from vaulttools.core.child import send
from vaulttools.errors import VaultToolsError


def run() -> None:
    """Answer until there is nobody to answer."""
    child.begin(int(sys.argv[1]))
    requests = child.requests()

    from vaulttools.meaning import embedders
    from vaulttools.meaning.encoder import Encoder, is_fitted
    from vaulttools.meaning.vectors import in_eight_bits

    first = requests.get()
    assert isinstance(first, tuple)
    choice, folder = first
    try:
        model = embedders.load(choice)
        encoder = Encoder(model, folder)
    except Exception as error:
        send(sys.stdout.buffer, _sentence(error))
        return
    send(sys.stdout.buffer, (model.key, is_fitted(model)))
    while True:
        asked = requests.get()
        try:
            answer: object
            match asked:
                case tuple():
                    answer = encoder.fitted(asked)
                case bytes():
                    encoder.use(asked)
                    answer = None
                case list():
                    answer = [row.tobytes() for row in in_eight_bits(encoder.encoded(asked))]
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

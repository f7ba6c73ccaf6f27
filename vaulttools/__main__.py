"""Runs the command line; imports what a command needs, and only then.

`--version` and a call that a resident process answers must load neither pydantic nor the tools.
"""

from __future__ import annotations

import gc
import os
import sys

from vaulttools import __version__
from vaulttools.cli import output
from vaulttools.cli.handover import handed_over

TYPE_CHECKING = False  # as in `vaulttools`
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final, NoReturn

FAILED: Final = 2
"""As `cli.main` has it. Python's own status of a traceback is 1, which means that nothing was found."""


def run() -> NoReturn:
    """The console script: `main`, with what only a real process has to mind."""
    gc.disable()  # what imports make stays: to look for garbage in it takes an eighth of the start
    output.open_streams()
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough: `vaulttools … | head`
        output.give_up()
        status = 141
    except output.OutputFailed as failure:
        output.tell(failure)
        output.give_up()
        status = FAILED
    except KeyboardInterrupt:
        status = 130
    except Exception:
        sys.excepthook(*sys.exc_info())
        status = FAILED
    sys.exit(status)


def main(words: Sequence[str]) -> int:
    """Run one command; the exit status."""
    if words[:1] == ["--version"]:
        print(f"vaulttools {__version__}")
        return 0
    if (status := handed_over(words)) is not None:
        return status
    # pydantic would look for plugins in every package that is installed; no command here has use for one.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from vaulttools.cli import main as commands

    return commands.main(words)


if __name__ == "__main__":
    run()

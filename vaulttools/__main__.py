"""Runs the command line; imports what a command needs, and only then.

`--version` and a call that a resident process answers must load neither pydantic nor the tools.
"""

from __future__ import annotations

import gc
import os
import sys

import vaulttools
from vaulttools import __version__
from vaulttools.cli import output
from vaulttools.cli.command_line import take_vault, tool_meant
from vaulttools.cli.handover import handed_over
from vaulttools.index import early_listing

TYPE_CHECKING = False  # as in `vaulttools`
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final, NoReturn

FAILED: Final = 2
"""As `cli.main` has it. Python's own status of a traceback is 1, which means that nothing was found."""


def run() -> NoReturn:
    """The console script: `main`, with what only a real process has to mind."""
    gc.disable()  # what imports make stays: to look for garbage in it takes an eighth of the start
    try:
        output.open_streams()
        status = main(sys.argv[1:], is_alone=True)
        sys.stdout.flush()
        if sys.modules.get("vaulttools.cli.main") is None:  # nothing runs that has to come to its end, which takes 2 ms
            sys.stderr.flush()
            os._exit(status)
        _leave(status)
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
    early_listing.end()
    sys.exit(status)


def _leave(status: int) -> None:
    """End a command of one tool without taking apart what was imported and read, which takes 35 ms. What is to happen
    at the end happens. Nothing, while a thread has to come to its end."""
    import atexit
    import threading

    from vaulttools import plain_models

    others = (thread for thread in threading.enumerate() if thread is not threading.main_thread())
    if plain_models.are_wanted() and all(thread.daemon for thread in others):
        early_listing.end()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def main(words: Sequence[str], *, is_alone: bool = False) -> int:
    """Run one command; the exit status. `is_alone`: this process does nothing else, before or after."""
    if words[:1] == ["--version"]:
        print(f"vaulttools {__version__}")
        return 0
    if (status := handed_over(words)) is not None:
        return status
    # pydantic would look for plugins in every package that is installed; no command here has use for one.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if is_alone:
        from vaulttools.cli import importing

        importing.end_at_once()
        _begin_listing(list(words))
    from vaulttools import plain_models

    plain_models.use(are_wanted=is_alone)
    try:
        return _run(words)
    except plain_models.Unfit:
        plain_models.use(are_wanted=False)
        _forget_modules()
        return _run(words)


def _begin_listing(words: list[str]) -> None:
    folder = take_vault(words)
    if folder is None:
        return
    from vaulttools import tools

    traits = tools.TOOLS.get(tool_meant(words)[0])
    if traits is not None and traits.lists_early:
        early_listing.begin(os.path.realpath(folder))


def _run(words: Sequence[str]) -> int:
    from vaulttools.cli import main as commands

    return commands.main(words)


def _forget_modules() -> None:
    """Have our modules imported anew, but those that hold what this process has begun."""
    for name in [name for name in sys.modules if name.startswith("vaulttools.")]:
        if name not in ("vaulttools.cli.output", "vaulttools.index.early_listing", "vaulttools.plain_models"):
            del sys.modules[name]
            vars(vaulttools).pop(name.removeprefix("vaulttools."), None)


if __name__ == "__main__":
    run()

"""Runs the command line; imports what a command needs, and only then.

`--version`, and a call that a resident process answers, must load neither pydantic nor the tools.
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
"""Equals `cli.main.FAILED`. Python's own status after a traceback is 1, which here means that nothing was found."""


def run() -> NoReturn:
    """The console script: runs `main`, and handles streams, signals and the exit of a real process."""
    gc.disable()  # objects of imports stay: searching them for garbage takes an eighth of the start
    try:
        output.open_streams()
        status = main(sys.argv[1:], is_alone=True)
        sys.stdout.flush()
        if sys.modules.get("vaulttools.cli.main") is None:  # no work is left to finish, so skip Python's exit: 2 ms
            sys.stderr.flush()
            os._exit(status)
        _leave(status)
    except BrokenPipeError:  # the reader stopped reading: `vaulttools … | head`
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
    """Ends a command of one tool without freeing imported modules and data, which takes 35 ms. Exit functions still
    run. Does nothing while a thread must finish."""
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
    """Runs one command; returns the exit status. `is_alone`: this process does nothing else, before or after."""
    if words[:1] == ["--version"] or list(words) in (["version"], ["-V"], ["-v"]):
        print(f"vaulttools {__version__}")
        return 0
    if (status := handed_over(words)) is not None:
        return status
    # pydantic would look for plugins in every installed package; no command here uses one.
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
    """Makes our modules load again, except those that hold work which this process has begun."""
    for name in [name for name in sys.modules if name.startswith("vaulttools.")]:
        if name not in ("vaulttools.cli.output", "vaulttools.index.early_listing", "vaulttools.plain_models"):
            del sys.modules[name]
            vars(vaulttools).pop(name.removeprefix("vaulttools."), None)


if __name__ == "__main__":
    run()

"""Runs a command on a vault, and decides where its words go."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from threading import Event
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from vaulttools.answers import answer
from vaulttools.answers.retry import until_final
from vaulttools.call import Call
from vaulttools.core.voice import CALLS, Voice
from vaulttools.core.work import UNREAD, Work
from vaulttools.errors import BadArgument, VaultToolsError
from vaulttools.obsidian_cli.asked import Asked
from vaulttools.obsidian_cli.said import AppError, NotBuilt, Said, Unfinished

if TYPE_CHECKING:
    from vaulttools.vault import Vault

ANSWERED: Final = 0
"""Also after an error in the app's words: the app ends so."""
REFUSED: Final = 1
"""As the app's program ends without the app."""
UNFINISHED: Final = 2


class Printed(NamedTuple):
    """What a command prints, and its exit status."""

    out: str
    """Without the final line end; `""` prints nothing."""
    err: list[str]
    """Sentences."""
    status: int = ANSWERED


def without_vault(asked: Asked) -> Printed:
    """Returns the output of a command that needs no vault."""
    return _ended(lambda: Printed(_function(asked)(asked).text, asked.told), lambda: asked.told)


def run(
    vault: Vault,
    asked: Asked,
    cancel: Event | None = None,
    on_progress: Callable[[str], None] | None = None,
    voice: Voice = CALLS,
) -> Printed:
    """Returns the output of a command on a vault. `voice` writes the next steps.

    Raises:
        Cancelled: the caller set `cancel`.
    """
    session = vault.session
    notices = vault.notices
    function = _function(asked)
    last = Call(session, Work(session.config.time_limit, cancel, on_progress, voice=voice))

    def ask(call: Call) -> Said:
        nonlocal last
        last = call
        for sentence in notices:
            call.work.warn(sentence)
        return cast("Said", function(call, asked))

    def answered() -> Printed:
        session.root.ensure_readable()
        try:
            said, call = until_final(last, ask, attrgetter("found"))
        except AppError as error:
            if last.work.complete:
                raise
            raise Unfinished(f"The answer is incomplete: {last.work.incomplete_because()}") from error
        late = {"time limit", UNREAD} & call.work.skipped.keys()
        if late or (not said.found and not call.work.complete):
            raise Unfinished(f"The answer is incomplete: {call.work.incomplete_because()}")
        return Printed(said.text, told(said.found))

    def told(is_found: bool = False) -> list[str]:
        # The app shows no hidden files either.
        last.work.skipped.pop("hidden", None)
        return [*asked.told, *answer.told(last.work, found=is_found, is_total=True, opens_excluded=False)]

    return _ended(answered, told)


def _ended(answered: Callable[[], Printed], told: Callable[[], list[str]]) -> Printed:
    """Returns an output, also for the errors of a command."""
    try:
        return answered()
    except NotBuilt as error:
        return Printed("", [*told(), str(error)], REFUSED)
    except Unfinished as error:
        return Printed("", [*told(), str(error)], UNFINISHED)
    except AppError as error:
        return Printed(f"Error: {error.args[0]}", told())
    except BadArgument as error:
        return Printed(f"Error: {error}", told())
    except VaultToolsError as error:
        return Printed("", [*told(), str(error)], UNFINISHED)


def refused(error: VaultToolsError) -> Printed:
    """Returns the output for words that ask for no command that is built."""

    def answered() -> Printed:
        raise error

    return _ended(answered, list)


def _function(asked: Asked) -> Callable[..., Any]:
    """Returns the function of a command; the first call imports its module."""
    module, _, name = asked.command.function.partition(".")
    return cast("Callable[..., Any]", getattr(import_module(f"vaulttools.obsidian_cli.{module}"), name))

"""Asks again where notes were renamed, or the index was lost, during a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.core.work import GONE
from vaulttools.errors import Cancelled, VaultToolsError

A = TypeVar("A")


def settled(answer: A, ask: Callable[[Call], A], found: Callable[[A], bool], call: Call) -> A:
    """Returns an answer in which no renamed note is missed: `answer` to `call`, or what `ask` answers now.

    It is asked once more if the index was lost or a listed file was gone, or if it says that all was searched and
    nothing found, and files were renamed meanwhile. If that happens again, the last answer names the files and is not
    complete.
    """
    known: dict[str, int] = {}
    for is_last in (False, True):
        must_ask = GONE in call.work.skipped or call.has_lost_index
        if not must_ask and (found(answer) or not call.work.complete):
            break
        # The clock of a disk ticks slowly: a change that was known before is no new one.
        now = call.moved()
        moved = {path for path, change in now.items() if known.get(path) != change}
        if not moved and not must_ask:
            break
        known = now
        call.session.look_again()
        again = call.anew()
        if is_last:
            again.work.pass_over_all(sorted(moved, key=paths.order), GONE)
        try:
            answer = ask(again)
        except Cancelled:
            raise
        except VaultToolsError:  # a file that was named exactly is gone: the first answer says so already
            if call.work.complete:
                raise
            break
        call = again
    return answer

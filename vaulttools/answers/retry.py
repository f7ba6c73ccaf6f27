"""Says when an answer is final, and asks again if renames may hide notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import TypeVar

from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.core.work import GONE
from vaulttools.errors import Cancelled, VaultToolsError

A = TypeVar("A")


def until_final(call: Call, ask: Callable[[Call], A], found: Callable[[A], bool]) -> tuple[A, Call]:
    """Returns an answer of `ask` in which no renamed note is missed, and the call that it answers.

    It is asked again, at most twice, in three cases:

    - the index was lost, or a listed file was gone;
    - nothing was found, and names changed meanwhile;
    - the names were not those of one moment, and changed meanwhile.

    The last answer names the files and is not complete. An answer that is incomplete for another reason is final.
    """
    with closing(call):
        answer = ask(call)
    known: Mapping[str, int] = {}
    for is_last in (False, True):
        must_ask = GONE in call.work.skipped or call.has_lost_index
        if not must_ask and (not call.work.complete or (found(answer) and call.is_of_one_moment)):
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
            with closing(again):
                answer = ask(again)
        except Cancelled:
            raise
        except VaultToolsError:  # a file that was named exactly is gone: the first answer says so already
            if call.work.complete:
                raise
            break
        call = again
    return answer, call

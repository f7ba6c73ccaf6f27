"""Defines what `attachments` answers about files whose text must be extracted."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final, Protocol

from vaulttools.core.work import Work
from vaulttools.files.document import Document

_KEPT_BACK: Final = 0.4
"""The part of a call's time that no extraction takes, so that the notes are searched and what was found is shown."""


class Extracts(Protocol):
    """The attachments of one vault."""

    def holds(self, path: str) -> bool:
        """Whether a file is an attachment by its name."""

    def read(
        self, path: str, seconds: float, known: Callable[[os.stat_result], bytes | None] | None = None
    ) -> Document | None:
        """The text of an attachment; None when it is, by its content, a file like others.

        Args:
            path: Vault-relative, as `Root.locate` or a walk gave it.
            seconds: How long to wait for an extraction. What it gives later is there for the next call.
            known: The digest of the content of a file with some status, where that is known.

        Raises:
            NotRead: there is none; its reason says why.
        """


def timeout(work: Work) -> float:
    """Seconds that a call may still wait for extractions."""
    return max(0.0, work.remaining() - work.time_limit * _KEPT_BACK)

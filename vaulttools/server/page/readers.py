"""Leaves out of notices what only callers of tools can do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from vaulttools.core.voice import Voice

_MARK: Final = "\ue000"
"""Stands in a sentence where a tool names an argument or a call; no other notice has it."""

_CLAUSE: Final = re.compile(f"[,;] {_MARK}[^.,;]*")
_BETWEEN: Final = re.compile(r"(?<=[.!?]) ")


class _ReaderVoice(Voice):
    """Marks what readers cannot do."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        return _MARK

    def name(self, argument: str) -> str:
        return _MARK

    def given(self, argument: str, value: object) -> str:
        return _MARK

    def set(self, argument: str, value: str | int) -> str:
        return _MARK

    def again(self, tool: str, same: Mapping[str, Any], changed: Mapping[str, Any], instead: str = "") -> str:
        return f"{_MARK}."


READER: Final = _ReaderVoice()
"""The voice for answers whose notices go through `for_readers`."""


def for_readers(notices: Iterable[str]) -> list[str]:
    """Returns the notices of an answer to `READER` without the clauses and sentences that name arguments or calls."""
    told = (_without_calls(each) for each in notices)
    return [each for each in told if each]


def _without_calls(notice: str) -> str:
    sentences = map(_without_advice, _BETWEEN.split(_CLAUSE.sub("", notice)))
    return " ".join(filter(None, sentences))


def _without_advice(sentence: str) -> str:
    """Returns the parts of a sentence between semicolons that have no mark."""
    parts = sentence.split("; ")
    kept = [each for each in parts if _MARK not in each]
    return "; ".join(kept).rstrip(".") + "." if 0 < len(kept) < len(parts) else sentence if kept else ""

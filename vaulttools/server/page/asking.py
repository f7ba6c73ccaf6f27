"""Asks the tools for a page, without what they advise assistants to do next."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from threading import Event
from typing import Any, Final

from vaulttools.answers.answer import Answer
from vaulttools.core.voice import Voice
from vaulttools.errors import BadArgument, VaultToolsError
from vaulttools.vault import Vault

_LOAD_AGAIN: Final = "load the page again."
"""What helps where a page was not given something in time; while the index is built, pages load again by
themselves."""
NOT_YET: Final = f"Not known yet: {_LOAD_AGAIN}"

_MARK: Final = f"step-{secrets.token_hex(8)}-"
"""Stands in a sentence where a call or an argument is named. No note can spell it."""

_NAMED: Final = re.compile(rf"(?:{_MARK})?([a-z_]+) (?=must |is required)")
"""The beginning of a refusal that names an argument."""

_LABELS: Final = {"query": "The question", "pattern": "The text"}
"""What pages call arguments; others as they are called."""

_BEFORE: Final = re.compile(r".*(?:(?<=[.?!]) |(?=; )|(?<=\))(?=, ))", re.DOTALL)
"""What comes before an advice: whole sentences, the first half of one, or a list in brackets."""

_AFTER: Final = re.compile(r"\.(?: |$)|(?=; )")
"""The end of an advice."""


class _Marked(Voice):
    """Marks what only those who call tools can use."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Returns the mark: a page shows no calls."""
        return _MARK

    def name(self, argument: str) -> str:
        """Returns a marked name: a refusal needs it."""
        return f"{_MARK}{argument}"

    def given(self, argument: str, value: object) -> str:
        """Returns the mark."""
        return _MARK

    def set(self, argument: str, value: str | int) -> str:
        """Returns the mark."""
        return _MARK

    def again(self, tool: str, same: Mapping[str, Any], changed: Mapping[str, Any], instead: str = "") -> str:
        """Returns the mark."""
        return _MARK


def ask(vault: Vault, tool: str, arguments: Mapping[str, Any], cancel: Event) -> Any:
    """Returns the answer of a tool. Its notices advise no calls, since a page has links and fields for the next steps;
    its text is only the first line, without such advice.

    Raises:
        VaultToolsError: the tool refused, with its sentence.
    """
    try:
        answer = vault.answer(tool, arguments, cancel=cancel, voice=_Marked())
    except VaultToolsError as error:
        if (named := _NAMED.match(str(error))) is None:
            raise
        sentence = str(error)[named.end() :].replace(_MARK, "")
        raise BadArgument(f"{_LABELS.get(named[1], named[1].capitalize())} {sentence}") from error
    # The page counts by itself what it shows.
    said = (each for each in answer.notices if not each.startswith("Showing "))
    text = facts(answer.text.partition("\n")[0])
    return answer.model_copy(update={"text": text, "notices": [*filter(None, map(facts, said))]})


def said(answer: Answer, rows: str, *, found: bool) -> list[str]:
    """Returns what a page says of an answer: that `rows` may be missing, if time ended it and another load of the page
    shows more, or why the search was not whole, if it found nothing; then the notices."""
    is_late = any(each.kind == "time limit" for each in answer.passed_over)
    why = (
        [f"Some {rows} may be missing: {_LOAD_AGAIN}"] if is_late else [] if found or answer.complete else [answer.text]
    )
    return [*why, *(each for each in answer.notices if not each.startswith("Part of the answer: "))]


def facts(sentences: str) -> str:
    """Returns the sentences without those parts that advise a call."""
    while _MARK in sentences:
        at = sentences.index(_MARK)
        found = _BEFORE.match(sentences[:at])
        before = found[0].rstrip() if found else ""
        end = _AFTER.search(sentences, at)
        after = sentences[end.end() :] if end else ""
        is_open = before and not before.endswith((".", "?", "!"))
        sentences = before + ("" if after.startswith(("; ", ", ")) else ". " if is_open else " ") + after
        sentences = sentences.strip()
    return sentences

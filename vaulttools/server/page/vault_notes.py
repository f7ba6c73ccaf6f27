"""Reads notes with the tools of a vault, as far as one page shows them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from threading import Event
from typing import Final, NamedTuple, TypeVar

from vaulttools.answers.reading import MOST_CHARACTERS
from vaulttools.attachments.kinds import kind_of
from vaulttools.bases.definition import is_base
from vaulttools.call import Call
from vaulttools.core import paths, render
from vaulttools.core.cached import cached_property
from vaulttools.core.work import INCOMPLETE, Work
from vaulttools.errors import Cancelled, VaultToolsError
from vaulttools.files.scope import Walk
from vaulttools.notes.canvas import is_canvas
from vaulttools.server.page.asking import NOT_YET, ask
from vaulttools.tools.base import BaseAnswer, ViewShown
from vaulttools.tools.read import ReadAnswer
from vaulttools.vault import Vault

T = TypeVar("T")

CHARACTERS: Final = 200_000
"""Characters of a note that one page shows: the slowest hostile notes of this length take 3 s to render."""

_WITH_THE_LAST_LINE: Final = CHARACTERS + MOST_CHARACTERS
"""Most characters with the answer that fills a page; only a line that is longer than an answer has more."""

_LONG_LINE: Final = re.compile("Line [0-9]+ is cut after ")
"""A notice about the text of an answer, which holds less of a line than the page."""

_TABLES_SECONDS: Final = 4.0
"""Seconds for all tables within one note. They take longer only while the vault is indexed for the first time, and the
note should not wait for that."""


class Soon(Event):
    """Cancels a call that would keep a page waiting: it is set when `cancel` is set, or after `seconds`."""

    def __init__(self, cancel: Event, seconds: float) -> None:
        super().__init__()
        self._cancel = cancel
        self._end = time.monotonic() + seconds

    def is_set(self) -> bool:
        """Whether it is time to stop."""
        return super().is_set() or self._cancel.is_set() or time.monotonic() >= self._end


def in_time(look: Callable[[], T], cancel: Event) -> T | None:
    """Returns the result of `look`, which a `Soon` may stop; None if it was stopped.

    Raises:
        Cancelled: nobody waits any more.
    """
    try:
        return look()
    except Cancelled:
        ensure_wanted(cancel)
        return None


def ensure_wanted(cancel: Event) -> None:
    """Check that somebody still waits.

    Raises:
        Cancelled: nobody waits any more.
    """
    if cancel.is_set():
        raise Cancelled


def is_listed(path: str) -> bool:
    """Whether a file that is not a note is listed beside the notes, because it has a page of its own to read: bases,
    canvases, documents. Images are not: notes show them, and there may be more of them than notes."""
    return is_base(path) or is_canvas(path) or kind_of(path) is not None


def note_paths(vault: Vault, cancel: Event, also: Callable[[str], object] | None = None) -> tuple[Sequence[str], bool]:
    """Returns the paths of all notes, and of the files for which `also` is true, and whether the list is complete.

    Raises:
        Cancelled: nobody waits any more.
    """
    call = _call(vault, cancel)
    found, is_whole = list[str](), True
    scope = call.scope((Walk(notes_only=True, also=also),), (), hidden=False, include_excluded=False)
    for path, kind, left_out in scope.entries():
        ensure_wanted(cancel)
        if left_out is None and kind == "file":
            found.append(path)
        is_whole &= left_out not in INCOMPLETE
    return found, is_whole and call.work.complete


def _call(vault: Vault, cancel: Event) -> Call:
    session = vault.session
    return Call(session, Work(session.config.time_limit, cancel), pinned=False)


class TextExcerpt(NamedTuple):
    """Some lines of a file."""

    path: str
    text: str
    start_line: int
    """From 1, like `end_line`."""
    end_line: int
    total_lines: int
    notices: list[str]

    @property
    def is_whole(self) -> bool:
        """Whether these are all lines of the file."""
        return self.start_line == 1 and self.end_line >= self.total_lines


@dataclass(frozen=True)
class VaultNotes:
    """The notes of one vault, for one page."""

    vault: Vault
    cancel: Event

    @cached_property
    def _soon(self) -> Soon:
        return Soon(self.cancel, _TABLES_SECONDS)

    @cached_property
    def _resolver(self) -> Callable[[str, str | None], str | None]:
        return self.vault.link_resolver(cancel=self.cancel)

    def resolve(self, target: str, source: str) -> str | None:
        """Returns the path of the file that a link in the note `source` leads to; None if there is none."""
        found = self._resolver(target, source)
        return None if found is None else paths.portable(found)

    def read(self, path: str, headings: Sequence[str], block: str | None, most: int = 0) -> str:
        """Returns the text of a note, or of the section or block that a link names, after as many empty lines as the
        note has before it. `most` is how many characters are needed at least; 0 means all.

        Raises:
            VaultToolsError: it cannot be read, or has no such part.
        """
        part: dict[str, object] = {"block": block} if block else {"heading": list(headings)} if headings else {}
        # A section that is too long for one answer is cut.
        answers = list(islice(self._answers(path, part, most or MOST_CHARACTERS), 1 if part or most else None))
        return "\n" * (answers[0].start_line - 1) + "\n".join(answer.content for answer in answers)

    def path(self, name: str) -> str:
        """Returns the path of the file that a name means.

        Raises:
            VaultToolsError: there is none, or it may not be seen.
        """
        found = _call(self.vault, self.cancel).named(name)
        return name if found.place is None else paths.portable(found.place.path)

    def source(self, path: str) -> str:
        """Returns the text of a file as it is written.

        Raises:
            VaultToolsError: it cannot be read.
        """
        call = _call(self.vault, self.cancel)
        return call.text_of(call.named(path))[0].text

    def views(self, base: str) -> Sequence[ViewShown]:
        """Returns the views of a base.

        Raises:
            VaultToolsError: there is no such base, or it cannot be read.
        """
        answer: BaseAnswer = ask(self.vault, "base", {"base": base, "list_views": True}, self.cancel)
        return answer.views

    def table(self, base: str, view: str, page: int, this: str, *, is_inline: bool) -> BaseAnswer:
        """Returns a view of a base, the first for `""`; `this` is the path of the note that embeds it, or `""`. A table
        within a note is `is_inline`: the note does not wait long for it.

        Raises:
            VaultToolsError: there is no such base or view, it cannot be read, or there is no time for it.
        """
        given = {"base": base, "view": view, "this_note": this}
        asked = {"page": page, **{name: value for name, value in given.items() if value}}
        cancel = self._soon if is_inline else self.cancel
        answer: BaseAnswer | None = in_time(lambda: ask(self.vault, "base", asked, cancel), self.cancel)
        if answer is None:
            raise VaultToolsError(NOT_YET)
        return answer

    def lines(self, name: str, start_line: int = 1) -> TextExcerpt:
        """Returns the text of a file from `start_line` on, as much as one page shows.

        Raises:
            VaultToolsError: it cannot be read, or has no such line.
        """
        answers = list(self._answers(name, {"start_line": start_line} if start_line > 1 else {}))
        first, last = answers[0], answers[-1]
        text = "\n".join(answer.content for answer in answers)
        is_whole = first.start_line == 1 and last.end_line >= last.total_lines
        notices = [each for each in last.notices if is_whole and not _LONG_LINE.match(each)]
        if len(text) > _WITH_THE_LAST_LINE:
            text = f"{text[:_WITH_THE_LAST_LINE]}{render.ELLIPSIS}"
            notices.append(f"Line {last.end_line:,} is cut: it is longer than a page.")
        return TextExcerpt(first.path, text, first.start_line, last.end_line, last.total_lines, notices)

    def _answers(self, name: str, part: dict[str, object], most: int = MOST_CHARACTERS) -> Iterator[ReadAnswer]:
        """Yields as many answers of `read` as the text needs."""
        left = CHARACTERS
        asked: dict[str, object] = {"note": name, **part}
        while True:
            answer: ReadAnswer = ask(self.vault, "read", {**asked, "max_chars": most}, self.cancel)
            yield answer
            left -= len(answer.content)
            if answer.next_line is None or left <= 0:
                return
            asked = {"note": answer.path, "start_line": answer.next_line}

"""Defines what every answer holds, and says what it leaves out, for all tools.

`told` is the one place that says what was passed over and which files are conflict copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, Final, TypedDict

from vaulttools.answers.conflict_copies import conflict_copies
from vaulttools.answers.cut import Fitted
from vaulttools.attachments.extracted import Picture
from vaulttools.attachments.kinds import NAMES, kind_of
from vaulttools.core import extras, limits, paths, render
from vaulttools.core.voice import Voice
from vaulttools.core.work import INCOMPLETE, PROPERTIES, UNREAD, Reason, Work, named
from vaulttools.models import BaseModel, ConfigDict, Field

_OF_NOTES: Final = frozenset(("lines", "text", "value", "heading"))
"""Fields whose values are lines of notes: `_visible` cuts these. It does not cut names and notices."""


_ALWAYS: Final[frozenset[Reason]] = frozenset(("binary", "symlink", PROPERTIES))
"""Of the kinds that leave an answer complete, those that every answer names: nothing else shows that they are missing.
Somebody made rules (hidden, ignored, excluded) on purpose, so answers name those where nothing was found or all was
counted."""

_WORDS: Final[Mapping[Reason, tuple[str, str]]] = {
    "symlink": ("link that is not followed", "links that are not followed"),
    PROPERTIES: ("note whose properties cannot be read", "notes whose properties cannot be read"),
    "default excludes": ("left out by default rules", "left out by default rules"),
    "Logseq backup": ("backup folder of Logseq", "backup folders of Logseq"),
    "no text": ("without text", "without text"),
    "not a regular file": ("that is not a regular file", "that are not regular files"),
}
"""What one and several of a kind are called, if not by the name of the kind: `2 hidden`."""


class Omission(BaseModel):
    """What was passed over for one reason: files, links, or folders that were not entered."""

    kind: Reason = Field(description="The reason.")
    count: int = Field(description="How many; a folder counts as one.")
    examples: list[str] = Field(description="The first in path order, at most five, vault-relative.")


class AtLeast(BaseModel):
    """A lower bound: counting stopped."""

    at_least: int = Field(description="What was counted when counting stopped.")


class Answer(BaseModel):
    """One answer: its fields are the details, `text` is what a model reads."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True)

    line_characters: ClassVar[int] = limits.LINE_CHARACTERS
    """Characters that the text shows of a line."""

    text: str = Field(exclude=True, repr=False)
    """At most 50 KiB of UTF-8."""
    found: bool = Field(exclude=True, repr=False)
    """True if the answer holds a result; also sets the exit status of the command line."""
    is_error: bool = Field(default=False, exclude=True, repr=False)
    """True if a model should read the answer as a refusal."""
    shown: dict[str, Any] = Field(default_factory=dict, exclude=True, repr=False)
    """Details that the text shows only in part, by field name, reduced to that part. It shows all others whole."""
    picture: Picture | None = Field(default=None, exclude=True, repr=False)
    """An image that belongs to the text, for clients that can show one."""
    complete: bool = Field(
        description="False when a file was not searched for a reason that could have changed the answer."
    )
    searched: int = Field(description="Files whose content was searched.")
    passed_over: list[Omission] = Field(description="What was passed over, by reason.")
    notices: list[str] = Field(description="Every sentence about the answer that its text also shows.")

    def bounded(self) -> dict[str, Any]:
        """Returns the details, JSON-ready, with only the files and lines that the text shows, cut as in the text."""
        shown = self.model_copy(update=self.shown).model_dump(mode="json")
        details: dict[str, Any] = _visible(shown, self.line_characters)
        return details


def is_none(value: object) -> bool:
    """Whether an answer leaves this field out of its details; for `exclude_if`."""
    return value is None


class Envelope(TypedDict):
    """The fields that every answer has."""

    text: str
    found: bool
    complete: bool
    searched: int
    passed_over: list[Omission]
    notices: list[str]


class FittedEnvelope(Envelope):
    """The fields that an answer has whose text was cut."""

    shown: dict[str, Any]


def envelope(work: Work, text: str, notices: Iterable[str], *, found: bool) -> Envelope:
    """Returns the fields that every answer has, from what `work` counted."""
    return Envelope(
        text=text,
        found=found,
        complete=work.complete,
        searched=work.searched,
        passed_over=[
            Omission(kind=kind, count=entry.count, examples=[*map(paths.portable, entry.paths)])
            for kind, entry in work.skipped.items()
        ],
        notices=list(filter(None, notices)),
    )


def fitted(field: str, fitted: Fitted, work: Work, notices: Iterable[str], *, found: bool) -> FittedEnvelope:
    """Returns the fields of an answer whose text was cut; `field` is the one whose details the text may show in
    part."""
    return {**envelope(work, fitted.text, notices, found=found), "shown": {field: fitted.shown}}


def _visible(node: Any, most: int, key: str = "") -> Any:
    """Returns a detail with lines cut after `most` characters and invisible characters escaped, as in a text."""
    if isinstance(node, str):
        if key not in _OF_NOTES:
            return render.visible(node)
        return "\n".join(render.line(line, most=most) for line in node.split("\n"))
    if isinstance(node, list):
        return [_visible(item, most, key) for item in node]
    if isinstance(node, dict):
        return {render.visible(name): _visible(item, most, name) for name, item in node.items()}
    return node


def nothing_found(work: Work, sentence: str) -> str:
    """Returns the first line of an answer without results: `sentence`, or that the search is incomplete."""
    if work.complete:
        return sentence
    files = render.counted(work.searched, "file")
    return f"No matches in the {files} searched; the search is incomplete: {work.incomplete_because()}."


def misread(work: Work, notes: Iterable[str]) -> None:
    """Count notes whose properties cannot be read, for a call that asks for tags or properties."""
    work.pass_over_all(sorted(notes, key=paths.order), PROPERTIES)


def told(
    work: Work,
    *,
    found: bool,
    shown: Iterable[str] = (),
    is_total: bool = False,
    opens_excluded: bool = True,
    reported: tuple[Reason, ...] = (),
) -> list[str]:
    """Returns the sentences about what an answer leaves out: conflict copies among the paths that it shows, warnings,
    one line for what may be missing, one for what was passed over, how a glob was read if nothing was found, and
    attachments without their text.

    `is_total`: the answer counts everything, so it also says what rules leave out. `opens_excluded`: the tool has the
    argument `include_excluded`. The caller writes about the reasons in `reported`.
    """
    sentences = [*conflict_copies(shown), *work.warnings]
    if found and not INCOMPLETE.isdisjoint(work.skipped.keys() - set(reported)):
        sentences.append(f"The search is incomplete: {work.incomplete_because()}.")
    kinds = work.skipped.keys() - INCOMPLETE - set(reported)
    if found and not is_total:
        kinds &= _ALWAYS
    if kinds:
        sentences += passed_over(work, kinds, opens_excluded=opens_excluded)
    if not found:
        sentences += work.readings
    if work.unextracted:
        sentences += unextracted(work, found=found)
    return sentences


def passed_over(work: Work, kinds: AbstractSet[Reason], *, opens_excluded: bool = True) -> list[str]:
    """Returns one line about what was passed over for some reasons; nothing if nothing was."""
    phrases = [_phrase(kind, work, opens_excluded=opens_excluded) for kind in work.skipped if kind in kinds]
    if not phrases:
        return []
    sentence = f"Passed over: {'; '.join(phrases)}."
    if PROPERTIES in kinds and (misread := work.skipped.get(PROPERTIES)):
        why = work.voice.call("read", {"note": paths.portable(misread.paths[0])})
        sentence += f" To see why: {why}"
    return [sentence]


def _phrase(kind: Reason, work: Work, *, opens_excluded: bool) -> str:
    entry = work.skipped[kind]
    one, several = _WORDS.get(kind, (kind, kind))
    phrase = f"{entry.count:,} {one if entry.count == 1 else several}"
    if kind == "Logseq backup":  # their place is always the same
        return phrase
    phrase += f" ({named(entry.paths, entry.count)})"
    if kind == "excluded" and opens_excluded:
        return f"{phrase}, {work.voice.given('include_excluded', True)} searches them"
    return phrase


def unextracted(work: Work, *, found: bool) -> list[str]:
    """Says how to have attachments searched, if their text was not searched and may be missed."""
    binary = work.skipped.get("binary")
    if not work.unextracted or (found and not (binary and any(map(kind_of, binary.paths)))):
        return []
    files = render.counted(work.unextracted, f"{NAMES} file")
    return [f"The text of {files} was not searched; to have it searched: {extras.install('files')}"]


def way_on(
    work: Work, narrowing: Sequence[str], bounding: str | None = None, *, in_path_order: bool = True
) -> list[str]:
    """Returns how to reach the files that there was no time for; nothing if there was time for all.

    `narrowing` names the arguments that narrow the call, `bounding` the one that says how much is shown.
    """
    if work.complete:
        return []
    late = [work.skipped[reason] for reason in ("time limit", UNREAD) if reason in work.skipped]
    if not late:
        return []
    first = min((entry.paths[0] for entry in late if entry.paths), key=paths.order, default=None)
    start = f" to the files from {named([first])} on" if in_path_order and first is not None else ""
    fewer = f", lower {work.voice.name(bounding)}" if bounding is not None and UNREAD in work.skipped else ""
    narrower = " or ".join(map(work.voice.name, narrowing))
    return [f"To go on, narrow {narrower}{start}{fewer}, or raise time_limit in the configuration."]


def to_read_on(path: str, line: int, voice: Voice) -> str:
    """Returns the sentence that names the call which shows a note from a line on."""
    return f"To read on: {voice.call('read', {'note': paths.portable(path), 'start_line': line})}"


def plain(notices: Sequence[str]) -> list[str]:
    """Returns the sentences as text shows them, one line each, without brackets; for texts of `search` and `find`."""
    return [render.visible(notice) for notice in notices]


def bracketed(notices: Sequence[str]) -> list[str]:
    """Returns the sentences as text shows them, one line each, in brackets: no line of a note can look like one."""
    return [f"[{render.visible(notice)}]" for notice in notices]

"""Defines what a tag is (rule-T01 to rule-T09)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vaulttools.notes.properties.values import Value

# The regex of Obsidian's app.js, as quoted in obsidianmd/obsidian-help issue 816 (rule-T01): all but blanks, the
# general and supplemental punctuation blocks, and ASCII punctuation other than `_`, `-` and `/`.
CHARACTER = r"""[^\u2000-\u206f\u2e00-\u2e7f'!"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]"""
_NAME = re.compile(CHARACTER + "+")


def tag_name(written: str) -> str | None:
    """Return the name of the tag ``written`` (without `#`), or None if it is no tag (rule-T01, rule-T02, rule-T04).

    A trailing `/` is not part of it; digits alone are no tag.
    """
    name = written.rstrip("/")
    if not _NAME.fullmatch(name) or (name.isascii() and name.isdigit()):
        return None
    return name


def property_tags(value: Value) -> Iterator[str]:
    """Yield the tags in a value of the property `tags`: a list or one string, each with or without `#`, split at blanks
    (rule-T06).

    A string with a comma has no tags, as in Obsidian since 1.9.
    """
    for entry in value if isinstance(value, list) else [value]:
        if isinstance(entry, str) and "," not in entry:
            yield from (name for word in entry.split() if (name := tag_name(word.removeprefix("#"))))


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Return each name once, case ignored, in the order and the casing of its first appearance (rule-T03)."""
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(name.casefold(), name)
    return tuple(first.values())


def covers(asked: str, name: str) -> bool:
    """Whether ``asked`` matches a note with the tag ``name``: the same tag or one nested in it (rule-T03, rule-T05)."""
    wanted = asked.removeprefix("#").rstrip("/").casefold()
    return bool(wanted) and (name.casefold() + "/").startswith(wanted + "/")

"""Defines the functions of links and files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vaulttools.bases.context import Frame
from vaulttools.bases.functions.registry import function
from vaulttools.bases.properties import found_in
from vaulttools.bases.values import File, LinkValue, Value, equal, read_link, tag_covers, text_of


@function(
    "link",
    "asFile()",
    "The file that it leads to; null when there is none.",
    'link("Other").asFile().path',
    '"Oracle/Other.md"',
)
def _as_file(frame: Frame, value: LinkValue, _: Sequence[Any]) -> Value:
    path = frame.context.setting.file_of(value)
    return None if path is None else File(path)


@function(
    "link",
    "linksTo(file)",
    "Whether the file that it leads to has a link to the other file.",
    'link("Backlink Source").linksTo(file)',
    "true",
    least=1,
)
def _links_to(frame: Frame, value: LinkValue, given: Sequence[Any]) -> Value:
    path = frame.context.setting.file_of(value)
    return path is not None and links_to(frame, path, given[0])


@function(
    "file", "asLink(display?)", "A link to it, shown as `display`.", "file.asLink().toString()", '"[[Oracle/row.md]]"'
)
def _as_link(frame: Frame, value: File, given: Sequence[Any]) -> Value:
    display = text_of(given[0], frame.context.setting) if given and given[0] is not None else None
    return LinkValue(value.path, "", display)


@function(
    "file",
    "hasLink(other)",
    "Whether it links to a file, given as file, link or path; or has a link of that very text.",
    'file.hasLink("Other")',
    "true",
    least=1,
)
def _has_link(frame: Frame, value: File, given: Sequence[Any]) -> Value:
    return links_to(frame, value.path, given[0])


@function(
    "file",
    "hasProperty(name)",
    "Whether it has the property, empty or not.",
    'file.hasProperty("price")',
    "true",
    least=1,
)
def _has_property(frame: Frame, value: File, given: Sequence[Any]) -> Value:
    held = frame.context.files.facts(value.path).properties
    return found_in(held, text_of(given[0], frame.context.setting))[0] in held


@function(
    "file",
    "hasTag(tag, …)",
    "Whether it has one of the tags, or one nested in it.",
    'file.hasTag("project")',
    "true",
    least=1,
)
def _has_tag(frame: Frame, value: File, given: Sequence[Any]) -> Value:
    tags = frame.context.files.facts(value.path).tags
    wanted = [each for one in given for each in (one if isinstance(one, list) else (one,))]
    return any(tag_covers(tag, held) for tag in wanted for held in tags)


@function(
    "file", "inFolder(folder)", "Whether it lies in the folder or below it.", 'file.inFolder("Oracle")', "true", least=1
)
def _in_folder(frame: Frame, value: File, given: Sequence[Any]) -> Value:
    return in_folder(value.path, text_of(given[0], frame.context.setting))


def in_folder(path: str, folder: str) -> bool:
    """Whether a file lies in a folder or below it; `/` and `""` are the root."""
    folder = folder.strip("/")
    return not folder or path.startswith(f"{folder}/")


def links_to(frame: Frame, path: str, other: Value) -> bool:
    """Whether a file has a link that leads to another, or one of the same text."""
    if other is None:
        return False
    if not isinstance(other, File | LinkValue):
        text = text_of(other, frame.context.setting)
        other = read_link(text, path) or LinkValue(text, path)
    for target, display in frame.context.files.facts(path).links:
        frame.context.tick()
        if equal(LinkValue(target, path, display), other, frame.context.setting):
            return True
    return False

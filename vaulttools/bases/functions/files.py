"""Defines the functions of links and files."""

from __future__ import annotations

from vaulttools.bases.context import Frame, found_in
from vaulttools.bases.functions import function
from vaulttools.bases.values import File, LinkValue, Value, equal, read_link, tag_covers, text_of


@function("link", "asFile()")
def _as_file(frame: Frame, link: LinkValue) -> Value:
    path = frame.context.setting.file_of(link)
    return None if path is None else File(path)


@function("link", "linksTo(file)")
def _links_to(frame: Frame, link: LinkValue, other: Value) -> Value:
    path = frame.context.setting.file_of(link)
    return path is not None and _has_link(frame, File(path), other)


@function("file", "asLink(display?)")
def _as_link(frame: Frame, file: File, display: Value = None) -> Value:
    return LinkValue(file.path, "", None if display is None else text_of(display, frame.context.setting))


@function("file", "hasLink(other)")
def _has_link(frame: Frame, file: File, other: Value) -> bool:
    """Whether a link of the file leads to the other, or has the same text."""
    if other is None:
        return False
    context = frame.context
    if not isinstance(other, File | LinkValue):
        text = text_of(other, context.setting)
        other = read_link(text, file.path) or LinkValue(text, file.path)
    for target, display in context.files.facts(file.path).links:
        context.tick()
        if equal(LinkValue(target, file.path, display), other, context.setting):
            return True
    return False


@function("file", "hasProperty(name)")
def _has_property(frame: Frame, file: File, name: Value) -> Value:
    held = frame.context.files.facts(file.path).properties
    return found_in(held, text_of(name, frame.context.setting))[0] in held


@function("file", "hasTag(tag, …)")
def _has_tag(frame: Frame, file: File, tag: Value, *others: Value) -> Value:
    tags = frame.context.files.facts(file.path).tags
    wanted = [each for given in (tag, *others) for each in (given if isinstance(given, list) else (given,))]
    return any(tag_covers(each, held) for each in wanted for held in tags)


@function("file", "inFolder(folder)")
def _in_folder(frame: Frame, file: File, folder: Value) -> Value:
    name = text_of(folder, frame.context.setting).strip("/")  # `/` and `""` are the root
    return not name or file.path.startswith(f"{name}/")

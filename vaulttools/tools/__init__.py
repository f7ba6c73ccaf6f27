"""Registers the tools; a new tool is one module and one entry here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vaulttools.errors import BadArgument

if TYPE_CHECKING:
    from vaulttools.answers.tool import Tool


class Traits(NamedTuple):
    """What the interfaces must know of a tool before they import its module."""

    is_default: bool = False
    """Whether assistants get it unless they ask for other tools."""
    is_quick: bool = False
    """Whether a call takes a few milliseconds, so that it need not wait behind a search."""
    reads_all_notes: bool = False
    """Whether it reads something from every note, which takes as long as indexing the note."""
    lists_early: bool = False
    """Whether its command lists the vault during imports: it needs the names of all files, or an index that knows them
    serves it faster than a scan."""
    choice: str = ""
    """When to use it, as a clause of the server's instructions; "" leaves it out."""
    way: tuple[int, str] | None = None
    """For the prompt `answer`: its place there, and the kind of question that one call answers."""
    step: tuple[int, str] | None = None
    """For the prompt `explore`: its place from coarse to fine, and what it does. Two tools may share a step."""


TOOLS: Final[dict[str, Traits]] = {
    "search_files": Traits(
        is_default=True,
        lists_early=True,
        choice="search_files for exact text and regular expressions in notes",
        way=(5, "an exact word, name or number, or all places of it: search_files, output paths for a list."),
        step=(7, "search_files: look for exact words, names or patterns; narrow by file_pattern, tags, properties."),
    ),
    "search": Traits(lists_early=True, choice="search for any text file, line ranges and archives"),
    "find": Traits(is_default=True, is_quick=True, choice="find for files by name, newest first"),
    "grep": Traits(lists_early=True, choice="grep for bare matching lines"),
    "survey": Traits(
        lists_early=True,
        choice="survey to compare words by how often they occur",
        step=(1, "survey: compare the words the question may be written in, and see which occur and where."),
    ),
    "scout": Traits(
        lists_early=True,
        choice="scout for where a word occurs most",
        step=(2, "scout: see in which folders and files the best word lies."),
    ),
    "sample": Traits(step=(3, "sample, then show: look into the files that hold most, without reading them whole.")),
    "show": Traits(step=(3, "sample, then show: look into the files that hold most, without reading them whole.")),
    "query": Traits(
        is_default=True,
        lists_early=True,
        choice="query for questions in plain words and for Obsidian's search operators",
        way=(
            1,
            "one fact, or which note tells it: query, in the words of the question, others in also, max_chars 1500.",
        ),
        step=(
            5,
            "query: ask once, in the question's words, others in also; what it shows whole need not be read again.",
        ),
    ),
    "context": Traits(
        lists_early=True,
        choice="context for all that several notes say about one",
        way=(2, "what several notes say, reasons, a summary: context, max_chars 3000."),
        step=(6, "context: gather what several notes say about it, with the notes linked to these."),
    ),
    "read": Traits(
        is_default=True,
        is_quick=True,
        choice="read for a note or a section of it",
        way=(7, "a note that the question names, or a part of it: read, several notes in one call."),
        step=(10, "read: read the sections that matter, several notes in one call."),
    ),
    "outline": Traits(
        is_quick=True,
        choice="outline before reading a long note",
        step=(9, "outline: see how a long note is divided."),
    ),
    "links": Traits(
        is_default=True,
        reads_all_notes=True,
        lists_early=True,
        choice="links for backlinks and what a note links to",
        way=(6, "what leads to a note: links with direction back."),
        step=(8, "links: follow those of a good note, out and back."),
    ),
    "tags": Traits(
        is_default=True,
        reads_all_notes=True,
        lists_early=True,
        choice="tags for the tags there are",
        step=(4, "tags and properties: learn which of them exist, where the question is about a kind of note."),
    ),
    "properties": Traits(
        is_default=True,
        reads_all_notes=True,
        lists_early=True,
        choice="properties for the properties and values there are",
        step=(4, "tags and properties: learn which of them exist, where the question is about a kind of note."),
    ),
    "tasks": Traits(
        is_default=True,
        reads_all_notes=True,
        lists_early=True,
        choice="tasks for what is due, open or done",
        way=(4, "what is due, open or done: tasks."),
    ),
    "base": Traits(
        is_default=True,
        reads_all_notes=True,
        lists_early=True,
        choice="base for complete, sorted lists of notes by their properties, and for .base files",
        way=(3, "which notes, how many, sorted, by properties or dates: base with where, columns and limit."),
    ),
}
"""The tools in the order of listings; each key names the module that holds `TOOL`."""

NAMES: Final = tuple(TOOLS)
DEFAULT: Final = tuple(name for name, traits in TOOLS.items() if traits.is_default)
"""Enough for an assistant, without a choice between tools that do nearly the same."""


def named(name: str) -> Tool[Any, Any]:
    """Returns the tool of that name; the first call imports its module.

    Raises:
        BadArgument: there is no such tool.
    """
    if name not in TOOLS:
        raise BadArgument(f"unknown tool '{name}'; the tools are: {', '.join(TOOLS)}")
    tool: Tool[Any, Any] = import_module(f"{__name__}.{name}").TOOL
    return tool

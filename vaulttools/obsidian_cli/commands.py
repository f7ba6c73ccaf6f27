"""Declares the commands of Obsidian's command line: parameters, formats, and how surely each is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Known: TypeAlias = Literal["surely", "weakly", "refused"]
"""surely: two sources show real output. weakly: one, or a form that its readers survive. refused: not built."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter `name=value`, or a flag."""

    name: str
    value: str
    """What follows `=`, as help shows it; `""`: it is a flag."""
    about: str
    """What it does; of a refused one, why it is refused, after its name."""
    known: Known = "surely"
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """One command. Either it has a function, or the reason why it is refused."""

    name: str
    about: str
    function: str = ""
    """Module and name of the function in this package."""
    parameters: Sequence[Parameter] = ()
    formats: Mapping[str, Known] = field(default_factory=dict)
    """The first is the default; empty if the app offers none."""
    refused: str = ""
    """Why it is refused, after its name."""
    known: Known = "surely"
    reads_notes: bool = False
    """Whether the structure of all notes must be known."""
    takes_words: bool = False
    needs_vault: bool = True


def _flag(name: str, about: str, known: Known = "surely") -> Parameter:
    return Parameter(name, "", about, known)


_FILE: Final = (
    Parameter("file", "<name>", "file name, resolved like a link"),
    Parameter("path", "<path>", "exact path from the root of the vault"),
)
_ACTIVE: Final = _flag("active", "of the active file, which only the app has")
_TOTAL: Final = _flag("total", "return the count")
_NO_FORM: Final = "is not built, since its form is not known"

_SEARCH: Final = (
    Parameter("query", "<text>", "search query", is_required=True),
    Parameter("path", "<folder>", "limit to folder"),
    Parameter("limit", "<n>", "max files"),
)
_CASE: Final = _flag("case", "case sensitive")

_BUILT: Final = (
    Command("help", "List commands, or one", "helping.text", takes_words=True, needs_vault=False),
    Command("version", "Show the version of what answers", "helping.version", needs_vault=False),
    Command(
        "aliases",
        "List aliases in the vault",
        "notes.aliases",
        (*_FILE, _TOTAL, _flag("verbose", _NO_FORM, "refused"), _ACTIVE),
        reads_notes=True,
    ),
    Command(
        "backlinks",
        "List backlinks to a file",
        "links.backlinks",
        (*_FILE, _flag("counts", "include link counts"), _flag("total", "return the count of files", "weakly")),
        {"tsv": "surely", "json": "surely", "csv": "refused"},
        reads_notes=True,
    ),
    Command(
        "base:query",
        "Query a base and return results",
        "bases.query",
        (*_FILE, Parameter("view", "<name>", "view name to query")),
        {"json": "weakly", "csv": "weakly", "tsv": "weakly", "md": "weakly", "paths": "weakly"},
        reads_notes=True,
    ),
    Command("bases", "List base files", "bases.listed"),
    Command("daily:path", "Get the path of the daily note", "notes.daily_path"),
    Command("daily:read", "Read the daily note, if it is there", "notes.daily_read"),
    Command(
        "deadends",
        "List notes without outgoing links",
        "bases.deadends",
        (_TOTAL, _flag("all", _NO_FORM, "refused")),
        reads_notes=True,
    ),
    Command("file", "Show file info", "files.file", _FILE),
    Command(
        "files",
        "List files in the vault",
        "files.files",
        (
            Parameter("folder", "<path>", "filter by folder"),
            Parameter("ext", "<extension>", "filter by extension"),
            _TOTAL,
        ),
    ),
    Command("links", "List outgoing links from a file", "links.links", (*_FILE, _TOTAL)),
    Command(
        "orphans",
        "List notes without incoming links",
        "links.orphans",
        (_TOTAL, _flag("all", _NO_FORM, "refused")),
        reads_notes=True,
    ),
    Command(
        "outline",
        "Show headings of a file",
        "notes.outline",
        (*_FILE, _TOTAL),
        {"tree": "weakly", "md": "surely", "json": "surely"},
    ),
    Command(
        "properties",
        "List properties in the vault, or of a file",
        "properties.properties",
        (
            *_FILE,
            Parameter("name", "<name>", "get the count of one property"),
            Parameter("sort", "count", "sort by count (default: name)"),
            _TOTAL,
            _flag("counts", "include occurrence counts", "weakly"),
            _ACTIVE,
        ),
        {"yaml": "weakly", "json": "surely", "tsv": "weakly"},
        reads_notes=True,
    ),
    Command(
        "property:read",
        "Read a property value from a file",
        "properties.read",
        (Parameter("name", "<name>", "property name", is_required=True), *_FILE),
    ),
    Command("read", "Read file contents", "notes.read", _FILE),
    Command(
        "search",
        "Search vault for text",
        "searches.paths",
        (
            *_SEARCH,
            _flag("total", "return the count of files", "weakly"),
            _CASE,
            _flag("ranked", "ours: notes that answer a question, best first"),
            Parameter("also", "<text>", "ours: another wording of the question, repeated for several"),
        ),
        {"text": "surely", "json": "surely"},
        reads_notes=True,
    ),
    Command(
        "search:context",
        "Search with the matching lines",
        "searches.context",
        (*_SEARCH, _CASE),
        {"text": "surely", "json": "surely"},
        reads_notes=True,
    ),
    Command(
        "tag",
        "List the files of a tag",
        "searches.tag",
        (
            Parameter("name", "<tag>", "tag name", is_required=True),
            _flag("total", "return occurrence count", "weakly"),
            _flag("verbose", "include the count", "weakly"),
        ),
        reads_notes=True,
    ),
    Command(
        "tags",
        "List tags in the vault, or of a file",
        "tags.tags",
        (
            *_FILE,
            Parameter("sort", "count", "sort by count (default: name)"),
            _TOTAL,
            _flag("counts", "include tag counts"),
            _ACTIVE,
        ),
        {"tsv": "surely", "json": "surely", "csv": "refused"},
        reads_notes=True,
    ),
    Command(
        "tasks",
        "List tasks in the vault, or of a file",
        "tasks.tasks",
        (
            *_FILE,
            Parameter("status", '"<char>"', "filter by status character"),
            _TOTAL,
            _flag("done", "show completed tasks"),
            _flag("todo", "show incomplete tasks"),
            _flag("verbose", "group by file with line numbers", "weakly"),
            _ACTIVE,
            _flag("daily", "show tasks from the daily note"),
        ),
        {"text": "weakly", "json": "surely", "tsv": "weakly", "csv": "refused"},
        reads_notes=True,
    ),
    Command(
        "unresolved",
        "List unresolved links in the vault",
        "links.unresolved",
        (
            _flag("total", "return the count of links", "weakly"),
            _flag("counts", "include link counts"),
            _flag("verbose", "include source files"),
        ),
        {"tsv": "weakly", "json": "surely", "csv": "refused"},
        reads_notes=True,
    ),
    Command(
        "vault",
        "Show vault info",
        "files.vault",
        (Parameter("info", "name|path|files|folders|size", "return specific info only"),),
    ),
    Command(
        "vaults",
        "List the vaults that the app knows",
        "files.vaults",
        (_TOTAL, _flag("verbose", "include vault paths")),
        needs_vault=False,
    ),
    Command(
        "wordcount",
        "Count words and characters",
        "notes.wordcount",
        (*_FILE, _flag("words", "return word count", "weakly"), _flag("characters", "return character count")),
    ),
)

REASONS: Final = {
    "writes, and nothing is written here": (
        "append base:create bookmark create daily:append daily:prepend delete history:restore move prepend "
        "property:remove property:set publish:add publish:remove rename sync:restore template:insert unique"
    ),
    "opens something in the app": (
        "daily history:open open publish:open random search:open sync:open tab:open vault:open web"
    ),
    "needs the app": (
        "base:views command commands dev:cdp dev:console dev:css dev:debug dev:dom dev:errors dev:mobile "
        "dev:screenshot devtools diff eval history history:list history:read hotkey hotkeys plugin plugin:disable "
        "plugin:enable plugin:install plugin:reload plugin:uninstall plugins plugins:enabled plugins:restrict "
        "publish:list publish:site publish:status recents reload restart snippet:disable snippet:enable snippets "
        "snippets:enabled sync sync:deleted sync:history sync:read sync:status tabs theme theme:install theme:set "
        "theme:uninstall themes workspace workspace:delete workspace:load workspace:save workspaces"
    ),
    "is not built: it writes, and what it prints is not known well enough": "task",
    "is not built: what it prints is not known well enough": (
        "bookmarks folder folders random:read template:read templates"
    ),
}
"""The other commands of the app, by the reason why they are refused."""

COMMANDS: Final = (
    *_BUILT,
    *(
        Command(name, "", refused=reason, known="refused")
        for reason, names in REASONS.items()
        for name in names.split()
    ),
)
BUILT: Final = _BUILT
BY_NAME: Final = {command.name: command for command in COMMANDS}

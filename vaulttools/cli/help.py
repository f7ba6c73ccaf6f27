"""Writes the help: examples, then all options or those that fit into twenty lines."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from vaulttools import tools
from vaulttools.answers.request import Request, explained
from vaulttools.answers.tool import Tool
from vaulttools.cli import options

LINES: Final = 20
"""Lines of the short help: they fit any terminal."""

_SIDE_BY_SIDE: Final = 60
"""From this width on, explanations are beside their options, not below."""

_LONGEST: Final = 24
"""Columns of an option beside its explanation; a longer option has its own line."""

_EXAMPLES: Final = 3

_JSON: Final = re.compile(r"`([\[{][^`]*[\]}])`")
"""A list or an object in the description of an argument."""
_FIELD: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
"""A name of several words, such as an argument's."""
_LIMITS: Final = re.compile(r" \([^()]*(?:default|one of|number)[^()]*\)$")
"""Accepted values and the default, at the end of an argument's description."""

_USAGE: Final = re.compile(r"usage: | {7}vaulttools ")
_ROW: Final = re.compile(r"  (\S.*?)(?: {2,}(\S.*))?")
"""A line of `HELP` that begins a row; its continuation lines are indented further."""

_STARTS: Final = (
    ('"how long do onion seeds keep"', "Ask your notes"),
    ("search-files TODO", "Find lines that hold a word"),
    ("tasks --overdue", "List what is due"),
    ("init", "Connect Claude, Cursor, VS Code and others"),
    ("serve :8765", "Read your notes in the browser"),
)
"""Commands that a new user may try first."""

_SWITCHES: Final = (
    ("--vault DIR", "The vault. Without it: VAULTTOOLS_VAULT, or the vault around this folder."),
    ("--json", "Print the details as JSON instead of the text."),
    ("--no-index", "Read the notes anew instead of using the saved index."),
    ("--today DAY", "Use a day such as 2026-11-01 as today, for overdue, last week, …"),
    ("--version", "Print the version."),
)


def wrap(text: str, width: int, subsequent_indent: str = "") -> list[str]:
    """Wrap a text into lines, without breaking options at their dashes."""
    return textwrap.wrap(
        text, width, subsequent_indent=subsequent_indent, break_long_words=False, break_on_hyphens=False
    )


def general(others: Mapping[str, str], width: int, *, is_whole: bool = False) -> str:
    """Returns the help of the program; `others` are the commands other than tools, with their summaries."""
    of_tools = {name.replace("_", "-"): tools.named(name).summary for name in tools.NAMES}
    lines = [*wrap("Search a Markdown vault. Nothing is ever written into it.", width), ""]
    lines += _columns([(f"vaulttools {command}", words) for command, words in _STARTS], width, longest=44)
    for title, commands in (("Tools:", of_tools), ("Other commands:", dict(others))):
        rows = _columns(list(commands.items()), width) if is_whole else wrap(", ".join(commands), width - 2)
        lines += ["", title, *(row if is_whole else f"  {row}" for row in rows)]
    usage = wrap("usage: vaulttools [--vault DIR] [--json] COMMAND …", width)
    lines += ["", *usage, "", *_columns(_SWITCHES, width), ""]
    more = "" if is_whole else " 'vaulttools --help --all' says what each command does."
    return "\n".join([*lines, *wrap(f"'vaulttools COMMAND --help' shows what a command takes.{more}", width)])


def fitted(text: str, width: int) -> str:
    """Wrap a module's `HELP` to a width in columns: its paragraphs, and its rows of labels with explanations."""
    lines: list[str] = []
    rows: list[tuple[str, str]] = []
    paragraph: list[str] = []

    def end() -> None:
        lines.extend(wrap(" ".join(paragraph), width))
        lines.extend(_columns(rows, width))
        paragraph.clear()
        rows.clear()

    for line in text.split("\n"):
        if _USAGE.match(line):
            lines += wrap(line, width, subsequent_indent=" " * 7)
        elif found := _ROW.fullmatch(line):
            rows.append((found[1], found[2] or ""))
        elif rows and line:
            label, words = rows[-1]
            rows[-1] = label, f"{words} {line.strip()}".strip()
        elif line:
            paragraph.append(line)
        else:
            end()
            lines.append("")
    end()
    return "\n".join(lines)


def of_tool(tool: Tool[Any, Any], width: int, *, is_whole: bool = False) -> str:
    """Returns the help of a tool's command."""
    every = options.options(tool.request)
    command = tool.name.replace("_", "-")
    usage = ["vaulttools", command, *(each.spelling for each in every if each.in_usage), "[options]"]
    head = [*wrap(f"{tool.summary}.", width), "", *_shown_examples(tool, width), ""]
    head += [*wrap(f"usage: {' '.join(usage)}", width, subsequent_indent="  "), ""]
    rows = [(_label(each), _in_shell(explained(tool.request, each.field), tool.request)) for each in every]
    rows += [("-i, --ignore-case", "Ignore upper and lower case.")] if options.ignores_case(tool.request) else []
    rows += [("--csv", "Print the rows as CSV, notices on stderr.")] if tool.csv is not None else []
    if is_whole:
        last = "Write '--' before a word that begins with '-' and is not an option."
        return "\n".join([*head, *_columns(rows, width), "", *wrap(last, width)])
    closing = wrap(f"All {len(rows)} options: vaulttools {command} --help --all", width)
    room = LINES - len(head) - len(closing) - 1
    shown: list[str] = []
    for label, words in rows:
        # Without the accepted values and the default.
        block = _columns([(label, _LIMITS.sub("", words))], width, longest=_LONGEST)
        if len(shown) + len(block) > room:
            break
        shown += block
    return "\n".join([*head, *shown, "", *closing])


def _shown_examples(tool: Tool[Any, Any], width: int) -> list[str]:
    """Returns the first examples that fit on one line; else the one with the shortest words, on several lines."""
    every = options.examples(tool)
    lines = [line for line in map(" ".join, every) if len(line) + 2 <= width]
    if lines:
        return [f"  {line}" for line in lines[:_EXAMPLES]]
    rows: list[str] = []
    for word in min(every, key=lambda words: max(map(len, words))):
        if rows and len(rows[-1]) + len(word) + 5 <= width:
            rows[-1] += f" {word}"
        else:
            rows.append(word)
    return [f"  {line}" for line in " \\\n  ".join(rows).split("\n")]  # a shell reads it as one command


def _label(option: options.Option) -> str:
    name, separator, _ = option.spelling.partition("/--no-")
    return f"--[no-]{name.removeprefix('--')}" if separator else option.spelling


def _in_shell(words: str, request: type[Request]) -> str:
    """Returns an argument's description with the names and the syntax of the command line."""

    def shell_form(found: re.Match[str]) -> str:
        try:
            value = json.loads(found[1])
        except ValueError:
            return found[0]
        pairs = value.items() if isinstance(value, dict) else [(each, None) for each in value]
        return f"`{','.join(f'{name}={each}' if each is not None else str(name) for name, each in pairs)}`"

    def shell_name(found: re.Match[str]) -> str:
        return options.name(request, found[0]) if found[0] in request.model_fields else found[0]

    return _FIELD.sub(shell_name, _JSON.sub(shell_form, words))


def _columns(rows: Sequence[tuple[str, str]], width: int, longest: int = 0) -> list[str]:
    """Returns labels with their explanations beside them, or below if there is no room."""
    labels = [label for label, _ in rows if len(label) <= max(longest, _LONGEST)]
    beside = max(map(len, labels), default=0) if longest != _LONGEST else _LONGEST
    return [line for label, words in rows for line in _row(label, words, width, beside)]


def _row(label: str, words: str, width: int, beside: int) -> Iterator[str]:
    indent = beside + 4 if width >= _SIDE_BY_SIDE else 6
    rows = wrap(words, width - indent)
    if width < _SIDE_BY_SIDE or len(label) > beside:
        yield f"  {label}"
    else:
        yield f"  {label:<{beside}}  {rows.pop(0) if rows else ''}".rstrip()
    for row in rows:
        yield " " * indent + row

"""Prints the completion script of a shell, from the registry."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from vaulttools import tools
from vaulttools.answers.request import Request, schema
from vaulttools.cli import daemon, index, token
from vaulttools.cli import options as cli_options
from vaulttools.cli.main import SUMMARIES, USAGES, Said, Switches
from vaulttools.cli.mcp import ASSISTANTS
from vaulttools.clients.registry import CLIENTS
from vaulttools.errors import BadArgument
from vaulttools.obsidian_cli.commands import BUILT

Shell: TypeAlias = Literal["bash", "zsh", "fish"]
SHELLS: Final[tuple[str, ...]] = get_args(Shell)

GENERAL: Final = ("--vault", "--json", "--no-index", "--today", "--help")

_OPTION = re.compile(r"(?<!\S)--?[a-z][a-z-]*|(?<=/)--[a-z-]+")

_BASH: Final = """\
_vaulttools() {{
    local word command="" options="" values="" is_value=""
    local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    for word in "${{COMP_WORDS[@]:1:$((COMP_CWORD-1))}}"; do
        case "$word" in
            {commands}) command="$word"; break ;;
        esac
    done
    case "$command" in
        "") values="{first}"; options="--version" ;;
{options}
    esac
    case "$command $before" in
        *" --vault") local IFS=$'\\n'; COMPREPLY=($(compgen -d -- "$current")); return ;;
{choices}
    esac
    case "$current" in
        -*) [ -z "$is_value" ] || {{ COMPREPLY=($(compgen -W "$values" -- "$current")); return; }}
            COMPREPLY=($(compgen -W "$options $values {general}" -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "$values" -- "$current")) ;;
    esac
}}
complete -o filenames -o default -F _vaulttools vaulttools
"""
"""Bash 3.2, which macOS has, can also read it. Where nothing fits, the shells offer files by themselves: they know
which words are quoted, and that a name may have blanks."""


def command(words: list[str], switches: Switches) -> Said:
    """Run `vaulttools completion`.

    Raises:
        BadArgument: it does not know the shell.
    """
    shell: Any = words[0] if words else None
    if len(words) != 1 or shell not in SHELLS:
        raise BadArgument(f"completion takes the name of a shell: {', '.join(SHELLS)}")
    return Said(script(shell, SUMMARIES).rstrip("\n"))


class _Entry(NamedTuple):
    """What may follow a command."""

    summary: str
    options: Sequence[str]
    words: Sequence[str] = ()
    choices: Mapping[str, Sequence[str]] = MappingProxyType({})
    """The values of each option that takes one of a few."""
    takes_files: bool = False


def script(shell: Shell, commands: Mapping[str, str]) -> str:
    """Returns the completion script; `commands` are the commands other than tools, with their summaries."""
    entries = _of_tools() | {name: _of_other(name, summary) for name, summary in commands.items()}
    entries["help"] = _Entry("Show what a command takes", (), [*entries])
    return _fish(entries) if shell == "fish" else _bash(entries, is_zsh=shell == "zsh")


def _bash(entries: Mapping[str, _Entry], *, is_zsh: bool) -> str:
    options = (
        f'        {name}) options="{" ".join(entry.options)}"; values="{" ".join(entry.words)}" ;;'
        for name, entry in entries.items()
    )
    choices = (
        f'        "{name} {option}") values="{" ".join(values)}"; is_value=1 ;;'
        for name, entry in entries.items()
        for option, values in entry.choices.items()
    )
    text = _BASH.format(
        commands="|".join(entries),
        first=" ".join(entries),
        choices="\n".join(choices),
        options="\n".join(options),
        general=" ".join(GENERAL),
    )
    return f"autoload -Uz bashcompinit && bashcompinit\n{text}" if is_zsh else text


def _fish(entries: Mapping[str, _Entry]) -> str:
    lines = ["complete -c vaulttools -f"]
    lines += [f"complete -c vaulttools -l {option.removeprefix('--')}" for option in GENERAL if option != "--vault"]
    lines.append("complete -c vaulttools -l vault -x -a '(__fish_complete_directories)'")
    for name, entry in entries.items():
        lines.append(f"complete -c vaulttools -n __fish_use_subcommand -a {name} -d {_quoted(entry.summary)}")
        after = f"complete -c vaulttools -n '__fish_seen_subcommand_from {name}'"
        if entry.words:
            lines.append(f"{after} -a {_quoted(' '.join(entry.words))}")
        if entry.takes_files:
            lines.append(f"{after} -F")
        for option in entry.options:
            spelled = f"-l {option.removeprefix('--')}" if option.startswith("--") else f"-s {option.removeprefix('-')}"
            values = f" -x -a {_quoted(' '.join(entry.choices[option]))}" if option in entry.choices else ""
            lines.append(f"{after} {spelled}{values}")
    return "\n".join(lines) + "\n"


def _of_tools() -> dict[str, _Entry]:
    found = {}
    for name in tools.NAMES:
        tool = tools.named(name)
        names = [option for each in cli_options.options(tool.request) for option in _OPTION.findall(each.spelling)]
        names += ["-i", "--ignore-case"] if cli_options.ignores_case(tool.request) else []
        names += ["--csv"] if tool.csv is not None else []
        takes_files = not _FILES.isdisjoint(tool.request.model_fields)
        found[name.replace("_", "-")] = _Entry(
            tool.summary, names, choices=_choices(tool.request), takes_files=takes_files
        )
    return found


_FILES: Final = frozenset(("base", "file", "note", "notes", "path", "paths"))
"""Fields whose values are files."""

_DAYS: Final = ("today", "yesterday", "tomorrow")


def _choices(request: type[Request]) -> dict[str, Sequence[str]]:
    found: dict[str, Sequence[str]] = {}
    for name, field in schema(request)["properties"].items():
        option = f"--{name.replace('_', '-')}"
        if "enum" in field and name not in request.flags:
            found[option] = [str(value) for value in field["enum"]]
        elif name.endswith(("_after", "_before")):
            found[option] = _DAYS
        elif name == "status":  # or any sign
            found[option] = ("open", "done", "any")
    return found


def _of_other(name: str, summary: str) -> _Entry:
    """Returns what may follow a command that is no tool: its options are those of its help."""
    known = [] if name in USAGES else re.findall(_IN_HELP, import_module(f"vaulttools.cli.{name}").HELP)
    choices = _CHOICES.get(name, {})
    names = [option for option in dict.fromkeys((*known, *choices)) if option not in GENERAL]
    return _Entry(summary, names, _words(name), choices)


_IN_HELP: Final = re.compile(r"(?<![\w-])--[a-z][a-z-]*")

_CHOICES: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "init": {"--client": [client.name for client in CLIENTS]},
    "mcp": {"--structured": ("off", "full"), "--tools": ("all", "connector"), "--print-config": ASSISTANTS},
    "serve": {"--structured": ("off", "full"), "--tools": ("all", "connector")},
    "tools": {"--format": ("anthropic", "openai", "mcp")},
}


def _words(name: str) -> Sequence[str]:
    match name:
        case "call":
            return tools.NAMES
        case "completion":
            return SHELLS
        case "daemon":
            return daemon.COMMANDS
        case "index":
            return index.COMMANDS
        case "init":
            return [client.name for client in CLIENTS]
        case "obsidian":
            return [command.name for command in BUILT if ":" not in command.name]  # shells end a word at a colon
        case "token":
            return [command.split()[0] for command in token.COMMANDS]
    return ()


def _quoted(text: str) -> str:
    return "'" + text.replace("'", r"\'") + "'"

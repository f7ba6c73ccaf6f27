"""Prints the completion script of a shell, from the registry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias, get_args

from vaulttools import tools
from vaulttools.answers.request import Request, schema
from vaulttools.cli import options as cli_options
from vaulttools.cli.main import SUMMARIES, Said, Switches
from vaulttools.errors import BadArgument

Shell: TypeAlias = Literal["bash", "zsh", "fish"]
SHELLS: Final[tuple[str, ...]] = get_args(Shell)

GENERAL: Final = ("--vault", "--json", "--no-index", "--today", "--help")

_OPTION = re.compile(r"(?<!\S)--?[a-z][a-z-]*|(?<=/)--[a-z-]+")

_BASH: Final = """\
_vaulttools() {{
    local word command="" options="" values=""
    local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$word" in
            {commands}) command="$word"; break ;;
        esac
    done
    case "$command" in
        "") values="{first}"; options="--version" ;;
{options}
    esac
    case "$command $before" in
        *" --vault") COMPREPLY=($(compgen -d -- "$current")); return ;;
{choices}
    esac
    case "$current" in
        -*) COMPREPLY=($(compgen -W "$options $values {general}" -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "$values" -- "$current")) ;;
    esac
    if [ "${{#COMPREPLY[@]}}" -eq 0 ]; then
        COMPREPLY=($(compgen -f -- "$current"))
    fi
}}
complete -o filenames -F _vaulttools vaulttools
"""
"""Bash 3.2, which macOS has, can also read it."""


def command(words: list[str], switches: Switches) -> Said:
    """Run `vaulttools completion`.

    Raises:
        BadArgument: it does not know the shell.
    """
    shell: Any = words[0] if words else None
    if len(words) != 1 or shell not in SHELLS:
        raise BadArgument(f"completion takes the name of a shell: {', '.join(SHELLS)}")
    return Said(script(shell, SUMMARIES).rstrip("\n"))


def script(shell: Shell, commands: Mapping[str, str]) -> str:
    """Returns the completion script; `commands` are the commands other than tools, with their summaries."""
    return _fish(commands) if shell == "fish" else _bash(commands, is_zsh=shell == "zsh")


def _bash(commands: Mapping[str, str], *, is_zsh: bool) -> str:
    names = [*_commands(), *commands]
    options = (
        f'        {command}) options="{" ".join(_options(request))}" ;;' for command, request in _commands().items()
    )
    choices = (
        f'        "{command} {option}") values="{" ".join(values)}" ;;'
        for command, request in _commands().items()
        for option, values in _choices(request).items()
    )
    text = _BASH.format(
        commands="|".join(names),
        first=" ".join(names),
        choices="\n".join(choices),
        options="\n".join(options),
        general=" ".join(GENERAL),
    )
    return f"autoload -Uz bashcompinit && bashcompinit\n{text}" if is_zsh else text


def _fish(commands: Mapping[str, str]) -> str:
    lines = ["complete -c vaulttools -f"]
    summaries = {name.replace("_", "-"): tools.named(name).summary for name in tools.NAMES} | dict(commands)
    for command, words in summaries.items():
        lines.append(f"complete -c vaulttools -n __fish_use_subcommand -a {command} -d {_quoted(words)}")
    lines += [f"complete -c vaulttools -l {option.removeprefix('--')}" for option in GENERAL]
    for command, request in _commands().items():
        choices = _choices(request)
        for option in _options(request):
            spelled = f"-l {option.removeprefix('--')}" if option.startswith("--") else f"-s {option.removeprefix('-')}"
            values = f" -x -a {_quoted(' '.join(choices[option]))}" if option in choices else ""
            lines.append(f"complete -c vaulttools -n '__fish_seen_subcommand_from {command}' {spelled}{values}")
    return "\n".join(lines) + "\n"


def _commands() -> dict[str, type[Request]]:
    return {name.replace("_", "-"): tools.named(name).request for name in tools.NAMES}


def _options(request: type[Request]) -> list[str]:
    options = [option for each in cli_options.options(request) for option in _OPTION.findall(each.spelling)]
    return [*options, *(["-i", "--ignore-case"] if cli_options.ignores_case(request) else [])]


def _choices(request: type[Request]) -> dict[str, list[str]]:
    """Returns the values of each option that takes one of a few."""
    fields = schema(request)["properties"].items()
    return {
        f"--{name.replace('_', '-')}": [str(value) for value in field["enum"]]
        for name, field in fields
        if "enum" in field and name not in request.flags
    }


def _quoted(text: str) -> str:
    return "'" + text.replace("'", r"\'") + "'"

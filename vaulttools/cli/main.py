"""Runs the command line: a subcommand for every tool, `call` and `tools` for JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TextIO

from vaulttools import plain_models
from vaulttools.cli import interrupts
from vaulttools.cli.nearest_vault import nearest_vault
from vaulttools.cli.surroundings import NotResident, Surroundings, collect, found_vault, working_folder
from vaulttools.cli.words import take_flag, take_value, take_values
from vaulttools.errors import BadArgument, BadArguments, TooBroad, VaultToolsError
from vaulttools.index import early_listing

FOUND: Final = 0
NOTHING_FOUND: Final = 1
"""Nothing was found, and all of the scope was searched."""
REFUSED: Final = 1
"""`show` found more than it prints."""
DIFFERENT: Final = 1
"""`index verify` found the index and the files to differ."""
FAILED: Final = 2
"""Bad input, a failure, or nothing found in an incomplete search."""


class _Switches(NamedTuple):
    """What stands before or after any command."""

    vaults: Sequence[str]
    """As given; only `mcp` and `serve` take several."""
    as_json: bool
    has_index: bool
    """Whether an index may be used and built."""
    here: Surroundings
    as_csv: bool = False

    @property
    def vault(self) -> str | None:
        """The vault that is named, if one is.

        Raises:
            BadArgument: several are.
        """
        if len(self.vaults) > 1:
            raise BadArgument("--vault is given more than once; only mcp and serve take several")
        return next(iter(self.vaults), None)


class _HelpedError(BadArgument):
    """A wrong command line after which the help of `command` is printed; None: the general help."""

    def __init__(self, sentence: str, command: str | None) -> None:
        self.command = command
        super().__init__(sentence)


def main(argv: Sequence[str], here: Surroundings | None = None) -> int:
    """Run one command, in this process or for another; results go to stdout, everything else to stderr. Returns the
    exit status.

    Raises:
        NotResident: a resident process cannot run it for another.
    """
    words, here = list(argv), here or Surroundings.own()
    as_json = take_flag(words, "--json")
    has_index = not take_flag(words, "--no-index")
    try:
        vaults = take_values(words, "--vault")
        if "" in vaults:  # an unset variable of a script, and no vault that anybody asked for
            raise BadArgument('--vault must name a folder, got ""; the current folder is .')
        named = vaults or [os.environ.get("VAULTTOOLS_VAULT", os.sep)]
        if not all(map(os.path.isabs, map(os.path.expanduser, named))):
            working_folder()  # refuses where it is gone
        return _command(words, _Switches(vaults, as_json, has_index, here))
    except VaultToolsError as error:
        if as_json:
            _print_json({"error": str(error)}, here.out)
        for sentence in error.sentences if isinstance(error, BadArguments) else (str(error),):
            print(f"error: {sentence}", file=here.err)
        if isinstance(error, _HelpedError):
            print(f"\n{help_text(error.command)}", file=here.err)
        return REFUSED if isinstance(error, TooBroad) else FAILED


def help_text(command: str | None = None) -> str:
    """The general help, or that of one tool's command, without a final line end."""
    from vaulttools import tools
    from vaulttools.cli import options as cli_options

    if command is None:
        names = {name.replace("_", "-"): tools.named(name).summary for name in tools.NAMES} | {
            name: words for name, (_, words) in _COMMANDS.items()
        }
        width = max(map(len, names)) + 2
        return "\n".join(
            [
                "usage: vaulttools [--vault DIR] [--json] COMMAND …",
                "",
                "Search a Markdown vault. Nothing is ever written into it.",
                "",
                "commands:",
                *(f"  {name:<{width}}{words}" for name, words in names.items()),
                "",
                "options:",
                "  --vault DIR  the vault; else VAULTTOOLS_VAULT, the nearest parent with .obsidian/, this folder",
                "  --json       print the details as JSON instead of the text",
                "  --no-index   read the notes anew instead of using the saved index",
                "  --version    print the version",
                "",
                "'vaulttools COMMAND --help' shows what a command takes.",
            ]
        )
    tool = tools.named(command)
    options = cli_options.options(tool.request)
    positional = [option.spelling for option in options if option.in_usage]
    width = max(len(option.spelling) for option in options) + 2
    usage = ["vaulttools [--vault DIR] [--json]", command.replace("_", "-"), *positional, "[options]"]
    return "\n".join(
        [
            f"usage: {' '.join(usage)}",
            "",
            f"{tool.summary}.",
            "",
            *(f"  {option.spelling:<{width}}{option.words}" for option in options),
            *([f"  {'--csv':<{width}}Print the rows as CSV, notices on stderr."] if tool.csv is not None else []),
            "",
            "Write '--' before a word that begins with '-' and is not an option.",
        ]
    )


def _command(words: list[str], switches: _Switches) -> int:
    if not words:
        print(help_text(), file=switches.here.err)
        return FAILED
    if words[0] in ("--help", "-h", "help"):
        print(help_text(), file=switches.here.out)
        return FOUND
    name, *rest = words
    if name in _USAGES and rest in (["--help"], ["-h"]):
        usage = f"usage: vaulttools {_USAGES[name]}"
        print(f"{usage}\n\n{_COMMANDS[name][1].partition(':')[0]}.", file=switches.here.out)
        return FOUND
    if name in _COMMANDS:
        plain_models.use(are_wanted=False)
        if switches.here.is_resident:
            if name != "call":
                raise NotResident
        else:
            collect()
        return _COMMANDS[name][0](rest, switches)
    if name.startswith("-"):
        raise _HelpedError(f"unknown option '{name}'", None)
    from vaulttools import tools

    tool = name.replace("-", "_")
    if tool not in tools.NAMES or "_" in name:
        raise _HelpedError(f"unknown command '{name}'", None)
    if take_flag(rest, "--help") or take_flag(rest, "-h"):
        print(help_text(tool), file=switches.here.out)
        return FOUND
    return _run_tool(tool, rest, switches)


def _run_tool(name: str, words: list[str], switches: _Switches) -> int:
    from vaulttools import tools
    from vaulttools.cli import options as cli_options

    tool = tools.named(name)
    if tool.csv is not None and take_flag(words, "--csv"):
        switches = switches._replace(as_csv=True)
    try:
        arguments = cli_options.parse(tool, words)
    except cli_options.UnknownOption as error:
        raise _HelpedError(str(error), name) from None
    return _answered(name, arguments, switches)


def _call(words: list[str], switches: _Switches) -> int:
    if not 1 <= len(words) <= 2:
        raise BadArgument("call takes a tool's name and its arguments as a JSON object")
    try:
        arguments = json.loads(words[1]) if len(words) == 2 else {}
    except ValueError as error:
        raise BadArgument(f"the arguments must be a JSON object: {error}") from None
    if not isinstance(arguments, dict):
        raise BadArgument("the arguments must be a JSON object")
    return _answered(words[0], arguments, switches)


def _tools(words: list[str], switches: _Switches) -> int:
    from vaulttools.tools.definitions import definitions

    form: Any = take_value(words, "--format") or "mcp"
    if words:
        raise BadArgument(f"unexpected argument '{words[0]}'; tools takes --format anthropic, openai or mcp")
    print(json.dumps(definitions(form), indent=2, ensure_ascii=False))
    return FOUND


def _index(words: list[str], switches: _Switches) -> int:
    from vaulttools.cli import index as cli_index
    from vaulttools.vault import Vault

    if take_flag(words, "--help") or take_flag(words, "-h"):
        print(cli_index.HELP)
        return FOUND
    interrupts.raise_again()
    cli_index.check(words)
    # An index of whatever folder this happens to be is nothing anybody asked for.
    folder = switches.vault or os.environ.get("VAULTTOOLS_VAULT") or found_vault(or_here=False)
    with Vault.open(folder, index="auto") as opened:
        text, details, is_well = cli_index.run(words, opened)
    if switches.as_json:
        _print_json(details, sys.stdout)
    else:
        print(text)
    return FOUND if is_well else DIFFERENT


def _completion(words: list[str], switches: _Switches) -> int:
    from vaulttools.cli import completion as cli_completion

    shell: Any = words[0] if words else None
    if len(words) != 1 or shell not in cli_completion.SHELLS:
        raise BadArgument(f"completion takes the name of a shell: {', '.join(cli_completion.SHELLS)}")
    print(cli_completion.script(shell, {name: summary for name, (_, summary) in _COMMANDS.items()}), end="")
    return FOUND


def _daemon(words: list[str], switches: _Switches) -> int:
    from vaulttools.cli import daemon as cli_daemon

    if take_flag(words, "--help") or take_flag(words, "-h"):
        print(cli_daemon.HELP)
        return FOUND
    interrupts.raise_again()
    folder = switches.vault or os.environ.get("VAULTTOOLS_VAULT") or found_vault(or_here=False)
    text, details, is_there = cli_daemon.run(words, folder)
    if switches.as_json:
        _print_json(details, sys.stdout)
    else:
        print(text)
    return FOUND if is_there else NOTHING_FOUND


def _init(words: list[str], switches: _Switches) -> int:
    from vaulttools.cli import init as cli_init
    from vaulttools.clients.machine import this_machine

    if take_flag(words, "--help") or take_flag(words, "-h"):
        print(cli_init.HELP)
        return FOUND
    interrupts.raise_again()
    nearest = os.environ.get("VAULTTOOLS_VAULT") or nearest_vault(working_folder())
    vaults = switches.vaults or ([nearest] if nearest else [])
    text, details, is_well = cli_init.run(cli_init.parse(words), vaults, this_machine())
    if switches.as_json:
        _print_json(details, sys.stdout)
    else:
        print(text)
    return NOTHING_FOUND if is_well is None else FOUND if is_well else FAILED


def _mcp(words: list[str], switches: _Switches) -> int:
    from vaulttools.cli import mcp as cli_mcp

    if take_flag(words, "--help") or take_flag(words, "-h"):
        print(cli_mcp.HELP)
        return FOUND
    # Whatever folder a client starts programs in is no vault that anybody asked to be served.
    folders = switches.vaults or [os.environ.get("VAULTTOOLS_VAULT") or found_vault(or_here=False)]
    cli_mcp.run(cli_mcp.parse(words, folders, has_index=switches.has_index))
    return FOUND


def _serve(words: list[str], switches: _Switches) -> int:
    from vaulttools.cli import serve as cli_serve

    if take_flag(words, "--help") or take_flag(words, "-h"):
        print(cli_serve.HELP)
        return FOUND
    folders = switches.vaults
    if not folders and not any(word.startswith("--vaults-root") for word in words):
        folders = [os.environ.get("VAULTTOOLS_VAULT") or found_vault(or_here=False)]
    cli_serve.run(cli_serve.parse(words, folders, has_index=switches.has_index))
    return FOUND


def _token(words: list[str], switches: _Switches) -> int:
    from vaulttools.cli import token as cli_token

    if take_flag(words, "--help") or take_flag(words, "-h"):
        print(cli_token.HELP)
        return FOUND
    text, details = cli_token.run(words)
    if switches.as_json:
        _print_json(details, sys.stdout)
    else:
        print(text)
    return FOUND


_COMMANDS: Final[dict[str, tuple[Callable[[list[str], _Switches], int], str]]] = {
    "call": (_call, "Call a tool with a JSON object of arguments: call TOOL '{…}'"),
    "completion": (_completion, "Print what a shell completes commands with: completion bash, zsh or fish"),
    "daemon": (_daemon, "Keep a process that answers these commands faster: daemon start, status or stop"),
    "index": (_index, "Keep an index for long-lived processes: index build, status, verify or clear"),
    "init": (_init, "Add the server to the settings of Claude, Cursor, VS Code, Codex, Gemini CLI, LM Studio"),
    "mcp": (_mcp, "Serve the vault to assistants over MCP, on stdin and stdout or --http HOST:PORT"),
    "serve": (_serve, "Serve the vault to programs and people over HTTP: MCP and REST, serve [HOST]:PORT"),
    "token": (_token, "Keep the tokens of a host of many vaults: token add, list or revoke"),
    "tools": (_tools, "Print the tool definitions: --format anthropic, openai or mcp"),
}


_USAGES: Final = {
    "call": '[--vault DIR] [--json] call TOOL [\'{"pattern": "TODO"}\']',
    "completion": "completion bash|zsh|fish",
    "tools": "tools [--format anthropic|openai|mcp]",
}
"""Of the commands that have no page of help of their own."""


def _answered(name: str, arguments: dict[str, Any], switches: _Switches) -> int:
    from vaulttools import tools

    tool = tools.named(name)
    here = switches.here
    interrupts.raise_again()
    # Asking every file for its status takes as long as ripgrep takes to search them all (measured: 50 ms). So what
    # searches has an index here only where that was done meanwhile.
    is_served = switches.has_index and not tool.needs_structure and early_listing.is_begun()
    with here.opened(switches.vault, is_served or (tool.needs_structure and switches.has_index)) as vault:
        if is_served:
            vault.load_index()
        if tool.needs_structure:
            from vaulttools.answers.request import parse

            request = parse(tool.request, arguments)  # a refusal need not wait
            if tool.waits(request):
                here.read_structures(vault)
        answer = vault.answer(name, arguments, cancel=here.cancel)
    if switches.as_json:
        _print_json(answer.model_dump(mode="json"), here.out)
    elif switches.as_csv and tool.csv is not None:
        print(tool.csv(answer), end="", file=here.out)
        for notice in answer.notices:
            print(notice, file=here.err)
    elif answer.is_error:
        print(answer.text, file=here.err)
    else:
        from vaulttools.cli import colour as cli_colour

        is_coloured = cli_colour.is_wanted(here.out, here.environ)
        print(cli_colour.coloured(answer.text) if is_coloured else answer.text, file=here.out)
    if tool.zero_is_success:
        return FOUND
    if answer.is_error or (not answer.found and not answer.complete):
        return FAILED
    return FOUND if answer.found else NOTHING_FOUND


def _print_json(details: Any, out: TextIO) -> None:
    """One line, whatever a reader takes for a line end (fault-O06)."""
    text = json.dumps(details, ensure_ascii=False)
    for character in "\x85\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    print(text, file=out)

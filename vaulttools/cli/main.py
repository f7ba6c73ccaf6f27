"""Runs the command line: the commands of tools, and all others."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib import import_module
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TextIO

from vaulttools import __version__, plain_models
from vaulttools.cli import importing
from vaulttools.cli.command_line import quoted, take_flag, take_value, take_values, tool_meant
from vaulttools.cli.mistakes import PROGRAMS, Mistake, unknown_option
from vaulttools.cli.surroundings import NO_VAULT, NotResident, Surroundings, found_vault, working_folder
from vaulttools.core import render, spelling
from vaulttools.errors import BadArgument, BadArguments, PathNotFound, TooBroad, VaultToolsError
from vaulttools.index import early_listing

if TYPE_CHECKING:
    from vaulttools.vault import Vault

FOUND: Final = 0
NOTHING_FOUND: Final = 1
"""Nothing was found, and the whole scope was searched."""
REFUSED: Final = 1
"""`show` found more than it prints."""
DIFFERENT: Final = 1
"""`index verify` found differences between the index and the files."""
FAILED: Final = 2
"""Bad input, a failure, or nothing found in an incomplete search."""


SUMMARIES: Final = {
    "call": "Call a tool with a JSON object of arguments: call TOOL '{…}'",
    "completion": "Print the completion script of a shell: completion bash, zsh or fish",
    "daemon": "Keep a process that answers these commands faster: daemon start, status or stop",
    "index": "Keep an index for long-lived processes: index build, status, verify or clear",
    "init": "Add the server to the settings of Claude, Cursor, VS Code, Codex, Gemini CLI, LM Studio",
    "mcp": "Serve the vault to assistants over MCP, on stdin and stdout or --http HOST:PORT",
    "obsidian": "Answer Obsidian's own command line without the app: obsidian search query=TEXT",
    "serve": "Serve the vault to programs and people over HTTP: MCP and REST, serve [HOST]:PORT",
    "token": "Keep the tokens of a host of many vaults: token add, list or revoke",
    "tools": "Print the tool definitions: --format anthropic, openai or mcp",
}
"""The commands other than tools, in one line each."""

USAGES: Final = {
    "call": '[--vault DIR] [--json] call TOOL [\'{"pattern": "TODO"}\']',
    "completion": "completion bash|zsh|fish",
    "tools": "tools [--format anthropic|openai|mcp]",
}
"""Commands without a help page; the others are modules of this folder with a `HELP`."""


_OURS: Final = frozenset(("--help", "-h", "--install", "--remove"))
"""What `obsidian` understands besides commands of the app."""


class Switches(NamedTuple):
    """Options that may come before or after any command."""

    vaults: Sequence[str]
    """As given; only `mcp` and `serve` accept several."""
    as_json: bool
    has_index: bool
    """Whether an index may be used and built."""
    here: Surroundings
    as_csv: bool = False

    @property
    def vault(self) -> str | None:
        """The named vault; None if `--vault` is missing.

        Raises:
            BadArgument: there are several.
        """
        if len(self.vaults) > 1:
            raise BadArgument("--vault is given more than once; only mcp and serve take several")
        return next(iter(self.vaults), None)

    def program(self) -> list[str]:
        """Returns the words with which a command begins that is proposed to the caller."""
        return ["vaulttools", *(word for vault in self.vaults for word in ("--vault", vault))]

    def folder(self, refusal: str = NO_VAULT) -> str:
        """Returns the named vault, or else the one around this folder.

        Raises:
            BadArgument: several vaults are named, or there is none; then with the sentence `refusal`.
        """
        return self.vault or os.environ.get("VAULTTOOLS_VAULT") or found_vault(or_here=False, refusal=refusal)


class Said(NamedTuple):
    """The output of a command other than a tool."""

    text: str
    details: Any = None
    """The same for `--json`; None prints the text even then."""
    status: int = FOUND


def main(argv: Sequence[str], here: Surroundings | None = None) -> int:
    """Run one command, in this process or for another one; results go to stdout, everything else to stderr. Returns the
    exit status.

    Raises:
        NotResident: a resident process cannot run it for its caller.
    """
    words, here = list(argv), here or Surroundings.own()
    as_json = take_flag(words, "--json")
    has_index = not take_flag(words, "--no-index")
    try:
        vaults = take_values(words, "--vault")
        if "" in vaults:  # an unset variable in a script, not a vault that somebody wants
            raise BadArgument('--vault must name a folder, got ""; the current folder is .')
        named = vaults or [os.environ.get("VAULTTOOLS_VAULT", os.sep)]
        if not all(map(os.path.isabs, map(os.path.expanduser, named))):
            working_folder()  # fails if the folder is gone
        if words[:1] == ["tasks"] and words[-1] == "--today":
            due = " ".join(map(quoted, Switches(vaults, as_json, has_index, here).program()))
            hint = f"Did you mean: {due} tasks --due-after today --due-before tomorrow"
            raise Mistake("--today needs a value: the day that is taken for today", hint)
        if (today := take_value(words, "--today")) is not None:
            _set_today(today, here)
        return _command(words, Switches(vaults, as_json, has_index, here))
    except VaultToolsError as error:
        if as_json:
            print_json({"error": str(error)}, here.out)
        for sentence in error.sentences if isinstance(error, BadArguments) else (str(error),):
            print(f"error: {sentence}", file=here.err)
        if isinstance(error, Mistake) and error.hint:
            print(error.hint, file=here.err)
        return REFUSED if isinstance(error, TooBroad) else FAILED


def _set_today(given: str, here: Surroundings) -> None:
    """Set today's date for all vaults of this process and of its child processes."""
    from vaulttools.opening import TODAY, day_of

    if here.is_resident:
        raise NotResident
    os.environ[TODAY] = day_of(given, "--today").isoformat()


def _command(words: list[str], switches: Switches) -> int:
    here = switches.here
    if words[:1] == ["--version"]:  # after `--vault`; alone it is answered before anything is imported
        print(f"vaulttools {__version__}", file=here.out)
        return FOUND
    if words and words[0] in _HELP and len(words) > 1 and words[1] != "--all":
        words = [*words[1:], "--help"]
    if not words or words[0] in _HELP:
        from vaulttools.cli import help as cli_help

        is_whole = take_flag(words, "--all")
        text = cli_help.general(SUMMARIES, here.width(), is_whole=is_whole)
        if not words:
            print(text, file=here.err)
            return FAILED
        here.show(text)
        return FOUND
    if (
        words[0] == "obsidian"
        and not here.is_resident
        and not _OURS.intersection(word.partition("=")[0] for word in words[1:2])
    ):
        status: int = import_module("vaulttools.cli.obsidian").run(words[1:], switches)  # not a circle of imports
        return status
    if words[0] in SUMMARIES:
        return _run_other(words[0], words[1:], switches)
    from vaulttools import tools

    name, rest = tool_meant(words)
    if name not in tools.NAMES:
        if not _is_question(words):
            raise _unknown(words, switches)
        name, rest = "query", words
    if take_flag(rest, "--help") or take_flag(rest, "-h"):
        from vaulttools.cli import help as cli_help

        is_whole = take_flag(rest, "--all")
        here.show(cli_help.of_tool(tools.named(name), here.width(), is_whole=is_whole))
        return FOUND
    return _run_tool(name, rest, switches)


_HELP: Final = ("--help", "-h", "help", "-?", "/?")


def _commands() -> list[str]:
    from vaulttools import tools

    return [*(name.replace("_", "-") for name in tools.NAMES), *SUMMARIES]


def _is_question(words: Sequence[str]) -> bool:
    """Whether unquoted words are a question: three or more words, and the first is not a misspelt command. Most
    misspelt commands keep their first letter, so `how` is not taken for `show`."""
    first = words[0].lower()
    if len([*takewhile(lambda word: not word.startswith("-"), words)]) < _QUESTION or first in PROGRAMS:
        return False
    return not any(name.startswith(first[:1]) for name in spelling.closest(first, _commands()))


_QUESTION: Final = 3
"""Minimum words of a question: two words may be a command of another program and its argument."""


def _unknown(words: Sequence[str], switches: Switches) -> Mistake:
    """Returns the error for an unknown command or general option."""
    from vaulttools.cli import guesses

    if words[0].startswith("-"):
        error = unknown_option(words[0].partition("=")[0], (), "vaulttools --help")
        hint = guesses.general(words, switches.program())
        return Mistake(str(error), hint) if hint else error
    hint = guesses.command(words, _commands(), switches.program())
    if not hint:
        question = " ".join(map(quoted, [*switches.program(), "query", *words]))
        hint = f"All commands: vaulttools --help; to ask your notes: {question}"
    return Mistake(f"unknown command '{words[0]}'", hint)


def _run_tool(name: str, words: list[str], switches: Switches) -> int:
    from vaulttools import tools
    from vaulttools.cli import options as cli_options

    tool = tools.named(name)
    if tool.csv is not None and take_flag(words, "--csv"):
        switches = switches._replace(as_csv=True)
    try:
        arguments = cli_options.parse(tool, words)
    except Mistake as error:
        from vaulttools.cli import guesses

        raise guesses.better(error, tool, words, switches.program()) from None
    cli_options.ensure_placed(tool, arguments)
    try:
        return _answered(name, arguments, switches)
    except PathNotFound as error:
        from vaulttools.cli import guesses

        raise Mistake(str(error), guesses.not_found(tool, arguments, switches.program())) from None
    except BadArgument as error:
        if arguments or not tool.request.positional:
            raise
        raise Mistake(str(error), cli_options.example(tool)) from None


def _run_other(name: str, words: list[str], switches: Switches) -> int:
    """Run a command other than a tool."""
    if name in USAGES and words in (["--help"], ["-h"]):
        from vaulttools.cli import help as cli_help

        text = f"usage: vaulttools {USAGES[name]}\n\n{SUMMARIES[name].partition(':')[0]}."
        switches.here.show(cli_help.fitted(text, switches.here.width()))
        return FOUND
    plain_models.use(are_wanted=False)
    if not switches.here.is_resident:
        importing.collect()
    if name == "call":
        return _call(words, switches)
    if switches.here.is_resident:
        raise NotResident
    if name == "tools":
        said: Said | None = _tools(words)
    else:
        command = import_module(f"vaulttools.cli.{name}")
        if name not in USAGES and (take_flag(words, "--help") or take_flag(words, "-h")):
            from vaulttools.cli import help as cli_help

            said = Said(cli_help.fitted(command.HELP, switches.here.width()))
        else:
            if name not in ("mcp", "serve"):  # those two import much more
                importing.raise_again()
            said = command.command(words, switches)
    if said is None:
        return FOUND
    if switches.as_json and said.details is not None:
        print_json(said.details, switches.here.out)
    else:
        switches.here.show(said.text)
    return said.status


def _tools(words: list[str]) -> Said:
    from vaulttools.tools.definitions import definitions

    form: Any = take_value(words, "--format") or "mcp"
    if words:
        raise BadArgument(f"unexpected argument '{words[0]}'; tools takes --format anthropic, openai or mcp")
    return Said(json.dumps(definitions(form), indent=2, ensure_ascii=False))


_CALL: Final = "For example: vaulttools call tags " + quoted('{"limit": 3}')


def _call(words: list[str], switches: Switches) -> int:
    if not 1 <= len(words) <= 2:
        raise Mistake("call takes a tool's name and its arguments as a JSON object", _CALL)
    from vaulttools.answers.request import TooDeep, from_json

    try:
        arguments = from_json(words[1], above=1) if len(words) == 2 else {}
    except TooDeep:
        raise BadArgument("the arguments are nested too deeply") from None
    except ValueError as error:
        raise Mistake(f"the arguments must be a JSON object: {error}", _CALL) from None
    if not isinstance(arguments, dict):
        raise BadArgument("the arguments must be a JSON object")
    return _answered(words[0], arguments, switches, is_call=True)


def _answered(name: str, arguments: dict[str, Any], switches: Switches, *, is_call: bool = False) -> int:
    """Print a tool's answer. `is_call`: the command is `call`, so messages use Python's names."""
    from vaulttools import tools
    from vaulttools.cli.options import Commands
    from vaulttools.core.voice import CALLS

    tool = tools.named(name)
    here = switches.here
    voice = CALLS if is_call or switches.as_json else Commands(tool.request, switches.vaults)
    importing.raise_again()
    # Asking for the status of every file takes as long as searching all of them with ripgrep (measured: 50 ms). So a
    # search uses the index only if a child process lists the vault meanwhile.
    is_served = switches.has_index and not tool.needs_structure and early_listing.is_begun()
    with here.opened(switches.vault, is_served or (tool.needs_structure and switches.has_index)) as vault:
        if is_served:
            vault.load_index()
        if tool.needs_structure:
            from vaulttools.answers.request import parse

            request = parse(tool.request, arguments, voice)  # refuse bad arguments before waiting
            if tool.waits(request):
                here.read_structures(vault)
        answer = vault.answer(name, arguments, cancel=here.cancel, on_progress=here.on_progress(), voice=voice)
        text = _on_a_terminal(answer.text, arguments, vault, here) if here.out.isatty() else answer.text
    if switches.as_json:
        print_json(answer.model_dump(mode="json"), here.out)
    elif switches.as_csv and tool.csv is not None:
        print(tool.csv(answer), end="", file=here.out)
        for notice in answer.notices:
            print(notice, file=here.err)
    elif answer.is_error:
        print(answer.text, file=here.err)
    else:
        here.show(text)
    if tool.zero_is_success:
        return FOUND
    if answer.is_error or (not answer.found and not answer.complete):
        return FAILED
    return FOUND if answer.found else NOTHING_FOUND


def _on_a_terminal(text: str, arguments: dict[str, Any], vault: Vault, here: Surroundings) -> str:
    """Returns the text of an answer with its tables laid out and its matches in colour."""
    from vaulttools.cli import colour, table

    text = table.laid_out(text, here.width(table.WIDEST))
    if not colour.is_wanted(here.out, here.environ):
        return text
    is_question = not {"pattern", "file"} & arguments.keys() and bool({"query", "question"} & arguments.keys())
    return colour.coloured(text, colour.highlighter(vault, arguments) or list, has_passages=is_question)


def print_json(details: Any, out: TextIO) -> None:
    """Print one line, also for readers that accept other characters as line ends (fault-O06)."""
    print(render.json_line(json.dumps(details, ensure_ascii=False)), file=out)

"""Runs the command line: a subcommand for every tool, `call` and `tools` for JSON."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vaulttools.errors import BadArgument, BadArguments, TooBroad, VaultToolsError

if TYPE_CHECKING:
    from vaulttools.vault import Vault

FOUND: Final = 0
NOTHING_FOUND: Final = 1
"""Nothing was found, and all of the scope was searched."""
REFUSED: Final = 1
"""`show` found more than it prints."""
DIFFERENT: Final = 1
"""`index verify` found the index and the files to differ."""
FAILED: Final = 2
"""Bad input, a failure, or nothing found in an incomplete search."""

BAR_SECONDS: Final = 0.5
"""How long reading all notes takes before a progress bar tells of it."""

NO_VAULT: Final = "No vault given: use --vault DIR or VAULTTOOLS_VAULT"


class _Switches(NamedTuple):
    """What stands before or after any command."""

    vaults: Sequence[str]
    """As given; only `mcp` takes several."""
    as_json: bool
    has_index: bool
    """Whether an index may be used and built."""
    as_csv: bool = False

    @property
    def vault(self) -> str | None:
        """The vault that is named, if one is.

        Raises:
            BadArgument: several are.
        """
        if len(self.vaults) > 1:
            raise BadArgument("--vault is given more than once; only mcp takes several")
        return next(iter(self.vaults), None)


class _HelpedError(BadArgument):
    """A wrong command line after which the help of `command` is printed; None: the general help."""

    def __init__(self, sentence: str, command: str | None) -> None:
        self.command = command
        super().__init__(sentence)


def main(argv: Sequence[str]) -> int:
    """Run one command; results go to stdout, everything else to stderr. Returns the exit status."""
    words = list(argv)
    as_json = _take_flag(words, "--json")
    has_index = not _take_flag(words, "--no-index")
    try:
        vaults = _take_values(words, "--vault")
        if "" in vaults:  # an unset variable of a script, and no vault that anybody asked for
            raise BadArgument('--vault must name a folder, got ""; the current folder is .')
        return _command(words, _Switches(vaults, as_json, has_index))
    except VaultToolsError as error:
        if as_json:
            _print_json({"error": str(error)})
        for sentence in error.sentences if isinstance(error, BadArguments) else (str(error),):
            print(f"error: {sentence}", file=sys.stderr)
        if isinstance(error, _HelpedError):
            print(f"\n{help_text(error.command)}", file=sys.stderr)
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
        print(help_text(), file=sys.stderr)
        return FAILED
    if words[0] in ("--help", "-h", "help"):
        print(help_text())
        return FOUND
    name, *rest = words
    if name in _COMMANDS:
        _collect()
        return _COMMANDS[name][0](rest, switches)
    if name.startswith("-"):
        raise _HelpedError(f"unknown option '{name}'", None)
    from vaulttools import tools

    tool = name.replace("-", "_")
    if tool not in tools.NAMES or "_" in name:
        raise _HelpedError(f"unknown command '{name}'", None)
    if _take_flag(rest, "--help") or _take_flag(rest, "-h"):
        print(help_text(tool))
        return FOUND
    return _run_tool(tool, rest, switches)


def _run_tool(name: str, words: list[str], switches: _Switches) -> int:
    from vaulttools import tools
    from vaulttools.cli import options as cli_options

    tool = tools.named(name)
    if tool.csv is not None and _take_flag(words, "--csv"):
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

    form: Any = _take_value(words, "--format") or "mcp"
    if words:
        raise BadArgument(f"unexpected argument '{words[0]}'; tools takes --format anthropic, openai or mcp")
    print(json.dumps(definitions(form), indent=2, ensure_ascii=False))
    return FOUND


def _index(words: list[str], switches: _Switches) -> int:
    from vaulttools.cli import index as cli_index
    from vaulttools.vault import Vault

    if _take_flag(words, "--help") or _take_flag(words, "-h"):
        print(cli_index.HELP)
        return FOUND
    cli_index.check(words)
    # An index of whatever folder this happens to be is nothing anybody asked for.
    folder = switches.vault or os.environ.get("VAULTTOOLS_VAULT") or _found_vault(or_here=False)
    with Vault.open(folder, index="auto") as opened:
        text, details, is_well = cli_index.run(words, opened)
    if switches.as_json:
        _print_json(details)
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


def _init(words: list[str], switches: _Switches) -> int:
    from vaulttools.cli import init as cli_init
    from vaulttools.clients.machine import this_machine

    if _take_flag(words, "--help") or _take_flag(words, "-h"):
        print(cli_init.HELP)
        return FOUND
    around = os.environ.get("VAULTTOOLS_VAULT") or _vault_around()
    vaults = switches.vaults or ([str(around)] if around else [])
    text, details, is_well = cli_init.run(cli_init.parse(words), vaults, this_machine())
    if switches.as_json:
        _print_json(details)
    else:
        print(text)
    return NOTHING_FOUND if is_well is None else FOUND if is_well else FAILED


def _mcp(words: list[str], switches: _Switches) -> int:
    from vaulttools.cli import mcp as cli_mcp

    if _take_flag(words, "--help") or _take_flag(words, "-h"):
        print(cli_mcp.HELP)
        return FOUND
    # Whatever folder a client starts programs in is no vault that anybody asked to be served.
    folders = switches.vaults or [os.environ.get("VAULTTOOLS_VAULT") or str(_found_vault(or_here=False))]
    cli_mcp.run(cli_mcp.parse(words, folders, has_index=switches.has_index))
    return FOUND


_COMMANDS: Final[dict[str, tuple[Callable[[list[str], _Switches], int], str]]] = {
    "call": (_call, "Call a tool with a JSON object of arguments: call TOOL '{…}'"),
    "completion": (_completion, "Print what a shell completes commands with: completion bash, zsh or fish"),
    "index": (_index, "Keep an index for long-lived processes: index build, status, verify or clear"),
    "init": (_init, "Add the server to the settings of Claude, Cursor, VS Code, Codex, Gemini CLI, LM Studio"),
    "mcp": (_mcp, "Serve the vault to assistants over MCP, on stdin and stdout or --http HOST:PORT"),
    "tools": (_tools, "Print the tool definitions: --format anthropic, openai or mcp"),
}


def _answered(name: str, arguments: dict[str, Any], switches: _Switches) -> int:
    from vaulttools import tools

    tool = tools.named(name)
    with _opened(switches.vault, has_index=tool.needs_structure and switches.has_index) as vault:
        if tool.needs_structure:
            from vaulttools.answers.request import parse
            from vaulttools.cli import index as cli_index

            request = parse(tool.request, arguments)  # a refusal need not wait
            if tool.waits(request):
                with cli_index.progress(delay=BAR_SECONDS) as on_progress:
                    vault.read_structures(on_progress=on_progress)
        answer = vault.answer(name, arguments)
    if switches.as_json:
        _print_json(answer.model_dump(mode="json"))
    elif switches.as_csv and tool.csv is not None:
        print(tool.csv(answer), end="")
        for notice in answer.notices:
            print(notice, file=sys.stderr)
    elif answer.is_error:
        print(answer.text, file=sys.stderr)
    else:
        from vaulttools.cli import colour as cli_colour

        print(cli_colour.coloured(answer.text) if cli_colour.is_wanted(sys.stdout) else answer.text)
    if tool.zero_is_success:
        return FOUND
    if answer.is_error or (not answer.found and not answer.complete):
        return FAILED
    return FOUND if answer.found else NOTHING_FOUND


def _opened(given: str | None, *, has_index: bool) -> Vault:
    """The vault; what searches has no index there: asking every file for its status takes as long as ripgrep takes to
    search them all (measured: 50 ms)."""
    from vaulttools.vault import Vault

    folder = given or os.environ.get("VAULTTOOLS_VAULT") or _found_vault()
    _collect()
    return Vault.open(folder, index=None if has_index else "off")


def _collect() -> None:
    """Have garbage collected from now on, and not looked for in what was imported."""
    gc.freeze()
    gc.enable()


def _found_vault(*, or_here: bool = True) -> Path:
    """The vault around this folder, else this folder; never the root or the home folder."""
    found = _vault_around() or (Path.cwd() if or_here else None)
    if found is None or found in _unnamed():
        raise BadArgument(NO_VAULT)
    return found


def _vault_around() -> Path | None:
    """The nearest parent that holds `.obsidian`; never the root or the home folder."""
    here = Path.cwd()
    parents = (folder for folder in (here, *here.parents) if folder not in _unnamed())
    return next((folder for folder in parents if (folder / ".obsidian").is_dir()), None)


def _unnamed() -> tuple[Path, Path]:
    """Folders that are a vault only when they are named."""
    return Path(Path.cwd().anchor), Path.home().resolve()


def _print_json(details: Any) -> None:
    """One line, whatever a reader takes for a line end (fault-O06)."""
    text = json.dumps(details, ensure_ascii=False)
    for character in "\x85\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    print(text)


def _take_flag(words: list[str], flag: str) -> bool:
    """Whether the flag stands among the words before a `--`; it is taken out."""
    end = words.index("--") if "--" in words else len(words)
    if flag not in words[:end]:
        return False
    words.remove(flag)
    return True


def _take_value(words: list[str], option: str) -> str | None:
    """The value of an option among the words before a `--`; both are taken out."""
    end = words.index("--") if "--" in words else len(words)
    for index, word in enumerate(words[:end]):
        if word.startswith(f"{option}="):
            del words[index]
            return word.removeprefix(f"{option}=")
        if word == option:
            if index + 1 >= end:
                raise BadArgument(f"{option} needs a value")
            value = words[index + 1]
            del words[index : index + 2]
            return value
    return None


def _take_values(words: list[str], option: str) -> list[str]:
    """The values of an option that may be repeated, in order; they are taken out."""
    values: list[str] = []
    while (value := _take_value(words, option)) is not None:
        values.append(value)
    return values

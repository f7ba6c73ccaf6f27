"""Reads the options of `vaulttools mcp`, and starts the server that they ask for."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vaulttools import tools
from vaulttools.cli import access
from vaulttools.cli.importing import defer_packages, importing_much
from vaulttools.cli.main import Said, Switches
from vaulttools.clients import registry
from vaulttools.core import child, extras, open_files, programs
from vaulttools.errors import BadArgument
from vaulttools.files.real_path import real_path

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from vaulttools.server.calls import Calls
    from vaulttools.server.vaults import Vaults

_OWN: Final[Mapping[str, str]] = {
    "claude": "Claude Desktop: Settings > Developer > Edit Config. Claude Code: .mcp.json of a project.",
    "cursor": "Cursor: ~/.cursor/mcp.json, or .cursor/mcp.json of a project.",
    "vscode": "VS Code: .vscode/mcp.json, or the command 'MCP: Open User Configuration'.",
    "generic": "Any client that starts a program and speaks MCP over its stdin and stdout, or over HTTP.",
}
"""Clients whose form is also known for HTTP, and where to paste the block."""

ASSISTANTS: Final = (*_OWN, *(client.name for client in registry.CLIENTS if client.name not in _OWN))
"""Values of `--print-config`: the clients of `init`, `claude` for both of Anthropic's, and `generic` for any other."""

HELP: Final = f"""\
usage: vaulttools --vault DIR mcp [options]

Serve the vault to assistants over MCP: on stdin and stdout, or over HTTP. Nothing is ever written into it.

  --vault DIR           the vault; for several repeat --vault NAME=DIR, and each call names one
  --tools NAMES         the tools to offer, separated by commas, or all; connector: search and fetch, for ChatGPT
                        (default {", ".join(tools.DEFAULT)})
  --structured MODE     off (default): an answer is its text alone; full: its details as structured content too,
                        for programs; some clients then hand the model the JSON instead of the text
  --http [HOST]:PORT    serve streamable HTTP at /mcp; without HOST this machine alone can reach it
  --token-file FILE     the token that callers send as 'Authorization: Bearer …', else VAULTTOOLS_TOKEN; needed beyond
                        this machine
  --allow-origin URL    also accept calls from pages of this origin, repeated; Obsidian and this machine always may
  --no-index            keep no index: scan at each call
  --print-config NAME   print the configuration for an assistant, and stop: one of
                        {", ".join(ASSISTANTS)}"""

NEEDS_EXTRA: Final = f"The MCP server needs the extra 'mcp': {extras.install('mcp')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class McpOptions(access.ServerOptions):
    """The options of the command line."""

    http: tuple[str, int] | None
    """Host and port; None for stdin and stdout."""
    print_config: str | None


def parse(words: Sequence[str], vaults: Sequence[str], *, has_index: bool = True) -> McpOptions:
    """Returns the options of the command.

    Raises:
        BadArgument: one of them is invalid.
    """
    parser = access.parser("mcp")
    parser.add_argument("--http")
    parser.add_argument("--print-config")
    for other in ("--host", "--port"):  # options of other servers
        parser.add_argument(other)
    given = parser.parse_args(words)
    if given.host is not None or given.port is not None:
        raise BadArgument(f"mcp takes host and port as one word: mcp --http {given.host or ''}:{given.port or 8765}")
    http = None if given.http is None else access.address("--http", given.http)
    token = access.token(given.token_file)
    if http is None and (given.token_file or given.allow_origin):
        raise BadArgument("--token-file and --allow-origin go with --http")
    if http is not None:
        access.ensure_a_token(http[0], token)
    shared = access.shared(given)
    assistant = None if given.print_config is None else _assistant(given.print_config)
    return McpOptions(vaults=vaults, has_index=has_index, token=token, http=http, print_config=assistant, **shared)


def _assistant(given: str) -> str:
    name = given.casefold()
    if name not in ASSISTANTS:
        raise BadArgument(f"--print-config must be one of {', '.join(ASSISTANTS)}, got '{given}'")
    return name


def command(words: list[str], switches: Switches) -> Said | None:
    """Run `vaulttools mcp`.

    Raises:
        BadArgument: an option is invalid, or the server cannot start.
    """
    # A client starts programs in an arbitrary folder, which nobody asked to serve.
    run(parse(words, switches.vaults or [switches.folder()], has_index=switches.has_index))
    return None


def run(options: McpOptions) -> None:
    """Serve until the client goes or a signal comes; or print the configuration for a client.

    Raises:
        BadArgument: a vault cannot be opened, the extra is not installed, or it cannot listen there.
    """
    from vaulttools.server.vaults import folders, opened

    by_name = folders(options.vaults)
    if options.print_config is not None:
        _print_config(options, by_name)
        return
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    open_files.allow_enough()
    from vaulttools.server.calls import Calls

    calls = Calls()
    with ExitStack() as used:
        vaults = used.enter_context(opened(by_name, index=None if options.has_index else "off"))
        used.callback(calls.close)
        with _importing_the_sdk():
            from vaulttools.server.mcp import protocol, stdio

            server = protocol.server(access.backend(options, vaults, calls, pages=None))
        if options.http is None:
            stdio.serve(server, used.close)
        else:
            _serve_http(options, vaults, calls, server, *options.http)


def _serve_http(options: McpOptions, vaults: Vaults, calls: Calls, server: Server[Any], host: str, port: int) -> None:
    with importing_much():
        from vaulttools.cli import resident
        from vaulttools.server import listener
        from vaulttools.server.application import application
        from vaulttools.server.callers import Alike
        from vaulttools.server.guard import MCP, Access
        from vaulttools.server.mcp.streamable import streamable
        from vaulttools.server.service import Service
    service = Service(Alike(options.token, vaults), calls)
    app = application(service, streamable(server), Access(host, options.allow_origin))
    with resident.offered(map(vaults.lent, vaults.names)):
        listener.serve(app, listener.Listening(host, port), f"Serving MCP at {{url}}{MCP}", calls.close)


@contextmanager
def _importing_the_sdk() -> Iterator[None]:
    with importing_much():
        try:
            defer_packages()
            yield
        except ModuleNotFoundError as error:
            raise BadArgument(NEEDS_EXTRA) from error


def _print_config(options: McpOptions, by_name: dict[str, str]) -> None:
    assert options.print_config is not None
    if options.http is not None:
        host = f"[{options.http[0]}]" if ":" in options.http[0] else options.http[0]
        url = f"http://{host}:{options.http[1]}/mcp"
        entry: dict[str, Any] = {"url": url}
        if options.token is not None:
            entry["headers"] = {"Authorization": "Bearer <the token>"}  # a placeholder, not the token itself
    else:
        entry = _command(options, by_name)
    if options.print_config in _OWN:
        print(json.dumps(_block(options.print_config, entry), indent=2, ensure_ascii=False))
        print(_OWN[options.print_config], file=sys.stderr)
        return
    if options.http is not None:
        raise BadArgument(f"With --http, --print-config must be one of {', '.join(_OWN)}")
    from vaulttools.clients import change  # measured: tomlkit takes 30 ms, which no server needs

    # The text that `init` would write into an empty file.
    client = next(client for client in registry.CLIENTS if client.name == options.print_config)
    file = client.places(registry.this_machine())[0].file
    print((change.added(client, file, None, None, entry, registry.NAME).after or b"").decode().rstrip("\n"))
    print(f"{client.title}: {file}", file=sys.stderr)


def _block(client: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the JSON to paste, for one of `_OWN`.

    `entry` says how the client starts the server (`command`, `args`), or where it finds it (`url`, `headers`).
    """
    kind = "stdio" if "command" in entry else "http"
    if client == "generic":
        return {"type": kind, **entry}
    if client == "vscode":
        return {"servers": {registry.NAME: {"type": kind, **entry}}}
    typed = {"type": kind} if client == "claude" and kind == "http" else {}
    return {"mcpServers": {registry.NAME: {**typed, **entry}}}


def program() -> tuple[str, list[str]]:
    """Returns the absolute path of the installed program, and its first arguments, for storing in a configuration.

    Raises:
        BadArgument: the program is in a temporary place.
    """
    installed = programs.found("vaulttools", str(Path(sys.executable).parent))
    # A client starts it in any folder, perhaps in a vault, from which nothing must be imported.
    path, *arguments = [installed] if installed else child.command("vaulttools")
    if _CACHES.intersection(Path(path).parts):
        raise BadArgument(
            f"{path} was installed for this run only: install vaulttools first, with uv tool install, pipx or pip"
        )
    return path, arguments


def vault_options(by_name: Mapping[str, str]) -> list[str]:
    """Returns the command-line words for the vaults; a single vault needs no name."""
    named = [f"{name}={folder}" if len(by_name) > 1 else folder for name, folder in by_name.items()]
    return [word for each in named for word in ("--vault", each)]


_CACHES: Final = frozenset((".cache", "Caches", "archive-v0", "environments-v2"))
"""Folders of `uvx` and `pipx run` for programs that are installed for one run and deleted later."""


def _command(options: McpOptions, by_name: dict[str, str]) -> dict[str, Any]:
    """Returns the command that starts this server from anywhere, with absolute paths."""
    path, arguments = program()
    absolute = {name: real_path(Path(folder).expanduser()) for name, folder in by_name.items()}
    arguments += [*vault_options(absolute), "mcp"]
    if not options.has_index:
        arguments.append("--no-index")
    if options.is_structured:
        arguments += ["--structured", "full"]
    if tuple(options.tools) != access.offered([]):
        arguments += ["--tools", ",".join(options.tools) or access.CONNECTOR]
    return {"command": path, "args": arguments}

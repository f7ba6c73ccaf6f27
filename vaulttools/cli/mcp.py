"""Reads the options of `vaulttools mcp`, and starts the server that they ask for."""

from __future__ import annotations

import argparse
import gc
import json
import logging
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from vaulttools import tools
from vaulttools.errors import BadArgument
from vaulttools.server.hosts import is_loopback
from vaulttools.server.mcp import clients
from vaulttools.server.mcp.clients import Address, Command

DEFAULT_TOOLS: Final = ("search_files", "query", "read", "find", "links", "tags", "properties", "tasks", "base")
"""What serves an assistant without making it choose between tools that do nearly the same."""

LOOPBACK: Final = "127.0.0.1"

HELP: Final = f"""\
usage: vaulttools --vault DIR mcp [options]

Serve the vault to assistants over MCP: on stdin and stdout, or over HTTP. Nothing is ever written into it.

  --vault DIR           the vault; for several repeat --vault NAME=DIR, and each call names one
  --tools NAMES         the tools to offer, separated by commas, or all
                        (default {", ".join(DEFAULT_TOOLS)})
  --structured MODE     off (default): an answer is its text alone; full: its details as structured content too,
                        for programs; some clients then hand the model the JSON instead of the text
  --http [HOST]:PORT    serve streamable HTTP at /mcp; without HOST this machine alone can reach it
  --token-file FILE     the token that callers send as 'Authorization: Bearer …', else VAULTTOOLS_TOKEN; needed beyond
                        this machine
  --allow-origin URL    also accept calls from pages of this origin, repeated; Obsidian and this machine always may
  --no-index            keep no index: scan at each call
  --print-config NAME   print the configuration for claude, cursor, vscode or generic, and stop"""

NEEDS_EXTRA: Final = "The MCP server needs the extra 'mcp': pip install 'vaulttools[mcp]'"


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asks for."""

    vaults: Sequence[str]
    """`DIR` or `name=DIR`, as given."""
    has_index: bool
    tools: Sequence[str]
    is_structured: bool
    """Whether answers carry their details as structured content."""
    http: tuple[str, int] | None
    """Host and port; None: stdin and stdout."""
    token: str | None
    allow_origin: Sequence[str]
    print_config: str | None


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise BadArgument(message.replace("argument ", "", 1).replace("unrecognized arguments", "unknown option"))


def parse(words: Sequence[str], vaults: Sequence[str], *, has_index: bool = True) -> Options:
    """The options of the command.

    Raises:
        BadArgument: one of them cannot be used.
    """
    parser = _Parser(prog="mcp", add_help=False, allow_abbrev=False)
    parser.add_argument("--tools", action="append", default=[])
    parser.add_argument("--structured", default="off")
    parser.add_argument("--http")
    parser.add_argument("--token-file")
    parser.add_argument("--allow-origin", action="append", default=[])
    parser.add_argument("--print-config")
    given = parser.parse_args(words)
    http = None if given.http is None else _address(given.http)
    token = _token(given.token_file)
    if http is None and (given.token_file or given.allow_origin):
        raise BadArgument("--token-file and --allow-origin go with --http")
    if http is not None and token is None and not is_loopback(http[0]):
        raise BadArgument(
            f"{http[0]} can be reached from other machines: give a token by VAULTTOOLS_TOKEN or --token-file"
        )
    if given.structured not in ("off", "full"):
        raise BadArgument(f"--structured takes off or full, got '{given.structured}'")
    for origin in given.allow_origin:
        if "://" not in origin or origin.endswith("/") or "*" in origin:
            raise BadArgument(f"--allow-origin takes an origin such as https://notes.example, got '{origin}'")
    return Options(
        vaults,
        has_index,
        _tools(given.tools),
        given.structured == "full",
        http,
        token,
        given.allow_origin,
        given.print_config,
    )


def run(options: Options) -> None:
    """Serve until the client goes, or a signal comes; or print what a client takes.

    Raises:
        BadArgument: a vault cannot be opened, the extra is not installed, or it cannot listen there.
    """
    from vaulttools.server.vaults import folders, opened

    by_name = folders(options.vaults)
    if options.print_config is not None:
        _print_config(options, by_name)
        return
    with _without_collections():
        try:
            from vaulttools.server.mcp import protocol
        except ModuleNotFoundError as error:
            raise BadArgument(NEEDS_EXTRA) from error
        from vaulttools.server.calls import Calls
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)

    with opened(by_name, index=None if options.has_index else "off") as vaults:
        calls = Calls()
        with _without_collections():
            server = protocol.server(vaults, options.tools, calls, is_structured=options.is_structured)
        if options.http is None:
            from vaulttools.server.mcp import stdio

            stdio.serve(server, calls.close)
        else:
            from vaulttools.server import http
            from vaulttools.server.guard import Access

            host, port = options.http
            http.serve(server, Access(host, options.token, options.allow_origin), port, calls.close)


@contextmanager
def _without_collections() -> Iterator[None]:
    """No search for garbage among what the SDK makes when it is imported, all of which stays: 0.25 of 1 s."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _print_config(options: Options, by_name: dict[str, str]) -> None:
    assert options.print_config is not None
    if options.http is not None:
        host = f"[{options.http[0]}]" if ":" in options.http[0] else options.http[0]
        url = f"http://{host}:{options.http[1]}/mcp"
        block = clients.block(options.print_config, Address(url, needs_token=options.token is not None))
    else:
        block = clients.block(options.print_config, _command(options, by_name))
    print(json.dumps(block, indent=2, ensure_ascii=False))
    print(clients.where(options.print_config), file=sys.stderr)


def program() -> tuple[str, list[str]]:
    """The installed program by its absolute path, and what stands before its own arguments."""
    beside = shutil.which("vaulttools", path=str(Path(sys.executable).parent))
    return (beside, []) if beside else (sys.executable, ["-m", "vaulttools"])


def _command(options: Options, by_name: dict[str, str]) -> Command:
    """The command that starts this server from anywhere: every path absolute."""
    path, arguments = program()
    for name, folder in by_name.items():
        absolute = str(Path(folder).expanduser().resolve())
        arguments += ["--vault", f"{name}={absolute}" if len(by_name) > 1 else absolute]
    arguments.append("mcp")
    if not options.has_index:
        arguments.append("--no-index")
    if options.is_structured:
        arguments += ["--structured", "full"]
    if tuple(options.tools) != _tools([]):
        arguments += ["--tools", ",".join(options.tools)]
    return Command(path, arguments)


def _tools(given: Sequence[str]) -> tuple[str, ...]:
    """The tools to offer, in the order of the registry."""
    names = [name.strip().replace("-", "_") for each in given for name in each.split(",") if name.strip()]
    if names == ["all"]:
        return tools.NAMES
    for name in names:
        if name not in tools.NAMES:
            raise BadArgument(f"--tools takes all, or names among {', '.join(tools.NAMES)}; got '{name}'")
    wanted = names or DEFAULT_TOOLS
    return tuple(name for name in tools.NAMES if name in wanted)


def _address(given: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`, `:PORT`, `PORT` or `[::1]:PORT`."""
    host, _, port = given.rpartition(":")
    if not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise BadArgument(f"--http takes HOST:PORT, got '{given}'")
    return host.removeprefix("[").removesuffix("]") or LOOPBACK, int(port)


def _token(file: str | None) -> str | None:
    if file is None:
        return os.environ.get("VAULTTOOLS_TOKEN", "").strip() or None
    try:
        token = Path(file).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise BadArgument(f"The token file {file} cannot be read: {error}") from error
    if not token:
        raise BadArgument(f"The token file {file} is empty")
    return token

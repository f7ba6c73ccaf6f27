"""Reads the options that say where a server listens and who may call it."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vaulttools import tools
from vaulttools.cli.options import Parser
from vaulttools.errors import BadArgument
from vaulttools.files import small
from vaulttools.server.hosts import is_loopback

if TYPE_CHECKING:
    from vaulttools.server.calls import Calls
    from vaulttools.server.mcp.backend import Backend
    from vaulttools.server.vaults import Vaults

LOOPBACK: Final = "127.0.0.1"

CONNECTOR: Final = "connector"
"""Stands for the two tools of ChatGPT's connectors, which are none of ours."""

NEEDED: Final = "give a token by VAULTTOOLS_TOKEN or --token-file"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """Options that `mcp` and `serve` share."""

    vaults: Sequence[str]
    """`DIR` or `name=DIR`, as given."""
    has_index: bool
    tools: Sequence[str]
    """Names of our tools; none if assistants get the two of `CONNECTOR`."""
    is_structured: bool
    """Whether answers also carry their details as structured content."""
    token: str | None
    allow_origin: Sequence[str]


def parser(command: str) -> Parser:
    """Returns the parser for the fields of `ServerOptions`."""
    shared = Parser(command)
    shared.add_argument("--tools", action="append", default=[])
    shared.add_argument("--structured", default="off")
    shared.add_argument("--token-file")
    shared.add_argument("--allow-origin", action="append", default=[])
    return shared


def shared(given: Namespace) -> dict[str, Any]:
    """Returns the parsed fields of `ServerOptions`, except the vaults, the index and the token.

    Raises:
        BadArgument: one of them is invalid.
    """
    names = offered(given.tools)
    if given.structured not in ("off", "full"):
        raise BadArgument(f"--structured takes off or full, got '{given.structured}'")
    for origin in given.allow_origin:
        if "://" not in origin or origin.endswith("/") or "*" in origin:
            raise BadArgument(f"--allow-origin takes an origin such as https://notes.example, got '{origin}'")
    return {"tools": names, "is_structured": given.structured == "full", "allow_origin": given.allow_origin}


def offered(given: Sequence[str]) -> tuple[str, ...]:
    """Returns the tools that `--tools` names, in the order of the registry; none for `CONNECTOR`.

    Raises:
        BadArgument: there is no such tool.
    """
    names = [name.strip().replace("-", "_") for each in given for name in each.split(",") if name.strip()]
    if names == ["all"]:
        return tools.NAMES
    if names == [CONNECTOR]:
        return ()
    for name in names:
        if name not in tools.NAMES:
            raise BadArgument(f"--tools takes all, {CONNECTOR}, or names among {', '.join(tools.NAMES)}; got '{name}'")
    wanted = names or tools.DEFAULT
    return tuple(name for name in tools.NAMES if name in wanted)


def backend(options: ServerOptions, vaults: Vaults, calls: Calls, *, pages: str | None, caller: str = "") -> Backend:
    """Returns what answers over MCP with the tools that the options name; `pages` as for `Connector`."""
    if not options.tools:
        from vaulttools.server.mcp.connector import Connector

        return Connector(vaults, calls, pages=pages, caller=caller)
    from vaulttools.server.mcp.backend import Backend

    return Backend(vaults, options.tools, calls, is_structured=options.is_structured, caller=caller)


def address(option: str, given: str) -> tuple[str, int]:
    """Returns host and port of `HOST:PORT`, `:PORT`, `PORT` or `[::1]:PORT`.

    Raises:
        BadArgument: it is none of these.
    """
    host, _, port = given.rpartition(":")
    if not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise BadArgument(f"{option} takes HOST:PORT, got '{given}'")
    return host.removeprefix("[").removesuffix("]") or LOOPBACK, int(port)


def token(file: str | None) -> str | None:
    """Returns the token in a file, or without a file the one in the environment; None if there is no token.

    Raises:
        BadArgument: the file cannot be read, or is empty.
    """
    if file is None:
        return os.environ.get("VAULTTOOLS_TOKEN", "").strip() or None
    try:
        path = Path(file).expanduser()
        found = small.read(path).decode().strip()
    except (OSError, ValueError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or "it is not a UTF-8 text"
        raise BadArgument(f"The token file {file} cannot be read: {why}") from error
    if not found:
        raise BadArgument(f"The token file {file} is empty")
    if sentence := small.seen_by_others(path):
        print(f"Warning: {sentence}", file=sys.stderr)
    return found


def ensure_a_token(host: str, found: str | None) -> None:
    """Refuse to listen beyond this machine without a token.

    Raises:
        BadArgument: there is no token, and other machines could call.
    """
    if found is None and not is_loopback(host):
        raise BadArgument(f"{host} can be reached from other machines: {NEEDED}")

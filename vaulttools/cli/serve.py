"""Reads the options of `vaulttools serve`, and starts the server that they ask for."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from platformdirs import user_data_path

from vaulttools.cli import access, token
from vaulttools.cli.importing import importing_much
from vaulttools.cli.main import Said, Switches
from vaulttools.core import extras, open_files
from vaulttools.errors import BadArgument
from vaulttools.server.hosts import is_loopback, is_public_origin, parsed

if TYPE_CHECKING:
    from starlette.routing import Route

    from vaulttools.server.application import Mcp
    from vaulttools.server.calls import Calls
    from vaulttools.server.service import Service
    from vaulttools.server.vaults import Vaults

HELP: Final = """\
usage: vaulttools --vault DIR serve [HOST]:PORT [options]

Serve the vault to programs and people over HTTP: MCP at /mcp, and what Obsidian's Local REST API plugin
answers, without Obsidian. Nothing is ever written into it. Without HOST this machine alone can reach it.

  --vault DIR           the vault; for several repeat --vault NAME=DIR, and use /v/NAME/ for each
  --token-file FILE     the token that callers send as 'Authorization: Bearer …', else VAULTTOOLS_TOKEN; needed beyond
                        this machine
  --tls CERT KEY        speak https with this certificate and key, files in PEM; needed beyond this machine
  --tls auto            the same with a self-signed certificate, made at the first start and kept
  --insecure            speak http beyond this machine all the same: anyone who can listen reads notes and token
  --allow-origin URL    also accept calls from web pages of this origin, repeated
  --trust-proxy IP      believe the X-Forwarded headers of the proxy at this address; a token is then needed
  --tools NAMES         the tools to offer over MCP and at /tools/, separated by commas; all; or connector, as for mcp
  --structured MODE     off (default) or full, as for mcp
  --oauth URL           let hosted assistants sign in by OAuth 2.1 at the server's public origin, https://notes.example
  --no-index            keep no index: scan at each call
  --omnisearch [PORT]   also answer as the Omnisearch plugin does, for this machine, without a token (default 51361)
  --vaults-root DIR     instead of --vault: each folder in DIR is a vault, for the callers whose token names it
  --tokens FILE         the tokens of --vaults-root, as 'vaulttools token' keeps them
  --open-vaults N       vaults of --vaults-root that are open at once (default 64)"""

NEEDS_EXTRA: Final = f"serve needs the extra 'serve': {extras.install('serve')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions(access.ServerOptions):
    """The options of the command line."""

    host: str
    port: int
    tls: tuple[str, ...]
    """A certificate and its key; `auto`; or empty, for http."""
    proxy: str | None
    vaults_root: str | None
    """A folder of vaults, instead of `vaults`."""
    tokens: str | None
    """The token file for `vaults_root`; None for the one in the user's configuration folder."""
    open_vaults: int
    oauth: str | None
    """The public origin of the server, if assistants may sign in."""
    omnisearch: int | None
    """The port for Omnisearch's clients; None if they are not served."""


def parse(words: Sequence[str], vaults: Sequence[str], *, has_index: bool = True) -> ServeOptions:
    """Returns the options of the command.

    Raises:
        BadArgument: one of them is invalid.
    """
    rest, tls = _without_tls(words)
    parser = access.parser("serve")
    parser.add_argument("address", nargs="?")
    parser.add_argument("--insecure", action="store_true")
    parser.add_argument("--trust-proxy")
    parser.add_argument("--oauth")
    parser.add_argument("--omnisearch", nargs="?", type=int, const=51361)
    parser.add_argument("--vaults-root")
    parser.add_argument("--tokens")
    parser.add_argument("--open-vaults", type=int, default=64)
    for other in ("--host", "--port"):  # options of other servers
        parser.add_argument(other)
    given = parser.parse_args(rest)
    if given.host is not None or given.port is not None:
        meant = f"serve {given.host or given.address or ''}:{given.port or 8765}"
        raise BadArgument(f"serve takes host and port as one word: {meant}")
    if given.address is None:
        raise BadArgument("serve needs an address: serve :8765, or serve HOST:PORT")
    host, port = access.address("serve", given.address)
    secret = access.token(given.token_file)
    if given.vaults_root is None:
        if given.tokens is not None:
            raise BadArgument("--tokens goes with --vaults-root")
        access.ensure_a_token(host, secret)
    elif given.token_file is not None or vaults:
        raise BadArgument("--vaults-root has tokens and vaults of its own: leave out --token-file and --vault")
    elif not 1 <= given.open_vaults <= 10_000:
        raise BadArgument("--open-vaults takes a number from 1 to 10,000")
    if given.trust_proxy is not None:
        if parsed(given.trust_proxy) is None:
            raise BadArgument(f"--trust-proxy takes the address of the proxy, got '{given.trust_proxy}'")
        if secret is None and given.vaults_root is None:
            raise BadArgument(f"Behind a proxy others can call: {access.NEEDED}")
    if not is_loopback(host) and not tls and not given.insecure:
        raise BadArgument(
            f"{host} can be reached from other machines: give --tls CERT KEY or --tls auto, or --insecure for http"
        )
    if given.oauth is not None:
        if not is_public_origin(given.oauth):
            raise BadArgument(
                f"--oauth takes the server's public origin, such as https://notes.example, got '{given.oauth}'"
            )
        if secret is None and given.vaults_root is None:
            raise BadArgument(f"Who consents by --oauth shows a token: {access.NEEDED}")
    if given.omnisearch is not None and (given.vaults_root is not None or len(vaults) > 1):
        raise BadArgument("--omnisearch is for a server of one vault: its clients cannot name a vault")
    if given.omnisearch is not None and not 0 <= given.omnisearch <= 65535:
        raise BadArgument("--omnisearch takes a port")
    return ServeOptions(
        vaults=vaults,
        has_index=has_index,
        token=secret,
        host=host,
        port=port,
        tls=tls,
        proxy=given.trust_proxy,
        vaults_root=given.vaults_root,
        tokens=given.tokens,
        open_vaults=given.open_vaults,
        oauth=given.oauth,
        omnisearch=given.omnisearch,
        **access.shared(given),
    )


def command(words: list[str], switches: Switches) -> Said | None:
    """Run `vaulttools serve`.

    Raises:
        BadArgument: an option is invalid, or the server cannot start.
    """
    folders = switches.vaults
    if not folders and not any(word.startswith("--vaults-root") for word in words):
        folders = [switches.folder()]
    run(parse(words, folders, has_index=switches.has_index))
    return None


def _without_tls(words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Returns the words without `--tls` and its one or two values, and these values."""
    if "--tls" not in words:
        return list(words), ()
    at = words.index("--tls")
    values = tuple(words[at + 1 : at + (2 if words[at + 1 : at + 2] == ["auto"] else 3)])
    if values != ("auto",) and len(values) != 2:
        raise BadArgument("--tls takes auto, or the files of a certificate and of its key")
    return [*words[:at], *words[at + 1 + len(values) :]], values


def run(options: ServeOptions) -> None:
    """Serve until a signal comes.

    Raises:
        BadArgument: a vault cannot be opened, the extra is not installed, or it cannot listen there.
    """
    with importing_much():
        try:
            from vaulttools.server import certificate, listener
            from vaulttools.server.application import FIRST, AccessLog, Rooms, application
            from vaulttools.server.openapi import routes as openapi
            from vaulttools.server.page import routes as page
            from vaulttools.server.rest import routes as rest
        except ModuleNotFoundError as error:
            raise BadArgument(NEEDS_EXTRA) from error
    from vaulttools.server.calls import Calls
    from vaulttools.server.guard import Access

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    open_files.allow_enough()
    files: tuple[str, str] | None = None
    if options.tls == ("auto",):
        files = certificate.kept(user_data_path("vaulttools") / "tls", options.host)
    elif options.tls:
        files = (options.tls[0], options.tls[1])
    if files and (sentence := certificate.ensure_usable(*files)):
        print(f"Warning: {sentence}", file=sys.stderr)
    calls = Calls()
    with _served(options, calls) as (service, mcp, offered):
        days_left = partial(certificate.days_left, files[0]) if files else lambda: 0
        sign_in = () if options.oauth is None else _sign_in(service, options.oauth)
        rooms = Rooms(
            page.routes(service),
            rest.routes(service, FIRST, days_left),
            openapi.routes(service, options.tools),
            sign_in,
        )
        origins = [*options.allow_origin, *filter(None, [options.oauth])]
        app = application(service, mcp, Access(options.host, origins), rooms)
        if not is_loopback(options.host) and files is None:
            print("Without TLS: anyone who can listen to the network reads notes and token.", file=sys.stderr)
        listening = listener.Listening(options.host, options.port, files, options.proxy)
        message = "Serving at {url}/ (MCP at /mcp and /v/NAME/mcp, REST below /, pages for people below /ui/)"
        with offered:
            listener.serve(AccessLog(app), listening, message, calls.close)


@contextmanager
def _served(options: ServeOptions, calls: Calls) -> Iterator[tuple[Service, Mcp, AbstractContextManager[None]]]:
    """Yields the service (the callers and their vaults), their MCP server, and the socket for commands."""
    from vaulttools.cli import resident
    from vaulttools.server.callers import Alike, Tenants
    from vaulttools.server.mcp import protocol
    from vaulttools.server.mcp.streamable import streamable_by_caller
    from vaulttools.server.service import Service
    from vaulttools.server.tokens import TokenFile
    from vaulttools.server.vault_pool import VaultPool
    from vaulttools.server.vaults import folders, opened

    index: Literal["off"] | None = None if options.has_index else "off"
    backend = partial(access.backend, options, calls=calls, pages=options.oauth or "")
    mcp = streamable_by_caller(lambda caller: protocol.server(backend(caller.vaults, caller=caller.name)))
    if options.vaults_root is None:
        with opened(folders(options.vaults), index=index) as vaults:
            offered = resident.offered(map(vaults.lent, vaults.names))
            with nullcontext() if options.omnisearch is None else _omnisearch(options, vaults, calls):
                yield Service(Alike(options.token, vaults), calls), mcp, offered
        return
    tokens = TokenFile(token.file(options.tokens))
    tokens.entries()  # report an unreadable file at the start
    pool = VaultPool(options.vaults_root, options.open_vaults, index)
    try:
        # Commands of this machine's users have no token.
        yield Service(Tenants(tokens, pool), calls), mcp, nullcontext()
    finally:
        pool.close()


def _sign_in(service: Service, origin: str) -> Sequence[Route]:
    """Let assistants sign in at a service, and return the routes that they need.

    Raises:
        BadArgument: the file of those who have signed in cannot be read.
    """
    from vaulttools.server.oauth import room
    from vaulttools.server.oauth.kept import KeptFile
    from vaulttools.server.oauth.provider import Provider

    file = KeptFile(user_data_path("vaulttools") / "oauth.json")
    file.read()
    service.sign_in = provider = Provider(file, service.callers, origin)
    return room.routes(provider)


def _omnisearch(options: ServeOptions, vaults: Vaults, calls: Calls) -> AbstractContextManager[None]:
    from vaulttools.server import listener
    from vaulttools.server.rest import omnisearch

    assert options.omnisearch is not None
    return listener.beside(omnisearch.application(vaults, calls, options.allow_origin), options.omnisearch)

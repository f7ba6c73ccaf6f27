"""Listens for HTTP requests, until a signal ends the process."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from types import FrameType
from typing import Any, Final, cast

import uvicorn
from starlette.types import ASGIApp

from vaulttools.errors import BadArgument
from vaulttools.server import acceptor

GRACE_SECONDS: Final = 1
"""Seconds for unfinished answers after a signal."""

KEEP_ALIVE_SECONDS: Final = 75
"""Seconds that a connection may stay idle. Proxies keep theirs for 60 s and must be the first to close, or a request
meets a closed connection, as happened with uvicorn's 5 s."""

SECONDS: Final = 60.0
"""Seconds between two log records of the same kind."""

_KEPT: Final = 100
"""Kinds of records that the filter remembers."""

_SHARED: Final[Mapping[str, Any]] = {
    "http": acceptor.Connection,
    "ws": "none",
    "log_config": None,  # uvicorn's own writes to stdout
    "access_log": False,  # it would log query strings
    "server_header": False,
    "timeout_keep_alive": KEEP_ALIVE_SECONDS,
    "timeout_graceful_shutdown": GRACE_SECONDS,
}
"""Options of every server in this process."""


@dataclass(frozen=True, slots=True)
class Listening:
    """Where and how a server listens."""

    host: str
    port: int
    """0 means any free port."""
    certificate: tuple[str, str] | None = None
    """The files of the certificate and of its key, for https."""
    proxy: str | None = None
    """Address of the proxy whose `X-Forwarded-…` headers are trusted."""


@contextmanager
def beside(app: ASGIApp, port: int) -> Iterator[None]:
    """Also answer at `port` on loopback, over http and in a thread, while the context is entered.

    Raises:
        BadArgument: it cannot listen there.
    """
    opened = acceptor.listening("127.0.0.1", port)
    server = _Server(uvicorn.Config(app, **_SHARED, proxy_headers=False, lifespan="off"))
    # Outside the main thread, uvicorn leaves the signals to the other server.
    thread = Thread(target=server.run, kwargs={"sockets": [opened]}, name="vaulttools-beside", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()


def serve(app: ASGIApp, listening: Listening, said: str, stop: Callable[[], None]) -> None:
    """Answer until a signal ends the process; print `said` to stderr with the address in place of `{url}`.

    Raises:
        BadArgument: it cannot listen there, or the certificate cannot be used.
    """
    opened = acceptor.listening(listening.host, listening.port)
    files = listening.certificate
    config = uvicorn.Config(
        app,
        **_SHARED,
        proxy_headers=listening.proxy is not None,
        forwarded_allow_ips=listening.proxy or "",
        ssl_certfile=files[0] if files else None,
        ssl_keyfile=files[1] if files else None,
    )
    try:
        config.load()
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        raise BadArgument(f"The certificate cannot be used: {getattr(error, 'strerror', None) or error}") from error
    host = f"[{listening.host}]" if ":" in listening.host else listening.host
    url = f"{'https' if files else 'http'}://{host}:{opened.getsockname()[1]}"
    for handler in logging.getLogger().handlers:
        handler.addFilter(OncePerMinute())
    print(said.format(url=url), file=sys.stderr, flush=True)
    try:
        _Server(config, stop, listening.proxy).run(sockets=[opened])
    finally:
        stop()


class _Server(uvicorn.Server):
    """Accepts connections by `acceptor`, and ends all work as soon as a signal comes: active callers then get an answer
    that their call was cancelled."""

    def __init__(
        self, config: uvicorn.Config, stop: Callable[[], None] = lambda: None, proxy: str | None = None
    ) -> None:
        super().__init__(config)
        self._stop = stop
        self._proxy = proxy
        self._acceptors: list[acceptor.Acceptor] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start with connections from `acceptor`. asyncio's own server, which uvicorn uses, accepts without bounds, and
        when no file can be opened it logs each of 2,048 attempts and repeats all of them a second later."""
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            sys.exit(uvicorn.config.STARTUP_FAILURE)

        def made() -> acceptor.Connection:
            return acceptor.Connection(self.config, self.server_state, self.lifespan.state)

        most = acceptor.most_connections()
        self._acceptors = [acceptor.Acceptor(each, made, self.config.ssl, most, self._proxy) for each in sockets or ()]
        self.servers = cast("list[asyncio.Server]", self._acceptors)
        self.started = True

    async def on_tick(self, counter: int) -> bool:
        """End slow connections every second; return whether to exit. uvicorn calls this ten times a second."""
        if counter % 10 == 0:
            for each in self._acceptors:
                each.look()
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # Streams that clients keep open are cut after the grace period; the log should not show that as an error.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        # In a new thread: the interrupted thread may hold a lock that `stop` needs.
        Thread(target=self._stop).start()
        super().handle_exit(sig, frame)


class OncePerMinute(logging.Filter):
    """Passes one record of a kind per minute; the next one says how many were dropped. A client that can make a server
    log something can do so ten thousand times a second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._logged: dict[tuple[object, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log the record."""
        kind = _kind(record)
        now = self._clock()
        last, left_out = self._logged.get(kind, (-SECONDS, 0))
        if now - last < SECONDS:
            self._logged[kind] = last, left_out + 1
            return False
        if len(self._logged) >= _KEPT:
            self._logged.clear()
        self._logged[kind] = now, 0
        if left_out:
            record.msg, record.args = f"{record.getMessage()} (and {left_out:,} more like this before)", ()
        return True


def _kind(record: logging.LogRecord) -> tuple[object, ...]:
    """Returns what identifies similar records: their source, their beginning, and the type and place of an error."""
    kind, _, trace = record.exc_info or (None, None, None)
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = None if trace is None else (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
    return record.name, record.pathname, record.lineno, str(record.msg).partition("\n")[0][:200], kind, place

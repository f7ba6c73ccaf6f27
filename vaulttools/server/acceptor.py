"""Accepts connections within limits, and ends those whose client does not proceed.

uvicorn has a timeout between two requests but none within one: it waits forever for a client that sends half a head or
half a body, or that does not read its answer. hypercorn has no limits per peer either, and granian is a server with
processes of its own. So this module accepts connections, and uvicorn speaks the protocol.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import ssl
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from vaulttools.errors import BadArgument
from vaulttools.server.hosts import parsed

if sys.platform != "win32":
    import resource

HEAD_SECONDS: Final = 10.0
"""Time for the head of a request, from the connection or from its first byte. Clients send it at once."""

BODY_SECONDS: Final = 60.0
"""Time for the body of a request; no route takes more than 4 MiB."""

LINGER_SECONDS: Final = 5.0
"""Time for the rest of a body that nobody needs: a client cut off while it sends never reads the answer."""

STALLED_SECONDS: Final = 30.0
"""Time in which a client must take at least `_SOME` bytes of the waiting data."""

_SOME: Final = 1 << 13
"""Bytes; the slowest phone has taken 500 in a second."""

TLS_SECONDS: Final = 10.0
"""Time for the TLS handshake."""

MOST: Final = 1_000
"""Upper bound of connections; less if the process may not open twice as many files."""

_BACKLOG: Final = 1_024
"""Connections that the system queues until they are accepted."""

_PAUSE_SECONDS: Final = 0.5
"""Pause after the system had no file descriptor or memory for another connection."""

_logger = logging.getLogger(__name__)


def listening(host: str, port: int) -> socket.socket:
    """Open a listening socket.

    Raises:
        BadArgument: it cannot listen there.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.create_server(address[:2], family=family, backlog=_BACKLOG)
        made.setblocking(False)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        if getattr(error, "errno", None) == errno.EADDRINUSE:  # 27123 is the port of Obsidian's plugin, too
            reason = "another program listens there; choose another port, or 0 for any that is free"
        raise BadArgument(f"Cannot listen on {host}:{port}: {reason}") from error
    return made


def most_connections() -> int:
    """Returns the upper bound of connections: half of the process's files remain for notes and indexes."""
    if sys.platform == "win32":  # it does not limit files this way
        return MOST
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST if files == resource.RLIM_INFINITY else min(MOST, max(files // 2, 16))


class Connection(H11Protocol):
    """uvicorn's connection, which also knows what it waits for and since when."""

    peer = ""
    opening: asyncio.Task[None] | None = None
    """The task that opens the connection, including the TLS handshake."""
    left: Callable[[Connection], None] = staticmethod(lambda _: None)
    """Called when the connection is lost."""
    _waits: tuple[float, object] | None = None
    """What it waits for: the seconds it may wait, and the request it belongs to."""
    _since = 0.0
    _unread = 0
    """Bytes that waited for the client when it last took some."""
    _taken = 0.0
    """When the client last took some."""

    @property
    def waiting(self) -> float | None:
        """Returns the seconds that the client may take for its next step; None if it waits for us or has data to read.

        Between two requests it is infinity: uvicorn's own timer runs until the next one begins.
        """
        if self.transport is not None and self.transport.get_write_buffer_size():
            return None
        if self.cycle is None or self.cycle.response_complete:
            if self.cycle is not None and self.conn.their_state is h11.SEND_BODY:
                return LINGER_SECONDS
            is_idle = self.timeout_keep_alive_task is not None and not self.conn.trailing_data[0]
            return float("inf") if is_idle else HEAD_SECONDS
        return BODY_SECONDS if self.conn.their_state is h11.SEND_BODY else None

    def is_over(self, now: float) -> bool:
        """Whether the client took too long; call it every second."""
        waiting = self.waiting
        waits = None if waiting is None else (waiting, self.cycle)
        if waits != self._waits:
            self._waits, self._since = waits, now
        unread = self.transport.get_write_buffer_size()
        if not self._unread or unread <= max(0, self._unread - _SOME):
            self._unread, self._taken = unread, now
        self._unread = max(self._unread, unread)
        return (waiting is not None and now - self._since > waiting) or (
            unread > 0 and now - self._taken > STALLED_SECONDS
        )

    def end(self) -> None:
        """Close the connection at once, even if data waits to be sent."""
        if self.transport is not None:
            self.transport.abort()
        elif self.opening is not None:
            self.opening.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Report that the connection has ended."""
        self.left(self)
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        """Note that the client has taken most of the waiting data."""
        self._unread = 0
        super().resume_writing()


class Acceptor:
    """Accepts connections at a socket. When there are too many, it ends the oldest one whose client is slow: a flood of
    silent connections displaces only itself, not connections that send requests and get answers."""

    def __init__(
        self,
        listens: socket.socket,
        made: Callable[[], Connection],
        tls: ssl.SSLContext | None,
        most: int,
        proxy: str | None,
    ) -> None:
        """Allow `most` connections, half of them per peer; `proxy` may have all."""
        self._socket = listens
        self._made = made
        self._tls = tls
        self._most = most
        self._proxy = proxy
        self._all: dict[Connection, None] = {}
        """Oldest first, also in `_of`."""
        self._of: dict[str, dict[Connection, None]] = {}
        self._task = asyncio.ensure_future(self._accept())

    def close(self) -> None:
        """Stop accepting connections."""
        self._task.cancel()
        for each in self._all:
            if each.transport is None:
                each.end()

    async def wait_closed(self) -> None:
        """Wait until the accepting task has ended."""
        with suppress(asyncio.CancelledError):
            await self._task

    def look(self) -> None:
        """End the connections whose clients took too long; call it every second."""
        now = time.monotonic()
        for each in [each for each in self._all if each.transport is not None and each.is_over(now)]:
            each.end()

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted, address = await loop.sock_accept(self._socket)
            except OSError as error:
                if error.errno != errno.ECONNABORTED:  # this client has already gone
                    _logger.warning("No connection can be accepted: %s", error.strerror)
                    self._make_room(self._all)
                    await asyncio.sleep(_PAUSE_SECONDS)
                continue
            self._admit(accepted, _peer(address[0]))
            await asyncio.sleep(0)  # `sock_accept` returns at once if a connection waits; other tasks need a turn

    def _admit(self, accepted: socket.socket, peer: str) -> None:
        """Accept a connection, if necessary in place of another one, or refuse it."""
        of_peer = self._of.get(peer, {})
        if (len(of_peer) >= self._most // 2 and peer != self._proxy and not self._make_room(of_peer)) or (
            len(self._all) >= self._most and not self._make_room(self._all)
        ):
            accepted.close()
            return
        connection = self._made()
        connection.peer = peer
        connection.left = self._left
        self._all[connection] = self._of.setdefault(peer, {})[connection] = None
        connection.opening = asyncio.ensure_future(self._connect(accepted, connection))

    async def _connect(self, accepted: socket.socket, connection: Connection) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: connection,
                accepted,
                ssl=self._tls,
                ssl_handshake_timeout=None if self._tls is None else TLS_SECONDS,
            )
        except OSError:  # including SSLError: a client that does not proceed, or does not speak TLS
            pass
        finally:
            if connection.transport is None:
                accepted.close()
                self._left(connection)

    def _make_room(self, connections: Iterable[Connection]) -> bool:
        """End the oldest connection that waits for its client; return whether there was one."""
        found = next((each for each in connections if each.waiting is not None), None)
        if found is None:
            return False
        self._left(found)
        found.end()
        return True

    def _left(self, connection: Connection) -> None:
        self._all.pop(connection, None)
        of_peer = self._of.get(connection.peer, {})
        of_peer.pop(connection, None)
        if not of_peer:
            self._of.pop(connection.peer, None)


def _peer(address: Any) -> str:
    """Returns the client's address; for IPv6 its /64 network, because one user has all its addresses."""
    found = parsed(str(address).partition("%")[0])
    return str(address) if found is None or found.version == 4 else found.exploded[:19]

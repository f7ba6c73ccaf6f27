"""Accepts connections within limits, and ends those whose client does not go on.

uvicorn knows a deadline between two requests and none within one: a client that sends half a head, or half a body, or
that does not read its answer, is waited for without end. hypercorn has no limits by peer either, granian is a server of
its own with its own processes. So the door is ours, and what is spoken behind it stays uvicorn's.
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
"""For the head of a request, from the connection or from its first byte on. Clients send it at once."""

BODY_SECONDS: Final = 60.0
"""For the body of a request, of which no route takes more than 4 MiB."""

LINGER_SECONDS: Final = 5.0
"""For the rest of a body that nobody needs: who hears of a closed connection while sending never reads the answer."""

STALLED_SECONDS: Final = 30.0
"""In which a client takes some of what waits for it."""

_SOME: Final = 1 << 14
"""Bytes of that: the slowest telephone has taken 500 in a second."""

TLS_SECONDS: Final = 10.0
"""For the handshake."""

MOST: Final = 1_000
"""Connections at once; fewer where the process may not open twice as many files."""

_BACKLOG: Final = 1_024
"""Connections that the system keeps until they are accepted."""

_PAUSE_SECONDS: Final = 0.5
"""When the system has no file descriptor or memory for another connection."""

_logger = logging.getLogger(__name__)


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        BadArgument: it cannot listen there.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.create_server(address[:2], family=family, backlog=_BACKLOG)
        made.setblocking(False)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadArgument(f"Cannot listen on {host}:{port}: {reason}") from error
    return made


def most_connections() -> int:
    """Connections that this process takes: half of the files that it may open are left for notes and indexes."""
    if sys.platform == "win32":  # where they are not counted so
        return MOST
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST if files == resource.RLIM_INFINITY else min(MOST, max(files // 2, 16))


class Connection(H11Protocol):
    """uvicorn's, which knows for what it waits and since when."""

    peer = ""
    opening: asyncio.Task[None] | None = None
    """The task that makes the connection, over TLS by a handshake."""
    left: Callable[[Connection], None] = staticmethod(lambda _: None)
    """Called when the connection is lost."""
    _waits: tuple[float, object] | None = None
    """For what it waits: the seconds that it does, and the request before."""
    _since = 0.0
    _unread = 0
    """Bytes that waited to be taken by the client when some had been taken last."""
    _taken = 0.0
    """When that was."""

    @property
    def waiting(self) -> float | None:
        """The seconds for which the client is waited for; None: it is not, it waits for us or has something to read.

        Between two requests uvicorn's own timer runs, until the first byte of the next.
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
        """Whether the client has been waited for long enough; to be asked every second."""
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
        """Close the connection at once, whatever waits to be sent."""
        if self.transport is not None:
            self.transport.abort()
        elif self.opening is not None:
            self.opening.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended."""
        self.left(self)
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        """The client has taken most of what waited for it."""
        self._unread = 0
        super().resume_writing()


class Door:
    """Accepts connections at a socket. When there are too many, the one whose client has been waited for longest makes
    room: a flood of connections that say nothing pushes out itself, and not those that ask and are answered."""

    def __init__(
        self,
        listens: socket.socket,
        made: Callable[[], Connection],
        tls: ssl.SSLContext | None,
        most: int,
        proxy: str | None,
    ) -> None:
        """`most` connections at once, half of them of one peer; `proxy` may have all."""
        self._socket = listens
        self._made = made
        self._tls = tls
        self._most = most
        self._proxy = proxy
        self._all: dict[Connection, None] = {}
        """In the order in which they came, as those of each peer."""
        self._of: dict[str, dict[Connection, None]] = {}
        self._task = asyncio.ensure_future(self._accept())

    def close(self) -> None:
        """Accept no more."""
        self._task.cancel()
        for each in self._all:
            if each.transport is None:
                each.end()

    async def wait_closed(self) -> None:
        """Wait until no more is accepted."""
        with suppress(asyncio.CancelledError):
            await self._task

    def look(self) -> None:
        """End the connections whose clients have been waited for long enough; to be called every second."""
        now = time.monotonic()
        for each in [each for each in self._all if each.transport is not None and each.is_over(now)]:
            each.end()

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted, address = await loop.sock_accept(self._socket)
            except OSError as error:
                if error.errno != errno.ECONNABORTED:  # that one has gone by now
                    _logger.warning("No connection can be accepted: %s", error.strerror)
                    self._make_room(self._all)
                    await asyncio.sleep(_PAUSE_SECONDS)
                continue
            self._admit(accepted, _peer(address[0]))
            await asyncio.sleep(0)  # `sock_accept` does not wait when there is one, and others want to go on

    def _admit(self, accepted: socket.socket, peer: str) -> None:
        """Let a connection in, in the place of another where there is no room, or refuse it."""
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
        except OSError:  # an SSLError is one: a client that does not go on, or speaks no TLS
            pass
        finally:
            if connection.transport is None:
                accepted.close()
                self._left(connection)

    def _make_room(self, connections: Iterable[Connection]) -> bool:
        """End the oldest connection whose client is waited for; whether there was one."""
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
    """Who connects: an address, or the network of an IPv6 address, of which each of its users has all."""
    found = parsed(str(address).partition("%")[0])
    return str(address) if found is None or found.version == 4 else found.exploded[:19]

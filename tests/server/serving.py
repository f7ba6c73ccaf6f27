"""Servers for tests: real processes over a vault, and the SDK's client on them."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import anyio
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters, stdio_client

T = TypeVar("T")

PROGRAM = [sys.executable, "-m", "vaulttools"]

WITHIN = 60.0
"""Seconds after which a test gives up; on a busy machine a server takes several to start."""


INITIALIZE: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}
"""What a client sends first over HTTP, and the header that goes with every request."""

TERMINATED = 1 if sys.platform == "win32" else -signal.SIGTERM
"""The status of a server that `http` has ended; on Windows it is not asked to."""

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


class Served(NamedTuple):
    """A server over HTTP."""

    url: str
    process: int
    end: list[tuple[int, str]]

    @property
    def port(self) -> int:
        """The port at which it listens."""
        return urlsplit(self.url).port or 0

    def ended(self) -> tuple[int, str]:
        """The exit status and stderr, once nobody uses the server any more."""
        (end,) = self.end
        return end


def run(talk: Callable[[], Awaitable[T]]) -> T:
    """The result of a conversation."""

    async def bounded() -> T:
        with anyio.fail_after(WITHIN):
            return await talk()

    return anyio.run(bounded)


def environment(**more: str) -> dict[str, str]:
    """The variables of this process, which a server gets; the SDK alone would pass on only some."""
    return {**os.environ, **more}


@asynccontextmanager
async def stdio(*words: str, mode: str = "auto", **more: str) -> AsyncIterator[Client]:
    """A client of a server of its own, over its stdin and stdout."""
    command, *arguments = [*PROGRAM, *words]
    parameters = StdioServerParameters(command=command, args=arguments, env=environment(**more))
    async with Client(stdio_client(parameters), mode=mode) as client:
        yield client


class Kept(NamedTuple):
    """A client of a server that several tests ask."""

    client: Client
    portal: BlockingPortal

    def run(self, talk: Callable[[], Awaitable[T]]) -> T:
        """The result of a conversation."""

        async def bounded() -> T:
            with anyio.fail_after(WITHIN):
                return await talk()

        return self.portal.call(bounded)


@contextmanager
def kept(*words: str, mode: str = "auto", **more: str) -> Iterator[Kept]:
    """Like `stdio`, for tests that need no server of their own."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(stdio(*words, mode=mode, **more)) as client,
    ):
        yield Kept(client, portal)


def answers(words: Sequence[str], *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """What a new server answers over stdin and stdout to these calls of tools, one after another."""

    async def talk() -> list[Any]:
        async with stdio(*words) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return run(talk)


@contextmanager
def http(*words: str, within: Sequence[str] = (), program: Sequence[str] = PROGRAM, **more: str) -> Iterator[Served]:
    """A server over HTTP, for as long as it is used; `within` is a command that becomes it."""
    with subprocess.Popen(
        [*within, *program, *words], stderr=subprocess.PIPE, env=environment(**more), text=True, encoding="utf-8"
    ) as process:
        assert process.stderr is not None
        try:
            lines: list[str] = []  # warnings may come first
            while (match := re.search(r"https?://\S+", "".join(lines[-1:]))) is None:
                lines.append(process.stderr.readline())
                assert lines[-1], "".join(lines)
            served = Served(match[0], process.pid, [])
            yield served
        finally:
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=WITHIN)
        served.end.append((process.returncode, errors))


class Raw:
    """A server to which bytes are written and from which lines are read, as no client would do it."""

    def __init__(self, *words: str, program: Sequence[str] = PROGRAM, **more: str) -> None:
        self.process = subprocess.Popen(
            [*program, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(**more),
        )
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self._in, self._out, self._errors = self.process.stdin, self.process.stdout, self.process.stderr

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(WITHIN)
        for pipe in (self._in, self._out, self._errors):
            with suppress(BrokenPipeError):
                pipe.close()

    def send(self, *messages: bytes | dict[str, Any]) -> None:
        """Write lines; a message is written as JSON-RPC."""
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
            self._in.write(line + b"\n")
        self._in.flush()

    def hang_up(self, *, at_once: bool = False) -> tuple[int, bytes, bytes]:
        """End the conversation; return the server's exit status, and the rest of stdout and stderr.

        `at_once`: closes both pipes, as a client that dies does.
        """
        if at_once:
            self._out.close()
        self._in.close()
        status = self.process.wait(WITHIN)
        return status, b"" if at_once else self._out.read(), self._errors.read()

    def read(self) -> dict[str, Any]:
        """The next line that the server writes, which must be a message."""
        line = self._out.readline()
        assert line, self._errors.read().decode()
        message: dict[str, Any] = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def answer(self, number: int | None) -> dict[str, Any]:
        """The next answer to this request; it skips other messages."""
        while "id" not in (message := self.read()) or message["id"] != number:
            pass
        return message

    def initialize(self, version: str = "2025-11-25") -> dict[str, Any]:
        """Shake hands."""
        self.send({**INITIALIZE, "id": 0, "params": {**INITIALIZE["params"], "protocolVersion": version}})
        answer = self.answer(0)
        self.send({"method": "notifications/initialized"})
        return answer

    def call(self, number: int, name: str, arguments: dict[str, Any], **meta: Any) -> None:
        """Ask for a tool without waiting for its answer."""
        parameters: dict[str, Any] = {"name": name, "arguments": arguments}
        if meta:
            parameters["_meta"] = meta
        self.send({"id": number, "method": "tools/call", "params": parameters})


@contextmanager
def raw_mcp(vault: Path, *words: str, **more: str) -> Iterator[Raw]:
    """A server of a vault that sends details, after the handshake."""
    with Raw("--vault", str(vault), "mcp", "--structured", "full", *words, **more) as raw:
        raw.initialize()
        yield raw


def text_of(result: Any) -> str:
    """The text of a tool's result, which has one block of it and nothing else."""
    (block,) = result.content
    assert block.type == "text"
    return str(block.text)


def ripgreps(process: int) -> Sequence[int]:
    """The processes of ripgrep below a process (Linux)."""
    return [number for number, name in below(process).items() if name == "rg"]


def below(process: int) -> dict[int, str]:
    """The names of the processes that a process, or one below it, has started, by number (Linux)."""
    parents, names = {}, {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            stat = status.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        name, rest = stat.partition("(")[2].rpartition(")")[::2]
        number = int(status.parent.name)
        parents[number], names[number] = int(rest.split()[1]), name

    def is_below(number: int) -> bool:
        while number in parents:
            number = parents[number]
            if number == process:
                return True
        return False

    return {number: names[number] for number in parents if is_below(number)}


def free_port() -> int:
    """A port of this machine at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


def connected(port: int, *sent: bytes) -> socket.socket:
    """A connection to a port of this machine, over which these bytes were sent."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=WITHIN)
    for each in sent:
        connection.sendall(each)
    return connection


def said(connection: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    come = b""
    try:
        while piece := connection.recv(1 << 16):
            come += piece
    except ConnectionResetError:
        pass
    return come

"""Serves one client over stdin and stdout, until it goes."""

from __future__ import annotations

import io
import logging
import os
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from threading import Thread
from types import FrameType
from typing import Any, Final, cast

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from vaulttools.core.windows import is_unread
from vaulttools.errors import VaultToolsError
from vaulttools.server.mcp.unreadable import LARGEST, answer_to, answer_to_large

Item = SessionMessage | Exception

_ENDS: Final = 500
"""Bytes kept of each end of a message that is too large, for its id."""

FAILED: Final = 2
"""The exit status of a failure, as for every command."""


def serve(server: Server[Any], stop: Callable[[], None]) -> None:
    """Answer until stdin ends or the reader of stdout goes; then, and on a signal that ends the process, call `stop`.

    From here on file descriptor 1 leads to stderr, so only protocol messages can reach the client (fault-M01). The SDK
    redirects it too, but restores it at the end, when our threads may still write something.

    Raises:
        VaultToolsError: stdin is closed.
    """
    if sys.stdin is None:
        raise VaultToolsError(
            "stdin is closed, but mcp reads the messages of the client from it; without stdin use --http"
        )
    wire, lines = os.dup(1), Lines(os.dup(0))
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # only we read what the client sends

    def exit_now(status: int) -> None:
        stop()
        with suppress(OSError):
            sys.stderr.flush()
        # A thread blocks while it reads stdin. Nothing interrupts it, and a normal exit would wait for it.
        os._exit(status)

    def fail(error: OSError) -> None:
        with suppress(OSError):
            print(f"error: stdout cannot be written to: {error.strerror}", file=sys.stderr)
        exit_now(FAILED)

    def end(number: int, frame: FrameType | None) -> None:
        # In a new thread: the interrupted thread may hold a lock that `stop` needs.
        Thread(target=exit_now, args=(128 + number,)).start()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    try:
        anyio.run(_serve, server, lines, _Wire(wire, fail))
    except* (BrokenPipeError, ConnectionResetError, anyio.BrokenResourceError):
        logging.getLogger("vaulttools").info("the client has gone")
    finally:
        stop()


class Lines:
    """The lines of a client on a descriptor. One that is too large is dropped as it comes."""

    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "rb", closefd=False)  # a thread may still be reading at the end
        self.too_large: deque[JSONRPCError] = deque()
        """The answers to lines that were dropped, in their order; an empty line stands for each."""

    def next(self) -> str:
        """Returns the next line with its end, once it is there; "" at the end of all."""
        line = self._file.readline(LARGEST + 1)
        if len(line) <= LARGEST or line.endswith(b"\n"):
            return line.decode("utf-8", "replace")
        first, last = line[:_ENDS], line[-_ENDS:]
        while not last.endswith(b"\n") and (more := self._file.readline(LARGEST)):
            last = (last + more)[-_ENDS:]
        self.too_large.append(answer_to_large(first, last))
        return "\n"


class _Wire(io.FileIO):
    """The file descriptor of the client; `fail` gets an error in writing to it."""

    def __init__(self, descriptor: int, fail: Callable[[OSError], None]) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._fail = fail

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            if is_unread(error):
                raise BrokenPipeError(*error.args) from error
            self._fail(error)
            raise


async def _serve(server: Server[Any], lines: Lines, wire: _Wire) -> None:
    async def come() -> AsyncIterator[str]:
        while line := await anyio.to_thread.run_sync(lines.next):
            yield line

    stdin = cast("anyio.AsyncFile[str]", come())  # the SDK does no more than iterate
    out = anyio.wrap_file(io.TextIOWrapper(io.BufferedWriter(wire), encoding="utf-8", newline="\n"))
    async with stdio_server(stdin, out) as (read, write), anyio.create_task_group() as group:
        send, receive = anyio.create_memory_object_stream[Item]()

        async def relay() -> None:
            async with send:
                async for item in read:
                    if isinstance(item, Exception):
                        await _answer(item, lines, write)
                    else:
                        await send.send(item)

        group.start_soon(relay)
        await server.run(receive, write, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _answer(fault: Exception, lines: Lines, write: Any) -> None:
    """Answer a line that is not a message as JSON-RPC requires; the SDK is silent (fault-M04)."""
    first = fault.errors(include_url=False)[0] if isinstance(fault, ValidationError) else None
    if first is not None and not str(first["input"]).strip():
        while lines.too_large:
            await write.send(SessionMessage(lines.too_large.popleft()))
        return
    is_json = first is not None and first["type"] != "json_invalid"
    if first is not None and not is_json and (answer := answer_to(str(first["input"]), first["ctx"]["error"])):
        await write.send(SessionMessage(answer))
        return
    code, message = (INVALID_REQUEST, "Invalid request") if is_json else (PARSE_ERROR, "Parse error")
    error = JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=code, message=message))
    await write.send(SessionMessage(error))

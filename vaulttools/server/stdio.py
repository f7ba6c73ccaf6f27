"""The server over stdin and stdout: one client, until it goes."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable
from threading import Thread
from types import FrameType
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

Item = SessionMessage | Exception


def serve(server: Server[Any], stop: Callable[[], None]) -> None:
    """Answer until stdin ends or the reader of stdout goes; then, and when a signal ends the process, call `stop`.

    From here on file descriptor 1 leads to stderr, so that nothing but the protocol can reach the client (`faults.md`
    M01). The SDK does so too, but gives it back at the end, when threads of ours may still have something to say.
    """
    wire = os.dup(1)
    os.dup2(2, 1)

    def ended(number: int) -> None:
        stop()
        sys.stderr.flush()
        # A thread is blocked in reading stdin, which nothing interrupts and a proper exit would wait for.
        os._exit(128 + number)

    def end(number: int, frame: FrameType | None) -> None:
        # In a thread of its own: the one that is interrupted may hold a lock that `stop` needs.
        Thread(target=ended, args=(number,)).start()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    try:
        anyio.run(_serve, server, wire)
    except* (BrokenPipeError, ConnectionResetError, anyio.BrokenResourceError):
        logging.getLogger("vaulttools").info("the client has gone")
    finally:
        stop()


async def _serve(server: Server[Any], wire: int) -> None:
    out = anyio.wrap_file(os.fdopen(wire, "w", encoding="utf-8", newline="\n", closefd=False))
    async with stdio_server(stdout=out) as (read, write), anyio.create_task_group() as group:
        send, receive = anyio.create_memory_object_stream[Item]()

        async def relay() -> None:
            async with send:
                async for item in read:
                    if isinstance(item, Exception):
                        await _answer(item, write)
                    else:
                        await send.send(item)

        group.start_soon(relay)
        await server.run(receive, write, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _answer(fault: Exception, write: Any) -> None:
    """Tell the client of a line that was no message, as JSON-RPC has it; the SDK is silent (`faults.md` M04)."""
    first = fault.errors(include_url=False)[0] if isinstance(fault, ValidationError) else None
    if first is not None and not str(first["input"]).strip():
        return
    is_json = first is not None and first["type"] != "json_invalid"
    code, message = (INVALID_REQUEST, "Invalid request") if is_json else (PARSE_ERROR, "Parse error")
    error = JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=code, message=message))
    await write.send(SessionMessage(error))

"""Runs a contestant and measures its processes with the numbers of Linux."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from benchmarks.comparing.contestant import Call, Contestant, Result

IDLE: Final = 2.0
"""A server that does nothing for so many seconds is ready: some servers look for changes once a second."""

LONGEST: Final = 300.0
"""The most seconds for the work that a server does by itself."""


class ServerGone(Exception):
    """The server has ended by itself."""


class Server:
    """A contestant's MCP server over stdin and stdout; a program that is no server runs for each call."""

    def __init__(self, contestant: Contestant, folder: Path) -> None:
        self.started = time.monotonic()
        self.peak = 0.0
        """Megabytes of memory, at most, of all processes together; shared pages count in each that has them."""
        self._run = contestant.run
        self._process: subprocess.Popen[bytes] | None = None
        self._is_over = threading.Event()
        if self._run is None:
            self._process = subprocess.Popen(
                contestant.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **contestant.environment},
                cwd=folder,
                start_new_session=True,
            )
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        self._number = 0
        if self._process is not None:
            info = {"name": "compare", "version": "0"}
            self._ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info})
            self._send({"method": "notifications/initialized"})
        self.ready = time.monotonic() - self.started
        """Seconds until the server was ready for requests."""

    def call(self, asked: Call) -> Result:
        """The result of a tool; a protocol error is a result with `isError`."""
        if self._run is not None:
            return self._run(asked)
        return self._ask("tools/call", {"name": asked[0], "arguments": asked[1]})

    def settle(self) -> None:
        """Wait until its processes neither work nor want to for `IDLE` seconds.

        Their processor time does not show it: on a busy machine they get no time and still have work.
        """
        last, idle_since = _ticks(self._family()), time.monotonic()
        while time.monotonic() - idle_since < IDLE and time.monotonic() - self.started < LONGEST:
            time.sleep(0.05)
            family = self._family()
            now = _ticks(family)
            if now - last > 1 or _wants_processor(family):
                idle_since = time.monotonic()
            last = now

    def _ask(self, method: str, parameters: dict[str, Any]) -> Result:
        """The result of a request; requests and notifications of the server are not answered."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        assert self._process is not None and self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._number and "method" not in answer:
                result: Result = answer.get("result") or {"isError": True, "content": []}
                return result
        raise ServerGone

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def _family(self) -> list[int]:
        """Its processes: all below the server, or below this process if the program runs for each call."""
        return family_of(os.getpid())[1:] if self._process is None else family_of(self._process.pid)

    def _watch(self) -> None:
        while not self._is_over.wait(0.1):
            self.peak = max(self.peak, sum(map(_resident, self._family())))

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self._is_over.set()
        self._watcher.join()
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


def cpu() -> float:
    """Seconds of processor time of all children that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def family_of(root: int) -> list[int]:
    """A process and all below it."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        if stat := _stat(folder / "stat"):
            parents[int(folder.name)] = int(stat[1])
    family = [root]
    for member in family:
        family += [child for child, parent in parents.items() if parent == member]
    return family


def _stat(file: Path) -> list[str]:
    """The fields behind the name of a process or thread; empty when it has gone."""
    try:
        return file.read_text("utf-8").rpartition(")")[2].split()
    except (OSError, ValueError):
        return []


def _resident(process: int) -> float:
    stat = _stat(Path(f"/proc/{process}/stat"))
    return int(stat[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6 if stat else 0.0


def _wants_processor(family: Sequence[int]) -> bool:
    """Whether a thread of some processes runs, waits for its turn, or waits for the disk."""
    threads = (_stat(file) for process in family for file in Path(f"/proc/{process}/task").glob("*/stat"))
    return any(stat and stat[0] in "RD" for stat in threads)


def _ticks(family: Sequence[int]) -> int:
    """The processor time of those processes that are alive, in hundredths of a second."""
    return sum(int(stat[11]) + int(stat[12]) for process in family if (stat := _stat(Path(f"/proc/{process}/stat"))))

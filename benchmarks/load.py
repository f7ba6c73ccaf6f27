"""Many clients at once over HTTP, with all kinds of calls, while notes change: nothing may fail; measures latency.

`python benchmarks/load.py [VAULT] [--clients N] [--seconds S] [--notes N] [--old PATH]`

Without a vault, one of N notes is made. With PATH, a checkout of an older version with its environment in `.venv`, both
versions are served in turn, over MCP alone, with the calls that version 0.1 answers. No search uses meaning then: 0.1
does not have it, and embedding the notes takes a core for minutes.

Every client of `vaulttools serve` calls one tool after another over MCP, each from its own place in the rotation, with
requests for files, searches and pages over REST between them. At the same time a writer puts a new word into a note
again and again, and searches for it. An answer without the word is an error too: a call sees what was written before
it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

import httpx2

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT / "fixtures"), str(PROJECT)]  # scripts beside the package, not a part of it

from make_vault import make_vault  # noqa: E402

from benchmarks.served import processor_time  # noqa: E402
from vaulttools import Vault  # noqa: E402
from vaulttools.core import limits  # noqa: E402

CALLS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("search_files", {"pattern": "question"}),
    ("find", {"paths": "**/*.md", "limit": 20}),
    ("grep", {"pattern": r"\w{14}", "max_results": 20}),
    ("tags", {}),
    ("search", {"pattern": "TODO", "i": True}),
    ("properties", {"limit": 10}),
    ("query", {"query": "task-todo:call", "mode": "obsidian"}),
    ("search_files", {"pattern": "zqxjzqxj"}),
    ("links", {"direction": "unresolved", "limit": 10}),
    ("survey", {"terms": ["question", "answer"]}),
    ("read", {"note": "load.md"}),
    ("read", {"notes": ["load.md", "load#Load"], "frontmatter": False}),
    ("outline", {"note": "load.md"}),
    ("query", {"query": "which question has an answer"}),
    ("tasks", {"limit": 20}),
    ("base", {"where": 'file.hasTag("work")', "limit": 20}),
    ("context", {"question": "what is the answer", "max_chars": 3_000}),
)

OLD_CALLS: Final = tuple(
    call for call in CALLS if call[0] not in ("tasks", "base", "context") and "notes" not in call[1]
)
"""The calls that version 0.1 answers."""

RULE: Final = {"in": ["question", {"var": "content"}]}

REQUESTS: Final[tuple[tuple[str, str, dict[str, Any]], ...]] = (
    ("GET", "/vault/load.md", {}),
    ("GET", "/vault/load.md", {"headers": {"Accept": "application/vnd.olrapi.note+json"}}),
    ("POST", "/search/simple/?query=question%20answer", {}),
    ("POST", "/search/", {"json": RULE, "headers": {"Content-Type": "application/vnd.olrapi.jsonlogic+json"}}),
    ("GET", "/tags/", {}),
    ("GET", "/ui/?q=which+question+has+an+answer", {}),
    ("GET", "/ui/note/load.md", {}),
    ("GET", "/ui/tasks", {}),
)
"""REST and pages: method, path, and what else the client sends."""

ROUNDS: Final = 2
"""How often each of two versions is served, in turn."""

BUSY: Final = "The server is busy"
"""Beginning of a refusal after which the client may ask again."""

EDIT_SECONDS: Final = 1.0
"""Between two edits. Each forces answers about all notes to be updated: `links` takes a second for 10,000."""


@dataclass(slots=True)
class RunLog:
    """What one run measured."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    """How long each call of a tool took."""
    errors: list[str] = field(default_factory=list)
    again: int = 0
    """Requests to repeat: REST found nothing within its five seconds, or the server was busy, over MCP too."""
    memory: list[int] = field(default_factory=list)
    """MiB of the server, once a second (Linux)."""
    processor: float = 0.0
    """Seconds of processor time of the server and its ripgreps."""

    @property
    def calls(self) -> int:
        """Number of answered calls."""
        return sum(map(len, self.seconds.values()))


@dataclass(frozen=True, slots=True)
class Served:
    """How a vault is served, and what the clients ask."""

    python: str = sys.executable
    command: Sequence[str] = ("serve", ":0", "--structured", "full", "--tools", "all")
    calls: Sequence[tuple[str, dict[str, Any]]] = CALLS
    requests: Sequence[tuple[str, str, dict[str, Any]]] = REQUESTS


class _Client:
    """One client with its own session."""

    def __init__(self, http: httpx2.AsyncClient, url: str) -> None:
        self._http = http
        self._url = f"{url}/mcp"
        self._root = url
        self._numbers = count(1)
        self._headers = {"Accept": "application/json, text/event-stream"}

    async def start(self) -> None:
        info = {"name": "load", "version": "0"}
        asked = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
        answer = await self._post({"id": 0, "method": "initialize", "params": asked})
        self._headers["Mcp-Session-Id"] = answer.headers["mcp-session-id"]
        self._headers["Mcp-Protocol-Version"] = "2025-11-25"
        await self._post({"method": "notifications/initialized"})

    async def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        parameters = {"name": name, "arguments": arguments}
        answer = await self._post({"id": next(self._numbers), "method": "tools/call", "params": parameters})
        (data,) = (line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: {"))
        result: dict[str, Any] = json.loads(data)["result"]
        return result

    async def request(self, method: str, path: str, given: dict[str, Any]) -> httpx2.Response:
        return await self._http.request(method, f"{self._root}{path}", **given)

    async def _post(self, message: dict[str, Any]) -> httpx2.Response:
        answer = await self._http.post(self._url, json={"jsonrpc": "2.0", **message}, headers=self._headers)
        answer.raise_for_status()
        return answer


def load(folder: Path, *, clients: int, seconds: float, served: Served | None = None) -> RunLog:
    """Serves the vault at a folder, after adding `load.md` to it, and calls it."""
    served = served or Served()
    (folder / "load.md").write_text("# Load\nword0\n", encoding="utf-8")
    before = processor_time()
    # -P: the folder where the benchmark starts holds this version.
    command = [served.python, "-P", "-m", "vaulttools", "--vault", str(folder), *served.command]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8") as server:
        assert server.stderr is not None
        try:
            address = re.search(r"http://[^/\s]+", server.stderr.readline())
            assert address is not None
            log = asyncio.run(_called(address[0], folder, server.pid, clients, seconds, served))
        finally:
            server.terminate()
            _, rest = server.communicate()
    log.processor = processor_time() - before
    log.errors += [line for line in rest.splitlines() if "Error" in line or "Traceback" in line]
    return log


async def _called(url: str, folder: Path, server: int, clients: int, seconds: float, served: Served) -> RunLog:
    log = RunLog()
    limit = httpx2.Limits(max_connections=clients + 1)
    async with httpx2.AsyncClient(limits=limit, timeout=120) as http, asyncio.TaskGroup() as group:
        started = [_Client(http, url) for _ in range(clients + 1)]
        await asyncio.gather(*(client.start() for client in started))
        end = time.monotonic() + seconds
        group.create_task(_watch(server, end, log))
        group.create_task(_edit(started[0], folder / "load.md", end, log))
        for number, client in enumerate(started[1:]):
            group.create_task(_ask(client, number, end, log, served))
    return log


async def _ask(client: _Client, number: int, end: float, log: RunLog, served: Served) -> None:
    while time.monotonic() < end:
        place = number % (len(served.calls) + len(served.requests))
        number += 1
        if place >= len(served.calls):
            await _requested(client, *served.requests[place - len(served.calls)], log)
            continue
        name, arguments = served.calls[place]
        result = await _timed(client, name, arguments, log)
        text = result["content"][0]["text"]
        if result["isError"] or len(text.encode()) > limits.TEXT_BYTES:
            log.errors.append(f"{name}: {text[:200]}")


async def _edit(client: _Client, note: Path, end: float, log: RunLog) -> None:
    for number in count(1):
        if time.monotonic() >= end:
            return
        with note.open("a", encoding="utf-8") as file:
            file.write(f"word{number}\n")
        result = await _timed(client, "search_files", {"pattern": f"word{number}$"}, log)
        if result["isError"] or result["structuredContent"]["total_files"] != 1:
            log.errors.append(f"word{number} was written and not found: {result['content'][0]['text'][:200]}")
        await asyncio.sleep(EDIT_SECONDS)


async def _requested(client: _Client, method: str, path: str, given: dict[str, Any], log: RunLog) -> None:
    began = time.perf_counter()
    answer = await client.request(method, path, given)
    log.seconds.setdefault(named(method, path), []).append(time.perf_counter() - began)
    if answer.status_code == 503 and "retry-after" in answer.headers:
        log.again += 1
    elif answer.status_code != 200:
        log.errors.append(f"{named(method, path)}: {answer.status_code} {answer.text[:200]}")


def named(method: str, path: str) -> str:
    """Returns the name of a request in the table."""
    return f"{method} {path.partition('?')[0]}"


async def _timed(client: _Client, name: str, arguments: dict[str, Any], log: RunLog) -> dict[str, Any]:
    began = time.perf_counter()
    while (result := await client.call(name, arguments))["isError"] and BUSY in result["content"][0]["text"]:
        log.again += 1
    log.seconds.setdefault(name, []).append(time.perf_counter() - began)
    return result


async def _watch(server: int, end: float, log: RunLog) -> None:
    status = Path(f"/proc/{server}/status")
    while time.monotonic() < end and status.exists():
        match = re.search(r"VmRSS:\s+(\d+)", status.read_text(encoding="utf-8"))
        if match:
            log.memory.append(int(match[1]) // 1024)
        await asyncio.sleep(1)


def table(log: RunLog) -> list[str]:
    """Returns the latencies as Markdown."""
    rows = ["| asked | calls | median, ms | 95 of 100, ms | longest, ms |", "|---|--:|--:|--:|--:|"]
    for name, taken in sorted(log.seconds.items()):
        ordered = sorted(taken)
        middle, most = statistics.median(ordered), ordered[len(ordered) * 95 // 100]
        rows.append(
            f"| `{name}` | {len(ordered):,} | {middle * 1e3:.0f} | {most * 1e3:.0f} | {ordered[-1] * 1e3:.0f} |"
        )
    return rows


def compared(folder: Path, old: Path, *, clients: int, seconds: float) -> tuple[list[str], list[str]]:
    """Serves both versions in turn; returns the table as Markdown, and what failed. No search uses meaning."""
    os.environ["VAULTTOOLS_MEANING"] = "off"
    python = str(old / ".venv/bin/python")
    build = [python, "-P", "-m", "vaulttools", "--vault", str(folder), "index", "build"]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    usage = subprocess.run([python, "-P", "-m", "vaulttools", "mcp", "--help"], check=True, capture_output=True)
    mcp = ("mcp", "--tools", "all", "--http", ":0")
    full = (*mcp, "--structured", "full")
    versions = {
        "old": Served(python, full if b"--structured" in usage.stdout else mcp, OLD_CALLS, ()),  # 0.1 gives it unasked
        "new": Served(command=full, calls=OLD_CALLS, requests=()),
    }
    runs: dict[str, list[RunLog]] = {name: [] for name in versions}
    for _ in range(ROUNDS):
        for name, served in versions.items():
            runs[name].append(load(folder, clients=clients, seconds=seconds, served=served))
    both = list(runs.values())
    rows: dict[str, list[float]] = {
        "calls a second": [sum(log.calls for log in each) / seconds / ROUNDS for each in both],
        "processor time a call, ms": [
            sum(log.processor for log in each) / max(1, sum(log.calls for log in each)) * 1e3 for each in both
        ],
        "memory at most, MiB": [max((most for log in each for most in log.memory), default=0) for each in both],
    }
    for tool in sorted({name for name, _ in OLD_CALLS}):
        taken = [sorted(seconds for log in each for seconds in log.seconds.get(tool, ())) for each in both]
        rows[f"`{tool}`, median, ms"] = [statistics.median(times) * 1e3 for times in taken]
        rows[f"`{tool}`, 95 of 100, ms"] = [times[len(times) * 95 // 100] * 1e3 for times in taken]
    lines = ["| in turn | old | new |", "|---|--:|--:|"]
    lines += [f"| {name} | {' | '.join(f'{number:,.1f}' for number in numbers)} |" for name, numbers in rows.items()]
    return lines, [f"{name}: {error}" for name, each in runs.items() for log in each for error in log.errors]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs, and prints the table; the exit status is 1 if anything failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("vault", nargs="?", type=Path, help="a folder of notes, which is copied")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--old", type=Path, help="compare with the version checked out there")
    asked = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["XDG_CACHE_HOME"] = str(Path(temporary, "cache"))
        folder = Path(temporary, "vault")
        if asked.vault is None:
            make_vault(folder, asked.notes)
        else:
            shutil.copytree(asked.vault, folder)
        notes = sum(1 for _ in folder.rglob("*.md"))
        with Vault.open(folder) as vault:
            vault.build_index()
        print(f"- {asked.clients} clients for {asked.seconds:g} s over {notes:,} notes, {os.cpu_count()} cores")
        if asked.old is not None:
            lines, errors = compared(folder, asked.old.resolve(), clients=asked.clients, seconds=asked.seconds)
        else:
            log = load(folder, clients=asked.clients, seconds=asked.seconds)
            lines, errors = [*_summary(log, asked.seconds), "", *table(log)], log.errors
    print("\n".join(lines))
    for error in errors[:20]:
        print(error, file=sys.stderr)
    return 1 if errors else 0


def _summary(log: RunLog, seconds: float) -> list[str]:
    each = log.processor / max(log.calls, 1) * 1e3
    lines = [
        f"- {log.calls:,} calls, {log.calls / seconds:.0f} a second",
        f"- {len(log.errors)} errors, {log.again} requests to be asked again",
        f"- processor time of the server and its ripgreps: {log.processor:.0f} s, {each:.0f} ms a call",
    ]
    if log.memory:
        half, end = log.memory[len(log.memory) // 2], log.memory[-1]
        lines.append(
            f"- memory of the server: {half} MiB half way, {end} MiB at the end, {max(log.memory)} MiB at most"
        )
    return lines


if __name__ == "__main__":
    sys.exit(main())

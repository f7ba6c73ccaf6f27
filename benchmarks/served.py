"""The MCP server as a client sees it: time from its start to its first answer, and the cost of a call."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from vaulttools import Vault
from vaulttools.call import Call
from vaulttools.core.work import Work
from vaulttools.server.rest import searches, simple
from vaulttools.session import Session

STARTS: Final = 5
ASKED: Final = 5
CALLS: Final = 60

VERSION: Final = "2025-11-25"


class Server:
    """A server over stdin and stdout, addressed line by line, so that no client library is measured."""

    def __init__(self, command: Sequence[str], folder: Path, configuration: Path, cache: Path) -> None:
        variables = {"XDG_CONFIG_HOME": str(configuration), "XDG_CACHE_HOME": str(cache)}
        self._process = subprocess.Popen(
            [*command, "--vault", str(folder), "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **variables},
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self._number = 0
        info = {"name": "benchmark", "version": "0"}
        self.ask("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": info})
        self._send({"method": "notifications/initialized"})

    def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """Returns the result of a request."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        answer: dict[str, Any] = json.loads(self._out.readline())
        assert answer["id"] == self._number and not answer["result"].get("isError"), answer
        result: dict[str, Any] = answer["result"]
        return result

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Returns the result of a tool."""
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def _send(self, message: dict[str, Any]) -> None:
        self._in.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._in.flush()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._in.close()
        self._process.wait()
        self._out.close()


def table(command: Sequence[str], vault: Vault, index_folder: str, temporary: Path, word: str) -> list[str]:
    """Returns the rows as Markdown; the vault's index is in the folder, and up to date."""
    configuration = temporary / "configuration"
    (configuration / "vaulttools").mkdir(parents=True)
    with (configuration / "vaulttools" / "vaulttools.toml").open("w", encoding="utf-8") as file:
        file.write(f"[measured]\npath = {json.dumps(str(vault.path))}\nindex_folder = {json.dumps(index_folder)}\n")
    arguments = {"pattern": word}

    def start(configured: Path) -> tuple[float, float]:
        """Returns seconds to the first answer, and of processor time to the end; the server has its own cache."""
        used, began = processor_time(), time.perf_counter()
        with (
            tempfile.TemporaryDirectory(dir=temporary) as cache,
            Server(command, vault.path, configured, Path(cache)) as server,
        ):
            server.call("search_files", arguments)
            answered = time.perf_counter()
        return answered - began, processor_time() - used

    with_index = [start(configuration) for _ in range(STARTS)]
    without = [start(temporary / "none") for _ in range(STARTS)]
    over: list[float] = []
    python: list[float] = []
    with Server(command, vault.path, configuration, temporary / "cache") as server:
        for _ in range(CALLS):
            for side, call in ((over, server.call), (python, vault.call)):
                call("search_files", arguments)  # the first call after the other side's finds cold caches
                began = time.perf_counter()
                call("search_files", arguments)
                side.append(time.perf_counter() - began)
    median = {"over": statistics.median(over) * 1e3, "python": statistics.median(python) * 1e3}
    return [
        "| the MCP server | median |",
        "|---|--:|",
        *_started("with the index", with_index),
        *_started("without one", without),
        f"| `search_files`, a rare word (`{word}`), over stdin and stdout | {median['over']:.2f} ms |",
        f"| the same in Python | {median['python']:.2f} ms |",
        f"| what the server adds | {median['over'] - median['python']:.2f} ms |",
    ]


def rest_table(vault: Vault, rare: str, common: str) -> list[str]:
    """Returns the rows of REST's searches as Markdown, each warm, without the connection."""
    session = vault.session
    content = {"var": "content"}
    rules: dict[str, Any] = {
        "a tag rule": {"in": ["project", {"var": "tags"}]},
        "`glob` of paths": {"glob": ["*/a*.md", {"var": "path"}]},
        "`regexp` over content with a literal": {"regexp": [rf"\b{rare}\b", content]},
        "`regexp` over content without one": {"regexp": [r"[0-9]{4}-[0-9]{2}", content]},
    }
    words = {"a rare word": rare, "a common word": common, "four stop words": "the of and in"}
    calls: dict[str, Callable[[], object]] = {
        **{f"`search/simple`, {what}": partial(_simple, session, query) for what, query in words.items()},
        **{f"JsonLogic, {what}": partial(_by_rule, session, rule) for what, rule in rules.items()},
    }
    rows = []
    for what, call in calls.items():
        call()
        used, began = time.process_time() + processor_time(), time.perf_counter()
        for _ in range(ASKED):
            call()
        took, cpu = time.perf_counter() - began, time.process_time() + processor_time() - used
        rows.append(f"| {what} | {took / ASKED * 1e3:.0f} ms | {cpu / ASKED * 1e3:.0f} ms |")
    return ["| REST, warm | a call | of processor time |", "|---|--:|--:|", *rows]


def _simple(session: Session, query: str) -> object:
    return simple.search(Call(session, Work()), query, 100)


def _by_rule(session: Session, rule: Any) -> object:
    return searches.by_rule(Call(session, Work()), rule)


def _started(how: str, starts: Sequence[tuple[float, float]]) -> list[str]:
    seconds, processor = (statistics.median(side) for side in zip(*starts, strict=True))
    return [f"| start to the first answer, {how} | {seconds:.2f} s ({processor:.2f} s of processor time to the end) |"]


def processor_time() -> float:
    """Returns seconds of processor time of all processes that were waited for."""
    used = os.times()
    return used.children_user + used.children_system

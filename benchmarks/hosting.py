"""A host of many vaults with many users: memory, latency, and that no answer comes from another user's vault.

`python benchmarks/hosting.py [--vaults N] [--notes N] [--users N] [--seconds S] [--open N] [--folder DIR] [--warm]`

Every vault holds a unique word. Each user has a token for five vaults, more often for the first than for the last ones
(as 1/rank), works in one of them for about ten calls, then in another, and asks every 5 to 15 seconds. One call in
twenty is for a vault that the token does not allow. The run ends if an answer holds a word of another vault, lacks the
word that it must hold, or reveals a forbidden vault.

The indexes are new, except with --warm: then those of all used vaults are made, or kept, before the users come. With
--folder the vaults and indexes stay there for the next run. If the extra `semantic` is installed, set
VAULTTOOLS_MEANING=off to measure the server without it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx2

from vaulttools.server.tokens import TokenFile

SYLLABLES: Final = re.findall(r"\w+", "ka lo mi ren tos vel dun sar pi qua nor est fil gam hul jin")
MARK: Final = re.compile(r"word\d+x")
PAUSE: Final = (5.0, 15.0)
"""Seconds between an answer and the user's next question."""
VAULTS: Final = 5
"""Vaults that a token allows."""
MOVES: Final = 0.1
"""Share of the questions before which a user goes to another vault."""
ARRIVING: Final = 0.1
"""Share of the time in which the users come."""
HELLO: Final = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "user", "version": "0"}}


class Question(NamedTuple):
    """A question that users ask."""

    name: str
    often: int
    method: str
    path: str
    body: str | None
    is_marked: bool
    """Whether the answer must hold the vault's word."""


PART: Final = "the search is incomplete"
"""An answer that time cut holds this, in any case; it may hold nothing else yet."""

JSONLOGIC: Final = "application/vnd.olrapi.jsonlogic+json"
QUESTIONS: Final = (
    Question("read", 6, "GET", "/vault/Area {digit}/note-{digit}.md", None, True),
    Question("list", 2, "GET", "/vault/Area {digit}/", None, False),
    Question("simple", 2, "POST", "/search/simple/?query={word}", None, False),
    Question("simple, in every note", 1, "POST", "/search/simple/?query=needle", None, True),
    Question("smart", 2, "POST", "/search/smart", '{"query": "what is {word} of {word}"}', False),
    Question("smart, in every note", 1, "POST", "/search/smart", '{"query": "where is the needle"}', True),
    Question("jsonlogic", 1, "POST", "/search/", '{"and": [{"in": ["t{digit}", {"var": "tags"}]}]}', False),
    Question("tags", 1, "GET", "/tags/", None, False),
    Question("mcp query", 3, "MCP", "query", '{"query": "needle {word}", "limit": 3}', True),
    Question("mcp search_files", 1, "MCP", "search_files", '{"pattern": "needle is"}', True),
)


def vocabulary(chance: random.Random, size: int) -> list[str]:
    """Returns words of two to four syllables."""
    return ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(size)]


GENERAL: Final = vocabulary(random.Random(-1), 4_000)
"""Words that all vaults may share."""


def made(folder: Path, number: int, notes: int) -> None:
    """Makes a vault of different notes of 1 KiB: properties, headings, sentences, links, tags and tasks."""
    chance = random.Random(number)
    mark = f"word{number}x"
    words = vocabulary(chance, 600)
    sentences = []
    for _ in range(400):
        some = chance.choices(GENERAL, k=7) + chance.choices(words, k=5)
        chance.shuffle(some)
        sentences.append(" ".join(some).capitalize() + ".")
    folder.mkdir(parents=True)
    for area in range(10):
        (folder / f"Area {area}").mkdir()
    for note in range(notes):
        body = chance.choices(sentences, k=chance.randint(3, 12))
        cut = len(body) // 2
        status = chance.choice(("open", "done", "idea"))
        text = (
            f"---\nstatus: {status}\nnumber: {note}\ntags: [t{note % 7}, common]\n---\n# Note {note} of {mark}\n\n"
            f"{' '.join(body[:cut])} The needle is {mark} here. See [[note-{chance.randrange(notes)}]] and "
            f"[[note-{chance.randrange(notes)}]].\n\n## {chance.choice(words).capitalize()} {note}\n\n"
            f"{' '.join(body[cut:])} #area{note % 10}\n\n- [ ] task {chance.choice(words)}\n"
        )
        (folder / f"Area {note % 10}" / f"note-{note}.md").write_text(text, encoding="utf-8")


class Used(NamedTuple):
    """Resources of the processes of a server."""

    memory: int
    """Resident MiB."""
    seconds: float
    """Processor time of the server and of children that it has waited for."""


def used(process: int) -> Used:
    """Returns what a process and its children use now."""
    own = _status(Path(f"/proc/{process}/status"))
    total = own["VmRSS"]
    for each in map(_status, Path("/proc").glob("[0-9]*/status")):
        # A starting process still shows all memory of its parent as its own.
        if each.get("PPid") == process and each.get("VmSize") != own["VmSize"]:
            total += each.get("VmRSS", 0)
    times = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:15]
    return Used(total // 1024, sum(map(int, times)) / os.sysconf("SC_CLK_TCK"))


def _status(file: Path) -> dict[str, int]:
    """Returns the numbers of a process from the system; empty if the process is gone."""
    try:
        return {name: int(value) for name, value in re.findall(r"(?m)^(\w+):\s+(\d+)", file.read_text("utf-8"))}
    except OSError:
        return {}


@dataclass
class RunLog:
    """What one run measured."""

    begun: float
    early: float
    """Length of the first phase, in which users meet most vaults for the first time; it is reported apart."""
    times: dict[tuple[str, bool], list[float]] = field(default_factory=dict)
    """By question and phase (True: early), the seconds to the answer."""
    statuses: dict[bool, Counter[str]] = field(default_factory=lambda: {True: Counter(), False: Counter()})
    vaults: set[int] = field(default_factory=set)
    foreign: int = 0
    memory: int = 0

    def note(self, question: str, start: float, status: str) -> None:
        """Records an answer."""
        is_early = start - self.begun < self.early
        self.times.setdefault((question, is_early), []).append(time.monotonic() - start)
        self.statuses[is_early][status] += 1


class User:
    """A user with a token."""

    def __init__(self, client: httpx2.AsyncClient, number: int, token: str, vaults: Sequence[int], all_: int) -> None:
        self._client = client
        self._chance = random.Random(number)
        self._headers = {"Authorization": f"Bearer {token}"}
        self._vaults = vaults
        self._all = all_
        self._session: str | None = None
        self._asked = 0

    async def work(self, ends: float, log: RunLog) -> None:
        """Asks until the end."""
        chance = self._chance
        await asyncio.sleep(chance.uniform(0, (ends - time.monotonic()) * ARRIVING))
        vault = self._vaults[0]
        while time.monotonic() < ends:
            if chance.random() < MOVES:
                vault = chance.choice(self._vaults)
            (question,) = chance.choices(QUESTIONS, [each.often for each in QUESTIONS])
            log.vaults.add(vault)
            start = time.monotonic()
            try:
                status, text = await self._answer(question, vault)
            except httpx2.ReadTimeout:
                status, text = f"{question.name}: none in a minute", ""
            if status == "200" and PART in text.lower():
                status = "part"
            log.note(question.name, start, status)
            assert set(MARK.findall(text)) <= {f"word{vault}x"}, text
            if question.is_marked and status == "200":
                assert f"word{vault}x" in text, (question, text)
            if chance.random() < 0.05 and len(self._vaults) < self._all:
                foreign = chance.choice([each for each in range(self._all) if each not in self._vaults])
                status, text = await self._answer(question, foreign)
                assert status in ("404", "refused") and not MARK.search(text), (status, text)
                log.foreign += 1
            await asyncio.sleep(chance.uniform(*PAUSE))

    async def _answer(self, question: Question, vault: int) -> tuple[str, str]:
        """Returns the status and text of an answer; for MCP, `refused` is an error of the tool."""
        digit = str(self._chance.randrange(7))  # only one digit: the folder of a note is its last digit

        def filled(text: str) -> str:
            while "{word}" in text:
                text = text.replace("{word}", self._chance.choice(GENERAL), 1)
            return text.replace("{digit}", digit)

        path, body = filled(question.path), None if question.body is None else filled(question.body)
        if question.method == "MCP":
            assert body is not None
            return await self._called(path, {**json.loads(body), "vault": f"v{vault}"})
        headers = {**self._headers, "Content-Type": JSONLOGIC}
        answer = await self._client.request(question.method, f"/v/v{vault}{path}", headers=headers, content=body)
        return str(answer.status_code), answer.text

    async def _called(self, tool: str, arguments: dict[str, Any]) -> tuple[str, str]:
        """Calls a tool over MCP, in a lasting session."""
        if self._session is None:
            first = await self._post("initialize", HELLO)
            self._session = first.headers["mcp-session-id"]
        answer = await self._post("tools/call", {"name": tool, "arguments": arguments})
        return ("refused" if '"isError":true' in answer.text else str(answer.status_code)), answer.text

    async def _post(self, method: str, parameters: dict[str, Any]) -> httpx2.Response:
        headers = {**self._headers, "Accept": "application/json, text/event-stream"}
        if self._session is not None:
            headers["Mcp-Session-Id"] = self._session
        self._asked += 1
        message = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": parameters}
        return await self._client.post("/mcp", json=message, headers=headers)


async def run(url: str, process: int, tokens: dict[str, list[int]], vaults: int, seconds: float) -> RunLog:
    """Runs all users; returns what was measured."""
    log = RunLog(time.monotonic(), seconds / 5)
    ends = log.begun + seconds
    limits = httpx2.Limits(max_connections=len(tokens))
    async with httpx2.AsyncClient(base_url=url, timeout=60, limits=limits) as client, asyncio.TaskGroup() as group:
        for number, (token, named) in enumerate(tokens.items()):
            group.create_task(User(client, number, token, named, vaults).work(ends, log))
        while time.monotonic() < ends:
            log.memory = max(log.memory, (await asyncio.to_thread(used, process)).memory)
            await asyncio.sleep(1)
    return log


def indexed(folder: Path, variables: dict[str, str]) -> None:
    """Builds the index of a vault."""
    command = [sys.executable, "-m", "vaulttools", "--vault", str(folder), "index", "build"]
    subprocess.run(command, env=variables, check=True, capture_output=True)


def main() -> None:
    """Runs, and prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--vaults", type=int, default=1_000)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--open", type=int, default=64)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--warm", action="store_true")
    given = parser.parse_args()
    with nullcontext(given.folder) if given.folder else tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for number in range(given.vaults):
            if not (folder / "vaults" / f"v{number}").exists():
                made(folder / "vaults" / f"v{number}", number, given.notes)
        chance = random.Random(0)
        weights = [1 / rank for rank in range(1, given.vaults + 1)]
        (folder / "tokens.json").unlink(missing_ok=True)
        file = TokenFile(folder / "tokens.json")
        tokens: dict[str, list[int]] = {}
        for number in range(given.users):
            named: dict[int, None] = {}
            while len(named) < min(VAULTS, given.vaults):
                named.update(dict.fromkeys(chance.choices(range(given.vaults), weights)))
            tokens[file.add(f"user{number}", [f"v{each}" for each in named])] = list(named)
        variables = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
        if given.warm:
            in_use = {vault for named in tokens.values() for vault in named}
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(lambda vault: indexed(folder / "vaults" / f"v{vault}", variables), in_use))
        else:
            shutil.rmtree(folder / "cache", ignore_errors=True)
        command = [sys.executable, "-m", "vaulttools", "serve", ":0", "--vaults-root", str(folder / "vaults")]
        command += ["--tokens", str(folder / "tokens.json"), "--open-vaults", str(given.open)]
        with (folder / "log").open("w+", encoding="utf-8") as errors:
            process = subprocess.Popen(command, stderr=errors, env=variables)
            try:
                while not (match := re.search(r"https?://[^/]+", (folder / "log").read_text(encoding="utf-8"))):
                    time.sleep(0.2)
                log = asyncio.run(run(match[0], process.pid, tokens, given.vaults, given.seconds))
                last = used(process.pid)
            finally:
                process.terminate()
                process.wait()
    print(f"{given.vaults} vaults of {given.notes} notes, {given.users} users, {given.seconds:g} s, {given.open} open")
    print(f"{'warm' if given.warm else 'cold'}: {len(log.vaults)} vaults asked, {log.foreign} forbidden ones refused")
    print(f"memory: at most {log.memory} MiB, {last.memory} at the end; processor time: {last.seconds:.0f} s")
    for is_early in (True, False):
        when = f"the first {log.early:g} s" if is_early else "after them"
        print(f"\n{when}: answers by status {dict(log.statuses[is_early])}")
        asked = {name: taken for (name, early), taken in sorted(log.times.items()) if early == is_early}
        for name, times in {**asked, "all": [each for taken in asked.values() for each in taken]}.items():
            if times:
                ranks = statistics.quantiles(times, n=100) if len(times) > 1 else [times[0]] * 99
                p50, p95, p99 = (f"{ranks[place] * 1000:7.0f}" for place in (49, 94, 98))
                print(
                    f"{name:24} {len(times):6} calls  p50 {p50}  p95 {p95}  p99 {p99}  most {max(times) * 1e3:7.0f} ms"
                )


if __name__ == "__main__":
    main()

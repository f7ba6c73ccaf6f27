"""A host of many vaults under many users: memory, latency, and that no answer is of another's vault.

`python benchmarks/hosting.py [--vaults N] [--notes N] [--users N] [--seconds S] [--open N]`

Every vault holds a word of its own. Each user has a token for one vault and asks it, and now and then another's; an
answer that holds another vault's word, or one about a foreign vault, ends the run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import httpx2

from vaulttools.server.tokens import TokenFile

REQUESTS: Final = (
    ("read", "GET", "/vault/note-1.md", None),
    ("list", "GET", "/vault/", None),
    ("search", "POST", "/search/simple/?query=needle", None),
    ("rule", "POST", "/search/", '{"in": ["common", {"var": "tags"}]}'),
    ("tags", "GET", "/tags/", None),
    ("smart", "POST", "/search/smart", '{"query": "where is the needle", "filter": {"limit": 3}}'),
)
PAUSE: Final = (0.5, 3.0)
"""Seconds between two questions of a user."""


def made(root: Path, vaults: int, notes: int) -> None:
    """The vaults, each note a few lines."""
    for vault in range(vaults):
        folder = root / f"v{vault}"
        folder.mkdir(parents=True)
        for note in range(notes):
            text = f"# Note {note}\n\nthe needle of word{vault}x, see [[note-{note + 1}]] #common #t{note % 7}\n"
            (folder / f"note-{note}.md").write_text(text * 3, encoding="utf-8")


def resident(process: int) -> int:
    """MiB of memory that a process and those it started hold."""
    total = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            told = status.read_text(encoding="utf-8")
        except OSError:
            continue
        fields = dict(re.findall(r"^(\w+):\s+(\d+)", told, re.MULTILINE))
        if int(fields.get("PPid", 0)) == process or int(fields.get("Pid", 0)) == process:
            total += int(fields.get("VmRSS", 0))
    return total // 1024


async def user(client: httpx2.AsyncClient, number: int, vaults: int, token: str, ends: float, told: Any) -> None:
    """Ask until the end."""
    random_ = random.Random(number)
    own = number % vaults
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/vnd.olrapi.jsonlogic+json"}
    while time.monotonic() < ends:
        name, method, path, body = random_.choice(REQUESTS)
        start = time.monotonic()
        answer = await client.request(method, path, headers=headers, content=body)
        told["times"].setdefault(name, []).append(time.monotonic() - start)
        told["statuses"][answer.status_code] = told["statuses"].get(answer.status_code, 0) + 1
        assert set(re.findall(r"word\d+x", answer.text)) <= {f"word{own}x"}, answer.text
        if random_.random() < 0.1 and vaults > 1:
            foreign = await client.request(method, f"/v/v{(own + 1) % vaults}{path}", headers=headers, content=body)
            assert foreign.status_code == 404 and "word" not in foreign.text, foreign.text
        await asyncio.sleep(random_.uniform(*PAUSE))


async def run(url: str, process: int, tokens: list[str], vaults: int, seconds: float) -> dict[str, Any]:
    """What comes of all users."""
    told: dict[str, Any] = {"times": {}, "statuses": {}, "memory": 0}
    ends = time.monotonic() + seconds
    limits = httpx2.Limits(max_connections=len(tokens))
    async with httpx2.AsyncClient(base_url=url, timeout=60, limits=limits) as client, asyncio.TaskGroup() as group:
        for number, token in enumerate(tokens):
            group.create_task(user(client, number, vaults, token, ends, told))
        while time.monotonic() < ends:
            told["memory"] = max(told["memory"], await asyncio.to_thread(resident, process))
            await asyncio.sleep(1)
    return told


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--vaults", type=int, default=1_000)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--open", type=int, default=64)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made(folder / "vaults", given.vaults, given.notes)
        file = TokenFile(folder / "tokens.json")
        tokens = [file.add(f"user{number}", [f"v{number % given.vaults}"]) for number in range(given.users)]
        command = [sys.executable, "-m", "vaulttools", "serve", ":0", "--vaults-root", str(folder / "vaults")]
        command += ["--tokens", str(folder / "tokens.json"), "--open-vaults", str(given.open)]
        variables = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
        with (folder / "log").open("w+", encoding="utf-8") as log:
            process = subprocess.Popen(command, stderr=log, env=variables)
            try:
                while not (match := re.search(r"https?://[^/]+", (folder / "log").read_text(encoding="utf-8"))):
                    time.sleep(0.2)
                told = asyncio.run(run(match[0], process.pid, tokens, given.vaults, given.seconds))
            finally:
                process.terminate()
                process.wait()
    print(f"{given.vaults} vaults of {given.notes} notes, {given.users} users, {given.seconds:g} s, {given.open} open")
    print(f"most memory: {told['memory']} MiB; answers by status: {told['statuses']}")
    for each, times in sorted(told["times"].items()):
        ranks = statistics.quantiles(times, n=100) if len(times) > 1 else [times[0]] * 99
        p50, p95, p99 = (f"{ranks[place] * 1000:7.0f}" for place in (49, 94, 98))
        print(f"{each:8} {len(times):6} calls  p50 {p50}  p95 {p95}  p99 {p99} ms")


if __name__ == "__main__":
    main()

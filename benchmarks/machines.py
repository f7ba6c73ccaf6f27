"""Two machines of one host behind nginx; one goes away and comes back under load: no answer may be wrong.

`python benchmarks/machines.py [--vaults N] [--notes N] [--seconds S] [--clients N] [--how term|kill|stop] [--log FILE]`

Every vault holds a unique word, and has clients over REST and over MCP at `/v/NAME/mcp`; each asks one thing after
another. A writer puts new words into notes of the shared folder and asks for them. nginx has the configuration in
docs/examples/nginx.conf, and says with each answer which machine gave it. For a third of the time both machines answer,
for a third one, then both again.

The machine with more vaults ends (`term`, as for an upgrade), is killed (`kill`), or answers no more (`stop`, as
without power). What an answer asks to ask again, and what was cut, is asked again until it is answered, and counted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import ssl
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import httpx2

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT)]

from benchmarks.balanced import MACHINE, PUBLIC, Machine, balanced  # noqa: E402
from benchmarks.hosting import HELLO, JSONLOGIC, MARK, PART, QUESTIONS, Question, made  # noqa: E402
from vaulttools.server.tokens import TokenFile  # noqa: E402

HOW: Final = {"term": "SIGTERM", "kill": "SIGKILL", "stop": "SIGSTOP"}
PHASES: Final = ("both", "one", "both again")
AGAIN_SECONDS: Final = 0.2
"""Between an answer that says to ask again, or a cut one, and the next attempt."""
ATTEMPTS: Final = 300
"""After so many a request has failed."""
PAUSE_SECONDS: Final = 0.2
"""Between an answer and the client's next question."""
EDIT_SECONDS: Final = 0.5


class Asked(NamedTuple):
    """A question and its answer."""

    vault: str
    name: str
    start: float
    end: float
    machine: str
    phase: str


@dataclass
class RunLog:
    """What one run saw."""

    phase: str = PHASES[0]
    gone: str = ""
    """Address of the machine that goes away, once it is chosen."""
    homes: dict[str, str] = field(default_factory=dict)
    """The machine of each vault before one goes away."""
    asked: list[Asked] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """Answers that hold another vault's word, or lack the word that they must hold."""
    failed: list[str] = field(default_factory=list)
    """Answers with a status that tells no client to ask again."""
    repeated: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By phase and reason, what was asked again."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set at each answer."""

    def of(self, phase: str) -> list[Asked]:
        """Returns the questions that were asked in a phase."""
        return [each for each in self.asked if each.phase == phase]

    def machines(self, phase: str) -> dict[str, str]:
        """Returns the machine that gave the last answer of a phase for each vault."""
        return {each.vault: each.machine for each in sorted(self.of(phase), key=lambda each: each.end)}

    def moves(self) -> dict[str, int]:
        """Returns how often each vault has moved."""
        vaults = {each.vault for each in self.asked}
        return {vault: moves(each for each in self.asked if each.vault == vault) for vault in sorted(vaults)}

    def moves_twice(self) -> bool:
        """Whether each vault of the machine that went away has moved once each way, and no other has moved."""
        return all(times == (2 if self.homes[vault] == self.gone else 0) for vault, times in self.moves().items())


def moves(asked: Iterable[Asked]) -> int:
    """Returns how often one vault has moved between two machines: the fewest changes of place that explain all answers,
    if each was chosen at some moment between the question and the answer."""
    ordered = sorted(asked, key=lambda each: each.end)

    def after(here: str) -> int:
        """Returns how often, if it was there first: it moves as late as an answer from elsewhere allows."""
        left, found = ordered, 0
        while moved := next((each for each in left if each.machine != here), None):
            left = [each for each in left if each.machine != here or each.start > moved.end]
            here = moved.machine
            found += 1
        return found

    return min((after(here) for here in {each.machine for each in ordered}), default=0)


class _Repeat(Exception):
    """The client must ask again."""


class Client:
    """A client of one vault."""

    def __init__(self, http: httpx2.AsyncClient, vault: str, token: str, log: RunLog) -> None:
        self.vault = vault
        self._http = http
        self._log = log
        self._headers = {"Authorization": f"Bearer {token}", "Host": urlsplit(PUBLIC).netloc}
        self._session: str | None = None
        self._numbers = count(1)

    async def ask(self, question: Question, word: str | None = None) -> None:
        """Ask until there is an answer; it must hold `word`, and no other vault's."""
        start, phase = time.monotonic(), self._log.phase
        for _ in range(ATTEMPTS):
            try:
                status, text, machine = await (self._call if question.method == "MCP" else self._request)(question)
            except _Repeat as reason:
                self._log.repeated[phase, str(reason)] += 1
            except httpx2.TransportError as error:
                self._log.repeated[phase, f"cut ({type(error).__name__})"] += 1
            else:
                break
            await asyncio.sleep(AGAIN_SECONDS)
        else:
            status, text, machine = 0, f"no answer after {ATTEMPTS} attempts", ""
        self._log.asked.append(Asked(self.vault, question.name, start, time.monotonic(), machine, phase))
        told = f"{self.vault}, {question.name}, {phase}: {status} {text[:300]}"
        if status != 200:
            self._log.failed.append(told)
        elif set(MARK.findall(text)) - {f"word{self.vault[1:]}x"} or (word is not None and word not in text):
            self._log.wrong.append(told)
        self._log.changed.set()

    async def _request(self, question: Question) -> tuple[int, str, str]:
        headers = {**self._headers, "Content-Type": JSONLOGIC}
        path = f"/v/{self.vault}{question.path}"
        answer = await self._http.request(question.method, path, headers=headers, content=question.body)
        if answer.status_code == 503 and "retry-after" in answer.headers:
            raise _Repeat("told to ask again (503)")
        return answer.status_code, answer.text, _machine(answer)

    async def _call(self, question: Question) -> tuple[int, str, str]:
        if self._session is None:
            self._session = (await self._post("initialize", HELLO)).headers["mcp-session-id"]
        assert question.body is not None
        called = {"name": question.path, "arguments": json.loads(question.body)}
        answer = await self._post("tools/call", called)
        if answer.status_code == 404:  # as the protocol says, the client begins a new session
            self._session = None
            raise _Repeat("session begun anew")
        if answer.status_code != 200:
            return answer.status_code, answer.text, _machine(answer)
        told = re.findall(r"(?m)^data: (\{.*)$", answer.text)
        if not told:
            raise _Repeat("cut (no message)")
        result = json.loads(told[-1])["result"]
        text = result["content"][0]["text"]
        if result.get("isError") and re.search("call again|was cancelled|Cancelled", text):
            raise _Repeat("told to ask again (MCP)")
        if PART in text.lower():
            raise _Repeat("a part, and said so")
        return (500 if result.get("isError") else 200), text, _machine(answer)

    async def _post(self, method: str, parameters: dict[str, Any]) -> httpx2.Response:
        headers = {**self._headers, "Accept": "application/json, text/event-stream"}
        if self._session is not None:
            headers["Mcp-Session-Id"] = self._session
        message = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": parameters}
        return await self._http.post(f"/v/{self.vault}/mcp", json=message, headers=headers)


def _machine(answer: httpx2.Response) -> str:
    return str(answer.headers.get(MACHINE, "")).rpartition(" ")[2]


async def _asking(client: Client, number: int, questions: Sequence[Question], log: RunLog, pause: float) -> None:
    while log.phase:
        question = questions[number % len(questions)]
        number += 1
        await client.ask(question, f"word{client.vault[1:]}x" if question.is_marked else None)
        await asyncio.sleep(pause)


async def _editing(clients: Sequence[Client], vaults: Path, log: RunLog, pause: float) -> None:
    for number in count():
        if not log.phase:
            return
        client = clients[number % len(clients)]
        word = f"written{number}"
        with (vaults / client.vault / "Area 0" / "note-0.md").open("a", encoding="utf-8") as note:
            note.write(f"\n{word}\n")
        body = json.dumps({"pattern": f"{word}$"})
        await client.ask(
            Question("what was just written", 1, "MCP", "search_files", body, is_marked=False), "note-0.md"
        )
        await asyncio.sleep(pause)


def asked_questions() -> tuple[list[Question], list[Question]]:
    """Returns the questions over REST and over MCP, with their words filled in."""
    filled = [
        each._replace(
            path=each.path.replace("{digit}", "3").replace("{word}", "kalo"),
            body=each.body and each.body.replace("{digit}", "3").replace("{word}", "kalo"),
        )
        for each in QUESTIONS
    ]
    return [each for each in filled if each.method != "MCP"], [each for each in filled if each.method == "MCP"]


Lasting = Callable[[RunLog], Awaitable[None]]
"""Returns when the phase of a log shall end."""


async def run(
    url: str,
    machines: Sequence[Machine],
    vaults: Path,
    tokens: Mapping[str, str],
    lasting: Lasting,
    *,
    how: str,
    clients: int = 1,
    pause: float = PAUSE_SECONDS,
) -> RunLog:
    """Ask all vaults while the machine with more of them goes away and comes back; returns what was seen.

    `how` is a signal; `tokens` has the token of each vault; each vault has `clients` over REST, and as many over MCP.
    """
    log = RunLog()
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    limits = httpx2.Limits(max_connections=None)
    async with (
        httpx2.AsyncClient(base_url=url, verify=trusting, timeout=60, limits=limits) as http,
        asyncio.TaskGroup() as group,
    ):
        for kind, questions in enumerate(asked_questions()):
            for number, (vault, token) in enumerate(tokens.items()):
                for more in range(clients):
                    client = Client(http, vault, token, log)
                    group.create_task(_asking(client, number + kind + more, questions, log, pause))
        editors = [Client(http, vault, token, log) for vault, token in tokens.items()]
        group.create_task(_editing(editors, vaults, log, min(pause, EDIT_SECONDS)))
        await lasting(log)
        log.homes = log.machines(log.phase)
        machine = max(machines, key=lambda each: [*log.homes.values()].count(each.address))
        log.gone, log.phase = machine.address, PHASES[1]
        await asyncio.to_thread(machine.go, how)
        await lasting(log)
        log.phase = PHASES[2]
        machine.come_back()
        await lasting(log)
        log.phase = ""
    return log


def host(folder: Path, vaults: int, notes: int) -> tuple[Path, Path, dict[str, str]]:
    """Makes vaults and a token for each; returns the folder of the vaults, the token file and the tokens by vault."""
    for number in range(vaults):
        made(folder / "vaults" / f"v{number}", number, notes)
    file = TokenFile(folder / "tokens.json")
    tokens = {f"v{number}": file.add(f"user{number}", [f"v{number}"]) for number in range(vaults)}
    return folder / "vaults", folder / "tokens.json", tokens


def table(log: RunLog, machines: Sequence[Machine]) -> list[str]:
    """Returns what was seen as Markdown."""
    names = {each.address: name for each, name in zip(machines, ("first", "second"), strict=True)}
    lines = ["| phase | answers | p50, ms | p99, ms | longest, ms | first machine | second | asked again |"]
    lines.append("|---|--:|--:|--:|--:|--:|--:|--:|")
    for phase in PHASES:
        asked = log.of(phase)
        taken = sorted(each.end - each.start for each in asked) or [0.0]
        by = Counter(names.get(each.machine, "none") for each in asked)
        where = Counter(names.get(each, "none") for each in log.machines(phase).values())
        shares = " | ".join(f"{by[name]:,} ({where[name]} vaults)" for name in ("first", "second"))
        repeated = sum(times for (then, _), times in log.repeated.items() if then == phase)
        p50, p99 = statistics.median(taken) * 1e3, taken[len(taken) * 99 // 100] * 1e3
        lines.append(
            f"| {phase} | {len(asked):,} | {p50:.0f} | {p99:.0f} | {taken[-1] * 1e3:.0f} | {shares} | {repeated} |"
        )
    lines += ["", f"- {len(log.asked):,} answers: {len(log.wrong)} wrong, {len(log.failed)} failed"]
    lines += [f"- asked again, {phase}: {reason}: {times}" for (phase, reason), times in sorted(log.repeated.items())]
    lines.append(f"- vaults by their moves: {dict(sorted(Counter(log.moves().values()).items()))}")
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Runs, and prints the table; the exit status is 1 if an answer was wrong or failed, or a vault moved too often."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--vaults", type=int, default=20)
    parser.add_argument("--notes", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--how", choices=HOW, default="term")
    parser.add_argument("--log", type=Path, help="write each question to this file, with the machine that answered")
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        vaults, file, tokens = host(folder, given.vaults, given.notes)

        async def lasting(_: RunLog) -> None:
            await asyncio.sleep(given.seconds / len(PHASES))

        with balanced(folder, vaults, file) as (url, machines):
            log = asyncio.run(run(url, machines, vaults, tokens, lasting, how=HOW[given.how], clients=given.clients))
    if given.log is not None:
        given.log.write_text("".join(f"{json.dumps(each._asdict())}\n" for each in log.asked), encoding="utf-8")
    print(f"{given.vaults} vaults of {given.notes} notes, {given.seconds:g} s, one goes by {given.how}\n")
    print("\n".join(table(log, machines)))
    for each in [*log.wrong, *log.failed][:20]:
        print(each, file=sys.stderr)
    return 1 if log.wrong or log.failed or not log.moves_twice() else 0


if __name__ == "__main__":
    sys.exit(main())

"""Compare the MCP server with others that search a vault, and with ripgrep: same vault, same questions, one run.

`python benchmarks/compare.py [NAME...]` (or `make compare`) installs them from npm and PyPI into a folder of its own
beside the user's caches, or into `VAULTTOOLS_COMPARE`, and prints a Markdown table. What does not install is said and
left out.

The vault is the help vault beside the project (6,289 notes), where it is there, else one that is made. The questions
are the held-out half of `questions.toml` for it. All servers are spoken to over stdin and stdout.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from platformdirs import user_cache_path

from vaulttools.matching.ripgrep import locate
from vaulttools.ranked.question import stop_words_among

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # a script, and no part of the package

from benchmarks import ranking

INSTALLED: Final = Path(os.environ.get("VAULTTOOLS_COMPARE") or user_cache_path("vaulttools-compare"))

FIRST: Final = 5
"""Notes of an answer that count."""

LONGEST: Final = 300.0
"""Seconds for a first right answer."""

IDLE: Final = 2.0
"""Seconds without work after which a server has done what it had to: some look for changes once a second."""

UNSEEN: Final = 10.0
"""Seconds after which an edit counts as not seen."""

EASY: Final = ("numbatword", "Probe.md")
"""A word of one note, which everybody finds once the notes are known."""

MARK: Final = "marker-9f2c"
"""What stands in files that must not be shown, beside the word by which they are looked for."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A program and how it is spoken to."""

    name: str
    version: str
    command: Sequence[str]
    search: Callable[[str], tuple[str, dict[str, Any]]]
    """The tool and its arguments for a question."""
    read: Callable[[str], tuple[str, dict[str, Any]]]
    paths: Callable[[dict[str, Any]], list[str]]
    """The notes of a result, best first."""
    environment: Mapping[str, str] = field(default_factory=dict)
    prepare: Sequence[str] = ()
    """A command that must run before the server is of use."""
    refresh: str = ""
    """What a user runs after a change, where the server does not see it."""


@dataclass(slots=True)
class Measured:
    """What came out, in seconds, milliseconds and megabytes."""

    start: float = 0.0
    first: float = 0.0
    again: float = 0.0
    median: float = 0.0
    slowest: float = 0.0
    memory: float = 0.0
    cpu: float = 0.0
    asked: float = 0.0
    words: float = 0.0
    characters: float = 0.0
    edit: str = ""
    leaks: list[str] = field(default_factory=list)


class Server:
    """A server over stdin and stdout, with what its processes take."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self.started = time.monotonic()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environment},
            cwd=folder,
            start_new_session=True,
        )
        self.peak = 0.0
        self._is_over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        self._number = 0
        info = {"name": "compare", "version": "0"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info})
        self._send({"method": "notifications/initialized"})
        self.ready = time.monotonic() - self.started

    def call(self, asked: tuple[str, dict[str, Any]]) -> dict[str, Any]:
        """The result of a tool; a protocol error is a result with `isError`."""
        return self.ask("tools/call", {"name": asked[0], "arguments": asked[1]})

    def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """The result of a request; what the server asks and tells meanwhile is left unanswered."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._number and "method" not in answer:
                result: dict[str, Any] = answer.get("result") or {"isError": True, "content": []}
                return result
        raise RuntimeError("the server has gone")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def _watch(self) -> None:
        while not self._is_over.wait(0.25):
            self.peak = max(self.peak, sum(_resident(process) for process in _family(self._process.pid)))

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self._is_over.set()
        self._watcher.join()
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


def _family(root: int) -> list[int]:
    """The process and all below it."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text("utf-8").rpartition(")")[2].split()[1])
            except (OSError, ValueError):
                continue
    family = [root]
    for member in family:
        family += [child for child, parent in parents.items() if parent == member]
    return family


def _resident(process: int) -> float:
    """Megabytes of memory; shared pages count in each process that has them."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text("utf-8").split()[1])
    except (OSError, ValueError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _text(result: dict[str, Any]) -> str:
    return "\n".join(
        str(part.get("text") or part.get("resource", {}).get("text", "")) for part in result.get("content", [])
    )


def contestants(vault: Path, work: Path) -> dict[str, Callable[[], Contestant]]:
    """What installs each, and says how it is spoken to."""

    def ours() -> Contestant:
        program = str(Path(sys.executable).with_name("vaulttools"))
        return Contestant(
            "vaulttools",
            _printed([program, "--version"]).split()[-1],
            [program, "--vault", str(vault), "mcp"],
            lambda question: ("query", {"query": question, "limit": FIRST}),
            lambda path: ("read", {"note": path}),
            lambda result: re.findall(r"^## (.+?)(?: \([\d,]+ lines?\))?$", _text(result), re.MULTILINE),
            {"XDG_CACHE_HOME": str(work / "ours"), "VAULTTOOLS_MEANING": "off"},
        )

    def mcpvault() -> Contestant:
        folder = _npm("@bitbonsai/mcpvault")
        return Contestant(
            "@bitbonsai/mcpvault",
            _npm_version(folder, "@bitbonsai/mcpvault"),
            [str(folder / "node_modules" / ".bin" / "mcpvault"), str(vault)],
            lambda question: ("search_notes", {"query": question, "limit": FIRST}),
            lambda path: ("read_note", {"path": path}),
            lambda result: [each["p"] for each in _loaded(_text(result))],
        )

    def qmd() -> Contestant:
        node = _npm("node@22") / "node_modules" / "node" / "bin"  # it asks for 22, which few systems have
        path = {"PATH": f"{node}{os.pathsep}{os.environ['PATH']}"}
        folder = _npm("@tobilu/qmd", path)
        program = [str(node / "node"), str(folder / "node_modules" / "@tobilu" / "qmd" / "dist" / "cli" / "qmd.js")]
        return Contestant(
            "@tobilu/qmd, lexical",
            _npm_version(folder, "@tobilu/qmd"),
            [*program, "mcp"],
            lambda question: (
                "query",
                {"searches": [{"type": "lex", "query": question}], "limit": FIRST, "rerank": False},
            ),
            lambda path: ("get", {"file": path}),
            lambda result: [
                each["file"].removeprefix("notes/") for each in result.get("structuredContent", {}).get("results", [])
            ],
            {**path, "XDG_CACHE_HOME": str(work / "qmd"), "XDG_CONFIG_HOME": str(work / "qmd settings")},
            [*program, "collection", "add", str(vault), "--name", "notes"],
            "qmd update",
        )

    def markdown_vault_mcp() -> Contestant:
        folder = INSTALLED / "markdown-vault-mcp"
        program = folder / "bin" / "markdown-vault-mcp"
        if not program.exists():
            venv.create(folder, with_pip=True)
            _run([str(folder / "bin" / "pip"), "install", "--quiet", "markdown-vault-mcp[file-watcher]"])
        shown = _printed([str(folder / "bin" / "pip"), "show", "markdown-vault-mcp"])
        return Contestant(
            "markdown-vault-mcp",
            re.search(r"^Version: (.*)$", shown, re.MULTILINE)[1],  # type: ignore[index]
            [str(program), "serve"],
            lambda question: ("search", {"query": question, "limit": FIRST, "mode": "keyword"}),
            lambda path: ("read", {"path": path}),
            lambda result: [each["path"] for each in result.get("structuredContent", {}).get("result", [])],
            {
                "MARKDOWN_VAULT_MCP_SOURCE_DIR": str(vault),
                "MARKDOWN_VAULT_MCP_READ_ONLY": "true",
                "MARKDOWN_VAULT_MCP_INDEX_PATH": str(work / "markdown-vault-mcp.db"),
            },
            refresh="its tool reindex",
        )

    return {"vaulttools": ours, "mcpvault": mcpvault, "qmd": qmd, "markdown-vault-mcp": markdown_vault_mcp}


def _loaded(text: str) -> list[Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return []
    return found if isinstance(found, list) else []


def _npm(package: str, environment: Mapping[str, str] | None = None) -> Path:
    """The folder of a package; its install scripts are not run."""
    folder = INSTALLED / re.sub(r"\W+", "-", package).strip("-")
    if not (folder / "node_modules").exists():
        scripts = [] if package.startswith("node@") else ["--ignore-scripts"]  # node's own puts the program in place
        _run(["npm", "install", "--silent", *scripts, "--prefix", str(folder), package], environment)
    return folder


def _npm_version(folder: Path, package: str) -> str:
    return str(json.loads((folder / "node_modules" / package / "package.json").read_text("utf-8"))["version"])


def _run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
    subprocess.run(
        command,
        check=True,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _printed(command: Sequence[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout


def laid_out(source: Path, folder: Path) -> Path:
    """A copy of the vault with what must not be shown: a file of the config folder, and a link that leads outside."""
    vault = folder / "vault"
    shutil.copytree(source, vault)
    (vault / ".obsidian").mkdir(exist_ok=True)
    (vault / ".obsidian" / "protected.md").write_text(f"protectedword {MARK}\n", encoding="utf-8")
    (vault / EASY[1]).write_text(f"{EASY[0]}\n", encoding="utf-8")
    (folder / "outside.md").write_text(f"outsideword {MARK}\n", encoding="utf-8")
    (vault / "Linked.md").symlink_to(folder / "outside.md")
    return vault


def measured(contestant: Contestant, vault: Path, questions: Sequence[ranking.Asked]) -> Measured:
    """Everything that is measured of one server."""
    found = Measured()
    before = time.monotonic()
    spent = _cpu()
    if contestant.prepare:
        _run(contestant.prepare, contestant.environment)
    prepared = time.monotonic() - before
    with Server(contestant.command, contestant.environment, vault.parent) as server:
        found.start = server.ready
        found.first = prepared + _first_right(contestant, server)
        _settle(server)  # the indexing behind the calls is a part of the price
    found.cpu = _cpu() - spent
    with Server(contestant.command, contestant.environment, vault.parent) as server:
        found.again = _first_right(contestant, server)
        times, places, words, sizes = [], [], [], []
        for asked in questions:
            start = time.perf_counter()
            result = server.call(contestant.search(asked.text))
            times.append((time.perf_counter() - start) * 1000)
            sizes.append(len(_text(result)))
            places.append(_hits(asked, contestant.paths(result)))
            words.append(_hits(asked, contestant.paths(server.call(contestant.search(keywords(asked.text))))))
        found.median, found.slowest = statistics.median(times), sorted(times)[int(len(times) * 0.95)]
        found.asked, found.words = statistics.mean(places), statistics.mean(words)
        found.characters = statistics.median(sizes)
        found.leaks = _leaks(contestant, server)
        found.edit = _edit_seen(contestant, server, vault)
        found.memory = server.peak
    return found


def _first_right(contestant: Contestant, server: Server) -> float:
    """Seconds from the start of the server until it answers the easy question rightly."""
    while time.monotonic() - server.started < LONGEST:
        if EASY[1] in contestant.paths(server.call(contestant.search(EASY[0])))[:FIRST]:
            return time.monotonic() - server.started
        time.sleep(0.25)
    return float("inf")


def _settle(server: Server) -> None:
    """Wait until the server's processes neither work nor want to for `IDLE` seconds.

    The time of the processor that they take does not tell: on a busy machine they get none and still have work. An
    index of which half was missing made the second start look slower than the first.
    """
    last, idle_since = _ticks(_family(server._process.pid)), time.monotonic()
    while time.monotonic() - idle_since < IDLE and time.monotonic() - server.started < LONGEST:
        time.sleep(0.05)
        family = _family(server._process.pid)
        now = _ticks(family)
        if now - last > 1 or _wants_processor(family):
            idle_since = time.monotonic()
        last = now


def _wants_processor(family: Sequence[int]) -> bool:
    """Whether a thread of some processes runs, waits for its turn, or waits for the disk."""
    for process in family:
        for status in Path(f"/proc/{process}/task").glob("*/stat"):
            try:
                state = status.read_text("utf-8").rpartition(")")[2].split()[0]
            except OSError:
                continue
            if state in {"R", "D"}:
                return True
    return False


def _ticks(family: Sequence[int]) -> int:
    """Hundredths of a second of CPU that those of some processes that live have taken."""
    total = 0
    for process in family:
        try:
            fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        total += int(fields[11]) + int(fields[12])
    return total


def _cpu() -> float:
    """Seconds of CPU of all children that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _hits(asked: ranking.Asked, paths: Sequence[str]) -> bool:
    return any(path in asked.right for path in paths[:FIRST])


def keywords(question: str) -> str:
    """The question without the words that say nothing, as a model may shorten it."""
    words = question.split()
    silent = stop_words_among([word.casefold() for word in words])
    kept = [word for word in words if word.casefold() not in silent]
    return " ".join(kept) or question


def _leaks(contestant: Contestant, server: Server) -> list[str]:
    asked = {
        "protected file, by search": contestant.search("protectedword"),
        "protected file, by name": contestant.read(".obsidian/protected.md"),
        "outside link, by search": contestant.search("outsideword"),
        "outside link, by name": contestant.read("Linked.md"),
        "outside file, by name": contestant.read("../outside.md"),
    }
    return [what for what, call in asked.items() if MARK in json.dumps(server.call(call))]


def _edit_seen(contestant: Contestant, server: Server, vault: Path) -> str:
    with (vault / EASY[1]).open("a", encoding="utf-8") as note:
        note.write("\nquaggaword\n")
    start = time.monotonic()
    while (waited := time.monotonic() - start) < UNSEEN:
        is_first = waited < 0.01
        if EASY[1] in contestant.paths(server.call(contestant.search("quaggaword"))):
            return "at once" if is_first else f"after {waited:.1f} s"
        time.sleep(0.25)
    return f"not within {UNSEEN:.0f} s ({contestant.refresh})" if contestant.refresh else f"not within {UNSEEN:.0f} s"


def ripgrep(vault: Path, questions: Sequence[ranking.Asked]) -> Measured:
    """What `rg --count` of any of the words finds, the files with the most lines first: a process a question."""
    found = Measured(start=0.0, edit="at once")
    program = locate().command
    places: list[bool] = []
    words: list[bool] = []
    times, sizes, memory = [], [], 0.0
    for asked in questions:
        for question, hits in ((asked.text, places), (keywords(asked.text), words)):
            pattern = "|".join(re.findall(r"\w+", question))
            start = time.perf_counter()
            process = subprocess.Popen(
                [program, "-ic", "-e", pattern, "."], cwd=vault, stdout=subprocess.PIPE, text=True
            )
            assert process.stdout is not None
            lines = process.stdout.read().splitlines()
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = 0
            process.stdout.close()
            if hits is places:
                times.append((time.perf_counter() - start) * 1000)
            memory = max(memory, usage.ru_maxrss / 1000)
            counted = sorted(((int(line.rpartition(":")[2]), line.rpartition(":")[0]) for line in lines), reverse=True)
            hits.append(_hits(asked, [path.removeprefix("./") for _, path in counted[:FIRST]]))
        sizes.append(sum(len(path) + 1 for _, path in counted[:FIRST]))
    found.first = found.again = times[0] / 1000
    found.median, found.slowest = statistics.median(times), sorted(times)[int(len(times) * 0.95)]
    found.asked, found.words, found.memory = statistics.mean(places), statistics.mean(words), memory
    found.characters = statistics.median(sizes)
    for what, name in (("protected file, by name", ".obsidian/protected.md"), ("outside link, by name", "Linked.md")):
        printed = subprocess.run(
            [program, MARK, name], cwd=vault, check=False, capture_output=True, text=True, encoding="utf-8"
        )
        found.leaks += [what] if MARK in printed.stdout else []
    return found


def row(name: str, found: Measured) -> str:
    """A line of the table in the README."""
    cells = [
        name,
        f"{found.start:.1f}" if found.start else "none",
        f"{found.first:.1f}",
        f"{found.again:.1f}",
        f"{found.median:.0f} / {found.slowest:.0f}",
        f"{found.memory:.0f}",
        f"{found.asked:.2f}",
        f"{found.words:.2f}",
        found.edit,
        "; ".join(found.leaks) or "nothing",
    ]
    return f"| {' | '.join(cells)} |"


def main(names: Sequence[str]) -> int:
    """Measure those that are named, or all, and print the table."""
    INSTALLED.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folders = dict(ranking.unpacked(Path(temporary), {"help"}))
        if "help" not in folders:
            print("The help vault is not beside the project, and its questions are about nothing else.")
            return 1
        vault = laid_out(folders["help"], Path(temporary) / "compared")
        chosen = []
        for name, made in contestants(vault, Path(temporary)).items():
            if names and name not in names:
                continue
            try:
                chosen.append(made())  # all are installed before anything is measured
            except (subprocess.CalledProcessError, OSError) as error:
                print(f"({name} could not be installed: {error})")
        notes = sum(1 for path in vault.rglob("*.md") if ".obsidian" not in path.parts)
        questions = [each for each in ranking.questions() if each.vault == "help" and each.is_held_out]
        print(f"{notes:,} notes, {len(questions)} questions, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
        print(
            "| | start, s | first answer, s | again, s | warm, ms: median / 95 % | memory, MB | hit@5 "
            "| without fillers | edit seen | shows |"
        )
        print("|---|" + "--:|" * 7 + "---|---|")
        more = ["| | processor time to index, s | characters of an answer |", "|---|--:|--:|"]
        for contestant in chosen:
            found = measured(contestant, vault, questions)
            name = f"{contestant.name} {contestant.version}"
            print(row(name, found), flush=True)
            more.append(f"| {name} | {found.cpu:.0f} | {found.characters:,.0f} |")
        if not names or "rg" in names:
            name = f"ripgrep, any of the words {_printed([locate().command, '--version']).split()[1]}"
            found = ripgrep(vault, questions)
            print(row(name, found), flush=True)
            more.append(f"| {name} | none | {found.characters:,.0f} |")
        print("", *more, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

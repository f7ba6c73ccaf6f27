"""Times calls of two versions in turn in one run: this checkout and an older one.

Each version is a separate process with its own index of one copy of the vault, and takes the same calls.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vaulttools.matching.ripgrep import locate

SEED = 18
ROUNDS = 5
WORDS = 40

SERVING = """
import gc, json, os, sys, time
from pathlib import Path
from typing import Final
from vaulttools import Vault, VaultConfig
with Vault.open(sys.argv[1], config=VaultConfig(index_folder=sys.argv[2])) as vault:
    vault.build_index()
    print("{}", flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if not hasattr(vault, asked["tool"]):
            print("[]", flush=True)
            continue
        call = lambda: getattr(vault, asked["tool"])(**asked["arguments"])
        if asked.get("whole"):
            start = time.perf_counter(), sum(os.times()[:4])
            found = call()
            number = sum(1 for _ in getattr(found, "files", found if hasattr(found, "close") else ()))
            print(json.dumps([(time.perf_counter() - start[0], sum(os.times()[:4]) - start[1], number)]), flush=True)
            continue
        edited, text = asked.get("note"), ""
        if edited:
            vault.build_index()
            path = Path(sys.argv[1], edited)
            text = path.read_text(encoding="utf-8")
        call()
        times = []
        if edited:
            start = time.perf_counter(), time.thread_time()
            call()
            times.append((time.perf_counter() - start[0], time.thread_time() - start[1]))
            path.write_text(text + asked["text"], encoding="utf-8")
        start = time.perf_counter(), time.thread_time()
        call()
        times.append((time.perf_counter() - start[0], time.thread_time() - start[1]))
        if edited:
            path.write_text(text, encoding="utf-8")
        print(json.dumps(times), flush=True)
"""

EDITED: Final[dict[str, tuple[str, dict[str, object]]]] = {
    "tags": ("tags", {}),
    "properties": ("properties", {}),
    "links, unresolved": ("links", {"direction": "unresolved"}),
    "links, orphans": ("links", {"direction": "orphans"}),
    "query": ("query", {"query": "task-todo:the", "mode": "obsidian"}),
    "query, ranked": ("query", {"query": "river bridge history"}),
    "tasks": ("tasks", {"limit": 5}),
}
WHOLE: Final[dict[str, tuple[str, dict[str, object]]]] = {
    "`search_files`, all of `the`": ("search_files", {"pattern": "the", "max_results": 10_000}),
    "`search_files`, all of `^$`": ("search_files", {"pattern": "^$", "max_results": 10_000}),
    "`search_files`, all of `\\w{9}$`": ("search_files", {"pattern": r"\w{9}$", "max_results": 10_000}),
    "`iter_search_files`, all of `the`": ("iter_search_files", {"pattern": "the"}),
}
EDIT = "\nmore words #seldom/tag and [[a link that leads nowhere]]\n- [ ] a task\n"


class Version:
    """One version, answering in its own process; `checkout`: None for the version installed here."""

    def __init__(self, vault: Path, index_folder: Path, checkout: Path | None) -> None:
        environment = {**os.environ, "VAULTTOOLS_MEANING": "off"}  # 0.1 only knows words
        python = sys.executable
        if checkout is not None:
            environment["PYTHONPATH"] = str(checkout)
            own = checkout / ".venv/bin/python"
            python = str(own) if own.exists() else python
        self._process = subprocess.Popen(
            # -P: the folder where the benchmark starts holds this version, which must not precede the other.
            [python, "-P", "-c", SERVING, str(vault), str(index_folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            encoding="utf-8",
        )
        self._line()

    def times(self, asked: object) -> list[tuple[float, ...]]:
        """Returns, for each call, wall seconds and CPU seconds of the calling thread; empty without the tool."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        found: list[tuple[float, ...]] = json.loads(self._line())
        return found

    def peak(self) -> float:
        """Returns the peak memory of the process in MiB."""
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="utf-8")
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


def table(vault: Path, old: Path, temporary: Path) -> list[str]:
    """Returns the rows of both versions as Markdown, in milliseconds: wall time and, in brackets, CPU of the calling
    thread, without ripgrep and other threads."""
    copy = temporary / "edited"
    shutil.copytree(vault, copy)
    versions = [Version(copy, temporary / "index-old", old), Version(copy, temporary / "index-new", None)]
    notes = sorted(path.relative_to(copy).as_posix() for path in copy.rglob("*.md"))
    lines = ["| in turn, ms (CPU) | old | new |", "|---|--:|--:|"]
    words = _words(copy, notes)
    rng = random.Random(SEED)
    questions = ["what has the {} to do with a {} and the {}".format(*rng.sample(words, 3)) for _ in range(WORDS)]
    lines += _each(versions, f"`search_files`, {WORDS} words", "search_files", [{"pattern": word} for word in words])
    lines += _each(versions, f"`query`, ranked, {WORDS} questions", "query", [{"query": each} for each in questions])
    for name, (tool, arguments) in EDITED.items():
        above: list[list[tuple[float, ...]]] = [[], []]
        for _ in range(ROUNDS):
            call: object = {"tool": tool, "arguments": arguments, "note": rng.choice(notes), "text": EDIT}
            for found, version in zip(above, versions, strict=True):
                if times := version.times(call):
                    before, after = times
                    found.append((after[0] - before[0], after[1] - before[1]))
        shown = " | ".join(_shown(_medians(times)) if times else "no such tool" for times in above)
        lines.append(f"| `{name}` after an edit, above the same call before | {shown} |")
    lines.append(f"| memory at its largest, MiB | {' | '.join(f'{version.peak():.0f}' for version in versions)} |")
    lines += _whole(versions, words, copy)
    lines.append(f"| memory after these | {' | '.join(f'{version.peak():.0f}' for version in versions)} |")
    for version in versions:
        version.close()
    return lines


def _each(versions: Sequence[Version], name: str, tool: str, calls: Sequence[dict[str, str]]) -> list[str]:
    """Returns the rows of some calls of one tool: the fastest of three of each call, after one that does not count."""
    each: list[list[tuple[float, ...]]] = [[], []]
    for arguments in calls:
        asked = {"tool": tool, "arguments": arguments}
        for found, version in zip(each, versions, strict=True):
            found.append(min(version.times(asked)[0] for _ in range(3)))
    return [
        f"| {name}, median | {' | '.join(_shown(_medians(times)) for times in each)} |",
        f"| the same, worst | {' | '.join(_shown(max(times)) for times in each)} |",
    ]


def _whole(versions: Sequence[Version], words: Sequence[str], vault: Path) -> list[str]:
    """Returns the rows of calls that return everything, and of a survey; their CPU includes all threads and ripgrep.

    Beside the survey is the time of ripgrep alone for its words, which returns only counts by file.
    """
    calls = {name: {"tool": tool, "arguments": given, "whole": True} for name, (tool, given) in WHOLE.items()}
    calls["`survey`, eight words"] = {"tool": "survey", "arguments": {"terms": words[:8]}, "whole": True}
    lines = []
    for name, asked in calls.items():
        found: list[list[tuple[float, ...]]] = [[], []]
        for _ in range(3):
            for kept, version in zip(found, versions, strict=True):
                kept += version.times(asked)
        shown = [f"{_shown(best := min(times))}{_of(best[2])}" if times else "no such tool" for times in found]
        lines.append(f"| {name} | {' | '.join(shown)} |")
    by_ripgrep = _shown(min(_counted_by_ripgrep(vault, words[:8]) for _ in range(3)))
    lines.append(f"| eight `rg -c` one after the other, the same words | {by_ripgrep} | {by_ripgrep} |")
    return lines


def _counted_by_ripgrep(vault: Path, words: Sequence[str]) -> tuple[float, float]:
    """Returns wall seconds and CPU seconds of `rg -c` for all words."""
    command = locate().command
    start = time.perf_counter(), sum(os.times()[:4])
    for word in words:
        subprocess.run([command, "--count", word, str(vault)], stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start[0], sum(os.times()[:4]) - start[1]


def _of(files: float) -> str:
    return f", {files:,.0f} files" if files else ""


def _words(folder: Path, notes: Sequence[str]) -> list[str]:
    """Returns words: half drawn among all words, half by how many notes hold them."""
    holding: Counter[str] = Counter()
    for note in notes[::7]:
        text = (folder / note).read_text(encoding="utf-8", errors="replace")
        holding.update(set(re.findall(r"\b[a-z]{3,14}\b", text)))
    ordered = sorted(holding, key=lambda word: (holding[word], word))
    rng = random.Random(SEED)
    often = rng.choices(ordered, weights=[holding[word] for word in ordered], k=WORDS // 2)
    return [*often, *rng.sample(ordered, WORDS // 2)]


def _medians(times: Sequence[tuple[float, ...]]) -> Sequence[float]:
    wall, cpu = zip(*times, strict=True)
    return statistics.median(wall), statistics.median(cpu)


def _shown(time: Sequence[float]) -> str:
    return f"{time[0] * 1_000:.1f} ({time[1] * 1_000:.1f})"

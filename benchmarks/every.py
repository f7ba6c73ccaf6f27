"""Every tool once in each way of use: in a process that keeps the vault open, in a fresh process, as a command."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from vaulttools import Vault

WARM: Final = 7
STARTS: Final = 3

FRESH: Final = """
import json, resource, sys, time
began = time.perf_counter()
from vaulttools import Vault, VaultConfig
folder, index_folder, name, arguments = sys.argv[1:]
with Vault.open(folder, config=VaultConfig(index_folder=index_folder)) as vault:
    result = vault.call(name, json.loads(arguments))
    taken = time.perf_counter() - began
assert not result.is_error, result.text
if sys.platform == "linux":  # whose ru_maxrss begins with that of the process that started this one
    status = dict(line.split(":", 1) for line in open("/proc/self/status", encoding="utf-8"))
    peak = int(status["VmHWM"].split()[0]) / 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
print(json.dumps([taken, peak, len(result.text.encode())]))
"""


def calls(vault: Vault, word: str, words: Sequence[str], note: str) -> dict[str, dict[str, Any]]:
    """Returns a typical call of each tool, with words of the vault, and a note that many link to."""
    held = max(re.findall(r"[^\W\d_]+", (vault.path / note).read_text(encoding="utf-8")), key=len)
    return {
        "search_files": {"pattern": word},
        "search": {"pattern": word},
        "find": {"paths": ["**/*.md"]},
        "grep": {"pattern": word},
        "survey": {"terms": [*words[:3]]},
        "scout": {"query": word},
        "sample": {"query": held, "file": note},
        "show": {"query": held, "file": note},
        "query": {"query": " ".join(words[1:3])},
        "read": {"note": note},
        "outline": {"note": note},
        "links": {"note": note, "direction": "back"},
        "tags": {},
        "properties": {},
    }


def table(
    command: Sequence[str], vault: Vault, index_folder: str, temporary: Path, asked: Mapping[str, Any]
) -> list[str]:
    """Returns the rows as Markdown; the vault is open, its index is in the folder and up to date."""
    lines = [
        "| one typical call of | warm, ms | fresh process, s | its memory, MiB | command line, s | answer, bytes |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    configuration = temporary / "every"
    (configuration / "vaulttools").mkdir(parents=True)
    with (configuration / "vaulttools" / "vaulttools.toml").open("w", encoding="utf-8") as file:
        file.write(f"[measured]\npath = {json.dumps(str(vault.path))}\nindex_folder = {json.dumps(index_folder)}\n")
    variables = {**os.environ, "XDG_CONFIG_HOME": str(configuration)}
    for name, arguments in asked.items():
        written = json.dumps(arguments)
        vault.call(name, arguments)
        warm = statistics.median(_seconds(lambda: vault.call(name, arguments)) for _ in range(WARM)) * 1e3  # noqa: B023
        fresh = [_fresh(vault.path, index_folder, name, written) for _ in range(STARTS)]
        taken, peak, size = (statistics.median(side) for side in zip(*fresh, strict=True))
        line = [*command, "--vault", str(vault.path), "call", name, written]
        whole = statistics.median(_seconds(lambda: _run(line, variables)) for _ in range(STARTS))  # noqa: B023
        lines.append(f"| `{name}` | {warm:.1f} | {taken:.2f} | {peak:.0f} | {whole:.2f} | {size:,.0f} |")
    return lines


def _fresh(folder: Path, index_folder: str, name: str, arguments: str) -> tuple[float, float, int]:
    """Returns seconds from the import to the answer, peak memory in MiB, and bytes of the text."""
    command = [sys.executable, "-c", FRESH, str(folder), index_folder, name, arguments]
    taken, peak, size = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return taken, peak, size


def _seconds(call: Any) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _run(command: Sequence[str], variables: Mapping[str, str]) -> None:
    run = subprocess.run(command, env=dict(variables), stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)} failed: {run.stderr.decode(errors='replace')}")

"""Four processes search and index one vault while its files change: each answer was true during the call.

`VAULTTOOLS_SECONDS=20 pytest tests/index/test_together.py` is the long run.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from vaulttools import Vault

SECONDS = float(os.environ.get("VAULTTOOLS_SECONDS", "5"))
PROCESSES = 4
FILES = 40

ASKING = """
import json, sys, time
from vaulttools import Vault

folder, until, number = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
with Vault.open(folder) as vault:
    while True:  # once at least, however slow the machine is
        for word in ("odd", "even", "counter"):
            start = time.monotonic()
            result = vault.call("search_files", {"pattern": word + " [0-9]+", "max_results": 100, "context_lines": 0})
            end = time.monotonic()
            found = {
                file["path"]: file["excerpts"][0]["lines"][0] for file in result.details.get("files", [])
            }
            print(json.dumps([word, start, end, found, result.is_error, result.details.get("complete")]), flush=True)
        if time.monotonic() >= until:
            break
    if number == 0:
        vault.build_index()
"""


@dataclass
class _File:
    """The versions of one file: when the change to each began, and when it was complete."""

    began: list[float] = field(default_factory=list)
    made: list[float] = field(default_factory=list)

    def during(self, start: float, end: float) -> range:
        """The versions that the file had at some moment between two times."""
        first = max((number for number, moment in enumerate(self.made) if moment <= start), default=0)
        last = max(number for number, moment in enumerate(self.began) if moment <= end)
        return range(first, last + 1)


def _line(version: int) -> str:
    return f"counter {version} {'odd' if version % 2 else 'even'} {version}"


@pytest.mark.timeout(SECONDS * 4 + 60)
@pytest.mark.not_on_windows("a file that is being read cannot be replaced there")
def test_every_answer_was_true_during_the_call(tmp_path: Path) -> None:
    vault, outside = tmp_path / "vault", tmp_path / "new"
    vault.mkdir()
    files = {f"{number}.md": _File() for number in range(FILES)}

    def change(name: str) -> None:
        file = files[name]
        outside.write_text(_line(len(file.made)) + "\n", encoding="utf-8")
        file.began.append(time.monotonic())
        outside.replace(vault / name)
        file.made.append(time.monotonic())

    for name in files:
        change(name)
    until = time.monotonic() + SECONDS
    asking = [
        subprocess.Popen(
            [sys.executable, "-c", ASKING, str(vault), str(until), str(number)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        for number in range(PROCESSES)
    ]
    rng = random.Random(1)
    # Their output is read while they run: a full pipe would block them.
    outputs = [tmp_path / f"{number}.jsonl" for number in range(PROCESSES)]
    while time.monotonic() < until:
        for _ in range(rng.randrange(4)):
            change(rng.choice(list(files)))
        time.sleep(rng.random() / 50)
    for process, output in zip(asking, outputs, strict=True):
        printed, errors = process.communicate()
        assert (process.returncode, errors) == (0, ""), errors
        output.write_text(printed, encoding="utf-8")
    answers = [json.loads(line) for output in outputs for line in output.read_text(encoding="utf-8").splitlines()]
    assert len(answers) >= 3 * PROCESSES
    assert any(complete for *_, complete in answers)
    for word, start, end, found, is_error, complete in answers:
        assert not is_error
        for name, file in files.items():
            possible = {_line(version) for version in file.during(start, end)}
            if name in found:
                assert found[name] in possible
            elif complete:  # else it changed twice while it was read, and the answer says so
                assert any(word not in line for line in possible), (word, name)
    with Vault.open(vault) as opened:
        opened.build_index()
        assert opened.verify_index() == []

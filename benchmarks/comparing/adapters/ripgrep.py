"""ripgrep, a process for each call: any of a question's words, the files with the most matching lines first."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from benchmarks.comparing.contestant import FIRST, MOST, Call, Contestant, Result, text_of
from vaulttools.matching.ripgrep import locate


def contestant(vault: Path, kept: Path) -> Contestant:
    """The program that this package uses."""
    ripgrep = locate()

    def run(call: Call) -> Result:
        name, arguments = call
        if name == "read":
            text = _printed([ripgrep.command, "--no-config", "^", "--", arguments["path"]], vault)
        else:
            counts = _printed([ripgrep.command, "--no-config", "-ic", "-e", arguments["pattern"], "."], vault)
            lines = [line.rpartition(":") for line in counts.splitlines()]
            most = sorted(lines, key=lambda line: (-int(line[2]), line[0]))[: arguments["limit"]]
            text = "\n".join(path.removeprefix("./") for path, _, _ in most)
        return {"content": [{"type": "text", "text": text}]}

    return Contestant(
        "ripgrep, any of the words",
        ripgrep.version,
        ask=_any_of,
        find=lambda word: ("count", {"pattern": re.escape(word), "limit": MOST}),
        read=lambda path: ("read", {"path": path}),
        paths=lambda result: text_of(result).splitlines(),
        run=run,
        ask_worded=lambda wordings: _any_of(" ".join(wordings)),
    )


def _any_of(text: str) -> Call:
    return "count", {"pattern": "|".join(re.findall(r"\w+", text)), "limit": FIRST}


def _printed(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, encoding="utf-8")
    return done.stdout

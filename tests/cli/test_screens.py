"""What a person sees in a real terminal of 46, 60 and 100 columns: `fixtures/screens.txt`, by tmux.

A screen there begins with `COLUMNS$ command`; `--update-transcripts` writes anew what follows.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.conftest import FIXTURES

SCREENS = FIXTURES / "screens.txt"
TMUX = shutil.which("tmux")
pytestmark = pytest.mark.skipif(TMUX is None or sys.platform == "win32", reason="tmux is not here")

_BEGINNING = re.compile(r"(?m)^(\d+)\$ (.*)$")
ROWS = 60


def screen(columns: int, command: str, folder: Path, **environ: str) -> str:
    """What a terminal of so many columns shows after a command has ended, in the shipped vault."""
    own = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder), "VAULTTOOLS_MEANING": "off", **environ}
    given = " ".join(f"{name}={shlex.quote(value)}" for name, value in own.items())
    program = f"{shlex.quote(sys.executable)} -m vaulttools"
    run = f"env -u COLUMNS -u LINES {given} {command.replace('vaulttools', program, 1)}"
    line = f"cd {shlex.quote(str(FIXTURES / 'vault'))}; {run}"
    with tempfile.TemporaryDirectory(prefix="vt") as sockets:  # a short path, as sockets need it

        def tmux(*words: str) -> str:
            asked = [str(TMUX), "-f", os.devnull, *words]
            environment = {**os.environ, "TMUX_TMPDIR": sockets}
            done = subprocess.run(asked, env=environment, capture_output=True, text=True, check=True, timeout=120)
            return done.stdout

        # The pane stays until it has been read; the channel says that the command has ended.
        ended = f"{line}; {TMUX} wait-for -S ended; read -r _"
        tmux("new-session", "-d", "-x", str(columns), "-y", str(ROWS), ended)
        try:
            tmux("wait-for", "ended")
            captured = tmux("capture-pane", "-p")
        finally:
            tmux("kill-server")
    return "\n".join(line.rstrip() for line in captured.rstrip().split("\n"))


def replayed(text: str, folder: Path) -> str:
    """The screens as they are now."""
    shown = [_BEGINNING.split(text)[0].rstrip()]
    begun = _BEGINNING.finditer(text)
    shown += [f"{each[0]}\n{screen(int(each[1]), each[2], folder, PAGER='cat')}" for each in begun]
    return "\n\n".join(shown) + "\n"


def test_every_screen_is_as_before(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    before = SCREENS.read_text(encoding="utf-8")
    now = replayed(before, tmp_path)
    if request.config.getoption("--update-transcripts"):
        SCREENS.write_text(now, encoding="utf-8")
        return
    assert now == before
    for part in re.split(r"(?m)^(?=\d+\$ )", now)[1:]:
        columns = int(part.partition("$")[0])
        assert max(map(len, part.split("\n")[1:])) <= columns


def test_a_long_answer_is_paged_and_a_short_one_is_not(tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho paged; exec tail -n 1\n", encoding="utf-8")
    pager.chmod(0o755)
    for words, is_paged in [("read Projects/plan.md", True), ("read inbox.md", False)]:
        assert screen(100, f"vaulttools {words}", tmp_path, PAGER=str(pager)).startswith("paged") is is_paged
    assert "paged" not in screen(100, "vaulttools read Projects/plan.md", tmp_path, PAGER=str(pager), NO_PAGER="1")
    assert "paged" not in screen(100, "vaulttools read Projects/plan.md | cat", tmp_path, PAGER=str(pager))

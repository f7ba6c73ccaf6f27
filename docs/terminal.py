"""Draws the output of commands on a terminal of 90 columns: `python docs/terminal.py`, part of `make screenshots`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import escape
from pathlib import Path

from vaulttools.cli.command_line import quoted

DOCS = Path(__file__).parent
VAULT = DOCS.parent / "fixtures" / "vault"
COLUMNS = 90
COMMANDS = (
    ["search-files", "TODO|#errands", "--max-results", "2", "--context-lines", "0"],
    ["base", "--where", 'file.hasTag("project")', "--columns", "file.path,status,tags"],
)
"""The commands in the picture for people who write scripts."""

_PIECE = re.compile(r"(?:\x1b\[(\d*)m)|([^\x1b]+)")
_STYLES = {
    "1": "font-weight:bold",
    "2": "fill:#8b949e",
    "31": "fill:#ff7b72",
    "32": "fill:#7ee787",
    "35": "fill:#d2a8ff",
}
NO_BREAK = "\u00a0"
"""Replaces blanks, because a run of blanks would be drawn as one."""

_LINE, _CHARACTER, _EDGE = 19, 8.43, 16


def printed(words: list[str]) -> str:
    """Return what a command writes to a terminal."""
    import pty

    ours, theirs = pty.openpty()
    shown = {"TERM": "xterm", "COLUMNS": str(COLUMNS), "PAGER": "cat", "VAULTTOOLS_MEANING": "off"}
    command = [sys.executable, "-m", "vaulttools", *words]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, cwd=VAULT, env={**os.environ, **shown}):
        os.close(theirs)
        text = b""
        try:
            while chunk := os.read(ours, 65_536):
                text += chunk
        except OSError:  # Linux reports so that the other side is closed
            pass
    os.close(ours)
    return text.decode().replace("\r", "").rstrip("\n")


def drawn(text: str) -> str:
    """Return the coloured text as an SVG picture."""
    lines = text.split("\n")
    width, height = COLUMNS * _CHARACTER + 2 * _EDGE, len(lines) * _LINE + 2 * _EDGE
    rows = [
        f'<text x="{_EDGE}" y="{_EDGE + _LINE * number}">{_row(line)}</text>' for number, line in enumerate(lines, 1)
    ]
    style = "font:14px ui-monospace,Menlo,Consolas,monospace;fill:#e6edf3"
    frame = f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/><g style="{style}">'
    opened = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" role="img">'
    return "\n".join([opened, "<title>Two commands on a terminal</title>", frame, *rows, "</g></svg>", ""])


def _row(line: str) -> str:
    styles: list[str] = []
    pieces = []
    for code, text in _PIECE.findall(line):
        if text:
            style = f' style="{";".join(styles)}"' if styles else ""
            pieces.append(f"<tspan{style}>{escape(text.replace(' ', NO_BREAK))}</tspan>")
        elif code in ("", "0"):
            styles = []
        else:
            styles.append(_STYLES[code])
    return "".join(pieces)


def main() -> None:
    """Write the picture."""
    shown = [f"\x1b[1m$ vaulttools {' '.join(map(quoted, words))}\x1b[0m\n{printed(words)}" for words in COMMANDS]
    (DOCS / "images" / "terminal.svg").write_text(drawn("\n\n".join(shown)), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()

"""The command line, as transcripts: whole stdout, stderr and exit status of every command in `fixtures/transcripts`.

A line `$ …` is a command; below it come the lines of stdout after `>`, those of stderr after `2>`, and the exit status
as `1$` unless it is 0 (the form of zk's tesh files). Every other line is prose. Commands run in `fixtures/vault`;
`$ cd FOLDER` moves the rest of a file, `NAME=value` before a command sets a variable.

`pytest tests/test_transcripts.py --update-transcripts` rewrites the files; the diff is reviewed, nobody edits them.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from vaulttools.__main__ import main

FIXTURES = Path(__file__).parent.parent / "fixtures"
TRANSCRIPTS = sorted((FIXTURES / "transcripts").glob("*.txt"))

_OUTPUT = re.compile(r">|2>|\d+\$$")


def replayed(transcript: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The transcript with what its commands print now."""
    monkeypatch.chdir(folder)
    lines: list[str] = []
    for line in transcript.split("\n"):
        if line.startswith("$ "):
            lines.append(line)
            lines += _printed(line.removeprefix("$ "), monkeypatch)
        elif not _OUTPUT.match(line):
            lines.append(line)
    return "\n".join(lines)


def _printed(command: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    words = shlex.split(command)
    if words[0] == "cd":
        monkeypatch.chdir(words[1])
        return
    with monkeypatch.context() as environment:
        environment.setenv("COLUMNS", "100")
        while "=" in words[0]:
            environment.setenv(*words.pop(0).split("=", 1))
        assert words.pop(0) == "vaulttools"
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            status = main(words)
    for mark, stream in ((">", out), ("2>", err)):
        printed = stream.getvalue()
        assert not printed or printed.endswith("\n")
        yield from (f"{mark}{line}" for line in printed.split("\n")[:-1])
    if status:
        yield f"{status}$"


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_every_command_prints_what_its_transcript_says(
    path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    expected = path.read_text(encoding="utf-8")
    printed = replayed(expected, FIXTURES / "vault", monkeypatch)
    if request.config.getoption("--update-transcripts"):
        path.write_text(printed, encoding="utf-8", newline="\n")
    else:
        assert printed == expected

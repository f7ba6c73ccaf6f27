"""Output that fails is reported on stderr where possible, ends with status 2, and never means "nothing found"."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.not_on_windows("/dev/full, and a shell of POSIX that closes a stream"),
    pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full"),
]

FOUND = ("search-files", "TODO")
NOT_FOUND = ("search-files", "occurs nowhere at all")
PRINTING = [
    *(FOUND, (*NOT_FOUND, "--json"), ("index", "status"), ("call", "tags"), ("tools",)),
    *(("--help",), ("read", "--help"), ("mcp", "--print-config", "claude")),
]
PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'


def shell(redirected: str, *words: str) -> list[str]:
    """A command whose streams a shell has redirected."""
    return ["sh", "-c", f'exec "$@" {redirected}', "sh", sys.executable, "-m", "vaulttools", *words]


def ran(words: Sequence[str], redirected: str, vault: Path) -> tuple[int, bytes, bytes]:
    """Status, stdout and stderr of a real process."""
    command = shell(redirected, "--vault", str(vault), *words)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("redirected", "reason"), [(">/dev/full", b"No space left on device"), (">&-", b"Bad file descriptor")]
)
@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
def test_fault_O07_stdout_that_takes_nothing_is_reported_and_a_failure(
    words: Sequence[str], redirected: str, reason: bytes, small_vault: Path
) -> None:
    status, out, err = ran(words, redirected, small_vault)
    assert (status, out) == (2, b"")
    assert err.splitlines()[-1] == b"error: stdout cannot be written to: " + reason
    assert b"Traceback" not in err


@pytest.mark.parametrize("redirected", [">/dev/full", ">&-"])
def test_the_version_that_cannot_be_printed_is_a_failure(redirected: str) -> None:
    done = subprocess.run(shell(redirected, "--version"), capture_output=True)
    assert (done.returncode, done.stderr.count(b"\n"), done.stderr[:24]) == (2, 1, b"error: stdout cannot be ")


@pytest.mark.parametrize("redirected", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize(
    ("words", "status"),
    [(FOUND, 0), (NOT_FOUND, 1), (("index", "status"), 0), (("read", "zzz"), 2), (("nothing",), 2),
     (("mcp", "--print-config", "claude"), 2), (("show", "e", "inbox.md", "--max-total", "1"), 2)],
)  # fmt: skip
def test_stderr_that_takes_nothing_changes_the_status_only_of_commands_that_write_to_it(
    words: Sequence[str], status: int, redirected: str, small_vault: Path
) -> None:
    assert ran(words, redirected, small_vault) == (status, ran(words, "", small_vault)[1], b"")


@pytest.mark.parametrize("words", [FOUND, ("--help",), ("read", "zzz")], ids=" ".join)
def test_without_any_stream_the_status_still_tells_a_failure(words: Sequence[str], small_vault: Path) -> None:
    assert ran(words, "<&- >&- 2>&-", small_vault)[0] == 2
    assert ran(words, "<&-", small_vault) == ran(words, "", small_vault)


@pytest.mark.parametrize(
    ("redirected", "sentence"),
    [
        (
            "<&-",
            b"error: stdin is closed, but mcp reads the messages of the client from it; without stdin use --http\n",
        ),
        (">&-", b"error: stdout cannot be written to: Bad file descriptor\n"),
        (">/dev/full", b"error: stdout cannot be written to: No space left on device\n"),
    ],
)
def test_fault_M07_a_server_whose_streams_fail_ends_at_once(
    redirected: str, sentence: bytes, small_vault: Path
) -> None:
    command = shell(redirected, "--vault", str(small_vault), "mcp", "--no-index")
    with subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdin is not None and server.stderr is not None
        with suppress(BrokenPipeError):
            server.stdin.write(PING)
        assert server.wait(timeout=60) == 2  # while stdin is open
        assert server.stderr.read() == sentence


def test_a_server_needs_no_stderr(small_vault: Path) -> None:
    command = shell("2>&-", "--vault", str(small_vault), "mcp", "--no-index")
    with subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(PING)
        assert server.stdout.readline() == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
        server.stdin.close()
        assert server.wait(timeout=60) == 0

"""The process beside a server over stdin and stdout, which has the vaults open."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from tests.conftest import write_files
from tests.server.serving import FROZEN, WITHIN, Raw, below, linux_only
from vaulttools.core import child
from vaulttools.core.child import receive, send
from vaulttools.errors import BadArgument, PathNotFound, VaultToolsError
from vaulttools.server.calls import Calls
from vaulttools.server.mcp import vault_client
from vaulttools.server.mcp.jobs import Job
from vaulttools.server.mcp.vault_client import LOST
from vaulttools.server.mcp.vault_process import Requests


@linux_only
def test_fault_M07_a_server_without_the_process_ends_and_says_so(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "# A\n"})
    with Raw("--vault", str(tmp_path), "mcp", "--no-index") as raw:
        raw.initialize()
        (process,) = below(raw.process.pid)
        os.kill(process, signal.SIGKILL)
        assert raw.process.wait(WITHIN) == 2
        assert raw.hang_up()[2].decode() == f"error: {LOST}\n"


@linux_only
def test_fault_M07_the_process_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "# A\n"})
    with Raw("--vault", str(tmp_path), "mcp") as raw:
        raw.initialize()
        (process,) = below(raw.process.pid)
        descriptor = os.pidfd_open(process)
        raw.process.kill()
        ready, _, _ = select.select([descriptor], [], [], WITHIN)
        os.close(descriptor)
        assert ready == [descriptor]


@linux_only
def test_a_signal_for_both_processes_is_for_the_server_to_act_on(tmp_path: Path) -> None:
    """As `timeout` and Ctrl-C send it; who else came first said that the process was lost."""
    write_files(tmp_path, {"a.md": "# A\n"})
    with Raw("--vault", str(tmp_path), "mcp", "--no-index") as raw:
        raw.initialize()
        (process,) = below(raw.process.pid)
        for number in (signal.SIGTERM, signal.SIGINT):
            os.kill(process, number)
        raw.call(1, "read", {"note": "a"})
        assert raw.read()["result"]["content"][0]["text"].startswith("a.md, ")
        os.kill(process, signal.SIGTERM)
        raw.process.terminate()
        assert raw.process.wait(WITHIN) == 128 + signal.SIGTERM
        assert raw.hang_up()[2] == b""


def test_where_no_process_can_be_started_the_server_opens_the_vaults(small_vault: Path) -> None:
    words = "--vault", str(small_vault), "mcp", "--structured", "full"
    answers: list[Any] = []
    for given in ({"program": FROZEN}, {}):
        with Raw(*words, **given) as raw:  # type: ignore[arg-type]
            raw.initialize()
            raw.send({"id": 1, "method": "tools/list"})
            raw.call(2, "search_files", {"pattern": "TODO"})
            raw.send({"id": 3, "method": "resources/list"}, {"id": 4, "method": "tools/call", "params": {"name": "x"}})
            answers.append(sorted((raw.read() for _ in range(4)), key=lambda answer: answer["id"]))
            if sys.platform == "linux":
                assert len(below(raw.process.pid)) == (0 if given else 1)
    assert answers[0] == answers[1]


def test_what_speaks_the_protocol_imports_neither_the_tools_nor_the_index() -> None:
    code = (
        "import sys\nfrom vaulttools.cli import mcp\nfrom vaulttools.server.mcp import protocol, stdio\n"
        "assert not {'vaulttools.vault', 'vaulttools.index.state', 'vaulttools.tools.read'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


class Asked:
    """Jobs of which each does one thing, and the pipes through which they are asked for."""

    def __init__(self) -> None:
        self.started = Event()
        requests, answers = os.pipe(), os.pipe()
        self._requests, self._answers = os.fdopen(requests[1], "wb"), os.fdopen(answers[0], "rb")
        self._stream = os.fdopen(requests[0], "rb")
        self._wire = os.fdopen(answers[1], "wb")
        served = Requests(self, Calls(), self._wire)  # type: ignore[arg-type]
        self._thread = Thread(target=served.serve, args=(self._stream,), daemon=True)
        self._thread.start()

    def ask(self, *request: object) -> None:
        send(self._requests, request)

    def answer(self) -> Any:
        return receive(self._answers)

    def end(self) -> None:
        self._requests.close()
        self._thread.join(WITHIN)
        assert not self._thread.is_alive()
        for file in (self._answers, self._stream, self._wire):
            file.close()

    def text(self, said: str) -> Job[str]:
        return Job(lambda _: said, "quick")

    def refuse(self) -> Job[str]:
        raise BadArgument("there is no such vault")

    def lack(self) -> Job[str]:
        raise RuntimeError("can't start new thread")

    def fail(self, error: Exception) -> Job[str]:
        def run(_: Event) -> str:
            raise error

        return Job(run, "quick")

    def wait(self) -> Job[str]:
        def run(cancel: Event) -> str:
            self.started.set()
            assert cancel.wait(WITHIN)
            return "cancelled"

        return Job(run, "usual")


def test_a_request_is_answered_by_its_result_or_its_error(caplog: pytest.LogCaptureFixture) -> None:
    asked = Asked()
    requests = (
        ("text", "said\ud800"),
        ("refuse",),
        ("fail", PathNotFound("a.md", "b.md")),
        ("fail", ValueError("secret of /home/somebody")),
        ("lack",),
        ("text", "said after it"),
    )
    answers = []
    for number, request in enumerate(requests):
        asked.ask(number, *request)
        number, result, error = asked.answer()
        answers.append((number, result, type(error), str(error or "")))
    asked.end()
    assert answers == [
        (0, "said\ud800", type(None), ""),
        (1, None, BadArgument, "there is no such vault"),
        (2, None, PathNotFound, str(PathNotFound("a.md", "b.md"))),
        (3, None, RuntimeError, "ValueError"),
        (4, None, RuntimeError, "RuntimeError"),
        (5, "said after it", type(None), ""),
    ]
    assert "secret of /home/somebody" in caplog.text


def test_a_request_is_cancelled_by_its_number_and_all_by_the_end() -> None:
    asked = Asked()
    for number in (1, 2):
        asked.started.clear()
        asked.ask(number, "wait")
        assert asked.started.wait(WITHIN)
    asked.ask(7)  # answered already, or never asked
    asked.ask(1)
    assert asked.answer() == (1, "cancelled", None)
    asked.end()


def test_a_process_that_cannot_be_started_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", failing)
    assert vault_client.started({"v": "/nowhere"}, ["read"], index=None, is_structured=False) is None


def test_a_process_that_ends_at_once_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "command", lambda _: [sys.executable, "-c", "pass"])
    process = vault_client.started({"v": "/nowhere"}, ["read"], index=None, is_structured=False)
    assert process is not None
    with pytest.raises(VaultToolsError, match=LOST):
        process.ensure_opened()
    process.stop()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_while_the_process_is_started_is_not_lost(small_vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def interrupted(*given: Any, **named: Any) -> subprocess.Popen[bytes]:
        made.append(popen(*given, **named))
        os.kill(os.getpid(), signal.SIGINT)
        return made[0]

    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            vault_client.started({"v": str(small_vault)}, ["read"], index="off", is_structured=False)
    finally:
        signal.signal(signal.SIGINT, before)
        for pipe in (made[0].stdin, made[0].stdout):
            assert pipe is not None
            pipe.close()
    assert made[0].wait(WITHIN) == 0

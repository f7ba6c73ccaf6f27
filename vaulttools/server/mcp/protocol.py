"""Implements MCP: the tools, notes as resources, and a prompt."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from threading import Event
from typing import Any, Final
from urllib.parse import quote

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ImageContent,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    Tool,
)

from vaulttools import __version__
from vaulttools.answers.part import MOST_CHARACTERS
from vaulttools.errors import BadArgument, VaultToolsError
from vaulttools.server import uris
from vaulttools.server.calls import QUICK, Calls, Lane
from vaulttools.server.mcp import prompts
from vaulttools.server.vaults import OF_ALL_NOTES, Vaults, ensure_indexed
from vaulttools.tools.definitions import definitions
from vaulttools.vault import ToolResult, Vault

Context = ServerRequestContext[Any, Any]

INDEXING_SECONDS: Final = 15.0
"""To wait for the first indexing of a vault of a host."""

LISTED: Final = 100
"""Notes of a vault that `resources/list` names, the newest; every other is reached by the template."""

LISTED_VAULTS: Final = 4
"""Vaults of which one page names notes: each must be open for that."""

MARKDOWN: Final = "text/markdown"


def server(
    vaults: Vaults, names: Sequence[str], calls: Calls, *, is_structured: bool = False, caller: str = ""
) -> Server[Any]:
    """The server that offers the tools of those names over the vaults.

    An answer is its text. With `is_structured` its details come too, and the tools are listed with output schemas.
    Clients differ in which of the two a model sees, so only programs should ask for both. `caller` names whose calls
    they are.
    """
    offered = _Offered(vaults, names, calls, caller, is_structured=is_structured)
    return Server(
        "vaulttools",
        version=__version__,
        title="Markdown vaults",
        instructions=prompts.instructions(vaults.names, names),
        get_tool_input_schema=offered.input_schema,
        on_list_tools=offered.list_tools,
        on_call_tool=offered.call_tool,
        on_list_resources=offered.list_resources,
        on_list_resource_templates=offered.list_resource_templates,
        on_read_resource=offered.read_resource,
        on_list_prompts=offered.list_prompts,
        on_get_prompt=offered.get_prompt,
    )


class _Offered:
    """The handlers of the server's methods."""

    def __init__(self, vaults: Vaults, names: Sequence[str], calls: Calls, caller: str, *, is_structured: bool) -> None:
        self._is_structured = is_structured
        self._vaults = vaults
        self._names = names
        self._calls = calls
        self._caller = caller
        self._tools: dict[str, Tool] = {}
        """Those that were asked for: to define all takes a fifth of the time from the start to a first answer."""

    def _tool(self, name: str) -> Tool:
        tool = self._tools.get(name)
        if tool is None:
            [defined] = definitions("mcp", [name], answers=self._is_structured)
            with_vault = {**defined, "inputSchema": self._vaults.with_vault(defined["inputSchema"])}
            self._tools[name] = tool = Tool.model_validate(with_vault)
        return tool

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        return self._tool(name).input_schema if name in self._names else None

    async def list_tools(self, context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[*map(self._tool, self._names)])

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        if params.name not in self._names:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name[:100]}; offered are: {', '.join(self._names)}")
        try:
            name, arguments = self._vaults.meant(params.arguments or {})
            lane: Lane = "quick" if params.name in QUICK else self._vaults.lane(name)
            waits = lane == "opening" and params.name in OF_ALL_NOTES
            result = await self._calls.run(
                partial(_called, self._vaults.lent(name), params.name, arguments, waits=waits),
                partial(_report, context, params.name),
                caller=self._caller,
                lane=lane,
            )
        except VaultToolsError as error:
            return CallToolResult(content=[TextContent(text=str(error))], is_error=True)
        # A refusal has no details that the tool's output schema promises.
        is_refusal = result.is_error and set(result.details) == {"error"}
        structured = _encodable(result.details) if self._is_structured and not is_refusal else None
        content: list[TextContent | ImageContent] = [TextContent(text=_encodable(result.text))]
        if result.picture is not None:
            data = base64.b64encode(result.picture.data).decode()
            content.append(ImageContent(data=data, mime_type=result.picture.mime_type))
        return CallToolResult(content=content, structured_content=structured, is_error=result.is_error)

    async def list_resources(self, context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        found: list[Resource] = []
        start = _start(params, len(self._vaults.names))
        end = start + LISTED_VAULTS
        for name in self._vaults.names[start:end]:
            newest = await self._details(name, "find", {"paths": "*.md", "limit": LISTED, "hidden": False})
            paths = [path for path in newest["files"] if not path.endswith("/")]
            found += [Resource(name=path, uri=uris.of(name, path), mime_type=MARKDOWN) for path in paths]
        return ListResourcesResult(resources=found, next_cursor=str(end) if end < len(self._vaults.names) else None)

    async def list_resource_templates(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(
            resource_templates=[
                ResourceTemplate(
                    name=f"note of {name}" if self._vaults.are_several else "note",
                    uri_template=f"{uris.SCHEME}://{quote(name, safe='')}/{{+path}}",
                    description="A note or another text file of the vault, by its path: Projects/plan.md",
                    mime_type=MARKDOWN,
                )
                for name in self._vaults.names
            ]
        )

    async def read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        try:
            name, path = uris.place(uri)
            self._vaults.lent(name)
        except BadArgument as error:
            raise MCPError(INVALID_PARAMS, str(error)) from error
        read = await self._details(name, "read", {"note": path, "max_chars": MOST_CHARACTERS})
        text = read["text"]
        if read["next_line"] is not None:
            text += f"\n\n[Cut here: the tool read goes on from start_line {read['next_line']}.]"
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=MARKDOWN, text=text)])

    async def _details(self, vault: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The details of a quick tool's answer; its refusal is an error of the protocol, since no tool was called."""
        try:
            call = partial(_called, self._vaults.lent(vault), name, arguments)
            result = await self._calls.run(call, caller=self._caller, lane="quick")
        except VaultToolsError as error:
            raise MCPError(INTERNAL_ERROR, str(error)) from error
        if result.is_error:
            raise MCPError(INVALID_PARAMS, result.text)
        details: dict[str, Any] = _encodable(result.details)
        return details

    async def list_prompts(self, context: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        question = PromptArgument(name=prompts.QUESTION, description="What you want to know.", required=True)
        return ListPromptsResult(
            prompts=[
                Prompt(name=name, description=summary, arguments=[question])
                for name, (summary, _) in prompts.PROMPTS.items()
            ]
        )

    async def get_prompt(self, context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        if params.name not in prompts.PROMPTS:
            there = ", ".join(prompts.PROMPTS)
            raise MCPError(INVALID_PARAMS, f"Unknown prompt: {params.name[:100]}; there are: {there}")
        question = (params.arguments or {}).get(prompts.QUESTION, "").strip()
        if not question:
            raise MCPError(INVALID_PARAMS, f"{prompts.QUESTION} is required: what you want to know")
        summary, made = prompts.PROMPTS[params.name]
        text = made(question, self._names)
        message = PromptMessage(role="user", content=TextContent(text=text))
        return GetPromptResult(description=summary, messages=[message])


def _start(params: PaginatedRequestParams | None, vaults: int) -> int:
    """The number of the first vault of a page, from 0; a cursor is what the page before gave.

    Raises:
        MCPError: it is another one.
    """
    cursor = None if params is None else params.cursor
    if cursor is None:
        return 0
    if not re.fullmatch("[0-9]{1,6}", cursor, re.ASCII) or not 0 < int(cursor) < vaults or int(cursor) % LISTED_VAULTS:
        raise MCPError(INVALID_PARAMS, f"Unknown cursor: {cursor[:100]}; begin without one")
    return int(cursor)


def _called(
    lent: AbstractContextManager[Vault], name: str, arguments: dict[str, Any], cancel: Event, *, waits: bool = False
) -> ToolResult:
    """What a tool answers, for a client that sees the text alone; `waits`: once the vault has been indexed."""
    with lent as vault:
        if waits:
            ensure_indexed(vault, INDEXING_SECONDS, cancel)
        return vault.call(name, arguments, cancel=cancel, bounded=True)


def _encodable(node: Any) -> Any:
    """A text, or the texts in details, without lone surrogates: one that a tool let through would end the server."""
    if isinstance(node, str):
        return node if node.isascii() else node.encode("utf-8", "backslashreplace").decode()
    if isinstance(node, list):
        return [_encodable(item) for item in node]
    if isinstance(node, dict):
        return {_encodable(name): _encodable(item) for name, item in node.items()}
    return node


async def _report(context: Context, name: str, seconds: float) -> None:
    """Tell the client that the call still runs; nothing is sent where it did not ask for it."""
    await context.session.report_progress(round(seconds, 1), message=f"{name}: {seconds:.1f} s")

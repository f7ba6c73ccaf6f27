"""Implements MCP: the tools, notes as resources, and prompts."""

from __future__ import annotations

import base64
import re
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final
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
from vaulttools.errors import BadArgument, VaultToolsError
from vaulttools.server.mcp import prompts
from vaulttools.server.mcp.backend import Backend, Reply
from vaulttools.server.vaults import SCHEME, no_vault, note_uri, read_note_uri

if TYPE_CHECKING:
    from starlette.requests import Request

Context = ServerRequestContext[Any, Any]

LISTED_VAULTS: Final = 4
"""Vaults whose notes one page of `resources/list` names: each of them must be open."""

MARKDOWN: Final = "text/markdown"


def server(backend: Backend) -> Server[Any]:
    """Build the server that offers the tools and vaults of a backend.

    An answer is its text, plus the details that a reply has. Clients differ in which of the two the model sees.
    """
    handlers = _Handlers(backend)
    return _Server(
        backend,
        "vaulttools",
        version=__version__,
        title="Markdown vaults",
        get_tool_input_schema=backend.input_schema,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_resource_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


class _Server(Server[Any]):
    """Makes its instructions whenever a client begins: the index may know more languages than when the server began."""

    def __init__(self, backend: Backend, *names: str, **options: Any) -> None:
        self._backend = backend
        super().__init__(*names, **options)

    @property
    def instructions(self) -> str | None:
        return self._backend.instructions

    @instructions.setter
    def instructions(self, _: str | None) -> None:
        """The SDK sets what its constructor got."""


class _Handlers:
    """Handlers of the server's methods."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._tools: list[Tool] = []
        """Defined at the first request."""

    async def list_tools(self, context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        if not self._tools:
            self._tools = [Tool.model_validate(defined) for defined in await self._backend.definitions()]
        return ListToolsResult(tools=self._tools)

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        if params.name not in self._backend.tools:
            offered = ", ".join(self._backend.tools)
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name[:100]}; offered are: {offered}")
        try:
            arguments = params.arguments or {}
            report = partial(_report, context, self._backend, params.name, arguments)
            reply = await self._backend.call(params.name, arguments, report, _address(context.request))
        except VaultToolsError as error:
            return CallToolResult(content=[TextContent(text=str(error))], is_error=True)
        content: list[TextContent | ImageContent] = [TextContent(text=reply.text)]
        if reply.picture is not None:
            data = base64.b64encode(reply.picture.data).decode()
            content.append(ImageContent(data=data, mime_type=reply.picture.mime_type))
        return CallToolResult(content=content, structured_content=reply.details, is_error=reply.is_error)

    async def list_resources(self, context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        found: list[Resource] = []
        start = _start(params, len(self._backend.vaults))
        end = start + LISTED_VAULTS
        for name in self._backend.vaults[start:end]:
            newest = await _answered(self._backend.newest(name))
            paths = (newest.details or {})["paths"]
            found += [Resource(name=path, uri=note_uri(name, path), mime_type=MARKDOWN) for path in paths]
        return ListResourcesResult(resources=found, next_cursor=str(end) if end < len(self._backend.vaults) else None)

    async def list_resource_templates(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(
            resource_templates=[
                ResourceTemplate(
                    name=f"note of {name}" if len(self._backend.vaults) > 1 else "note",
                    uri_template=f"{SCHEME}://{quote(name, safe='')}/{{+path}}",
                    description="A note or another text file of the vault, by its path: Projects/plan.md",
                    mime_type=MARKDOWN,
                )
                for name in self._backend.vaults
            ]
        )

    async def read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        try:
            name, path = read_note_uri(uri)
        except BadArgument as error:
            raise MCPError(INVALID_PARAMS, str(error)) from error
        if name not in self._backend.vaults:
            raise MCPError(INVALID_PARAMS, no_vault(name, self._backend.vaults))
        read = await _answered(self._backend.text(name, path))
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=MARKDOWN, text=read.text)])

    async def list_prompts(self, context: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        question = PromptArgument(name=prompts.QUESTION, description="What you want to know.", required=True)
        return ListPromptsResult(
            prompts=[
                Prompt(name=name, description=summary, arguments=[question])
                for name, (summary, _) in self._backend.prompts.items()
            ]
        )

    async def get_prompt(self, context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        if params.name not in self._backend.prompts:
            there = ", ".join(self._backend.prompts)
            raise MCPError(INVALID_PARAMS, f"Unknown prompt: {params.name[:100]}; there are: {there}")
        question = (params.arguments or {}).get(prompts.QUESTION, "").strip()
        if not question:
            raise MCPError(INVALID_PARAMS, f"{prompts.QUESTION} is required: what you want to know")
        summary, made = self._backend.prompts[params.name]
        text = made(question, self._backend.tools)
        message = PromptMessage(role="user", content=TextContent(text=text))
        return GetPromptResult(description=summary, messages=[message])


def _start(params: PaginatedRequestParams | None, vaults: int) -> int:
    """Returns the index (from 0) of a page's first vault; the cursor comes from the page before.

    Raises:
        MCPError: the cursor is unknown.
    """
    cursor = None if params is None else params.cursor
    if cursor is None:
        return 0
    if not re.fullmatch("[0-9]{1,6}", cursor, re.ASCII) or not 0 < int(cursor) < vaults or int(cursor) % LISTED_VAULTS:
        raise MCPError(INVALID_PARAMS, f"Unknown cursor: {cursor[:100]}; begin without one")
    return int(cursor)


async def _answered(asked: Awaitable[Reply]) -> Reply:
    """Returns a reply. A refusal becomes a protocol error, because there is no tool result to carry it."""
    try:
        reply = await asked
    except VaultToolsError as error:
        raise MCPError(INTERNAL_ERROR, str(error)) from error
    if reply.is_error:
        raise MCPError(INVALID_PARAMS, reply.text)
    return reply


def _address(request: Request | None) -> str:
    """Returns the URL that a client asked, "" over stdio."""
    return "" if request is None else f"{request.url.scheme}://{request.url.netloc}{quote(request.scope['path'])}"


async def _report(context: Context, backend: Backend, name: str, arguments: Mapping[str, Any], seconds: float) -> None:
    """Tell the client that the call still runs, and the state of an index that it may wait for. The SDK sends it only
    if the client asked for progress."""
    indexing = ""
    with suppress(VaultToolsError):  # the call itself fails for the same reason
        indexing = await backend.progress(arguments)
    message = f"{name}: {seconds:.1f} s. {indexing}" if indexing else f"{name}: {seconds:.1f} s"
    await context.session.report_progress(round(seconds, 1), message=message)

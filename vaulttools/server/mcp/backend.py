"""Answers the protocol's requests with the tools of vaults, in the threads of `Calls`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any, Final

from vaulttools.answers.reading import MOST_CHARACTERS
from vaulttools.attachments.extracted import Picture
from vaulttools.errors import VaultToolsError
from vaulttools.server.calls import Calls, Report
from vaulttools.server.mcp import prompts
from vaulttools.server.vaults import Vaults, way_of
from vaulttools.tools.definitions import definitions
from vaulttools.vault import Vault

LISTED: Final = 100
"""Newest notes of a vault in `resources/list`; the template reaches all others."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to one request; its texts contain no lone surrogates."""

    text: str
    is_error: bool = False
    """True if it is a refusal."""
    details: dict[str, Any] | None = None
    """JSON values of a tool's answer, if the server sends them."""
    picture: Picture | None = None


class Backend:
    """The vaults of a server, and the tools that it offers for them.

    Cancelling the task that waits for an answer stops the work. Every method raises `VaultToolsError` if the request
    cannot be answered now.
    """

    def __init__(
        self, vaults: Vaults, tools: Sequence[str], calls: Calls, *, is_structured: bool = False, caller: str = ""
    ) -> None:
        """With `is_structured`, answers have details and tools have output schemas; only programs should use it.
        `calls` runs the work; callers with different names take turns."""
        self.vaults = vaults.names
        """Names of the vaults, in the order given."""
        self.tools = tuple(tools)
        """Names of the tools."""
        self.prompts: Mapping[str, prompts.Made] = prompts.PROMPTS
        """The prompts that lead a model through the tools, by name."""
        self._lent = vaults
        self._is_structured = is_structured
        self._run_quickly = partial(calls.run, caller=caller, lane="quick")
        self._run = partial(vaults.run, calls, caller=caller)
        self._defined: dict[str, dict[str, Any]] = {}
        """Definitions made so far: making all takes a fifth of the time from the start to the first answer."""

    @property
    def instructions(self) -> str:
        """What a client tells its model about the server: the index may know more languages each time."""
        return prompts.instructions(self.vaults, self.tools, self.languages())

    def languages(self) -> dict[str, Counter[str]]:
        """Returns how many notes are in each language, for each vault that is open and knows it; waits for nothing."""
        found: dict[str, Counter[str]] = {}
        for name in filter(self._lent.is_open, self.vaults):
            with suppress(VaultToolsError), self._lent.lent(name) as vault:  # it may be closed in this moment
                found[name] = vault.session.languages()
        return found

    def input_schema(self, tool: str) -> Mapping[str, Any] | None:
        """Returns the argument schema of a tool, which the SDK compares with HTTP headers; None if not offered."""
        return self._definition(tool)["inputSchema"] if tool in self.tools else None

    async def definitions(self) -> list[dict[str, Any]]:
        """Returns the tools' definitions for `tools/list`, with output schemas if details are sent."""
        return await self._run_quickly(lambda _: [*map(self._definition, self.tools)])

    async def call(self, tool: str, arguments: Mapping[str, Any], report: Report, address: str = "") -> Reply:
        """Returns a tool's answer to the arguments of a client. `address` is the URL that the client asked, "" over
        stdio."""
        name, rest = self._lent.meant(arguments)

        def answered(vault: Vault, cancel: Event) -> Reply:
            result = vault.call(tool, rest, cancel=cancel, bounded=True)
            # The tool's output schema promises details that a refusal does not have.
            is_refusal = result.is_error and set(result.details) == {"error"}
            details = encodable(result.details) if self._is_structured and not is_refusal else None
            return Reply(encodable(result.text), result.is_error, details, result.picture)

        return await self._run(name, answered, **way_of(tool), report=report)

    async def progress(self, arguments: Mapping[str, Any]) -> str:
        """Returns the state of the index of the vault that a call means; "" if nothing is missing."""

        def sentence(vault: Vault, _: Event) -> str:
            progress = vault.index_progress
            return "" if progress is None else progress.sentence

        return await self._run(self._lent.meant(arguments)[0], sentence, is_quick=True)

    async def newest(self, vault: str) -> Reply:
        """Returns the vault's most recently changed notes as `paths` in the details."""

        def found(opened: Vault, cancel: Event) -> Reply:
            asked = {"paths": "*.md", "limit": LISTED, "hidden": False}
            result = opened.call("find", asked, cancel=cancel, bounded=True)
            if result.is_error:
                return Reply(encodable(result.text), is_error=True)
            paths = [path for path in encodable(result.details["files"]) if not path.endswith("/")]
            return Reply("", details={"paths": paths})

        return await self._run(vault, found, is_quick=True)

    async def text(self, vault: str, path: str) -> Reply:
        """Returns the text of a note or another text file."""

        def read(opened: Vault, cancel: Event) -> Reply:
            result = opened.call("read", {"note": path, "max_chars": MOST_CHARACTERS}, cancel=cancel, bounded=True)
            if result.is_error:
                return Reply(encodable(result.text), is_error=True)
            text, next_line = encodable(result.details["text"]), result.details["next_line"]
            cut = "" if next_line is None else f"\n\n[Cut here: the tool read goes on from start_line {next_line}.]"
            return Reply(text + cut)

        return await self._run(vault, read, is_quick=True)

    def _definition(self, name: str) -> dict[str, Any]:
        if name not in self._defined:
            [defined] = definitions("mcp", [name], answers=self._is_structured)
            self._defined[name] = {**defined, "inputSchema": self._lent.with_vault(defined["inputSchema"])}
        return self._defined[name]


def encodable(node: Any) -> Any:
    """Returns a text or details with escapes for lone surrogates: one that a tool overlooked would end the server."""
    if isinstance(node, str):
        return node if node.isascii() else node.encode("utf-8", "backslashreplace").decode()
    if isinstance(node, list):
        return [encodable(item) for item in node]
    if isinstance(node, dict):
        return {encodable(name): encodable(item) for name, item in node.items()}
    return node

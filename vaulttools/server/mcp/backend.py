"""Defines what the protocol asks of vaults, wherever they are open."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from vaulttools.attachments.extracted import Picture

Report: TypeAlias = Callable[[float], Awaitable[None]]
"""Is told the seconds since a call was made, every 200 ms until it ends."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said to one request; its texts hold no lone surrogates."""

    text: str
    is_error: bool
    """Whether it is a refusal."""
    details: dict[str, Any] | None = None
    """JSON-ready values: of a tool's answer where the server sends them."""
    picture: Picture | None = None


class Backend(ABC):
    """The vaults of a server, and the tools that it offers over them.

    Cancelling the task that waits for an answer stops the work on it; every method raises `VaultToolsError` when the
    request cannot be answered now.
    """

    def __init__(self, vaults: Sequence[str], tools: Sequence[str]) -> None:
        self.vaults = tuple(vaults)
        """Their names, in the order given."""
        self.tools = tuple(tools)
        """The names of the tools."""

    async def definitions(self) -> list[dict[str, Any]]:
        """The definitions of the tools, as `tools/list` has them."""
        return cast("list[dict[str, Any]]", await self._ask("definitions"))

    async def call(self, tool: str, arguments: Mapping[str, Any], report: Report) -> Reply:
        """What a tool answers to the arguments of a client."""
        return cast("Reply", await self._ask("call", tool, arguments, report=report))

    async def progress(self, arguments: Mapping[str, Any]) -> str:
        """How far the index is of the vault that a call with these arguments means; "": nothing is missing."""
        return cast("str", await self._ask("progress", arguments))

    async def newest(self, vault: str) -> Reply:
        """The notes of a vault that were written last; `details` has their `paths`."""
        return cast("Reply", await self._ask("newest", vault))

    async def text(self, vault: str, path: str) -> Reply:
        """The text of a note or another text file."""
        return cast("Reply", await self._ask("text", vault, path))

    def input_schema(self, tool: str) -> Mapping[str, Any] | None:
        """The schema of a tool's arguments, where the SDK is to compare them with HTTP's headers."""
        return None

    @abstractmethod
    async def _ask(self, method: str, *arguments: Any, report: Report | None = None) -> Any:
        """What the job of that name of `Jobs` returns."""

"""Defines what the protocol asks of vaults, wherever they are open."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

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


class Backend(Protocol):
    """The vaults of a server. Cancelling the task that waits for an answer stops the work on it; every method raises
    `VaultToolsError` when the request cannot be answered now."""

    @property
    def vaults(self) -> tuple[str, ...]:
        """Their names, in the order given."""
        ...

    async def definitions(self) -> list[dict[str, Any]]:
        """The definitions of the tools that are offered, as `tools/list` has them."""
        ...

    async def call(self, tool: str, arguments: Mapping[str, Any], report: Report) -> Reply:
        """What a tool answers to the arguments of a client."""
        ...

    async def newest(self, vault: str) -> Reply:
        """The notes of a vault that were written last; `details` has their `paths`."""
        ...

    async def text(self, vault: str, path: str) -> Reply:
        """The text of a note or another text file."""
        ...

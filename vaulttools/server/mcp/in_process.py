"""Serves vaults that are open in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcp.server.lowlevel import Server

from vaulttools.server.calls import Calls
from vaulttools.server.mcp import protocol
from vaulttools.server.mcp.backend import Reply, Report
from vaulttools.server.mcp.jobs import Jobs
from vaulttools.server.vaults import Vaults


def server(
    vaults: Vaults, names: Sequence[str], calls: Calls, *, is_structured: bool = False, caller: str = ""
) -> Server[Any]:
    """The server that offers the tools of those names over the vaults.

    With `is_structured` the details of answers come too, and the tools are listed with output schemas; only programs
    should ask for it. `caller` names whose calls they are.
    """
    jobs = Jobs(vaults, names, is_structured=is_structured)

    def input_schema(name: str) -> Mapping[str, Any] | None:
        return jobs.definition(name)["inputSchema"] if name in names else None

    return protocol.server(InProcessBackend(jobs, vaults.names, calls, caller), names, input_schema)


class InProcessBackend:
    """A backend whose work is done by threads of this process."""

    def __init__(self, jobs: Jobs, vaults: tuple[str, ...], calls: Calls, caller: str) -> None:
        self._jobs = jobs
        self._calls = calls
        self._caller = caller
        self.vaults = vaults

    async def definitions(self) -> list[dict[str, Any]]:
        """As `Backend` has it."""
        job = self._jobs.definitions()
        return await self._calls.run(job.run, caller=self._caller, lane=job.lane)

    async def call(self, tool: str, arguments: Mapping[str, Any], report: Report) -> Reply:
        """As `Backend` has it."""
        job = self._jobs.call(tool, arguments)
        return await self._calls.run(job.run, report, caller=self._caller, lane=job.lane)

    async def newest(self, vault: str) -> Reply:
        """As `Backend` has it."""
        job = self._jobs.newest(vault)
        return await self._calls.run(job.run, caller=self._caller, lane=job.lane)

    async def text(self, vault: str, path: str) -> Reply:
        """As `Backend` has it."""
        job = self._jobs.text(vault, path)
        return await self._calls.run(job.run, caller=self._caller, lane=job.lane)

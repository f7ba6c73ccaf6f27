"""Makes jobs of what the protocol asks of vaults, and runs them in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Event
from typing import Any, Final, Generic, TypeVar

from vaulttools.answers.reading import MOST_CHARACTERS
from vaulttools.server.calls import Calls, Lane
from vaulttools.server.mcp.backend import Backend, Reply, Report
from vaulttools.server.vaults import Vaults, ensure_indexed
from vaulttools.tools import TOOLS
from vaulttools.tools.definitions import definitions
from vaulttools.vault import ToolResult, Vault

T = TypeVar("T")

INDEXING_SECONDS: Final = 15.0
"""To wait for the first indexing of a vault of a host."""

LISTED: Final = 100
"""Notes of a vault that `resources/list` names, the newest; every other is reached by the template."""


@dataclass(frozen=True, slots=True)
class Job(Generic[T]):
    """Work, and the threads that are meant for it."""

    run: Callable[[Event], T]
    """Returns early when the event is set; raises `VaultToolsError` when there is no answer now."""
    lane: Lane


class Jobs:
    """A job for each method of a `Backend`. Making one raises `BadArgument` for a vault that is not there."""

    def __init__(self, vaults: Vaults, tools: Sequence[str], *, is_structured: bool) -> None:
        self._vaults = vaults
        self._tools = tools
        self._is_structured = is_structured
        self._defined: dict[str, dict[str, Any]] = {}
        """Those that were asked for: to define all takes a fifth of the time from the start to a first answer."""

    def definition(self, name: str) -> dict[str, Any]:
        """The definition of a tool; with output schema where details are sent."""
        if name not in self._defined:
            [defined] = definitions("mcp", [name], answers=self._is_structured)
            self._defined[name] = {**defined, "inputSchema": self._vaults.with_vault(defined["inputSchema"])}
        return self._defined[name]

    def definitions(self) -> Job[list[dict[str, Any]]]:
        """Those of the tools that are offered."""
        return Job(lambda _: [*map(self.definition, self._tools)], "quick")

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Job[Reply]:
        """What a tool answers."""
        name, rest = self._vaults.meant(arguments)
        lane: Lane = "quick" if TOOLS[tool].is_quick else self._vaults.lane(name)
        lent, waits = self._vaults.lent(name), lane == "opening" and TOOLS[tool].reads_all_notes

        def run(cancel: Event) -> Reply:
            result = _result(lent, tool, rest, cancel, waits=waits)
            # A refusal has no details that the tool's output schema promises.
            is_refusal = result.is_error and set(result.details) == {"error"}
            details = _encodable(result.details) if self._is_structured and not is_refusal else None
            return Reply(_encodable(result.text), result.is_error, details, result.picture)

        return Job(run, lane)

    def progress(self, arguments: Mapping[str, Any]) -> Job[str]:
        """How far the index of a vault is."""
        name, _ = self._vaults.meant(arguments)
        lent = self._vaults.lent(name)

        def run(_: Event) -> str:
            with lent as vault:
                progress = vault.index_progress
            return "" if progress is None else progress.sentence

        return Job(run, "quick")

    def newest(self, vault: str) -> Job[Reply]:
        """The notes that were written last."""
        lent = self._vaults.lent(vault)

        def run(cancel: Event) -> Reply:
            result = _result(lent, "find", {"paths": "*.md", "limit": LISTED, "hidden": False}, cancel)
            if result.is_error:
                return Reply(_encodable(result.text), is_error=True)
            paths = [path for path in _encodable(result.details["files"]) if not path.endswith("/")]
            return Reply("", is_error=False, details={"paths": paths})

        return Job(run, "quick")

    def text(self, vault: str, path: str) -> Job[Reply]:
        """The text of a file."""
        lent = self._vaults.lent(vault)

        def run(cancel: Event) -> Reply:
            result = _result(lent, "read", {"note": path, "max_chars": MOST_CHARACTERS}, cancel)
            if result.is_error:
                return Reply(_encodable(result.text), is_error=True)
            text, next_line = _encodable(result.details["text"]), result.details["next_line"]
            cut = "" if next_line is None else f"\n\n[Cut here: the tool read goes on from start_line {next_line}.]"
            return Reply(text + cut, is_error=False)

        return Job(run, "quick")


def _result(
    lent: AbstractContextManager[Vault],
    tool: str,
    arguments: Mapping[str, Any],
    cancel: Event,
    *,
    waits: bool = False,
) -> ToolResult:
    """What a tool returns; `waits`: once the vault has been indexed."""
    with lent as vault:
        if waits:
            ensure_indexed(vault, INDEXING_SECONDS, cancel)
        return vault.call(tool, arguments, cancel=cancel, bounded=True)


def _encodable(node: Any) -> Any:
    """A text, or the texts in details, without lone surrogates: one that a tool let through would end the server."""
    if isinstance(node, str):
        return node if node.isascii() else node.encode("utf-8", "backslashreplace").decode()
    if isinstance(node, list):
        return [_encodable(item) for item in node]
    if isinstance(node, dict):
        return {_encodable(name): _encodable(item) for name, item in node.items()}
    return node


class InProcess(Backend):
    """Vaults that are open in this process; `calls` does the work, in turn for callers of different names."""

    def __init__(
        self, vaults: Vaults, tools: Sequence[str], calls: Calls, *, is_structured: bool = False, caller: str = ""
    ) -> None:
        """With `is_structured` the details of answers come too, and the tools are listed with output schemas; only
        programs should ask for it."""
        super().__init__(vaults.names, tools)
        self._jobs = Jobs(vaults, tools, is_structured=is_structured)
        self._calls = calls
        self._caller = caller

    def input_schema(self, tool: str) -> Mapping[str, Any] | None:
        """The schema of the arguments of a tool that is offered."""
        return self._jobs.definition(tool)["inputSchema"] if tool in self.tools else None

    async def _ask(self, method: str, *arguments: Any, report: Report | None = None) -> Any:
        job = getattr(self._jobs, method)(*arguments)
        return await self._calls.run(job.run, report, caller=self._caller, lane=job.lane)

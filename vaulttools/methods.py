"""Gives `Vault` one method for each tool, made from the registry; `methods.pyi` declares their types."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from vaulttools import tools


class _Method:
    """A method that is made on first access, because a tool is imported at its first use."""

    def __init__(self, tool: str, *, is_stream: bool = False) -> None:
        self._tool = tool
        self._is_stream = is_stream

    def __get__(self, vault: ToolMethods | None, owner: type[ToolMethods]) -> Callable[..., Any]:
        from vaulttools.tools import signatures  # commands do not need it, nor the `inspect` that it imports

        made = signatures.method(tools.named(self._tool), is_stream=self._is_stream)
        setattr(ToolMethods, made.__name__, made)
        return getattr(owner if vault is None else vault, made.__name__)


class ToolMethods(ABC):
    """The tools of the registry as methods; `Vault` implements how one runs."""

    @abstractmethod
    def answer(self, name: str, arguments: Any, *, cancel: Any = None, on_progress: Any = None) -> Any:
        """Returns the answer of a tool."""

    @abstractmethod
    def stream(self, name: str, arguments: Any, *, cancel: Any = None) -> Any:
        """Yields the results of a tool, file by file."""

    iter_search_files = _Method("search_files", is_stream=True)


for _name in tools.NAMES:
    setattr(ToolMethods, _name, _Method(_name))

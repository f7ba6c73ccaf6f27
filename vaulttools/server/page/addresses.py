"""Builds the addresses of the pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from urllib.parse import quote, urlencode

from vaulttools.core import paths
from vaulttools.query.language import spelled
from vaulttools.query.tree import TagNode

Mode: TypeAlias = Literal["ranked", "text", "regex", "obsidian"]
"""The kind of a search: a question, plain text, a regex, or a query in Obsidian's language."""

HERE = "s-here"
"""The anchor of the part of a note that an address names."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of one vault's pages."""

    root: str = ""
    """Prefix of all addresses of the vault: empty, or `/v/NAME`."""

    @property
    def base(self) -> str:
        """Prefix of the addresses of pages, without a slash at its end."""
        return f"{self.root}/ui"

    def note(self, path: str, *, at: str = "", line: int | None = None) -> str:
        """Returns the address of a note or another file. `at` is a part as written after the `#` of a link (`H1#H2`,
        `^id`), `line` is a line from 1."""
        asked: dict[str, str | int] = {"at": at} if at else {} if line is None else {"line": line}
        address = f"{self.base}/note/{_quoted(path)}"
        return f"{address}?{urlencode(asked, quote_via=quote)}#{HERE}" if asked else address

    def chosen(self, path: str, parameters: Mapping[str, str], anchor: str) -> str:
        """Returns the address of a file's page with the parameters that choose views, at an anchor."""
        asked = f"?{urlencode(parameters, quote_via=quote, errors='replace')}" if parameters else ""
        return f"{self.note(path)}{asked}#{anchor}"

    def page(self, kind: Literal["folder", "map", "map-drawing", "nearby", "related"], path: str) -> str:
        """Returns the address of a page of that kind about a note or a folder; empty means the whole vault."""
        return f"{self.base}/{kind}/{_quoted(path)}"

    def file(self, path: str) -> str:
        """Returns the address of a file's bytes over REST; a browser displays only raster images."""
        return f"{self.root}/vault/{_quoted(path)}"

    def search(self, query: str, mode: Mode = "ranked") -> str:
        """Returns the address of the results of a search."""
        return f"{self.base}/?{urlencode({'q': query, 'mode': mode}, quote_via=quote)}"

    def tag(self, name: str) -> str:
        """Returns the address of the notes that have a tag."""
        return self.search(spelled(TagNode(name)), "obsidian")

    def assistant(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Returns the address of the text that an assistant gets from a tool."""
        given = {"tool": tool, "arguments": json.dumps(arguments, ensure_ascii=False)}
        return f"{self.base}/assistant?{urlencode(given)}"

    def may_be_linked(self, address: str) -> bool:
        """Whether a note may link to a page of ours: to notes and results, but not to tools or the login."""
        return address.startswith((f"{self.base}/note/", f"{self.base}/?")) and _stays(address)

    def may_be_shown(self, address: str) -> bool:
        """Whether a note may show the image at an address: only files of the vault."""
        return address.startswith(f"{self.root}/vault/") and _stays(address)


def _stays(address: str) -> bool:
    """Whether an address has no step back (`..`), as browsers understand it."""
    return "/.." not in address and "\\" not in address and "%2e" not in address.lower()


def _quoted(path: str) -> str:
    return quote(paths.portable(path), safe="/", errors="replace")

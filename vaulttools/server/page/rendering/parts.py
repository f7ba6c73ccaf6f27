"""Says which views of the bases and canvases of a page its address chooses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from vaulttools.server.page.addresses import Addresses

_KEY: Final = re.compile(r"(?:view|page)(?:[2-9]|[1-9][0-9])?")
"""A parameter of an address: the first base or canvas of a page has no number."""

_PAGES: Final = 10_000
"""Upper bound of the page number of one of them."""


def chosen(parameters: Mapping[str, str]) -> dict[str, str]:
    """Returns the parameters of an address that choose views and pages."""
    return {name: value for name, value in parameters.items() if _KEY.fullmatch(name)}


@dataclass(frozen=True, slots=True)
class PagePart:
    """A base or a canvas on the page of a file."""

    number: int
    """From 1, in the order of the page."""
    path: str
    """The file whose page it is."""
    addresses: Addresses
    chosen: Mapping[str, str]
    """What the page's address chooses, for all of them."""
    is_preview: bool = False
    """Whether it is shown beside a link, on a page that may have the same anchors."""

    @property
    def anchor(self) -> str:
        """The anchor of its beginning on the page of the file."""
        return f"s-part-{self.number}"

    @property
    def id(self) -> str:
        """The anchor of its beginning where it is shown."""
        return f"s-preview-{self.number}" if self.is_preview else self.anchor

    @property
    def view(self) -> str:
        """The chosen view; empty by default."""
        return self.chosen.get(self._key("view"), "")

    @property
    def page(self) -> int:
        """The chosen page, from 1."""
        given = self.chosen.get(self._key("page"), "")
        return min(max(int(given), 1), _PAGES) if given.isascii() and given.isdigit() and len(given) < 10 else 1

    def address(self, *, view: str = "", page: int = 1, anchor: str = "") -> str:
        """Returns the address of the same page with another view or page of this part."""
        own = {self._key("view"): view, self._key("page"): str(page) if page > 1 else ""}
        kept = {name: value for name, value in {**self.chosen, **own}.items() if value}
        return self.addresses.chosen(self.path, kept, anchor or self.anchor)

    def _key(self, name: str) -> str:
        return name if self.number == 1 else f"{name}{self.number}"

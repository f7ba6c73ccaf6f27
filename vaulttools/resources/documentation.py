"""Serves the package's documentation as `vaulttools://docs` and its pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from vaulttools.core import paths
from vaulttools.errors import BadArgument
from vaulttools.notes.links.targets import LinkIndex
from vaulttools.resources.urls import Virtual

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_DOCS: Final = "vaulttools://docs"


def resolve(url: str) -> list[Virtual]:
    """Every page for `vaulttools://docs`, in path order; one for `vaulttools://docs/<page>`, found as a link finds it.

    Raises:
        BadArgument: there is no such page; the sentence lists those there are.
    """
    host, _, page = url.partition("://")[2].partition("/")
    if host != "docs":
        raise BadArgument(f"Unknown URL: {paths.shown(url)}; accepted are {_DOCS} and {_DOCS}/<page>")
    pages = dict(sorted(_pages(_folder(), ""), key=lambda item: paths.order(item[0])))
    if not page:
        return [_virtual(path, file) for path, file in pages.items()]
    path = LinkIndex(pages).resolve(unquote(page))
    if path is None:
        names = ", ".join(name.removesuffix(".md") for name in pages)
        raise BadArgument(f"Unknown page: {paths.shown(page)}; pages are {names}")
    return [_virtual(path, pages[path])]


def _virtual(path: str, file: Traversable) -> Virtual:
    return Virtual(f"{_DOCS}/{path.removesuffix('.md')}", file.read_text(encoding="utf-8"))


def _pages(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    """Each page below a folder, by its path from the documentation's root."""
    for entry in folder.iterdir():
        below = paths.join(path, entry.name)
        if entry.is_dir():
            yield from _pages(entry, below)
        elif paths.is_note(entry.name):
            yield below, entry


def _folder() -> Traversable:
    """Where the pages are: in the package, or beside it in a checkout."""
    from importlib.resources import files  # measured: 11 ms, which other searches need not pay

    shipped = files("vaulttools") / "documentation"
    return shipped if shipped.is_dir() else Path(__file__).parents[2] / "docs"

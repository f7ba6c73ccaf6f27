"""Resolves `obsidian://` URLs to files of the vault, `vaulttools://docs` to the package's documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from vaulttools.core import paths
from vaulttools.errors import BadArgument, PathNotFound
from vaulttools.files.root import Root
from vaulttools.notes.links.targets import LinkIndex, parse_linktext
from vaulttools.resources.urls import Backed, Resolver, Virtual

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_DOCS: Final = "vaulttools://docs"
_FORMS: Final = "obsidian://open?vault=NAME&file=PATH and obsidian://vault/NAME/PATH"


def of_obsidian(root: Root, resolve_link: Callable[[str], str | None]) -> Resolver:
    """The resolver of `obsidian://` for one open vault (Obsidian's help, Obsidian URI).

    `resolve_link` gives the path of the file that a link's target leads to.

    A file is named by its path, or as a link names it, or by its absolute path (`path=`, which overrides the others);
    `#Heading` or `#^block` may follow. The literal path wins over the other readings. Values are percent-decoded once,
    a `+` is a plus sign. The vault goes by the name of its folder; a URL without a vault's name means the open one.

    The resolver raises:
        BadArgument: the URL is of another form, names no file, or names another vault.
        OutsideVault, AccessDenied: the file lies elsewhere, or in a protected folder.
        PathNotFound: nothing is there.
    """
    names = {paths.nfc(PurePath(folder).name) for folder in (root.folder, root.spelling)}

    def resolve(url: str) -> list[Backed]:
        vault, file = _parsed(url, root)
        if vault and paths.nfc(vault) not in names:
            raise BadArgument(f"Vault is not open: {paths.shown(vault)}")
        if not file:
            raise BadArgument(f"The URL names no file: {paths.shown(url)}; accepted are {_FORMS}")
        literal = resolve_link(file) if "#" in file else None
        if literal is not None:
            return [Backed(literal)]
        link = parse_linktext(file)
        place = root.locate(link.target)
        path = place.path if place.kind == "file" else resolve_link(link.target)
        if path is None:
            raise PathNotFound(url)
        return [Backed(path, link.headings, link.block)]

    return resolve


def _parsed(url: str, root: Root) -> tuple[str, str]:
    """The vault's name and the file, with its heading, that a URL names; each `""` where it names none."""
    address, _, query = url.partition("://")[2].partition("?")
    action, _, rest = address.partition("/")
    if action == "vault":
        vault, _, file = rest.partition("/")
        return _decoded(vault), _decoded(file)
    if action != "open" or rest:
        raise BadArgument(f"The URL opens no file: {paths.shown(url)}; accepted are {_FORMS}")
    values = {name: _decoded(value) for name, _, value in (part.partition("=") for part in query.split("&"))}
    if values.get("path"):
        return "", root.relative(values["path"])
    return values.get("vault", ""), values.get("file", "")


def _decoded(value: str) -> str:
    """The value of percent-encoded text; bytes that are no UTF-8 stay those bytes, as they do in file names."""
    return unquote(value, errors="surrogateescape")


def documentation(url: str) -> list[Virtual]:
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

"""Resolves internal URLs with resolvers that are registered by scheme.

Built-in schemes are `obsidian://` for files of the vault and `vaulttools://docs` for the package's documentation; a
program that embeds the package can add others. The caller first checks for a file whose literal name looks like the
URL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import unquote

from vaulttools.core import paths
from vaulttools.core.folding.identity import composed
from vaulttools.errors import BadArgument, PathNotFound, VaultToolsError
from vaulttools.files.root import Root
from vaulttools.notes.links.resolution import LinkIndex, parse_linktext

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE | re.ASCII)
"""At least two characters, to exclude the drive letter of `C:\\`; case is ignored (RFC 3986, 3.1)."""

_GLOB = re.compile(r"[*?\[{]")
"""Glob characters, which a URL must not contain: it names one resource."""


@dataclass(frozen=True, slots=True)
class Backed:
    """A file of the vault that a URL names."""

    path: str
    """Vault-relative; passed through `Root.locate` before use."""
    heading: tuple[str, ...] = ()
    """The headings that lead to the named section; empty: the whole file."""
    block: str | None = None
    """The id of the named block, without `^`."""


@dataclass(frozen=True, slots=True)
class Virtual:
    """A text that is not a file of the vault; searched in memory, and never changed."""

    name: str
    """The shown name, which is also accepted as a URL."""
    text: str


Resolver: TypeAlias = Callable[[str], Sequence[Backed | Virtual]]
"""Takes a complete URL as written; returns an empty sequence if nothing is there; raises VaultToolsError to refuse."""

ResolveLink: TypeAlias = Callable[[str], str | None]
"""Returns the vault-relative path of the file that a link's target leads to, or None."""


def is_url(entry: str) -> bool:
    """Whether an entry of `paths` has the form of a URL, with any scheme."""
    return _SCHEME.match(entry) is not None


class Resolvers:
    """Resolvers by scheme; any number of threads may register and resolve."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[str, Callable[[ResolveLink], Resolver]] = {}

    def register(self, scheme: str, resolver: Resolver) -> None:
        """Register a resolver for a scheme (without `://`), in place of an earlier one.

        Raises:
            BadArgument: `scheme` is not a valid scheme.
        """
        self.register_linking(scheme, lambda _: resolver)

    def register_linking(self, scheme: str, make: Callable[[ResolveLink], Resolver]) -> None:
        """Register a resolver that follows links: `make` gets a function that resolves links within the call's time.

        Raises:
            BadArgument: `scheme` is not a valid scheme.
        """
        if not _SCHEME.fullmatch(f"{scheme}://"):
            raise BadArgument(
                f"Not a URL scheme: {paths.shown(scheme)}; it is a letter, then letters, digits, + - or ."
            )
        with self._lock:
            # A new mapping each time: a call that is resolving keeps the old one.
            self._known = {**self._known, scheme.lower(): make}

    def resolve(self, url: str, resolve_link: ResolveLink = lambda target: None) -> list[Backed | Virtual]:
        """Returns the resources of a URL, in the resolver's order; empty if nothing is there.

        Raises:
            BadArgument: the scheme has no resolver, the URL contains glob characters (apart from the first `?`, which
            begins the query), or the resolver failed.
            VaultToolsError: the resolver refused the URL.
        """
        known = self._known
        match = _SCHEME.match(url)
        scheme = match[1].lower() if match else ""
        if scheme not in known:
            names = ", ".join(f"{name}://" for name in sorted(known))
            raise BadArgument(f"Unknown URL scheme: {paths.shown(url)}; known are {names}")
        if _GLOB.search(url.replace("?", "", 1)):
            raise BadArgument(f"Glob patterns are not supported for internal URLs: {paths.shown(url)}")
        try:
            resources = list(known[scheme](resolve_link)(url))
        except VaultToolsError:
            raise
        except Exception as error:
            # The answer leaves out the error's text, which may contain data that a model must not see (fault-M13).
            raise BadArgument(f"The resolver of {scheme}:// failed on {paths.shown(url)}: {_kind(error)}") from error
        for resource in resources:
            if not isinstance(resource, Backed | Virtual):
                raise BadArgument(
                    f"The resolver of {scheme}:// failed on {paths.shown(url)}: it returned {_kind(resource)}"
                )
        return resources


def _kind(value: object) -> str:
    return type(value).__name__


_DOCS: Final = "vaulttools://docs"
_FORMS: Final = "obsidian://open?vault=NAME&file=PATH and obsidian://vault/NAME/PATH"


def of_obsidian(root: Root, resolve_link: Callable[[str], str | None]) -> Resolver:
    """Returns the resolver of `obsidian://` for one open vault (Obsidian's help, Obsidian URI).

    `resolve_link` returns the path of the file that a link's target leads to.

    A file is named by its path, as in a link, or by its absolute path (`path=`, which overrides the others); `#Heading`
    or `#^block` may follow. A literal path wins over other readings. Values are percent-decoded once; a `+` is a plus
    sign. The vault's name is that of its folder; a URL without a vault means the open one.

    The resolver raises:
        BadArgument: the URL is of another form, names no file, or names another vault.
        OutsideVault, AccessDenied: the file lies elsewhere, or in a protected folder.
        PathNotFound: nothing is there.
    """
    names = {composed(PurePath(folder).name) for folder in (root.folder, root.spelling)}

    def resolve(url: str) -> list[Backed]:
        vault, file = _parsed(url, root)
        if vault and composed(vault) not in names:
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
    """Returns the vault's name and the file (with its heading) in a URL; `""` for a missing one."""
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
    """Decodes percent-encoded text; invalid UTF-8 becomes surrogates, as in file names."""
    return unquote(value, errors="surrogateescape")


def documentation(url: str) -> list[Virtual]:
    """Returns all pages for `vaulttools://docs`, in path order; one for `vaulttools://docs/<page>`, found like a link.

    Raises:
        BadArgument: there is no such page; the message lists the existing ones.
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
    """Yields each page below a folder, with its path from the documentation's root."""
    for entry in folder.iterdir():
        below = paths.join(path, entry.name)
        if entry.is_dir():
            yield from _pages(entry, below)
        elif paths.is_note(entry.name):
            yield below, entry


def _folder() -> Traversable:
    """Returns the folder of the pages: in the package, or beside it in a checkout."""
    from importlib.resources import files  # takes 11 ms (measured), which other searches do not need

    shipped = files("vaulttools") / "documentation"
    return shipped if shipped.is_dir() else Path(__file__).parents[2] / "docs"

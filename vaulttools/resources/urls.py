"""Resolves internal URLs, by resolvers registered under their scheme.

`obsidian` and `documentation` hold the resolvers built in; a program that embeds the package adds its own. Whether a
file that is literally named like a URL is meant instead is for the caller to decide first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TypeAlias

from vaulttools.core import paths
from vaulttools.errors import BadArgument, VaultToolsError

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE | re.ASCII)
"""Of at least two characters, so that the drive letter of `C:\\` is none; case does not matter (RFC 3986, 3.1)."""

_GLOB = re.compile(r"[*?\[{]")
"""Characters of a glob, which a URL may not hold: it names one resource."""


@dataclass(frozen=True, slots=True)
class Backed:
    """A file of the vault that stands behind a URL."""

    path: str
    """Vault-relative; goes through `Root.locate` before it is used."""
    heading: tuple[str, ...] = ()
    """The chain of headings to the section that is meant; empty: the whole file."""
    block: str | None = None
    """The id of the block that is meant, without `^`."""


@dataclass(frozen=True, slots=True)
class Virtual:
    """A text that is no file of the vault; searched in memory, and never changed."""

    name: str
    """What is shown for it, and is accepted back as a URL."""
    text: str


Resolver: TypeAlias = Callable[[str], Sequence[Backed | Virtual]]
"""Takes a whole URL as it was written; returns nothing when nothing is there; raises VaultToolsError to refuse it."""

ResolveLink: TypeAlias = Callable[[str], str | None]
"""Gives the vault-relative path of the file that a link's target leads to, or None."""


def is_url(entry: str) -> bool:
    """Whether an entry of `paths` is written as a URL, of whatever scheme."""
    return _SCHEME.match(entry) is not None


class Resolvers:
    """The resolvers by scheme; any number of threads may register and resolve."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[str, Callable[[ResolveLink], Resolver]] = {}

    def register(self, scheme: str, resolver: Resolver) -> None:
        """Let a resolver answer for a scheme, given without `://`; one that answered for it before no longer does.

        Raises:
            BadArgument: that is no scheme.
        """
        self.register_linking(scheme, lambda _: resolver)

    def register_linking(self, scheme: str, make: Callable[[ResolveLink], Resolver]) -> None:
        """Register a resolver that follows links: `make` gets what resolves links within the call's time.

        Raises:
            BadArgument: that is no scheme.
        """
        if not _SCHEME.fullmatch(f"{scheme}://"):
            raise BadArgument(
                f"Not a URL scheme: {paths.shown(scheme)}; it is a letter, then letters, digits, + - or ."
            )
        with self._lock:
            # A new mapping each time: a call that resolves meanwhile keeps the one it has.
            self._known = {**self._known, scheme.lower(): make}

    def resolve(self, url: str, resolve_link: ResolveLink = lambda target: None) -> list[Backed | Virtual]:
        """What a URL leads to, in the order in which its resolver gives it; empty when nothing is there.

        Raises:
            BadArgument: no resolver is known for its scheme, it holds glob characters (the first `?` begins the query
                and is none), or the resolver failed.
            VaultToolsError: whatever the resolver refuses the URL with.
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
            # Its text stays out of the answer: it may hold what is no business of a model (fault-M13).
            raise BadArgument(f"The resolver of {scheme}:// failed on {paths.shown(url)}: {_kind(error)}") from error
        for resource in resources:
            if not isinstance(resource, Backed | Virtual):
                raise BadArgument(
                    f"The resolver of {scheme}:// failed on {paths.shown(url)}: it returned {_kind(resource)}"
                )
        return resources


def _kind(value: object) -> str:
    return type(value).__name__

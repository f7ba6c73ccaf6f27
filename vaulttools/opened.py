"""What a tool needs of an open vault: its root, its configuration, its ripgrep, and the rules a call walks by."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from vaulttools.config import VaultConfig
from vaulttools.core import excluded, globs, paths, ripgrep
from vaulttools.core.catalogue import Rules
from vaulttools.core.excluded import Excluded
from vaulttools.core.protection import Protection
from vaulttools.core.ripgrep import Ripgrep
from vaulttools.core.root import Root
from vaulttools.core.scope import Scope, Walk
from vaulttools.core.work import Work
from vaulttools.errors import AccessDenied, BadArgument


@dataclass(frozen=True)
class OpenVault:
    """One vault, for any number of calls from any number of threads."""

    root: Root
    config: VaultConfig
    config_folder: str
    """Vault-relative."""

    @cached_property
    def ripgrep(self) -> Ripgrep:
        """The ripgrep that searches this vault; looked for at the first call that needs it.

        Raises:
            RipgrepUnavailable: there is none that can be used.
        """
        return ripgrep.locate(self.config.rg)

    def scope(
        self,
        walks: tuple[Walk, ...],
        named: tuple[str, ...],
        work: Work,
        *,
        hidden: bool,
        include_excluded: bool,
    ) -> Scope:
        """The scope of a call under the vault's present rules."""
        rules = (
            excluded.read(Path(self.root.absolute(self.config_folder))) if self._excludes(include_excluded) else None
        )
        return Scope(
            self.root,
            Rules(hidden=hidden, excluded=rules or Excluded()),
            walks,
            named,
            self._regex_excluded(rules.patterns, work) if rules and rules.patterns else None,
        )

    def selected(self, glob: str, *, notes_only: bool) -> tuple[tuple[Walk, ...], tuple[str, ...]]:
        """What a glob filter of `search_files` selects: walks, or a file that it names exactly.

        A filter that lies in a protected folder selects nothing (spec 2.3).

        Raises:
            InvalidGlob: it is malformed.
            OutsideVault: it leads out of the vault.
        """
        try:
            place = self.root.locate(glob)
        except AccessDenied:
            return (), ()
        if place.kind == "file":
            return (), (place.path,) if paths.is_note(place.path) or not notes_only else ()
        if place.kind is not None and not glob.endswith("/"):
            glob = f"{glob}/"  # a folder named without its slash means what it holds
        return (Walk(glob=globs.parse(glob, ignore_case=True), notes_only=notes_only),), ()

    def _excludes(self, include_excluded: bool) -> bool:
        return self.config.respect_excluded and not include_excluded

    def _regex_excluded(self, entries: Sequence[str], work: Work) -> Callable[[Sequence[str]], set[int]]:
        """Obsidian's `/regex/` entries, matched by ripgrep: nothing from a vault is compiled in this process."""

        def covered(paths: Sequence[str]) -> set[int]:
            lines = [path.replace("\n", " ") for path in paths]
            found: set[int] = set()
            for entry in entries:
                matched = self.ripgrep.lines_matching([entry], lines, work)
                if matched is None:
                    work.warnings.append(
                        f"The excluded-files entry /{entry}/ is no pattern ripgrep knows; it excludes nothing."
                    )
                else:
                    found |= matched
            return found

        return covered


def open_folder(folder: str, config: VaultConfig) -> OpenVault:
    """The vault at a folder.

    Raises:
        BadArgument: there is no such folder.
    """
    given = os.path.abspath(os.path.expanduser(folder))
    real = os.path.realpath(given)
    if not os.path.isdir(real):
        what = "not a folder" if os.path.exists(real) else "no such folder"
        raise BadArgument(f"The vault cannot be opened: {folder}: {what}")
    config_folder = config.config_folder or _config_folder(Path(real)) or ".obsidian"
    protection = Protection.of((*config.protected, config_folder))
    return OpenVault(Root(real, given, protection), config, config_folder)


def _config_folder(root: Path) -> str | None:
    """The dot-folder at the root that holds Obsidian's settings; `.obsidian` before one of another name (rule E03)."""
    found = None
    try:
        names = sorted(entry.name for entry in os.scandir(root) if entry.name.startswith(".") and entry.is_dir())
    except OSError:
        return None
    for name in names:
        if (root / name / "app.json").is_file() or (root / name / "core-plugins.json").is_file():
            if name == ".obsidian":
                return name
            found = found or name
    return found

"""Finds the paths that Obsidian's `/regex/` exclusions cover."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vaulttools.core.work import Reason, Work
from vaulttools.files.scope import Covering
from vaulttools.matching.ripgrep import Ripgrep


def covering(ripgrep: Ripgrep, entries: Sequence[str], work: Work) -> Callable[[Sequence[str]], Covering]:
    """What tells which of some paths any of the regexes matches. ripgrep matches them: nothing from a vault is compiled
    in this process."""

    def covered(paths: Sequence[str]) -> Covering:
        lines = [path.replace("\n", " ") for path in paths]
        found: set[int] = set()
        stopped: Reason | None = None
        warnings: list[str] = []
        for entry in entries:
            matched = ripgrep.lines_matching([entry], lines, work)
            if matched is None:
                # Not shown: it stands in a protected folder.
                warnings.append("ripgrep cannot read a /regex/ of the vault's excluded files; it excludes nothing.")
            else:
                found |= matched[0]
                stopped = stopped or matched[1]
        return Covering(found, stopped, tuple(dict.fromkeys(warnings)))

    return covered

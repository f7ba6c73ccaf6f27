"""Shows what matches in the lines of an answer, as ripgrep finds it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from vaulttools.cli.colour import ESCAPE, Highlighter, whole
from vaulttools.core.work import Work
from vaulttools.errors import VaultToolsError
from vaulttools.patterns.pattern import Mode
from vaulttools.vault import Vault

_SECONDS: Final = 1.0
"""For ripgrep; an answer has 50 KiB at most."""

_STYLE: Final = ("--color=always", "--colors=match:none", "--colors=match:fg:red", "--colors=match:style:bold")


def of(vault: Vault, arguments: Mapping[str, Any]) -> Highlighter | None:
    """What shows the matches of a call with these arguments; None: it looks for no words."""
    mode: Mode
    if pattern := arguments.get("pattern"):
        mode = "fixed" if arguments.get("fixed") else "regex"
        ignores_case = bool(arguments.get("i")) or arguments.get("case_sensitive") is False
    elif "file" in arguments and (pattern := arguments.get("query")):
        mode, ignores_case = arguments.get("mode", "fixed"), False
    elif (question := arguments.get("query") or arguments.get("question")) and isinstance(question, str):
        from vaulttools.ranked.question import read, without_operators

        terms = [re.escape(term.text) for term in read(without_operators(question)[0]).terms]
        pattern, mode, ignores_case = rf"\b(?:{'|'.join(terms)})" if terms else "", "regex", True
    if not pattern:
        return None

    def highlighted(lines: Sequence[str]) -> Sequence[str]:
        try:
            flags = vault.session.ripgrep.compile(pattern, mode, ignore_case=ignores_case).arguments(normalised=True)
            asked = [*_STYLE, "--passthru", "--no-line-number", "--no-filename", *flags, "-"]
            text = "\n".join([*lines, ""]).encode("utf-8", "replace")
            printed = vault.session.ripgrep.start(asked, stdin=text).outcome(Work(_SECONDS)).stdout
        except VaultToolsError:
            return whole(lines)
        shown = printed.decode("utf-8", "replace").split("\n")[: len(lines)]
        # Whatever ripgrep made of them, the lines stay what they are.
        return shown if [ESCAPE.sub("", line) for line in shown] == [*lines] else whole(lines)

    return highlighted

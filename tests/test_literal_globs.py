"""Every tool that takes a glob finds a name with brackets or braces by its own spelling."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

import pytest

from tests.conftest import MakeVault
from vaulttools import tools

NOTE: Final = "---\nstatus: open\n---\nneedle #proj [[gone]]\n\n- [ ] needle\n"
FILES: Final = {"t/[2024] plan.md": NOTE, "t/{type} note.md": NOTE, "t/[a] {b,c}.md": NOTE, "[2024-11]/in.md": NOTE}

CALLS: Final[dict[str, tuple[str, Mapping[str, Any]]]] = {
    "search_files": ("file_pattern", {"pattern": "needle"}),
    "search": ("paths", {"pattern": "needle"}),
    "grep": ("glob", {"pattern": "needle"}),
    "find": ("paths", {}),
    "query": ("glob", {"query": "needle"}),
    "query, obsidian": ("glob", {"query": "needle", "mode": "obsidian"}),
    "context": ("glob", {"question": "needle"}),
    "links": ("glob", {"direction": "unresolved"}),
    "tags": ("glob", {}),
    "properties": ("glob", {}),
    "tasks": ("glob", {}),
}
"""By tool, its argument for a glob, and the other arguments."""

GLOBS: Final = (
    "t/[2024]*",
    "[2024] plan.md",
    "t/{type}*.md",
    "{type} note.md",
    r"t/\{type\}*.md",
    "t/[{]type[}]*.md",
    "t/[[]2024[]]*",
    "[a] {b,c}*",
    "[2024-11]/*.md",
    "[2024-11]/",
    r"\[2024-11\]/*.md",
    r"\[2024\] plan.md",
    r"\{type\}*.md",
)


def test_every_tool_with_an_argument_for_globs_is_in_the_table() -> None:
    taking = {name for name in tools.NAMES if {"glob", "file_pattern"} & set(tools.named(name).request.model_fields)}
    assert taking <= {name.partition(",")[0] for name in CALLS}


@pytest.mark.parametrize("name", CALLS)
def test_a_name_with_brackets_or_braces_is_found_by_its_own_spelling(name: str, make_vault: MakeVault) -> None:
    argument, others = CALLS[name]
    with make_vault(FILES) as vault:
        for glob in GLOBS:
            if sys.platform == "win32" and glob.startswith("\\"):
                continue  # there such a path begins at the root of its drive, outside the vault
            given = {**others, argument: [glob] if argument == "paths" else glob}
            assert vault.answer(name.partition(",")[0], given).found, glob


@pytest.mark.parametrize("name", CALLS)
def test_an_answer_without_results_says_how_a_glob_was_read(name: str, make_vault: MakeVault) -> None:
    argument, others = CALLS[name]
    told = "The glob t/[x]{y}* was read with its brackets and braces as wildcards, and as literal text."
    with make_vault(FILES) as vault:
        for glob, is_told in (("t/[x]{y}*", True), ("t/x*", False)):
            given = {**others, argument: [glob] if argument == "paths" else glob}
            answer = vault.answer(name.partition(",")[0], given)
            assert (answer.found, told in answer.notices, told in answer.text) == (False, is_told, is_told)


@pytest.mark.parametrize("glob", ["[.]obsidian/*", r".obs\{idian\}/*", "{.obsidian}/*", "{.obsidian,t}/*", "[.]git/*"])
@pytest.mark.parametrize("name", CALLS)
def test_no_reading_of_a_glob_leads_into_a_protected_folder(name: str, glob: str, make_vault: MakeVault) -> None:
    argument, others = CALLS[name]
    closed = {".obsidian/secret.md": NOTE, ".obs{idian}/secret.md": NOTE, ".git/secret.md": NOTE}
    with make_vault(FILES | closed) as vault:
        answer = vault.call(name.partition(",")[0], {**others, argument: [glob] if argument == "paths" else glob})
        assert ".obsidian/secret.md" not in answer.text + str(answer.details)
        assert ".git/secret.md" not in answer.text + str(answer.details)

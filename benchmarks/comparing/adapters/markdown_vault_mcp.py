"""markdown-vault-mcp from PyPI, by keywords: an index of its own, brought up to date by a file watch."""

from __future__ import annotations

from pathlib import Path

from benchmarks.comparing.contestant import FIRST, MOST, Contestant, Result
from benchmarks.comparing.installing import from_pypi

PACKAGE = "markdown-vault-mcp"


def contestant(vault: Path, kept: Path) -> Contestant:
    """Its server, which only reads."""
    commands, version = from_pypi(PACKAGE, "file-watcher")
    return Contestant(
        PACKAGE,
        version,
        ask=lambda question: ("search", {"query": question, "limit": FIRST, "mode": "keyword"}),
        find=lambda word: ("search", {"query": word, "limit": MOST, "mode": "keyword"}),
        read=lambda path: ("read", {"path": path}),
        paths=_paths,
        command=[str(commands / PACKAGE), "serve"],
        environment={
            "MARKDOWN_VAULT_MCP_SOURCE_DIR": str(vault),
            "MARKDOWN_VAULT_MCP_READ_ONLY": "true",
            "MARKDOWN_VAULT_MCP_INDEX_PATH": str(kept / "index.db"),
        },
        refresh="its tool reindex",
    )


def _paths(result: Result) -> list[str]:
    return [each["path"] for each in result.get("structuredContent", {}).get("result", [])]

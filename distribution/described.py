"""Describes the server for distribution: bundle, MCP registry, and the plugins of assistants."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from vaulttools import __version__, tools

REPOSITORY: Final = Path(__file__).resolve().parent.parent

NAME: Final = "io.github.vaulttools/vaulttools"
"""The namespace must belong to the account that publishes."""

_VAULT: Final = "The folder that holds your notes. Nothing is ever written into it."


def project() -> dict[str, Any]:
    """Return the table `project` of pyproject.toml."""
    found: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def manifest() -> dict[str, Any]:
    """Return the manifest of a bundle (version 0.4); its client provides uv, and uv Python and the libraries."""
    return {
        "manifest_version": "0.4",
        "name": "vaulttools",
        "version": __version__,
        "description": project()["description"],
        "author": project()["authors"][0],
        "license": project()["license"],
        "keywords": project()["keywords"],
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", "server.py", "--vault", "${user_config.vault}", "mcp"],
            },
        },
        "tools": [{"name": name, "description": tools.named(name).summary} for name in tools.DEFAULT],
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": project()["requires-python"]},
        },
        "user_config": {"vault": {"type": "directory", "title": "Vault", "description": _VAULT, "required": True}},
    }


def bundle_project(wheel: str) -> str:
    """Return the pyproject.toml of a bundle: the package comes from the wheel in the bundle, never from an index."""
    return f"""\
[project]
name = "vaulttools-bundle"
version = "{__version__}"
requires-python = "{project()["requires-python"]}"
dependencies = ["vaulttools[files,mcp]"]

[tool.uv]
package = false

[tool.uv.sources]
vaulttools = {{ path = "{wheel}" }}
"""


def entry_point() -> str:
    """Return `server.py` of a bundle: it does the same as the installed command."""
    module, _, function = project()["scripts"]["vaulttools"].partition(":")
    return f"from {module} import {function}\n\n{function}()\n"


def server() -> dict[str, Any]:
    """Return `server.json` in the registry's schema of 2025-12-11."""
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": NAME,
        "title": "vaulttools",
        "description": project()["description"],
        "version": __version__,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": "vaulttools",
                "version": __version__,
                "runtimeHint": "uvx",
                "runtimeArguments": [
                    {"type": "named", "name": "--with", "value": f"vaulttools[files,mcp]=={__version__}"}
                ],
                "packageArguments": [
                    {
                        "type": "named",
                        "name": "--vault",
                        "description": _VAULT,
                        "format": "filepath",
                        "isRequired": True,
                    },
                    {"type": "positional", "value": "mcp"},
                ],
                "transport": {"type": "stdio"},
            }
        ],
    }


def plugin() -> dict[str, Any]:
    """Return `.claude-plugin/plugin.json` of Claude Code, which asks for the vault and expands both variables."""
    return {
        **_described_plugin(),
        "author": project()["authors"][0],
        "license": project()["license"],
        "keywords": project()["keywords"],
        "skills": "./docs/skills/",
        "userConfig": {"vault": {"type": "directory", "title": "Vault", "description": _VAULT, "required": True}},
        "mcpServers": {
            "vaulttools": _from_folder("${CLAUDE_PLUGIN_ROOT}", "--vault", "${user_config.vault}"),
        },
    }


def marketplace() -> dict[str, Any]:
    """Return `.claude-plugin/marketplace.json`: a marketplace of one plugin, the repository itself."""
    return {
        "name": "vaulttools",
        "owner": project()["authors"][0],
        "description": project()["description"],
        "plugins": [{**_described_plugin(), "source": "./"}],
    }


def extension() -> dict[str, Any]:
    """Return `gemini-extension.json` of Gemini CLI, which asks for the vault and hands the variable on."""
    return {
        **_described_plugin(),
        "settings": [{"name": "Vault", "description": _VAULT, "envVar": "VAULTTOOLS_VAULT"}],
        "mcpServers": {"vaulttools": _from_folder("${extensionPath}")},
    }


def _described_plugin() -> dict[str, Any]:
    return {"name": "vaulttools", "version": __version__, "description": project()["description"]}


def _from_folder(folder: str, *words: str) -> dict[str, Any]:
    """Return the command of a plugin: the package comes from its own folder, since no index holds the name."""
    return {"command": "uvx", "args": ["--from", f"{folder}[files,mcp]", "vaulttools", *words, "mcp"]}

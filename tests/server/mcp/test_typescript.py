"""Clients that are not ours, in TypeScript: the official SDK's client, and the plugins in the documentation.

What they need from npm is kept in the user's cache folder; without Node, or where npm brings nothing, they are skipped.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FIXTURES
from tests.server.packages import installed
from tests.server.serving import PROGRAM, environment, http
from tests.tools.test_definitions import CALLS
from vaulttools import Vault, __version__, tools

REPOSITORY = Path(__file__).parents[3]
EXAMPLES = REPOSITORY / "docs" / "examples"

PACKAGES = ("@modelcontextprotocol/sdk@1.32", "@types/node@20", "obsidian@1.8", "typescript@5.8")
COMPILER = "--noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler --types node"


@pytest.fixture(scope="module")
def node() -> Path:
    """A folder with the packages installed."""
    return installed(*PACKAGES)


def _driven(node: Path, kind: str, target: Any) -> dict[str, Any]:
    """What the SDK's client receives."""
    script = node / "client.mjs"
    shutil.copy(Path(__file__).parent / "client.mjs", script)
    given = json.dumps({"target": target, "calls": {name: calls[0] for name, calls in CALLS.items()}})
    command = ["node", str(script), kind, given]
    driven = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", env=environment(), cwd=node, timeout=100
    )
    assert driven.returncode == 0, driven.stderr
    result: dict[str, Any] = json.loads(driven.stdout)
    return result


@pytest.mark.parametrize("kind", ["stdio", "http"])
def test_the_client_of_the_typescript_sdk_lists_and_calls_every_tool(node: Path, kind: str) -> None:
    words = ["--vault", str(FIXTURES / "vault"), "mcp", "--structured", "full", "--tools", "all"]
    if kind == "stdio":
        got = _driven(node, kind, [*PROGRAM, *words])
    else:
        with http(*words, "--http", ":0") as served:
            got = _driven(node, kind, served.url)
    assert got["server"]["name"] == "vaulttools" and got["server"]["version"] == __version__
    assert got["tools"] == list(tools.NAMES)
    with Vault.open(FIXTURES / "vault") as vault:
        for name, calls in CALLS.items():
            assert got["answers"][name] == {"text": vault.call(name, calls[0]).text, "isError": False}
    assert got["resource"]
    assert (got["refused"], got["unknown"]) == (True, -32602)


def test_the_plugins_in_the_documentation_have_no_type_error(node: Path) -> None:
    examples = sorted(EXAMPLES.glob("*.ts"))
    assert examples
    compiler = node / "node_modules" / "typescript" / "bin" / "tsc"
    copies = [shutil.copy(path, node) for path in examples]  # there the compiler finds the packages
    command = ["node", str(compiler), *COMPILER.split(), *map(str, copies)]
    checked = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=node)
    assert (checked.stdout, checked.returncode) == ("", 0)

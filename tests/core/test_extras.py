"""The command that adds an extra fits the way in which the package was installed."""

from __future__ import annotations

import pytest

from vaulttools.core import extras


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/ines/.local/share/uv/tools/vaulttools", "uv tool install --force '.[mcp,serve,files,semantic]'"),
        ("/home/ines/.local/share/pipx/venvs/vaulttools", "pipx install --force '.[mcp,serve,files,semantic]'"),
        ("/home/ines/vaulttools/.venv", "pip install '.[serve]'"),
        ("/usr", "pip install '.[serve]'"),
    ],
)
def test_each_installer_has_its_own_command(prefix: str, command: str) -> None:
    assert extras.install("serve", prefix) == f"{command} in the checkout"

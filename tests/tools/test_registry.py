"""The registry: it describes each tool correctly without importing the tool's module."""

from __future__ import annotations

import subprocess
import sys

import pytest

from vaulttools import tools


@pytest.mark.parametrize("name", tools.NAMES)
def test_the_registry_describes_each_tool_correctly(name: str) -> None:
    tool, traits = tools.named(name), tools.TOOLS[name]
    assert tool.name == name
    assert traits.lists_early or not tool.needs_structure  # the structure needs the names of all files
    assert tool.needs_structure or not traits.reads_all_notes
    for _, text in filter(None, (traits.way, traits.step)):
        assert name in text
    assert traits.choice.startswith(f"{name} ") or not traits.choice


def test_the_registry_is_read_without_importing_a_tool() -> None:
    code = "import sys; from vaulttools import tools; tools.DEFAULT; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pydantic", "dataclasses", *(f"vaulttools.tools.{name}" for name in tools.NAMES)} & {*loaded}

"""The examples in docs/frameworks.md: each loads the MCP server by the framework's own adapter."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.packages import python_packages
from tests.server.serving import environment
from vaulttools import tools

REPOSITORY = Path(__file__).parents[3]
EXAMPLES = re.findall(
    r"^`pip install ([^`]*)`\n\n```python\n(.*?)^```$",
    (REPOSITORY / "docs" / "frameworks.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)
"""The packages, each with its version, and the code that needs them."""

each = pytest.mark.parametrize(("packages", "code"), EXAMPLES, ids=[packages for packages, _ in EXAMPLES])


def test_four_frameworks_have_an_example() -> None:
    assert len(EXAMPLES) == 4


@each
def test_an_example_has_at_most_ten_lines(packages: str, code: str) -> None:
    assert len([line for line in code.splitlines() if line]) <= 10


@pytest.mark.registry
@pytest.mark.skipif("VAULTTOOLS_FRAMEWORKS" not in os.environ, reason="installs 600 MB: make frameworks")
@pytest.mark.timeout(600)
@each
def test_an_example_lists_the_tools_and_prints_what_query_answers(packages: str, code: str) -> None:
    """The packages are installed once, which takes most of the time."""
    folder = python_packages(sys.executable, *shlex.split(packages))
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=REPOSITORY,
        env=environment(PYTHONPATH=str(folder), PATH=path),
    )
    assert ran.returncode == 0, ran.stderr
    names, _, answer = ran.stdout.partition("\n")
    assert names.split() == list(tools.DEFAULT)
    assert answer.startswith("Showing 1 note, best first.\n\n## inbox.md\n") and "return the drill to Jörg" in answer

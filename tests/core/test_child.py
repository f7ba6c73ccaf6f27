"""Processes of our own find this package, and import nothing from the folder they run in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import vaulttools

ROOT = str(Path(vaulttools.__file__).parent.parent)

PROGRAM = """
import subprocess, sys
from vaulttools.core import child
python, *rest = child.command("vaulttools", "--version")
sys.exit(subprocess.run([python, *sys.argv[1:], *rest]).returncode)
"""


def _started(program: str, folder: Path, *flags: str, path: str | None = None) -> str:
    """What a process of our own prints that a Python with these flags has started in a folder."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if path is not None:
        environ["PYTHONPATH"] = path
    given = [each for each in flags if each == "-S"]
    command = [sys.executable, *flags, "-c", program, *given]
    done = subprocess.run(command, cwd=folder, env=environ, stdout=subprocess.PIPE, check=False, encoding="utf-8")
    return done.stdout


def test_a_package_that_is_not_installed_is_found_where_this_process_found_it(tmp_path: Path) -> None:
    program = f"import sys; sys.path.insert(0, {ROOT!r})\n{PROGRAM}"
    assert _started(program, tmp_path, "-S") == f"vaulttools {vaulttools.__version__}\n"  # without site-packages


@pytest.mark.parametrize("path", [None, "", os.pathsep])
def test_nothing_is_imported_from_the_folder_of_a_process_that_is_isolated(tmp_path: Path, path: str | None) -> None:
    (tmp_path / "vaulttools.py").write_text("print('of the folder')", encoding="utf-8")
    assert _started(PROGRAM, tmp_path, "-I", path=path) == f"vaulttools {vaulttools.__version__}\n"

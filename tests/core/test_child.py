"""Child processes: they find this package, import nothing from the folder they run in, and end in time."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import vaulttools
from vaulttools.core import child

ROOT = str(Path(vaulttools.__file__).parent.parent)

PROGRAM = """
import subprocess, sys
from vaulttools.core import child
python, *rest = child.command("vaulttools", "--version")
sys.exit(subprocess.run([python, *sys.argv[1:], *rest]).returncode)
"""


def _started(program: str, folder: Path, *flags: str, path: str | None = None) -> str:
    """The output of a process of our own; a Python with these flags starts it in a folder."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if path is not None:
        environ["PYTHONPATH"] = path
    given = [each for each in flags if each == "-S"]
    command = [sys.executable, *flags, "-c", program, *given]
    done = subprocess.run(command, cwd=folder, env=environ, stdout=subprocess.PIPE, check=False, encoding="utf-8")
    return done.stdout


def test_a_child_finds_a_package_that_is_not_installed_where_this_process_found_it(tmp_path: Path) -> None:
    program = f"import sys; sys.path.insert(0, {ROOT!r})\n{PROGRAM}"
    assert _started(program, tmp_path, "-S") == f"vaulttools {vaulttools.__version__}\n"  # without site-packages


@pytest.mark.not_under_wine("the package is not installed there, and -I heeds no PYTHONPATH")
@pytest.mark.parametrize("path", [None, "", os.pathsep])
def test_an_isolated_process_imports_nothing_from_its_folder(tmp_path: Path, path: str | None) -> None:
    (tmp_path / "vaulttools.py").write_text("print('of the folder')", encoding="utf-8")
    assert _started(PROGRAM, tmp_path, "-I", path=path) == f"vaulttools {vaulttools.__version__}\n"


def test_a_frame_is_read_in_any_pieces_up_to_the_allowed_length() -> None:
    sent = io.BytesIO(child.framed(b"whole") + child.framed(b"cut")[:-1])
    assert child.frame(lambda size: sent.read(min(size, 2)), 5) == b"whole"
    with pytest.raises(EOFError):
        child.frame(sent.read)
    with pytest.raises(ValueError, match="too long"):
        child.frame(io.BytesIO(child.framed(b"whole")).read, 4)


def test_a_child_whose_answer_takes_too_long_has_gone() -> None:
    waiting = child.Child([sys.executable, "-c", "import time; time.sleep(600)"])
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(waiting.receive)
        while not asking.done():
            waiting.kill_if_late(0.05)
    assert isinstance(asking.exception(), child.ChildGone)
    waiting.end()


@pytest.mark.parametrize(("name", "value"), [("executable", ""), ("frozen", True)])
def test_without_a_python_to_start_no_child_is_started(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    monkeypatch.setattr(sys, name, value, raising=False)
    assert child.started("vaulttools.index.workers") is None

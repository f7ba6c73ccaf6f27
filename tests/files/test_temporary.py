"""A temporary folder is removed by the process that made it, and by no other."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import MakeVault
from vaulttools.files.temporary import TemporaryFolder

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def test_a_temporary_folder_is_private_and_ends_with_its_object() -> None:
    folder = TemporaryFolder()
    path = Path(folder.path)
    (path / "a.md").touch()
    assert os.name == "nt" or stat.S_IMODE(path.stat().st_mode) == 0o700
    del folder
    assert not path.exists()


def test_removing_a_temporary_folder_twice_is_no_error() -> None:
    folder = TemporaryFolder()
    folder.remove()
    folder.remove()
    assert not Path(folder.path).exists()


END_IN_A_CHILD = """
import os, sys
from vaulttools.files.temporary import TemporaryFolder

folder = TemporaryFolder()
child = os.fork()
if child == 0:
    if sys.argv[1] == "removes it":
        folder.remove()
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
assert os.path.isdir(folder.path)
print(folder.path)
"""


@forks
@pytest.mark.parametrize("child", ["ends", "removes it"])
def test_a_child_that_ends_leaves_its_parents_temporary_folder(child: str) -> None:
    run = subprocess.run([sys.executable, "-c", END_IN_A_CHILD, child], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert not Path(run.stdout.strip()).exists()  # its parent removed it


INDEX_IN_A_CHILD = """
import os, sys, tempfile
from vaulttools import Vault


def tags():
    return [tag.tag for tag in vault.tags().tags]


def folders():
    return set(os.listdir(tempfile.gettempdir()))


vault = Vault.open(sys.argv[1], index="off")
assert tags() == ["first"]
before = folders()
child = os.fork()
if child == 0:
    with vault:
        assert tags() == ["first"]
        assert len(folders()) == 2  # the child has an index of its own
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
assert len(before) == 1 and folders() == before
with open(sys.argv[1] + "/b.md", "w") as file:
    file.write("#second")
assert tags() == ["first", "second"]
"""


@forks
def test_a_child_that_ends_leaves_its_parents_temporary_index(make_vault: MakeVault, tmp_path: Path) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    vault = make_vault({"a.md": "#first\n"}).path
    # Python 3.12 and newer warn of a fork with threads; a child of such a fork must work here.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", INDEX_IN_A_CHILD, str(vault)]
    environment = {**os.environ, "TMPDIR": str(place)}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert list(place.iterdir()) == []

"""Runs `tests/on_a_macs_disk.py` on a disk that ignores case and Unicode form, as a Mac's does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mac_disk import KINDS
from tests.mounts import OWN_MOUNTS, may_mount

REPOSITORY = Path(__file__).parent.parent

pytestmark = pytest.mark.not_on_windows("it ignores case by itself, and has no FUSE")


@pytest.mark.parametrize("kind", KINDS)
def test_all_holds_on_a_disk_that_ignores_case_and_unicode_form(tmp_path: Path, kind: str) -> None:
    if not may_mount() or not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("no mounts of one's own by FUSE here")
    words = ["-n", "0", "-q", "-p", "no:cacheprovider", "--basetemp", "{disk}/of-tests", "tests/on_a_macs_disk.py"]
    command = [*OWN_MOUNTS, sys.executable, "-m", "tests.mac_disk", kind, str(tmp_path), sys.executable, "-m", "pytest"]
    done = subprocess.run([*command, *words], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout and "skipped" not in done.stdout

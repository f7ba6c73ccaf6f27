"""A long run: no tool takes more than twice its time or 500 MB, whatever a vault of 300 kB multiplies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import pytest

from tests import hostile
from tests.conftest import write_files
from tests.fuzzing import SECONDS

MEGABYTES: Final = 500
_FIRST: Final = int(os.environ.get("VAULTTOOLS_SEED", "0"))
"""The seed of the first vault, to repeat one."""


@pytest.mark.skipif(not SECONDS, reason="a part of `make fuzz`")
@pytest.mark.not_on_windows("memory is asked of the system as on POSIX")
@pytest.mark.timeout(int(SECONDS * 2) + 600)
def test_a_vault_that_multiplies_what_it_holds_costs_no_tool_more_than_its_bounds() -> None:
    until, seed, broken = time.monotonic() + SECONDS, _FIRST, []
    while time.monotonic() < until:
        made, kinds = hostile.files(seed)
        with tempfile.TemporaryDirectory() as folder:
            write_files(Path(folder, "vault"), made)
            places = {f"XDG_{name}_HOME": folder for name in ("CACHE", "CONFIG", "DATA", "STATE")}
            command = [sys.executable, "-m", "tests.hostile", f"{folder}/vault"]
            try:
                ran = subprocess.run(
                    command, env={**os.environ, **places}, capture_output=True, text=True, encoding="utf-8", timeout=150
                )
                out, failed = ran.stdout, ran.stderr[-300:] if ran.returncode else ""
            except subprocess.TimeoutExpired as late:
                out, failed = (late.stdout or b"").decode("utf-8"), "did not end"
        calls = [json.loads(line) for line in out.splitlines()]
        bad = [each for each in calls if each["cpu"] > 2 * hostile.LIMIT or each["memory"] > MEGABYTES]
        if failed or bad:
            broken.append(f"seed {seed} ({', '.join(kinds)}): {failed} {bad[:3]} after {calls[-1:]}")
            print(broken[-1], flush=True)
        seed += 1
    assert not broken, "\n".join(broken)

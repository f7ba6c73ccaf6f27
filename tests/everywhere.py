"""Run the tests under every installed Python, and without a file watch; print a table of the results.

`make test-everywhere` runs all tests so; `make test-elsewhere` a part, under the Pythons that `make test` does not use.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

PART = (
    "tests/notes tests/query tests/ranked tests/index tests/files/test_globs.py tests/files/test_ignores.py "
    "tests/tools/test_links.py tests/tools/test_query.py tests/tools/test_query_equality.py "
    "tests/tools/test_query_ranked.py tests/test_errors.py tests/test_protection.py tests/test_regexes.py "
    "tests/test_transcripts.py"
)
"""Links, queries, the index, protection, transcripts: what other versions of `re`, Unicode and SQLite's binding, and a
vault without a watch, have broken."""

PART_SECONDS = int(os.environ.get("PART_SECONDS", "600"))
"""After which no further run of a part is begun; `.ci/run` gives what its 25 minutes leave, and one run takes about
five of them."""

ASKED = "import ensurepip, platform, venv; print(platform.python_implementation(), platform.python_version())"


def interpreters() -> dict[str, str]:
    """The CPythons from 3.11 on that can make a virtual environment, by version; the path of one for each."""
    found: dict[str, str] = {}
    for program in _programs():
        asked = subprocess.run([program, "-c", ASKED], capture_output=True, text=True, check=False)
        implementation, _, version = asked.stdout.strip().partition(" ")
        if implementation == "CPython" and tuple(map(int, version.split(".")[:2])) >= (3, 11):
            found.setdefault(version, program)
    return found


def _programs() -> Iterator[str]:
    yield from filter(None, map(shutil.which, ("python3", *(f"python3.{minor}" for minor in range(11, 20)))))
    yield from filter(os.path.exists, ("/usr/bin/python3", "/usr/local/bin/python3"))
    yield from map(str, sorted(Path.home().glob(".pyenv/versions/*/bin/python3")))


def ran(python: str | None, watch: str, tests: str) -> tuple[int, str]:
    """The status of a run and pytest's last line; None is the Python of `make test`."""
    command = ["make", "--no-print-directory", "tests", f"TESTS={tests}", *([f"PYTHON={python}"] if python else [])]
    environment = {**os.environ, "VAULTTOOLS_WATCH": watch}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8") as running:
        assert running.stdout is not None
        last = ""
        for line in running.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
    return running.returncode, last if re.search(r"\d+ (passed|failed|error)", last) else "no tests were run"


def main() -> int:
    """Run them; return the status of the first run that failed."""
    part = sys.argv[1:] == ["--part"]
    tests = PART if part else "tests"
    own = platform.python_version()  # the Makefile runs this file by the Python of `make test`
    runs: list[tuple[str, str | None, str]] = [(own, None, watch) for watch in (("off",) if part else ("auto", "off"))]
    runs += [(version, python, "auto") for version, python in sorted(interpreters().items()) if version != own]
    statuses, table = [], []
    begun = time.monotonic()
    for version, python, watch in runs:
        if part and time.monotonic() - begun >= PART_SECONDS:
            table.append(f"{version:8} watch {watch:4} not run: the time is over")
            continue
        print(f"== Python {version}, VAULTTOOLS_WATCH={watch}", flush=True)
        status, last = ran(python, watch, tests)
        statuses.append(status)
        table.append(f"{version:8} watch {watch:4} {'failed' if status else 'passed'}: {last}")
    print("\n".join(["", *table]))
    return next((status for status in statuses if status), 0)


if __name__ == "__main__":
    sys.exit(main())

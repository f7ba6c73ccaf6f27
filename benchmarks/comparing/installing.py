"""Installs programs from npm and PyPI, outside the repository."""

from __future__ import annotations

import json
import os
import re
import subprocess
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path

INSTALLED: Final = Path(os.environ.get("VAULTTOOLS_COMPARE") or user_cache_path("vaulttools-compare"))


def from_npm(package: str, environment: Mapping[str, str] | None = None) -> Path:
    """The `node_modules` that holds a package; its install scripts are not run."""
    folder = INSTALLED / re.sub(r"\W+", "-", package).strip("-")
    if not (folder / "node_modules").exists():
        scripts = [] if package.startswith("node@") else ["--ignore-scripts"]  # node's own puts the program in place
        run(["npm", "install", "--silent", *scripts, "--prefix", str(folder), package], environment)
    return folder / "node_modules"


def npm_version(modules: Path, package: str) -> str:
    """The version of a package that is installed."""
    return str(json.loads((modules / package / "package.json").read_text("utf-8"))["version"])


def from_pypi(package: str, *extras: str) -> tuple[Path, str]:
    """The folder with a package's commands, in its own environment, and the package's version."""
    commands = INSTALLED / package / "bin"
    if not (commands / package).exists():
        venv.create(INSTALLED / package, with_pip=True)
        wanted = f"{package}[{','.join(extras)}]" if extras else package
        run([str(commands / "pip"), "install", "--quiet", wanted])
    shown = printed([str(commands / "pip"), "show", package])
    return commands, next(line.split()[1] for line in shown.splitlines() if line.startswith("Version:"))


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
    """Run a command to its end.

    Raises:
        CalledProcessError: it failed.
    """
    quiet = subprocess.DEVNULL
    subprocess.run(command, check=True, env={**os.environ, **(environment or {})}, stdout=quiet, stderr=quiet)


def printed(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """The output of a command."""
    variables = {**os.environ, **(environment or {})}
    done = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8", env=variables)
    return done.stdout

"""Packages of npm and of PyPI for tests, kept in the user's cache folder; skipped where a registry brings nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock
from platformdirs import user_cache_path

HOME = user_cache_path("vaulttools-tests")
ENVIRONMENT = dict(os.environ)
"""The variables outside of tests: each test has a home of its own."""


def installed(*packages: str) -> Path:
    """A folder with the packages installed in it."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("needs Node")
    options = ("--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1", "--fetch-timeout=20000")
    folder = HOME / f"npm-{_named(packages)}"
    return _kept(folder, ["npm", "install", "--prefix", str(folder), *options, *packages], "npm cannot install")


def python_packages(python: str, *packages: str) -> Path:
    """A folder with packages of Python installed in it, apart from those of this environment."""
    folder = HOME / f"python-{_named((python, *packages))}"
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(folder)]
    return _kept(folder, [*command, *packages], "pip cannot install")


def _kept(folder: Path, command: list[str], otherwise: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock"):
        if not (folder / "installed").exists():
            if subprocess.run(command, capture_output=True, cwd=folder, env=ENVIRONMENT).returncode:
                pytest.skip(otherwise)
            (folder / "installed").touch()
    return folder


def _named(packages: tuple[str, ...]) -> str:
    return hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]

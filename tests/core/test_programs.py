"""Where a program is looked for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from vaulttools.core import programs

NAME = "pager.bat" if sys.platform == "win32" else "pager"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a program; another folder has one of the same name."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / NAME).write_text("", encoding="utf-8")
        (tmp_path / name / NAME).chmod(0o700)
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.parametrize("path", ["", os.curdir, os.pathsep, f"{os.curdir}{os.pathsep}"])
def test_a_program_in_the_current_folder_is_not_found_by_its_name(here: Path, path: str) -> None:
    assert programs.found("pager", path) is None
    there = here.parent / "there"
    assert programs.found("pager", f"{path}{os.pathsep}{there}") == str(there / NAME)


def test_a_path_leads_to_a_program_wherever_it_is(here: Path) -> None:
    for name in (os.path.join(os.curdir, "pager"), str(here / "pager")):
        assert programs.found(name, "") == str(here / NAME)
    assert programs.found(str(here / "none"), str(here)) is None

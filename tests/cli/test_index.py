"""`vaulttools index`: everything that its commands print, and how they end."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.conftest import HOUR, MakeVault, on_a_known_disk, write_files
from tests.index.indexes import notes
from tests.pressing import IN_A_TERMINAL, press_ctrl_c
from tests.systems import module_path
from vaulttools import Vault
from vaulttools.cli import index as cli_index
from vaulttools.cli import main as cli
from vaulttools.cli.surroundings import HAS_NO_INDEX
from vaulttools.index import build
from vaulttools.index.file import SCHEMA

Printed = pytest.CaptureFixture[str]
Index = Callable[..., tuple[int, str, str]]

NO_INDEX = "There is no index of this vault: build it with `vaulttools index build`"
FILES: dict[str, str | bytes] = {"a.md": "# A\n", "b/c.md": "text", "d.bin": b"\0", "e.txt": "x"}


@pytest.fixture
def folder(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault of two notes and two other files, an hour old."""
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now + HOUR)
    return make_vault(FILES).path


@pytest.fixture
def index(folder: Path, capsys: Printed) -> Index:
    """Runs a command; returns the exit status, and both streams with `#` for the numbers that differ each time."""

    def ran(*words: str) -> tuple[int, str, str]:
        status = cli.main(["--vault", str(folder), "index", *words])
        out, err = capsys.readouterr()
        out = re.sub(r"\d[\d.]*( s| KB|,(?= journal))", r"#\1", out)
        return status, re.sub(r"(?m)^index       .*vaulttools.*[\\/][0-9a-f]{32}$", "index       #", out), err

    return ran


@on_a_known_disk
def test_an_index_from_its_beginning_to_its_end(folder: Path, index: Index) -> None:
    assert index("status") == (
        0,
        f"vault       {folder}\nindex       #\nup to date  no: there is none yet; `vaulttools index build` makes it\n",
        "",
    )
    assert index("verify") == (2, "", f"error: {NO_INDEX}\n")
    assert index("build") == (0, "Indexed 2 notes and 2 other files in # s: # KB for 10 bytes of files.\n", "")
    assert index("status") == (
        0,
        f"vault       {folder}\nindex       #\nfiles       2 notes and 2 other files, 1 binary, 0 not readable\n"
        f"size        # KB for 10 bytes of files\nSQLite      #, journal wal, schema {SCHEMA}\nup to date  yes\n",
        "",
    )
    assert index("verify") == (0, "The index matches every file.\n", "")
    assert index("clear") == (0, "The index was removed.\n", "")
    assert index("clear") == (0, "There was no index.\n", "")


def test_notes_that_answers_leave_out_are_counted_apart(folder: Path, index: Index, capsys: Printed) -> None:
    notes = dict.fromkeys((".b.md", "Old/c.md", ".trash/d.md"), "text")
    write_files(folder, {**notes, ".obsidian/app.json": '{"userIgnoreFilters": ["Old/"]}'})
    out = index("build")[1]
    held = "4 notes (2 of them hidden or excluded) and 2 other files"
    assert out.startswith(f"Indexed {held} in ")
    assert f"\nfiles       {held}, " in index("status")[1]
    assert cli.main(["--vault", str(folder), "base", "--where", "true"]) == cli.FOUND
    assert capsys.readouterr().out.startswith("4 rows:\n")


def test_a_difference_is_named_and_sets_the_exit_status(folder: Path, index: Index) -> None:
    index("build")
    (folder / "a.md").write_text("other", encoding="utf-8")
    (folder / "new.md").touch()
    (folder / "e.txt").unlink()
    assert index("status")[1].endswith("up to date  no: 2 files to read, 1 to forget\n")
    assert index("verify") == (
        1,
        "a.md: has changed since it was indexed\ne.txt: is in the index, and not in the vault\n"
        "new.md: is not in the index\n",
        "",
    )
    index("build")
    assert index("verify")[0] == 0


def test_fault_I06_a_damaged_index_is_reported_and_built_anew(folder: Path, index: Index) -> None:
    index("build")
    with Vault.open(folder) as vault:
        database = vault.index_status().folder / f"index-{SCHEMA}.sqlite"
    database.write_bytes(b"x" * 5000)
    assert "warning     The index was damaged and is built anew\n" in index("status")[1]
    assert index("verify")[0] == 1
    assert index("build")[0] == 0
    assert index("verify") == (0, "The index matches every file.\n", "")


def test_as_json_each_is_one_line(folder: Path, capsys: Printed) -> None:
    def details(command: str, status: int = 0) -> dict[str, object]:
        assert cli.main(["--vault", str(folder), "--json", "index", command]) == status
        out = capsys.readouterr().out
        assert out.count("\n") == 1
        found: dict[str, object] = json.loads(out)
        return found

    assert details("verify", 2) == {"error": NO_INDEX}
    built = details("build")
    assert (built["files"], built["notes"], built["binary"], built["unread"]) == (4, 2, 1, 0)
    status = details("status")
    assert (status["is_current"], status["stale"], status["gone"], status["warning"]) == (True, 0, 0, None)
    assert status["holds"] == {name: value for name, value in built.items() if name != "seconds"}
    assert details("verify") == {"differences": []}
    (folder / "a.md").unlink()
    assert details("verify", 1) == {"differences": ["a.md: is in the index, and not in the vault"]}
    assert details("clear") == {"removed": True}
    assert details("clear") == {"removed": False}


@pytest.mark.parametrize(
    ("words", "got"),
    [
        ([], ""),
        (["rebuild"], ", got 'rebuild'"),
        (["build", "now"], ", got 'build now'"),
        (["--force", "build"], ", got '--force build'"),
    ],
)
def test_other_words_are_refused(index: Index, words: list[str], got: str) -> None:
    status, out, err = index(*words)
    sentence, hint = err.splitlines()
    assert (status, out, sentence) == (2, "", f"error: index takes one of build, status, verify, clear{got}")
    assert hint.startswith(("Did you mean: vaulttools ", "For example: vaulttools "))


def test_a_command_of_it_has_the_same_help(index: Index) -> None:
    assert index("build", "--help") == index("--help")


@pytest.mark.parametrize("command", cli_index.COMMANDS)
def test_no_index_is_made_of_whatever_folder_this_is(
    folder: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(folder / "b")
    assert cli.main(["index", command]) == 2
    assert capsys.readouterr() == ("", f"error: {HAS_NO_INDEX}\n")


def test_an_index_is_made_on_request_for_a_vault_configured_without_one(
    folder: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = f'[n]\npath = "{folder.as_posix()}"\nindex = "off"\n'
    write_files(Path(os.environ["XDG_CONFIG_HOME"]), {"vaulttools/vaulttools.toml": settings})
    assert index("build")[0] == 0


def test_a_build_that_is_stopped_keeps_what_it_had_done(
    folder: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ends as after Ctrl-C; `cli.run` turns that into status 130."""

    def interrupted(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("vaulttools.cli.index.progress", lambda **_: nullcontext(interrupted))
        with pytest.raises(KeyboardInterrupt):
            cli.main(["--vault", str(folder), "index", "build"])
    assert index("build")[0] == 0
    assert index("verify")[0] == 0


INTERRUPTIBLE = (
    "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "runpy.run_module('vaulttools', run_name='__main__')"
)
"""Ctrl-C works here, even where the tests run in the background of a shell, which ignores it."""


SLOW = """
import time
from vaulttools.index import build, workers
from vaulttools.index.writer import Writer
def slowly(self):
    commit(self)
    time.sleep(0.5)
commit, Writer.commit = Writer.commit, slowly
build.BATCH_FILES = 50
workers.WORTH_BYTES = 0
"""
"""A slow disk, and processes that read: the build of a small vault goes on until Ctrl-C."""


def test_ctrl_c_ends_a_build_at_once_and_without_a_word(make_vault: MakeVault, tmp_path: Path) -> None:
    folder = make_vault(notes(600)).path
    environment = {**os.environ, "PYTHONPATH": module_path()}
    command = [sys.executable, "-c", f"{SLOW}\n{INTERRUPTIBLE}", "--vault", str(folder), "index", "build"]
    pipe = subprocess.PIPE
    building = subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True, **IN_A_TERMINAL)
    with Vault.open(folder) as vault:
        end = time.monotonic() + 30
        while not (held := vault.index_status().holds) or not held.files:
            assert time.monotonic() < end
            assert building.poll() is None, building.communicate()
            time.sleep(0.02)
    press_ctrl_c(building)
    out, err = building.communicate(timeout=30)
    said = [line for line in err.splitlines() if not line.startswith("Indexing: ")]  # progress, after a second
    assert (building.returncode, out, said) == (130, "", [])
    with Vault.open(folder) as vault:
        holds = vault.index_status().holds
        assert holds is not None
        assert 0 < holds.files < 600
        vault.build_index()
        assert vault.verify_index() == []


def test_an_index_that_cannot_be_written_is_one_sentence(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    from vaulttools.index.database import Unavailable

    def full(*_: object, **__: object) -> None:
        raise Unavailable("The index at # cannot be used: database or disk is full")

    monkeypatch.setattr(build, "update", full)
    status, out, err = index("build")
    assert (status, out) == (2, "")
    assert err.splitlines()[-1] == "error: The index at # cannot be used: database or disk is full"

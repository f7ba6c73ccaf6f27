"""`index clear --all`: in a home where everything was made, nothing is left but what a person wrote."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import pytest
from platformdirs import user_config_path, user_data_path

from tests.conftest import MakeVault, on_a_known_disk, write_files
from vaulttools import Vault
from vaulttools.cli import clearing, handover
from vaulttools.cli import main as cli
from vaulttools.cli.resident import Resident

Printed = pytest.CaptureFixture[str]


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home folder, where everything is kept; its path is short enough for a socket."""
    place = TemporaryDirectory(prefix="vt-")
    folder = Path(place.name, "h")
    folder.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    for name, kept in {"CACHE_HOME": "c", "CONFIG_HOME": "s", "DATA_HOME": "d", "RUNTIME_DIR": "r"}.items():
        (folder / kept).mkdir(mode=0o700)
        monkeypatch.setenv(f"XDG_{name}", str(folder / kept))
    yield folder
    place.cleanup()


def files_in(folder: Path) -> list[str]:
    """The files and sockets below a folder."""
    return sorted(
        str(Path(root, name).relative_to(folder).as_posix()) for root, _, names in os.walk(folder) for name in names
    )


@pytest.mark.not_on_windows("the folders of the system are not set by variables there")
def test_nothing_is_left_but_what_a_person_wrote(home: Path, make_vault: MakeVault, capsys: Printed) -> None:
    one, other = make_vault({"a.md": "# A\n"}).path, home.parent / "other"
    write_files(other, {"b.md": "# B\n"})
    elsewhere = home / "indexes"
    settings = f'[n]\npath = "{other.as_posix()}"\nindex_folder = "{elsewhere.as_posix()}"\n'
    write_files(home / "s", {"vaulttools/vaulttools.toml": settings, "vaulttools/tokens.json": "{}"})
    for vault in (one, other):
        assert cli.main(["--vault", str(vault), "index", "build"]) == cli.FOUND
    (next((home / "c/vaulttools").glob("*/vault.txt")).parent / "meaning-1.sqlite").touch()
    write_files(user_data_path("vaulttools"), {"oauth.json": "{}", "tls/key.pem": "secret"})
    write_files(home / "r", {"vaulttools/00000000.sock": ""})  # of a process that was killed
    (home / "r/vaulttools").chmod(0o700)
    write_files(elsewhere, {"of others.txt": "mine"})
    assert any(elsewhere.glob("*/index-*.sqlite"))
    capsys.readouterr()
    assert cli.main(["index", "clear", "--all"]) == cli.FOUND
    kept = ["indexes/of others.txt", "s/vaulttools/tokens.json", "s/vaulttools/vaulttools.toml"]
    assert files_in(home) == kept
    out = capsys.readouterr().out
    assert f"Kept, since it is yours: {user_config_path('vaulttools') / 'tokens.json'}\n" in out
    assert (one / "a.md").exists()
    assert cli.main(["index", "clear", "--all"]) == cli.FOUND
    assert capsys.readouterr().out.startswith("There was nothing to remove.\n")


@pytest.mark.not_on_windows("the folders of the system are not set by variables there")
@pytest.mark.parametrize("place", ["c/vaulttools", "d/vaulttools", "r/vaulttools", "indexes"])
def test_files_of_a_person_in_folders_of_the_program_stay(
    place: str, home: Path, make_vault: MakeVault, capsys: Printed
) -> None:
    """`XDG_CACHE_HOME` may be the home folder, and `vaulttools` in it a vault; `index_folder` may hold all sorts."""
    mine = {"note.md": "", "Novel/vault.txt": "chapter 1", "tls/note.md": "", "tokens.md": "", "linked/vault.txt": ""}
    write_files(home / place, mine)
    (home / place).chmod(0o700)
    (home / place / "linked").rename(home / "elsewhere")
    (home / place / ("0" * 32)).symlink_to(home / "elsewhere")
    vault = make_vault({"a.md": "# A\n"}).path
    write_files(home / "s", {"vaulttools/vaulttools.toml": f'[n]\npath = "{vault}"\nindex_folder = "{home}/indexes"\n'})
    before = files_in(home)
    assert cli.main(["--vault", str(vault), "index", "build"]) == cli.FOUND
    assert cli.main(["index", "clear", "--all"]) == cli.FOUND
    assert files_in(home) == before
    assert (home / place / ("0" * 32)).is_symlink()
    assert f"Removed: {home / place}\n" not in capsys.readouterr().out


@pytest.mark.not_on_windows("the folders of the system are not set by variables there")
@on_a_known_disk
def test_an_index_that_another_program_has_open_stays_with_all_others(
    home: Path, make_vault: MakeVault, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clearing, "_ENDING_SECONDS", 0.0)
    with Vault.open(make_vault({"a.md": "# A\n"}).path) as vault:
        vault.build_index()
        before = files_in(home)
        assert cli.main(["index", "clear", "--all"]) == cli.FAILED
        said = f"error: Nothing was removed: another program has the index open of {vault.path}; end it first\n"
        assert capsys.readouterr() == ("", said)
        assert [each for each in files_in(home) if each.endswith("sqlite")] == [
            each for each in before if each.endswith("sqlite")
        ]
        assert vault.tags().complete
    assert cli.main(["index", "clear", "--all"]) == cli.FOUND
    assert files_in(home) == []


@pytest.mark.skipif(sys.platform == "win32" or not hasattr(socket, "AF_UNIX"), reason="there are no such sockets")
@pytest.mark.parametrize("is_daemon", [True, False])
def test_a_resident_process_is_ended_and_a_server_is_named(
    is_daemon: bool, home: Path, make_vault: MakeVault, capsys: Printed
) -> None:
    path = make_vault({"a.md": "# A\n"}).path
    with Vault.open(path) as vault:
        resident = Resident(vault, is_daemon=is_daemon)
        assert resident.listen()
        serving = Thread(target=resident.serve, args=(60.0,))
        serving.start()
        status = cli.main(["index", "clear", "--all"])
        printed = capsys.readouterr()
        resident.stop()
        serving.join()
    assert (status == cli.FOUND) is is_daemon
    if not is_daemon:
        assert printed.err == f"error: Process {os.getpid()} is a server (mcp or serve): end that\n"
    assert handover.socket_path(str(path)) is not None

"""`vaulttools obsidian`: which vault is meant, where its words go, and the script `obsidian`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import write_files
from vaulttools.cli import main as cli
from vaulttools.cli import obsidian_script
from vaulttools.errors import BadArgument

Printed = pytest.CaptureFixture[str]
posix_only = pytest.mark.not_on_windows("a script of sh")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two vaults in the app's list, one that is not in it, and a folder that is none."""
    for name in ("Notes", "Work", "Ours"):
        write_files(tmp_path / name, {f"{name}.md": "word\n", ".obsidian/app.json": "{}"})
    (tmp_path / "none").mkdir()
    home = tmp_path / "home"
    listed = {"id1": {"path": str(tmp_path / "Notes")}, "id2": {"path": str(tmp_path / "Work")}}
    for settings in (".config", "Library/Application Support", "AppData/Roaming"):
        write_files(home / settings, {"obsidian/obsidian.json": json.dumps({"vaults": listed})})
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(home))
    monkeypatch.setenv("APPDATA", str(home / "AppData/Roaming"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.chdir(tmp_path / "none")
    return tmp_path


@pytest.mark.parametrize(
    ("here", "words", "out"),
    [
        ("none", ["obsidian", "vault=Notes", "files"], "Notes.md"),
        ("none", ["obsidian", "vault=id2", "files"], "Work.md"),
        ("none", ["obsidian", "files", "vault=Work"], "Work.md"),
        ("Work", ["obsidian", "vault=Notes", "files"], "Notes.md"),
        ("Ours", ["obsidian", "vault=Ours", "files"], "Ours.md"),
        ("none", ["--vault", "../Ours", "obsidian", "vault=Ours", "files"], "Ours.md"),
        ("none", ["obsidian", "vault=Ghost", "files"], "Vault not found."),
        ("none", ["obsidian", "vault=notes", "files"], "Vault not found."),
        ("Work", ["obsidian", "files"], "Work.md"),
        ("Work/.obsidian", ["obsidian", "files"], "Work.md"),
        ("Work", ["--vault", "../Ours", "obsidian", "files"], "Ours.md"),
        ("none", ["--vault", "../Ours", "obsidian", "files"], "Ours.md"),
        ("none", ["obsidian", "vaults"], "Notes\nWork"),
        ("none", ["obsidian", "vaults", "total"], "2"),
    ],
)
def test_the_vault_is_chosen_as_the_app_does(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed, here: str, words: list[str], out: str
) -> None:
    monkeypatch.chdir(place / here)
    assert cli.main(["--no-index", *words]) == 0
    assert capsys.readouterr().out == f"{out}\n"


def test_vaults_verbose_has_their_paths(place: Path, capsys: Printed) -> None:
    assert cli.main(["obsidian", "vaults", "verbose"]) == 0
    assert capsys.readouterr().out == f"Notes\t{place / 'Notes'}\nWork\t{place / 'Work'}\n"


def test_the_variable_names_a_vault_after_the_current_folder(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    monkeypatch.setenv("VAULTTOOLS_VAULT", str(place / "Ours"))
    assert cli.main(["--no-index", "obsidian", "files"]) == 0
    monkeypatch.chdir(place / "Work")
    assert cli.main(["--no-index", "obsidian", "files"]) == 0
    assert capsys.readouterr().out == "Ours.md\nWork.md\n"


def test_a_folder_that_is_no_vault_is_not_searched_where_the_app_has_several(place: Path, capsys: Printed) -> None:
    assert cli.main(["--no-index", "obsidian", "files"]) == 1
    known = "the app knows 2 (Notes, Work): name one by vault=NAME, or a folder by --vault"
    assert capsys.readouterr() == ("", f"No vault is around this folder, and {known}\n")


@pytest.mark.parametrize(("here", "out"), [("none", "Notes.md"), ("Other/Notes", "second.md")])
def test_of_two_vaults_of_one_name_the_one_around_comes_first_and_it_is_told(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed, here: str, out: str
) -> None:
    write_files(place / "Other/Notes", {"second.md": "word\n", ".obsidian/app.json": "{}"})
    listed = {"id1": {"path": str(place / "Notes")}, "id2": {"path": str(place / "Other/Notes")}}
    for settings in (".config", "Library/Application Support", "AppData/Roaming"):
        write_files(place / "home" / settings, {"obsidian/obsidian.json": json.dumps({"vaults": listed})})
    monkeypatch.chdir(place / here)
    assert cli.main(["--no-index", "obsidian", "vault=Notes", "files"]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{out}\n" and printed.err.startswith("2 vaults have the name Notes; this is ")
    assert cli.main(["--no-index", "obsidian", "vault=id2", "files"]) == 0
    assert capsys.readouterr() == ("second.md\n", "")


def test_a_vault_that_cannot_be_opened_is_no_answer(place: Path, capsys: Printed) -> None:
    assert cli.main(["--vault", "gone", "obsidian", "files"]) == 1
    printed = capsys.readouterr()
    assert printed.out == "" and len(printed.err.splitlines()) == 1


def test_its_own_help_says_what_it_is(capsys: Printed) -> None:
    assert cli.main(["obsidian", "--help"]) == 0
    assert "--install FOLDER" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["query=word"], ["query=zzz", "also=word", "also=other"], ["query=word", "ranked"]])
def test_a_real_process_prints_rows_and_sentences_apart(place: Path, words: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "vaulttools", "--no-index", "obsidian", "vault=Notes", "search", *words, "odd"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "Notes.md\n"
    # A slow machine tells of its progress first.
    assert run.stderr.splitlines()[-1] == '"odd" is no parameter or flag of search: it was ignored.'


# The script


@pytest.fixture
def free(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the PATH, on a machine without the app and not as root."""
    folder = place / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setattr(obsidian_script, "_PROGRAMS", {"linux": (), "macos": (), "windows": ()})
    monkeypatch.setattr(obsidian_script, "program", lambda: (sys.executable, ["-m", "vaulttools"]))
    return folder


def _install(folder: Path) -> int:
    return cli.main(["obsidian", f"--install={folder}"])


def _runs(*words: str, path: str | None = None) -> str:
    environment = os.environ | ({} if path is None else {"PATH": path})
    return subprocess.run(["obsidian", *words], capture_output=True, text=True, check=True, env=environment).stdout


@posix_only
def test_the_script_answers_and_is_removed(free: Path, capsys: Printed) -> None:
    assert _install(free) == 0
    assert capsys.readouterr().out == f"Written: {free / 'obsidian'}.\n"
    assert _runs("vault=Notes", "search", "query=wo rd OR word") == "Notes.md\n"
    assert cli.main(["obsidian", "--remove", str(free)]) == 0
    assert not list(free.iterdir())


@posix_only
def test_the_script_hands_over_to_another_obsidian(free: Path, place: Path) -> None:
    assert _install(free) == 0
    other = place / "later"
    other.mkdir()
    (other / "obsidian").write_text('#!/bin/sh\necho "$#" "$@"\n', encoding="utf-8")
    (other / "obsidian").chmod(0o755)
    path = f"{free}:{other}:/usr/bin:/bin"
    assert _runs("search", "query=a  b", "*", path=path) == "3 search query=a  b *\n"


@posix_only
def test_two_scripts_do_not_hand_over_to_each_other(free: Path, place: Path) -> None:
    assert _install(free) == 0
    other = place / "second"
    other.mkdir()
    (other / "obsidian").write_bytes((free / "obsidian").read_bytes())
    (other / "obsidian").chmod(0o755)
    assert _runs("vault=Work", "files", path=f"{other}:{free}:/usr/bin:/bin") == "Work.md\n"


@posix_only
@pytest.mark.parametrize("where", ["Notes", "Notes/.obsidian", "Ours"])
def test_the_script_is_not_written_into_a_vault(free: Path, place: Path, where: str, capsys: Printed) -> None:
    assert _install(place / where) == 2
    assert "is in the vault" in capsys.readouterr().err and not (place / where / "obsidian").exists()


@posix_only
def test_the_script_is_not_written_beside_another_obsidian(free: Path, place: Path, capsys: Printed) -> None:
    (free / "obsidian").write_text("#!/bin/sh\n", encoding="utf-8")
    (free / "obsidian").chmod(0o755)
    other = place / "other"
    other.mkdir()
    assert (_install(other), _install(free)) == (2, 2)
    assert capsys.readouterr().err.count("is there already") == 2
    assert (free / "obsidian").read_text(encoding="utf-8") == "#!/bin/sh\n" and not list(other.iterdir())


@posix_only
def test_the_script_is_not_written_where_the_app_is_installed(
    free: Path, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    installed = dict.fromkeys(("linux", "macos"), (str(place / "none"),))
    monkeypatch.setattr(obsidian_script, "_PROGRAMS", installed)
    assert _install(free) == 2
    assert "is there already" in capsys.readouterr().err and not list(free.iterdir())


@posix_only
def test_the_script_is_not_for_root(free: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert _install(free) == 2
    assert "not for root" in capsys.readouterr().err and not list(free.iterdir())


@posix_only
def test_only_the_script_is_removed(free: Path, capsys: Printed) -> None:
    (free / "obsidian").write_text("#!/bin/sh\necho app\n", encoding="utf-8")
    assert cli.main(["obsidian", "--remove", str(free)]) == 2
    assert "was not written by vaulttools" in capsys.readouterr().err and (free / "obsidian").exists()
    with pytest.raises(BadArgument, match="cannot be removed"):
        obsidian_script.remove(free / "nothing")


@pytest.mark.parametrize("words", [["--install"], ["--install", "a", "b"], ["--remove"]])
def test_the_script_takes_one_folder(words: list[str], capsys: Printed) -> None:
    assert cli.main(["obsidian", *words]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_a_refusal_in_a_folder_that_is_no_vault_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["obsidian", "daily:read"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("There is no daily note ")
    assert err.count("\n") == 1

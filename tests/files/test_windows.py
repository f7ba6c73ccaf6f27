"""Names and files of Windows: each name leads to one file, and never to a device, a stream, a drive or a host."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest

from tests.conftest import MakeVault
from vaulttools import AccessDenied, BadArgument, OutsideVault, Vault, VaultConfig
from vaulttools.core import windows
from vaulttools.files import disk, root
from vaulttools.files.protection import Protection, folded
from vaulttools.files.root import Place, Root

windows_only = pytest.mark.skipif(sys.platform != "win32", reason="asks Windows itself")


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere the disk finds a name in any case, as Windows does, and takes our paths as they are."""
    if sys.platform == "win32":
        return
    lstat = disk.lstat

    def found(path: str) -> str:
        folder, name = os.path.split(path)
        if folder == path or os.path.lexists(path):
            return path
        folder = found(folder)
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return os.path.join(folder, next((each for each in names if each.lower() == name.lower()), name))

    monkeypatch.setattr(root, "_WINDOWS", True)
    monkeypatch.setattr(windows, "verbatim", str)
    monkeypatch.setattr(disk, "lstat", lambda path: lstat(found(path)))
    monkeypatch.setattr(disk, "listdir", lambda path: os.listdir(found(path)))


@pytest.fixture
def vault(simulated: None, tmp_path: Path) -> Root:
    """A vault with a note, a folder, and a protected folder with a long name."""
    for name in ("a.md", "sub/there.md", ".obsidian/there.md", "A long name.md", "Very private notes/there.md"):
        (tmp_path / "vault" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "vault" / name).write_text("x", encoding="utf-8")
    folder = os.path.realpath(tmp_path / "vault")
    return Root(folder, folder, Protection.of(("Very private notes",)))


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("A.MD", "a.md"),
        ("a.md.", "a.md"),
        ("a.md . ", "a.md"),
        ("SUB/There.md", "sub/there.md"),
        (r"sub\there.md", "sub/there.md"),
        (r".\sub\..\sub./there.md", "sub/there.md"),
        ("sub /there.md", "sub/there.md"),
        ("sub.", "sub"),
    ],
)
def test_a_file_has_one_name_however_it_is_spelled(vault: Root, given: str, path: str) -> None:
    place = vault.locate(given)
    assert place.path == path
    assert place.kind == ("folder" if path == "sub" else "file")


RESERVED = ["CON", "con.md", "NUL", "nul", "aux.md", "AUX", "PRN", "COM1", "com9.md", "LPT1", "CONIN$", "sub/NUL"]
STREAMS = [
    "a.md:other",
    "a.md::$DATA",
    "sub::$INDEX_ALLOCATION/there.md",
    "n.zip:a.md",
    "[[Note]]:1-3",
    "a:1-3",
    "a:L5",
]


@pytest.mark.parametrize("given", [*RESERVED, *STREAMS])
def test_a_device_or_a_stream_is_no_file(vault: Root, given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    monkeypatch.setattr(disk, "open_file", lambda path, *_: opened.append(path))
    assert vault.locate(given) == Place(given, None)
    assert not opened


@pytest.mark.parametrize(
    "given",
    [
        *("C:/x.md", r"C:\x.md", "C:x.md", "c:", "z:a.md", "C:../x.md"),
        *(r"\\host\share\x.md", "//host/share", "//?/C:/x.md", r"\\?\C:\x.md", r"\\.\NUL", "//./COM1", r"\??\C:\x"),
    ],
)
def test_a_drive_a_host_and_a_device_are_outside(vault: Root, given: str) -> None:
    with pytest.raises(OutsideVault):
        vault.locate(given)


@pytest.mark.parametrize(
    "given",
    [
        *(r".obsidian.\there.md", ".OBSIDIAN/there.md", ".obsidian ./there.md", r"sub\..\.Obsidian\there.md"),
        *("VERY PRIVATE NOTES/there.md", r"very private notes. \there.md", "Very private notes/"),
    ],
)
def test_a_protected_folder_has_no_second_name(vault: Root, given: str) -> None:
    with pytest.raises(AccessDenied):
        vault.locate(given)


@pytest.mark.parametrize(
    "stream", ["::$INDEX_ALLOCATION/there.md", ":$I30:$INDEX_ALLOCATION/there.md", "::$DATA", ":x"]
)
def test_a_stream_of_a_protected_folder_is_not_found(vault: Root, stream: str) -> None:
    assert vault.locate(f".obsidian{stream}").kind is None


@windows_only
def test_the_short_form_of_a_name_is_the_name(vault: Root) -> None:
    assert vault.locate(short_form(vault, "A long name.md")).path == "A long name.md"
    with pytest.raises(AccessDenied):
        vault.locate(f"{short_form(vault, 'Very private notes')}/there.md")


def short_form(vault: Root, name: str) -> str:
    """The short form that Windows gives a name; the test is skipped where the disk has none."""
    import ctypes

    answer = ctypes.create_unicode_buffer(1000)
    ctypes.windll.kernel32.GetShortPathNameW(f"{vault.folder}\\{name}", answer, 1000)  # type: ignore[attr-defined, unused-ignore]
    found = answer.value.rpartition("\\")[2]
    if folded(found) == folded(name):
        pytest.skip("this disk has no short names")
    return found


# Verbatim paths


@pytest.mark.parametrize(
    ("path", "verbatim"),
    [
        (r"C:\vault\a.md", r"\\?\C:\vault\a.md"),
        (r"C:\vault\sub/a.md", r"\\?\C:\vault\sub\a.md"),
        (r"\\host\share\a.md", r"\\?\UNC\host\share\a.md"),
    ],
)
def test_a_verbatim_path_reads_back(path: str, verbatim: str) -> None:
    assert windows.verbatim(path) == windows.verbatim(verbatim) == verbatim
    assert windows.plain(verbatim) == windows.plain(path.replace("/", "\\")) == path.replace("/", "\\")


def test_a_path_that_is_no_drive_keeps_its_verbatim_form() -> None:
    volume = r"\\?\Volume{4c1b02c1-d990-11dc-99ae-806e6f6e6963}\vault"
    assert windows.plain(volume) == volume


@windows_only
@pytest.mark.parametrize(
    "name",
    [
        *("aux.md", "NUL"),
        *(
            pytest.param(name, marks=pytest.mark.not_under_wine("it drops a last dot from the path of an open file"))
            for name in ("a.", "b ")
        ),
    ],
)
def test_a_file_with_a_name_that_windows_gives_to_nobody_is_read(vault: Root, name: str) -> None:
    Path(windows.verbatim(f"{vault.folder}\\{name}")).write_text("made on another system", encoding="utf-8")
    assert vault.locate(name) == Place(name, "file")
    descriptor = vault.open(name)
    try:
        assert os.read(descriptor, 100) == b"made on another system"
    finally:
        os.close(descriptor)


DEEP = "/".join(["folder" + "x" * 60] * 6)
"""Over 400 characters."""


@pytest.mark.parametrize("name", [f"{DEEP}/note.md", f"{'y' * 200}/{'z' * 200}.md"])
def test_a_path_of_more_than_260_characters_works(make_vault: MakeVault, name: str) -> None:
    written = make_vault({})
    for folder in [*Path(name).parents][-2::-1]:
        os.mkdir(written.session.root.absolute(folder.as_posix()))
    Path(written.session.root.absolute(name)).write_text("# Deep\nneedle\n", encoding="utf-8")
    with written:
        assert written.search("needle").files == [name]
        assert "needle" in written.read(name).text
        assert written.find("**/*.md").files == [name]
        assert written.search("needle", paths=[name.replace("/", os.sep)]).match_count == 1


# Where the path of an open file is not told


@pytest.fixture
def untold(monkeypatch: pytest.MonkeyPatch) -> None:
    realpath = os.path.realpath

    def told(path: str) -> str:
        if "sub" in path:
            raise OSError(22, "More data available")
        return realpath(path)

    monkeypatch.setattr(os.path, "realpath", told)


def test_names_are_looked_up_where_the_system_does_not_tell_a_path(vault: Root, untold: None) -> None:
    for name in ("sub", "sub/there.md", "sub/gone.md"):
        there = vault.absolute(name)
        assert disk.real(there) == there


@pytest.mark.not_under_wine("it reads no link back that a Python made")
def test_a_link_is_refused_where_the_system_does_not_tell_a_path(vault: Root, tmp_path: Path, untold: None) -> None:
    try:
        (tmp_path / "vault" / "sub" / "link.md").symlink_to(tmp_path)
    except OSError:
        pytest.skip("links need a right there")
    with pytest.raises(OSError):
        disk.real(vault.absolute("sub/link.md"))
    with pytest.raises(BadArgument, match=r"Cannot look at sub/link\.md"):
        vault.locate("sub/link.md")


# Files of other programs


@contextmanager
def held(path: str) -> Iterator[Callable[[], None]]:
    """Another program has the file for itself alone; yields what lets go."""
    _winapi = import_module("_winapi")
    handles = [_winapi.CreateFile(path, _winapi.GENERIC_READ, 0, 0, _winapi.OPEN_EXISTING, 0, 0)]

    def let_go() -> None:
        while handles:
            _winapi.CloseHandle(handles.pop())

    try:
        yield let_go
    finally:
        let_go()


def refused() -> OSError:
    """A sharing violation, as Windows reports it."""
    error = PermissionError(13, "The process cannot access the file because it is being used by another process")
    error.winerror = 32  # type: ignore[attr-defined, unused-ignore]
    return error


@pytest.mark.parametrize("attempts", [1, 2, 3, 4])
def test_a_file_that_another_program_holds_is_asked_for_again(monkeypatch: pytest.MonkeyPatch, attempts: int) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    failing = [refused() for _ in range(attempts - 1)]

    def opened() -> int:
        if failing:
            raise failing.pop()
        return 7

    assert windows.patiently(opened) == 7
    assert len(slept) == attempts - 1


def test_a_file_that_stays_held_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)

    def opened() -> int:
        raise refused()

    with pytest.raises(PermissionError, match="used by another process"):
        windows.patiently(opened)
    assert sum(slept) < 0.1


def test_any_other_error_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("waited"))

    def opened() -> int:
        raise PermissionError(13, "Access denied")

    with pytest.raises(PermissionError, match="Access denied"):
        windows.patiently(opened)


@windows_only
def test_a_held_file_that_is_let_go_is_searched(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        make_vault({"a.md": "needle"}) as vault,
        held(vault.session.root.absolute("a.md")) as let_go,
    ):
        monkeypatch.setattr(time, "sleep", lambda seconds: let_go())
        assert "needle" in vault.read("a.md").text


@windows_only
@pytest.mark.parametrize("pattern", ["needle", "nee.le"])
@pytest.mark.parametrize("index", ["off", "auto"])
def test_a_file_that_stays_held_is_named_as_not_read(make_vault: MakeVault, pattern: str, index: str) -> None:
    folder = Path(make_vault({"a.md": "needle", "held.md": "needle"}).session.root.folder)
    with (
        Vault.open(folder, config=VaultConfig(index=index)) as vault,
        held(vault.session.root.absolute("held.md")),
    ):
        for text in (
            vault.call("search", {"pattern": pattern}).text,
            vault.call("search_files", {"pattern": pattern}).text,
            vault.call("search", {"pattern": pattern, "paths": ["held.md"]}).text,
            vault.call("query", {"query": "needle", "mode": "ranked"}).text,
            vault.call("tasks", {}).text,
        ):
            assert "1 file unreadable (held.md)" in text


@windows_only
def test_other_programs_may_remove_a_file_that_is_being_read(vault: Root) -> None:
    descriptor = vault.open("a.md")
    try:
        os.remove(vault.absolute("a.md"))
        assert os.read(descriptor, 10) == b"x"
    finally:
        os.close(descriptor)

"""Confinement: what `Root.locate` takes and refuses; `Root.open` reads nothing from outside."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools import AccessDenied, BadArgument, OutsideVault
from vaulttools.core import paths
from vaulttools.files import disk
from vaulttools.files import document as documents
from vaulttools.files.document import NotRead
from vaulttools.files.protection import Protection, folded
from vaulttools.files.root import Place, Root

links = pytest.mark.not_on_windows("not every user may make links, and Wine reads none back")
forbidden = pytest.mark.not_on_windows("no file has such a name")
folds_no_names = pytest.mark.skipif(sys.platform != "linux", reason="this file system folds names")

NFC, NFD = (unicodedata.normalize(form, "Müller.md") for form in ("NFC", "NFD"))


def opened(folder: Path, *protected: str) -> Root:
    """The root at a folder."""
    return Root(os.path.realpath(folder), str(folder), Protection.of(protected))


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """A vault with a note, a folder and a protected folder, among folders whose names begin like its own."""
    for folder in ("vault/sub", "vault/.obsidian", "outside", "vault2", "vault-evil", "vault_backup", "vault.bak"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "there.md").write_text("x", encoding="utf-8")
    (tmp_path / "vault" / "a.md").write_text("a", encoding="utf-8")
    return opened(tmp_path / "vault")


# Paths that are inside


@pytest.mark.parametrize(
    ("given", "path", "kind"),
    [
        ("a.md", "a.md", "file"),
        ("./a.md", "a.md", "file"),
        ("sub//there.md", "sub/there.md", "file"),
        ("sub/../a.md", "a.md", "file"),
        (r"sub\there.md", "sub/there.md", "file"),
        ("sub", "sub", "folder"),
        ("sub/", "sub", "folder"),
        ("", "", "folder"),
        (".", "", "folder"),
        ("sub/..", "", "folder"),
        ("nothing.md", "nothing.md", None),
        ("nothing/at/all.md", "nothing/at/all.md", None),
        ("a.md/below", "a.md/below", None),
    ],
)
def test_fault_P16_a_path_inside_is_a_place(root: Root, given: str, path: str, kind: str | None) -> None:
    assert root.locate(given) == Place(path, kind)  # type: ignore[arg-type]


def test_fault_P02_an_absolute_path_inside_is_accepted(root: Root) -> None:
    assert root.locate(f"{root.folder}/sub/there.md") == Place("sub/there.md", "file")
    assert root.locate(f"{root.folder}/sub/../a.md") == Place("a.md", "file")
    assert root.locate(root.folder) == Place("", "folder")


@links
def test_fault_P09_a_root_that_is_a_link_accepts_both_spellings(root: Root, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root.folder)
    linked = opened(tmp_path / "link")
    for spelling in (tmp_path / "link", root.folder):
        assert linked.locate(f"{spelling}/a.md") == Place("a.md", "file")
    with pytest.raises(OutsideVault):
        linked.locate(str(tmp_path / "link-evil" / "there.md"))


# Paths that lead out


@pytest.mark.parametrize(
    "given",
    [
        "..",
        "../",
        "../outside/there.md",
        "../../etc/passwd",
        "sub/../../outside/there.md",
        "./../outside",
        "sub/./.././../outside/there.md",
        "nothing/../../outside",
        r"..\outside\there.md",
        r"sub\..\..\outside",
        r"sub/..\../outside",
        r"\u{2e}\u{2e}/outside/there.md",
        "a.md/../../outside",
        "*/../../outside",
        # absolute paths elsewhere
        *("/", "/etc/passwd", "/etc", "//host/share", r"\\host\share", "C:/Windows", "c:\\Windows", "/..", "\\etc"),
    ],
)
def test_faults_P01_and_P02_a_path_that_leads_out_is_refused(root: Root, given: str) -> None:
    with pytest.raises(OutsideVault) as refusal:
        root.locate(given)
    assert (refusal.value.given, str(refusal.value)) == (given, f"Path is outside the vault: {paths.shown(given)}")


@pytest.mark.parametrize("sibling", ["vault2", "vault-evil", "vault_backup", "vault.bak", "vault/../vault2", "outside"])
def test_fault_P03_a_sibling_whose_name_begins_alike_is_refused(root: Root, sibling: str) -> None:
    parent = Path(root.folder).parent
    for path in (f"{parent}/{sibling}/there.md", f"../{sibling}/there.md", f"{parent}/{sibling}"):
        with pytest.raises(OutsideVault):
            root.locate(path)


@pytest.fixture
def linked(root: Root, tmp_path: Path) -> Root:
    """Links of all kinds."""
    vault = Path(root.folder)
    links: dict[str, str | Path] = {
        "file.md": tmp_path / "outside" / "there.md",
        "folder": tmp_path / "outside",
        "chain.md": "sub/second",
        "sub/second": "../third",
        "third": tmp_path / "outside" / "there.md",
        "relative": "../outside",
        "gone": tmp_path / "outside" / "gone",
        "door": ".obsidian",
        "inside.md": "sub/there.md",
        "within": "sub",
        "loop": "loop",
        "sub/up": "..",
    }
    for name, target in links.items():
        (vault / name).symlink_to(target)
    return root


@links
@pytest.mark.parametrize(
    "given", ["file.md", "folder", "chain.md", "third", "relative", "gone", "sub/up/folder", "within/second"]
)
def test_faults_P04_to_P06_a_link_that_leads_out_is_refused(linked: Root, given: str) -> None:
    with pytest.raises(OutsideVault) as refusal:
        linked.locate(given)
    assert refusal.value.given == given
    with pytest.raises(OutsideVault):
        linked.open(given)


@links
@pytest.mark.parametrize(
    ("link", "error"), [("folder", OutsideVault), ("relative", OutsideVault), ("door", AccessDenied)]
)
def test_faults_P05_and_P15_a_link_does_not_reveal_what_lies_behind_it(
    linked: Root, link: str, error: type[Exception]
) -> None:
    for name in ("there.md", "absent.md", "absent/there.md", NFD, ""):
        with pytest.raises(error):
            linked.locate(f"{link}/{name}")


@folds_no_names
@pytest.mark.parametrize(("target", "error"), [("../outside", OutsideVault), (".obsidian", AccessDenied)])
def test_a_link_found_by_its_other_unicode_form_does_not_reveal_what_lies_behind_it(
    root: Root, target: str, error: type[Exception]
) -> None:
    (Path(root.folder) / unicodedata.normalize("NFD", "tür")).symlink_to(target)
    for name in ("there.md", "absent.md"):
        with pytest.raises(error):
            root.locate(f"tür/{name}")


@links
@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("inside.md", Place("inside.md", "file")),
        ("within", Place("within", "folder")),
        ("within/there.md", Place("within/there.md", "file")),
        ("sub/up/a.md", Place("sub/up/a.md", "file")),
        ("loop", Place("loop", "other")),
    ],
)
def test_a_link_that_stays_inside_is_followed_when_named(linked: Root, given: str, place: Place) -> None:
    assert linked.locate(given) == place


# Paths that cannot exist


@pytest.mark.parametrize("given", ["\0", "a\0.md", "a.md\0.txt", "sub/\0", r"a\u{0}.md"])
def test_fault_P08_a_nul_is_refused(root: Root, given: str) -> None:
    with pytest.raises(BadArgument, match="Path contains a NUL character"):
        root.locate(given)


@pytest.mark.parametrize("given", ["x" * 1021, "é" * 511, f"sub/{'x' * 1021}/y", "x/" * 2049])
def test_fault_P14_a_path_that_is_too_long_is_refused(root: Root, given: str) -> None:
    with pytest.raises(BadArgument, match="Path is too long"):
        root.locate(given)


def test_fault_P14_the_longest_name_is_found(root: Root) -> None:
    Path(root.absolute("x" * 255)).touch()
    assert root.locate("x" * 255).kind == "file"


@pytest.mark.parametrize("sign", ["x", "é", "計", "\U0001f600"])
def test_fault_P14_a_name_may_have_255_characters_of_any_script_as_on_a_mac(root: Root, sign: str) -> None:
    name = f"{sign * 252}.md"
    assert root.relative(name) == name
    assert root.locate(name).kind is None  # too long for some systems: nothing can be there


@pytest.mark.parametrize("given", ["%2e%2e", "..%2Foutside%2Fthere.md", "%2e%2e/outside/there.md", "sub%2fthere.md"])
def test_fault_P10_percent_signs_are_never_decoded(root: Root, given: str) -> None:
    assert root.locate(given) == Place(given, None)
    (Path(root.folder) / given).parent.mkdir(parents=True, exist_ok=True)
    (Path(root.folder) / given).touch()
    assert root.locate(given) == Place(given, "file")


@pytest.mark.parametrize("given", ["~", "~/x", "~root/x", "$HOME", "$HOME/x", "${HOME}"])
def test_fault_P11_the_home_folder_has_no_name_here(root: Root, given: str) -> None:
    assert root.locate(given) == Place(given, None)


@forbidden
def test_fault_P12_a_name_with_a_backslash_wins_over_its_reading_as_a_path(root: Root) -> None:
    assert root.locate(r"sub\there.md") == Place("sub/there.md", "file")
    (Path(root.folder) / r"sub\there.md").touch()
    assert root.locate(r"sub\there.md") == Place(r"sub\there.md", "file")


# Protected folders


@pytest.mark.parametrize(
    "given",
    [
        ".obsidian",
        ".obsidian/",
        ".obsidian/there.md",
        ".obsidian/absent.md",
        ".Obsidian/there.md",
        ".OBSIDIAN",
        ".obsidian./there.md",
        ".obsidian /there.md",
        ".obsidian. ./there.md",
        "sub/../.obsidian/there.md",
        ".//.obsidian//there.md",
        r".obsidian\there.md",
        r"sub\..\.obsidian\there.md",
        r".obs\u{69}dian/there.md",
        ".obsi\u200cdian/there.md",
        "sub/.obsidian/there.md",
        "sub/deeper/.obsidian",
        ".obsidian/../.obsidian/there.md",
        "*/../.obsidian/there.md",
    ],
)
def test_fault_P15_a_protected_folder_is_closed_in_every_spelling(root: Root, given: str) -> None:
    with pytest.raises(AccessDenied) as refusal:
        root.locate(given)
    assert str(refusal.value) == "Access denied: '.obsidian/' is a protected folder"


@pytest.mark.parametrize("given", ["my.obsidian.notes/x.md", "obsidian/x.md", ".obsidian.md", "x.git", ".obsidian2/x"])
def test_a_name_that_only_looks_protected_is_open(root: Root, given: str) -> None:
    assert root.locate(given) == Place(given, None)


# Names


@folds_no_names
def test_fault_N05_a_name_is_found_in_its_other_unicode_form(root: Root) -> None:
    (Path(root.folder) / NFD).touch()
    (Path(root.folder) / unicodedata.normalize("NFD", "Übung")).mkdir()
    (Path(root.folder) / unicodedata.normalize("NFD", "Übung/é.md")).touch()
    assert root.locate(NFC) == Place(NFD, "file")
    assert root.locate("Übung/é.md") == Place(unicodedata.normalize("NFD", "Übung/é.md"), "file")


@folds_no_names
def test_fault_N05_the_exact_form_of_two_is_found(root: Root) -> None:
    for name in (NFC, NFD):
        (Path(root.folder) / name).touch()
    assert [root.locate(name).path for name in (NFC, NFD)] == [NFC, NFD]


@folds_no_names
def test_fault_N05_a_third_form_of_two_is_ambiguous(root: Root) -> None:
    for name in ("\u1ec7.md", "e\u0323\u0302.md"):
        (Path(root.folder) / name).touch()
    with pytest.raises(BadArgument, match="ambiguous"):
        root.locate("\u1eb9\u0302.md")


@folds_no_names
def test_fault_N06_names_that_differ_in_case_are_two(root: Root) -> None:
    (Path(root.folder) / "A.md").touch()
    assert [root.locate(name).path for name in ("A.md", "a.md")] == ["A.md", "a.md"]


@forbidden
@pytest.mark.parametrize("name", ["-rf.md", "[x]{y}*.md", "note.md:12", "a,b.md", "asdf.", "asdf ", " a", "a?.md"])
def test_faults_N07_to_N11_an_odd_name_is_itself(root: Root, name: str) -> None:
    (Path(root.folder) / name).touch()
    assert root.locate(name) == Place(name, "file")


# Opening


def test_the_bytes_of_a_file_come_from_its_descriptor(root: Root) -> None:
    descriptor = root.open("sub/there.md")
    try:
        assert os.read(descriptor, 10) == b"x"
    finally:
        os.close(descriptor)


@links
def test_a_link_inside_is_opened_where_it_leads(linked: Root) -> None:
    for path in ("inside.md", "within/there.md"):
        descriptor = linked.open(path)
        try:
            assert os.read(descriptor, 10) == b"x"
        finally:
            os.close(descriptor)


@pytest.mark.not_on_windows("no pipe or socket is a file of a folder there")
def test_fault_P18_a_special_file_is_not_opened_and_nobody_waits(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root.folder)
    os.mkfifo("fifo.md")
    Path("device.md").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")
        for name in ("fifo.md", "socket.md", "sub", "", "device.md", "absent.md"):
            with pytest.raises((OSError, OutsideVault)):
                root.open(name)
        assert [root.locate(name).kind for name in ("fifo.md", "socket.md")] == ["other", "other"]


@pytest.mark.not_on_windows("it has no list of open files in /dev/fd")
def test_a_refused_file_leaves_no_descriptor_open(root: Root) -> None:
    def count() -> int:
        return len(os.listdir("/dev/fd"))

    before = count()
    for name in ("sub", "absent/x.md", "a.md/x", "sub/absent.md"):
        with pytest.raises(OSError):
            root.open(name)
    assert count() == before


# Races


_FLIP = """
import os, sys
os.chdir(sys.argv[1])
print("ready", flush=True)
while True:
    os.symlink("../outside/there.md", "new.md")
    os.replace("new.md", "flip.md")
    os.rename("folder", "kept")
    os.symlink("../outside", "folder")
    os.unlink("folder")
    os.rename("kept", "folder")
    with open("new.md", "w") as file:
        file.write("inside")
    os.replace("new.md", "flip.md")
"""


@contextmanager
def flipping(folder: str) -> Iterator[None]:
    """Runs a process that turns a file and a folder of the vault into links that lead out, and back again."""
    with subprocess.Popen([sys.executable, "-c", _FLIP, folder], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield
            assert process.poll() is None
        finally:
            process.kill()


@links
def test_fault_P07_a_link_that_appears_between_check_and_use_leads_nowhere(root: Root, tmp_path: Path) -> None:
    (tmp_path / "outside" / "there.md").write_text("CANARY", encoding="utf-8")
    (Path(root.folder) / "flip.md").write_text("inside", encoding="utf-8")
    (Path(root.folder) / "folder").mkdir()
    (Path(root.folder) / "folder" / "there.md").write_text("inside", encoding="utf-8")
    texts: list[str] = []
    refused = 0
    with flipping(root.folder):
        while len(texts) < 500 or refused < 500:
            for path in ("flip.md", "folder/there.md"):
                try:
                    texts.append(documents.read(root, path, 1000).text)
                except NotRead:
                    refused += 1
    assert set(texts) == {"inside"}


# Any path


FOLDERS = ["sub", "folder", "relative", "door", "within", "up", "loop", ".obsidian", ".Obsidian", "outside", "vault2"]
FILES = ["a.md", "there.md", "file.md", "chain.md", NFC, NFD]
PARTS = st.sampled_from([*FOLDERS, *FILES, "..", ".", "", "*", "%2e%2e", "~", r"\u{2e}\u{2e}"])


@links
@settings(max_examples=200, deadline=None)
@given(
    parts=st.lists(PARTS, max_size=7), separators=st.lists(st.sampled_from(["/", "\\", "//"]), min_size=7, max_size=7)
)
def test_a_place_lies_inside_and_in_no_protected_folder_for_any_path(
    linked: Root, parts: list[str], separators: list[str]
) -> None:
    given = "".join(part + separator for part, separator in zip(parts, separators, strict=False))
    try:
        place = linked.locate(given)
    except BadArgument:
        return
    real = os.path.realpath(linked.absolute(place.path))
    assert real == linked.folder or real.startswith(f"{linked.folder}/")
    assert linked.protection.folder_of(os.path.relpath(real, linked.folder)) is None
    assert not {"", ".", ".."} & set(place.path.split("/")) or place.path == ""


# Other systems


@pytest.fixture
def folding(monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk finds a name in any case and Unicode form, and keeps its spelling, as on macOS and Windows."""
    lstat, stat = disk.lstat, disk.stat

    def found(path: str) -> str:
        folder, name = os.path.split(path)
        if folder == path or os.path.lexists(path):
            return path
        folder = found(folder)
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return os.path.join(folder, next((each for each in names if folded(each) == folded(name)), name))

    monkeypatch.setattr(disk, "lstat", lambda path: lstat(found(path)))
    monkeypatch.setattr(disk, "stat", lambda path: stat(found(path)))
    monkeypatch.setattr(disk, "listdir", lambda path: os.listdir(found(path)))


@folds_no_names
@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("A.MD", "a.md"),
        ("SUB/There.md", "sub/there.md"),
        ("sub", "sub"),
        ("SUB", "sub"),
        ("Gone.md", "Gone.md"),
        (f"SUB/{NFC}", f"sub/{NFD}"),
        (f"sub/{NFD}", f"sub/{NFD}"),
    ],
)
def test_a_place_has_the_names_on_disk_where_names_are_folded(root: Root, folding: None, given: str, path: str) -> None:
    Path(root.absolute("sub"), NFD).write_text("x", encoding="utf-8")
    assert root.locate(given).path == path


@folds_no_names
def test_a_protected_folder_is_closed_in_every_spelling_where_names_are_folded(root: Root, folding: None) -> None:
    with pytest.raises(AccessDenied):
        root.locate(".OBSIDIAN/there.md")

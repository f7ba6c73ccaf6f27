"""Which file systems report every change, and which may hold a WAL database (fault-I09, fault-I19)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.index import filesystems
from vaulttools.index.filesystems import Mount

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="mountinfo and folder flags of Linux")
macos_only = pytest.mark.skipif(sys.platform != "darwin", reason="what `mount` prints on macOS")

BASE = ["1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw", "2 1 0:5 / /proc rw - proc proc rw"]


def mountinfo(*lines: str) -> str:
    """The text with a root file system of ext4 and these lines after it: `NUMBER PARENT POINT KIND`."""
    more = []
    for line in lines:
        number, parent, point, kind = line.split(" ")
        more.append(f"{number} {parent} 0:{number} / {point} rw,nosuid shared:2 master:1 - {kind} some:/where rw,a=b")
    return "\n".join([*BASE, *more, ""])


LOCAL = ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "f2fs", "bcachefs"]
REMOTE = [
    *("nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "vboxsf", "ceph", "fuse.sshfs", "fuse.rclone", "fuse", "afs"),
    *("fuseblk", "autofs", "unheard-of"),
]
IN_ANY_CASE = ["vfat", "exfat", "ntfs3", "zfs"]


@pytest.mark.parametrize(
    ("kinds", "tells", "holds_wal"),
    [
        pytest.param(LOCAL, True, True, id="local"),
        pytest.param(REMOTE, False, False, id="shared or unknown"),
        pytest.param(IN_ANY_CASE, False, True, id="local, but one file answers to several names"),
    ],
)
def test_faults_I09_and_I19_a_file_system_is_trusted_as_far_as_it_is_known(
    kinds: list[str], tells: bool, holds_wal: bool
) -> None:
    for kind in kinds:
        text = mountinfo(f"9 1 /home {kind}")
        assert filesystems.tells_changes("/home/me/vault", text) is tells, kind
        assert sys.platform != "linux" or filesystems.holds_wal("/home/me/cache", text) is holds_wal, kind


@pytest.mark.parametrize(
    ("lines", "folder", "tells"),
    [
        ([], "/home/me/vault", True),
        (["9 1 /home/me/vault nfs"], "/home/me/vault", False),
        (["9 1 /home/me/vault nfs"], "/home/me/vault2", True),  # by components
        (["9 1 /home/me/vault nfs"], "/home/me", False),  # below
        (["9 1 /home/me/vault/deep/er fuse.sshfs"], "/home/me/vault", False),
        (["9 1 /home/me/vault/deep tmpfs"], "/home/me/vault", True),
        (["9 1 /home/me/vault/deep tmpfs", "10 9 /home/me/vault/deep/er nfs"], "/home/me/vault", False),
        (["9 1 /home nfs", "10 9 /home/me btrfs"], "/home/me/vault", True),
        (["9 1 /home nfs", "10 9 /home ext4"], "/home/me/vault", True),  # the later mount hides the earlier one
        (["9 1 /home ext4", "10 9 /home nfs"], "/home/me/vault", False),
        (["9 1 /home/me/vault ext4", "10 1 /home nfs"], "/home/me/vault", False),  # the mount above hides it
        (["9 1 /home/me/vault nfs", "10 1 /home ext4"], "/home/me/vault", True),
        (["10 9 /home/me btrfs", "9 1 /home nfs"], "/home/me/vault", True),  # numbers are reused, so in any order
        (["9 1 / overlay"], "/home/me/vault", True),  # over the first root file system
        (["9 1 / 9p"], "/home/me/vault", False),
        (["9 1 /my\\040notes nfs"], "/my notes/vault", False),
        (["9 1 /a\\134b\\011c\\012d nfs"], "/a\\b\tc\nd", False),
        (["9 1 /my\\040notes nfs"], "/my\\040notes", True),
        (["9 1 /home nfs"], "/", False),
        ([], "/", False),  # /proc lies below
        (["2 1 /proc tmpfs"], "/", True),
    ],
)
def test_the_file_system_of_a_folder_and_those_mounted_below_it_count(
    lines: list[str], folder: str, tells: bool
) -> None:
    assert filesystems.tells_changes(folder, mountinfo(*lines)) is tells


@pytest.mark.parametrize("text", ["", "\n", "5 4 0:5 / /elsewhere rw - ext4 /dev/sda rw\n"])
def test_nothing_is_trusted_where_the_mounts_are_unknown(text: str) -> None:
    assert not filesystems.tells_changes("/home/me/vault", text)
    if sys.platform == "linux":
        assert not filesystems.holds_wal("/home/me/cache", text)


def test_a_root_that_is_mounted_on_itself_is_read_once() -> None:
    text = "1 1 0:1 / / rw - rootfs rootfs rw\n20 1 8:1 / / rw - ext4 /dev/sda rw\n"
    assert [mount.kind for mount in filesystems.around("/home", text)] == ["ext4"]


def test_a_line_is_read_with_and_without_optional_fields() -> None:
    text = (
        "36 35 98:0 /mnt\\0401 /mnt2 rw,noatime master:1 shared:7 - ext3 /dev/ro\\040ot rw,errors=continue\n"
        "37 36 98:1 / /mnt2/- rw - fuse.x - rw\n"
    )
    assert filesystems.mounts(text) == [
        Mount(36, 35, "/mnt 1", "/mnt2", "ext3"),
        Mount(37, 36, "/", "/mnt2/-", "fuse.x"),
    ]


def test_a_folder_with_a_file_mounted_by_itself_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "note.md").touch()
    (tmp_path / "folder").mkdir()
    assert filesystems.tells_changes(str(tmp_path), mountinfo(f"9 1 {tmp_path}/folder ext4"))
    assert not filesystems.tells_changes(str(tmp_path), mountinfo(f"9 1 {tmp_path}/note.md ext4"))


@given(
    st.lists(
        st.tuples(st.integers(2, 9), st.integers(0, 9), st.sampled_from(["/", "/a", "/a/b", "/a/b/c", "/ab", "/d"])),
        max_size=9,
    )
)
@settings(max_examples=200)
def test_any_table_is_read_to_its_end_and_a_remote_holder_is_never_trusted(mounted: list[tuple[int, int, str]]) -> None:
    lines = {number: f"{number} {parent} {point} nfs" for number, parent, point in mounted if parent != number}
    text = "\n".join([BASE[0], *mountinfo(*lines.values()).split("\n")[2:]])
    held = filesystems.around("/a/b", text)
    assert filesystems.tells_changes("/a/b", text) is (bool(held) and {mount.kind for mount in held} == {"ext4"})
    assert len(set(held)) == len(held) and all("/a/b/c".startswith(mount.point) for mount in held)


@linux_only
def test_the_present_mounts_are_read_by_default(tmp_path: Path) -> None:
    assert not filesystems.tells_changes("/proc/self")
    assert not filesystems.holds_wal("/proc/self")
    with_text = filesystems.tells_changes(str(tmp_path), Path(filesystems.MOUNTINFO).read_text(encoding="utf-8"))
    assert filesystems.tells_changes(str(tmp_path)) is with_text


@linux_only
def test_mounts_that_cannot_be_read_are_not_trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(filesystems, "MOUNTINFO", str(tmp_path / "none"))
    assert not filesystems.tells_changes("/home")
    assert not filesystems.holds_wal("/home")


@linux_only
def test_a_folder_for_a_database_is_judged_by_the_target_of_its_links_and_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "cache").symlink_to("far")
    text = mountinfo(f"9 1 {os.path.realpath(tmp_path)}/far nfs")
    assert not filesystems.holds_wal(str(tmp_path / "cache/new/er"), text)
    assert filesystems.holds_wal(str(tmp_path / "new/er"), text)


@linux_only
def test_a_usual_folder_distinguishes_case_and_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert not filesystems.folds_case(str(tmp_path))
    for path in ("link", "gone"):
        with pytest.raises(OSError, match=path):
            filesystems.folds_case(str(tmp_path / path))


@linux_only
@pytest.mark.parametrize(("flags", "folds"), [(0x40000000, True), (0x40080000, True), (0x80000, False)])
def test_the_flag_of_a_folder_that_takes_names_in_any_case_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, flags: int, folds: bool
) -> None:
    monkeypatch.setattr(
        "fcntl.ioctl", lambda _descriptor, _request, given: flags.to_bytes(4, sys.byteorder) + given[4:]
    )
    assert filesystems.folds_case(str(tmp_path)) is folds


LISTED = """\
/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse, protect, root data)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
//me@server/share on /Volumes/My (big) share (smbfs, nodev, nosuid, mounted by me)
"""


@pytest.mark.parametrize(
    ("folder", "local"),
    [
        ("/Users/me/Library/Caches", True),
        ("/", True),
        ("/System/Volumes/Data/Users", True),
        ("/System/Volumes/Data/home/me", False),
        ("/Volumes/My (big) share/cache", False),
        ("/Volumes/My (big) share", False),
        ("/Volumes/My (big) shares", True),
    ],
)
def test_what_mount_calls_local_is_local(folder: str, local: bool) -> None:
    assert filesystems._is_listed_local(folder, LISTED) is local
    assert not filesystems._is_listed_local(folder, "")


@macos_only
def test_the_temporary_folder_of_macos_holds_wal(tmp_path: Path) -> None:
    assert filesystems.holds_wal(str(tmp_path))

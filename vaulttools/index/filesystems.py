"""Tells which file systems report every change, and which may hold a WAL.

Both are lists of file systems that are known to serve. A file system that is missing costs a walk; one that is
listed wrongly costs a wrong answer.
"""

from __future__ import annotations

import os
import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MOUNTINFO: Final = "/proc/self/mountinfo"

_DISKS: Final = frozenset(("ext2", "ext3", "ext4", "xfs", "btrfs", "bcachefs", "f2fs", "jfs", "nilfs2", "reiserfs"))
_TELLING: Final = _DISKS | {"tmpfs", "ramfs", "rootfs", "overlay", "squashfs", "erofs"}
"""Every change goes through this kernel, which tells of it, and a name is compared byte by byte.

Not here, because others change what they hold and no event comes (fault-I19): nfs, cifs, smb3, 9p, virtiofs,
vboxsf, ceph, glusterfs, afs, gfs2, ocfs2, fuse and all its kinds (sshfs, rclone, Docker Desktop, WSL). Not here,
because an event bears the name by which a program opened the file, and that need not be the name in the folder: vfat,
exfat, ntfs3, hfs, hfsplus (any case, short names) and zfs (normalization=formD, which its guides recommend)."""

_LOCAL: Final = _TELLING | {"exfat", "hfs", "hfsplus", "msdos", "ntfs3", "vfat", "zfs"}
"""On a disk of this computer, with locks and shared memory that every process on it sees, which WAL needs."""

_OCTAL: Final = re.compile(r"\\([0-7]{3})")
_LISTED: Final = re.compile(r" on (/.*) \(([^()]*)\)$", re.MULTILINE)

# linux/fs.h: _IOR('f', 1, long), and the flag that `chattr +F` sets. Where the number differs (MIPS, POWER) the kernel
# knows no such request, and no folder is said to fold.
_GET_FLAGS: Final = 2 << 30 | struct.calcsize("l") << 16 | ord("f") << 8 | 1
_CASEFOLD: Final = 0x40000000


@dataclass(frozen=True, slots=True)
class Mount:
    """A line of mountinfo (proc_pid_mountinfo(5))."""

    number: int
    parent: int
    """The number of the mount it is mounted on."""
    source: str
    """The folder of the device that is seen here."""
    point: str
    """Where it is seen: an absolute path."""
    kind: str


def mounts(mountinfo: str) -> list[Mount]:
    """The mounts that the text of mountinfo lists, in its order."""
    return [_mount(line.split(" ")) for line in mountinfo.split("\n") if line]


def _mount(fields: list[str]) -> Mount:
    # Optional fields, of which there may be none, end with a dash.
    kind = fields[fields.index("-", 6) + 1]
    return Mount(int(fields[0]), int(fields[1]), _unescaped(fields[3]), _unescaped(fields[4]), kind)


def _unescaped(text: str) -> str:
    return _OCTAL.sub(lambda escape: chr(int(escape[1], 8)), text)


def around(folder: str, mountinfo: str) -> tuple[Mount, ...]:
    """The mount that holds a folder, then those that are mounted below the folder; nothing when none is known to.

    `folder` is absolute, its links resolved. What hides behind a later mount on the same place, or on a folder above
    it, is passed by; one of those below that is hidden by a mount between may be named.
    """
    known = mounts(mountinfo)
    numbers = {mount.number for mount in known}
    mounted = {(mount.parent, mount.point): mount for mount in known if mount.parent != mount.number}
    held = next((mount for mount in known if mount.point == "/" and mount.parent not in numbers - {mount.number}), None)
    if held is None:
        return ()
    parts = [part for part in folder.split("/") if part]
    for point in ("/" + "/".join(parts[:depth]) for depth in range(len(parts) + 1)):
        while (held.number, point) in mounted:
            held = mounted[held.number, point]
    start = folder.rstrip("/") + "/"
    found = {held.number: held}
    # Again and again: numbers are reused, so what is mounted on another may be listed before it.
    while more := [m for m in known if m.parent in found and m.number not in found and m.point.startswith(start)]:
        found.update((mount.number, mount) for mount in more)
    return tuple(found.values())


def tells_changes(folder: str, mountinfo: str | None = None) -> bool:
    """Whether Linux tells of every change below a folder: of its file system and of all that are mounted below.

    Args:
        folder: absolute, its links resolved.
        mountinfo: the text to go by; the present one without.
    """
    held = around(folder, _mountinfo() if mountinfo is None else mountinfo)
    # Of a file that is mounted by itself, only the folder it stands in elsewhere is told.
    return bool(held) and all(mount.kind in _TELLING and not os.path.isfile(mount.point) for mount in held)


def folds_case(folder: str) -> bool:
    """Whether a folder of ext4, f2fs or tmpfs takes a name in any case (`chattr +F`).

    Events of such a folder bear the name as a program wrote it, which need not be the one that a listing gives.

    Raises:
        OSError: it cannot be opened, or is a link or no folder.
    """
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        flags = fcntl.ioctl(descriptor, _GET_FLAGS, bytes(struct.calcsize("l")))
    except OSError:
        return False  # a file system without such flags
    finally:
        os.close(descriptor)
    return bool(struct.unpack("i", flags[:4])[0] & _CASEFOLD)


def holds_wal(folder: str, mounted: str | None = None) -> bool:
    """Whether SQLite may keep a database with a WAL in a folder: on file systems of this computer only (fault-I09).

    Args:
        folder: need not be there yet.
        mounted: the text to go by: of mountinfo on Linux, else what `mount` prints; the present one without.
    """
    real = os.path.realpath(folder)
    if sys.platform == "win32":
        import ctypes

        drive = os.path.splitdrive(real)[0]
        remote = 4  # winbase.h: DRIVE_REMOTE
        return not drive.startswith("\\\\") and ctypes.windll.kernel32.GetDriveTypeW(f"{drive}\\") != remote
    if sys.platform == "linux":
        held = around(real, _mountinfo() if mounted is None else mounted)
        return bool(held) and held[0].kind in _LOCAL
    return _is_listed_local(real, _listing() if mounted is None else mounted)


def _is_listed_local(folder: str, listing: str) -> bool:
    """Whether `mount` of macOS and the BSDs calls the file system `local` that holds a folder."""
    options = {point.rstrip("/"): told.split(", ") for point, told in _LISTED.findall(listing)}
    parts = folder.rstrip("/").split("/")
    held = next((at for at in ("/".join(parts[:depth]) for depth in range(len(parts), 0, -1)) if at in options), None)
    return held is not None and "local" in options[held]


def _listing() -> str:
    import subprocess

    try:
        return os.fsdecode(subprocess.run(["/sbin/mount"], capture_output=True, check=False, timeout=5).stdout)
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _mountinfo() -> str:
    """The text of mountinfo as it is now; empty where it cannot be read."""
    try:
        return os.fsdecode(Path(MOUNTINFO).read_bytes())
    except OSError:
        return ""

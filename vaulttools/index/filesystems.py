"""Tells which file systems report every change, and which may hold a WAL.

Both are lists of file systems that are known to work. A missing entry costs a walk; a wrong entry causes wrong answers.
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
_REPORTING: Final = _DISKS | {"tmpfs", "ramfs", "rootfs", "overlay", "squashfs", "erofs"}
"""Every change goes through this kernel, which reports it, and names are compared byte by byte.

Not listed, because others change their files without an event (fault-I19): nfs, cifs, smb3, 9p, virtiofs, vboxsf, ceph,
glusterfs, afs, gfs2, ocfs2, fuse and all its kinds (sshfs, rclone, Docker Desktop, WSL). Not listed, because an event
has the name that a program used, which can differ from the name in the folder: vfat, exfat, ntfs3, hfs, hfsplus (any
case, short names) and zfs (normalization=formD, which its guides recommend)."""

_LOCAL: Final = _REPORTING | {"exfat", "hfs", "hfsplus", "msdos", "ntfs3", "vfat", "zfs"}
"""On a disk of this computer: all its processes share locks and memory, which WAL needs."""

_OCTAL: Final = re.compile(r"\\([0-7]{3})")
_LISTED: Final = re.compile(r" on (/.*) \(([^()]*)\)$", re.MULTILINE)

# linux/fs.h: _IOR('f', 1, long), and the flag that `chattr +F` sets. Where the number differs (MIPS, POWER), the kernel
# rejects the request, and no folder seems to fold case.
_GET_FLAGS: Final = 2 << 30 | struct.calcsize("l") << 16 | ord("f") << 8 | 1
_CASEFOLD: Final = 0x40000000


@dataclass(frozen=True, slots=True)
class Mount:
    """A line of mountinfo (proc_pid_mountinfo(5))."""

    number: int
    parent: int
    """Number of the mount below it."""
    source: str
    """Folder of the device that is mounted."""
    point: str
    """Absolute path of the mount point."""
    kind: str


def mounts(mountinfo: str) -> list[Mount]:
    """Returns the mounts in the text of mountinfo, in its order."""
    return [_mount(line.split(" ")) for line in mountinfo.split("\n") if line]


def _mount(fields: list[str]) -> Mount:
    # A dash ends the optional fields.
    kind = fields[fields.index("-", 6) + 1]
    return Mount(int(fields[0]), int(fields[1]), _unescaped(fields[3]), _unescaped(fields[4]), kind)


def _unescaped(text: str) -> str:
    return _OCTAL.sub(lambda escape: chr(int(escape[1], 8)), text)


def around(folder: str, mountinfo: str) -> tuple[Mount, ...]:
    """Returns the mount that holds a folder, then the mounts below the folder; empty if no holder is found.

    `folder` is absolute, its links resolved. The holder is never a mount that a later mount hides; the mounts below may
    include hidden ones.
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
    # Repeated: numbers are reused, so a mount may be listed before the one that it is mounted on.
    while more := [m for m in known if m.parent in found and m.number not in found and m.point.startswith(start)]:
        found.update((mount.number, mount) for mount in more)
    return tuple(found.values())


def tells_changes(folder: str, mountinfo: str | None = None) -> bool:
    """Whether Linux reports every change below a folder, in its file system and in all mounted below it.

    Args:
        folder: absolute, its links resolved.
        mountinfo: the text of mountinfo; default: the current one.
    """
    held = around(folder, _mountinfo() if mountinfo is None else mountinfo)
    # Changes of a file that is itself a mount are reported only for its original folder.
    return bool(held) and all(mount.kind in _REPORTING and not os.path.isfile(mount.point) for mount in held)


def folds_case(folder: str) -> bool:
    """Whether a folder of ext4, f2fs or tmpfs ignores the case of names (`chattr +F`).

    Events of such a folder have the name as a program wrote it, which can differ from the listed name.

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
        folder: need not exist yet.
        mounted: the text of mountinfo on Linux, else the output of `mount`; default: the current one.
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
    """Whether `mount` of macOS and the BSDs calls the file system of a folder `local`."""
    options = {point.rstrip("/"): options_text.split(", ") for point, options_text in _LISTED.findall(listing)}
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
    """Returns the current text of mountinfo; empty if it cannot be read."""
    try:
        return os.fsdecode(Path(MOUNTINFO).read_bytes())
    except OSError:
        return ""

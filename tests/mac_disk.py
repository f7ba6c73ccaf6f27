"""A disk that compares names as a Mac's does, for a command: python -m tests.mac_disk KIND FOLDER COMMAND...

Linux has none such, so this process is one, by FUSE: `apfs` finds a name in any case and Unicode form and keeps its
spelling, `hfs+` also stores it decomposed. Both refuse names that are no UTF-8. The kernel asks it, and so ripgrep,
SQLite and child processes see the same disk. The command's working folder stays; `{disk}` in its words is FOLDER.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
import subprocess
import sys
import tempfile
import traceback
import unicodedata
from collections.abc import Callable, Iterator
from typing import Final

KINDS: Final = ("apfs", "hfs+")

_MOST: Final = 1 << 17
"""Bytes of one write, and more than any message without one."""

_HEAD: Final = struct.Struct("<IIQQIIIHH")
_ATTRIBUTES: Final = struct.Struct("<QQQQQQIIIIIIIIII")
_ENTRY: Final = struct.Struct("<QQQQII")
_READ: Final = struct.Struct("<QQIIQII")

_FORGETS: Final = (2, 42, 36)
"""FORGET, BATCH_FORGET, INTERRUPT: messages without an answer."""


def folded(name: str) -> str:
    """Returns what is the same of two names that mean one file."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


class Disk:
    """The files below a folder of Linux, by the numbers of their inodes; 1 is the top."""

    def __init__(self, store: str, kind: str) -> None:
        self._decomposes = kind == "hfs+"
        self._places = {1: store}
        self._opened: dict[int, list[tuple[str, int, int]]] = {}
        self.calls: dict[int, Callable[[int, bytes], bytes]] = {
            1: self._look_up,
            3: lambda node, data: self._answer(os.lstat(self._places[node]), node),
            4: self._set,
            5: lambda node, data: os.fsencode(os.readlink(self._places[node])),
            6: self._symlink,
            8: self._make_node,
            9: self._make_folder,
            10: lambda node, data: self._removed(os.unlink, node, data),
            11: lambda node, data: self._removed(os.rmdir, node, data),
            12: lambda node, data: self._rename(node, data, 8),
            45: lambda node, data: self._rename(node, data, 16),
            13: self._link,
            14: self._open,
            15: self._read,
            16: self._write,
            17: self._size,
            18: self._release,
            20: lambda node, data: b"",
            25: lambda node, data: b"",
            26: lambda node, data: struct.pack("<IIIIHHII32x", 7, 31, _MOST, 0, 12, 9, _MOST, 1),
            27: self._open_folder,
            28: self._read_folder,
            29: self._release,
            30: lambda node, data: b"",
            34: lambda node, data: b"",
            35: self._create,
        }

    def answered(self, message: bytes) -> bytes | None:
        """Returns the answer to a message of the kernel; None if it waits for none."""
        _, call, number, node, *_ = _HEAD.unpack_from(message)
        if call in _FORGETS:
            return None
        try:
            answer, error = self.calls[call](node, message[_HEAD.size :]), 0
        except KeyError:
            answer, error = b"", errno.ENOSYS if node in self._places else errno.ENOENT
        except OSError as failed:
            answer, error = b"", failed.errno or errno.EIO
        except Exception:
            traceback.print_exc()
            answer, error = b"", errno.EIO
        return struct.pack("<IiQ", 16 + len(answer), -error, number) + answer

    def _names(self, data: bytes) -> Iterator[str]:
        for raw in data.split(b"\0"):
            try:
                name = raw.decode()
            except UnicodeDecodeError:
                raise OSError(errno.EILSEQ, "no UTF-8") from None
            yield name

    def _at(self, node: int, name: str) -> str:
        """Returns the place of a name in a folder: of the one that is there, else of a new one."""
        folder = self._places[node]
        if not os.path.lexists(os.path.join(folder, name)):
            for each in os.listdir(folder):
                if folded(each) == folded(name):
                    return os.path.join(folder, each)
            name = unicodedata.normalize("NFD", name) if self._decomposes else name
        return os.path.join(folder, name)

    def _answer(self, status: os.stat_result, node: int) -> bytes:
        seconds = [divmod(each, 10**9) for each in (status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns)]
        return struct.pack("<QII", 0, 0, 0) + _ATTRIBUTES.pack(
            *(node, status.st_size, status.st_blocks, *(each for each, _ in seconds), *(each for _, each in seconds)),
            *(status.st_mode, status.st_nlink, status.st_uid, status.st_gid, 0, status.st_blksize, 0),
        )

    def _entry(self, place: str) -> bytes:
        """Returns the answer about the file at a place, which the kernel keeps for no time."""
        status = os.lstat(place)
        node = 1 if place == self._places[1] else status.st_ino
        self._places[node] = place
        return _ENTRY.pack(node, 0, 0, 0, 0, 0) + self._answer(status, node)[16:]

    def _look_up(self, node: int, data: bytes) -> bytes:
        return self._entry(self._at(node, next(self._names(data))))

    def _set(self, node: int, data: bytes) -> bytes:
        place = self._places[node]
        valid, _, _, size, _, read, written, _, read_ns, written_ns, _, mode, _, user, group, _ = struct.unpack_from(
            "<IIQQQQQQIIIIIIII", data
        )
        if valid & 1:
            os.chmod(place, stat.S_IMODE(mode))
        if valid & 6:
            os.chown(place, user if valid & 2 else -1, group if valid & 4 else -1, follow_symlinks=False)
        if valid & 8:
            os.truncate(place, size)
        if valid & 48:
            now = os.lstat(place)
            times = read * 10**9 + read_ns if valid & 16 else now.st_atime_ns, written * 10**9 + written_ns
            if valid & 384:  # a time that is now
                os.utime(place, follow_symlinks=False)
            else:
                times = times[0], times[1] if valid & 32 else now.st_mtime_ns
                os.utime(place, ns=times, follow_symlinks=False)
        return self._answer(os.lstat(place), node)

    def _symlink(self, node: int, data: bytes) -> bytes:
        name, target, _ = data.split(b"\0")
        place = self._new(node, name)
        os.symlink(target, os.fsencode(place))
        return self._entry(place)

    def _new(self, node: int, name: bytes) -> str:
        place = self._at(node, next(self._names(name)))
        if os.path.lexists(place):
            raise FileExistsError(errno.EEXIST, "it is there")
        return place

    def _make_node(self, node: int, data: bytes) -> bytes:
        mode, device = struct.unpack_from("<II", data)
        place = self._new(node, data[16:].split(b"\0")[0])
        os.mknod(place, mode, device)
        return self._entry(place)

    def _make_folder(self, node: int, data: bytes) -> bytes:
        place = self._new(node, data[8:].split(b"\0")[0])
        os.mkdir(place, struct.unpack_from("<I", data)[0])
        return self._entry(place)

    def _removed(self, remove: Callable[[str], None], node: int, data: bytes) -> bytes:
        remove(self._at(node, next(self._names(data))))
        return b""

    def _rename(self, node: int, data: bytes, start: int) -> bytes:
        old, new, _ = self._names(data[start:])
        folder = struct.unpack_from("<Q", data)[0]
        source, target = self._at(node, old), self._at(folder, new)
        if start == 16 and struct.unpack_from("<I", data, 8)[0] and os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "it is there")
        os.rename(source, target)
        for number, place in self._places.items():
            if place == source or place.startswith(f"{source}/"):
                self._places[number] = target + place[len(source) :]
        return b""

    def _link(self, node: int, data: bytes) -> bytes:
        place = self._new(node, data[8:].split(b"\0")[0])
        os.link(self._places[struct.unpack_from("<Q", data)[0]], place, follow_symlinks=False)
        return self._entry(place)

    def _open(self, node: int, data: bytes) -> bytes:
        flags = struct.unpack_from("<I", data)[0] & ~(os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW)
        return struct.pack("<QII", os.open(self._places[node], flags), 0, 0)

    def _create(self, node: int, data: bytes) -> bytes:
        flags, mode = struct.unpack_from("<II", data)
        place = self._at(node, next(self._names(data[16:])))
        descriptor = os.open(place, flags & ~(os.O_APPEND | os.O_NOFOLLOW), mode)
        return self._entry(place) + struct.pack("<QII", descriptor, 0, 0)

    def _read(self, node: int, data: bytes) -> bytes:
        descriptor, offset, size, *_ = _READ.unpack_from(data)
        return os.pread(descriptor, size, offset)

    def _write(self, node: int, data: bytes) -> bytes:
        descriptor, offset, size, *_ = _READ.unpack_from(data)
        return struct.pack("<II", os.pwrite(descriptor, data[_READ.size : _READ.size + size], offset), 0)

    def _size(self, node: int, data: bytes) -> bytes:
        found = os.statvfs(self._places[node])
        numbers = found.f_blocks, found.f_bfree, found.f_bavail, found.f_files, found.f_ffree
        return struct.pack("<QQQQQIIII24x", *numbers, found.f_bsize, found.f_namemax, found.f_frsize, 0)

    def _release(self, node: int, data: bytes) -> bytes:
        descriptor = struct.unpack_from("<Q", data)[0]
        self._opened.pop(descriptor, None)
        os.close(descriptor)
        return b""

    def _open_folder(self, node: int, data: bytes) -> bytes:
        descriptor = os.open(self._places[node], os.O_RDONLY | os.O_DIRECTORY)
        with os.scandir(self._places[node]) as found:
            modes = [(each, each.stat(follow_symlinks=False).st_mode) for each in found]
            listed = [(each.name, each.inode(), stat.S_IFMT(mode)) for each, mode in modes]
        self._opened[descriptor] = [(".", node, stat.S_IFDIR), ("..", 1, stat.S_IFDIR), *listed]
        return struct.pack("<QII", descriptor, 0, 0)

    def _read_folder(self, node: int, data: bytes) -> bytes:
        descriptor, offset, size, *_ = _READ.unpack_from(data)
        found = b""
        for place, (name, number, kind) in enumerate(self._opened[descriptor][offset:], offset + 1):
            raw = os.fsencode(name)
            entry = struct.pack("<QQII", number, place, len(raw), kind >> 12) + raw
            entry += bytes(-len(entry) % 8)
            if len(found) + len(entry) > size:
                break
            found += entry
        return found


def serve(kernel: int, disk: Disk) -> None:
    """Answer the kernel until the disk is unmounted."""
    while True:
        try:
            message = os.read(kernel, _MOST + 4096)
        except OSError as error:
            if error.errno in (errno.EINTR, errno.ENOENT, errno.EAGAIN):
                continue
            return  # ENODEV: it is unmounted
        answer = disk.answered(message)
        if answer is not None:
            try:
                os.write(kernel, answer)
            except OSError:  # the caller was interrupted
                continue


def main(kind: str, folder: str, *command: str) -> int:
    """Mount the disk, run the command, and unmount; returns the status of the command."""
    if kind not in KINDS:
        raise SystemExit(f"{kind} is none of {KINDS}")
    libc = ctypes.CDLL(None, use_errno=True)
    with tempfile.TemporaryDirectory() as store:
        kernel = os.open("/dev/fuse", os.O_RDWR)
        user = f"user_id={os.geteuid()},group_id={os.getegid()}"
        options = f"fd={kernel},rootmode=40000,{user},default_permissions,allow_other".encode()
        if libc.mount(b"mac", os.fsencode(folder), b"fuse", 0, options):
            raise OSError(ctypes.get_errno(), "the disk cannot be mounted")
        server = os.fork()
        if not server:
            try:
                os.umask(0)
                serve(kernel, Disk(store, kind))
            finally:
                os._exit(0)
        os.close(kernel)
        try:
            return subprocess.run([word.replace("{disk}", folder) for word in command], check=False).returncode
        finally:
            libc.umount2(os.fsencode(folder), 2)  # MNT_DETACH
            os.waitpid(server, 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

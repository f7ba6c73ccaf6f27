"""Reads members of zip and tar archives as text, in bounded memory, never on disk.

The caller finds and opens the archive inside the vault.
"""

from __future__ import annotations

import codecs
import io
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, BinaryIO, Final

from vaulttools.core import paths
from vaulttools.core.folding.identity import composed
from vaulttools.core.work import Reason
from vaulttools.errors import VaultToolsError

if TYPE_CHECKING:
    from gzip import GzipFile
    from tarfile import TarFile, TarInfo
    from zipfile import ZipFile, ZipInfo

MEMBER_BYTES: Final = 10 * 1024 * 1024
"""Most unpacked bytes of one member (fault-Z01)."""

MEMBERS: Final = 10_000
"""Most members of an archive (fault-Z07). A larger one is refused entirely, since the last of equal names counts."""

UNPACKED_BYTES: Final = 200 * 1024 * 1024
"""Most bytes of a `.tar.gz` that are unpacked and dropped on the way to a member: under a second."""

_DIRECTORY_BYTES: Final = 4 * 1024 * 1024
"""Most bytes of a zip's directory, 400 per member: zipfile reads it completely, with an object for every 46 bytes."""

_PACKED_BYTES: Final = 2 * MEMBER_BYTES
"""Most bytes of the archive read for one zip member: deflate never doubles the size."""

_HEADER_BYTES: Final = 32 * 1024
"""Most bytes of a tar member's headers: Python before 3.11.10 takes quadratic time (CVE-2024-6232; here 2.6 s)."""

_CHUNK: Final = 64 * 1024
_ENCRYPTED: Final = 0x1
_NAMED_IN_UTF8: Final = 0x800
"""A bit of a zip member's flags, like `_ENCRYPTED` (APPNOTE.TXT 4.4.4)."""

_SUFFIX = re.compile(r"\.(?:zip|tar|tar\.gz|tgz):", re.IGNORECASE | re.ASCII)


class MemberUnreadable(Exception):
    """A member cannot be searched; `reason` is a phrase for the caller's message. Never leaves the package.

    Reasons for the archive: `not a readable archive`, `damaged`, `too many members: …`, `too large: …`, `time limit`.
    For the member: `Archive file 'a.md' not found`, `a folder`, `nested archive`, `not a regular file`, `encrypted`,
    `unsupported compression`, `too large: …`, `bad CRC`, `damaged`, `binary`, `not UTF-8`.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)

    @property
    def skipped_as(self) -> Reason | None:
        """Why the member counts as a skipped file; None if it has no text to search."""
        if self.reason in ("a folder", "binary") or self.reason.startswith("Archive file "):
            return None
        if self.reason == "not a regular file":
            return "not a regular file"
        if self.reason == "time limit":
            return "time limit"
        return "too large" if self.reason.startswith("too ") else "unreadable"


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A member's text without byte order mark, with its original line ends."""

    text: str
    warnings: tuple[str, ...] = ()
    """Sentences about oddities of the archive."""
    is_cut_short: bool = False
    """Whether a part of the archive was not examined, which may contain a later member of the name."""


def split(path: str) -> tuple[str, str] | None:
    """Returns the archive and the member that a path names; None if it names no member.

    The archive ends at the first `.zip`, `.tar`, `.tar.gz` or `.tgz`, in any case, before a `:`.

    >>> split("notes.zip:2024/a.md"), split("a.zip:b.tar:c"), split("notes.zip")
    (('notes.zip', '2024/a.md'), ('a.zip', 'b.tar:c'), None)
    """
    suffix = _SUFFIX.search(path)
    return (path[: suffix.end() - 1], path[suffix.end() :]) if suffix else None


def read_member(
    file: BinaryIO, archive: str, member: str, remaining: Callable[[], float], is_closed: Callable[[str], bool]
) -> ArchiveMember:
    r"""Returns the text of a member of an open archive, whose path `archive` shows its kind by the suffix.

    Names are compared without `./`, with `\` as `/`, and in one Unicode form; `../a` and `/a` are ordinary names, never
    paths (fault-Z02). Of several members with the name, the last is read, and a warning says so (fault-Z03).
    `remaining` returns the seconds left and is called before each read; its exceptions are passed on. Members whose
    name `is_closed` are ignored.

    Raises:
        MemberUnreadable: there is no such text member within the limits, it is damaged, or time has run out.
    """
    sought = _Sought(member, is_closed)
    source = _Source(file, remaining)
    if archive.lower().endswith(".zip"):
        _search_zip(source, sought)
    elif archive.lower().endswith(".tar"):
        _search_tar(source, sought)
    else:
        _search_tar_gz(source, sought, remaining)
    text = _text(sought.content())
    warnings = []
    where, name = paths.shown(archive), paths.shown(member)
    if sought.copies > 1:
        warnings.append(f"{where} has {sought.copies:,} members named {name}; the last was searched")
    if sought.cut_short:
        warnings.append(f"Only the first {_megabytes(UNPACKED_BYTES)} of {where} were looked through for {name}")
    return ArchiveMember(text, tuple(warnings), sought.cut_short)


class _Sought:
    """The wanted member, and what was found under its name."""

    def __init__(self, member: str, is_closed: Callable[[str], bool]) -> None:
        self.copies = 0
        self.cut_short = False
        """Whether a part of the archive was not examined."""
        self._member = member
        self._name = _plain(member)
        self._is_closed = is_closed
        self._is_folder = not self._name
        self._content: bytes | MemberUnreadable | None = None

    def is_file(self, *names: str, folder: bool) -> bool:
        """Whether an archive entry is the wanted file, by one of the readings of its name."""
        near = [plain for plain in map(_plain, names) if f"{plain}/".startswith(f"{self._name}/")]
        if not near or any(map(self._is_closed, names)):
            return False
        is_it = self._name in near
        if folder or not is_it:
            self._is_folder = True
        return is_it and not folder

    def found(self, content: bytes | MemberUnreadable, copies: int = 1) -> None:
        """Set the bytes of a member of the name, or why it cannot be read; replaces an earlier member's."""
        self.copies += copies
        self._content = content

    def content(self) -> bytes:
        """Returns the bytes of the last member of the name, or raises why there are none."""
        if isinstance(self._content, bytes):
            return self._content
        if self._content is not None:
            raise self._content
        if self._is_folder:
            raise MemberUnreadable("a folder")
        if split(self._member) is not None:
            raise MemberUnreadable("nested archive")
        raise MemberUnreadable(f"Archive file '{paths.shown(self._member)}' not found")


class _Source(io.RawIOBase):
    """The file for the libraries: limits the bytes, and checks the time before each read."""

    def __init__(self, file: BinaryIO | GzipFile, remaining: Callable[[], float]) -> None:
        super().__init__()
        self.last = b""
        """The bytes returned last."""
        self._file = file
        self._remaining = remaining
        self._left = 0
        self._refusal = ""

    def allow(self, size: int, refusal: str) -> None:
        """Allow so many more bytes; refuse further ones with a reason."""
        self._left = size
        self._refusal = refusal

    def read(self, size: int = -1, /) -> bytes:
        if size < 0 or size > self._left:
            size = self._left + 1
        self.last = self.take(size)
        self._left -= len(self.last)
        if self._left < 0:
            raise MemberUnreadable(self._refusal)
        return self.last

    def take(self, size: int, /) -> bytes:
        """Returns the next bytes, at most `size`, without regard to the limit."""
        if not self._remaining():
            raise MemberUnreadable("time limit")
        return self._file.read(size)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True


class _UsedUp(MemberUnreadable):
    """`UNPACKED_BYTES` were unpacked."""


class _Unpacked(_Source):
    """The output of gzip, forwards only: going back would mean unpacking everything again."""

    def __init__(self, file: GzipFile, remaining: Callable[[], float]) -> None:
        super().__init__(file, remaining)
        self._position = 0

    def take(self, size: int, /) -> bytes:
        data = super().take(size)
        self._position += len(data)
        if self._position > UNPACKED_BYTES:
            raise _UsedUp(f"too large: more than {_megabytes(UNPACKED_BYTES)} unpacked")
        return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        if whence or offset < self._position:
            raise OSError("not forwards")
        while self._position < offset and self.take(min(_CHUNK, offset - self._position)):
            pass
        return self._position

    def tell(self) -> int:
        return self._position


@contextmanager
def _failing_as(reason: str) -> Iterator[None]:
    """Turn every error of the libraries on damaged bytes into `MemberUnreadable`.

    These are not only their own errors, but also zlib.error, struct.error, UnicodeDecodeError, RecursionError, and
    others, depending on the version of Python.
    """
    try:
        yield
    except (MemberUnreadable, VaultToolsError):
        raise
    except Exception as error:
        raise MemberUnreadable(reason) from error


def _search_zip(source: _Source, sought: _Sought) -> None:
    from zipfile import ZipFile

    too_many = f"too many members: more than {MEMBERS:,}"
    source.allow(_DIRECTORY_BYTES, too_many)
    with _failing_as("not a readable archive"):
        archive = ZipFile(source)
    with archive:
        entries = archive.infolist()
        if len(entries) > MEMBERS:
            raise MemberUnreadable(too_many)
        named = [
            entry
            for entry in entries
            if sought.is_file(*_zip_names(entry), folder=entry.filename.endswith(("/", "\\")))
        ]
        if named:
            sought.found(_zip_content(archive, named[-1], source), copies=len(named))


def _zip_names(entry: ZipInfo) -> Iterator[str]:
    """Yields the name as zipfile reads it, and as UTF-8, which macOS writes without the flag for it."""
    yield entry.filename
    if not entry.flag_bits & _NAMED_IN_UTF8 and not entry.filename.isascii():
        with suppress(UnicodeError):
            yield entry.filename.encode("cp437").decode("utf-8")


def _zip_content(archive: ZipFile, entry: ZipInfo, source: _Source) -> bytes:
    from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile

    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
        raise MemberUnreadable("not a regular file")
    if entry.flag_bits & _ENCRYPTED:
        raise MemberUnreadable("encrypted")
    # zipfile also supports bzip2, LZMA and Zstandard, but unpacks pieces of these without a limit.
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise MemberUnreadable("unsupported compression")
    if entry.file_size > MEMBER_BYTES:
        raise _too_large(entry.file_size, entry.compress_size)
    source.allow(_PACKED_BYTES, f"too large: more than {_megabytes(_PACKED_BYTES)} packed")
    with _failing_as("damaged"), archive.open(entry) as stream:
        try:
            content = _whole(stream)
        except BadZipFile as error:
            raise MemberUnreadable("bad CRC") from error
    if len(content) != entry.file_size:  # the directory states a wrong size, which the checksum does not cover
        raise MemberUnreadable("bad CRC")
    return content


def _search_tar_gz(source: _Source, sought: _Sought, remaining: Callable[[], float]) -> None:
    from gzip import BadGzipFile, GzipFile

    source.allow(sys.maxsize, "damaged")  # gzip itself reads small pieces
    with GzipFile(fileobj=source, mode="rb") as stream:
        unpacked = _Unpacked(stream, remaining)
        try:
            _search_tar(unpacked, sought)
            with _failing_as("damaged"):
                try:
                    while unpacked.take(_CHUNK):  # up to the checksum at the end
                        pass
                except BadGzipFile as error:
                    raise MemberUnreadable("bad CRC") from error
        except _UsedUp:
            if not sought.copies:
                raise
            sought.cut_short = True


def _search_tar(source: _Source, sought: _Sought) -> None:
    from tarfile import TarFile

    source.allow(_HEADER_BYTES, "damaged")
    with _failing_as("not a readable archive"):
        archive = TarFile(fileobj=source, encoding="utf-8", errors="surrogateescape")
    for _ in range(MEMBERS + 1):
        source.allow(_HEADER_BYTES, "damaged")
        with _failing_as("damaged"):
            entry = archive.next()
        if entry is None:
            break
        # tarfile's memory of earlier members is useless and unlimited.
        archive.members, archive.pax_headers = [], {}  # type: ignore[attr-defined]
        if sought.is_file(entry.name, folder=entry.isdir()):
            try:
                sought.found(_tar_content(archive, entry, source))
            except MemberUnreadable as error:
                sought.found(error)
    else:
        raise MemberUnreadable(f"too many members: more than {MEMBERS:,}")
    # tarfile takes an invalid header for the end of the archive; a true end is a block of zeros, or empty.
    if source.last.strip(b"\0"):
        raise MemberUnreadable("damaged")


def _tar_content(archive: TarFile, entry: TarInfo, source: _Source) -> bytes:
    if not entry.isreg() or entry.issparse():  # sparse files have holes, which are no text
        raise MemberUnreadable("not a regular file")
    if entry.size > MEMBER_BYTES:
        raise _too_large(entry.size)
    source.allow(MEMBER_BYTES, "damaged")
    with _failing_as("damaged"):
        stream = archive.extractfile(entry)
        assert stream is not None, entry
        content = _whole(stream)
    if len(content) != entry.size:
        raise MemberUnreadable("damaged")
    return content


def _whole(stream: IO[bytes]) -> bytes:
    """Reads all bytes in chunks, so that the time is checked in between."""
    return b"".join(iter(lambda: stream.read(_CHUNK), b""))


def _text(content: bytes) -> str:
    if b"\0" in content:
        raise MemberUnreadable("binary")
    try:
        return content.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise MemberUnreadable("not UTF-8") from error


def _too_large(size: int, packed: int | None = None) -> MemberUnreadable:
    """Returns the refusal of a member, with its unpacked and packed bytes: their ratio shows a bomb (fault-Z01)."""
    ratio = "" if packed is None else f" from {packed:,}"
    return MemberUnreadable(f"too large: {size:,} bytes{ratio}, at most {_megabytes(MEMBER_BYTES)}")


def _megabytes(size: int) -> str:
    """Returns a limit in words: `10 MB`."""
    return f"{size // (1024 * 1024)} MB"


def _plain(name: str) -> str:
    r"""Returns a member's name in the form for comparing: `.\a//b.md` is `a/b.md`; a leading slash and `..` stay."""
    slashed = name.replace("\\", "/")
    parts = "/".join(part for part in slashed.split("/") if part not in ("", "."))
    return composed(f"/{parts}" if slashed.startswith("/") else parts)

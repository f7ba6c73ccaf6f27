"""Archive members: which one a name finds, which are refused and why, and that hostile bytes cost little."""

from __future__ import annotations

import gzip
import io
import re
import struct
import tarfile
import tracemalloc
import unicodedata
import warnings
import zipfile
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.errors import Cancelled
from vaulttools.resources import archives
from vaulttools.resources.archives import ArchiveMember, MemberUnreadable, read_member, split

Remaining = Callable[[], float]
Entries = Iterable[tuple[str, bytes]]
KINDS = ["b.zip", "b.tar", "b.tar.gz", "b.TGZ"]
MB = 1024 * 1024

each_kind = pytest.mark.parametrize("name", KINDS)


def packed(name: str, entries: Entries) -> bytes:
    """An archive of the kind that its name says."""
    buffer = io.BytesIO()
    if name.lower().endswith(".zip"):
        with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            warnings.simplefilter("ignore", UserWarning)  # it warns of names that occur twice
            for path, content in entries:
                archive.writestr(path, content)
        return buffer.getvalue()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path, content in entries:
            info = tarfile.TarInfo(path.removesuffix("/"))
            info.size = len(content)
            info.type = tarfile.DIRTYPE if path.endswith("/") else tarfile.REGTYPE
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue() if name.endswith(".tar") else gzip.compress(buffer.getvalue(), mtime=0)


def tar_of(info: tarfile.TarInfo) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.addfile(info, io.BytesIO(bytes(info.size)))
    return buffer.getvalue()


def zip_of(info: zipfile.ZipInfo, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(info, content)
    return buffer.getvalue()


def read(
    data: bytes, name: str, member: str = "a.md", *, remaining: Remaining = lambda: 10.0, closed: Sequence[str] = ()
) -> ArchiveMember:
    """A member; names that begin like one of `closed` are closed."""
    return read_member(io.BytesIO(data), name, member, remaining, lambda name: name.startswith((*closed,)))


def refusal(data: bytes, name: str, member: str = "a.md", **options: Any) -> str:
    with pytest.raises(MemberUnreadable) as caught:
        read(data, name, member, **options)
    return caught.value.reason


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("notes.zip:2024/a.md", ("notes.zip", "2024/a.md")),
        ("x/NOTES.ZIP:a", ("x/NOTES.ZIP", "a")),
        ("n.tar:a", ("n.tar", "a")),
        ("n.tar.gz:a", ("n.tar.gz", "a")),
        ("n.Tgz:a", ("n.Tgz", "a")),
        ("a.zip:b.zip:c.md", ("a.zip", "b.zip:c.md")),
        ("old.zip.d/n.tar:a", ("old.zip.d/n.tar", "a")),
        ("notes.zip:", ("notes.zip", "")),
        (".zip:a", (".zip", "a")),
        ("notes.zip", None),
        ("notes.gz:a", None),
        ("notes.zipx:a", None),
        ("notes:a.zip", None),
        ("zip:a", None),
        ("notes.zıp:a", None),
    ],
)
def test_the_archive_ends_at_its_suffix(path: str, parts: tuple[str, str] | None) -> None:
    assert split(path) == parts


@each_kind
@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("2024/a.md", "2024/a.md"),
        ("./2024/a.md", "2024/a.md"),
        ("2024/a.md", "./2024//a.md"),
        ("2024\\a.md", "2024/a.md"),
        ("2024/a.md", "2024\\a.md"),
        ("../x", "../x"),
        ("x/../y", "x/../y"),
        ("/abs/a.md", "/abs/a.md"),
        (unicodedata.normalize("NFD", "Öl.md"), "Öl.md"),
        ("日本.md", "日本.md"),
        ("in.zip:b.md", "in.zip:b.md"),
        ("n" * 300 + ".md", "n" * 300 + ".md"),
    ],
)
def test_fault_Z02_a_member_is_found_by_its_name(name: str, stored: str, asked: str) -> None:
    data = packed(name, [("first.md", b"no"), (stored, b"yes\r\n"), ("last.md", b"no")])
    assert read(data, name, asked) == ArchiveMember("yes\r\n")


@each_kind
@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ("nope.md", "Archive file 'nope.md' not found"),
        ("A.md", "Archive file 'A.md' not found"),
        ("y.md", "Archive file 'y.md' not found"),
        ("no\npe", "Archive file 'no\\npe' not found"),
        ("in.tar:a.md", "nested archive"),
        ("in.zip", "binary"),
        ("folder", "a folder"),
        ("folder/", "a folder"),
        ("implied/deep", "a folder"),
        ("", "a folder"),
        ("utf16.md", "binary"),
        ("latin.md", "not UTF-8"),
    ],
)
def test_fault_Z06_a_member_without_text_is_refused_with_the_reason(name: str, asked: str, reason: str) -> None:
    entries = [
        ("a.md", b"a"),
        ("../y.md", b"a"),
        ("in.zip", packed("in.zip", [("a.md", b"a")])),
        ("folder/", b""),
        ("implied/deep/a.md", b"a"),
        ("utf16.md", "a".encode("utf-16")),
        ("latin.md", "ä".encode("latin-1")),
    ]
    assert refusal(packed(name, entries), name, asked) == reason


@each_kind
@pytest.mark.parametrize(("content", "text"), [(b"", ""), (b"\xef\xbb\xbf\xc3\xa4", "ä")], ids=["empty", "marked"])
def test_the_text_of_a_member_is_what_it_holds_without_a_byte_order_mark(name: str, content: bytes, text: str) -> None:
    assert read(packed(name, [("a.md", content)]), name) == ArchiveMember(text)


@each_kind
def test_fault_Z03_the_last_of_equal_names_is_read_and_reported(name: str) -> None:
    data = packed(name, [("a.md", b"old"), ("./a.md", b"new"), ("b.md", b"")])
    assert read(data, name, "a.md") == ArchiveMember(
        "new", (f"{name} has 2 members named a.md; the last was searched",)
    )


@each_kind
def test_fault_Z01_a_member_of_ten_megabytes_is_read_and_a_larger_one_refused(name: str) -> None:
    data = packed(name, [("a.md", b"a" * (10 * MB)), ("b.md", b"a" * (12 * MB))])
    assert read(data, name, "a.md") == ArchiveMember("a" * (10 * MB))
    assert refusal(data, name, "b.md").startswith("too large: 12,582,912 bytes")


@each_kind
def test_fault_Z07_the_number_of_members_is_bounded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MEMBERS", 3)
    entries = [(f"{number}.md", b"a") for number in range(4)]
    assert read(packed(name, entries[:3]), name, "2.md") == ArchiveMember("a")
    assert refusal(packed(name, entries), name, "0.md") == "too many members: more than 3"


@each_kind
def test_reading_ends_at_the_time_limit(name: str) -> None:
    data = packed(name, [("a.md", b"a")])
    assert refusal(data, name, remaining=lambda: 0.0) == "time limit"


@each_kind
def test_a_cancelled_call_ends_the_reading_at_any_point(name: str) -> None:
    data = packed(name, [("a.md", b"a"), ("b.md", b"b" * 100_000), ("c.md", b"c")])

    def reads(most: int) -> int:
        count = 0

        def remaining() -> float:
            nonlocal count
            if count == most:
                raise Cancelled
            count += 1
            return 1.0

        read(data, name, "b.md", remaining=remaining)
        return count

    for count in range(reads(1000)):
        with pytest.raises(Cancelled):
            reads(count)


@each_kind
@pytest.mark.parametrize("data", [b"", b"a", b"PK\x03\x04", b"PK\x05\x06" + bytes(17), bytes(range(256)) * 9])
def test_other_files_than_archives_are_refused(name: str, data: bytes) -> None:
    assert refusal(data, name) == "not a readable archive"


@each_kind
def test_a_cut_archive_is_never_read_as_a_whole_one(name: str) -> None:
    content = bytes(65 + (number * number) % 26 for number in range(5000))
    data = packed(name, [("b.md", b"b"), ("a.md", content)])
    end = data.rstrip(b"\0")
    for size in range(0, len(end) - 9, 7):
        reason = refusal(data[:size], name)
        # A tar that ends between two members looks like a whole one.
        assert reason in ("not a readable archive", "damaged", "Archive file 'a.md' not found")
        assert name == "b.tar" or not reason.startswith("Archive file")


@each_kind
def test_fault_Z02_reading_leaves_the_file_open(name: str) -> None:
    file = io.BytesIO(packed(name, [("a.md", b"a")]))
    read_member(file, name, "a.md", lambda: 10.0, lambda name: False)
    assert not file.closed


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_of_a_tar_are_no_regular_files(kind: bytes) -> None:
    info = tarfile.TarInfo("a.md")
    info.type, info.linkname = kind, "/etc/passwd"
    assert refusal(tar_of(info), "b.tar") == "not a regular file"


def test_a_symbolic_link_of_a_zip_is_no_regular_file() -> None:
    info = zipfile.ZipInfo("a.md")
    info.external_attr = 0o120777 << 16
    assert refusal(zip_of(info, b"/etc/passwd"), "b.zip") == "not a regular file"


def test_only_the_last_of_equal_names_in_a_tar_has_to_be_readable() -> None:
    link = tarfile.TarInfo("a.md")
    link.type = tarfile.SYMTYPE
    link_first = tar_of(link)[:512] + packed("b.tar", [("a.md", b"text")])
    assert read(link_first, "b.tar", "a.md").text == "text"
    text_first = packed("b.tar", [("a.md", b"text")])[:1024] + tar_of(link)
    assert refusal(text_first, "b.tar") == "not a regular file"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_fault_Z05_a_zip_is_read_stored_or_deflated_only(method: int) -> None:
    info = zipfile.ZipInfo("a.md")
    info.compress_type = method
    assert refusal(zip_of(info, b"a" * 100), "b.zip") == "unsupported compression"
    info.compress_type = zipfile.ZIP_STORED
    assert read(zip_of(info, b"a" * 100), "b.zip", "a.md") == ArchiveMember("a" * 100)


def test_fault_Z01_the_refusal_of_a_bomb_names_its_size_in_the_archive() -> None:
    data = packed("b.zip", [("a.md", bytes(20 * MB))])
    assert re.fullmatch(r"too large: 20,971,520 bytes from \d\d,\d{3}, at most 10 MB", refusal(data, "b.zip"))


def test_fault_Z04_a_changed_byte_of_a_zip_member_is_a_bad_crc() -> None:
    data = zip_of(zipfile.ZipInfo("a.md"), b"some text").replace(b"some", b"same")
    assert refusal(data, "b.zip") == "bad CRC"


@pytest.mark.parametrize("size", [0, 5, 2000])
def test_fault_Z04_a_zip_that_lies_about_a_size_is_a_bad_crc(size: int) -> None:
    data = bytearray(packed("b.zip", [("a.md", b"some text " * 100)]))
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, size)
    assert refusal(bytes(data), "b.zip") == "bad CRC"


@pytest.mark.parametrize(
    ("name", "place", "reason"),
    [
        pytest.param("b.zip", lambda data: data.rindex(b"PK\x01\x02") + 8, "encrypted", id="its flag in a zip"),
        pytest.param("b.tgz", lambda data: len(data) - 8, "bad CRC", id="the checksum of a gzip"),
        pytest.param("b.tar", lambda data: 1024 + 150, "damaged", id="the checksum of a tar's second member"),
    ],
)
def test_fault_Z05_a_bit_that_makes_a_member_unreadable_is_reported(
    name: str, place: Callable[[bytearray], int], reason: str
) -> None:
    data = bytearray(packed(name, [("b.md", b"b"), ("a.md", b"a")]))
    data[place(data)] ^= 1
    assert refusal(bytes(data), name) == reason


def test_names_that_macos_stores_as_unmarked_utf8_are_found() -> None:
    data = packed("b.zip", [("Über.md", b"a")])
    unsaid = bytearray(data)
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        unsaid[data.index(signature) + flags + 1] &= ~0x08
    assert read(bytes(unsaid), "b.zip", "Über.md") == ArchiveMember("a")
    for asked in ("Über.md", "Über.md".encode().decode("cp437")):
        assert refusal(bytes(unsaid), "b.zip", asked, closed=["Über.md"]) == f"Archive file '{asked}' not found"


@each_kind
def test_a_closed_member_is_treated_as_missing(name: str) -> None:
    data = packed(name, [("x/a.md", b"shut"), ("a.md", b"open"), ("a.md", b"last"), ("y/b.md", b"shut")])
    for asked in ("x/a.md", "x", "y/", "y/b.md", "z"):
        assert refusal(data, name, asked, closed=["x/", "y"]) == f"Archive file '{asked}' not found"
    assert read(data, name, closed=["x/", "y"]).text == "last"


def test_a_member_before_the_bound_is_read_but_not_one_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "UNPACKED_BYTES", 2 * MB)
    data = packed("b.tgz", [("a.md", b"a"), ("bomb", bytes(3 * MB)), ("c.md", b"c")])
    assert read(data, "b.tgz", "a.md") == ArchiveMember(
        "a", ("Only the first 2 MB of b.tgz were looked through for a.md",), is_cut_short=True
    )
    assert refusal(data, "b.tgz", "c.md") == "too large: more than 2 MB unpacked"


def test_skipped_members_of_a_plain_tar_are_not_read() -> None:
    data = packed("b.tar", [("picture", bytes(3 * MB)), ("c.md", b"c")])
    reads: list[float] = []

    def remaining() -> float:
        reads.append(1.0)
        return 1.0

    assert read(data, "b.tar", "c.md", remaining=remaining) == ArchiveMember("c")
    assert len(reads) < 12


def zip_bomb() -> bytes:
    """200 MB in 200 KB; the directory claims 1,000 bytes."""
    data = bytearray(packed("b.zip", [("a.md", bytes(200 * MB))]))
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, 1000)
    return bytes(data)


def gzip_bomb() -> bytes:
    return gzip.compress(packed("b.tar", [("x", bytes(60 * MB)), ("y", bytes(60 * MB))]) + bytes(100 * MB), 1)


def zip_of_a_million() -> bytes:
    """A directory of 100,000 entries in 4.6 MB; it claims to hold one."""
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\x01\x02", 20, 0, 20, 0, *[0] * 14)
    directory = entry * 100_000
    return directory + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(directory), 0, 0)


def tar_of_a_huge_header() -> bytes:
    """A pax header that claims 8 GB; 30 MB follow."""
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 8_000_000_000
    return gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + b"9" * (30 * MB), 1)


def tar_of_endless_sparse_numbers() -> bytes:
    """GNU sparse 1.0: a map of very many numbers follows as text."""
    pax = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n"
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, len(pax)
    member = tarfile.TarInfo("a.md")
    member.size = 30 * MB
    blocks = header.tobuf() + pax.ljust(512, b"\0") + member.tobuf() + b"99999999\n" + b"0\n" * (15 * MB)
    return gzip.compress(blocks, 1)


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (zip_bomb, "b.zip", "bad CRC"),
        (zip_of_a_million, "b.zip", "too many members: more than 10,000"),
        (gzip_bomb, "b.tgz", "too large: more than 200 MB unpacked"),
        (tar_of_a_huge_header, "b.tgz", "damaged"),
        (tar_of_endless_sparse_numbers, "b.tgz", "damaged"),
    ],
)
def test_fault_Z01_a_bomb_is_refused_in_little_memory(data: Callable[[], bytes], name: str, reason: str) -> None:
    bomb = data()
    tracemalloc.start()
    try:
        assert refusal(bomb, name) == reason
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 12 * MB


ENTRIES = [
    ("b/", b""),
    ("b/a.md", "Ärger\n".encode() * 40),
    ("a.md", b"text\n"),
    ("n" * 120 + "ü", b"x"),
    ("a.md", b"new"),
]
WHOLE = {name: packed(name, ENTRIES) for name in KINDS}
WHOLE["stored.zip"] = zip_of(zipfile.ZipInfo("a.md"), b"text\n" * 40)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, bytes]:
    """An archive of each kind with some bytes changed, removed or repeated; a tar.gz is also changed before packing."""
    name = draw(st.sampled_from(sorted(WHOLE)))
    data = WHOLE[name]
    inside = name in ("b.tar.gz", "b.TGZ") and draw(st.booleans())
    if inside:
        data = gzip.decompress(data)
    changed = bytearray(data)
    # The bytes are chosen: most bytes of such a small archive are headers, and those of a tar are mostly zeros.
    places = [place for place, byte in enumerate(data) if byte] if draw(st.booleans()) else range(len(data))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.sampled_from(places))
        match draw(st.sampled_from(("set", "cut", "repeat", "end"))):
            case "set":
                changed[place : place + 1] = draw(st.binary(min_size=1, max_size=8))
            case "cut":
                del changed[place : place + draw(st.integers(1, 600))]
            case "repeat":
                changed[place:place] = changed[: draw(st.integers(1, 600))]
            case _:
                del changed[place:]
    if draw(st.booleans()):
        _mend_checksums(changed)
    return name, gzip.compress(bytes(changed), 1, mtime=0) if inside else bytes(changed)


def _mend_checksums(data: bytearray) -> None:
    """Make the headers of a tar valid again, so that the reader trusts them."""
    for start in range(0, len(data) - 511, 512):
        block = data[start : start + 512]
        if block[257:262] == b"ustar":
            total = sum(block[:148]) + 8 * 32 + sum(block[156:])
            data[start + 148 : start + 156] = b"%06o\0 " % total


@settings(max_examples=200, deadline=None)
@given(mutated(), st.sampled_from(["a.md", "b/a.md", "b"]))
def test_damaged_bytes_raise_only_the_refusal(archive: tuple[str, bytes], member: str) -> None:
    name, data = archive
    try:
        assert len(read(data, name, member).text) <= 10 * MB
    except MemberUnreadable as error:
        assert error.reason


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.dictionaries(
        st.text("ab/.ä", min_size=1, max_size=5).filter(lambda name: name.strip("/.")), st.text(max_size=20)
    ),
)
def test_every_member_comes_back_as_it_was_packed(name: str, texts: dict[str, str]) -> None:
    files = {path.rstrip("/"): text for path, text in texts.items() if "\0" not in text and "\ufeff" not in text}
    data = packed(name, [(path, text.encode()) for path, text in files.items()])
    plain = [archives._plain(path) for path in files]
    for path, text in files.items():
        if plain.count(archives._plain(path)) == 1:
            assert read(data, name, path) == ArchiveMember(text)

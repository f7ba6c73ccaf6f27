from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from vaulttools.files.disk import GRANULARITY, Key, is_racy

SECOND = 1_000_000_000


def status(**fields: int) -> os.stat_result:
    values: dict[str, object] = dict.fromkeys(("st_mode", "st_ino", "st_dev", "st_nlink", "st_uid", "st_gid"), 0)
    values |= {"st_size": 0, "st_mtime_ns": 0, "st_ctime_ns": 0}
    return cast("os.stat_result", SimpleNamespace(**values | fields))


def test_a_key_is_the_same_by_name_and_by_descriptor(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"text")
    with (tmp_path / "a.md").open("rb") as file:
        assert Key.of(os.fstat(file.fileno())) == Key.of(os.stat(tmp_path / "a.md"))


@pytest.mark.not_on_windows("what Windows calls so is the time of creation")
def test_a_rewrite_that_keeps_size_and_time_is_another_key(tmp_path: Path) -> None:
    """A sync tool leaves a file so when it restores it (fault-I03); the inode stays the same as well."""
    path = tmp_path / "a.md"
    path.write_bytes(b"one")
    before = path.stat()
    while path.stat().st_ctime_ns == before.st_ctime_ns:  # until the clock that stamps files has gone on
        path.write_bytes(b"two")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (before.st_size, before.st_mtime_ns, before.st_ino)
    assert Key.of(after) != Key.of(before)


def test_numbers_too_large_for_sqlite_are_bounded_and_stay_in_the_future() -> None:
    key = Key.of(status(st_mtime_ns=1 << 64, st_ctime_ns=1 << 65, st_ino=(1 << 64) - 1))
    assert all(-(1 << 63) <= number < 1 << 63 for number in key)
    assert is_racy(key, checked=(1 << 63) - 1)


@pytest.mark.parametrize(
    ("modified", "changed", "racy"),
    [
        (10 * SECOND, 10 * SECOND, False),
        (98 * SECOND - 1, 98 * SECOND - 1, False),
        (98 * SECOND, 0, True),
        (0, 98 * SECOND, True),
        (100 * SECOND, 100 * SECOND, True),
        (200 * SECOND, 10 * SECOND, True),
        (-5 * SECOND, 10 * SECOND, False),
    ],
)
def test_a_file_stamped_within_two_seconds_of_its_reading_is_racy(modified: int, changed: int, racy: bool) -> None:
    assert GRANULARITY == 2 * SECOND
    assert is_racy(Key(1, modified, changed, 1), checked=100 * SECOND) is racy

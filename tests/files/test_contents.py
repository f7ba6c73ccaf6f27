"""Contents are kept by path and stat key, within a bound, if the key changes with every change of the file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vaulttools.files import content_caches as module
from vaulttools.files import disk
from vaulttools.files.content_caches import ContentCache
from vaulttools.files.disk import Key
from vaulttools.files.document import NotRead
from vaulttools.files.protection import Protection
from vaulttools.files.root import Root

BOUND = 1_000_000


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(os.path.realpath(tmp_path), str(tmp_path), Protection.of(("closed",)))


def _kept(contents: ContentCache, root: Root, path: str) -> bytes | None:
    return contents.kept([path], [Key.of(os.stat(root.absolute(path)))])[0]


@pytest.mark.usefixtures("later")
def test_an_old_file_is_read_once(root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_bytes(b"text\xff")
    contents = ContentCache()
    assert contents.current(root, "a.md", BOUND) == b"text\xff"
    monkeypatch.delattr(disk, "read")
    assert contents.current(root, "a.md", BOUND) == b"text\xff"
    assert _kept(contents, root, "a.md") == b"text\xff"


def test_a_young_file_is_not_kept(root: Root, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"text")
    contents = ContentCache()
    assert contents.current(root, "a.md", BOUND) == b"text"
    assert _kept(contents, root, "a.md") is None
    assert contents.size == 0


@pytest.mark.usefixtures("later")
def test_a_file_that_changed_is_read_again(root: Root, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"one")
    contents = ContentCache()
    contents.current(root, "a.md", BOUND)
    file.write_bytes(b"three")
    assert _kept(contents, root, "a.md") is None
    assert contents.current(root, "a.md", BOUND) == b"three"
    os.replace(tmp_path / "a.md", tmp_path / "b.md")
    with pytest.raises(NotRead, match="moved or removed"):
        contents.current(root, "a.md", BOUND)


@pytest.mark.usefixtures("later")
def test_neither_a_large_nor_a_protected_file_is_kept(root: Root, tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * (module.LARGEST + 1))
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "a.md").write_bytes(b"text")
    contents = ContentCache()
    assert len(contents.read(root, "large", 2 * module.LARGEST)) == module.LARGEST + 1
    with pytest.raises(NotRead, match="too large"):
        contents.read(root, "large", module.LARGEST)
    with pytest.raises(NotRead, match="unreadable"):
        contents.current(root, "closed/a.md", BOUND)
    assert contents.size == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_after_a_fork_does_not_wait_for_a_thread_of_its_parent() -> None:
    code = """
import os
from vaulttools.files.content_caches import ContentCache, KeptCounts
contents, counts = ContentCache(), KeptCounts()
contents._entries._lock.acquire()
counts._patterns._lock.acquire()
child = os.fork()
if child == 0:
    assert contents.kept(["a.md"], [None]) == counts.of("x", ["a.md"], [None]) == [None]
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True, timeout=60) == "0\n"

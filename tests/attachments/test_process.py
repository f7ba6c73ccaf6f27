"""The child process: hostile files cost little, and no other file suffers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.attachments import samples
from vaulttools.attachments import process
from vaulttools.attachments.extracted import Extracted
from vaulttools.files.document import DocumentPart

SHORT = 3.0
"""Seconds for files that would take for ever."""

GOOD = Extracted("good\n", (DocumentPart(1, 1, ()),))


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    yield
    process.end_all()


@pytest.fixture(params=["forks", "one process a file"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param != "forks":
        monkeypatch.setattr(process, "_can_send", lambda: False)


def extract(folder: Path, data: bytes, kind: str = "pdf", seconds: float = 60.0) -> Extracted:
    file = folder / "file"
    file.write_bytes(data)
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        return process.extract(kind, descriptor, seconds)
    finally:
        os.close(descriptor)


@pytest.mark.usefixtures("_way")
def test_text_comes_from_another_process(tmp_path: Path) -> None:
    assert extract(tmp_path, samples.pdf("good")) == GOOD
    assert extract(tmp_path, samples.docx(samples.paragraph("good")), "docx") == Extracted("good\n")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux")
@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (cache(lambda: samples.of_stream(b"0 0 m " * 170_000, 700)), "pdf"),
        (samples.endless, "pdf"),
        (lambda: samples.nested(1_000_000), "pdf"),
        (cache(lambda: samples.bomb(300)), "docx"),
    ],
    ids=["a stream of 714 MB", "two milliard pages", "arrays in arrays", "a member of 300 MB"],
)
def test_a_hostile_file_ends_at_the_limits_and_the_next_one_is_read(
    tmp_path: Path, made: Callable[[], bytes], kind: str
) -> None:
    assert extract(tmp_path, made(), kind, SHORT).text in ("", "deep\n")
    assert extract(tmp_path, samples.pdf("good")) == GOOD


@pytest.mark.not_on_windows("no open file can be sent to a process, so that each file has its own")
def test_a_child_that_died_is_replaced(tmp_path: Path) -> None:
    assert extract(tmp_path, samples.pdf("good")) == GOOD
    [extractor] = process._idle
    extractor.child.kill()
    extractor.child.wait()
    assert extract(tmp_path, samples.pdf("good")) == GOOD


@pytest.mark.usefixtures("_way")
def test_a_child_that_cannot_work_gives_no_verdict_on_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    process.end_all()
    monkeypatch.setattr(process, "_command", lambda: [sys.executable, "-S", "-c", "raise SystemExit(1)"])
    with pytest.raises(process.CannotExtract):
        extract(tmp_path, samples.pdf("good"))


@pytest.mark.usefixtures("_way")
def test_a_file_that_ends_its_child_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    process.end_all()
    code = (
        "from vaulttools.attachments import worker\n"
        "worker._EXTRACTORS['pdf'] = lambda file: worker.os._exit(7)\n"
        "worker.run()"
    )
    monkeypatch.setattr(process, "_command", lambda: [sys.executable, "-P", "-S", "-c", code])
    assert extract(tmp_path, samples.pdf("bad")) == Extracted(failure="damaged")
    assert extract(tmp_path, samples.docx(samples.paragraph("good")), "docx") == Extracted("good\n")


def in_child(code: str) -> str:
    """The output of code that runs where an extraction runs: with its environment and under its limits."""
    whole = f"from vaulttools.attachments import worker\nworker.warm_up()\nimport os, socket\nworker.limit(3)\n{code}"
    command = [*process._command()[:-2], "-c", whole]
    done = subprocess.run(command, env=process._environment(), cwd="/", capture_output=True, encoding="utf-8")
    return done.stdout + done.stderr[-300:]


@pytest.mark.not_on_windows("it limits no number of open files")
@pytest.mark.parametrize("attempt", ["socket.socket()", "open('/etc/hosts')", "os.pipe()", "os.open('/', 0)"])
def test_an_extraction_cannot_open_anything(attempt: str) -> None:
    assert "Too many open files" in in_child(attempt)


def test_an_extraction_sees_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    names = in_child("print(sorted(os.environ))")
    assert "SECRET_TOKEN" not in names
    assert "PYTHONPATH" in names


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux")
def test_an_extraction_has_little_memory() -> None:
    assert "MemoryError" in in_child("bytearray(600 << 20)")


def test_a_frozen_program_starts_no_copy_of_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(process.CannotExtract):
        extract(tmp_path, samples.pdf("good"))

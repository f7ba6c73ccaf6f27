"""The texts of the attachments of a vault: read, kept, and extracted again when they change."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.attachments import samples
from vaulttools.attachments import process
from vaulttools.attachments.extracted import Extracted
from vaulttools.attachments.texts import Attachments
from vaulttools.config import VaultConfig
from vaulttools.files.document import NotRead
from vaulttools.opening import open_folder

Extract = Callable[..., Extracted]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.pdf").write_bytes(samples.pdf("first text"))
    return folder


@pytest.fixture
def extractions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of the extractions so far."""
    kinds: list[str] = []
    extract = process.extract

    def counted(kind: str, descriptor: int) -> Extracted:
        kinds.append(kind)
        return extract(kind, descriptor)

    monkeypatch.setattr(process, "extract", counted)
    return kinds


def attachments(vault: Path, kept: Path | None = None) -> Attachments:
    root = open_folder(str(vault), VaultConfig()).root
    return Attachments(root, lambda: None if kept is None else str(kept))


def text(of: Attachments, path: str) -> str | None:
    document = of.read(path, 60)
    return None if document is None else document.text


def refusal(of: Attachments, seconds: float) -> str:
    with pytest.raises(NotRead) as raised:
        of.read("a.pdf", seconds)
    return raised.value.reason


def test_a_content_is_extracted_once_under_all_its_names(vault: Path, tmp_path: Path, extractions: list[str]) -> None:
    shutil.copy(vault / "a.pdf", vault / "copy.pdf")
    opened = attachments(vault, tmp_path / "kept")
    assert [text(opened, path) for path in ("a.pdf", "copy.pdf", "a.pdf")] == ["first text\n"] * 3
    assert text(attachments(vault, tmp_path / "kept"), "copy.pdf") == "first text\n"
    assert extractions == ["pdf"]


def test_a_changed_file_is_extracted_again(vault: Path, extractions: list[str]) -> None:
    opened = attachments(vault)
    for word in ("first", "other", "third"):  # all have one length and come within one tick of the clock
        (vault / "a.pdf").write_bytes(samples.pdf(f"{word} text"))
        assert text(opened, "a.pdf") == f"{word} text\n"
    assert len(extractions) == 3


def test_a_file_with_only_the_name_of_an_attachment_is_none(vault: Path, extractions: list[str]) -> None:
    (vault / "note.pdf").write_text("just text\n", encoding="utf-8")
    os.utime(vault / "note.pdf", (0, 0))
    opened = attachments(vault)
    assert [opened.read("note.pdf", 60) for _ in range(2)] == [None, None]
    assert extractions == []


def test_a_known_content_is_not_read(vault: Path, tmp_path: Path) -> None:
    digest = attachments(vault, tmp_path / "kept").look("a.pdf", 60).digest
    (vault / "a.pdf").write_bytes(b"%PDF- something else")
    document = attachments(vault, tmp_path / "kept").read("a.pdf", 60, lambda status: digest)
    assert document is not None
    assert document.text == "first text\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [(samples.scanned(), "no text"), (samples.encrypted(), "encrypted"), (b"%PDF-1.7 nothing", "damaged")],
)
def test_the_reason_for_a_missing_text_is_known(vault: Path, data: bytes, reason: str) -> None:
    (vault / "a.pdf").write_bytes(data)
    assert refusal(attachments(vault), 60) == reason


def test_a_file_beyond_the_limit_is_not_read(vault: Path) -> None:
    root = open_folder(str(vault), VaultConfig()).root
    assert refusal(Attachments(root, lambda: None, max_bytes=100), 60) == "too large"


def test_a_text_too_slow_for_one_call_is_ready_for_the_next(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_end, extract = threading.Event(), process.extract

    def slow(kind: str, descriptor: int) -> Extracted:
        may_end.wait()
        return extract(kind, descriptor)

    monkeypatch.setattr(process, "extract", slow)
    opened = attachments(vault)
    assert [refusal(opened, seconds) for seconds in (0, 0.01)] == ["not extracted yet"] * 2
    may_end.set()
    assert text(opened, "a.pdf") == "first text\n"

"""The self-signed certificate: it is kept while it is good, for its owner alone, and then made anew."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest

from vaulttools.errors import BadArgument
from vaulttools.server import certificate
from vaulttools.server.certificate import DAYS, kept

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def test_a_certificate_is_kept_while_it_is_good(tmp_path: Path) -> None:
    files = kept(tmp_path / "tls", "127.0.0.1", NOW)
    made = [Path(file).read_bytes() for file in files]
    assert kept(tmp_path / "tls", "::1", NOW + timedelta(days=DAYS - 31)) == files
    assert [Path(file).read_bytes() for file in files] == made
    if os.name == "posix":
        assert [stat.S_IMODE(Path(file).stat().st_mode) for file in files] == [0o600, 0o600]


def test_it_is_made_anew_for_another_host_before_its_end_and_where_it_is_broken(tmp_path: Path) -> None:
    seen = set()
    for host, now in (
        ("127.0.0.1", NOW),
        ("notes.example", NOW),
        ("10.0.0.7", NOW),
        ("10.0.0.7", NOW + timedelta(days=DAYS - 29)),
    ):
        certificate, key = kept(tmp_path, host, now)
        seen.add(Path(certificate).read_bytes())
    Path(key).write_bytes(b"broken")
    seen.add(Path(kept(tmp_path, "10.0.0.7", NOW)[0]).read_bytes())
    assert len(seen) == 5


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadArgument, match=r"^The certificate cannot be kept in "):
        kept(tmp_path / "file" / "tls", "127.0.0.1", NOW)


def test_servers_that_begin_at_once_make_one_certificate_with_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    def write_private(file: Path, content: bytes) -> None:
        written.append(file.name)
        file.write_bytes(content)

    def begin() -> None:
        together.wait()
        kept(tmp_path / "tls", "127.0.0.1", NOW)

    monkeypatch.setattr(certificate, "write_private", write_private)
    together = Barrier(8)
    servers = [Thread(target=begin) for _ in range(8)]
    for server in servers:
        server.start()
    for server in servers:
        server.join()
    assert written == ["key.pem", "certificate.pem"]

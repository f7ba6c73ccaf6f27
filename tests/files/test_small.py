"""Small files that others write: whatever is in their place, reading one ends at once and takes little memory."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import MakeVault
from vaulttools.cli import access
from vaulttools.cli.main import main
from vaulttools.clients import registry, saving
from vaulttools.clients.change import Unchangeable
from vaulttools.clients.registry import Machine
from vaulttools.errors import BadArgument
from vaulttools.files import settings, small
from vaulttools.server import certificate
from vaulttools.server.callers import Tenants
from vaulttools.server.tokens import LARGEST, TokenFile
from vaulttools.server.vault_pool import VaultPool

modes = pytest.mark.not_on_windows("a mode says nothing about other users there")


def _sparse(file: Path) -> None:
    with file.open("wb") as opened:
        opened.truncate(1 << 36)


IN_ITS_PLACE: dict[str, Callable[[Path], object]] = {
    "a folder": Path.mkdir,
    "a pipe": lambda file: os.mkfifo(file),
    "an endless device": lambda file: file.symlink_to("/dev/zero"),
    "64 GiB": _sparse,
    "a link to itself": lambda file: file.symlink_to(file),
    "NUL": lambda file: file.write_bytes(b"\0" * 1_000),
    "no UTF-8": lambda file: file.write_bytes(b'{"a": "\xff\xfe"}'),
    "half a character": lambda file: file.write_bytes(b'{"\\ud800": "\\udfff"}'),
    "brackets": lambda file: file.write_bytes(b"[" * 1_000_000),
    "objects": lambda file: file.write_bytes(b'{"a":' * 200_000),
    "a list": lambda file: file.write_bytes(b"[1, null]"),
    "a number": lambda file: file.write_bytes(b"9" * 100_000),
    "nothing": lambda file: file.write_bytes(b""),
    "the wrong values": lambda file: file.write_bytes(
        b'{"vaults": {"a": 1, "b": {"path": 3}}, "userIgnoreFilters": 7}'
    ),
}
LACKING: dict[str, str] = {
    "a pipe": "no pipe is a file of a folder there",
    "an endless device": "no device is a file of a folder there",
    "64 GiB": "its files are not sparse unless a program asks",
    "a link to itself": "not every user may make links",
}
"""What Windows lacks for some of them."""
whatever = pytest.mark.parametrize(
    "what",
    [
        pytest.param(each, marks=pytest.mark.not_on_windows(LACKING[each])) if each in LACKING else each
        for each in IN_ITS_PLACE
    ],
)


@pytest.fixture
def odd(tmp_path: Path, what: str) -> Path:
    """A file as it should not be."""
    file = tmp_path / "odd"
    IN_ITS_PLACE[what](file)
    return file


def bounded(call: Callable[[], object]) -> object:
    """What a call returns or raises, which takes at most 160 MB: the largest settings twice, and some more."""
    tracemalloc.start()
    try:
        return call()
    except (BadArgument, Unchangeable, OSError) as error:
        assert "\n" not in str(error)
        assert len(str(error)) < 300
        return error
    finally:
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 160_000_000


@whatever
def test_it_is_read_within_bounds_or_refused(odd: Path) -> None:
    found = bounded(lambda: small.read(odd))
    assert isinstance(found, OSError) or (isinstance(found, bytes) and len(found) <= small.LARGEST)


@whatever
def test_a_vaults_settings(odd: Path, what: str) -> None:
    if what == "a link to itself":
        with pytest.raises(OSError, match="symbolic links"):
            settings.read(odd)
    else:
        assert isinstance(bounded(lambda: settings.read(odd)), dict)


@whatever
def test_the_list_of_the_apps_vaults_is_left_out(odd: Path, tmp_path: Path) -> None:
    place = tmp_path / "home" / ".config" / "obsidian"
    place.mkdir(parents=True)
    odd.rename(place / "obsidian.json")
    assert bounded(lambda: registry.known_vaults(Machine("linux", tmp_path / "home", {}))) == []


@whatever
def test_an_assistants_settings(odd: Path, what: str) -> None:
    found = bounded(lambda: saving.content(odd))
    if what in ("a folder", "a pipe", "an endless device", "64 GiB", "a link to itself"):
        assert isinstance(found, Unchangeable)
    else:
        assert isinstance(found, bytes)


@whatever
def test_a_token_that_is_given_by_a_file(odd: Path, what: str) -> None:
    found = bounded(lambda: access.token(str(odd)))
    assert isinstance(found, BadArgument | str)
    if not isinstance(found, str):
        assert str(found).startswith(f"The token file {odd} ")


@whatever
def test_a_file_of_tokens_lets_nobody_in_and_is_told_in_one_sentence(
    odd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokens, pool = TokenFile(odd), VaultPool(str(tmp_path), index="off")
    assert bounded(lambda: Tenants(tokens, pool).of("secret")) is None
    pool.close()
    assert main(["token", "list", "--tokens", str(odd)]) == 2
    errors = capsys.readouterr().err
    assert errors.startswith(f"error: The token file {odd} cannot be read: ")
    assert errors.count("\n") == 1


@pytest.mark.parametrize(
    "record",
    [
        {"sha256": "é" * 64, "vaults": ["a"]},
        {"sha256": "0" * 63, "vaults": ["a"]},
        {"sha256": 3, "vaults": ["a"]},
        {"sha256": "0" * 64, "vaults": "a"},
        {"sha256": "0" * 64, "vaults": [["a"]]},
        {"vaults": ["a"]},
        [],
    ],
)
def test_a_record_that_is_no_token_lets_nobody_in(tmp_path: Path, record: object) -> None:
    file = tmp_path / "tokens.json"
    token = TokenFile(file).add("one", ["a"])
    records = json.loads(file.read_bytes())
    file.write_text(json.dumps({**records, "two": record}), encoding="utf-8")
    with pytest.raises(BadArgument, match="it does not hold tokens"):
        TokenFile(file).find(token)


def test_a_token_of_a_vault_that_no_folder_can_have_sees_nothing(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    token = TokenFile(file).add("one", ["\ud800", "a\0b", "../x", "x" * 5_000])
    pool = VaultPool(str(tmp_path), index="off")
    caller = Tenants(TokenFile(file), pool).of(token)
    assert caller is not None and caller.vaults.names == ()
    pool.close()


def test_a_file_of_thousands_of_tokens_is_read(tmp_path: Path) -> None:
    record = {"sha256": "0" * 64, "vaults": ["a"], "created": "2026-11-28T12:00:00Z"}
    file = tmp_path / "tokens.json"
    file.write_text(json.dumps({f"t{number}": record for number in range(20_000)}, indent=2), encoding="utf-8")
    assert file.stat().st_size < LARGEST
    assert len(TokenFile(file).entries()) == 20_000


# Certificates and keys


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str]:
    """A certificate and its key."""
    return certificate.kept(tmp_path / "tls", "localhost")


def test_a_key_of_the_owner_alone_is_used_without_a_word(pair: tuple[str, str]) -> None:
    assert certificate.ensure_usable(*pair) == ""


@modes
@pytest.mark.parametrize(("mode", "who"), [(0o644, "every user"), (0o604, "every user"), (0o640, "its group")])
def test_a_key_that_others_can_read_is_told(pair: tuple[str, str], mode: int, who: str) -> None:
    Path(pair[1]).chmod(mode)
    sentence = certificate.ensure_usable(*pair)
    assert who in sentence
    assert sentence.endswith(f"chmod 600 {pair[1]}")


@whatever
@pytest.mark.parametrize("which", [0, 1])
def test_a_certificate_that_is_no_small_file_is_refused_before_it_is_opened(
    odd: Path, what: str, pair: tuple[str, str], which: int
) -> None:
    files = (str(odd), pair[1]) if which == 0 else (pair[0], str(odd))
    found = bounded(lambda: certificate.ensure_usable(*files))
    if what in ("a folder", "a pipe", "an endless device", "64 GiB", "a link to itself"):
        assert str(found).startswith(f"The certificate cannot be used: {odd}: ")


@pytest.mark.parametrize("begin", ["-----BEGIN ENCRYPTED PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED"])
def test_a_key_with_a_password_is_refused_for_nobody_could_type_it(
    pair: tuple[str, str], tmp_path: Path, begin: str
) -> None:
    (tmp_path / "key").write_text(begin)
    with pytest.raises(BadArgument, match="needs a password"):
        certificate.ensure_usable(pair[0], str(tmp_path / "key"))


@modes
def test_a_token_file_that_others_can_read_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "token"
    file.write_text("secret\n")
    for mode, is_told in ((0o600, False), (0o644, True)):
        file.chmod(mode)
        assert access.token(str(file)) == "secret"
        assert ("every user of this machine can read it" in capsys.readouterr().err) is is_told


@whatever
def test_odd_settings_of_a_vault_leave_its_calls_as_they_are(what: str, make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "needle", ".obsidian/x": ""})
    for name in ("app.json", "daily-notes.json", "core-plugins.json", "plugins/periodic-notes/data.json"):
        file = vault.path / ".obsidian" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        IN_ITS_PLACE[what](file)
    assert "needle" in vault.grep("needle").text
    assert not vault.call("query", {"query": "needle"}).is_error
    assert "for a reason of its own" not in vault.call("read", {"note": "today"}).text

"""`vaulttools serve`: what its options mean, what is refused in one sentence, and that it starts and ends."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from pathlib import Path

import httpx2
import pytest

from tests.conftest import FIXTURES
from tests.server.serving import TERMINATED, http
from vaulttools import BadArgument
from vaulttools.cli.access import NEEDED
from vaulttools.cli.main import main
from vaulttools.cli.serve import parse
from vaulttools.server.tokens import TokenFile

REACHED = "0.0.0.0 can be reached from other machines"
BEYOND = ["0.0.0.0:1", "--token-file", "TOKEN"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "serve needs an address: serve :8765, or serve HOST:PORT"),
        (["localhost"], "serve takes HOST:PORT, got 'localhost'"),
        (["0.0.0.0:1"], f"{REACHED}: {NEEDED}"),
        (BEYOND, f"{REACHED}: give --tls CERT KEY or --tls auto, or --insecure for http"),
        ([":1", "--tls"], "--tls takes auto, or the files of a certificate and of its key"),
        ([":1", "--tls", "cert.pem"], "--tls takes auto, or the files of a certificate and of its key"),
        ([":1", "--trust-proxy", "10.0.0.1"], f"Behind a proxy others can call: {NEEDED}"),
        (["--trust-proxy", "proxy", *BEYOND], "--trust-proxy takes the address of the proxy, got 'proxy'"),
        ([":1", "--allow-origin", "*"], "--allow-origin takes an origin such as https://notes.example, got '*'"),
        ([":1", "--omnisearch", "70000"], "--omnisearch takes a port"),
        (
            [":1", "--vaults-root", "x", "--omnisearch"],
            "--vaults-root has tokens and vaults of its own: leave out --token-file and --vault",
        ),
        ([":1", "--tokens", "x"], "--tokens goes with --vaults-root"),
        ([":1", "--http", ":2"], "unknown option '--http'"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(tmp_path: Path, words: Sequence[str], sentence: str) -> None:
    token = tmp_path / "token"
    token.write_text("t", encoding="utf-8")
    with pytest.raises(BadArgument) as refusal:
        parse([str(token) if word == "TOKEN" else word for word in words], ["V"])
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    ("words", "tls"),
    [([], ()), (["--tls", "auto"], ("auto",)), (["--tls", "cert.pem", "key.pem"], ("cert.pem", "key.pem"))],
)
def test_tls_may_come_before_or_after_the_address(words: Sequence[str], tls: tuple[str, ...]) -> None:
    for given in ([*words, ":8765"], [":8765", *words]):
        options = parse(given, ["V"])
        assert (options.host, options.port, options.tls) == ("127.0.0.1", 8765, tls)


def test_a_new_token_is_printed_alone_and_beside_it_where_assistants_ask(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokens = tmp_path / "tokens.json"
    assert main(["token", "add", "ada", "--vaults", "ada,My Notes", "--tokens", str(tokens)]) == 0
    printed = capsys.readouterr()
    assert TokenFile(tokens).find(printed.out.strip()) is not None
    assert printed.err == "Assistants ask at /mcp, or for one vault alone at /v/ada/mcp, /v/My%20Notes/mcp\n"


def test_it_serves_https_with_its_own_certificate_and_ends_gracefully(tmp_path: Path) -> None:
    words = ["--vault", str(FIXTURES / "vault"), "serve", ":0", "--tls", "auto", "--no-index"]
    with http(*words, XDG_DATA_HOME=str(tmp_path), WIN_PD_OVERRIDE_LOCAL_APPDATA=str(tmp_path)) as served:
        [certificate] = tmp_path.glob("**/tls/certificate.pem")
        answer = httpx2.get(served.url, verify=ssl.create_default_context(cafile=certificate))
        assert answer.json()["authenticated"] is True
    status, log = served.ended()
    assert status == TERMINATED
    assert log.splitlines()[0].split(" ", 1)[1].startswith("127.0.0.1 - GET / 200 ")

"""Who may call: hosts, origins and tokens, without a server."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from vaulttools.server.callers import Alike
from vaulttools.server.guard import Access, bearer
from vaulttools.server.vaults import Vaults


@pytest.mark.parametrize(
    ("listening", "host", "accepted"),
    [
        ("127.0.0.1", "127.0.0.1:80", True),
        ("127.0.0.1", "127.5.6.7", True),
        ("127.0.0.1", "10.0.0.1", False),
        ("127.0.0.1", None, False),
        ("127.0.0.1", "localhost:port", False),
        # beyond loopback: plain addresses, which no name leads to, and the name that is listened on
        ("0.0.0.0", "10.0.0.1:8765", True),
        ("0.0.0.0", "[fe80::1]:8765", True),
        ("0.0.0.0", "evil.example", False),
        ("Notes.local", "notes.local:80", True),
    ],
)
def test_the_hosts_that_a_request_may_name(listening: str, host: str | None, accepted: bool) -> None:
    assert Access(listening).accepts_host(host) is accepted


def _no_vault(name: str) -> Any:
    return nullcontext()


def test_a_token_may_hold_any_character() -> None:
    sent = "Bearer schlüssel €".encode()
    shown = bearer({"type": "http", "headers": [(b"authorization", sent)]})
    vaults = Vaults([], _no_vault)
    assert Alike("schlüssel €", vaults).of(shown)
    assert not Alike("schlüssel", vaults).of(shown)
